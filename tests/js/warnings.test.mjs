// Waits and losses of which a developer hears once for each engine, and the hooks that hear of every one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { OutcomeUnknown, tool, ToolError } from 'sluice'
import { callsEcho, cards, echo, stage } from './support.mjs'

const said = { text: 'I see.' }
const hermes = '<tool_call>\n{"name": "echo.back", "arguments": {"text": "hi"}}\n</tool_call>'

/** Every warning that the option `warnings` gets. */
async function warned(t, options, use = (run) => run().done) {
  const warnings = []
  const { run, engine } = await stage(t, { answers: () => said, warnings: (one) => warnings.push(one), ...options })
  await use(run, engine)
  return warnings.map(({ kind, text, tool: name, error }) =>
    [kind, text, name, error].filter((one) => one !== undefined),
  )
}

/** Every SluiceWarning of the process meanwhile. */
async function printed(t, options, use = (run) => run().done) {
  const warnings = []
  const hear = (warning) => warning.name === 'SluiceWarning' && warnings.push(warning)
  process.on('warning', hear)
  t.after(() => process.off('warning', hear))
  const { run } = await stage(t, { answers: () => said, ...options })
  await use(run)
  await delay(5)
  return warnings
}

const throws = (error, more) =>
  echo({
    ...more,
    execute() {
      throw error
    },
  })
const hidden = (name) => tool({ name, execute: () => '' })
const calls = () => [callsEcho, said]

test('a tool that throws is one warning for each tool, with the stack; the model reads its words', async (t) => {
  const error = new TypeError('boom')
  const answers = [...calls(), ...calls(), { calls: [{ id: 'b', name: 'other', arguments: { text: 'x' } }] }, said]
  const tools = [throws(error), throws('no error', { name: 'other' })]
  const warnings = await printed(t, { answers, tools }, async (run) => {
    assert.equal(cards(await run().done)[0].error, 'boom')
    await run().done
    await run().done
  })
  assert.deepEqual(
    warnings.map(({ message, code, detail }) => [message, code, detail]),
    [
      ['echo.back threw: boom', 'SLUICE_TOOL_THREW', error.stack],
      ['other threw: no error', 'SLUICE_TOOL_THREW', undefined],
    ],
  )
})

test('a failure that the tool intends is no warning, and its cause is not read', async (t) => {
  for (const error of [new ToolError('no such file', { cause: new Error('ENOENT') }), new OutcomeUnknown('lost')])
    assert.deepEqual(
      await warned(t, { answers: calls(), tools: [throws(error)] }, async (run) => {
        const [card] = cards(await run().done)
        assert.equal(card.error ?? card.progress, error.message)
      }),
      [],
    )
})

test('arguments that a schema of the tool refuses are the model’s fault', async (t) => {
  const parameters = {
    '~standard': { version: 1, vendor: 'x', validate: () => ({ issues: [{ message: 'too short' }] }) },
  }
  const strict = tool({
    ...{ name: 'echo.back', permission: 'public', agentCallable: true },
    parameters,
    jsonSchema: {},
    execute: () => '',
  })
  const warnings = await warned(t, { answers: calls(), tools: [strict] }, async (run) =>
    assert.equal(cards(await run().done)[0].error, 'the arguments do not fit: too short'),
  )
  assert.deepEqual(warnings, [])
})

test('onToolError gets what was thrown, in place of a warning; if it throws, that is a warning', async (t) => {
  const thrown = []
  for (const error of [new ToolError('no such file'), { odd: true }]) {
    const options = { answers: calls(), tools: [throws(error)], onToolError: (one) => thrown.push(one) }
    assert.deepEqual(await warned(t, options), [])
    assert.deepEqual(thrown.splice(0), [{ call: 1, name: 'echo.back', arguments: { text: 'hi' }, error }])
    assert.equal(thrown[0]?.error, undefined)
  }
  const fails = {
    answers: calls(),
    tools: [throws(new Error('boom'))],
    onToolError: () => {
      throw new Error('again')
    },
  }
  const [warning] = await printed(t, fails, async (run) => assert.equal((await run().done).outcome, 'completed'))
  assert.equal(warning.message, 'onToolError threw: again')
})

test('what a tool throws after it was stopped is nobody’s fault', async (t) => {
  const heard = []
  const waits = echo({
    execute: (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  })
  const options = { answers: calls(), tools: [waits], onToolError: (one) => heard.push(one) }
  await warned(t, options, async (run) => {
    const one = run()
    for await (const { type } of one) if (type === 'execute') await one.cancel('enough')
  })
  assert.deepEqual(heard, [])
})

test('onCall gets the card of every call once, run or not', async (t) => {
  const heard = []
  const answers = [
    {
      calls: [
        { id: 'a', name: 'echo_back', arguments: { text: 'hi' } },
        { id: 'b', name: 'nothing', arguments: {} },
        { id: 'c', name: 'echo_back', arguments: '{"text": 7}' },
        { id: 'd', name: 'asks', arguments: {} },
        { id: 'e', name: 'breaks', arguments: { text: 'x' } },
      ],
    },
    said,
  ]
  const asks = tool({ name: 'asks', agentCallable: true, execute: () => '' })
  const { run } = await stage(t, {
    answers,
    tools: [echo(), asks, throws(new ToolError('no'), { name: 'breaks' })],
    onCall: (card) => heard.push(card),
  })
  const result = await run().done
  assert.deepEqual(
    heard.map(({ call, status }) => [call, status]).sort(([a], [b]) => a - b),
    [
      [1, 'success'],
      [2, 'not_found'],
      [3, 'invalid'],
      [4, 'denied'],
      [5, 'error'],
    ],
  )
  assert.deepEqual(
    heard.sort((a, b) => a.call - b.call),
    cards(result),
  )
})

test('onCall hears of a call when it ends, before the next request; one that throws is a warning', async (t) => {
  const order = []
  const options = {
    answers: calls(),
    tools: [echo()],
    beforeRequest: ({ round }) => void order.push(`request ${round}`),
    onCall: ({ status }) => {
      order.push(status)
      throw new Error('no')
    },
  }
  const warnings = await printed(t, options, async (run) => assert.equal((await run().done).outcome, 'completed'))
  assert.deepEqual(order, ['request 1', 'success', 'request 2'])
  assert.deepEqual(
    warnings.map(({ message }) => message),
    ['onCall threw: no'],
  )
})

test('onCall gets a call that ends with a cancelled turn; a call that waits in a saved turn, by the run that resumes it', async (t) => {
  const heard = []
  const onCall = ({ call, status }) => heard.push([call, status])
  const asks = echo({ permission: 'sensitive' })
  const { run, engine, server } = await stage(t, { answers: [callsEcho, callsEcho, said], tools: [asks], onCall })
  const first = run()
  for await (const { type } of first) if (type === 'approval') await first.cancel('enough')
  assert.deepEqual(heard.splice(0), [[1, 'cancelled']])
  const second = run()
  let state
  for await (const { type } of second) if (type === 'approval') state = await second.suspend()
  assert.deepEqual(heard, [])
  const third = engine.resume(state, { model: { baseURL: server.baseURL, apiKey: 'x' } })
  for await (const event of third) if (event.type === 'approval') third.approve(event)
  assert.deepEqual(heard, [[1, 'success']])
})

test('tools of which no model may call one are one warning, at the first run', async (t) => {
  const twice = async (run) => {
    await run().done
    await run().done
  }
  assert.deepEqual(await warned(t, { tools: [hidden('a'), hidden('b'), hidden('c')] }, twice), [
    ['no_callable_tool', '3 tools, and no model sees one: agentCallable is false by default'],
  ])
  assert.deepEqual(await warned(t, { tools: [hidden('a')] }), [
    ['no_callable_tool', '1 tool, and no model sees it: agentCallable is false by default'],
  ])
  assert.deepEqual(await warned(t, { tools: [hidden('a'), echo()] }), [])
})

test('a call in a format that is not read is a warning, unless a tool ran', async (t) => {
  const text = (id) =>
    `the answer holds a call in the format ${id} that was not read: alsoParse: ['${id}'], or mode: 'text' with protocol: '${id}'`
  assert.deepEqual(await warned(t, { answers: () => ({ text: hermes }), tools: [echo()] }, (run) => run().done), [
    ['call_not_read', text('hermes')],
  ])
  const vcp = '<<<[TOOL_REQUEST]>>>\ntool_name:「始」echo.back「末」,\ntext:「始」hi「末」\n<<<[END_TOOL_REQUEST]>>>'
  assert.deepEqual(await warned(t, { answers: () => ({ text: vcp }), tools: [echo()], mode: 'native' }), [
    ['call_not_read', text('vcp')],
  ])
  assert.deepEqual(await warned(t, { answers: [callsEcho, { text: hermes }], tools: [echo()] }), [])
  assert.deepEqual(await warned(t, { answers: [{ text: hermes }, said], tools: [echo()], alsoParse: ['hermes'] }), [])
})

test('a protocol that nothing reads is a warning', async (t) => {
  const warning = "protocol counts in mode text, and with alsoParse: 'auto'"
  for (const options of [{ mode: 'native' }, { alsoParse: [] }])
    for (const protocol of ['hermes', { id: 'hermes' }])
      assert.deepEqual(await warned(t, { protocol, ...options }), [['protocol_unused', warning]])
  const used = [
    {},
    { mode: 'text' },
    { alsoParse: ['hermes'] },
    { alsoParse: 'auto', mode: 'native' },
    { autoFallback: 'text' },
    { autoFallback: { on: [], when: () => false } },
    { observeOnly: true },
  ]
  for (const options of used) assert.deepEqual(await warned(t, { protocol: 'hermes', ...options }), [])
  assert.deepEqual(await warned(t, {}), [])
})

test('warnings: false prints nothing; a function that throws is a warning', async (t) => {
  const options = { answers: calls(), tools: [throws(new Error('boom'))] }
  assert.deepEqual(await printed(t, { ...options, warnings: false }), [])
  const fails = () => {
    throw new Error('no')
  }
  const [warning, ...rest] = await printed(t, { ...options, answers: calls(), warnings: fails })
  assert.deepEqual([warning.message, rest], ['warnings threw: no', []])
})
