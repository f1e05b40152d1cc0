using System;
using System.Collections.Generic;
using System.Text;
using Sluice;

/// <summary>A turn with a call that a person approves, fed with two answers of a server that speaks OpenAI's protocol.</summary>
static class Example
{
    const string Tools = @"{""tools"":[{""name"":""note.add"",""description"":""Adds a note."",""permission"":""moderate"",""agentCallable"":true,
        ""parameters"":{""type"":""object"",""properties"":{""text"":{""type"":""string""}},""required"":[""text""]}}]}";
    const string Config = @"{""wire"":""openai-chat"",""request"":{""model"":""qwen3:8b"",""messages"":[{""role"":""user"",""content"":""Remember the umbrella.""}]}}";
    static readonly Queue<string> Answers = new Queue<string>(new[]
    {
        @"data: {""choices"":[{""delta"":{""content"":""Noted: "",""tool_calls"":[{""index"":0,""id"":""c1"",""function"":{""name"":""note.add"",""arguments"":""{\""text\"":\""umbrella\""}""}}]},""finish_reason"":""tool_calls""}]}",
        @"data: {""choices"":[{""delta"":{""content"":""you will not forget it.""},""finish_reason"":""stop""}]}",
    });

    static void Main()
    {
        using (var engine = new Engine(Tools))
        using (var turn = engine.NewTurn(Config))
        {
            foreach (var e in turn.Events())
            {
                switch (e.Type)
                {
                    case "request": // send turn.Get(Document.Request), and feed what comes
                        turn.Feed(Encoding.UTF8.GetBytes(Answers.Dequeue() + "\n\ndata: [DONE]\n\n"));
                        turn.Finish();
                        break;
                    case "text": Console.Write(e.Text("text")); break;
                    case "approval": turn.Approve(e.Call); break; // show it to a person first
                    case "execute": turn.Submit(e.Call, "noted: " + Json.Text(e.Member("arguments"), "text")); break;
                    case "done": Console.WriteLine("\n" + e.Text("outcome")); break;
                }
            }
            Console.WriteLine(turn.Get(Document.History));
        }
    }
}
