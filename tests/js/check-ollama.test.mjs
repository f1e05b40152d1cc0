import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkOllama } from 'sluice/testing'

const user = { role: 'user', content: 'x' }
const call = { function: { name: 'weather', arguments: { city: 'Paris' } } }
const calling = { role: 'assistant', content: '', thinking: 'Hm.', tool_calls: [call] }
const result = { role: 'tool', content: 'r', tool_name: 'weather' }
const tool = {
  type: 'function',
  function: { name: 'weather', description: 'x', parameters: { type: 'object', properties: {} } },
}

const check = (...messages) => checkOllama({ model: 'm', messages })
const withMore = (more) => checkOllama({ model: 'm', messages: [user], ...more })
const withCall = (more) => check(user, { ...calling, tool_calls: [{ ...call, ...more }] }, result)

test('ollama: a conversation with calls, results, images and thoughts is legal', () => {
  const named = { ...call, id: 'a' }
  const messages = [
    { role: 'system', content: 'Be short.' },
    { ...user, images: ['aGk='] },
    { ...calling, tool_calls: [named, call] },
    result,
    { ...result, tool_call_id: 'a' },
    { role: 'assistant', content: 'Warm.' },
    user,
  ]
  assert.equal(
    checkOllama({ model: 'm', messages, tools: [tool], options: { num_ctx: 8192 }, think: true, stream: true }),
    null,
  )
})

test('ollama: members of the request', () => {
  assert.match(checkOllama('x'), /invalid character/)
  for (const member of ['tool_choice', 'max_tokens', 'temperature', 'contents', 'input'])
    assert.match(withMore({ [member]: 1 }), new RegExp(`unknown field "${member}"`))
  assert.match(withMore({ model: undefined }), /model is required/)
  assert.match(check(), /messages is required/)
})

test('ollama: messages', () => {
  assert.match(check({ role: 'developer', content: 'x' }), /invalid role: developer/)
  assert.match(check({ ...user, name: 'x' }), /unknown field "messages\[0\]\.name"/)
  assert.match(check({ role: 'user', content: [{ type: 'text', text: 'x' }] }), /cannot unmarshal array/)
  assert.match(check({ role: 'user' }), /cannot unmarshal undefined/)
  assert.match(check({ ...user, images: ['data:image/png;base64,aGk='] }), /illegal base64/)
  assert.match(check({ ...user, images: ['https://example.com/a.png'] }), /illegal base64/)
  assert.match(check(user, { role: 'assistant', content: '' }, user), /needs content, thinking or tool_calls/)
  assert.match(check(user, { role: 'assistant', content: 'x', thinking: {} }, user), /thinking of type string/)
  assert.match(check(user, { role: 'assistant', content: 'x' }), /last message is of role assistant/)
  assert.match(check(user, calling, { ...result, tool_name: undefined, tool_call_id: 'a' }), /tool_name is missing/)
})

test('ollama: calls', () => {
  assert.equal(withCall({ function: { index: 0, ...call.function } }), null)
  assert.match(check(user, { ...calling, tool_calls: [] }), /non-empty array/)
  assert.match(withCall({ type: 'function' }), /unknown field .*type/)
  assert.match(withCall({ function: undefined }), /function: expected an object/)
  assert.match(withCall({ function: { ...call.function, strict: true } }), /unknown field .*strict/)
  assert.match(withCall({ function: { name: '', arguments: {} } }), /expected a name/)
  assert.match(withCall({ function: { name: 'weather', arguments: '{}' } }), /cannot unmarshal string .*arguments/)
  assert.match(
    check(user, {
      ...calling,
      tool_calls: [
        { ...call, id: 'a' },
        { ...call, id: 'a' },
      ],
    }),
    /'a' stands twice/,
  )
})

test('ollama: results stand behind their calls', () => {
  assert.match(check(user, calling), /no tool message for weather/)
  assert.match(check(user, calling, user), /messages\[2\]: no tool message for weather/)
  assert.match(check(user, result), /answers no call/)
  assert.match(check(user, calling, result, result), /answers no call/)
  assert.match(check(user, calling, { ...result, tool_name: 'time' }), /'time' answers no call/)
  const named = { ...calling, tool_calls: [{ ...call, id: 'a' }] }
  assert.equal(check(user, named, { ...result, tool_call_id: 'a' }), null)
  assert.match(check(user, named, result), /answers no call/)
  assert.match(check(user, named, { ...result, tool_call_id: 'b' }), /id 'b' answers no call/)
})

test('ollama: tools', () => {
  const withTool = (more) => withMore({ tools: [{ ...tool, function: { ...tool.function, ...more } }] })
  assert.match(withMore({ tools: [] }), /non-empty array/)
  assert.match(withMore({ tools: [{ name: 'f' }] }), /function: expected an object/)
  assert.match(withMore({ tools: [{ ...tool, type: 'custom' }] }), /type: expected 'function'/)
  assert.match(withTool({ name: '' }), /expected a name/)
  assert.match(withTool({ parameters: {} }), /parameters\.type: expected 'object'/)
  assert.match(withMore({ tools: [tool, tool] }), /'weather' stands twice/)
})
