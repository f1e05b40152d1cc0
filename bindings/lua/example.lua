-- A turn with a call that a person approves, with a server that speaks OpenAI's protocol: its base URL, or SLUICE_BASE_URL. Lua has no network of
-- its own: curl speaks for it.
local sluice = require "sluice"

local base_url = arg[1] or os.getenv "SLUICE_BASE_URL" or "http://127.0.0.1:11434/v1"
local tools = [[{"tools":[{"name":"note.add","description":"Adds a note.","permission":"moderate","agentCallable":true,
  "parameters":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}]]
local config = [[{"wire":"openai-chat","request":{"model":"qwen3:8b","messages":[{"role":"user","content":"Remember the umbrella."}]}}]]

local turn = sluice.engine(tools):turn(config)
local answer, outcome

--- Sends the request; the body of the answer is still to be read.
local function send()
  local body = os.tmpname()
  local file = assert(io.open(body, "wb"))
  file:write(turn:get("request", true))
  file:close()
  local url = (base_url .. "/chat/completions"):gsub("'", "'\\''")
  answer = io.popen(("curl -sSNi -H 'content-type: application/json' --data-binary @%s '%s'"):format(body, url))
  local status = (answer:read() or ""):match "^HTTP/%S+ (%d+)"
  os.remove(body)
  if not status then os.exit(1) end -- curl has said why
  repeat until answer:read():match "^%s*$" -- the other headers
  turn:response(tonumber(status))
end

local happens = {
  request = send,
  text = function(event) io.write(event.text) io.flush() end,
  approval = function(event) turn:approve(event) end, -- show it to a person first
  execute = function(event) turn:submit(event, "noted: " .. event.arguments.text) end,
  error = function(event) io.stderr:write(event.detail, "\n") end,
  done = function(event) outcome = event.outcome end,
}
while true do
  for event in turn:events() do
    if happens[event.type] then happens[event.type](event) end
  end
  if outcome then break end
  local line = answer:read "*L"
  if line then turn:feed(line) else turn:finish() end
end
print(("\n%s, %d messages for the next request"):format(outcome, #turn:get "history"))
turn:close()
