package sluice

// #include <sluice/sluice.h>
import "C"

import (
	"encoding/json"
	"runtime"
	"time"
	"unsafe"
)

// End tells how an answer ended: Turn.Finish.
type End int32

// The ways an answer ends.
const (
	Complete End = C.SLUICE_END_COMPLETE // the body was read to its end
	Network  End = C.SLUICE_END_NETWORK  // the connection broke or was never made
	Aborted  End = C.SLUICE_END_ABORTED  // the host stopped reading, as after "abortRequest"
	Retry    End = C.SLUICE_END_RETRY    // forget this answer and ask again; allowed while nothing of it was shown or run
	Hook     End = C.SLUICE_END_HOOK     // the host itself failed; asking again cannot help
	Fallback End = C.SLUICE_END_FALLBACK // forget this answer, and ask again in mode text; allowed as Retry is, in mode auto
)

// Decision is what the user decided: Turn.Approve.
type Decision int32

// The decisions. Exact is added to ForTurn, Session or Always: "like it" then means exactly these arguments.
const (
	Once    Decision = C.SLUICE_ONCE    // let this call run
	ForTurn Decision = C.SLUICE_TURN    // and further calls like it in this turn
	Session Decision = C.SLUICE_SESSION // and in later turns of this session: a "rule" event asks the host to keep it
	Always  Decision = C.SLUICE_ALWAYS  // and for ever: also a "rule" event
	Release Decision = C.SLUICE_RELEASE // give the result of this call to the model
	Exact   Decision = C.SLUICE_EXACT
)

// Kind is what a tool delivers: Turn.Submit.
type Kind int32

// The kinds of results.
const (
	Result      Kind = C.SLUICE_RESULT       // the result: text
	ResultJSON  Kind = C.SLUICE_RESULT_JSON  // the result: one JSON value
	ResultParts Kind = C.SLUICE_RESULT_PARTS // the result: [{"type":"text","text":...},{"type":"image","mediaType":...,"data":...}]
	Failure     Kind = C.SLUICE_FAILURE      // the tool failed: text
	Progress    Kind = C.SLUICE_PROGRESS     // still running: text
	Rewritten   Kind = C.SLUICE_REWRITTEN    // {"output":...,"hostOutput":...}: what the tool gave, and what the model reads in its place
)

// Final is what becomes of a final answer: Turn.Conclude.
type Final int32

// What may become of it.
const (
	FinalAccept  Final = C.SLUICE_FINAL_ACCEPT  // the turn ends with it
	FinalRetry   Final = C.SLUICE_FINAL_RETRY   // the model reads why not, and answers again
	FinalReplace Final = C.SLUICE_FINAL_REPLACE // the turn ends with another text in its place
	// + FinalRetry: the model reads it as a system message, not as one of the user.
	FinalSystem Final = C.SLUICE_FINAL_SYSTEM
)

// Gate is how policy and rules judge a call: Turn.Judge.
type Gate int32

// The judgements.
const (
	GateRun  Gate = C.SLUICE_GATE_RUN  // it may run
	GateAsk  Gate = C.SLUICE_GATE_ASK  // the user must be asked
	GateDeny Gate = C.SLUICE_GATE_DENY // it must not run
)

// Document is one that can be read at any time: Turn.Get.
type Document int32

// The documents.
const (
	Request   Document = C.SLUICE_GET_REQUEST // the body of the request to send; nil while there is none to send
	Message   Document = C.SLUICE_GET_MESSAGE // the assistant message so far, block by block
	History   Document = C.SLUICE_GET_HISTORY // the messages that this turn adds to the conversation
	Tools     Document = C.SLUICE_GET_TOOLS   // what this configuration exposes to the model, why the rest is hidden, and every setting
	Prompt    Document = C.SLUICE_GET_PROMPT  // the rendered {{tools}}: a JSON string
	State     Document = C.SLUICE_GET_STATE   // the state that Engine.Restore reads
	LastError Document = C.SLUICE_GET_ERROR   // the last error of this turn; nil if there was none
)

// Event is what comes out of a turn. It has the members that most hosts need, the others are in Raw. Types and members may be
// added: ignore what you do not know.
type Event struct {
	Type      string          `json:"type"` // "text", "card", "approval"
	Seq       uint64          `json:"seq"`
	Call      uint32          `json:"call"` // the call that it is about; 0: none
	Block     uint32          `json:"block"`
	Text      string          `json:"text"`
	Name      string          `json:"name"` // of the tool
	Status    string          `json:"status"`
	Stage     string          `json:"stage"` // of a question: "execution" or "result"
	Arguments json.RawMessage `json:"arguments"`
	Reason    string          `json:"reason"`
	Detail    string          `json:"detail"`  // of "error": what happened, in words
	Outcome   string          `json:"outcome"` // of "done"
	Raw       json.RawMessage `json:"-"`       // the whole event
}

// DeltaKind is what a Delta is a piece of.
type DeltaKind int32

// The kinds of pieces.
const (
	DeltaText      DeltaKind = C.SLUICE_DELTA_TEXT      // as "text"; Index: the block
	DeltaReasoning DeltaKind = C.SLUICE_DELTA_REASONING // as "reasoning"; Index: the block
	DeltaArgs      DeltaKind = C.SLUICE_DELTA_ARGS      // as "args": the arguments as the model writes them; Index: the call
	DeltaProgress  DeltaKind = C.SLUICE_DELTA_PROGRESS  // as "progress": replaces what the call reported before; Index: the call
)

// Delta is a piece of text, told without JSON. Text with a mark ("refusal", "fabricated", "phase") is an Event.
type Delta struct {
	Kind  DeltaKind
	Index uint32 // the block or the call that it belongs to
	Text  string
}

// Turn is one input of the user, one message of the assistant. One goroutine at a time may use it.
type Turn struct {
	handle *C.sluice_turn
}

func usable(handle *C.sluice_turn) (*Turn, error) {
	if handle == nil {
		return nil, readError(nil)
	}
	t := &Turn{handle}
	if why := t.Get(LastError); why != nil {
		t.Close()
		return nil, readError(why)
	}
	runtime.SetFinalizer(t, (*Turn).Close)
	return t, nil
}

// Close frees the turn. It may be called twice; a turn that nothing refers to is closed by the garbage collector.
func (t *Turn) Close() error {
	C.sluice_turn_free(t.handle)
	t.handle = nil
	runtime.SetFinalizer(t, nil)
	return nil
}

func (t *Turn) done(code C.int32_t) error {
	defer runtime.KeepAlive(t)
	if code >= 0 {
		return nil
	}
	if t.handle == nil {
		return closed("turn")
	}
	return readError(t.Get(LastError))
}

// Response gives status and headers of the response: {"lower-case name":"value"}, or nil. It is optional: without it the
// status is 200.
func (t *Turn) Response(status int, headers []byte) error {
	p, n := lent(headers)
	return t.done(C.sluice_turn_response(t.handle, C.int32_t(status), p, n))
}

// Feed gives bytes of the response's body, of any size, split anywhere.
func (t *Turn) Feed(bytes []byte) error {
	p, n := lent(bytes)
	return t.done(C.sluice_turn_feed(t.handle, unsafe.Pointer(p), n))
}

// Write is Feed as an io.Writer: io.Copy(turn, response.Body).
func (t *Turn) Write(bytes []byte) (int, error) {
	if err := t.Feed(bytes); err != nil {
		return 0, err
	}
	return len(bytes), nil
}

// Finish ends the answer. detail is text such as the network's error, or empty.
func (t *Turn) Finish(how End, detail string) error {
	p, n := lent(text(detail))
	return t.done(C.sluice_turn_finish(t.handle, C.int32_t(how), p, n))
}

// Approve lets a waiting call run, or releases its result. edited is arguments that replace the model's, or nil. Call 0 is
// every call that waits for execution and whose event was polled.
func (t *Turn) Approve(call uint32, decision Decision, edited []byte) error {
	p, n := lent(edited)
	return t.done(C.sluice_turn_approve(t.handle, C.uint32_t(call), C.int32_t(decision), p, n))
}

// Deny denies what a call waits for. reason is text for the model, or empty.
func (t *Turn) Deny(call uint32, reason string) error {
	p, n := lent(text(reason))
	return t.done(C.sluice_turn_deny(t.handle, C.uint32_t(call), p, n))
}

// Refuse denies on behalf of the host: nobody could be asked, or its own policy forbids the call.
func (t *Turn) Refuse(call uint32, reason string) error {
	p, n := lent(text(reason))
	return t.done(C.sluice_turn_refuse(t.handle, C.uint32_t(call), p, n))
}

// Judge judges a call by these rules, an array as in the configuration. It changes nothing.
func (t *Turn) Judge(call uint32, rules []byte) (Gate, error) {
	p, n := lent(rules)
	code := C.sluice_turn_judge(t.handle, C.uint32_t(call), p, n)
	return Gate(code), t.done(code)
}

// Conclude decides about the answer of a "final" event. text is what the model reads, or what stands in the answer's place.
func (t *Turn) Conclude(how Final, words string) error {
	p, n := lent(text(words))
	return t.done(C.sluice_turn_conclude(t.handle, C.int32_t(how), p, n))
}

// Cancel cancels a call, or with 0 the turn. reason is text, or empty.
func (t *Turn) Cancel(call uint32, reason string) error {
	p, n := lent(text(reason))
	return t.done(C.sluice_turn_cancel(t.handle, C.uint32_t(call), p, n))
}

// Submit gives the result, failure or progress of a call whose "execute" event was polled.
func (t *Turn) Submit(call uint32, kind Kind, data string) error {
	p, n := lent([]byte(data))
	return t.done(C.sluice_turn_submit(t.handle, C.uint32_t(call), C.int32_t(kind), p, n))
}

// Resolve tells the arguments that the host runs a call with, if it resolves references that the model wrote; nil: as they are.
func (t *Turn) Resolve(call uint32, arguments []byte) error {
	p, n := lent(arguments)
	return t.done(C.sluice_turn_resolve(t.handle, C.uint32_t(call), p, n))
}

// Call lets the tool of a call that runs call another one: {"name":...,"arguments":{...}}. It returns the number of the new call.
func (t *Turn) Call(caller uint32, call []byte) (uint32, error) {
	p, n := lent(call)
	code := C.sluice_turn_call(t.handle, C.uint32_t(caller), p, n)
	if code < 0 {
		return 0, t.done(code)
	}
	return uint32(code), t.done(code)
}

// Tick tells the time: before Feed, Submit and Approve. It returns when to call again at the latest; the zero time for never.
func (t *Turn) Tick(now time.Time) (time.Time, error) {
	next := int64(C.sluice_turn_tick(t.handle, C.int64_t(now.UnixMilli())))
	if next < 0 {
		return time.Time{}, t.done(C.int32_t(next))
	}
	if next == never {
		return time.Time{}, t.done(0)
	}
	return time.UnixMilli(next), t.done(0)
}

// NextEvent returns the next event, and whether there was one.
func (t *Turn) NextEvent() (Event, bool) {
	defer runtime.KeepAlive(t)
	var size C.size_t
	raw := owned(C.sluice_turn_next_event(t.handle, &size), size)
	if raw == nil {
		return Event{}, false
	}
	event := Event{Raw: raw}
	json.Unmarshal(raw, &event) // what does not fit a member is still in Raw
	return event, true
}

// Events gives every waiting event to yield, until that returns false; those that come meanwhile are among them. From Go 1.23 on:
// for event := range turn.Events.
func (t *Turn) Events(yield func(Event) bool) {
	for event, ok := t.NextEvent(); ok && yield(event); event, ok = t.NextEvent() {
	}
}

// NextDelta returns the next event if it is a piece of text, told without JSON, and whether it was: else ask NextEvent.
func (t *Turn) NextDelta() (Delta, bool) {
	defer runtime.KeepAlive(t)
	var kind C.int32_t
	var index C.uint32_t
	var size C.size_t
	text := C.sluice_turn_next_delta(t.handle, &kind, &index, &size)
	if text == nil {
		return Delta{}, false
	}
	return Delta{DeltaKind(kind), uint32(index), string(unsafe.Slice((*byte)(unsafe.Pointer(text)), int(size)))}, true
}

// Pieces gives what waits to yield, as Events does: text as a Delta, which is faster than JSON, anything else as an Event.
func (t *Turn) Pieces(yield func(any) bool) {
	for {
		if delta, ok := t.NextDelta(); ok {
			if !yield(delta) {
				return
			}
		} else if event, ok := t.NextEvent(); !ok || !yield(event) {
			return
		}
	}
}

// FindTool finds the tool that a model means by this name: {"tool":"weather.now"}, or {"suggestions":[...]}.
func (t *Turn) FindTool(name string) json.RawMessage {
	defer runtime.KeepAlive(t)
	var size C.size_t
	p, n := lent([]byte(name))
	return owned(C.sluice_turn_find_tool(t.handle, p, n, &size), size)
}

// Get returns a document about the turn; nil if there is none.
func (t *Turn) Get(what Document) json.RawMessage {
	defer runtime.KeepAlive(t)
	var size C.size_t
	return owned(C.sluice_turn_get(t.handle, C.int32_t(what), &size), size)
}
