using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using Sluice;

/// <summary>The driver of the C# binding; README.md describes the lines.</summary>
class Driver
{
    readonly Dictionary<uint, Engine> engines = new Dictionary<uint, Engine>();
    readonly Dictionary<uint, Turn> turns = new Dictionary<uint, Turn>();
    string saved, asked;

    string Given(string name)
    {
        var value = Json.Member(asked, name);
        return value == null ? null : Json.Text(value);
    }

    uint Number(string name) => uint.Parse(Json.Member(asked, name), CultureInfo.InvariantCulture);

    int Whole(string name) => int.Parse(Json.Member(asked, name), CultureInfo.InvariantCulture);

    static string Told(string text) => ",\"text\":" + (text == null ? "null" : Json.Quote(text));

    static string Written(Piece piece)
    {
        var delta = piece as Delta;
        return delta == null ? Json.Quote(((Event)piece).Json) : "[" + (int)delta.Kind + "," + delta.Index + "," + Json.Quote(delta.Text) + "]";
    }

    static string List(string name, IEnumerable<Piece> pieces) => ",\"" + name + "\":[" + string.Join(",", pieces.Select(Written)) + "]";

    static byte[] Bytes(string hex) => Enumerable.Range(0, hex.Length / 2).Select(i => Convert.ToByte(hex.Substring(2 * i, 2), 16)).ToArray();

    /// <summary>The members of the answer behind its code.</summary>
    string Run()
    {
        var verb = Given("do");
        switch (verb)
        {
            case "engine": engines[Number("engine")] = new Engine(Given("document")); return "";
            case "turn": turns[Number("turn")] = engines[Number("engine")].NewTurn(Given("document")); return "";
            case "restore": turns[Number("turn")] = engines[Number("engine")].Restore(Given("document") ?? saved); return "";
            case "close":
                if (Json.Member(asked, "turn") != null) turns[Number("turn")].Dispose();
                else engines[Number("engine")].Dispose();
                if (Json.Member(asked, "turn") != null) turns.Remove(Number("turn"));
                else engines.Remove(Number("engine"));
                return "";
            default: return Run(verb, turns[Number("turn")]);
        }
    }

    string Run(string verb, Turn turn)
    {
        switch (verb)
        {
            case "response": turn.Response(Whole("status"), Given("headers")); return "";
            case "feed": turn.Feed(Bytes(Given("bytes"))); return "";
            case "finish": turn.Finish((End)Whole("how"), Given("detail")); return "";
            case "approve": turn.Approve(Number("call"), (Decision)Whole("decision"), Given("edited")); return "";
            case "deny": turn.Deny(Number("call"), Given("reason")); return "";
            case "refuse": turn.Refuse(Number("call"), Given("reason")); return "";
            case "cancel": turn.Cancel(Number("call"), Given("reason")); return "";
            case "conclude": turn.Conclude((Final)Whole("how"), Given("text")); return "";
            case "submit": turn.Submit(Number("call"), Given("data"), (Kind)Whole("kind")); return "";
            case "resolve": turn.Resolve(Number("call"), Given("arguments")); return "";
            case "call": return ",\"number\":" + turn.Call(Number("call"), Given("document"));
            case "judge": return ",\"way\":" + (int)turn.Judge(Number("call"), Given("rules"));
            case "tick": return ",\"next\":" + (turn.Tick(long.Parse(Json.Member(asked, "now"), CultureInfo.InvariantCulture))?.ToString(CultureInfo.InvariantCulture) ?? "null");
            case "next": return Told(turn.NextEvent()?.Json);
            case "events": return List("events", turn.Events());
            case "next_delta":
                var delta = turn.NextDelta();
                return ",\"delta\":" + (delta == null ? "null" : Written(delta));
            case "pieces": return List("pieces", turn.Pieces());
            case "find_tool": return Told(turn.FindTool(Given("name")));
            case "get":
                var text = turn.Get((Document)Enum.Parse(typeof(Document), Given("what"), true));
                if (Given("what") == "state") saved = text ?? saved;
                return Told(text);
            default: throw new ArgumentException("no such verb: " + verb);
        }
    }

    static void Main()
    {
        var driver = new Driver();
        var utf8 = new UTF8Encoding(false);
        using (var lines = new StreamReader(Console.OpenStandardInput(), utf8))
        using (var answers = new StreamWriter(Console.OpenStandardOutput(), utf8, 1 << 16))
        {
            while ((driver.asked = lines.ReadLine()) != null)
            {
                try
                {
                    answers.Write("{\"code\":0" + driver.Run() + "}\n");
                }
                catch (SluiceException error)
                {
                    answers.Write("{\"code\":" + (int)error.Code + ",\"name\":" + Json.Quote(error.Name) + ",\"message\":" + Json.Quote(error.Detail) + ",\"path\":" + Json.Quote(error.Path) + "}\n");
                }
            }
        }
    }
}
