// What the validator of Gemini's interactions refuses, and why.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkGeminiInteractions } from 'sluice/testing'

const text = (words = 'x') => [{ type: 'text', text: words }]
const user = (words) => ({ type: 'user_input', content: text(words) })
const said = { type: 'model_output', content: text() }
const thought = (signature = 'c2ln') => ({ type: 'thought', signature })
const call = (more = {}) => ({ type: 'function_call', id: 'a', name: 'f', arguments: {}, ...more })
const result = (more = {}) => ({ type: 'function_result', call_id: 'a', name: 'f', result: 'r', ...more })
const check = (...input) => checkGeminiInteractions({ model: 'm', input })
const withMore = (more) => checkGeminiInteractions({ model: 'm', input: [user()], ...more })
const given = (items, more = {}) => [
  {
    id: 'i1',
    model: 'gemini-3-x',
    request: { store: true, input: [user()] },
    items,
    finish: null,
    waived: false,
    ...more,
  },
]

test('a conversation of all that there is passes', () => {
  assert.equal(
    check(
      user(),
      thought(),
      said,
      { type: 'google_search_call', id: 'g', arguments: { queries: [] } },
      { type: 'google_search_result', call_id: 'g', result: [] },
      call(),
      result({ is_error: true, result: [...text(), { type: 'image', data: 'aGk=', mime_type: 'image/png' }] }),
    ),
    null,
  )
  assert.equal(checkGeminiInteractions({ agent: 'a', input: 'x' }), null)
})

test('the body: members, a model, steps', () => {
  assert.match(checkGeminiInteractions(1), /not valid JSON/)
  assert.match(checkGeminiInteractions({ input: 'x' }), /model or agent/)
  assert.match(checkGeminiInteractions({ model: 'm' }), /'input' is required/)
  assert.match(check(), /'input' is required/)
  assert.match(withMore({ contents: [] }), /Unknown parameter: 'contents'/)
  assert.match(withMore({ system_instruction: { parts: [] } }), /system_instruction/)
  assert.match(withMore({ generation_config: { maxOutputTokens: 5 } }), /'generation_config.maxOutputTokens'/)
  assert.match(withMore({ generation_config: { tool_choice: 'NONE' } }), /tool_choice/)
  assert.equal(withMore({ generation_config: { tool_choice: { allowed_tools: {} } } }), null)
})

test('steps: types, members, contents', () => {
  assert.match(check({ role: 'user', content: 'x' }), /input\[0\]\.type/)
  assert.match(check({ type: 'message' }), /input\[0\]\.type': "message"/)
  assert.match(check({ ...user(), role: 'user' }), /Unknown parameter: 'input\[0\]\.role'/)
  assert.match(check({ type: 'user_input', content: [] }), /must be a list of contents/)
  assert.match(check({ type: 'user_input', content: text('') }), /text' must not be empty/)
  assert.match(check({ type: 'user_input', content: [{ type: 'input_text', text: 'x' }] }), /"input_text"/)
  assert.match(check({ type: 'user_input', content: [{ type: 'image' }] }), /needs data or a uri/)
  assert.match(check({ type: 'user_input', content: [{ type: 'image', data: 'aGk=' }] }), /without a mime_type/)
  assert.match(check({ type: 'user_input', content: [{ type: 'image', data: '?', mime_type: 'image/png' }] }), /base64/)
  assert.match(check(user(), { type: 'thought', signature: 5 }), /signature/)
  assert.match(check(user(), { type: 'thought', summary: [] }), /summary' must be a list/)
  assert.match(check(user(), { type: 'google_search_result' }), /needs an id/)
})

test('calls and results: ids, names, arguments, order', () => {
  assert.match(check(user(), call({ id: '' }), result()), /id' is required/)
  assert.match(check(user(), call({ name: '9' }), result()), /must start with a letter/)
  assert.match(check(user(), call({ arguments: '{}' }), result()), /arguments': not an object/)
  assert.match(check(user(), call(), result({ call_id: undefined })), /call_id' is required/)
  assert.match(check(user(), call(), result({ name: 'a b' })), /must start with a letter/)
  assert.match(check(user(), call(), result({ result: undefined })), /result' is required/)
  assert.match(check(user(), call()), /Function call 'a' must be followed/)
  assert.match(check(user(), call(), user()), /Function call 'a' must be followed/)
  assert.match(check(user(), result()), /No function call found/)
  assert.match(check(user(), call(), result(), result()), /Duplicate function_result/)
  assert.match(
    check(user(), call(), result(), call(), result()),
    /Duplicate function call id|Duplicate function_result/,
  )
})

test('tools: types, names, schemas', () => {
  const withTools = (...tools) => withMore({ tools })
  assert.equal(
    withTools({ type: 'function', name: 'f', parameters: { type: 'object' } }, { type: 'google_search' }),
    null,
  )
  assert.match(withTools(), /an empty list/)
  assert.match(withTools({ functionDeclarations: [] }), /tools\[0\]\.type/)
  assert.match(withTools({ type: 'function', function: { name: 'f' } }), /'tools\[0\]\.function'/)
  assert.match(withTools({ type: 'function', name: 'a b' }), /must start with a letter/)
  assert.match(withTools({ type: 'function', name: 'f', parameters: {} }), /of type object/)
  assert.match(
    withTools({ type: 'function', name: 'f' }, { type: 'function', name: 'f' }),
    /Duplicate function declaration/,
  )
})

test('signatures: Gemini 3 wants one with the first call of an answer, as it was given', () => {
  const newer = (input, about) => checkGeminiInteractions({ model: 'gemini-3-x', input }, about)
  const skipped = 'skip_thought_signature_validator'
  assert.match(newer([user(), call(), result()]), /missing a thought signature/)
  assert.equal(newer([user(), thought(), call(), result()]), null)
  assert.equal(newer([user(), call({ signature: skipped }), result()]), null)
  assert.equal(newer([user(), call(), result(), said, user()]), null, 'an older turn need not be signed')
  assert.match(newer([user(), thought(skipped), call(), result()]), /stands for the first function call/)
  assert.equal(check(user(), call(), result()), null, 'other models sign nothing')
  const signed = given([thought(), call()])
  assert.equal(newer([user(), thought(), call(), result()], signed), null)
  assert.match(newer([user(), thought('b3RoZXI='), call(), result()], signed), /not valid/)
  assert.match(newer([user(), call(), result()], signed), /missing a thought signature/)
  assert.match(newer([user(), call({ signature: skipped }), result()], signed), /missing a thought signature/)
  assert.equal(
    newer([user(), call({ signature: skipped }), result()], given([thought(), call()], { waived: true })),
    null,
  )
})

test('an interaction that goes on from another one has its steps before its own', () => {
  const goes = (input, about) => checkGeminiInteractions({ model: 'm', input, previous_interaction_id: 'i1' }, about)
  assert.equal(goes([result()]), null, 'without the answers nobody knows')
  assert.equal(goes([result()], given([call()])), null)
  assert.match(goes([user()], given([call()])), /must be followed/)
  assert.match(goes([result({ call_id: 'b' })], given([call()])), /No function call found/)
  assert.match(
    goes([user()], given([said], { request: { store: false, input: [user()] } })),
    /Interaction 'i1' not found/,
  )
  assert.match(goes([user()], []), /Interaction 'i1' not found/)
})
