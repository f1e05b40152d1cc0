/* Sluice: one LLM turn as one unbroken message.
 *
 * WHAT IT IS
 *   The host feeds the bytes of a model's answer. Text comes out at once. A tool call appears in its place as a card, waits
 *   until policy or the user allows it, and runs in the host; then the answer goes on in the same message. Sluice does no
 *   I/O, starts no thread, reads no clock and calls nothing back: the same calls in the same order give the same events.
 *
 * THE HOST LOOP
 *     engine = sluice_engine_new(config)           tools and defaults; once
 *     turn = sluice_turn_new(engine, config)       one user input, one assistant message
 *     after every call that changes a turn, drain sluice_turn_next_event() until NULL, and do what the events say:
 *       "request"   send sluice_turn_get(turn, SLUICE_GET_REQUEST) to the provider unchanged, and pass on its response:
 *                   sluice_turn_response() once (optional), sluice_turn_feed() for every piece of the body, of any size,
 *                   sluice_turn_finish() exactly once
 *       "approval"  ask the user, then call sluice_turn_approve() or sluice_turn_deny()
 *       "execute"   run the tool, then sluice_turn_submit() its result
 *       "round"     the answer is over: stop reading, and finish it with SLUICE_END_COMPLETE
 *       "done"      the last event of the turn
 *     A host that wants text without JSON asks sluice_turn_next_delta() first, and sluice_turn_next_event() where that returns
 *     NULL:
 *       do {
 *         while ((text = sluice_turn_next_delta(turn, &kind, &index, &len)) != NULL) show(kind, index, text, len);
 *         if ((event = sluice_turn_next_event(turn, &len)) != NULL) handle(event, len);
 *       } while (event != NULL);
 *     Call sluice_turn_tick() with the current time before feed, submit and approve, and at the deadline it returned.
 *     A turn whose configuration has no "request" is a parser: one answer is open from the start, nothing runs, and
 *     finish brings "done".
 *
 * HOW AN ANSWER ENDS
 *   {"type":"round","round":1,"finishReason":"stop"} comes once per answer, after its last text: at [DONE], after an error of
 *   the provider, after a finish reason and one second of silence (sluice_turn_tick returns that deadline), else at finish.
 *   finishReason is stop, length, tool_calls, content_filter, pause (the provider goes on when it gets its answer back: the
 *   next request follows by itself), malformed, error (the provider broke the answer off) or unknown, and absent if the
 *   provider gave none. With error and unknown the turn fails with "provider", and no call of the answer runs. "done"
 *   has it too, and SLUICE_GET_MESSAGE has it for every answer: "rounds":1, "finishReason":"stop",
 *     "answers":[{"finishReason":"stop","usage":{"inputTokens":9,"outputTokens":2},"model":"m","startedAt":1,"endedAt":2}]
 *   "usage" (an event too) counts inputTokens, outputTokens, cachedTokens and cacheWriteTokens (of the input: read from the
 *   provider's cache, and written to it) and reasoningTokens (of the output). A count is absent if the provider does not give
 *   it.
 *   The body of an HTTP error ends one second after complete JSON, after idleTimeoutMs, or at finish; all of it until then is
 *   the error's text. After "round" Sluice reads only usage and opaque members, and a broken connection changes nothing; if
 *   the host still reads after idleTimeoutMs, an "abortRequest" event with reason "ended" tells it to stop. An answer
 *   without finish reason, [DONE] or a complete JSON body broke off: its calls do not run (stream_broken), its text stays,
 *   and the turn fails with "unfinished", or with "empty_answer" if nothing was shown.
 *
 * TEXT WITH A MARK
 *   {"type":"text","block":0,"text":"I cannot help with that.","refusal":true}: the provider reports that the model declines.
 *   "fabricated":true: the model invented the result of a call, in the marks that its format has for results; no tool ran, and
 *   a page may fold the text. The block in SLUICE_GET_MESSAGE has the same member, and so has every event of the block.
 *   "phase":"commentary" or "final_answer": the message that the text is, as the provider names it. A provider may name it
 *   after the text: then an event with an empty text has the phase of the whole block. Each message of an answer is a block;
 *   "apart":true in SLUICE_GET_MESSAGE: an empty line separates it from the text before it. If a later message of the same
 *   answer has the same text, the earlier block is "retracted":true, and a "retracted" event names it.
 *
 * STRINGS
 *   In: pointer and length, UTF-8, copied before the call returns. Out: NUL-terminated UTF-8 JSON, borrowed: valid until
 *   the next call of the same function on the same handle (sluice_turn_get: with the same `what`), or until the handle is
 *   freed. NULL means "none" and nothing else. `len` may be NULL. In plain text, U+FFFD replaces what is not UTF-8; a
 *   document that is not UTF-8, or nested deeper than limits.depth, is SLUICE_E_JSON. The metadata of messages may be
 *   nine levels deeper: a history has arguments in it.
 *
 * ERRORS
 *   A mistake of the host is a negative return code; SLUICE_GET_ERROR describes it:
 *     {"code":-4,"name":"json","message":"...","path":"tools[3].parameters"}
 *   A fault of the model, the provider, the network or a tool is an event:
 *     {"type":"error","block":1,"code":"http","detail":"HTTP 503: overloaded","hint":"...","retryable":true,"fatal":false,
 *      "status":503,"retryAfterMs":2000,"requestId":"req_1"}
 *   hint is there if Sluice has advice; words are what the provider itself said, if it said anything; status, retryAfterMs and
 *   requestId are there if the response had them (sluice_turn_response); retryable means that SLUICE_END_RETRY is allowed and
 *   may help. A bug of Sluice, or lack of memory, poisons the turn: it emits one last "error" with "fatal":true, then "done",
 *   and every later call returns the same code.
 *   An engine or a turn made from a bad document exists, and every call on it returns that error. Every function accepts NULL
 *   handles: it returns SLUICE_E_ARGUMENT or NULL, or does nothing.
 *
 * THREADS
 *   An engine is immutable and may be shared between threads. A turn may be used by one thread at a time, by any thread.
 *
 * COMPATIBILITY
 *   JSON documents and events may gain members and event types: ignore what you do not know. Numbers are never reused. A
 *   function never changes within a major version. Handles may be freed in any order: a turn keeps what it needs of its
 *   engine alive.
 */
#ifndef SLUICE_SLUICE_H_
#define SLUICE_SLUICE_H_

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#  define SLUICE_CALL __cdecl
#  if defined(SLUICE_BUILD)
#    define SLUICE_API __declspec(dllexport)
#  elif defined(SLUICE_STATIC)
#    define SLUICE_API
#  else
#    define SLUICE_API __declspec(dllimport)
#  endif
#else
#  define SLUICE_CALL
#  if defined(__GNUC__)
#    define SLUICE_API __attribute__((visibility("default")))
#  else
#    define SLUICE_API
#  endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header, and the number that sluice_version() gives for a library of the same version. */
#define SLUICE_VERSION_MAJOR 0
#define SLUICE_VERSION_MINOR 1
#define SLUICE_VERSION_PATCH 0
#define SLUICE_VERSION (SLUICE_VERSION_MAJOR * 65536 + SLUICE_VERSION_MINOR * 256 + SLUICE_VERSION_PATCH)

typedef struct sluice_engine sluice_engine; /* tools and defaults: compiled once, immutable */
typedef struct sluice_turn sluice_turn;     /* one user input -> one assistant message */

/* Return codes. After the event "done" sluice_turn_response, feed, finish, submit, cancel and tick return SLUICE_OK (tick:
 * INT64_MAX) and do nothing, since a host cannot win these races; approve, deny, refuse, resolve, call and conclude return
 * SLUICE_E_STATE; judge and get work. A number that no call has is SLUICE_E_NOT_FOUND in all of them, before and after "done". */
enum {
  SLUICE_OK = 0,
  SLUICE_E_ARGUMENT = -1,    /* a NULL handle, or a value that the function does not accept */
  SLUICE_E_STATE = -2,       /* not possible in this state; nothing changed */
  SLUICE_E_NOT_FOUND = -3,   /* no such call */
  SLUICE_E_JSON = -4,        /* a document that is unreadable or invalid */
  SLUICE_E_LIMIT = -5,       /* larger than a limit of the configuration */
  SLUICE_E_UNSUPPORTED = -6, /* this version lacks it; the message names it */
  SLUICE_E_MEMORY = -100,
  SLUICE_E_INTERNAL = -101
};

/* How an answer ended: sluice_turn_finish. */
enum {
  SLUICE_END_COMPLETE = 0, /* the body was read to its end */
  SLUICE_END_NETWORK = 1,  /* the connection broke or was never made; detail: why. After "round" it means complete */
  SLUICE_END_ABORTED = 2,  /* the host stopped reading, as after "abortRequest" */
  SLUICE_END_RETRY = 3,    /* forget this answer and ask again; allowed while nothing of it was shown or run. The usage of
                            * the message still counts its tokens */
  SLUICE_END_HOOK = 4,     /* the host itself failed (one of its hooks threw); detail: why. Asking again cannot help */
  SLUICE_END_FALLBACK = 5  /* forget this answer, and ask again with tools, calls and results as text; detail: why. Allowed
                            * in mode auto, while nothing of the answer was shown or run */
};

/* What the user decided: sluice_turn_approve. */
enum {
  SLUICE_ONCE = 0,    /* let this call run */
  SLUICE_TURN = 1,    /* and further calls like it in this turn */
  SLUICE_SESSION = 2, /* and in later turns of this session: a "rule" event asks the host to keep it */
  SLUICE_ALWAYS = 3,  /* and for ever: also a "rule" event */
  SLUICE_RELEASE = 4, /* give the result of this call to the model */
  SLUICE_EXACT = 256  /* + 1..3: "like it" means the same tool with exactly these arguments, not any call of the tool */
};

/* How policy and rules judge a call: sluice_turn_judge. */
enum {
  SLUICE_GATE_RUN = 0,  /* it may run */
  SLUICE_GATE_ASK = 1,  /* the user must be asked */
  SLUICE_GATE_DENY = 2  /* it must not run */
};

/* What a tool delivers: sluice_turn_submit. */
enum {
  SLUICE_RESULT = 0,       /* the result: text */
  SLUICE_RESULT_JSON = 1,  /* the result: one JSON value */
  SLUICE_RESULT_PARTS = 2, /* the result: [{"type":"text","text":...},{"type":"image","mediaType":...,"data":...}] */
  SLUICE_FAILURE = 3,      /* the tool failed: text */
  SLUICE_PROGRESS = 4,     /* still running: text */
  SLUICE_REWRITTEN = 5     /* {"output":...,"hostOutput":...}: what the tool gave, and what the model reads in its place; each is
                            * one of {"text":...}, {"json":...}, {"parts":[...]}, {"failure":...} */
};

/* What becomes of a final answer: sluice_turn_conclude. */
enum {
  SLUICE_FINAL_ACCEPT = 0, /* the turn ends with it */
  SLUICE_FINAL_RETRY = 1,  /* the model reads why not, and answers again */
  SLUICE_FINAL_REPLACE = 2, /* the turn ends with another text in its place */
  SLUICE_FINAL_SYSTEM = 256 /* + SLUICE_FINAL_RETRY: the model reads it as a system message, not as one of the user. A wire that
                             * keeps instructions outside of the conversation sends it as the user's */
};

/* What the next event is: sluice_turn_next_delta. */
enum {
  SLUICE_DELTA_NONE = 0,      /* with NULL: no event waits */
  SLUICE_DELTA_TEXT = 1,      /* as "text"; index: the block */
  SLUICE_DELTA_REASONING = 2, /* as "reasoning"; index: the block */
  SLUICE_DELTA_ARGS = 3,      /* as "args": a piece of the arguments as the model writes them; index: the call */
  SLUICE_DELTA_PROGRESS = 4,  /* as "progress": replaces what the call reported before; index: the call */
  SLUICE_DELTA_EVENT = 5,     /* with NULL: an event that only sluice_turn_next_event tells */
  SLUICE_DELTA_TASK = 6       /* with NULL: such an event by which the host acts: "request", "approval", "resolve", "execute",
                               * "ipc" or "final". Until you poll it, Sluice may withdraw the event */
};

/* Documents that can be read at any time: sluice_turn_get. */
enum {
  SLUICE_GET_REQUEST = 1, /* the body of the request to send; NULL while there is none to send */
  SLUICE_GET_MESSAGE = 2, /* the assistant message so far, block by block; of a parser also "held", until it is finished */
  SLUICE_GET_HISTORY = 3, /* the messages this turn adds to the conversation */
  SLUICE_GET_TOOLS = 4,   /* what this configuration exposes to the model, why the rest is hidden, and every setting with its default */
  SLUICE_GET_PROMPT = 5,  /* the rendered {{tools}}: a JSON string */
  SLUICE_GET_STATE = 6,   /* the state that sluice_turn_restore reads */
  SLUICE_GET_ERROR = 7    /* the last error of this handle; NULL when there was none */
};

/* major << 16 | minor << 8 | patch of the library. */
SLUICE_API uint32_t SLUICE_CALL sluice_version(void);

/* -- engine --------------------------------------------------------------------------------------------------------- */

/* Makes an engine from its configuration: {"tools":[...], "protocols":[...], and defaults for every turn}. Returns NULL only
 * if memory is short; sluice_engine_error tells whether the configuration was accepted. */
SLUICE_API sluice_engine *SLUICE_CALL sluice_engine_new(const char *config, size_t len);

/* Why the engine is unusable, as {code,name,message,path}; NULL when it is usable. */
SLUICE_API const char *SLUICE_CALL sluice_engine_error(const sluice_engine *engine, size_t *len);

SLUICE_API void SLUICE_CALL sluice_engine_free(sluice_engine *engine);

/* -- turn ----------------------------------------------------------------------------------------------------------- */

/* Makes a turn from its configuration: {"wire":"openai-chat", "request":{...}, and members that replace the engine's
 * defaults}. "wire": openai-chat, openai-responses, anthropic, gemini, gemini-interactions, ollama or text. "messages" of the request have OpenAI's
 * shape on every wire, its other members are the provider's own. In the history, "metadata" of an assistant message keeps what
 * the provider said in its own shape ("native"), and the same model gets it back as it came; any other gets text and calls.
 * A card with "source":"provider" is a tool that the provider runs: it is shown, never asked about and never executed here.
 * Returns NULL only if memory is short. */
SLUICE_API sluice_turn *SLUICE_CALL sluice_turn_new(sluice_engine *engine, const char *config, size_t len);

/* Makes a turn from a state of SLUICE_GET_STATE. Accept states only from sources from which you would accept code. Calls that
 * have not started are judged again, by the stricter of the old and the new policy; open questions come again as events. */
SLUICE_API sluice_turn *SLUICE_CALL sluice_turn_restore(sluice_engine *engine, const char *state, size_t len);

SLUICE_API void SLUICE_CALL sluice_turn_free(sluice_turn *turn);

/* -- what came from the network ------------------------------------------------------------------------------------- */

/* Gives status and headers of the response. Optional: without it the status is 200. Only 200 to 299 is an
 * answer, any other status the error "http". After a refused call, sluice_turn_feed returns SLUICE_E_STATE until one is
 * accepted. headers_json: {"lower-case name":"value"}
 * or NULL. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_response(sluice_turn *turn, int32_t http_status, const char *headers_json,
                                                    size_t len);

/* Gives bytes of the response's body, of any size, split anywhere. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_feed(sluice_turn *turn, const void *bytes, size_t len);

/* Ends the answer. how: SLUICE_END_*; detail: text such as the network's error, or NULL. After an HTTP error, with
 * SLUICE_END_COMPLETE, the detail is appended to the error's text: for example the address without its secrets. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_finish(sluice_turn *turn, int32_t how, const char *detail, size_t len);

/* -- what came from the user ---------------------------------------------------------------------------------------- */

/* Lets a waiting call run, or releases its result. decision: SLUICE_ONCE ... SLUICE_RELEASE, + SLUICE_EXACT. edited_json:
 * arguments that replace the model's, or NULL. call 0: every call that waits for execution and whose event was polled. If
 * the "approval" event was not polled yet, nobody can have decided: SLUICE_E_STATE. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_approve(sluice_turn *turn, uint32_t call, int32_t decision,
                                                   const char *edited_json, size_t len);

/* Denies what a call waits for: its execution, or the release of its result. reason: text for the model, or NULL. The
 * "approval" event must have been polled, as for sluice_turn_approve. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_deny(sluice_turn *turn, uint32_t call, const char *reason, size_t len);

/* Denies like sluice_turn_deny, but on behalf of the host: nobody could be asked, or the host's own policy forbids the call.
 * The record says "policy", and so does the text for the model. reason: text for the model, or NULL. A host that has not
 * started the tool yet may also refuse a call whose "execute" event it polled. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_refuse(sluice_turn *turn, uint32_t call, const char *reason, size_t len);

/* Judges a call by these rules, an array as in the configuration, and by what was approved for the rest of this turn. Returns
 * SLUICE_GATE_* and changes nothing. A host whose rules change while a turn runs calls it between the "execute" event and
 * the start of the tool, and fails the call unless the result is SLUICE_GATE_RUN. A decision of the user about this very
 * call stands; but no rule that denies a call lets arguments in that the user edited. Rules look at the resolved arguments, if
 * the host resolved them; rules that deny or ask about these apply whatever the user decided. If the tool does not exist:
 * SLUICE_E_STATE. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_judge(sluice_turn *turn, uint32_t call, const char *rules_json, size_t len);

/* Decides about the answer of a "final" event, which comes if the configuration says "checkFinal": true and the turn would end
 * with that answer. how: SLUICE_FINAL_*. text: for SLUICE_FINAL_RETRY what the model reads, as a message of the user unless
 * SLUICE_FINAL_SYSTEM is added, before it answers again; for SLUICE_FINAL_REPLACE the text for people and the history; else
 * NULL. A "retracted" event names the blocks whose text is no longer part of the answer, and SLUICE_GET_MESSAGE marks them. If
 * no "final" event was polled: SLUICE_E_STATE. If the event said "noRetry":true, maxRounds or maxRequests allows no further
 * answer, and SLUICE_FINAL_RETRY returns SLUICE_E_LIMIT. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_conclude(sluice_turn *turn, int32_t how, const char *text, size_t len);

/* Cancels a call, or the turn if call is 0. Cancelling twice is allowed. reason: text, or NULL. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_cancel(sluice_turn *turn, uint32_t call, const char *reason, size_t len);

/* -- what came from a tool ------------------------------------------------------------------------------------------ */

/* Gives the result, failure or progress of a call whose "execute" event was polled (else SLUICE_E_STATE). kind: SLUICE_RESULT
 * ... SLUICE_REWRITTEN. With SLUICE_REWRITTEN the card shows both results; the call succeeds or fails by "hostOutput", which is
 * also what a question about the result shows. A result after timeout or cancel is dropped with a diagnostic. With "loop":"user_mediated" an adopted
 * call that waits for approval accepts a result too: the host ran it when the user pressed its button, and the record says
 * that the user approved it. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_submit(sluice_turn *turn, uint32_t call, int32_t kind, const char *data,
                                                  size_t len);

/* Tells the arguments that the host runs a call with, if it resolves references that the model wrote; NULL: as they are. They
 * must fit the tool's schema (else SLUICE_E_JSON, with the path).
 *
 * Before the question: with "checkArguments": true a "resolve" event asks for each complete call of a tool that the model may
 * call, and the call waits for this function, or for sluice_turn_refuse. From then on these arguments are the call: rules, limits,
 * the digest and the question are about them. The question shows what the model wrote as "written". A restored turn asks
 * again about each call that has not started.
 *
 * When the tool starts: between the "execute" event and sluice_turn_submit, for values that must be fresh. No rule may refuse
 * them (else SLUICE_E_STATE). SLUICE_E_STATE also if a rule asks about them, unless they equal the approved ones. After a person or a
 * rule for exactly these arguments approved the call, only strings may change, else SLUICE_E_STATE. The card shows them as
 * "hostArguments"; the model does not read them. A host that will not run the call with them refuses it: sluice_turn_refuse. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_resolve(sluice_turn *turn, uint32_t call, const char *arguments_json, size_t len);

/* A tool that runs calls another one. caller: its call, whose "execute" event was polled. call_json:
 * {"name":"fs.read","arguments":{...}}. Returns the number of the new call, above 0, or SLUICE_E_NOT_FOUND (no such caller),
 * SLUICE_E_STATE (it does not run, or nobody waits for its result), SLUICE_E_JSON, or SLUICE_E_LIMIT: limits.nested,
 * limits.callsPerRound or limits.argumentBytes.
 *
 * The new call passes the same gate as calls of the model. Events say how it goes on, its card how it ends. Its tool is one
 * that the model may call, or one that the caller's tool names in "calls", and is not switched off. Its
 * "card", "approval", "resolve" and "execute" events have "parent":{"call":1,"name":"script.run"}; its card has no block, but
 * is in "nested" of its caller's. The model never reads of it. It counts for maxCalls, not for maxRounds and repeatLimit, and
 * runs in its caller's place. The caller's timeout does not run while a person decides about a nested call. When the caller
 * ends, what it asked for is cancelled ("caller_ended"). A caller that runs again after a restore ("idempotent") asks again:
 * for a call with the same name and arguments as before it gets the number of that one, and its card event again. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_call(sluice_turn *turn, uint32_t caller, const char *call_json, size_t len);

/* -- what came from the clock --------------------------------------------------------------------------------------- */

/* Tells the time, in Unix milliseconds. Returns when to call again at the latest, INT64_MAX for never, or an error < 0. If a
 * call is late, and more than a minute after the one before, the machine slept: the deadlines of running tools and streams
 * move by that gap. If a call is more than 100 ms late, the provider does not count as silent yet, because bytes may wait in
 * the socket: the function returns when to look again. */
SLUICE_API int64_t SLUICE_CALL sluice_turn_tick(sluice_turn *turn, int64_t now_ms);

/* -- what comes out ------------------------------------------------------------------------------------------------- */

/* Returns the next event as JSON {"type":...}, or NULL if there is none. `offset` of an `ipc` event counts bytes of the text of
 * its `block` in UTF-8: the call stands behind them. Without text of its answer in front, `block` is the call's own. */
SLUICE_API const char *SLUICE_CALL sluice_turn_next_event(sluice_turn *turn, size_t *len);

/* Returns the next event if it is a piece of text: its plain bytes, without JSON. kind and index tell what they belong to, len
 * how many there are: a NUL may be among them, and one stands behind them. Returns NULL if the next event is another one, or
 * if there is none; kind tells which, index and len are 0. Events keep their order in whatever way they are polled, and each
 * counts in `seq`. Text with a mark ("refusal", "fabricated", "phase") is told by sluice_turn_next_event only. kind, index and len may
 * be NULL. Valid until the next call of this function or of sluice_turn_next_event on the turn. */
SLUICE_API const char *SLUICE_CALL sluice_turn_next_delta(sluice_turn *turn, int32_t *kind, uint32_t *index, size_t *len);

/* Finds the tool that a model means by this name; the setting "names" says how near it must be. Returns {"tool":"weather.now"},
 * with "reason":"disabled" if the tool is hidden, or {"suggestions":["weather.now"]} with the nearest names if there is none. */
SLUICE_API const char *SLUICE_CALL sluice_turn_find_tool(sluice_turn *turn, const char *name, size_t name_len, size_t *len);

/* Returns a document about the turn. what: SLUICE_GET_*. `start` and `end` of a card, and `offset` of a diagnostic, count bytes
 * of the round's text in UTF-8; `utf16Start` and `utf16End` count the same in UTF-16, for hosts whose strings do. */
SLUICE_API const char *SLUICE_CALL sluice_turn_get(sluice_turn *turn, int32_t what, size_t *len);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_SLUICE_H_ */
