/* Sluice: one LLM turn as one unbroken message.
 *
 * WHAT IT IS
 *   Bytes of model output go in; text flows through at once; tool calls appear in place as cards, stop at the gate until
 *   policy or a person lets them pass, run in the host, and the answer goes on in the same message. Sluice does no I/O,
 *   starts no thread, reads no clock and calls nobody back: the same calls in the same order give the same events.
 *
 * THE HOST LOOP
 *     engine = sluice_engine_new(config)           tools and defaults; once
 *     turn = sluice_turn_new(engine, config)       one user input, one assistant message
 *     after every call that changes a turn, drain sluice_turn_next_event() until NULL, and do what the events say:
 *       "request"   send sluice_turn_get(turn, SLUICE_GET_REQUEST) to the provider as it stands; hand back what comes:
 *                   sluice_turn_response() once (optional), sluice_turn_feed() for every piece of the body, of any size,
 *                   sluice_turn_finish() exactly once
 *       "approval"  a person must decide: sluice_turn_approve() or sluice_turn_deny()
 *       "execute"   run the tool, then sluice_turn_submit() its result
 *       "round"     the answer is over: stop reading, and finish it with SLUICE_END_COMPLETE
 *       "done"      the last event of the turn
 *     Call sluice_turn_tick() with the current time before feed, submit and approve, and at the deadline it returned.
 *     A turn whose configuration has no "request" is a parser: one answer is open from the start, nothing runs, and
 *     finish brings "done".
 *
 * HOW AN ANSWER ENDS
 *   {"type":"round","round":1,"finishReason":"stop"} comes once per answer, behind its last text: at [DONE], behind an error
 *   of the provider, after a finish reason and one second of silence (sluice_turn_tick returns that deadline), else at finish.
 *   finishReason is stop, length, tool_calls, content_filter, pause or unknown; absent where the provider gave none. "done" and
 *   SLUICE_GET_MESSAGE have it too, the message for every answer: "rounds":1, "finishReason":"stop",
 *     "answers":[{"finishReason":"stop","usage":{"inputTokens":9,"outputTokens":2},"model":"m","startedAt":1,"endedAt":2}]
 *   "usage" (an event too) counts inputTokens, outputTokens, cachedTokens (of the input: read from the provider's cache) and
 *   reasoningTokens (of the output); a count that the provider does not give is absent.
 *   An HTTP error ends one second behind whole JSON, after idleTimeoutMs, or at finish: what comes until then are its words.
 *   After "round" only usage and opaque members are heard, a connection that breaks harms nothing, and a host that reads on
 *   is told "abortRequest" with reason "ended" after idleTimeoutMs. An answer without finish reason, [DONE] or a whole JSON
 *   body broke off: its calls are not run (stream_broken), its text stays, the turn fails with "unfinished", or with
 *   "empty_answer" where nothing was shown.
 *
 * TEXT THAT IS NOT SIMPLY THE ANSWER
 *   {"type":"text","block":0,"text":"I cannot help with that.","refusal":true}: the provider says that the model declines.
 *   "fabricated":true: the model made up the result of a call, in its own marks for results; nobody ran anything, and a page may
 *   fold it. The block in SLUICE_GET_MESSAGE has the same member; it is the same in every event of a block.
 *
 * STRINGS
 *   In: pointer and length, UTF-8, copied before the call returns. Out: NUL-terminated UTF-8 JSON, borrowed: valid until
 *   the next call of the same function on the same handle (sluice_turn_get: with the same `what`), or until the handle is
 *   freed. NULL means "none" and nothing else. `len` may be NULL. Plain text that is not UTF-8 is repaired with U+FFFD; a
 *   document that is not UTF-8, or nested deeper than limits.depth, is SLUICE_E_JSON.
 *
 * ERRORS
 *   What the host did wrong is a negative return code, told in detail by SLUICE_GET_ERROR:
 *     {"code":-4,"name":"json","message":"...","path":"tools[3].parameters"}
 *   What the model, the provider, the network or a tool did wrong is an event:
 *     {"type":"error","block":1,"code":"http","detail":"HTTP 503: overloaded","hint":"...","retryable":true,"fatal":false,
 *      "status":503,"retryAfterMs":2000,"requestId":"req_1"}
 *   hint where there is advice; status, retryAfterMs and requestId where the response told them (sluice_turn_response);
 *   retryable: SLUICE_END_RETRY is allowed, and may help. Our own bug, or no memory, poisons the turn:
 *   it emits one last "error" with "fatal":true, then "done", and answers the same code from then on. An engine or a turn
 *   made from a bad document exists; every call on it answers that error. Every function takes NULL handles: they give
 *   SLUICE_E_ARGUMENT, NULL, or nothing.
 *
 * THREADS
 *   An engine is immutable and may be shared freely. A turn belongs to one thread at a time, any thread.
 *
 * COMPATIBILITY
 *   JSON documents and events may gain members and event types: ignore what you do not know. Numbers are never reused. A
 *   function never changes within a major version. Handles may be freed in any order; a turn keeps what it needs of its
 *   engine.
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

typedef struct sluice_engine sluice_engine; /* tools and defaults: compiled once, immutable */
typedef struct sluice_turn sluice_turn;     /* one user input -> one assistant message */

/* Return codes. */
enum {
  SLUICE_OK = 0,
  SLUICE_E_ARGUMENT = -1,    /* a NULL handle, or a value outside of what the function takes */
  SLUICE_E_STATE = -2,       /* not now: nothing changed */
  SLUICE_E_NOT_FOUND = -3,   /* no such call */
  SLUICE_E_JSON = -4,        /* a document that cannot be read, or says what cannot be */
  SLUICE_E_LIMIT = -5,       /* larger than a limit of the configuration */
  SLUICE_E_UNSUPPORTED = -6, /* not in this version; the message says what */
  SLUICE_E_MEMORY = -100,
  SLUICE_E_INTERNAL = -101
};

/* How an answer ended: sluice_turn_finish. */
enum {
  SLUICE_END_COMPLETE = 0, /* the body was read to its end */
  SLUICE_END_NETWORK = 1,  /* the connection broke, or never came about; detail: why. Behind "round": complete */
  SLUICE_END_ABORTED = 2,  /* the host stopped reading, as after "abortRequest" */
  SLUICE_END_RETRY = 3,    /* forget this answer and ask again; allowed while nothing of it was shown or run. Its tokens
                            * still count in the usage of the message */
  SLUICE_END_HOOK = 4      /* the host itself failed (a hook of its threw); detail: why. Asking again is of no use */
};

/* What a person decided: sluice_turn_approve. */
enum {
  SLUICE_ONCE = 0,    /* let this call run */
  SLUICE_TURN = 1,    /* and others like it in this turn */
  SLUICE_SESSION = 2, /* and in later turns of this session: comes out as a "rule" event for the host to keep */
  SLUICE_ALWAYS = 3,  /* and for ever: a "rule" event */
  SLUICE_RELEASE = 4, /* let the result of this call out */
  SLUICE_EXACT = 256  /* + 1..3: "like it" means the same tool with exactly these arguments, not any call of the tool */
};

/* What the gate says of a call: sluice_turn_judge. */
enum {
  SLUICE_GATE_RUN = 0,  /* it may run */
  SLUICE_GATE_ASK = 1,  /* somebody is to be asked */
  SLUICE_GATE_DENY = 2  /* it is refused */
};

/* What a tool delivers: sluice_turn_submit. */
enum {
  SLUICE_RESULT = 0,       /* the result: text */
  SLUICE_RESULT_JSON = 1,  /* the result: one JSON value */
  SLUICE_RESULT_PARTS = 2, /* the result: [{"type":"text","text":...},{"type":"image","mediaType":...,"data":...}] */
  SLUICE_FAILURE = 3,      /* the tool failed: text */
  SLUICE_PROGRESS = 4      /* still running: text */
};

/* What can be read at any time: sluice_turn_get. */
enum {
  SLUICE_GET_REQUEST = 1, /* the body of the request to send; NULL while none is wanted */
  SLUICE_GET_MESSAGE = 2, /* the assistant message so far, block by block */
  SLUICE_GET_HISTORY = 3, /* the messages this turn adds to the conversation */
  SLUICE_GET_TOOLS = 4,   /* what this configuration exposes to the model, why the rest is hidden, and every setting with its default */
  SLUICE_GET_PROMPT = 5,  /* the rendered {{tools}}: a JSON string */
  SLUICE_GET_STATE = 6,   /* everything that sluice_turn_restore needs */
  SLUICE_GET_ERROR = 7    /* the last error of this handle; NULL when there was none */
};

/* major << 16 | minor << 8 | patch of the library. */
SLUICE_API uint32_t SLUICE_CALL sluice_version(void);

/* -- engine --------------------------------------------------------------------------------------------------------- */

/* An engine from its configuration: {"tools":[...], "protocols":[...], and defaults for every turn}. NULL only without
 * memory: ask sluice_engine_error. */
SLUICE_API sluice_engine *SLUICE_CALL sluice_engine_new(const char *config, size_t len);

/* Why the engine is unusable, as {code,name,message,path}; NULL when it is usable. */
SLUICE_API const char *SLUICE_CALL sluice_engine_error(const sluice_engine *engine, size_t *len);

SLUICE_API void SLUICE_CALL sluice_engine_free(sluice_engine *engine);

/* -- turn ----------------------------------------------------------------------------------------------------------- */

/* A turn from its configuration: {"wire":"openai-chat", "request":{...}, and members that replace the engine's defaults}.
 * NULL only without memory. */
SLUICE_API sluice_turn *SLUICE_CALL sluice_turn_new(sluice_engine *engine, const char *config, size_t len);

/* A turn from what SLUICE_GET_STATE gave. Take states only from where you would take code. Calls that have not started pass
 * the gate of this engine again, by the stricter policy of then and now; questions come out again as events. */
SLUICE_API sluice_turn *SLUICE_CALL sluice_turn_restore(sluice_engine *engine, const char *state, size_t len);

SLUICE_API void SLUICE_CALL sluice_turn_free(sluice_turn *turn);

/* -- what came from the network ------------------------------------------------------------------------------------- */

/* Status and headers of the response: optional, 200 is assumed. headers_json: {"lower-case name":"value"} or NULL. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_response(sluice_turn *turn, int32_t http_status, const char *headers_json,
                                                    size_t len);

/* Bytes of the response's body: any size, any split. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_feed(sluice_turn *turn, const void *bytes, size_t len);

/* The answer is over. how: SLUICE_END_*; detail: what the network said (text), or NULL. With SLUICE_END_COMPLETE behind an
 * HTTP error, the detail is added to what that error says, such as the address without its secrets. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_finish(sluice_turn *turn, int32_t how, const char *detail, size_t len);

/* -- what came from the user ---------------------------------------------------------------------------------------- */

/* Lets a call that waits run, or its result out. decision: SLUICE_ONCE ... SLUICE_RELEASE, + SLUICE_EXACT. edited_json:
 * other arguments to run it with, or NULL. call 0: every execution approval whose event was polled. A call whose "approval"
 * event of this stage was not polled yet: SLUICE_E_STATE, nobody can have decided about it. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_approve(sluice_turn *turn, uint32_t call, int32_t decision,
                                                   const char *edited_json, size_t len);

/* Refuses what a call waits for, its execution or the release of its result. reason: text for the model, or NULL. Its
 * "approval" event must have been polled, as for sluice_turn_approve. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_deny(sluice_turn *turn, uint32_t call, const char *reason, size_t len);

/* Refuses like sluice_turn_deny where no person did: nobody could be asked, or the host's own policy says no. Recorded as by
 * "policy", and told to the model so. reason: text for the model, or NULL. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_refuse(sluice_turn *turn, uint32_t call, const char *reason, size_t len);

/* What the gate says of a call under these rules, an array as in the configuration, and what was approved for the rest of
 * this turn: SLUICE_GATE_*. Changes nothing. A host whose rules change while a turn runs asks between the "execute" event and
 * the start of the tool, and fails the call where the answer is not SLUICE_GATE_RUN. What a person decided about this very
 * call stands. A call of a tool that is not there: SLUICE_E_STATE. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_judge(sluice_turn *turn, uint32_t call, const char *rules_json, size_t len);

/* Cancels a call, or with call 0 the turn. Cancelling twice is fine. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_cancel(sluice_turn *turn, uint32_t call, const char *reason, size_t len);

/* -- what came from a tool ------------------------------------------------------------------------------------------ */

/* The result, failure or progress of a call whose "execute" event was polled (before: SLUICE_E_STATE). kind: SLUICE_RESULT
 * ... SLUICE_PROGRESS. A result that comes too late (timeout, cancel) is dropped with a diagnostic. With "loop":
 * "user_mediated" an adopted call that waits for approval takes a result as well: the host ran it when the user pressed its
 * button, which is recorded as the user's approval. */
SLUICE_API int32_t SLUICE_CALL sluice_turn_submit(sluice_turn *turn, uint32_t call, int32_t kind, const char *data,
                                                  size_t len);

/* -- what came from the clock --------------------------------------------------------------------------------------- */

/* Tells the time, in Unix milliseconds. Returns when to call again at the latest, INT64_MAX for never, or < 0: an error. A call
 * that comes after a gap of over a minute and later than it should have is a machine that slept: the deadlines of running
 * tools and streams move by that gap. One that comes over 100 ms late finds no silence of the provider yet, for bytes may wait
 * to be read: it returns when to look again. */
SLUICE_API int64_t SLUICE_CALL sluice_turn_tick(sluice_turn *turn, int64_t now_ms);

/* -- what comes out ------------------------------------------------------------------------------------------------- */

/* Next event as JSON {"type":...}, or NULL when there is none. */
SLUICE_API const char *SLUICE_CALL sluice_turn_next_event(sluice_turn *turn, size_t *len);

/* A document about the turn. what: SLUICE_GET_*. `start` and `end` of a card, and `offset` of a diagnostic, count bytes of the
 * round's text in UTF-8. */
SLUICE_API const char *SLUICE_CALL sluice_turn_get(sluice_turn *turn, int32_t what, size_t *len);

#ifdef __cplusplus
}
#endif

#endif /* SLUICE_SLUICE_H_ */
