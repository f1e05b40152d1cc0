using System;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Text;
using Sluice;

/// <summary>A turn with a call that a person approves, with a server that speaks OpenAI's protocol: its base URL, or SLUICE_BASE_URL.</summary>
static class Example
{
    const string Tools = @"{""tools"":[{""name"":""note.add"",""description"":""Adds a note."",""permission"":""moderate"",""agentCallable"":true,
        ""parameters"":{""type"":""object"",""properties"":{""text"":{""type"":""string""}},""required"":[""text""]}}]}";
    const string Config = @"{""wire"":""openai-chat"",""request"":{""model"":""qwen3:8b"",""messages"":[{""role"":""user"",""content"":""Remember the umbrella.""}]}}";
    static readonly HttpClient Client = new HttpClient();

    /// <summary>The body of the server's answer, which is still to be read.</summary>
    static Stream Send(string baseUrl, Turn turn)
    {
        var request = new HttpRequestMessage(HttpMethod.Post, baseUrl + "/chat/completions");
        request.Content = new StringContent(turn.Get(Document.Request), Encoding.UTF8, "application/json");
        var answer = Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead).GetAwaiter().GetResult();
        turn.Response((int)answer.StatusCode);
        return answer.Content.ReadAsStreamAsync().GetAwaiter().GetResult();
    }

    static int Main(string[] arguments)
    {
        var baseUrl = arguments.Length > 0 ? arguments[0] : Environment.GetEnvironmentVariable("SLUICE_BASE_URL") ?? "http://127.0.0.1:11434/v1";
        using (var engine = new Engine(Tools))
        using (var turn = engine.NewTurn(Config))
        {
            Stream body = null;
            string outcome = null;
            var piece = new byte[65536];
            while (true)
            {
                foreach (var e in turn.Events())
                {
                    switch (e.Type)
                    {
                        case "request":
                            try { body = Send(baseUrl, turn); }
                            catch (HttpRequestException error)
                            {
                                Console.Error.WriteLine(baseUrl + " does not answer: " + error.GetBaseException().Message);
                                return 1;
                            }
                            break;
                        case "text": Console.Write(e.Text("text")); break;
                        case "approval": turn.Approve(e.Call); break; // show it to a person first
                        case "execute": turn.Submit(e.Call, "noted: " + Json.Text(e.Member("arguments"), "text")); break;
                        case "error": Console.Error.WriteLine(e.Text("detail")); break;
                        case "done": outcome = e.Text("outcome"); break;
                    }
                }
                if (outcome != null) break;
                var read = body.Read(piece, 0, piece.Length);
                if (read > 0) turn.Feed(piece.Take(read).ToArray());
                else turn.Finish();
            }
            Console.WriteLine("\n" + outcome + "\n" + turn.Get(Document.History));
            return 0;
        }
    }
}
