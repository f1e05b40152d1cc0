rockspec_format = "3.0"
package = "sluice"
version = "0.1.0-1"
source = { url = "." }
description = { summary = "One LLM turn as one unbroken message: streamed text, tool calls in place, approvals", license = "Apache-2.0" }
dependencies = { "lua == 5.1" } -- LuaJIT
build = { type = "builtin", modules = { sluice = "sluice.lua", sluice_json = "sluice_json.lua" } }
