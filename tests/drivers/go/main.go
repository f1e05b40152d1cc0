// The driver of the Go module; ../README.md describes the lines.
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"sluice"
	"strings"
	"time"
)

type asked struct {
	Do, Bytes, What, Name                   string
	Document, Headers, Detail, Edited, Data *string
	Reason, Text, Rules, Arguments          *string
	Engine, Turn                            int
	Call                                    uint32
	How, Decision, Kind                     int32
	Status                                  int
	Now                                     int64
}

var (
	engines   = map[int]*sluice.Engine{}
	turns     = map[int]*sluice.Turn{}
	saved     []byte
	documents = map[string]sluice.Document{"request": sluice.Request, "message": sluice.Message, "history": sluice.History, "tools": sluice.Tools,
		"prompt": sluice.Prompt, "state": sluice.State, "error": sluice.LastError}
)

// document is the bytes of a member; nil where it was left out.
func document(text *string) []byte {
	if text == nil {
		return nil
	}
	return []byte(*text)
}

func text(text *string) string {
	return string(document(text))
}

// run gives the members of the answer behind its code.
func run(a asked) (string, error) {
	switch a.Do {
	case "engine":
		engine, err := sluice.NewEngine(document(a.Document))
		engines[a.Engine] = engine
		return "", err
	case "turn":
		turn, err := engines[a.Engine].NewTurn(document(a.Document))
		turns[a.Turn] = turn
		return "", err
	case "restore":
		state := saved
		if a.Document != nil {
			state = document(a.Document)
		}
		turn, err := engines[a.Engine].Restore(state)
		turns[a.Turn] = turn
		return "", err
	case "close":
		if a.Turn != 0 {
			defer delete(turns, a.Turn)
			return "", turns[a.Turn].Close()
		}
		defer delete(engines, a.Engine)
		return "", engines[a.Engine].Close()
	}
	return runTurn(turns[a.Turn], a)
}

func runTurn(turn *sluice.Turn, a asked) (string, error) {
	switch a.Do {
	case "response":
		return "", turn.Response(a.Status, document(a.Headers))
	case "feed":
		bytes, err := hex.DecodeString(a.Bytes)
		if err != nil {
			log.Fatal(err)
		}
		return "", turn.Feed(bytes)
	case "finish":
		return "", turn.Finish(sluice.End(a.How), text(a.Detail))
	case "approve":
		return "", turn.Approve(a.Call, sluice.Decision(a.Decision), document(a.Edited))
	case "deny":
		return "", turn.Deny(a.Call, text(a.Reason))
	case "refuse":
		return "", turn.Refuse(a.Call, text(a.Reason))
	case "cancel":
		return "", turn.Cancel(a.Call, text(a.Reason))
	case "conclude":
		return "", turn.Conclude(sluice.Final(a.How), text(a.Text))
	case "submit":
		return "", turn.Submit(a.Call, sluice.Kind(a.Kind), text(a.Data))
	case "resolve":
		return "", turn.Resolve(a.Call, document(a.Arguments))
	case "call":
		made, err := turn.Call(a.Call, document(a.Document))
		return fmt.Sprintf(`,"number":%d`, made), err
	case "judge":
		way, err := turn.Judge(a.Call, document(a.Rules))
		return fmt.Sprintf(`,"way":%d`, way), err
	case "tick":
		next, err := turn.Tick(time.UnixMilli(a.Now))
		if next.IsZero() {
			return `,"next":null`, err
		}
		return fmt.Sprintf(`,"next":%d`, next.UnixMilli()), err
	case "next":
		event, _ := turn.NextEvent()
		return told(event.Raw), nil
	case "events":
		var events []string
		turn.Events(func(event sluice.Event) bool {
			events = append(events, quote(event.Raw))
			return true
		})
		return `,"events":[` + strings.Join(events, ",") + "]", nil
	case "next_delta":
		if delta, ok := turn.NextDelta(); ok {
			return `,"delta":` + piece(delta), nil
		}
		return `,"delta":null`, nil
	case "pieces":
		var pieces []string
		turn.Pieces(func(told any) bool {
			pieces = append(pieces, piece(told))
			return true
		})
		return `,"pieces":[` + strings.Join(pieces, ",") + "]", nil
	case "find_tool":
		return told(turn.FindTool(a.Name)), nil
	case "get":
		text := turn.Get(documents[a.What])
		if a.What == "state" && text != nil {
			saved = text
		}
		return told(text), nil
	}
	log.Fatalf("no such verb: %s", a.Do)
	return "", nil
}

func piece(told any) string {
	if delta, ok := told.(sluice.Delta); ok {
		return fmt.Sprintf("[%d,%d,%s]", delta.Kind, delta.Index, quote([]byte(delta.Text)))
	}
	return quote(told.(sluice.Event).Raw)
}

func told(text []byte) string {
	if text == nil {
		return `,"text":null`
	}
	return `,"text":` + quote(text)
}

// quote writes a JSON string; encoding/json would escape more than it must.
func quote(text []byte) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, c := range text {
		switch at := strings.IndexByte("\"\\\b\f\n\r\t", c); {
		case at >= 0:
			out.WriteByte('\\')
			out.WriteByte("\"\\bfnrt"[at])
		case c < 0x20:
			fmt.Fprintf(&out, "\\u%04x", c)
		default:
			out.WriteByte(c)
		}
	}
	out.WriteByte('"')
	return out.String()
}

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var a asked
		if err := json.Unmarshal(line, &a); err != nil {
			log.Fatal(err)
		}
		members, err := run(a)
		if wrong, ok := err.(*sluice.Error); ok {
			fmt.Fprintf(out, `{"code":%d,"name":%s,"message":%s,"path":%s}`+"\n", wrong.Code, quote([]byte(wrong.Name)), quote([]byte(wrong.Message)), quote([]byte(wrong.Path)))
		} else if err != nil {
			log.Fatal(err)
		} else {
			fmt.Fprintf(out, `{"code":0%s}`+"\n", members)
		}
	}
}
