-- What the LuaJIT binding adds to the library: JSON, numbers that are checked, handles that are closed, errors.
local sluice = require "sluice"

local function raises(wanted, work, ...)
  local went, why = pcall(work, ...)
  assert(not went and tostring(why):find(wanted, 1, true), ("expected an error with %s, got %s"):format(wanted, tostring(why)))
  return why
end

-- JSON
local read = sluice.decode ' { "a\\u00e9" : [ 1 , -2.5e3 , true , false , null , "\\ud83d\\ude00\\n\\/" , { } , [ ] ] , "b" : { "c" : "\\ud83dx" } } '
local list = read["a\195\169"]
assert(list[1] == 1 and list[2] == -2500 and list[3] == true and list[4] == false and list[5] == sluice.null)
assert(list[6] == "\240\159\152\128\n/" and #list == 8 and read.b.c == "\239\191\189x")
for _, text in ipairs { "", "{", "[1", "[1,]", '{"a"}', '{"a":1,}', "tru", '"a', '"\\', '"\\u12', "1 2", "nil", "+1" } do raises("JSON: found", sluice.decode, text) end
local all = {}
for byte = 0, 127 do all[#all + 1] = string.char(byte) end
all = table.concat(all)
assert(sluice.decode(sluice.quote(all)) == all)
local deep = ("["):rep(2000) .. ("]"):rep(2000)
assert(type(sluice.decode(deep)) == "table")

-- errors
local engine = sluice.engine '{"tools":[{"name":"note","agentCallable":true}]}'
assert(raises("did you mean hermes?", sluice.engine, '{"protocol":"hermez"}').code == sluice.E_JSON)
assert(raises("expected one of", engine.turn, engine, '{"wire":"x"}').path == "wire")
raises("json", engine.restore, engine, "{}")
local turn = engine:turn '{"wire":"text","protocol":"hermes"}'
assert(raises("no call", turn.deny, turn, 7).code == sluice.E_NOT_FOUND)
for _, call in ipairs { -1, 2 ^ 32, 0.5, "1", {} } do raises("expected the number of a call", turn.approve, turn, call) end
raises("no such document", turn.get, turn, "massage")

-- handles
engine:close()
engine:close()
raises("this engine was closed", engine.turn, engine, "{}")
turn:feed 'a\0b<tool_call>{"name": "note", "arguments": {}}</tool_call>'
turn:finish()
local delta = turn:next_delta()
assert(delta.kind == sluice.DELTA_TEXT and delta.index == 0 and delta.text == "a\0b")
assert(turn:next_event().name == "note")
turn:close()
raises("this turn was closed", turn.feed, turn, "x")
assert(select("#", sluice.version()) == 3)
collectgarbage()
