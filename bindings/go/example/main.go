// A turn with a call that a person approves, with a server that speaks OpenAI's protocol: its base URL, or SLUICE_BASE_URL.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"sluice"
)

const tools = `{"tools":[{"name":"note.add","description":"Adds a note.","permission":"moderate","agentCallable":true,
  "parameters":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}`
const config = `{"wire":"openai-chat","request":{"model":"qwen3:8b","messages":[{"role":"user","content":"Remember the umbrella."}]}}`

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	log.SetFlags(0)
	server := "http://127.0.0.1:11434/v1"
	if named := os.Getenv("SLUICE_BASE_URL"); named != "" {
		server = named
	}
	if len(os.Args) > 1 {
		server = os.Args[1]
	}
	engine, err := sluice.NewEngine([]byte(tools))
	must(err)
	defer engine.Close()
	turn, err := engine.NewTurn([]byte(config))
	must(err)
	defer turn.Close()

	var answer *http.Response
	outcome := ""
	act := func(event sluice.Event) bool {
		switch event.Type {
		case "request":
			answer, err = http.Post(server+"/chat/completions", "application/json", bytes.NewReader(turn.Get(sluice.Request)))
			must(err)
			must(turn.Response(answer.StatusCode, nil))
		case "text":
			fmt.Print(event.Text)
		case "approval": // show it to a person first
			must(turn.Approve(event.Call, sluice.Once, nil))
		case "execute":
			var note struct{ Text string }
			must(json.Unmarshal(event.Arguments, &note))
			must(turn.Submit(event.Call, sluice.Result, "noted: "+note.Text))
		case "error":
			log.Print(event.Detail)
		case "done":
			outcome = event.Outcome
		}
		return true
	}
	piece := make([]byte, 65536)
	for turn.Events(act); outcome == ""; turn.Events(act) {
		n, err := answer.Body.Read(piece)
		must(turn.Feed(piece[:n]))
		if err == io.EOF {
			must(turn.Finish(sluice.Complete, ""))
		} else if err != nil {
			must(turn.Finish(sluice.Network, err.Error()))
		}
	}
	fmt.Printf("\n%s\n%s\n", outcome, turn.Get(sluice.History))
}
