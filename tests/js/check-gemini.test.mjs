import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkGemini } from 'sluice/testing'

const user = { role: 'user', parts: [{ text: 'x' }] }
const functionCall = { name: 'weather', args: { city: 'Paris' } }
const signed = { functionCall, thoughtSignature: 'sig' }
const other = { functionCall: { name: 'weather', args: { city: 'Rome' } } }
const response = (name = 'weather', more = {}) => ({ functionResponse: { name, response: { output: 'r' }, ...more } })
const model = (...parts) => ({ role: 'model', parts })
const told = (...parts) => ({ role: 'user', parts })
const declaration = {
  name: 'weather',
  description: 'x',
  parametersJsonSchema: { type: 'object', additionalProperties: false },
}
const tools = [{ functionDeclarations: [declaration] }]

const check = (...contents) => checkGemini({ contents })
const withMore = (more) => checkGemini({ contents: [user], ...more })
const withPart = (part) => check({ role: 'user', parts: [part] })

test('gemini: a conversation with calls, results, images and a system instruction is legal', () => {
  const image = { inlineData: { mimeType: 'image/png', data: 'aGk=' } }
  const contents = [
    told({ text: 'x' }, image),
    model({ text: 'Hm', thought: true }, { text: 'Let me see.' }, signed, other),
    told(response(), response(), image),
    model({ text: 'Warm.' }, { text: '', thoughtSignature: 's' }),
    user,
  ]
  assert.equal(
    checkGemini(
      {
        contents,
        tools: [{ googleSearch: {} }, ...tools],
        systemInstruction: { parts: [{ text: 'Be short.' }] },
        generationConfig: { maxOutputTokens: 5 },
      },
      'gemini-3-pro',
    ),
    null,
  )
})

test('gemini: members of the request', () => {
  assert.match(checkGemini(1), /Invalid JSON payload/)
  for (const member of ['model', 'stream', 'messages', 'max_tokens', 'tool_choice', 'system'])
    assert.match(withMore({ [member]: 1 }), new RegExp(`Unknown name "${member}": Cannot find field`))
  assert.match(withMore({ generationConfig: { max_tokens: 5 } }), /Unknown name "max_tokens" at 'generation_config'/)
  assert.match(checkGemini({}), /contents is not specified/)
  assert.match(check(), /contents is not specified/)
  assert.match(withMore({ systemInstruction: { parts: [] } }), /must not be empty/)
  assert.match(withMore({ systemInstruction: { parts: [{ text: '' }] } }), /only text/)
})

test('gemini: roles and parts', () => {
  assert.match(check({ role: 'assistant', parts: [{ text: 'x' }] }), /valid role: user, model/)
  assert.match(check({ role: 'system', parts: [{ text: 'x' }] }), /valid role/)
  assert.match(check({ role: 'user', content: 'x' }), /Unknown name "content"/)
  assert.match(check({ role: 'user', parts: [] }), /parts must not be empty/)
  assert.match(check(model({ text: 'x' }), user), /start with a user turn/)
  assert.match(check(user, model({ text: 'x' })), /end with a user role/)
  assert.match(withPart({ thoughtSignature: 's' }), /required oneof field 'data'/)
  assert.match(withPart({ text: 'x', inlineData: {} }), /already set/)
  assert.match(withPart({ type: 'text', text: 'x' }), /Unknown name "type"/)
  assert.match(withPart({ text: '' }), /text must not be empty/)
  assert.match(withPart({ functionCall }), /'functionCall' is a part of role model/)
  assert.match(withPart({ text: 'x', thought: true }), /'thought' is a part of role model/)
  assert.match(check(user, model(response()), user), /is a part of role user/)
  assert.match(withPart({ inlineData: { mimeType: 'image/png', data: 'data:x' } }), /Base64/)
  assert.match(withPart({ inlineData: { data: 'aGk=' } }), /Base64/)
})

test('gemini: calls and results', () => {
  const answer = (call, ...results) => check(user, model(...call), told(...results))
  assert.equal(answer([signed, other], response(), response()), null)
  assert.match(answer([signed, other], response()), /number of function response parts is equal/)
  assert.match(answer([signed], response(), response()), /number of function response parts is equal/)
  assert.match(answer([signed], { text: 'x' }), /followed immediately by a function response turn/)
  assert.match(
    check(user, model(signed, other), told(response()), told(response())),
    /number of function response parts/,
  )
  assert.match(check(user, model({ text: 'x' }), told(response())), /immediately after a function call turn/)
  assert.match(answer([signed], response('time')), /'time' without an id does not/)
  const named = { functionCall: { ...functionCall, id: 'a' } }
  assert.equal(answer([named], response('weather', { id: 'a' })), null)
  assert.match(answer([named], response()), /'weather' without an id/)
  assert.match(answer([named], response('weather', { id: 'b' })), /id 'b' does not/)
  assert.match(answer([{ functionCall: { name: '1x' } }], response()), /Invalid function name/)
  assert.match(answer([{ functionCall: { name: 'weather', args: '{}' } }], response()), /function_call\.args/)
  assert.match(answer([signed], response('')), /Name cannot be empty/)
  assert.match(answer([signed], response('weather', { response: 'r' })), /function_response\.response/)
  assert.match(answer([signed], response('weather', { response: { deep: [{ $ref: 'a' }] } })), /\$ref/)
  const parts = [{ inlineData: { mimeType: 'image/png', data: 'aGk=', displayName: 'a' } }]
  assert.equal(answer([signed], response('weather', { response: { image: { $ref: 'a' } }, parts })), null)
  const body = { contents: [user, model(signed), told(response('weather', { parts }))] }
  assert.equal(checkGemini(body, 'gemini-3-pro'), null)
  assert.match(checkGemini(body, 'gemini-2.5-flash'), /not supported by this model/)
})

test('gemini: tools and their choice', () => {
  const withTool = (more) => withMore({ tools: [{ functionDeclarations: [{ ...declaration, ...more }] }] })
  const more = (name) => ({ functionDeclarations: [{ ...declaration, name }] })
  assert.equal(withMore({ tools: [...tools, more('own')] }), null)
  assert.match(withMore({ tools: [...tools, more('one'), more('two')] }), /must stand in one tool/)
  assert.match(withMore({ tools: [{ type: 'function', function: { name: 'f' } }] }), /Unknown name "function"/)
  assert.match(withMore({ tools: [{ functionDeclarations: [] }] }), /must not be empty/)
  assert.match(
    withMore({ tools: [{ functionDeclarations: [declaration, declaration] }] }),
    /Duplicate function declaration found: weather/,
  )
  assert.match(withTool({ name: 'a b' }), /Invalid function name/)
  assert.match(withTool({ strict: true }), /Unknown name "strict"/)
  assert.match(withTool({ parameters: { type: 'object' } }), /mutually exclusive/)
  assert.match(withTool({ parametersJsonSchema: {} }), /of type object/)
  const subset = (parameters) => withTool({ parametersJsonSchema: undefined, parameters })
  assert.equal(subset({ type: 'OBJECT', properties: { a: { type: 'ARRAY', items: { type: 'STRING' } } } }), null)
  assert.match(
    subset({ type: 'object', properties: { a: { type: 'object', additionalProperties: false } } }),
    /Unknown name "additionalProperties" at '.*properties\[a\]'/,
  )
  assert.match(subset({ type: 'array', items: { $ref: '#' } }), /Unknown name "\$ref"/)
  const choose = (functionCallingConfig) => withMore({ tools, toolConfig: { functionCallingConfig } })
  assert.equal(choose({ mode: 'ANY', allowedFunctionNames: ['weather'] }), null)
  assert.equal(choose({ mode: 'NONE' }), null)
  assert.match(choose({ mode: 'required' }), /mode', "required"/)
  assert.match(choose({ mode: 'AUTO', allowedFunctionNames: ['weather'] }), /only when function calling mode is ANY/)
  assert.match(choose({ mode: 'ANY', allowedFunctionNames: ['time'] }), /'time' is not declared/)
})

const given = (items, more) => [{ model: 'gemini-3-pro', request: {}, items, finish: null, waived: false, ...more }]
const step = (...parts) => [
  user,
  model(...parts),
  told(...parts.filter((part) => part.functionCall).map(() => response())),
]
const sentinel = { functionCall, thoughtSignature: 'skip_thought_signature_validator' }

test('gemini: calls of the open turn are signed', () => {
  const newer = (...parts) => checkGemini({ contents: step(...parts) }, 'gemini-3-pro')
  assert.equal(newer(signed, other), null)
  assert.match(
    newer({ functionCall }, other),
    /Function call is missing a thought_signature in functionCall parts.*default_api:weather/,
  )
  assert.match(newer({ functionCall }, { ...other, thoughtSignature: 'sig' }), /missing a thought_signature/)
  assert.equal(newer(sentinel, other), null)
  assert.match(
    newer(sentinel, { ...other, thoughtSignature: sentinel.thoughtSignature }),
    /for the first function call of a step only/,
  )
  assert.match(
    checkGemini(
      { contents: [user, model({ text: 'x', thoughtSignature: sentinel.thoughtSignature }), user] },
      'gemini-3-pro',
    ),
    /for the first function call/,
  )
  assert.equal(checkGemini({ contents: step({ functionCall }) }, 'gemini-2.5-flash'), null)
  assert.equal(
    checkGemini({ contents: [...step({ functionCall }), model({ text: 'x' }), user] }, 'gemini-3-pro'),
    null,
    'the turn is over',
  )
  assert.equal(
    checkGemini({ contents: [user, model({ functionCall }), told(response(), { text: 'and?' })] }, 'gemini-3-pro'),
    null,
    'the user has spoken',
  )
  assert.equal(newer({ text: 'x', thoughtSignature: 'sig' }, { functionCall }), null, 'the part before it is signed')
  assert.match(newer({ functionCall }, { text: 'x' }), /missing a thought_signature/)
  const chain = [...step(signed), model({ functionCall }), told(response())]
  assert.match(checkGemini({ contents: chain }, 'gemini-3-pro'), /missing a thought_signature.*position 3/)
})

test('gemini: signatures come back as they were', () => {
  const last = { text: '', thoughtSignature: 'end' }
  const said = given([signed, other, last])
  const again = (name, ...parts) => checkGemini({ contents: step(...parts) }, name, said)
  const after = (part) => checkGemini({ contents: [user, model({ text: 'x' }, part), user] }, 'gemini-3-pro', said)
  assert.equal(again('gemini-3-pro', signed, other), null)
  assert.match(again('gemini-3-pro', { functionCall, thoughtSignature: 'forged' }), /Thought signature is not valid/)
  assert.match(again('gemini-3-pro', { ...other, thoughtSignature: 'sig' }), /Thought signature is not valid/)
  assert.match(again('gemini-3-flash', signed), /Thought signature is not valid/)
  assert.match(again('gemini-3-pro', sentinel, other), /missing a thought_signature/, 'the server made one')
  assert.equal(checkGemini({ contents: step(sentinel) }, 'gemini-3-pro', given([signed], { waived: true })), null)
  assert.equal(
    checkGemini({ contents: step({ functionCall }) }, 'gemini-3-pro', given([{ functionCall }])),
    null,
    'the server signed nothing',
  )
  assert.equal(after(last), null)
  assert.match(after({ text: '', thoughtSignature: 'forged' }), /Thought signature is not valid/)
  assert.match(
    checkGemini({ contents: step({ functionCall }) }, 'flash', given([signed], { model: 'flash' })),
    /missing a thought_signature/,
    'whatever the name of the model',
  )
})
