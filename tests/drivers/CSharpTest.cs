using System;
using System.Linq;
using System.Text;
using Sluice;

/// <summary>What the C# binding adds to the library: JSON, errors, handles that are closed.</summary>
static class CSharpTest
{
    static void Check(bool holds, string what)
    {
        if (!holds) throw new Exception(what);
    }

    static void Throws<T>(Action work, Func<T, bool> fits) where T : Exception
    {
        try
        {
            work();
        }
        catch (T error)
        {
            Check(fits(error), error.Message);
            return;
        }
        throw new Exception("nothing was thrown");
    }

    static void Refused(Action work, ErrorCode code, string words) => Throws<SluiceException>(work, error => error.Code == code && error.Message.Contains(words));

    static void JsonIsReadAndWritten()
    {
        var from = " { \"a\" : [1, {\"b\": \"]}\\\"\"}], \"é\" :\"x\" ,\"b\":-1.5e3,\"c\":{},\"d\":null} ";
        Check(Json.Member(from, "a") == "[1, {\"b\": \"]}\\\"\"}]" && Json.Member(from, "é") == "\"x\"" && Json.Member(from, "b") == "-1.5e3", "members");
        Check(Json.Member(from, "c") == "{}" && Json.Member(from, "d") == "null", "members");
        Check(Json.Member(from, "e") == null && Json.Member("[1]", "a") == null && Json.Member("{}", "a") == null && Json.Member("", "a") == null, "no members");
        var all = new string(Enumerable.Range(0, 128).Select(c => (char)c).ToArray()) + "é😀\u2028";
        Check(Json.Text(Json.Quote(all)) == all, "a string comes back");
        Check(Json.Text("\"\\ud83d\\ude00\\u00e9\\/\"") == "😀é/" && Json.Text("1") == null, "escapes");
        for (var end = 0; end < from.Length; ++end) // what was cut off throws nothing
        {
            Json.Member(from.Substring(0, end), "d");
            Json.Text(from.Substring(end));
        }
    }

    static void Main()
    {
        JsonIsReadAndWritten();
        var engine = new Engine("{\"tools\":[{\"name\":\"note\",\"agentCallable\":true}]}");
        Refused(() => new Engine("{\"protocol\":\"hermez\"}"), ErrorCode.Json, "did you mean hermes?");
        Refused(() => engine.NewTurn("{\"wire\":\"x\"}"), ErrorCode.Json, "(wire)");
        Refused(() => engine.Restore("{}"), ErrorCode.Json, "json: ");
        var turn = engine.NewTurn("{\"wire\":\"text\",\"protocol\":\"hermes\"}");
        Refused(() => turn.Deny(7), ErrorCode.NotFound, "no call");
        Refused(() => turn.Finish((End)9), ErrorCode.Argument, "argument: ");
        engine.Dispose();
        engine.Dispose();
        Throws<ObjectDisposedException>(() => engine.NewTurn("{}"), _ => true);
        turn.Feed(new byte[0]);
        turn.Feed(Encoding.UTF8.GetBytes("a\0你<tool_call>{\"name\": \"note\", \"arguments\": {}}</tool_call>"));
        turn.Finish(End.Complete, "half \ud83d of a pair");
        var delta = (Delta)turn.Pieces().First();
        Check(delta.Kind == DeltaKind.Text && delta.Index == 0 && delta.Text == "a\0你", "the first piece");
        var card = turn.NextEvent();
        Check(card.Type == "card" && card.Call == 1 && card.Text("name") == "note", card.Json);
        for (var i = 0; i < 3; ++i) // nobody closes it
        {
            new Engine("{}").NewTurn("{\"wire\":\"text\"}");
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        turn.Dispose();
        Throws<ObjectDisposedException>(() => turn.NextEvent(), _ => true);
        Check(Engine.LibraryVersion > new Version(0, 0), "a version");
    }
}
