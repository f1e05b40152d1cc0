-- The driver of the LuaJIT binding; README.md describes the lines.
local sluice = require "sluice"

local handles, saved = {}, nil

local function told(text)
  return ',"text":' .. (text and sluice.quote(text) or "null")
end

local function piece(it)
  return type(it) == "table" and ("[%d,%d,%s]"):format(it.kind, it.index, sluice.quote(it.text)) or sluice.quote(it)
end

local function list(name, iterator)
  local out = {}
  for it in iterator do out[#out + 1] = piece(it) end
  return (',"%s":[%s]'):format(name, table.concat(out, ","))
end

local on_handles = {
  engine = function(asked) handles[asked.engine] = sluice.engine(asked.document) end,
  turn = function(asked) handles[asked.turn] = handles[asked.engine]:turn(asked.document) end,
  restore = function(asked) handles[asked.turn] = handles[asked.engine]:restore(asked.document or saved) end,
  close = function(asked)
    local number = asked.turn or asked.engine
    handles[number]:close()
    handles[number] = nil
  end,
}

local on_turn = {
  response = function(turn, asked) turn:response(asked.status, asked.headers) end,
  feed = function(turn, asked) turn:feed((asked.bytes:gsub("%x%x", function(hex) return string.char(tonumber(hex, 16)) end))) end,
  finish = function(turn, asked) turn:finish(asked.how, asked.detail) end,
  approve = function(turn, asked) turn:approve(asked.call, asked.decision, asked.edited) end,
  deny = function(turn, asked) turn:deny(asked.call, asked.reason) end,
  refuse = function(turn, asked) turn:refuse(asked.call, asked.reason) end,
  cancel = function(turn, asked) turn:cancel(asked.call, asked.reason) end,
  conclude = function(turn, asked) turn:conclude(asked.how, asked.text) end,
  submit = function(turn, asked) turn:submit(asked.call, asked.data, asked.kind) end,
  resolve = function(turn, asked) turn:resolve(asked.call, asked.arguments) end,
  call = function(turn, asked) return ',"number":' .. turn:call(asked.call, asked.document) end,
  judge = function(turn, asked) return ',"way":' .. turn:judge(asked.call, asked.rules) end,
  tick = function(turn, asked)
    local next = turn:tick(asked.now)
    return ',"next":' .. (next and ("%d"):format(next) or "null")
  end,
  next = function(turn) return told(turn:next_event(true)) end,
  events = function(turn) return list("events", turn:events(true)) end,
  next_delta = function(turn)
    local delta = turn:next_delta()
    return ',"delta":' .. (delta and piece(delta) or "null")
  end,
  pieces = function(turn) return list("pieces", turn:pieces(true)) end,
  find_tool = function(turn, asked) return told(turn:find_tool(asked.name, true)) end,
  get = function(turn, asked)
    local text = turn:get(asked.what, true)
    if asked.what == "state" then saved = text or saved end
    return told(text)
  end,
}

local function answer(asked)
  if on_handles[asked["do"]] then return on_handles[asked["do"]](asked) end
  return on_turn[asked["do"]](handles[asked.turn], asked)
end

for line in io.lines() do
  local asked = sluice.decode(line)
  local went, members = pcall(answer, asked)
  if went then
    io.write('{"code":0', members or "", "}\n")
  elseif type(members) == "table" then
    io.write(('{"code":%d,"name":%s,"message":%s,"path":%s}\n'):format(members.code, sluice.quote(members.name), sluice.quote(members.message), sluice.quote(members.path)))
  else
    error(members, 0)
  end
end
