-- A turn with a call that a person approves, fed with two answers of a server that speaks OpenAI's protocol.
local sluice = require "sluice"

local tools = [[{"tools":[{"name":"note.add","description":"Adds a note.","permission":"moderate","agentCallable":true,
  "parameters":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}]]
local config = [[{"wire":"openai-chat","request":{"model":"qwen3:8b","messages":[{"role":"user","content":"Remember the umbrella."}]}}]]
local answers = {
  [[data: {"choices":[{"delta":{"content":"Noted: ","tool_calls":[{"index":0,"id":"c1","function":{"name":"note.add","arguments":"{\"text\":\"umbrella\"}"}}]},"finish_reason":"tool_calls"}]}]],
  [[data: {"choices":[{"delta":{"content":"you will not forget it."},"finish_reason":"stop"}]}]],
}

local turn = sluice.engine(tools):turn(config)
local happens = {
  request = function() -- send turn:get("request", true), and feed what comes
    turn:feed(table.remove(answers, 1) .. "\n\ndata: [DONE]\n\n")
    turn:finish()
  end,
  text = function(event) io.write(event.text) end,
  approval = function(event) turn:approve(event) end, -- show it to a person first
  execute = function(event) turn:submit(event, "noted: " .. event.arguments.text) end,
  done = function(event) print("\n" .. event.outcome) end,
}
for event in turn:events() do
  if happens[event.type] then happens[event.type](event) end
end
print(#turn:get "history" .. " messages for the next request")
turn:close()
