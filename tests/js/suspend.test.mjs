// A run that ends while its turn goes on later: suspend, resume, checkpoints, and when it is quiet.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { test } from 'node:test'
import { Engine } from 'sluice'
import { callsEcho, cards, collect, echo, ofType, stage } from './support.mjs'

const asks = (more) => echo({ permission: 'sensitive', ...more })
const modelOf = (server) => ({ baseURL: server.baseURL, apiKey: 'secret' })

/** Another process: another engine with the same tools. */
function elsewhere(t, options) {
  const engine = new Engine(options)
  t.after(() => engine.close())
  return engine
}

test('a run that waits for a person is suspended, and another process asks again', async (t) => {
  const { server, run } = await stage(t, { answers: [callsEcho, { text: 'Done.' }], tools: [asks()] })
  const first = run()
  assert.equal(await first.quiet, 'waiting')
  const state = await first.suspend()
  const { outcome, history, message } = await first.done
  assert.deepEqual([outcome, history, message.outcome], ['suspended', [], undefined])
  assert.deepEqual((await collect(first)).at(-1).type, 'approval', 'its readers have come to the end')
  assert.equal(first.approve(1), false)
  assert.equal(await first.suspend(), state)

  const second = elsewhere(t, { tools: [asks()] }).resume(state, { model: modelOf(server) })
  const events = await collect(second, (event) => event.type === 'approval' && assert.ok(second.approve(event)))
  const result = await second.done
  assert.equal(second.id, first.id)
  assert.deepEqual([result.outcome, result.text, cards(result)[0].output], ['completed', 'Well, Done.', 'you said hi'])
  assert.equal(result.history.length, 3, 'the whole turn is in it')
  assert.deepEqual(
    ofType(events, 'request').map(({ round }) => round),
    [2],
  )
  assert.equal(server.requests.length, 2)
})

test('a decision with the digest of another question decides nothing', async (t) => {
  const { server, run } = await stage(t, { answers: [callsEcho, { text: 'Done.' }], tools: [asks()] })
  const first = run()
  let digest
  for await (const event of first)
    if (event.type === 'approval') {
      ;({ digest } = event)
      break
    }
  const state = await first.suspend()
  const changed = elsewhere(t, { tools: [asks({ identity: 'version 2' })] }).resume(state, { model: modelOf(server) })
  assert.equal(await changed.quiet, 'waiting')
  assert.equal(changed.approve({ call: 1, digest }), false)
  assert.equal(changed.approve(1, { digest }), false)
  assert.equal(changed.deny({ call: 1, digest }, 'no'), false)
  assert.equal(changed.approve(1), true)
  assert.equal((await changed.done).outcome, 'completed')
})

test('suspend waits for what cannot be repeated: an answer that is being shown, and a tool that runs', async (t) => {
  const parts = [
    { text: 'Once ' },
    { wait: 40 },
    { text: 'upon a time.' },
    { call: { id: 'a', name: 'echo_back', arguments: { text: 'hi' } } },
  ]
  const { server, run } = await stage(t, { answers: [{ parts }, { text: 'End.' }], tools: [echo()] })
  const first = run({ flushMs: 0 })
  for await (const event of first) if (event.type === 'text') break
  const state = await first.suspend()
  assert.equal((await first.done).text, 'Once upon a time.')
  assert.equal(cards(await first.done)[0].status, 'streaming', 'nothing of it has started')
  const result = await elsewhere(t, { tools: [echo()] }).resume(state, { model: modelOf(server) }).done
  assert.deepEqual(
    [result.outcome, result.text, cards(result)[0].status],
    ['completed', 'Once upon a time.End.', 'success'],
  )
})

test('a tool that runs is waited for, and what follows it is done later', async (t) => {
  let ran = 0
  const execute = async () => {
    await delay(30)
    return `ran ${++ran}`
  }
  const { server, run } = await stage(t, { answers: [callsEcho, { text: 'End.' }], tools: [echo({ execute })] })
  const first = run()
  for await (const event of first) if (event.type === 'execute') break
  const state = await first.suspend()
  assert.equal(server.requests.length, 1)
  const result = await elsewhere(t, { tools: [echo({ execute })] }).resume(state, { model: modelOf(server) }).done
  assert.deepEqual([result.outcome, cards(result)[0].output, ran], ['completed', 'ran 1', 1])
})

test('without the time to wait a call becomes unknown; an idempotent one runs again, with the same key', async (t) => {
  for (const idempotent of [false, true]) {
    const keys = []
    let aborted = 0
    const hangs = (_, { key, signal }) =>
      new Promise(() => {
        keys.push(key)
        signal.addEventListener('abort', () => aborted++)
      })
    const { server, run } = await stage(t, {
      answers: [callsEcho, { text: 'End.' }],
      tools: [echo({ execute: hangs, identity: '1', idempotent })],
    })
    const first = run()
    for await (const event of first) if (event.type === 'execute') break
    await delay(5)
    const state = await first.suspend({ graceMs: 10 })
    assert.equal(aborted, 1)
    const execute = (_, { key }) => {
      keys.push(key)
      return 'again'
    }
    const result = await elsewhere(t, { tools: [echo({ execute, identity: '1', idempotent })] }).resume(state, {
      model: modelOf(server),
    }).done
    assert.equal(result.outcome, 'completed')
    assert.equal(cards(result)[0].status, idempotent ? 'success' : 'unknown')
    const key = `${first.id}:1:f996d633446d161c96a11d87b75d5524`
    assert.deepEqual(keys, idempotent ? [key, key] : [key])
  }
})

test('an answer of which nothing was shown is asked for again', async (t) => {
  const { server, run } = await stage(t, { answers: [{ delayMs: 60_000 }, { text: 'Now.' }] })
  const first = run()
  while (server.requests.length === 0) await delay(2)
  const state = await first.suspend()
  const second = elsewhere(t, {}).resume(state, { model: modelOf(server) })
  assert.equal(await second.text, 'Now.')
  assert.equal(server.requests[0].text, server.requests[1].text)
  assert.ok(server.requests[0].aborted)
})

test('an answer that is cut off by the grace keeps its text, and the turn says what is missing', async (t) => {
  const { server, run } = await stage(t, { answers: [{ parts: [{ text: 'Half' }, { wait: 60_000 }] }] })
  const first = run({ flushMs: 0 })
  for await (const event of first) if (event.type === 'text') break
  const state = await first.suspend({ graceMs: 10 })
  const { outcome, error, text } = await elsewhere(t, {}).resume(state, { model: modelOf(server) }).done
  assert.deepEqual([outcome, error.code, text], ['failed', 'unfinished', 'Half'])
})

test('suspend in the wait for another try', async (t) => {
  const { server, run } = await stage(t, {
    answers: [{ status: 503, headers: { 'retry-after': '30' } }, { text: 'Now.' }],
  })
  const first = run()
  for await (const event of first) if (event.type === 'retry') break
  const state = await first.suspend()
  assert.equal(await elsewhere(t, {}).resume(state, { model: modelOf(server) }).text, 'Now.')
})

test('a turn that is over cannot be suspended, and one that is cancelled meanwhile is not', async (t) => {
  const { run } = await stage(t, { answers: [{ text: 'x' }, { parts: [{ text: 'Half' }, { wait: 60_000 }] }] })
  const first = run()
  await first.done
  assert.equal(await first.suspend(), null)
  assert.equal(await first.quiet, 'done')
  const second = run({ flushMs: 0 })
  for await (const event of second) if (event.type === 'text') break
  const suspended = second.suspend()
  await second.cancel('enough')
  assert.equal(await suspended, null)
  assert.deepEqual([(await second.done).outcome, (await second.done).reason], ['cancelled', 'enough'])
})

test('the state of a turn that had ended ends at once; others are refused', async (t) => {
  const engine = elsewhere(t, {})
  const model = { baseURL: 'http://127.0.0.1:9/v1' }
  const turn = engine.turn({ wire: 'openai-chat', request: { model: 'm', messages: [{ role: 'user', content: 'x' }] } })
  for (const _ of turn.events());
  turn.feed('data: {"choices":[{"index":0,"delta":{"content":"Yes."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
  turn.finish()
  for (const _ of turn.events());
  const over = engine.resume(turn.state, { model })
  assert.deepEqual(
    (await collect(over)).map(({ type }) => type),
    ['done'],
  )
  assert.deepEqual([(await over.done).outcome, (await over.done).text], ['completed', 'Yes.'])
  turn.close()
  const parser = engine.turn({ wire: 'text' })
  assert.throws(() => engine.resume(parser.state, { model }), { code: 'option', path: 'state', message: /a parser/ })
  parser.close()
  assert.throws(() => engine.resume('{}', { model }), { code: 'json' })
  assert.throws(() => engine.resume({}, { model }), { code: 'option', path: 'state' })
  assert.throws(() => engine.resume('', {}), { code: 'option', path: 'model' })
  assert.throws(() => engine.resume('', { model, maxRounds: 3 }), {
    code: 'option',
    path: 'maxRounds',
    hint: /what it began with/,
  })
})

test('a checkpoint is awaited before a request goes out, a question is asked and a tool starts', async (t) => {
  const log = []
  const execute = () => {
    log.push('ran')
    return 'ok'
  }
  const { server, run } = await stage(t, { answers: [callsEcho, { text: 'Done.' }], tools: [asks({ execute })] })
  const { outcome } = await run({
    approvals: {
      execution: () => {
        log.push('asked')
        return 'once'
      },
    },
    checkpoint: async (state, why) => {
      const before = server.requests.length
      await delay(5)
      assert.equal(JSON.parse(state).format, 2)
      assert.equal(server.requests.length, before)
      log.push(`${why}, ${before} sent`)
    },
  }).done
  assert.equal(outcome, 'completed')
  assert.deepEqual(log, ['request, 0 sent', 'question, 1 sent', 'asked', 'tool, 1 sent', 'ran', 'request, 1 sent'])
})

test('suspend waits for a state that is being saved, and not for ever', async (t) => {
  let saving = 0
  const { run } = await stage(t, { answers: () => callsEcho, tools: [echo({ permission: 'sensitive' })] })
  const suspended = async (work) => {
    const turn = run({
      checkpoint: async (_, why) => {
        if (why !== 'question') return
        saving++
        await work()
        saving--
      },
    })
    for await (const event of turn) if (event.type === 'approval') return turn.suspend({ graceMs: 100 })
  }
  assert.ok(await suspended(() => delay(30)))
  assert.equal(saving, 0)
  assert.ok(await suspended(() => new Promise(() => {})))
  assert.equal(saving, 1)
})

test('each saved state goes on in a process that knows nothing else', async (t) => {
  const states = []
  const { server, run } = await stage(t, {
    answers: ({ body }) => (body.messages.length === 1 ? callsEcho : { text: 'Done.' }),
    tools: [echo({ idempotent: true })],
  })
  await run({ checkpoint: (state, why) => void states.push([why, state]) }).done
  assert.deepEqual(
    states.map(([why]) => why),
    ['request', 'tool', 'request'],
    'an idempotent tool needs one as well',
  )
  for (const [, state] of states) {
    const result = await elsewhere(t, { tools: [echo({ idempotent: true })] }).resume(state, { model: modelOf(server) })
      .done
    assert.deepEqual([result.outcome, result.text], ['completed', 'Well, Done.'])
  }
})

test('a process that dies after a save: what may have happened is not done again', async (t) => {
  let ran = 0
  const states = []
  const tools = () => [echo({ execute: () => ++ran, identity: '1' })]
  const { server, run } = await stage(t, {
    answers: ({ body }) => (body.messages.length === 1 ? callsEcho : { text: 'Done.' }),
    tools: tools(),
  })
  await run({ checkpoint: (state, why) => void states.push([why, state]) }).done
  assert.deepEqual([states.map(([why]) => why), ran], [['request', 'tool', 'request'], 1])
  const ends = []
  for (const [, state] of states)
    ends.push(cards(await elsewhere(t, { tools: tools() }).resume(state, { model: modelOf(server) }).done)[0].status)
  assert.deepEqual([ends, ran], [['success', 'unknown', 'success'], 2])
})

test('tools that start together share a save', async (t) => {
  const calls = [1, 2, 3].map((number) => ({
    id: `c${number}`,
    name: 'echo_back',
    arguments: { text: String(number) },
  }))
  const { run } = await stage(t, { answers: [{ calls }, { text: 'Done.' }], tools: [echo()], execution: 'parallel' })
  const saved = []
  const result = await run({
    checkpoint: async (_, why) => {
      saved.push(why)
      await delay(10)
    },
  }).done
  assert.deepEqual(saved, ['request', 'tool', 'request'])
  assert.deepEqual(
    cards(result).map(({ status }) => status),
    ['success', 'success', 'success'],
  )
})

test('what cannot be saved does not happen, and it is said', async (t) => {
  for (const [checkpoint, said] of [
    [
      (_, why) => {
        if (why === 'tool') throw new Error('the disk is full')
      },
      /^checkpoint threw: the disk is full/,
    ],
    [(_, why) => (why === 'tool' ? new Promise(() => {}) : undefined), /^checkpoint did not answer within 30 ms/],
  ]) {
    let ran = 0
    const { server, run } = await stage(t, {
      answers: [callsEcho, { text: 'never' }],
      tools: [echo({ execute: () => ran++ })],
    })
    const warned = once(process, 'warning')
    const own = run({ checkpoint, hookTimeoutMs: 30 })
    const events = await collect(own)
    const { outcome, error } = await own.done
    assert.deepEqual([outcome, error.code, events.at(-1).type], ['suspended', 'hook', 'error'])
    assert.match(error.detail, said)
    assert.match((await warned)[0].message, /goes on from what was saved before/)
    assert.deepEqual([ran, server.requests.length], [0, 1])
  }
})

test('quiet: when only people and results from outside are waited for', async (t) => {
  const { run } = await stage(t, {
    answers: [callsEcho, callsEcho, { text: 'Done.' }],
    tools: [
      asks({
        execute: async () => {
          await delay(10)
          return 'ok'
        },
      }),
    ],
  })
  const own = run()
  assert.equal(await own.quiet, 'waiting')
  assert.equal(own.approve(1), true)
  assert.equal(await own.quiet, 'waiting')
  assert.equal(cards({ message: own.snapshot })[0].status, 'success')
  assert.equal(own.deny(2), true)
  assert.equal(await own.quiet, 'done')
})

test('a result from outside may come days later, in another process', async (t) => {
  const external = () => echo({ execute: undefined, external: true })
  const { server, run } = await stage(t, {
    answers: [callsEcho, { text: 'Done.' }],
    tools: [external()],
    timeoutMs: 20,
  })
  const first = run()
  assert.equal(await first.quiet, 'waiting')
  await delay(40)
  assert.equal(await first.quiet, 'waiting', 'it has no time limit')
  const state = await first.suspend()
  const second = elsewhere(t, { tools: [external()] }).resume(state, { model: modelOf(server) })
  const events = await collect(second, (event) => event.type === 'execute' && second.succeed(event, 'from a person'))
  assert.equal(ofType(events, 'execute').length, 1)
  assert.equal(cards(await second.done)[0].output, 'from a person')
  assert.throws(() => echo({ external: true }), { code: 'option', message: /execute/ })
})

test('rules that came meanwhile count', async (t) => {
  const { server, run } = await stage(t, { answers: [callsEcho, { text: 'Pity.' }], tools: [asks()] })
  const first = run()
  await first.quiet
  const state = await first.suspend()
  const second = elsewhere(t, { tools: [asks()] }).resume(state, {
    model: modelOf(server),
    rules: [{ tool: 'echo.*', effect: 'deny' }],
  })
  const events = await collect(second)
  assert.equal(ofType(events, 'approval').length, 0)
  const [card] = cards(await second.done)
  assert.deepEqual([card.status, card.reason], ['denied', 'policy'])
  assert.match(card.modelOutput, /forbidden meanwhile/)
})

test('wherever a run is suspended, the turn comes to the same end, and every tool runs once', async (t) => {
  const calls = (...texts) =>
    texts.map((text, index) => ({ id: `${text}${index}`, name: 'echo_back', arguments: { text } }))
  const answers = ({ body }) => {
    const results = body.messages.filter(({ role }) => role === 'tool').length
    if (results === 0) return { text: 'First this. ', calls: calls('a', 'b') }
    return results === 2 ? { reasoning: 'Hm.', text: 'Then that. ', calls: calls('c') } : { text: 'That is all.' }
  }
  let ran
  const execute = async ({ text }) => {
    ran.push(text)
    await delay(1)
    return text.toUpperCase()
  }
  const make = (permission) => [echo({ execute, permission, identity: '1' })]
  for (const settings of [
    {},
    { dispatch: 'block', execution: 'parallel' },
    { permission: 'sensitive', questionOrder: 'one_by_one' },
  ]) {
    const { permission = 'public', ...rest } = settings
    const { server, run, engine } = await stage(t, { answers, tools: make(permission), flushMs: 0, ...rest })
    let length = Infinity
    for (let at = 0; at < length; at++) {
      ran = []
      const seen = []
      let state = null
      let own = run()
      for (;;) {
        let count = 0
        for await (const event of own) {
          seen.push(event.type)
          if (event.type === 'approval') own.approve(event)
          if (state === null && count++ === at) {
            state = await own.suspend()
            break
          }
        }
        if ((await own.done).outcome !== 'suspended') break
        own = engine.resume(state, { model: modelOf(server) })
      }
      if (state === null) length = 0 // it was over before that many events
      const { outcome, message, history, text } = await own.done
      const where = `${JSON.stringify(settings)}, at ${at}: ${seen.join(' ')}`
      assert.deepEqual(
        [outcome, text, ran.toSorted()],
        ['completed', 'First this. Then that. That is all.', ['a', 'b', 'c']],
        where,
      )
      assert.deepEqual(
        cards({ message }).map(({ status, output }) => [status, output]),
        [
          ['success', 'A'],
          ['success', 'B'],
          ['success', 'C'],
        ],
        where,
      )
      assert.deepEqual(
        history.map(({ role }) => role),
        ['assistant', 'tool', 'tool', 'assistant', 'tool', 'assistant'],
        where,
      )
      assert.equal(message.blocks.length, 7, where)
    }
  }
})

test('a run is not quiet while onFinal looks at its answer', async (t) => {
  const { run } = await stage(t, { answers: [{ text: 'Perhaps.' }, { text: 'Yes.' }] })
  const looks = async ({ text }) => {
    await delay(20)
    return text === 'Perhaps.' ? { retry: 'Decide.' } : 'accept'
  }
  const judged = run({ onFinal: looks })
  assert.equal(await judged.quiet, 'done')
  assert.equal((await judged.done).text, 'Yes.')
})
