import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAnthropic } from 'sluice/testing'

const user = { role: 'user', content: 'x' }
const text = { type: 'text', text: 'Let me see.' }
const call = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Paris' } }
const calling = { role: 'assistant', content: [text, call] }
const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: '21 degrees' }
const told = { role: 'user', content: [result] }
const answered = { role: 'assistant', content: [text] }
const tool = { name: 'weather', description: 'x', input_schema: { type: 'object', properties: {} } }

const body = (messages, more = {}) => ({ model: 'm', max_tokens: 4096, messages, ...more })
const check = (...messages) => checkAnthropic(body(messages))
const withMore = (more) => checkAnthropic(body([user], more))
const withBlock = (block) => check({ role: 'user', content: [block] })
const withCall = (more) =>
  check(
    user,
    { role: 'assistant', content: [{ ...call, ...more }] },
    { role: 'user', content: [{ ...result, tool_use_id: more.id ?? 'toolu_1' }] },
  )

test('anthropic: a conversation with calls, results, images and a system prompt is legal', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }
  const messages = [
    user,
    calling,
    {
      role: 'user',
      content: [
        { ...result, content: [{ type: 'text', text: 'r' }, image] },
        { type: 'text', text: 'and?' },
      ],
    },
    answered,
    user,
  ]
  assert.equal(
    checkAnthropic(
      body(messages, {
        system: [{ type: 'text', text: 'Be short.', cache_control: { type: 'ephemeral' } }],
        tools: [tool, { type: 'web_search_20250305', name: 'web_search' }],
        tool_choice: { type: 'auto' },
        thinking: { type: 'adaptive' },
        stream: true,
      }),
    ),
    null,
  )
})

test('anthropic: members of the request', () => {
  assert.equal(withMore({ top_k: 5, metadata: {} }), null)
  assert.match(checkAnthropic([]), /valid dictionary/)
  assert.match(withMore({ max_completion_tokens: 5 }), /^max_completion_tokens: Extra inputs are not permitted/)
  assert.match(withMore({ response_format: {} }), /^response_format: Extra/)
  assert.match(withMore({ model: undefined }), /^model: Field required/)
  assert.match(withMore({ max_tokens: undefined }), /^max_tokens: Field required/)
  assert.match(withMore({ max_tokens: 0 }), /greater than or equal to 1/)
  assert.match(withMore({ system: [{ type: 'text', text: '' }] }), /non-empty/)
  assert.match(withMore({ system: [call] }), /^system\.0: Input tag 'tool_use'/)
})

test('anthropic: tools and their choice', () => {
  const withTool = (more) => withMore({ tools: [{ ...tool, ...more }] })
  assert.equal(withTool({ strict: true }), null)
  assert.match(
    withMore({ tools: [{ type: 'function', function: { name: 'f' } }] }),
    /^tools\.0\.custom\.function: Extra/,
  )
  assert.match(withTool({ parameters: {} }), /^tools\.0\.custom\.parameters: Extra/)
  assert.match(withTool({ name: 'a.b' }), /name: String should match/)
  assert.match(withTool({ name: 'a'.repeat(129) }), /name: String should match/)
  assert.match(withTool({ input_schema: undefined }), /input_schema: Field required/)
  assert.match(withTool({ input_schema: {} }), /input_schema\.type: Field required/)
  assert.match(withTool({ input_schema: { type: 'array' } }), /Input should be 'object'/)
  assert.match(withTool({ input_schema: { type: 'object', anyOf: [] } }), /top level/)
  assert.match(withMore({ tools: [tool, tool] }), /must be unique/)
  assert.equal(withMore({ tools: [tool], tool_choice: { type: 'tool', name: 'weather' } }), null)
  assert.match(withMore({ tools: [tool], tool_choice: 'auto' }), /valid dictionary/)
  assert.match(withMore({ tools: [tool], tool_choice: { type: 'required' } }), /expected tags: 'auto'/)
  assert.match(withMore({ tools: [tool], tool_choice: { type: 'tool', name: 'g' } }), /'g' not found/)
  assert.match(withMore({ tool_choice: { type: 'none' } }), /while providing tools/)
  const thinking = { type: 'enabled', budget_tokens: 1024 }
  assert.match(withMore({ tools: [tool], tool_choice: { type: 'any' }, thinking }), /forces tool use/)
  assert.equal(withMore({ tools: [tool], tool_choice: { type: 'none' }, thinking }), null)
  assert.match(withMore({ thinking: { type: 'enabled', budget_tokens: 5 } }), /budget_tokens/)
  assert.match(withMore({ thinking: { type: 'enabled', budget_tokens: 4096 } }), /must be greater than/)
  assert.match(withMore({ thinking, temperature: 0 }), /temperature/)
  assert.match(withMore({ thinking: { type: 'on' } }), /thinking: Input tag/)
})

test('anthropic: roles and content of messages', () => {
  assert.match(check(), /at least one message/)
  assert.match(check(answered, user), /first message must use the "user" role/)
  assert.match(check(user, user), /roles must alternate/)
  assert.match(check({ role: 'system', content: 'x' }, user), /role: Input should be 'user' or 'assistant'/)
  assert.match(check({ role: 'tool', content: 'x' }, user), /role: Input/)
  assert.match(check({ ...user, metadata: {} }), /messages\.0\.metadata: Extra/)
  assert.match(check({ role: 'user', content: '' }), /non-empty content/)
  assert.match(check({ role: 'user', content: [] }), /non-empty content/)
  assert.match(check({ role: 'user', content: ' \n' }), /non-whitespace/)
  assert.match(checkAnthropic(body([user, answered]), []), /end with a user message/)
  assert.match(withBlock({ type: 'text', text: '' }), /must be non-empty/)
  assert.match(withBlock({ type: 'text', text: ' ' }), /non-whitespace/)
  assert.match(withBlock({ type: 'text' }), /valid string/)
  assert.match(withBlock({ type: 'image_url', image_url: { url: 'x' } }), /Input tag 'image_url'/)
  assert.match(withBlock({ type: 'thinking', thinking: 'x', signature: 's' }), /Input tag 'thinking'/)
  assert.equal(withBlock({ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }), null)
  assert.match(
    withBlock({ type: 'image', source: { type: 'base64', media_type: 'image/bmp', data: 'aGk=' } }),
    /media_type/,
  )
  assert.match(
    withBlock({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'data:image/png;base64,aGk=' },
    }),
    /Invalid base64/,
  )
  assert.match(withBlock({ type: 'image', source: { url: 'x' } }), /'base64', 'url', 'file'/)
})

test('anthropic: calls', () => {
  assert.equal(withCall({ caller: { type: 'direct' } }), null)
  assert.match(withCall({ id: 'a.b' }), /id: String should match/)
  assert.match(withCall({ name: 'a.b' }), /name: String should match/)
  assert.match(withCall({ input: '{"city":"Paris"}' }), /input: Input should be a valid dictionary/)
  assert.match(withCall({ arguments: '{}' }), /arguments: Extra/)
  assert.match(check(user, { role: 'assistant', content: [call, call] }, told), /ids must be unique/)
  assert.match(check(user, calling, told, calling, told), /ids must be unique/)
})

test('anthropic: results', () => {
  const other = { ...result, tool_use_id: 'toolu_2' }
  const two = { role: 'assistant', content: [call, { ...call, id: 'toolu_2' }] }
  const check2 = (...content) => check(user, two, { role: 'user', content })
  assert.equal(check2(other, result, text), null)
  assert.match(
    check(user, calling),
    /`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1/,
  )
  assert.match(check(user, calling, user), /without `tool_result` blocks immediately after: toolu_1/)
  assert.match(check2(result), /immediately after: toolu_2/)
  assert.match(check2(result, text, other), /immediately after: toolu_2/)
  assert.match(check2(text, result, other), /immediately after: toolu_1/)
  assert.match(check2(result, other, other), /single result/)
  assert.match(check(told), /unexpected `tool_use_id`/)
  assert.match(check(user, calling, told, answered, told), /unexpected `tool_use_id`/)
  const answer = (more) => check(user, calling, { role: 'user', content: [{ ...result, ...more }] })
  const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }
  assert.equal(answer({ is_error: true, content: [text] }), null)
  assert.match(answer({ is_error: true, content: [image] }), /if "is_error" is true/)
  assert.match(answer({ content: [{ type: 'text', text: '' }] }), /non-empty/)
  assert.match(answer({ content: [call] }), /Input tag 'tool_use'/)
  assert.match(answer({ content: {} }), /valid list/)
  assert.match(answer({ name: 'weather' }), /name: Extra/)
})

test('anthropic: tools that Anthropic runs have their result in the same message', () => {
  const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
  assert.equal(check(user, { role: 'assistant', content: [search, found, text] }, user), null)
  assert.match(
    check(user, { role: 'assistant', content: [search, text] }, user),
    /without a corresponding `web_search_tool_result` block/,
  )
  assert.equal(check(user, { role: 'assistant', content: [search] }), null, 'a paused answer is continued')
})

test('anthropic: code that waits for calls has its container named, and its result in a later answer', () => {
  const code = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: {} }
  const messages = [user, { role: 'assistant', content: [code, call] }, told]
  assert.match(checkAnthropic(body(messages, { tools: [tool] })), /container_id is required/)
  assert.equal(checkAnthropic(body(messages, { tools: [tool], container: 'c' })), null)
  const ended = { type: 'code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
  assert.equal(
    checkAnthropic(body([...messages, { role: 'assistant', content: [ended, text] }, user], { tools: [tool] })),
    null,
  )
})

const thought = { type: 'thinking', thinking: 'Hm.', signature: 'sig' }
const redacted = { type: 'redacted_thinking', data: 'dark' }
const request = body([user], { tools: [tool] })
const given = (items, more) => [{ model: 'm', request, items, finish: null, waived: false, ...more }]
const again = (content, more = {}) => body([user, { role: 'assistant', content }, told], { tools: [tool], ...more })

test('anthropic: signatures come back as they were', () => {
  const said = given([thought, redacted, call])
  const checkAgain = (content, more) => checkAnthropic(again(content, more), said)
  assert.equal(checkAgain([thought, redacted, call]), null)
  assert.match(
    checkAgain([{ ...thought, signature: 'forged' }, redacted, call]),
    /Invalid `signature` in `thinking` block/,
  )
  assert.match(checkAgain([{ ...thought, thinking: 'Hm!' }, redacted, call]), /Invalid `signature` in `thinking` block/)
  assert.match(
    checkAgain([thought, { ...redacted, data: 'darker' }, call]),
    /Invalid `data` in `redacted_thinking` block/,
  )
  assert.match(checkAgain([{ type: 'thinking', thinking: 'Hm.' }, call]), /signature: Field required/)
  assert.match(checkAgain([call]), /Expected `thinking` or `redacted_thinking`, but found `tool_use`/)
  assert.match(checkAgain([thought, call]), /cannot be modified/)
  assert.match(checkAgain([thought, redacted, call], { model: 'other' }), /Invalid `signature`/)
  assert.match(checkAgain([thought, redacted, call], { system: 'new' }), /'system' has changed since/)
  assert.match(
    checkAgain([thought, redacted, call], { tools: [{ ...tool, description: 'y' }] }),
    /'tools' has changed since/,
  )
  const changed = body(
    [{ role: 'user', content: 'y' }, { role: 'assistant', content: [thought, redacted, call] }, told],
    { tools: [tool] },
  )
  assert.match(checkAnthropic(changed, said), /piece 0 .* has changed since/)
  assert.equal(
    checkAnthropic(again([{ ...thought, thinking: '' }, call]), given([{ ...thought, thinking: '' }, call])),
    null,
    'thoughts that are not shown',
  )
})

test('anthropic: what was found goes back as it came', () => {
  const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
  const found = (dark) => ({
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [{ type: 'web_search_result', title: 'x', url: 'https://example.com/', encrypted_content: dark }],
  })
  const again = (result) =>
    checkAnthropic(
      body([user, { role: 'assistant', content: [search, result, text] }, user]),
      given([search, found('dark'), text]),
    )
  assert.equal(again(found('dark')), null)
  assert.match(again(found('forged')), /messages\.1\.content\.1: Invalid `encrypted_content`/)
})

test('anthropic: thoughts may go where the turn is over, or after a refusal', () => {
  const said = given([thought, call])
  assert.equal(
    checkAnthropic(body([user, { role: 'assistant', content: [call] }, told, answered, user], { tools: [tool] }), said),
    null,
  )
  assert.equal(
    checkAnthropic(
      body([user, { role: 'assistant', content: [call] }, { role: 'user', content: [result, text] }], {
        tools: [tool],
      }),
      said,
    ),
    null,
    'the user has spoken',
  )
  assert.equal(checkAnthropic(again([call]), given([thought, call], { waived: true })), null)
  const thinking = { type: 'enabled', budget_tokens: 1024 }
  assert.match(checkAnthropic(again([call], { thinking })), /Expected `thinking`/)
  assert.match(checkAnthropic(again([text, thought, call], { thinking })), /but found `text`/)
  assert.equal(checkAnthropic(again([call], { thinking }), given([call])), null, 'the model did not think')
})

test('anthropic: only a paused answer is continued', () => {
  const content = [text]
  assert.equal(checkAnthropic(body([user, { role: 'assistant', content }]), given(content, { finish: 'pause' })), null)
  assert.match(checkAnthropic(body([user, { role: 'assistant', content }]), given(content)), /end with a user message/)
})

test('anthropic: a thought that the server did not sign goes back with an empty signature, or with none', () => {
  const thought = { type: 'thinking', thinking: 'Hm.', signature: '' }
  const given = [{ model: 'm', request: body([user]), items: [thought, call], finish: null, waived: false }]
  const back = (block) => [user, { role: 'assistant', content: [block, call] }, told]
  const unsigned = { type: 'thinking', thinking: 'Hm.' }
  assert.equal(checkAnthropic(body(back(thought)), given), null)
  assert.equal(checkAnthropic(body(back(unsigned)), given), null)
  assert.match(checkAnthropic(body(back({ ...unsigned, thinking: 'No.' })), given), /signature: Field required/)
  assert.match(checkAnthropic(body(back(unsigned))), /signature: Field required/)
  assert.match(checkAnthropic(body([user, calling, told]), given), /Expected `thinking`/)
  assert.equal(checkAnthropic(body(back(unsigned), { model: 'kimi-k2.6' })), null)
})
