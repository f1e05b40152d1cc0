import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkOpenAIResponses } from 'sluice/testing'

const user = { role: 'user', content: [{ type: 'input_text', text: 'x' }] }
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'dark' }
const call = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'weather',
  arguments: '{}',
  status: 'completed',
}
const { id: _, status: __, ...rebuilt } = call
const output = { type: 'function_call_output', call_id: 'call_1', output: 'r' }
const message = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'y', annotations: [] }],
}
const tool = {
  type: 'function',
  name: 'weather',
  description: 'x',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: false,
}

const check = (...input) => checkOpenAIResponses({ model: 'm', input })
const withMore = (more) => checkOpenAIResponses({ model: 'm', input: 'x', ...more })

test('openai-responses: a conversation with reasoning, calls, images and messages is legal', () => {
  const image = { type: 'input_image', image_url: 'data:image/png;base64,aGk=' }
  const input = [
    { role: 'developer', content: 'Be short.' },
    { role: 'user', content: [{ type: 'input_text', text: 'x' }, image] },
    reasoning,
    call,
    { ...output, output: [{ type: 'input_text', text: 'r' }, image] },
    message,
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
    { role: 'assistant', content: 'z' },
    user,
  ]
  assert.equal(
    checkOpenAIResponses({
      model: 'm',
      input,
      tools: [tool, { type: 'web_search' }],
      tool_choice: 'auto',
      store: false,
      include: ['reasoning.encrypted_content'],
      max_output_tokens: 100,
    }),
    null,
  )
})

test('openai-responses: members of the request', () => {
  assert.match(checkOpenAIResponses(1), /expected an object/)
  assert.match(withMore({ messages: [] }), /Unsupported parameter: 'messages'.*moved to 'input'/)
  assert.match(withMore({ max_completion_tokens: 5 }), /moved to 'max_output_tokens'/)
  assert.match(withMore({ max_tokens: 5 }), /moved to 'max_output_tokens'/)
  assert.match(withMore({ contents: [] }), /Unknown parameter: 'contents'/)
  assert.match(withMore({ model: undefined }), /Missing required parameter: 'model'/)
  assert.match(withMore({ max_output_tokens: 5 }), />= 16/)
  assert.match(withMore({ input: undefined }), /Missing required parameter: 'input'/)
  assert.match(withMore({ input: [] }), /'input'/)
  assert.match(withMore({ previous_response_id: 'a', conversation: 'b' }), /Mutually exclusive/)
})

test('openai-responses: tools and their choice', () => {
  const withTool = (more) => withMore({ tools: [{ ...tool, ...more }] })
  assert.match(withMore({ tools: {} }), /array of objects/)
  assert.match(
    withMore({ tools: [{ type: 'function', function: tool }] }),
    /Missing required parameter: 'tools\[0\]\.name'/,
  )
  assert.match(withTool({ input_schema: {} }), /Unknown parameter: 'tools\[0\]\.input_schema'/)
  assert.match(withTool({ name: 'a.b' }), /pattern/)
  assert.match(withTool({ name: 'a'.repeat(65) }), /pattern/)
  assert.match(withTool({ parameters: {} }), /schema must be a JSON Schema of 'type: "object"'/)
  assert.match(withMore({ tools: [tool, tool] }), /Duplicate tool name/)
  assert.match(withTool({ strict: undefined }), /'additionalProperties' is required to be supplied and to be false/)
  const strict = {
    type: 'object',
    properties: { a: { type: 'array', items: { type: 'object', properties: {}, additionalProperties: false } } },
    required: ['a'],
    additionalProperties: false,
  }
  assert.equal(withTool({ strict: true, parameters: strict }), null)
  assert.match(withTool({ strict: true, parameters: { ...strict, required: [] } }), /Missing 'a'/)
  assert.match(
    withTool({ strict: true, parameters: { ...strict, properties: { a: { type: 'object' } } } }),
    /context=\('properties', 'a'\)/,
  )
  assert.equal(withMore({ tools: [tool], tool_choice: { type: 'function', name: 'weather' } }), null)
  assert.match(
    withMore({ tools: [tool], tool_choice: { type: 'function', function: { name: 'weather' } } }),
    /tool_choice\.function/,
  )
  assert.match(withMore({ tools: [tool], tool_choice: { type: 'function', name: 'time' } }), /'time' not found/)
  assert.match(withMore({ tool_choice: 'required' }), /must be specified with 'tools'/)
  assert.match(withMore({ tools: [tool], tool_choice: 'any' }), /Supported values are: 'none'/)
})

test('openai-responses: items', () => {
  assert.match(check({ type: 'tool_result' }), /Invalid value: 'tool_result'/)
  assert.match(check({ role: 'tool', content: 'x' }), /Supported values are: 'assistant', 'system'/)
  assert.match(check({ ...user, tool_calls: [] }), /Unknown parameter: 'input\[0\]\.tool_calls'/)
  assert.match(check({ role: 'user', content: '' }), /empty string/)
  assert.match(check({ role: 'user', content: [] }), /array of objects or string/)
  assert.match(check({ role: 'user', content: [{ type: 'text', text: 'x' }] }), /Invalid value: 'text'/)
  assert.match(check({ role: 'user', content: [{ type: 'input_text', text: '' }] }), /empty string/)
  assert.match(check({ role: 'user', content: [{ type: 'input_text' }] }), /Missing required parameter/)
  assert.match(
    check({ role: 'user', content: [{ type: 'input_image', image_url: { url: 'x' } }] }),
    /expected an image URL/,
  )
  assert.match(check({ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }), /'output_text', 'refusal'/)
  assert.match(check({ type: 'reasoning', summary: [] }, message), /'input\[0\]\.id'/)
  assert.match(check({ type: 'reasoning', id: 'rs_1' }, message), /'input\[0\]\.summary'/)
  assert.match(check({ ...rebuilt, id: 'call_1' }, output), /begins with 'fc'/)
  assert.match(check({ ...rebuilt, call_id: undefined }, output), /'input\[0\]\.call_id'/)
  assert.match(check({ ...rebuilt, call_id: 'c'.repeat(65) }, output), /maximum length 64/)
  assert.match(check({ ...rebuilt, name: 'a.b' }, output), /pattern/)
  assert.match(check({ ...rebuilt, arguments: {} }, output), /expected a string/)
  assert.match(check(rebuilt, { ...output, output: undefined }), /'input\[1\]\.output'/)
  assert.match(
    check(rebuilt, { ...output, output: [{ type: 'output_text', text: 'x' }] }),
    /Invalid value: 'output_text'/,
  )
  assert.match(check(rebuilt, { ...output, content: 'x' }), /Unknown parameter: 'input\[1\]\.content'/)
})

test('openai-responses: order of calls and outputs', () => {
  assert.equal(check(user, rebuilt, { ...rebuilt, call_id: 'call_2' }, output, { ...output, call_id: 'call_2' }), null)
  assert.match(check(user, rebuilt), /No tool output found for function call call_1/)
  assert.match(check(user, output), /No tool call found for function call output with call_id call_1/)
  assert.match(check(output, rebuilt), /No tool call found/)
  assert.match(check(rebuilt, rebuilt, output), /Duplicate item found with call_id call_1/)
  assert.match(check(rebuilt, output, output), /Duplicate function call output/)
  assert.match(check(message, message), /Duplicate item found with id msg_1/)
  assert.match(check(user, reasoning), /without its required following item/)
  assert.match(check(reasoning, user), /without its required following item/)
  assert.match(check(rebuilt, reasoning, output), /without its required following item/)
})

const given = (items, request = { store: false }, more = {}) => [
  { id: 'resp_1', model: 'm', request, items, finish: null, waived: false, ...more },
]

test('openai-responses: items come back as they were', () => {
  const said = given([reasoning, call])
  const again = (...input) => checkOpenAIResponses({ model: 'm', input: [user, ...input, output] }, said)
  assert.equal(again(reasoning, call), null)
  assert.equal(again(rebuilt), null)
  assert.match(
    again(call),
    /Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'/,
  )
  assert.match(
    again({ ...reasoning, encrypted_content: 'forged' }, call),
    /encrypted content for item rs_1 could not be verified/,
  )
  assert.match(
    again({ ...reasoning, encrypted_content: undefined }, call),
    /Items are not persisted when `store` is set to false/,
  )
  assert.match(again(reasoning, { ...call, id: 'fc_2' }), /Item with id 'fc_2' not found/)
  assert.match(again(reasoning, { ...call, arguments: '{"a":1}' }), /Item 'fc_1' is not what the model said/)
  assert.equal(
    checkOpenAIResponses(
      { model: 'm', input: [user, reasoning, call, output] },
      given([reasoning, { ...call, arguments: '{"cut' }]),
    ),
    null,
    'what is no JSON cannot go back',
  )
  assert.match(
    checkOpenAIResponses({ model: 'other', input: [user, reasoning, call, output] }, said),
    /could not be verified/,
  )
  const { encrypted_content: _, ...plain } = reasoning
  assert.equal(
    checkOpenAIResponses({ model: 'm', input: [user, plain, call, output] }, given([plain, call], {})),
    null,
    'the server has it',
  )
})

test('openai-responses: what the server has is not sent again', () => {
  const said = given([plain(), call], { input: [user] })
  const next = (...input) => checkOpenAIResponses({ model: 'm', previous_response_id: 'resp_1', input }, said)
  assert.equal(next(output), null)
  assert.match(next(user), /No tool output found for function call call_1/)
  assert.match(next(call, output), /Duplicate item found with call_id call_1/)
  assert.match(
    checkOpenAIResponses({ model: 'm', previous_response_id: 'resp_9', input: [output] }, said),
    /'resp_9' not found/,
  )
  assert.match(
    checkOpenAIResponses({ model: 'm', previous_response_id: 'resp_1', input: [output] }, given([call])),
    /'resp_1' not found/,
    'it was not stored',
  )
  assert.equal(
    checkOpenAIResponses({ model: 'm', conversation: 'conv_1', input: [output] }),
    null,
    'what a conversation holds is not known here',
  )

  function plain() {
    const { encrypted_content: _, ...item } = reasoning
    return item
  }
})
