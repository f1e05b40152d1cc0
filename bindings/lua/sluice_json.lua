--- As much JSON as a host in Lua needs: documents of Sluice read into tables, strings written.

local json = { null = setmetatable({}, { __tostring = function() return "null" end }) }

local letters = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

local function utf8(point)
  if point < 0x80 then return string.char(point) end
  if point < 0x800 then return string.char(0xc0 + math.floor(point / 64), 0x80 + point % 64) end
  if point < 0x10000 then return string.char(0xe0 + math.floor(point / 4096), 0x80 + math.floor(point / 64) % 64, 0x80 + point % 64) end
  return string.char(0xf0 + math.floor(point / 262144), 0x80 + math.floor(point / 4096) % 64, 0x80 + math.floor(point / 64) % 64, 0x80 + point % 64)
end

local function wrong(text, at)
  error(("JSON: found %q at byte %d"):format(text:sub(at, at + 10), at), 0)
end

--- Reads the string whose opening quote is at `at`; returns it, and where it ends.
local function read_string(text, at)
  local stop = text:find('["\\]', at + 1) or wrong(text, at)
  if text:byte(stop) == 34 then return text:sub(at + 1, stop - 1), stop + 1 end
  local parts, from = {}, at + 1
  while text:byte(stop) ~= 34 do
    parts[#parts + 1] = text:sub(from, stop - 1)
    local letter = text:sub(stop + 1, stop + 1)
    from = stop + 2
    if letter == "u" then
      local point = tonumber(text:sub(from, from + 3), 16) or wrong(text, stop)
      from = from + 4
      local low = point >= 0xd800 and point < 0xdc00 and tonumber(text:match("^\\u([dD][c-fC-F]%x%x)", from) or "", 16)
      if low then
        point = 0x10000 + (point - 0xd800) * 1024 + low - 0xdc00
        from = from + 6
      elseif point >= 0xd800 and point < 0xe000 then
        point = 0xfffd
      end
      parts[#parts + 1] = utf8(point)
    else
      parts[#parts + 1] = letters[letter] or letter
    end
    stop = text:find('["\\]', from) or wrong(text, at)
  end
  parts[#parts + 1] = text:sub(from, stop - 1)
  return table.concat(parts), stop + 1
end

local words = { t = { "true", true }, f = { "false", false }, n = { "null", json.null } }
local read

local function read_members(text, at, into, closing, keyed)
  at = text:match("^%s*()", at + 1)
  if text:byte(at) == closing then return into, at + 1 end
  while true do
    local key, value = #into + 1, nil
    if keyed then
      if text:byte(at) ~= 34 then wrong(text, at) end
      key, at = read_string(text, at)
      at = text:match("^%s*:%s*()", at) or wrong(text, at)
    end
    value, at = read(text, at)
    into[key] = value
    at = text:match("^%s*()", at)
    if text:byte(at) == closing then return into, at + 1 end
    at = text:match("^,%s*()", at) or wrong(text, at)
  end
end

function read(text, at)
  local first = text:sub(at, at)
  if first == '"' then return read_string(text, at) end
  if first == "{" then return read_members(text, at, {}, 125, true) end
  if first == "[" then return read_members(text, at, {}, 93, false) end
  local word = words[first]
  if word then
    if text:sub(at, at + #word[1] - 1) ~= word[1] then wrong(text, at) end
    return word[2], at + #word[1]
  end
  local digits, stop = text:match("^(-?%d[%d.eE+-]*)()", at)
  return tonumber(digits) or wrong(text, at), stop
end

--- Reads JSON text. Objects and arrays become tables, null becomes json.null; integers beyond 2^53 are rounded. Raises an error for what is no JSON.
function json.decode(text)
  local value, stop = read(text, text:match "^%s*()")
  if text:find("%S", stop) then wrong(text, stop) end
  return value
end

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\b"] = "\\b", ["\f"] = "\\f", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

--- Writes a string as JSON, with its quotes.
function json.quote(text)
  return '"' .. text:gsub('[%z\1-\31"\\]', function(c) return escapes[c] or ("\\u%04x"):format(c:byte()) end) .. '"'
end

return json
