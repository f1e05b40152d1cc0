--- Sluice for LuaJIT: sluice.h by FFI.
--
--     local sluice = require "sluice"
--     local engine = sluice.engine '{"tools":[...]}'
--     local turn = engine:turn '{"wire":"openai-chat","request":{...}}'
--     for event in turn:events() do ... end
--
-- After every call that changes a turn, drain it. Documents go in as JSON text; events come out as tables, or as text with `raw`. A mistake of the
-- host raises an error: a table { code, name, message, path } that tostring() can print. A call is its number, or an event of it.

local ffi = require "ffi"
local json = require "sluice_json"

ffi.cdef [[
typedef struct sluice_engine sluice_engine;
typedef struct sluice_turn sluice_turn;
uint32_t sluice_version(void);
sluice_engine *sluice_engine_new(const char *config, size_t len);
const char *sluice_engine_error(const sluice_engine *engine, size_t *len);
void sluice_engine_free(sluice_engine *engine);
sluice_turn *sluice_turn_new(sluice_engine *engine, const char *config, size_t len);
sluice_turn *sluice_turn_restore(sluice_engine *engine, const char *state, size_t len);
void sluice_turn_free(sluice_turn *turn);
int32_t sluice_turn_response(sluice_turn *turn, int32_t http_status, const char *headers_json, size_t len);
int32_t sluice_turn_feed(sluice_turn *turn, const void *bytes, size_t len);
int32_t sluice_turn_finish(sluice_turn *turn, int32_t how, const char *detail, size_t len);
int32_t sluice_turn_approve(sluice_turn *turn, uint32_t call, int32_t decision, const char *edited_json, size_t len);
int32_t sluice_turn_deny(sluice_turn *turn, uint32_t call, const char *reason, size_t len);
int32_t sluice_turn_refuse(sluice_turn *turn, uint32_t call, const char *reason, size_t len);
int32_t sluice_turn_judge(sluice_turn *turn, uint32_t call, const char *rules_json, size_t len);
int32_t sluice_turn_conclude(sluice_turn *turn, int32_t how, const char *text, size_t len);
int32_t sluice_turn_cancel(sluice_turn *turn, uint32_t call, const char *reason, size_t len);
int32_t sluice_turn_submit(sluice_turn *turn, uint32_t call, int32_t kind, const char *data, size_t len);
int32_t sluice_turn_resolve(sluice_turn *turn, uint32_t call, const char *arguments_json, size_t len);
int32_t sluice_turn_call(sluice_turn *turn, uint32_t caller, const char *call_json, size_t len);
int64_t sluice_turn_tick(sluice_turn *turn, int64_t now_ms);
const char *sluice_turn_next_event(sluice_turn *turn, size_t *len);
const char *sluice_turn_next_delta(sluice_turn *turn, int32_t *kind, uint32_t *index, size_t *len);
const char *sluice_turn_find_tool(sluice_turn *turn, const char *name, size_t name_len, size_t *len);
const char *sluice_turn_get(sluice_turn *turn, int32_t what, size_t *len);
]]

--- $SLUICE_LIBRARY, else the release build of the checkout that this file is in, else what the system finds.
local function library()
  local here = debug.getinfo(1, "S").source:match "^@(.*[/\\])" or "./"
  local built = here .. "../../build/release/libsluice.so"
  local file = io.open(built, "rb")
  if file then file:close() end
  local named = os.getenv "SLUICE_LIBRARY" or ""
  return ffi.load(named ~= "" and named or file and built or "sluice")
end

local C = library()
local NEVER = 0x7fffffffffffffffLL
local size, kind, index = ffi.new "size_t[1]", ffi.new "int32_t[1]", ffi.new "uint32_t[1]"

local sluice = {
  --- How an answer ended: turn:finish.
  COMPLETE = 0, NETWORK = 1, ABORTED = 2, RETRY = 3, HOOK = 4, FALLBACK = 5,
  --- What the user decided: turn:approve. EXACT is added to TURN, SESSION or ALWAYS.
  ONCE = 0, TURN = 1, SESSION = 2, ALWAYS = 3, RELEASE = 4, EXACT = 256,
  --- How policy and rules judge a call: turn:judge.
  GATE_RUN = 0, GATE_ASK = 1, GATE_DENY = 2,
  --- What a tool delivers: turn:submit.
  RESULT = 0, RESULT_JSON = 1, RESULT_PARTS = 2, FAILURE = 3, PROGRESS = 4, REWRITTEN = 5,
  --- What becomes of a final answer: turn:conclude. FINAL_SYSTEM is added to FINAL_RETRY.
  FINAL_ACCEPT = 0, FINAL_RETRY = 1, FINAL_REPLACE = 2, FINAL_SYSTEM = 256,
  --- What a delta is a piece of: turn:next_delta.
  DELTA_TEXT = 1, DELTA_REASONING = 2, DELTA_ARGS = 3, DELTA_PROGRESS = 4,
  --- Codes of errors.
  E_ARGUMENT = -1, E_STATE = -2, E_NOT_FOUND = -3, E_JSON = -4, E_LIMIT = -5, E_UNSUPPORTED = -6, E_MEMORY = -100, E_INTERNAL = -101,
  --- Reads JSON text into tables and strings; null is sluice.null. quote() writes a string.
  decode = json.decode, quote = json.quote, null = json.null,
}

local documents = { request = 1, message = 2, history = 3, tools = 4, prompt = 5, state = 6, error = 7 }

local Error = {}
Error.__index = Error
function Error:__tostring()
  return ("%s: %s%s"):format(self.name, self.message, self.path ~= "" and " (" .. self.path .. ")" or "")
end

--- Raises the error that a document of the library tells.
local function raise(document)
  local found = document and json.decode(document) or { code = sluice.E_MEMORY, name = "memory", message = "memory is short" }
  error(setmetatable({ code = found.code, name = found.name, message = found.message, path = found.path or "" }, Error), 0)
end

--- Copies what the library lends until the next call. NULL is nil.
local function owned(text)
  return text ~= nil and ffi.string(text, size[0]) or nil
end

local function parsed(text, raw)
  if text == nil or raw then return text end
  return json.decode(text)
end

--- The native handle. Raises an error if it is closed.
local function open(handle)
  return handle.pointer or error("this " .. handle.what .. " was closed", 3)
end

--- The number of a call: from an event of the call, or the number itself. FFI would cut off high bits, so that 2^32 would mean call 0: every call.
local function number(call)
  local found = type(call) == "table" and call.call or call
  if type(found) ~= "number" or found < 0 or found >= 2 ^ 32 or found % 1 ~= 0 then
    error("call: found " .. tostring(found) .. ", expected the number of a call, or an event of it", 3)
  end
  return found
end

local Engine, Turn = { what = "engine" }, { what = "turn" }
Engine.__index, Turn.__index = Engine, Turn

--- Frees the native memory. May be called twice; what is no longer used is freed by the garbage collector. An engine may be closed before its turns.
local function close(handle, free)
  if handle.pointer then free(ffi.gc(handle.pointer, nil)) end
  handle.pointer = nil
end

--- The library's version: major, minor, patch.
function sluice.version()
  local number = C.sluice_version()
  return math.floor(number / 65536), math.floor(number / 256) % 256, number % 256
end

--- Makes an engine: tools and defaults, compiled once, immutable. `config` is JSON text; nil: no tools.
function sluice.engine(config)
  config = config or "{}"
  local pointer = C.sluice_engine_new(config, #config)
  if pointer == nil then raise() end
  local engine = setmetatable({ pointer = ffi.gc(pointer, C.sluice_engine_free) }, Engine)
  local why = owned(C.sluice_engine_error(pointer, size))
  if why then
    engine:close()
    raise(why)
  end
  return engine
end

function Engine:close()
  close(self, C.sluice_engine_free)
end

local function usable(pointer)
  if pointer == nil then raise() end
  local turn = setmetatable({ pointer = ffi.gc(pointer, C.sluice_turn_free) }, Turn)
  local why = turn:get("error", true)
  if why then
    turn:close()
    raise(why)
  end
  return turn
end

--- Makes a turn: one input of the user, one message of the assistant. `config`: {"wire":"openai-chat","request":{...}, …} as text.
function Engine:turn(config)
  return usable(C.sluice_turn_new(open(self), config, #config))
end

--- Makes a turn from a state of turn:get("state", true). Accept states only from sources from which you would accept code.
function Engine:restore(state)
  return usable(C.sluice_turn_restore(open(self), state, #state))
end

function Turn:close()
  close(self, C.sluice_turn_free)
end

local function done(turn, code)
  if code < 0 then raise(turn:get("error", true)) end
  return code
end

--- Gives the HTTP status, and the headers as {"lower-case name":"value"} or nil. Optional: without it the status is 200.
function Turn:response(status, headers)
  done(self, C.sluice_turn_response(open(self), status, headers, headers and #headers or 0))
end

--- Gives bytes of the response's body, of any size, split anywhere.
function Turn:feed(bytes)
  done(self, C.sluice_turn_feed(open(self), bytes, #bytes))
end

--- Ends the answer. how: COMPLETE if it is nil; detail: text such as the network's error, or nil.
function Turn:finish(how, detail)
  done(self, C.sluice_turn_finish(open(self), how or sluice.COMPLETE, detail, detail and #detail or 0))
end

--- Lets a waiting call run, or releases its result. decision: ONCE if it is nil; edited: arguments that replace the model's, or nil. Call 0 (or nil):
-- every call that waits for execution and whose event was polled.
function Turn:approve(call, decision, edited)
  done(self, C.sluice_turn_approve(open(self), number(call or 0), decision or sluice.ONCE, edited, edited and #edited or 0))
end

--- Denies what a call waits for. reason: text for the model, or nil.
function Turn:deny(call, reason)
  done(self, C.sluice_turn_deny(open(self), number(call), reason, reason and #reason or 0))
end

--- Denies on behalf of the host: nobody could be asked, or its own policy forbids the call.
function Turn:refuse(call, reason)
  done(self, C.sluice_turn_refuse(open(self), number(call), reason, reason and #reason or 0))
end

--- Judges a call by these rules, an array as in the configuration: GATE_RUN, GATE_ASK or GATE_DENY. Changes nothing.
function Turn:judge(call, rules)
  return done(self, C.sluice_turn_judge(open(self), number(call), rules, #rules))
end

--- Decides about the answer of a "final" event. text: what the model reads, or what stands in the answer's place; else nil.
function Turn:conclude(how, text)
  done(self, C.sluice_turn_conclude(open(self), how, text, text and #text or 0))
end

--- Cancels a call, or with 0 (or nil) the turn.
function Turn:cancel(call, reason)
  done(self, C.sluice_turn_cancel(open(self), number(call or 0), reason, reason and #reason or 0))
end

--- Gives the result, failure or progress of a call whose "execute" event was polled. kind: RESULT if it is nil.
function Turn:submit(call, data, how)
  done(self, C.sluice_turn_submit(open(self), number(call), how or sluice.RESULT, data, #data))
end

--- Tells the arguments that the host runs a call with, if it resolves references that the model wrote; nil: as they are.
function Turn:resolve(call, arguments)
  done(self, C.sluice_turn_resolve(open(self), number(call), arguments, arguments and #arguments or 0))
end

--- A tool that runs calls another one: call is {"name":...,"arguments":{...}} as text. Returns the number of the new call.
function Turn:call(caller, call)
  return done(self, C.sluice_turn_call(open(self), number(caller), call, #call))
end

--- Tells the time in Unix milliseconds: before feed, submit and approve. Returns when to call again at the latest; nil for never.
function Turn:tick(now)
  local next = C.sluice_turn_tick(open(self), now)
  if next < 0 then raise(self:get("error", true)) end
  if next ~= NEVER then return tonumber(next) end
end

--- The next event as a table, or nil; raw: as text.
function Turn:next_event(raw)
  return parsed(owned(C.sluice_turn_next_event(open(self), size)), raw)
end

--- Every waiting event, those that come meanwhile too.
function Turn:events(raw)
  return function() return self:next_event(raw) end
end

--- The next event if it is a piece of text, without JSON: { kind = sluice.DELTA_TEXT, index = 0, text = "…" }; index is the block of text and
-- reasoning, the call of arguments and progress. Else nil: ask next_event.
function Turn:next_delta()
  local text = owned(C.sluice_turn_next_delta(open(self), kind, index, size))
  return text and { kind = kind[0], index = index[0], text = text }
end

--- Every waiting event in order: text as next_delta gives it, which is faster, anything else as next_event does. Only the former has a `kind`.
function Turn:pieces(raw)
  return function() return self:next_delta() or self:next_event(raw) end
end

--- The tool that a model means by this name: { tool = "weather.now" }, or { near = { … } }.
function Turn:find_tool(name, raw)
  return parsed(owned(C.sluice_turn_find_tool(open(self), name, #name, size)), raw)
end

--- A document about the turn as a table, or as text with `raw`; nil if there is none. what: request message history tools prompt state error.
function Turn:get(what, raw)
  return parsed(owned(C.sluice_turn_get(open(self), documents[what] or error("no such document: " .. tostring(what), 2), size)), raw)
end

return sluice
