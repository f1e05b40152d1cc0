// A turn with a call that a person approves, fed with two answers of a server that speaks OpenAI's protocol.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"sluice"
)

const tools = `{"tools":[{"name":"note.add","description":"Adds a note.","permission":"moderate","agentCallable":true,
  "parameters":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}`
const config = `{"wire":"openai-chat","request":{"model":"qwen3:8b","messages":[{"role":"user","content":"Remember the umbrella."}]}}`

var answers = []string{
	`data: {"choices":[{"delta":{"content":"Noted: ","tool_calls":[{"index":0,"id":"c1","function":{"name":"note.add","arguments":"{\"text\":\"umbrella\"}"}}]},"finish_reason":"tool_calls"}]}`,
	`data: {"choices":[{"delta":{"content":"you will not forget it."},"finish_reason":"stop"}]}`,
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	engine, err := sluice.NewEngine([]byte(tools))
	must(err)
	defer engine.Close()
	turn, err := engine.NewTurn([]byte(config))
	must(err)
	defer turn.Close()
	turn.Events(func(event sluice.Event) bool {
		switch event.Type {
		case "request": // send turn.Get(sluice.Request), and feed what comes
			must(turn.Feed([]byte(answers[0] + "\n\ndata: [DONE]\n\n")))
			must(turn.Finish(sluice.Complete, ""))
			answers = answers[1:]
		case "text":
			fmt.Print(event.Text)
		case "approval": // show it to a person first
			must(turn.Approve(event.Call, sluice.Once, nil))
		case "execute":
			var note struct{ Text string }
			must(json.Unmarshal(event.Arguments, &note))
			must(turn.Submit(event.Call, sluice.Result, "noted: "+note.Text))
		case "done":
			fmt.Printf("\n%s\n%s\n", event.Outcome, turn.Get(sluice.History))
		}
		return true
	})
}
