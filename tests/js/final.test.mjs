// Hooks around a call and an answer: beforeExecute resolves arguments, onFinal looks at the last answer. And what the
// model reads, in the app's words.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Engine, SluiceError } from 'sluice'
import { callsEcho, cards, collect, echo, ofType, stage } from './support.mjs'

const never = () => new Promise(() => {})
const warnings = (t) => {
  const seen = []
  const hear = (warning) => warning.name === 'SluiceWarning' && seen.push(warning.message)
  process.on('warning', hear)
  t.after(() => process.off('warning', hear))
  return async () => {
    await new Promise(setImmediate)
    return seen
  }
}

test('onFinal sends an answer back, then lets the next one stand; the text counts no more, and says so', async (t) => {
  const { server, run } = await stage(t, { answers: [{ text: 'I saved it.' }, { text: 'I saved nothing.' }] })
  const seen = []
  const one = run({
    onFinal: ({ text, round, noRetry, message }) => {
      seen.push([text, round, noRetry, message.blocks.length])
      return round === 1 ? { retry: 'You saved nothing.' } : undefined
    },
  })
  const events = await collect(one)
  const result = await one.done
  assert.deepEqual(seen, [
    ['I saved it.', 1, false, 1],
    ['I saved nothing.', 2, false, 2],
  ])
  assert.equal(result.text, 'I saved nothing.')
  assert.deepEqual(
    result.message.blocks.map(({ text, retracted }) => [text, retracted]),
    [
      ['I saved it.', true],
      ['I saved nothing.', undefined],
    ],
  )
  assert.deepEqual(
    ofType(events, 'retracted').map(({ round, blocks }) => [round, blocks]),
    [[1, [0]]],
  )
  assert.deepEqual(
    server.requests[1].body.messages.map(({ role, content }) => [role, content]),
    [
      ['user', 'Hello'],
      ['assistant', 'I saved it.'],
      ['user', 'You saved nothing.'],
    ],
  )
  assert.equal(result.outcome, 'completed')
})

test('onFinal replaces an answer: people and the history get the other text', async (t) => {
  const { run } = await stage(t, { answers: [{ text: 'See http://made.up' }] })
  const { text, history } = await run({ onFinal: () => ({ replace: 'I do not know.' }) }).done
  assert.equal(text, 'I do not know.')
  assert.deepEqual(
    history.map(({ role, content }) => [role, content]),
    [['assistant', 'I do not know.']],
  )
})

test('onFinal comes after an answer of the turn, also if the messages end in a call that cannot run', async (t) => {
  for (const setting of [
    { malformed: 'drop' },
    { observeOnly: true },
    { malformed: 'drop', loop: 'user_mediated' },
    {},
  ]) {
    const { server, run } = await stage(t, { answers: () => ({ text: 'See http://made.up' }), ...setting })
    const call = { id: 'c1', type: 'function', function: { name: 'echo', arguments: '{' } }
    const seen = []
    const one = run({
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: null, tool_calls: [call] },
      ],
      onFinal: ({ round, text }) => {
        seen.push([round, text])
        return { replace: 'I do not know.' }
      },
    })
    const { outcome, text, history } = await one.done
    assert.deepEqual([outcome, text, seen], ['completed', 'I do not know.', [[1, 'See http://made.up']]])
    assert.deepEqual(
      server.requests[0].body.messages.map(({ role }) => role),
      ['user', 'assistant', 'tool'],
    )
    assert.deepEqual(
      history.map(({ role, tool_call_id: id }) => [role, id]),
      [
        ['tool', 'c1'],
        ['assistant', undefined],
      ],
    )
  }
})

test('an onFinal that throws, talks nonsense, never answers or goes beyond maxRounds: the answer stands, with a warning', async (t) => {
  const told = warnings(t)
  const { run } = await stage(t, { answers: () => ({ text: 'So it is.' }), maxRounds: 1 })
  for (const onFinal of [
    () => {
      throw new Error('broken')
    },
    () => 'retry',
    () => ({ retry: '' }),
    never,
  ]) {
    const { outcome, text } = await run({ onFinal, hookTimeoutMs: 30 }).done
    assert.deepEqual([outcome, text], ['completed', 'So it is.'])
  }
  const { outcome, message } = await run({ onFinal: () => ({ retry: 'Again.' }) }).done
  assert.deepEqual([outcome, message.rounds], ['completed', 2], 'the second answer is the last')
  const said = await told()
  for (const part of [
    'onFinal threw: broken',
    "'accept', { retry: text, role }",
    'onFinal did not answer within 30 ms',
    'the last answer that maxRounds or maxRequests allows',
  ])
    assert.ok(
      said.some((one) => one.includes(part)),
      `${part} in ${said}`,
    )
})

test('whoever reads the events concludes by hand; where nobody could, the answer stands', async (t) => {
  const { run } = await stage(t, { answers: () => ({ text: 'Mine.' }), checkFinal: true })
  const read = run()
  for await (const event of read) if (event.type === 'final') assert.equal(read.conclude({ replace: 'Ours.' }), true)
  assert.equal((await read.done).text, 'Ours.')
  assert.equal(read.conclude('accept'), false)
  assert.equal((await run().done).text, 'Mine.')
})

test('a run that waits with its final answer can be saved, and goes on with it', async (t) => {
  const { server, engine, run } = await stage(t, { answers: [{ text: 'Mine.' }] })
  const one = run({ onFinal: never, hookTimeoutMs: 0 })
  for await (const event of one) if (event.type === 'final') break
  const state = await one.suspend({ graceMs: 1 })
  const asked = []
  const { text } = await engine.resume(state, {
    model: { baseURL: server.baseURL },
    onFinal: (answer) => {
      asked.push(answer.text)
      return { replace: 'Later.' }
    },
  }).done
  assert.deepEqual([asked, text], [['Mine.'], 'Later.'])
})

test('beforeExecute resolves arguments: checked, shown on the card, and what the tool gets', async (t) => {
  const { run } = await stage(t, { answers: [callsEcho, { text: 'Done.' }], tools: [echo()] })
  const seen = []
  const { message } = await run({
    beforeExecute: ({ name, arguments: args, key }) => {
      seen.push([name, args, typeof key])
      return { arguments: { text: `${args.text}!` } }
    },
    afterTool: ({ arguments: args }) => void seen.push(args),
  }).done
  assert.deepEqual(seen, [['echo.back', { text: 'hi' }, 'string'], { text: 'hi!' }])
  const [card] = cards({ message })
  assert.deepEqual([card.arguments, card.hostArguments, card.output], [{ text: 'hi' }, { text: 'hi!' }, 'you said hi!'])
})

test('beforeExecute refuses a call: it never runs, and the model reads why', async (t) => {
  let ran = 0
  const { run, server } = await stage(t, {
    answers: [callsEcho, { text: 'Done.' }],
    tools: [echo({ execute: () => ran++ })],
  })
  const { message } = await run({ beforeExecute: () => ({ deny: 'There is no $USER.' }) }).done
  assert.deepEqual([ran, cards({ message })[0].status], [0, 'denied'])
  assert.match(server.requests[1].body.messages.at(-1).content, /refused by policy\. Reason: There is no \$USER\./)
})

test('a beforeExecute that throws, talks nonsense, is late or does not fit the schema: the call never runs', async (t) => {
  const told = warnings(t)
  let ran = 0
  const { run } = await stage(t, {
    answers: ({ body }) => (body.messages.length === 1 ? callsEcho : { text: 'x' }),
    tools: [echo({ execute: () => ran++ })],
  })
  for (const beforeExecute of [
    () => {
      throw new Error('broken')
    },
    () => ({ args: {} }),
    () => ({ arguments: [], deny: 'x' }),
    never,
    () => ({ arguments: { text: 5, more: {} } }),
  ]) {
    const { message, outcome } = await run({ beforeExecute, hookTimeoutMs: 30 }).done
    assert.equal(outcome, 'completed')
    if (cards({ message })[0].status !== 'success') assert.equal(cards({ message })[0].status, 'denied')
  }
  assert.ok((await told()).some((one) => one.includes('beforeExecute threw: broken')))
  assert.ok(ran <= 1)
})

test('words: a language, or single sentences of the app', async (t) => {
  const { run, server } = await stage(t, {
    answers: ({ body }) =>
      body.messages.length === 1 ? { calls: [{ id: 'a', name: 'nope', arguments: {} }] } : { text: 'x' },
    tools: [echo()],
  })
  await run({ words: 'zh' }).done
  await run({ words: { language: 'zh', notFound: 'Nichts heißt {name}.' } }).done
  const told = server.requests
    .filter(({ body }) => body.messages.length > 1)
    .map(({ body }) => body.messages.at(-1).content)
  assert.match(told[0], /^没有名为“nope”的工具。/)
  assert.match(told[1], /^Nichts heißt nope\./)
  assert.throws(
    () => run({ words: { notFund: 'x' } }),
    (error) => SluiceError.is(error) && error.path === 'words.notFund',
  )
})

test('sealed markers, a guide of the app, and results that a server writes reach the engine', async (t) => {
  const call = (seal) =>
    `<<<[TOOL_REQUEST${seal}]>>>\ntool_name:「始」echo.back「末」,\ntext:「始」hi「末」\n<<<[END_TOOL_REQUEST${seal}]>>>`
  const { run, server } = await stage(t, {
    answers: [
      { text: call('') },
      { text: call(' k7f3') },
      { text: 'Done.' },
      { text: `${call('')}[[VCP调用结果信息汇总:\n- 工具名称: echo.back\n- 返回内容: hi\nVCP调用结果结束]]ok` },
    ],
    tools: [echo()],
    mode: 'text',
    protocol: 'vcp',
  })
  const sealed = await run({ markerWord: 'k7f3', definitions: 'You have echo.back.' }).done
  assert.deepEqual(
    cards(sealed).map(({ status }) => status),
    ['success'],
  )
  assert.equal(server.requests[0].body.messages[0].content, 'You have echo.back.')
  const observed = await run({ observeOnly: true }).done
  assert.deepEqual(
    cards(observed).map(({ status, output }) => [status, output]),
    [['success', 'hi']],
  )
  assert.equal(server.requests.length, 4)
})

test('every sentence of the docs is one of the engine, with what may stand in it', () => {
  const page = readFileSync(new URL('../../js/docs/words.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.*) \| (.*) \|$/gm)]
  assert.ok(rows.length > 30)
  for (const [, name, en, zh] of rows) {
    const places = (text) => (text.match(/\{[a-z]+\}/g) ?? []).sort()
    assert.deepEqual(places(en), places(zh), name)
    new Engine({ words: { [name]: `${places(en).join(' ')}.` } }).close()
    assert.throws(
      () => new Engine({ words: { [name]: '{other}' } }),
      (error) => error.path === `words.${name}`,
    )
  }
})
