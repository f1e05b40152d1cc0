// What was decided while a run goes on: approvals that are taken back, rules that are added, questions that nobody has
// read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryRules, tool } from 'sluice'
import { cards, stage } from './support.mjs'

const call = (name, args = {}, id = name) => ({ calls: [{ id, name: name.replace('.', '_'), arguments: args }] })
const made = (name, more = {}) =>
  tool({
    name,
    description: name,
    permission: 'moderate',
    agentCallable: true,
    parameters: { type: 'object', properties: { n: { type: 'number' } } },
    ...((more.execute ?? more.ipc) ? {} : { external: true }),
    ...more,
  })

/** Remembers `name` for ever in one run; `meanwhile` happens before the next run's model answers with a call of it. */
async function meanwhile(t, given, name, { change, args = {}, first, ...options }) {
  const rules = memoryRules()
  const script = [
    call(name, args),
    { text: 'Yes.' },
    ...(first ? [first] : []),
    () => (change(rules), call(name, args, 'again')),
    { text: 'Well.' },
  ]
  const answers = () => {
    const next = script.shift()
    return typeof next === 'function' ? next() : next
  }
  const { run } = await stage(t, { answers, tools: given, rules, ...options })
  const one = run()
  for await (const event of one)
    if (event.type === 'approval') one.approve(event, { remember: 'always' })
    else if (event.type === 'execute') one.succeed(event, 'done')
  assert.equal(rules.list().length, 1)
  const seen = []
  const two = run()
  for await (const event of two) {
    seen.push(event)
    if (event.type === 'approval') two.approve(event, { remember: 'turn' })
    else if (event.type === 'execute' && !given.find(({ name }) => name === event.name).execute)
      two.succeed(event, 'done')
  }
  return { seen, ...(await two.done) }
}

const revoke = (rules) => rules.list().forEach((rule) => rules.revoke(rule))

test('a call whose approval was taken back does not start, whoever runs the tool', async (t) => {
  const { seen, ...result } = await meanwhile(t, [made('note.add')], 'note.add', { change: revoke })
  assert.deepEqual(
    seen.filter(({ type }) => type === 'execute'),
    [],
  )
  assert.match(cards(result)[0].modelOutput, /taken back/)
  const sent = []
  const door = made('door.open', { ipc: { channel: 'door', payload: [] } })
  const after = await meanwhile(t, [door], 'door.open', {
    change: (rules) => ((sent.length = 0), revoke(rules)),
    ipc: (...what) => sent.push(what),
  })
  assert.deepEqual([sent, after.seen.filter(({ type }) => type === 'ipc')], [[], []])
})

test('what was approved for the turn says nothing of other tools', async (t) => {
  const ran = []
  const tools = [
    made('mail.send', { execute: () => void ran.push('mail.send') }),
    made('note.add', { execute: () => void ran.push('note.add') }),
  ]
  await meanwhile(t, tools, 'mail.send', { change: revoke, first: call('note.add') })
  assert.deepEqual(ran, ['mail.send', 'note.add'])
})

test('a rule that is added meanwhile refuses by every name of the tool, and numbers by their value', async (t) => {
  for (const rule of [
    { tool: 'notes' },
    { tool: 'note_add' },
    { tool: 'note_*' },
    { tool: 'note.add', arguments: { n: 0 } },
    { tool: 'note.add', effect: 'ask' },
  ]) {
    const ran = []
    const note = made('note.add', { aliases: ['notes'], execute: () => void ran.push(1) })
    const { message } = await meanwhile(t, [note], 'note.add', {
      args: { n: -0 },
      change: (rules) => ((ran.length = 0), rules.add({ effect: 'deny', ...rule })),
    })
    assert.deepEqual(ran, [], JSON.stringify(rule))
    assert.match(cards({ message })[0].modelOutput, rule.effect ? /asked about again/ : /forbidden meanwhile/)
  }
})

test('a store may keep more of a rule than it was given, and in another order', async (t) => {
  const ran = []
  let kept = []
  const rules = {
    list: () => kept.map(({ tool, ...rest }) => ({ ...rest, tool })),
    add: (rule) => void kept.push({ 'x-when': Date.now(), ...rule }),
    revoke: () => false,
  }
  const { run } = await stage(t, {
    answers: [call('note.add'), call('note.add', {}, 'b'), { text: 'Done.' }],
    tools: [made('note.add', { execute: () => void ran.push(1) })],
    rules,
  })
  const one = run()
  for await (const event of one) if (event.type === 'approval') one.approve(event, { remember: 'always' })
  assert.equal(ran.length, 2)
  kept = Promise.resolve([])
  rules.list = () => kept
  assert.throws(() => run(), {
    name: 'SluiceError',
    code: 'option',
    path: 'rules',
    detail: /list\(\) gave back .*expected an array/,
  })
})

test('a decision that the store cannot keep counts for the run', async (t) => {
  const ran = []
  const rules = {
    list: () => [],
    add: () => {
      throw new Error('the disk is full')
    },
    revoke: () => false,
  }
  const { run } = await stage(t, {
    answers: [call('note.add'), call('note.add', {}, 'b'), { text: 'Done.' }],
    tools: [made('note.add', { execute: () => void ran.push(1) })],
    rules,
  })
  const warned = new Promise((resolve) => process.once('warning', resolve))
  const one = run()
  for await (const event of one) if (event.type === 'approval') one.approve(event, { remember: 'always' })
  assert.equal(ran.length, 2)
  assert.match((await warned).message, /disk is full/)
})

test('approving all approves what somebody has read', async (t) => {
  const ran = []
  const tools = ['note.add', 'shell.run'].map((name) => made(name, { execute: () => void ran.push(name) }))
  const answers = [{ calls: [...call('note.add').calls, ...call('shell.run').calls] }, { text: 'Done.' }]
  const { run } = await stage(t, { answers, tools, execution: 'parallel' })
  const one = run()
  const asked = []
  for await (const event of one) {
    if (event.type !== 'approval') continue
    asked.push(event.name)
    if (asked.length === 1) assert.equal(one.approve(0), true)
    else one.deny(event)
  }
  assert.deepEqual([asked, ran], [['note.add', 'shell.run'], ['note.add']])
  assert.equal(run().approve(0), false)
})

test('an argument that is named like a prototype reaches nobody', async (t) => {
  for (const execute of [undefined, () => assert.fail('it ran')]) {
    const answers = [
      { calls: [{ id: 'a', name: 'note_add', arguments: JSON.parse('{"__proto__":{"admin":true}}') }] },
      { text: 'Done.' },
    ]
    const { run } = await stage(t, { answers, tools: [made('note.add', { permission: 'public', execute })] })
    const one = run()
    const seen = []
    for await (const event of one) seen.push(event)
    const result = await one.done
    assert.equal(result.outcome, 'completed')
    assert.deepEqual(
      seen.filter(({ type }) => type === 'execute'),
      [],
    )
    assert.match(cards(result)[0].modelOutput, /no argument may be named __proto__/)
  }
})

test('a number that JavaScript cannot hold is neither asked about nor handed on', async (t) => {
  for (const permission of ['public', 'moderate', 'sensitive']) {
    for (const number of ['1e999', '-1e999', '9'.repeat(400), '[{"deep":1E400}]']) {
      const body = {
        choices: [
          {
            message: {
              tool_calls: [{ id: 'a', type: 'function', function: { name: 'pay', arguments: `{"n":${number}}` } }],
            },
            finish_reason: 'tool_calls',
          },
        ],
      }
      const answers = [
        JSON.stringify(body),
        JSON.stringify({ choices: [{ message: { content: 'Done.' }, finish_reason: 'stop' }] }),
      ]
      const { run } = await stage(t, {
        answers: [],
        tools: [made('pay', { permission, parameters: { type: 'object' }, execute: () => assert.fail('it ran') })],
      })
      const one = run({ transport: async () => new Response(answers.shift()) })
      for await (const { type } of one) assert.ok(type !== 'approval' && type !== 'execute', type)
      const { outcome, message, history } = await one.done
      assert.deepEqual([outcome, message.blocks[0].status], ['completed', permission === 'public' ? 'error' : 'denied'])
      assert.match(
        message.blocks[0].modelOutput,
        /Not run: .*a number in the arguments is larger than any that can be handed on/,
      )
      assert.ok(history[0].tool_calls[0].function.arguments.includes(number), 'what the model wrote is kept')
    }
  }
})

test('whoever reads may answer for a tool of the run; the first answer counts', async (t) => {
  for (const answer of ['succeed', 'fail', 'cancelCall']) {
    const { run } = await stage(t, {
      answers: [call('note.add'), { text: 'Done.' }],
      tools: [
        made('note.add', {
          permission: 'public',
          execute: () => new Promise((resolve) => setImmediate(resolve, 'the tool')),
        }),
      ],
    })
    const one = run()
    for await (const event of one) if (event.type === 'execute') one[answer](event, 'the reader')
    const result = await one.done
    assert.deepEqual([result.outcome, result.text], ['completed', 'Done.'], answer)
  }
})

test('words of a model are no secrets; what it says of a key that nobody writes by chance is', async (t) => {
  for (const [apiKey, shown] of [
    ['completed', 'completed'],
    ['lm-studio', 'lm-studio'],
    ['sk-0123456789abcdefgh', '[secret]'],
  ]) {
    const { engine, server } = await stage(t, { answers: [{ text: `Say ${apiKey}.` }] })
    const one = engine.run({
      model: { baseURL: server.baseURL, name: 'm', apiKey },
      messages: [{ role: 'user', content: 'Hello' }],
    })
    const { outcome, text, history } = await one.done
    assert.deepEqual([outcome, text, history[0].content], ['completed', `Say ${shown}.`, `Say ${shown}.`])
  }
})

test('what a hook or a transport gives back is looked at, and told by its name', async (t) => {
  const { run } = await stage(t, { answers: () => ({ text: 'Hello.' }) })
  for (const [hooks, said] of [
    [{ beforeRequest: () => ({ messages: [] }) }, /beforeRequest gave back .*messages: found an empty array/],
    [{ beforeRequest: () => '{}' }, /beforeRequest gave back .*expected an object/],
    [{ transport: async () => undefined }, /transport gave back undefined, expected a Response/],
  ]) {
    const { outcome, error } = await run(hooks).done
    assert.deepEqual([outcome, error.code], ['failed', 'hook'])
    assert.match(error.detail, said)
  }
  assert.equal((await run({ beforeRequest: () => undefined }).done).outcome, 'completed')
  await assert.rejects(run().cancel('why', { grace: 5 }), { code: 'option', path: 'grace' })
  await assert.rejects(run().cancel('why', { graceMs: 'x' }), { code: 'option', path: 'graceMs' })
})

test('own headers go before ours, however they are written', async (t) => {
  const { engine, server } = await stage(t, { answers: [{ text: 'Hello.' }] })
  const headers = { 'Content-Type': 'application/json; charset=utf-8', Authorization: 'Token abc' }
  await engine.run({
    model: { baseURL: server.baseURL, name: 'm', apiKey: 'sk-12345678', headers },
    messages: [{ role: 'user', content: 'Hello' }],
  }).done
  assert.deepEqual(
    [server.requests[0].headers['content-type'], server.requests[0].headers.authorization],
    ['application/json; charset=utf-8', 'Token abc'],
  )
})
