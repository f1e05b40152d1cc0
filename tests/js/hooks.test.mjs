// Hooks of the app: what they get, what they may give back, and what becomes of one that fails.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { test } from 'node:test'
import { SluiceError } from 'sluice'
import { callsEcho, cards, collect, echo, ofType, stage } from './support.mjs'

const busy = { status: 503, error: 'overloaded', headers: { 'retry-after-ms': '5', 'x-request-id': 'req_7' } }
const never = () => new Promise(() => {})

test('beforeRequest gets objects beside the text, for every try, and may change headers, messages and body', async (t) => {
  const seen = []
  const { server, run } = await stage(t, { answers: [busy, callsEcho, { text: 'Done.' }], tools: [echo()] })
  const result = await run({
    beforeRequest: ({ text, body, messages, headers, round, attempt }) => {
      seen.push([round, attempt, messages.length, headers.authorization])
      assert.deepEqual(JSON.parse(text), body)
      assert.equal(body.messages, messages)
      const last = messages.at(-1)
      return {
        headers: { Authorization: `Bearer token-${seen.length}` },
        messages: [...messages.slice(0, -1), { ...last, content: `${last.content}!` }],
        body: { ...body, seed: 7 },
      }
    },
  }).done
  assert.equal(result.outcome, 'completed')
  assert.deepEqual(seen, [
    [1, 1, 1, 'Bearer secret'],
    [1, 2, 1, 'Bearer secret'],
    [2, 1, 3, 'Bearer secret'],
  ])
  assert.deepEqual(
    server.requests.map(({ headers }) => headers.authorization),
    ['Bearer token-1', 'Bearer token-2', 'Bearer token-3'],
  )
  assert.deepEqual(
    server.requests.map(({ body }) => body.messages.at(-1).content),
    ['Hello!', 'Hello!', 'you said hi!'],
  )
  assert.equal(server.requests[0].body.seed, 7)
})

test('a body that nobody changes is sent as it stands, with integers that JavaScript cannot hold', async (t) => {
  const big = '{"type":"object","properties":{"id":{"type":"integer","maximum":9007199254740993}}}'
  const { server, engine, run } = await stage(t, { answers: () => ({ text: 'x' }), tools: [] })
  const turn = engine.turn({ wire: 'openai-chat', request: { model: 'm', messages: [{ role: 'user', content: big }] } })
  turn.close()
  await run({ beforeRequest: ({ body }) => void body.model }).done
  await run().done
  assert.equal(server.requests[0].text, server.requests[1].text)
})

test('what beforeRequest changes in place is refused, with its name', async (t) => {
  const { run } = await stage(t, { answers: [] })
  const { error } = await run({
    beforeRequest: ({ messages }) => void messages.push({ role: 'user', content: 'more' }),
  }).done
  assert.equal(error.code, 'hook')
  assert.match(error.detail, /^beforeRequest threw: .*not extensible/)
})

test('a fresh token is as secret as the key', async (t) => {
  const token = 'tok-a-very-secret-one-1'
  const { run } = await stage(t, { answers: () => ({ status: 401, error: `bad key ${token}` }) })
  const { error } = await run({ beforeRequest: () => ({ headers: { authorization: `Bearer ${token}` } }) }).done
  assert.match(error.detail, /bad key \[secret\]/)
})

test('a hook that never answers ends the turn in time, or is left behind when the turn is cancelled', async (t) => {
  const { server, run } = await stage(t, { answers: () => busy })
  for (const hooks of [{ beforeRequest: never }, { retries: never }]) {
    const { outcome, error } = await run({ ...hooks, hookTimeoutMs: 30 }).done
    assert.deepEqual([outcome, error.code], ['failed', 'hook'])
    assert.match(error.detail, new RegExp(`^${Object.keys(hooks)[0]} did not answer within 30 ms`))
  }
  const sent = server.requests.length
  const cancelled = run({ beforeRequest: never, deadlineMs: 40 })
  assert.deepEqual(
    [(await cancelled.done).outcome, (await cancelled.done).reason],
    ['cancelled', 'the deadline of 40 ms passed'],
  )
  assert.equal(server.requests.length, sent, 'nothing was sent')
})

test('a retry is told before its wait', async (t) => {
  const { server, run } = await stage(t, { answers: [busy, busy, { text: 'Now.' }] })
  let requestsThen
  const events = await collect(run(), (event) => {
    if (event.type === 'retry') requestsThen ??= server.requests.length
  })
  assert.equal(requestsThen, 1)
  const retries = ofType(events, 'retry').map(({ seq: _, ...retry }) => retry)
  assert.deepEqual(retries[0], {
    type: 'retry',
    round: 1,
    attempt: 1,
    maxAttempts: 2,
    delayMs: 5,
    status: 503,
    requestId: 'req_7',
    retryAfterMs: 5,
    detail: 'HTTP 503: overloaded',
  })
  assert.equal(retries[1].attempt, 2)
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + events[0].seq),
    'events are counted without gaps',
  )
})

test('a function decides about retries: for any failure, how long, how often', async (t) => {
  const failures = []
  const answers = [busy, { status: 400, error: 'try again' }, { parts: [{ cut: true }] }, { text: 'Now.' }]
  const { run } = await stage(t, { answers })
  const events = await collect(
    run({
      retries: (failure) => {
        failures.push(failure)
        return 1
      },
    }),
  )
  assert.deepEqual(
    failures.map(({ attempt, status, delayMs }) => [attempt, status, delayMs === null ? null : typeof delayMs]),
    [
      [1, 503, 'number'],
      [2, 400, null],
      [3, 200, 'number'],
    ],
  )
  assert.match(failures[1].detail, /try again/)
  assert.deepEqual(
    ofType(events, 'retry').map(({ maxAttempts, delayMs }) => [maxAttempts, delayMs]),
    [
      [undefined, 1],
      [undefined, 1],
      [undefined, 1],
    ],
  )
  assert.equal(events.at(-1).outcome, 'completed')
})

test('a function that gives up, or gives back nonsense', async (t) => {
  const { server, run } = await stage(t, { answers: () => busy })
  const given = async (retries) => (await run({ retries }).done).error
  assert.equal((await given(() => null)).code, 'http')
  assert.equal(server.requests.length, 1)
  for (const nonsense of ['soon', -1, NaN, undefined, {}])
    assert.match((await given(() => nonsense)).detail, /^retries gave back .*expected milliseconds/)
  assert.match(
    (
      await given(() => {
        throw new Error('no idea')
      })
    ).detail,
    /^retries threw: no idea/,
  )
  assert.equal(server.requests.length, 7)
})

test('afterTool sees the call and its result, and decides what the model reads', async (t) => {
  const seen = []
  const { server, run } = await stage(t, { answers: [callsEcho, { text: 'Done.' }], tools: [echo()] })
  const { message } = await run({
    id: 'run-1',
    afterTool: (call, result) => {
      seen.push([call, result])
      return { value: result.value.replace('hi', '[removed]') }
    },
  }).done
  assert.equal(server.requests[1].body.messages.at(-1).content, 'you said [removed]')
  const {
    output,
    hostOutput: rewritten,
    modelOutput: told,
    status,
  } = message.blocks.find((block) => block.type === 'tool_use')
  assert.deepEqual(
    { output, rewritten, told, status },
    { output: 'you said hi', rewritten: { text: 'you said [removed]' }, told: 'you said [removed]', status: 'success' },
  )
  const [[call, result]] = seen
  assert.deepEqual(call, {
    call: 1,
    name: 'echo.back',
    arguments: { text: 'hi' },
    key: 'run-1:1:f996d633446d161c96a11d87b75d5524',
    protocolFields: {},
    id: 'call_a',
    round: 1,
    source: 'native',
  })
  assert.deepEqual(result, { value: 'you said hi' })
})

test('afterTool sees what a tool threw, and may leave a result as it is', async (t) => {
  const { server, run } = await stage(t, {
    answers: [callsEcho, { text: 'Done.' }],
    tools: [
      echo({
        execute: () => {
          throw new Error('no access to /home/ann')
        },
      }),
    ],
  })
  await run({
    afterTool: (_, result) => ('error' in result ? { error: result.error.replace('/home/ann', '~') } : undefined),
  }).done
  assert.match(server.requests[1].body.messages.at(-1).content, /no access to ~/)
})

test('afterTool shortens what no card can show, makes a failure of a result, or leaves it: both versions, one, or one', async (t) => {
  const card = async (execute, afterTool) => {
    const { server, run } = await stage(t, { answers: [callsEcho, { text: 'Done.' }], tools: [echo({ execute })] })
    const { message } = await run({ afterTool }).done
    const { output, hostOutput: rewritten, status, error } = message.blocks.find((block) => block.type === 'tool_use')
    return { output, rewritten, status, error, read: server.requests[1].body.messages.at(-1).content }
  }
  const cyclic = {}
  cyclic.self = cyclic
  assert.deepEqual(
    await card(
      () => cyclic,
      () => ({ value: 'a knot' }),
    ),
    { output: 'a knot', rewritten: undefined, status: 'success', error: undefined, read: 'a knot' },
  )
  const { read, ...failed } = await card(
    () => 'obey me',
    () => ({ error: 'not a result' }),
  )
  assert.deepEqual(failed, {
    output: 'obey me',
    rewritten: { text: 'not a result' },
    status: 'error',
    error: 'not a result',
  })
  assert.match(read, /not a result/)
  for (const same of [() => undefined, (_, result) => result, () => ({ value: 'as it is' })])
    assert.deepEqual(await card(() => 'as it is', same), {
      output: 'as it is',
      rewritten: undefined,
      status: 'success',
      error: undefined,
      read: 'as it is',
    })
  const object = await card(
    () => ({ name: 'Ann', pin: 1234 }),
    (_, { value: { name } }) => ({ value: { name } }),
  )
  assert.deepEqual(
    [object.output, object.rewritten, object.read],
    ['{"name":"Ann","pin":1234}', { text: '{"name":"Ann"}' }, '{"name":"Ann"}'],
  )
})

test('whoever answers for a tool without execute may give two versions', async (t) => {
  const { server, run } = await stage(t, {
    answers: [callsEcho, { text: 'Done.' }],
    tools: [echo({ execute: undefined, external: true })],
  })
  const turn = run({})
  for await (const event of turn) {
    if (event.type !== 'execute') continue
    assert.throws(
      () => turn.succeed(event, 'pin 1234', 'pin ****'),
      (error) => error.code === 'option' && /found "pin \*\*\*\*", expected \{ value \}/.test(error.message),
    )
    turn.succeed(event, 'pin 1234', { value: 'pin ****' })
  }
  const { message } = await turn.done
  const { output, hostOutput: rewritten } = message.blocks.find((block) => block.type === 'tool_use')
  assert.deepEqual(
    [output, rewritten, server.requests[1].body.messages.at(-1).content],
    ['pin 1234', { text: 'pin ****' }, 'pin ****'],
  )
})

test('an afterTool that fails: the model reads that the tool ran, and nothing of its result', async (t) => {
  for (const [afterTool, said] of [
    [
      () => {
        throw new Error('no filter')
      },
      /The tool ran, .*afterTool threw: no filter/,
    ],
    [() => 'text', /The tool ran, .*afterTool gave back "text", expected \{ value \}/],
    [() => ({ error: 5 }), /The tool ran, .*afterTool gave back an object/],
    [never, /The tool ran, .*afterTool did not answer within 30 ms/],
  ]) {
    const { server, run } = await stage(t, {
      answers: [callsEcho, { text: 'Done.' }],
      tools: [echo({ execute: () => 'SECRET' })],
    })
    const warned = once(process, 'warning')
    const { outcome, message } = await run({ afterTool, hookTimeoutMs: 30 }).done
    const { content } = server.requests[1].body.messages.at(-1)
    assert.equal(outcome, 'completed')
    assert.match(content, said)
    assert.doesNotMatch(JSON.stringify([content, message]), /SECRET/)
    assert.match((await warned)[0].message, /afterTool/)
  }
})

test('a tool knows its call, its run and what the app gave to it', async (t) => {
  let seen
  const execute = (_, context) => {
    seen = context
  }
  const { run } = await stage(t, { answers: [callsEcho, { text: 'x' }], tools: [echo({ execute, timeoutMs: 5000 })] })
  const user = { name: 'Ann' }
  const own = run({ context: { user } })
  await own.done
  const { signal, progress, deadline, context, call, file, ...rest } = seen
  assert.deepEqual([typeof call, typeof file], ['function', 'function'])
  assert.deepEqual(rest, {
    number: 1,
    name: 'echo.back',
    key: `${own.id}:1:f996d633446d161c96a11d87b75d5524`,
    id: 'call_a',
    round: 1,
    source: 'native',
    protocolFields: {},
    files: [],
  })
  assert.throws(() => file('file_3fa2c1'), { code: 'not_found' })
  assert.equal(context.user, user)
  assert.ok(deadline > Date.now() && deadline <= Date.now() + 5000)
  assert.equal(signal.aborted, false)
  progress('too late')
})

test('progress counts, and nonsense is the fault of the tool', async (t) => {
  const execute = (_, { progress }) => {
    progress({ done: 2, total: 5, text: 'reading' })
    progress({ done: 3 })
    progress('nearly')
    assert.throws(() => progress({ total: 5 }), { code: 'option', path: 'report' })
    progress({ done: Infinity })
  }
  const { run } = await stage(t, { answers: [callsEcho, { text: 'x' }], tools: [echo({ execute })] })
  const events = []
  const own = run({ onEvent: (event) => events.push(event) })
  await own.done
  assert.deepEqual(
    ofType(events, 'progress').map(({ text, done, total }) => [text, done, total]),
    [
      ['reading (2 / 5)', 2, 5],
      ['3', 3, undefined],
      ['nearly', undefined, undefined],
    ],
  )
  assert.match(cards(await own.done)[0].error, /report: found an object/)
})

test('onEvent gets every event, and may answer questions', async (t) => {
  const { run } = await stage(t, {
    answers: [callsEcho, { text: 'Done.' }],
    tools: [echo({ permission: 'sensitive' })],
  })
  const events = []
  const own = run({
    onEvent: (event) => {
      events.push(event)
      if (event.type === 'approval') own.approve(event)
    },
  })
  const result = await own.done
  assert.deepEqual([cards(result)[0].status, events.at(-1).type], ['success', 'done'])
  assert.deepEqual(events, await collect(own))
})

test('an onEvent that throws is a warning', async (t) => {
  const { run } = await stage(t, { answers: [{ text: 'x' }] })
  const warned = once(process, 'warning')
  assert.equal(
    (
      await run({
        onEvent: () => {
          throw new Error('no window')
        },
      }).done
    ).outcome,
    'completed',
  )
  assert.match((await warned)[0].message, /onEvent threw: no window/)
})

test('the text of a run: as it arrives, and when it has ended', async (t) => {
  const { run } = await stage(t, {
    answers: () => ({ text: 'One two three.', usage: { prompt_tokens: 3, completion_tokens: 5 } }),
    flushMs: 0,
  })
  const own = run()
  const pieces = []
  for await (const piece of own.textStream) pieces.push(piece)
  assert.ok(pieces.length > 1)
  assert.equal(pieces.join(''), 'One two three.')
  assert.equal(await own.text, 'One two three.')
  assert.deepEqual(await own.usage, { inputTokens: 3, outputTokens: 5 })
  assert.equal((await own.message).blocks[0].text, 'One two three.')
  assert.deepEqual(own.snapshot, await own.message)
})

test('the text of a turn that failed is not simply empty', async (t) => {
  const { run } = await stage(t, { answers: () => ({ status: 401, error: 'Incorrect API key' }) })
  const own = run()
  const failed = (error) =>
    SluiceError.is(error) &&
    error.code === 'failed' &&
    /Incorrect API key/.test(error.message) &&
    error.cause.status === 401
  await assert.rejects(own.text, failed)
  await assert.rejects(async () => {
    for await (const _ of own.textStream);
  }, failed)
  assert.equal((await own.message).blocks[0].type, 'error')
  assert.equal(await own.usage, undefined)
})

test('who reads only the text is nobody who answers questions', async (t) => {
  const { run } = await stage(t, {
    answers: [callsEcho, { text: 'Pity.' }],
    tools: [echo({ permission: 'sensitive' })],
  })
  const own = run()
  let text = ''
  for await (const piece of own.textStream) text += piece
  assert.equal(text, 'Well, Pity.')
  assert.equal(cards(await own.done)[0].status, 'denied')
})

test('ReadableStream.from(run) streams events, and leaving it is leaving the run', async (t) => {
  const { run } = await stage(t, { answers: () => callsEcho, tools: [echo({ permission: 'sensitive' })] })
  const own = run({ maxRounds: 1 })
  const reader = ReadableStream.from(own).getReader()
  for (let piece = await reader.read(); piece.value.type !== 'approval'; piece = await reader.read());
  await delay(20)
  assert.equal(cards({ message: own.snapshot })[0].status, 'awaiting_approval')
  await reader.cancel()
  assert.equal(cards(await own.done)[0].reason, 'policy')
})

test('whatever a hook does, the turn ends, names it, and runs nothing that was not approved', async (t) => {
  const faults = {
    throws: () => {
      throw new Error('broken')
    },
    rejects: async () => {
      throw new Error('broken')
    },
    'throws no error': () => {
      throw null
    },
    hangs: never,
    'gives a number': () => 42,
    'gives text': () => 'nonsense',
    'gives a list': () => [{}],
    'gives an object of no use': () => ({ nonsense: true }),
    'gives what cannot be read': () =>
      new Proxy(
        {},
        {
          get() {
            throw new Error('unreadable')
          },
          ownKeys() {
            throw new Error('unreadable')
          },
        },
      ),
  }
  /** Each with the ways to fail that it has: what `checkpoint` or `ipc` gives back is nobody's business. */
  const mute = ['throws', 'rejects', 'throws no error']
  const places = {
    beforeRequest: Object.keys(faults),
    afterTool: Object.keys(faults),
    retries: Object.keys(faults).filter((fault) => fault !== 'gives a number'),
    // what it throws is the network's, and it may take its time
    transport: Object.keys(faults).filter((fault) => fault.startsWith('gives') && !fault.endsWith('read')),
    checkpoint: [...mute, 'hangs'],
    onEvent: mute,
    'approvals.execution': Object.keys(faults),
    'approvals.result': Object.keys(faults),
  }
  const warnings = []
  const listen = ({ message }) => warnings.push(message)
  process.on('warning', listen)
  t.after(() => process.off('warning', listen))
  for (const [hook, ways] of Object.entries(places)) {
    for (const way of ways) {
      const [name, part] = hook.split('.')
      let ran = 0
      const answers = ({ body }) =>
        hook === 'retries'
          ? { status: 503, error: 'overloaded' }
          : body.messages.length === 1
            ? callsEcho
            : { text: 'Done.' }
      const { server, run } = await stage(t, {
        answers,
        tools: [echo({ permission: 'sensitive', resultApproval: 'always', execute: () => `SECRET ${++ran}` })],
      })
      const approvals = { execution: () => 'once', result: () => 'release', ...(part ? { [part]: faults[way] } : {}) }
      warnings.length = 0
      const { outcome, error, message } = await run({
        approvals,
        ...(part ? {} : { [name]: faults[way] }),
        hookTimeoutMs: way === 'hangs' ? 20 : 10_000,
        approvalTimeoutMs: way === 'hangs' && part ? 60 : 0,
      }).done // one that hung would end with the test
      await new Promise(setImmediate)
      const where = `${hook} ${way}: ${outcome}, ${JSON.stringify(error)}, ${warnings.join('; ')}`
      const [card] = cards({ message })
      assert.notEqual(outcome, 'cancelled', where)
      assert.equal(ran, ['afterTool', 'onEvent', 'approvals.result'].includes(hook) ? 1 : 0, where)
      if (['afterTool', 'approvals.result'].includes(hook))
        assert.doesNotMatch(JSON.stringify(server.requests.at(-1).body), /SECRET/, where)
      const hanging = part && way === 'hangs' // a person may take their time: the question expires
      if (hanging) assert.equal(card.approvals.at(-1).decision, 'expired', where)
      else
        assert.ok(
          [error?.detail, ...warnings].some((said) => said?.includes(hook)),
          where,
        )
      assert.equal(
        outcome,
        { beforeRequest: 'failed', retries: 'failed', transport: 'failed', checkpoint: 'suspended' }[hook] ??
          'completed',
        where,
      )
      if (outcome === 'failed') assert.equal(error.code, 'hook', where)
    }
  }
})
