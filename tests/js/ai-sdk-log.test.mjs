// What is told of an answer while it is written: the log, and who reads from it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatHandler, memoryLog, encryptedLog } from 'sluice/ai-sdk'
import { memoryConversations } from 'sluice/conversations'
import { warnings } from './page-store.mjs'
import { callsEcho, echo, stage } from './support.mjs'

const api = 'http://app.test/api/chat'
const said = (text, id = 'm1') => ({ id, role: 'user', parts: [{ type: 'text', text }] })
const soon = () => new Promise((resolve) => setTimeout(resolve, 2))

async function all(log, id, onItem = () => {}) {
  const items = []
  for await (const { logNumber, chunks } of log.read(id)) {
    items.push([logNumber, ...chunks])
    await onItem(items)
  }
  return items
}

test('a reader gets everything from the beginning, then what comes, to the end', async () => {
  const log = memoryLog()
  assert.deepEqual(await all(log, 'a'), [], 'nothing is written')
  log.append('a', 1, ['1', '2'])
  const early = all(log, 'a')
  await soon()
  log.append('a', 1, ['3'])
  log.append('b', 1, ['other'])
  const late = all(log, 'a')
  await soon()
  log.end('a', 1)
  assert.deepEqual(
    [await early, await late],
    [
      [
        [1, '1', '2'],
        [1, '3'],
      ],
      [[1, '1', '2', '3']],
    ],
  )
  assert.deepEqual(await all(log, 'a'), [], 'it is forgotten')
})

test('encryptedLog: the log holds no plain text, and a chunk is decrypted by its key, in its answer and at its index alone', async () => {
  const [key, next, other] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte))
  const held = []
  const inner = {
    append: (id, logNumber, chunks) => void held.push({ id, logNumber, chunks }),
    end: () => {},
    read: async function* (id) {
      for (const { logNumber, chunks } of held.filter((one) => one.id === id)) yield { logNumber, chunks }
    },
  }
  const log = encryptedLog(inner, key)
  await log.append('a', 1, ['"an old one"'])
  await log.append('a', 2, ['"secret 1"', '"secret 2"'])
  await log.append('a', 2, ['"secret 3"'])
  await log.append('b', 2, ['"of another"'])
  const told = [
    [1, '"an old one"'],
    [2, '"secret 1"', '"secret 2"'],
    [2, '"secret 3"'],
  ]
  assert.deepEqual(await all(log, 'a'), told)
  assert.deepEqual(await all(encryptedLog(inner, [next, key]), 'a'), told, 'a key that was in use before decrypts')
  assert.doesNotMatch(JSON.stringify(held), /secret|an old one|another/)
  const refused = async (log, what, why = /cannot be decrypted: .* changed/) =>
    assert.rejects(
      all(log, 'a'),
      (error) =>
        error.code === 'storage' &&
        error.path === 'a' &&
        why.test(error.detail) &&
        error.hint === 'give encryption the key it was written with: [new, old]',
      what,
    )
  await refused(encryptedLog(inner, other), 'another key')
  const [first, second, third, fourth] = held.map(({ chunks }) => [...chunks])
  for (const [what, chunks] of [
    ['a chunk is left out', [second[1]]],
    ['two are changed', [...second].reverse()],
    ['one comes twice', [second[0], second[0]]],
    ['one of another log', first],
    ['one of another answer', fourth],
    ['cut short', [second[0].slice(0, 20)]],
  ]) {
    held[1].chunks = chunks
    await refused(log, what)
  }
  held[1].chunks = ['"secret 1"']
  await refused(log, 'plain text', /is plain text/)
  held[1].chunks = second
  held[2].chunks = third
  await log.end('a', 2)
  await log.append('a', 3, ['"anew"'])
  assert.deepEqual((await all(log, 'a')).at(-1), [3, '"anew"'])
  for (const short of ['x'.repeat(31), new Uint8Array(31)])
    assert.throws(() => encryptedLog(inner, short), { code: 'option', path: 'encryption' })
  assert.throws(() => encryptedLog({}, key), { code: 'option', path: 'log' })
})

test('encryptedLog: chunks keep their order, however long each encryption takes, and a function that fails ends the log', async () => {
  const inner = memoryLog()
  const waits = []
  const functions = {
    encrypt: (text) =>
      text.endsWith('"fails"')
        ? Promise.reject(new Error('the key service is away'))
        : new Promise((resolve) => waits.push(() => resolve(text))),
    decrypt: (text) => text,
  }
  const log = encryptedLog(inner, functions)
  const appended = [log.append('a', 1, ['"1"', '"2"']), log.append('a', 1, ['"3"'])]
  for (const resolve of waits.reverse()) resolve()
  await Promise.all(appended)
  const ended = log.end('a', 1)
  const read = log.read('a')
  assert.deepEqual((await read.next()).value.chunks, ['"1"', '"2"', '"3"'])
  await ended
  assert.equal((await read.next()).done, true)
  const failing = [log.append('b', 1, ['"fails"']), log.append('b', 1, ['"4"'])]
  waits.at(-1)()
  for (const one of failing)
    await assert.rejects(one, { code: 'storage', path: 'b', message: /is not saved: the key service is away/ })
  assert.equal((await inner.read('b').next()).done, true, 'nothing follows a chunk that is missing')
})

test('chatHandler: a log that another process encrypts is not sent to a page of a process without the key', async (t) => {
  const noted = warnings(t)
  const inner = memoryLog()
  await encryptedLog(inner, new Uint8Array(32)).append('chat', 1, ['"secret"'])
  const { handler } = await served(t, { answers: [], log: inner })
  const replayed = await handler()(new Request(`${api}/chat/stream`))
  assert.equal(replayed.status, 500)
  assert.match(noted.join(), /a chunk of the answer is encrypted, and encryption is not given/)
})

test('a later log begins anew for every reader, and the one before it can write nothing more', async () => {
  const log = memoryLog()
  log.append('a', 1, ['old'])
  const reader = all(log, 'a', async (items) => {
    if (items.length === 1) log.append('a', 1, ['never read'])
  })
  await soon()
  log.append('a', 2, ['new'])
  await soon()
  assert.throws(() => log.append('a', 1, ['late']), /log 1 of a is over/)
  log.end('a', 1)
  log.append('a', 2, ['more'])
  await soon()
  log.end('a', 2)
  const items = await reader
  assert.deepEqual(
    items.filter(([logNumber]) => logNumber === 2),
    [
      [2, 'new'],
      [2, 'more'],
    ],
  )
  assert.ok(items.every(([logNumber, ...chunks]) => logNumber === 2 || !chunks.includes('new')))
})

test('of a long answer the end is kept: those who read along have it, those who come do not', async () => {
  const log = memoryLog({ maxLength: 100 })
  log.append('a', 1, ['x'])
  const along = all(log, 'a')
  for (let n = 0; n < 50; n++) {
    log.append('a', 1, ['y'.repeat(10)])
    await soon()
  }
  await assert.rejects(all(log, 'a'), /longer than 100 characters/)
  log.end('a', 1)
  assert.equal((await along).flat().filter((chunk) => chunk !== 1).length, 51)
  assert.throws(() => memoryLog({ maxLength: 0 }), { path: 'maxLength' })
})

/** A handler with this log; `sdk(path)` gives a response. */
async function served(t, { answers, log, store = memoryConversations(), ...options }) {
  const { server, engine } = await stage(t, { answers, tools: [echo({ permission: 'sensitive' })] })
  const handler = (more) =>
    chatHandler(engine, {
      run: () => ({ model: { baseURL: server.baseURL, name: 'scripted' } }),
      store,
      authorize: () => true,
      log,
      ...options,
      ...more,
    })
  const post = (one, messages) =>
    one(new Request(api, { method: 'POST', body: JSON.stringify({ id: 'chat', messages }) }))
  const stream = (one) => one(new Request(`${api}/chat/stream`))
  return { server, store, handler, post, stream }
}
const textOf = (body) => [...body.matchAll(/"delta":"([^"]*)"/g)].map(([, text]) => text).join('')

test('any process that shares the log tells the answer from its beginning', async (t) => {
  let goOn
  const gate = new Promise((resolve) => (goOn = resolve))
  const inner = memoryLog()
  const ids = new Set()
  const log = {
    append: async (id, logNumber, chunks) => {
      await soon()
      ids.add(logNumber)
      inner.append(id, logNumber, chunks)
    },
    end: async (id, logNumber) => {
      await soon()
      inner.end(id, logNumber)
    },
    read: (id) => inner.read(id),
  }
  const { handler, post, stream } = await served(t, {
    answers: [{ parts: [{ text: 'Half' }, { wait: gate }, { text: ' and half.' }] }],
    log,
  })
  const [one, other] = [handler(), handler()]
  assert.equal((await stream(other)).status, 204)
  const own = await post(one, [said('Hello')])
  const foreign = await stream(other)
  assert.equal(foreign.status, 200)
  goOn()
  const [here, there] = await Promise.all([own.text(), foreign.text()])
  assert.equal(textOf(here), 'Half and half.')
  assert.equal(here, there)
  assert.equal(ids.size, 1)
  assert.equal((await stream(other)).status, 204)
})

test('the second leg of an answer has its own log number, and a replay of it has the first', async (t) => {
  const logNumbers = []
  const inner = memoryLog()
  const log = {
    append: (id, logNumber, chunks) => {
      if (logNumber !== logNumbers.at(-1)) logNumbers.push(logNumber)
      inner.append(id, logNumber, chunks)
    },
    end: (id, logNumber) => inner.end(id, logNumber),
    read: (id) => inner.read(id),
  }
  let goOn
  const gate = new Promise((resolve) => (goOn = resolve))
  const { handler, post, stream } = await served(t, {
    answers: [callsEcho, { parts: [{ text: 'Do' }, { wait: gate }, { text: 'ne.' }] }],
    log,
  })
  const one = handler()
  const first = await (await post(one, [said('Hello')])).text()
  const { approvalId, toolCallId } = JSON.parse(/\{"type":"tool-approval-request".*\}/.exec(first)[0])
  const { messageId } = JSON.parse(/\{"type":"start",.*\}/.exec(first)[0])
  const leg = await post(one, [
    said('Hello'),
    {
      id: messageId,
      role: 'assistant',
      parts: [
        {
          type: 'tool-echo.back',
          toolCallId,
          state: 'approval-responded',
          approval: { id: approvalId, approved: true },
        },
      ],
    },
  ])
  const replay = await stream(one)
  goOn()
  const [second, whole] = await Promise.all([leg.text(), replay.text()])
  assert.deepEqual(
    [
      textOf(second).includes('Well, '),
      textOf(second).endsWith('Done.'),
      textOf(whole).startsWith('Well, '),
      textOf(whole).endsWith('Done.'),
    ],
    [false, true, true, true],
  )
  assert.ok(logNumbers.length === 2 && logNumbers[1] > logNumbers[0], String(logNumbers))
})

test('readers of an answer that begins anew elsewhere are cut off: nothing is mixed', async (t) => {
  const log = memoryLog()
  const { handler, post } = await served(t, {
    answers: [{ parts: [{ text: 'Half' }, { wait: 60_000 }] }],
    log,
    onDisconnect: 'continue',
  })
  const one = handler()
  const response = await post(one, [said('Hello')])
  const reader = response.body.getReader()
  let text = ''
  while (!text.includes('Half')) text += new TextDecoder().decode((await reader.read()).value)
  log.append('chat', Date.now() + 60_000, ['{"type":"start","messageId":"other"}'])
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  }, /begins anew/)
  await one(new Request(`${api}/chat/stop`, { method: 'POST' }))
})

test('a log that fails cuts its readers off; the answer is kept', async (t) => {
  const inner = memoryLog()
  let broken = false
  const log = {
    append: (id, logNumber, chunks) => {
      if (broken) throw new Error('the log is gone')
      inner.append(id, logNumber, chunks)
    },
    end: (id, logNumber) => inner.end(id, logNumber),
    read: (id) => inner.read(id),
  }
  let goOn
  const gate = new Promise((resolve) => (goOn = resolve))
  const { handler, post, store } = await served(t, {
    answers: [{ parts: [{ text: 'Half' }, { wait: gate }, { text: ' and half.' }] }, { text: 'Yes.' }],
    log,
    onDisconnect: 'continue',
  })
  const one = handler()
  const reader = (await post(one, [said('Hello')])).body.getReader()
  let text = ''
  while (!text.includes('Half')) text += new TextDecoder().decode((await reader.read()).value)
  broken = true
  goOn()
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  }, /the log is gone/)
  for (let kept; kept === undefined; kept = (await store.load('chat')).entries[1]) await soon()
  assert.equal((await store.load('chat')).entries[1].history[0].content, 'Half and half.')
  assert.equal((await post(one, [said('More', 'm2')])).status, 500, 'nobody can be told anything')
})

test('a log is checked', async (t) => {
  const { handler } = await served(t, { answers: [], log: memoryLog() })
  assert.throws(() => handler({ log: {} }), { path: 'log' })
})

/**
 * A store that keeps an answer at its end, or where it waits, when it is told to: `saving` resolves where one is there,
 * `goOn` keeps it. What is saved on the way is kept at once.
 */
function slow(inner = memoryConversations()) {
  let [began, goOn] = []
  const saving = new Promise((resolve) => (began = resolve))
  const gate = new Promise((resolve) => (goOn = resolve))
  const save = async (id, change) => {
    if (
      change.entries?.some(({ state, message }) => state !== undefined || (message && message.outcome !== 'cancelled'))
    )
      began(), await gate
    return await inner.save(id, change)
  }
  return {
    saving,
    goOn,
    store: { load: (...given) => inner.load(...given), bytes: (...given) => inner.bytes(...given), save },
  }
}

/** What a page has of the first question of a stream, while that is read. */
async function questionOf(response) {
  const reader = response.body.getReader()
  let text = ''
  while (!text.includes('tool-approval-request')) text += new TextDecoder().decode((await reader.read()).value)
  const { approvalId, toolCallId } = JSON.parse(/\{"type":"tool-approval-request".*\}/.exec(text)[0])
  const rest = (async () => {
    while (!(await reader.read()).done);
  })()
  return { approvalId, toolCallId, messageId: JSON.parse(/\{"type":"start",.*\}/.exec(text)[0]).messageId, rest }
}

for (const approved of [true, false]) {
  test(`a decision that comes while the answer is being saved is refused as such, or waits for it: ${approved ? 'yes' : 'no'}`, async (t) => {
    const { saving, goOn, store } = slow()
    const { handler, post, server } = await served(t, { answers: [callsEcho, { text: 'Done.' }], store })
    const one = handler()
    const { approvalId, toolCallId, messageId, rest } = await questionOf(await post(one, [said('Hello')]))
    await saving
    const refused = await one(
      new Request(`${api}/chat/decide`, { method: 'POST', body: JSON.stringify({ approvalId, approved }) }),
    )
    assert.equal(refused.status, 409)
    assert.match(await refused.text(), /send the decision with the message/)
    const second = post(one, [
      said('Hello'),
      {
        id: messageId,
        role: 'assistant',
        parts: [
          { type: 'tool-echo.back', toolCallId, state: 'approval-responded', approval: { id: approvalId, approved } },
        ],
      },
    ])
    await soon()
    goOn()
    await rest
    assert.equal(textOf(await (await second).text()), 'Done.')
    assert.equal(server.requests.length, 2)
    const [, { message, state }] = (await store.load('chat')).entries
    assert.deepEqual(
      [message.outcome, state, message.blocks.find(({ type }) => type === 'tool_use').status],
      ['completed', undefined, approved ? 'success' : 'denied'],
    )
  })
}

test('an answer that is being saved, and waits then, is stopped', async (t) => {
  const { saving, goOn, store } = slow()
  const { handler, post } = await served(t, { answers: [callsEcho], store })
  const one = handler()
  const { rest } = await questionOf(await post(one, [said('Hello')]))
  await saving
  const stopped = one(
    new Request(`${api}/chat/stop`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }),
  )
  await soon()
  goOn()
  assert.deepEqual(await (await stopped).json(), { stopped: true })
  await rest
  const [, { message, state }] = (await store.load('chat')).entries
  assert.deepEqual([message.outcome, state], ['cancelled', undefined])
})

test('a log gives each leg a number of its own, whatever the clocks of its processes say', async (t) => {
  const log = memoryLog()
  assert.deepEqual([log.begin('a', 7), log.begin('a', 7)], [7, 7], 'nothing is told yet')
  log.append('a', 7, ['x'])
  assert.deepEqual([log.begin('a', 3), log.begin('a', 9)], [8, 9])
  const logNumbers = []
  const shared = {
    append: (id, logNumber) => {
      logNumbers.push(logNumber)
    },
    end: () => {},
    read: async function* () {},
    begin: (_, least) => {
      logNumbers.push('asked')
      return least + 1e6
    },
  }
  const { handler, post } = await served(t, {
    answers: [{ text: 'Hi' }],
    log: encryptedLog(shared, new Uint8Array(32)),
    onDisconnect: 'continue',
  })
  await (await post(handler(), [said('Hello')])).text()
  assert.deepEqual(logNumbers.slice(0, 1), ['asked'])
  assert.ok(logNumbers.slice(1).length > 0 && logNumbers.slice(1).every((logNumber) => logNumber > Date.now()))
})

test('an answer is over in the store only when the log knows its leg: the next leg comes later in the log', async (t) => {
  const { server, engine } = await stage(t, { answers: [{ text: 'One.' }, { text: 'Two.' }] })
  const store = memoryConversations()
  const inner = memoryLog()
  let begin
  const slow = {
    begin: () => new Promise((resolve) => (begin = () => resolve(Date.now()))),
    append: (...given) => inner.append(...given),
    end: (...given) => inner.end(...given),
    read: (id) => inner.read(id),
  }
  const handler = chatHandler(engine, {
    run: () => ({ model: { baseURL: server.baseURL, name: 'scripted' } }),
    store,
    authorize: () => true,
    log: slow,
  })
  const answer = handler(
    new Request(api, { method: 'POST', body: JSON.stringify({ id: 'chat', messages: [said('Hello')] }) }),
  )
  const outcome = async () => (await store.load('chat'))?.entries[1]?.message.outcome
  while (server.requests.length === 0 || begin === undefined) await soon()
  for (let times = 0; times < 100; times++) await soon()
  assert.notEqual(await outcome(), 'completed')
  begin()
  assert.match(await (await answer).text(), /"delta":"One\."/)
  assert.equal(await outcome(), 'completed')
})
