// Without a store a client can send an old request again: each approval, and each result of a page's tool, counts once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatHandler, memorySpend, pageStore } from 'sluice/ai-sdk'
import { answered, copy, encryption, ofType, once, said, served, warnings } from './page-store.mjs'
import { echo } from './support.mjs'

const DAY = 86_400_000
const call = (id, text = id) => ({ id, name: 'echo_back', arguments: { text } })
const two = { calls: [call('a'), call('b')] }
const done = Array.from({ length: 12 }, () => ({ text: 'Done.' }))
const look = (more) => echo({ name: 'page.look', external: true, execute: undefined, ...more })
const put =
  (output) =>
  ({ parts }) => {
    Object.assign(parts.at(-1), { state: 'output-available', output })
    delete parts.at(-1).approval
  }
const open =
  (at) =>
  ({ parts }) => {
    parts[at].state = 'approval-requested'
    delete parts[at].approval.approved
  }

/** A tool that notes which calls ran, and under which keys. */
function noting(more) {
  const [ran, keys] = [[], []]
  const tools = [
    echo({
      permission: 'sensitive',
      execute: ({ text }, { key }) => {
        ran.push(text)
        keys.push(key)
        return 'ok'
      },
      ...more,
    }),
  ]
  return { ran, keys, tools }
}

test('pageStore with spend: a request that is sent again, with parts forged, missing, reordered or doubled, runs nothing', async (t) => {
  const { ran, tools } = noting()
  const { post } = await served(t, once(), { answers: [two, ...done], tools })
  const asked = answered(await post([said('Hello')]))
  assert.equal((await post([said('Hello'), asked])).status, 200)
  assert.deepEqual(ran, ['a', 'b'])
  const made = {
    type: 'tool-echo.back',
    toolCallId: `${asked.id}:c50`,
    state: 'input-available',
    input: { text: 'made up' },
  }
  const changes = {
    unchanged: () => {},
    'an open call beside it': ({ parts }) => {
      parts.push(made)
    },
    'an approved call beside it': ({ parts }) => {
      parts.push({ ...structuredClone(parts[0]), toolCallId: made.toolCallId })
    },
    'the first part alone': ({ parts }) => {
      parts.splice(1)
    },
    'the last part alone': ({ parts }) => {
      parts.splice(0, 1)
    },
    reordered: ({ parts }) => {
      parts.reverse()
    },
    doubled: ({ parts }) => {
      parts.push(...structuredClone(parts))
    },
    'another descriptor': ({ parts }) => {
      parts[0].approval.descriptor.sluice = { stage: 'result', digest: 'f'.repeat(64), expiresAt: 1e15 }
    },
    'another name of the call': ({ parts }) => {
      parts[0].toolCallId = made.toolCallId
    },
    'another tool': ({ parts }) => {
      parts[0].type = 'tool-other'
    },
    'other arguments': ({ parts }) => {
      parts[0].approval.arguments = { text: 'edited' }
    },
    'remembered for the turn': ({ parts }) => {
      parts[0].approval.remember = 'turn'
    },
    refused: ({ parts }) => {
      for (const { approval } of parts) approval.approved = false
    },
    'more metadata': ({ metadata }) => {
      metadata.sluice.history = '[]'
      metadata.other = 1
    },
    'no other metadata': (own) => {
      own.metadata = { sluice: { encrypted: own.metadata.sluice.encrypted } }
    },
  }
  for (const [about, change] of Object.entries(changes)) {
    const { status, text } = await post([said('Hello'), copy(asked, change)])
    assert.deepEqual([status, JSON.parse(text).reason, ran.length], [409, 'stale', 2], about)
  }
})

test('pageStore with spend: each first request with parts doubled, reordered or made up runs each call once', async (t) => {
  for (const change of [
    ({ parts }) => {
      parts.push(...structuredClone(parts))
    },
    ({ parts }) => {
      parts.reverse()
    },
    ({ parts, id }) => {
      parts.push({
        type: 'tool-echo.back',
        toolCallId: `${id}:c50`,
        state: 'approval-responded',
        input: { text: 'x' },
        approval: { id: `${id}:50:execution:${'0'.repeat(32)}`, approved: true },
      })
    },
  ]) {
    const { ran, tools } = noting()
    const { post } = await served(t, once(), { answers: [two, ...done], tools })
    const asked = answered(await post([said('Hello')]))
    assert.deepEqual(
      [(await post([said('Hello'), copy(asked, change)])).status, ran.toSorted()],
      [200, ['a', 'b']],
      String(change),
    )
  }
})

test('pageStore with spend: two handlers with one list run a call once, also at once and where the list is slow', async (t) => {
  for (const at of ['one after the other', 'at once', 'at once, and slowly']) {
    const { ran, tools } = noting()
    const list = memorySpend()
    const spend = at.endsWith('slowly')
      ? async (key, expiresAt) => {
          await new Promise((resolve) => setTimeout(resolve, 20))
          return list(key, expiresAt)
        }
      : list
    const first = await served(t, pageStore({ encryption, spend }), { answers: [two, ...done], tools })
    const other = await served(t, pageStore({ encryption, spend }), { answers: done, tools })
    const asked = answered(await first.post([said('Hello')]))
    const posts = [first, other].map(
      ({ post }) =>
        () =>
          post([said('Hello'), asked]),
    )
    const got =
      at === 'one after the other'
        ? [await posts[0](), await posts[1]()]
        : await Promise.all(posts.map((post) => post()))
    assert.deepEqual(
      [got.map(({ status }) => status).toSorted(), ran.toSorted()],
      [
        [200, 409],
        ['a', 'b'],
      ],
      at,
    )
  }
})

test('pageStore with spend: two requests at once with different decisions about one answer: one of them counts', async (t) => {
  const { ran, tools } = noting()
  const spend = memorySpend()
  const first = await served(t, pageStore({ encryption, spend }), { answers: [two, ...done], tools })
  const other = await served(t, pageStore({ encryption, spend }), { answers: done, tools })
  const asked = answered(await first.post([said('Hello')]))
  // With this the tool needs no approval for the rest of the turn: the other request must not approve the second call
  // again.
  const remembered = copy(asked, (own) => {
    own.parts[0].approval.remember = 'turn'
    open(1)(own)
  })
  const got = await Promise.all([
    first.post([said('Hello'), remembered]),
    other.post([said('Hello'), copy(asked, open(0))]),
  ])
  assert.deepEqual(got.map(({ status }) => status).toSorted(), [200, 409])
  assert.equal(new Set(ran).size, ran.length, String(ran))
  assert.equal((await other.post([said('Hello'), copy(asked, open(0))])).status, 409)
  assert.equal(new Set(ran).size, ran.length, String(ran))
})

test('pageStore with spend: the same request twice at once, to one handler, runs a call once', async (t) => {
  const { ran, tools } = noting()
  const list = memorySpend()
  const spend = async (key, expiresAt) => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    return list(key, expiresAt)
  }
  const { post } = await served(t, pageStore({ encryption, spend }), { answers: [two, ...done], tools })
  const asked = answered(await post([said('Hello')]))
  const got = await Promise.all([post([said('Hello'), asked]), post([said('Hello'), asked])])
  assert.ok(
    got.every(({ status }) => status === 200 || status === 409) && got.some(({ status }) => status === 200),
    String(got.map(({ status }) => status)),
  )
  assert.deepEqual(ran.toSorted(), ['a', 'b'])
})

test('pageStore with spend: a denial is spent as well', async (t) => {
  const { ran, tools } = noting()
  const { post, server } = await served(t, once(), { answers: [{ calls: [call('a')] }, ...done], tools })
  const asked = answered(await post([said('Hello')]))
  assert.equal(
    (
      await post([
        said('Hello'),
        copy(asked, ({ parts }) => {
          parts[0].approval.approved = false
        }),
      ])
    ).status,
    200,
  )
  assert.equal((await post([said('Hello'), asked])).status, 409)
  assert.deepEqual([ran, server.requests.length], [[], 2])
})

test('pageStore with spend: one question of two is answered, and then the other one; neither counts again', async (t) => {
  const { ran, tools } = noting()
  const { post } = await served(t, once(), { answers: [two, ...done], tools })
  const asked = answered(await post([said('Hello')]))
  const second = await post([said('Hello'), copy(asked, open(1))])
  assert.deepEqual([second.status, ran], [200, ['a']])
  const rest = copy(asked, (own) => {
    own.parts.shift()
    own.metadata.sluice = {
      ...own.metadata.sluice,
      ...ofType(second.chunks, 'message-metadata').at(-1).messageMetadata.sluice,
    }
  })
  assert.deepEqual(
    [
      (
        await post([
          said('Hello'),
          copy(rest, ({ metadata }) => {
            metadata.sluice.encrypted = asked.metadata.sluice.encrypted
          }),
        ])
      ).status,
      ran,
    ],
    [409, ['a']],
    'not behind the state before',
  )
  assert.deepEqual([(await post([said('Hello'), rest])).status, ran], [200, ['a', 'b']])
  for (const again of [rest, asked])
    assert.deepEqual([(await post([said('Hello'), again])).status, ran.length], [409, 2])
})

test('pageStore with spend: a result of the page counts once, and no other result after it', async (t) => {
  const { post, server } = await served(t, once(), {
    answers: [{ calls: [{ id: 'a', name: 'page_look', arguments: { text: 'x' } }] }, ...done],
    tools: [look()],
  })
  const asked = answered(await post([said('Hello')]))
  assert.equal((await post([said('Hello'), copy(asked, put('one'))])).status, 200)
  for (const output of ['one', 'two']) {
    const { status, text } = await post([said('Hello'), copy(asked, put(output))])
    assert.deepEqual([status, JSON.parse(text).reason, server.requests.length], [409, 'stale', 2])
  }
})

test('pageStore: without its encrypted text, or with a changed one, a call of the page brings no result', async (t) => {
  const { post, server } = await served(t, once(), {
    answers: [{ calls: [{ id: 'a', name: 'page_look', arguments: { text: 'x' } }] }, ...done],
    tools: [look({ resultApproval: 'always' })],
  })
  const asked = answered(await post([said('Hello')]))
  for (const [status, change] of [
    [
      409,
      (own) => {
        delete own.metadata
      },
    ],
    [
      409,
      ({ metadata }) => {
        delete metadata.sluice.encrypted
      },
    ],
    [
      403,
      ({ metadata }) => {
        metadata.sluice.encrypted = `${metadata.sluice.encrypted.slice(0, -4)}AAAA`
      },
    ],
    [
      403,
      ({ metadata }) => {
        metadata.sluice.encrypted = null
      },
    ],
  ]) {
    assert.equal((await post([said('Hello'), copy(copy(asked, put('SECRET')), change)])).status, status, String(change))
    assert.equal(server.requests.length, 1)
  }
  const second = await post([said('Hello'), copy(asked, put('SECRET'))])
  assert.deepEqual(
    [
      second.status,
      ofType(second.chunks, 'tool-approval-request')[0].approvalDescriptor.sluice.stage,
      server.requests.length,
    ],
    [200, 'result', 1],
  )
  const message = copy(asked, (own) => {
    put('SECRET')(own)
    own.metadata = undefined
  })
  assert.equal((await post([said('Hello'), message, said('More', 'm2')])).status, 200)
  assert.ok(!JSON.stringify(server.requests.map(({ body }) => body)).includes('SECRET'))
})

test('pageStore: a result that waits leaves with the answer to its own question alone, and once', async (t) => {
  const result = 'the number of the account'
  const { post, server } = await served(t, once(), {
    answers: [{ calls: [call('a')] }, ...done],
    tools: [echo({ permission: 'sensitive', resultApproval: 'always', execute: () => result })],
  })
  const first = answered(await post([said('Hello')]))
  const second = await post([said('Hello'), first])
  const { encrypted } = ofType(second.chunks, 'message-metadata').at(-1).messageMetadata.sluice
  assert.ok(!Buffer.from(encrypted.slice(8), 'base64url').includes('account'))
  const before = copy(first, ({ metadata }) => {
    metadata.sluice.encrypted = encrypted
  }) // the decision lets it run, not out
  assert.deepEqual([(await post([said('Hello'), before])).status, server.requests.length], [409, 1])
  const [{ approvalId }] = ofType(second.chunks, 'tool-approval-request')
  const released = copy(before, ({ parts }) => {
    parts.at(-1).approval.id = approvalId
  })
  const got = [await post([said('Hello'), released]), await post([said('Hello'), released])]
  assert.deepEqual(
    [got.map(({ status }) => status), server.requests.length, ofType(got[0].chunks, 'tool-output-available')[0].output],
    [[200, 409], 2, result],
  )
})

test('pageStore with spend: arguments that do not fit are asked about again, and the answer to that counts once', async (t) => {
  const { ran, tools } = noting()
  const { post } = await served(t, once(), { answers: [{ calls: [call('a')] }, ...done], tools })
  const asked = answered(await post([said('Hello')]))
  const second = await post([
    said('Hello'),
    copy(asked, ({ parts }) => {
      parts[0].approval.arguments = { text: 7 }
    }),
  ])
  assert.deepEqual([second.status, ofType(second.chunks, 'tool-approval-request').length, ran], [200, 1, []])
  assert.equal((await post([said('Hello'), asked])).status, 409, 'not behind the state before')
  const again = copy(asked, ({ metadata }) => {
    Object.assign(metadata.sluice, ofType(second.chunks, 'message-metadata').at(-1).messageMetadata.sluice)
  })
  assert.deepEqual(
    [(await post([said('Hello'), again])).status, (await post([said('Hello'), again])).status, ran],
    [200, 409, ['a']],
  )
})

test('pageStore with spend: what was approved of a tool as it was approves nothing of it as it is', async (t) => {
  const spend = memorySpend()
  const version = (description) => noting({ description })
  const [old, now] = [version('Says it again.'), version('Says it again, to everybody.')]
  const asked = answered(
    await (
      await served(t, pageStore({ encryption, spend }), { answers: [{ calls: [call('a')] }], tools: old.tools })
    ).post([said('Hello')]),
  )
  const { post } = await served(t, pageStore({ encryption, spend }), { answers: done, tools: now.tools })
  const second = await post([said('Hello'), asked])
  assert.deepEqual(
    [second.status, ofType(second.chunks, 'tool-approval-request').length, now.ran, old.ran],
    [200, 1, [], []],
  )
})

test('pageStore with spend: a list that fails, or does not say, runs nothing, and the server hears why', async (t) => {
  const noted = warnings(t)
  for (const [spend, why] of [
    [
      () => {
        throw new Error('the list is gone')
      },
      /the list is gone/,
    ],
    [
      async () => {
        throw new Error('the list is away')
      },
      /the list is away/,
    ],
    [() => undefined, /found undefined, expected true or false/],
    [async () => 'OK', /found "OK", expected true or false/],
  ]) {
    const { ran, tools } = noting()
    const { post, server } = await served(t, pageStore({ encryption, spend }), { answers: [two, ...done], tools })
    const { status, text } = await post([said('Hello'), answered(await post([said('Hello')]))])
    assert.deepEqual([status, /cannot note/.test(text), ran, server.requests.length], [503, true, [], 1])
    assert.match(noted.at(-1) ?? '', why)
  }
})

test('pageStore with spend: all decisions are checked before one is spent', async (t) => {
  const spent = []
  const list = memorySpend()
  const { ran, tools } = noting()
  const { post } = await served(
    t,
    pageStore({
      encryption,
      spend: (key, expiresAt) => {
        spent.push(key)
        return list(key, expiresAt)
      },
    }),
    { answers: [two, ...done], tools },
  )
  const asked = answered(await post([said('Hello')]))
  for (const [status, change] of [
    [
      400,
      ({ parts }) => {
        parts[1].approval.approved = 'yes'
      },
    ],
    [
      400,
      ({ parts }) => {
        parts[1].approval.arguments = []
      },
    ],
    [
      409,
      ({ parts }) => {
        parts.forEach(({ approval }) => {
          approval.id += 'x'
        })
      },
    ],
  ]) {
    assert.deepEqual(
      [(await post([said('Hello'), copy(asked, change)])).status, spent, ran],
      [status, [], []],
      String(change),
    )
  }
  assert.equal((await post([said('Hello'), asked])).status, 200)
  assert.deepEqual(
    [ran, new Set(spent).size, spent.length, spent.every((key) => /^[0-9a-f]{64}$/.test(key))],
    [['a', 'b'], 3, 3, true],
    'the state of the answer, and each call',
  )
})

test('pageStore: a question can be answered for a day, or as long as the app says, and not after it', async (t) => {
  const { ran, tools } = noting()
  for (const [options, run, ms] of [
    [{}, {}, DAY],
    [{ approvalTimeoutMs: 5000 }, {}, 5000],
    [{}, { approvalTimeoutMs: 60_000 }, 60_000],
  ]) {
    const times = []
    const list = memorySpend()
    const spend = (key, expiresAt) => {
      times.push(expiresAt)
      return list(key, expiresAt)
    }
    const { post } = await served(t, pageStore({ encryption, ...options, spend }), {
      answers: [{ calls: [call('a')] }, ...done],
      tools,
      run,
    })
    const began = Date.now()
    const first = await post([said('Hello')])
    const [
      {
        approvalDescriptor: {
          sluice: { expiresAt },
        },
      },
    ] = ofType(first.chunks, 'tool-approval-request')
    assert.ok(expiresAt >= began + ms && expiresAt <= Date.now() + ms, `${expiresAt - began}`)
    const now = t.mock.method(Date, 'now', () => expiresAt)
    const late = await post([said('Hello'), answered(first)])
    now.mock.restore()
    assert.deepEqual([late.status, JSON.parse(late.text).reason, times.length], [409, 'stale', 0])
    const count = ran.length
    assert.equal((await post([said('Hello'), answered(first)])).status, 200)
    assert.deepEqual([ran.length, Math.max(...times) >= expiresAt, times.includes(expiresAt)], [count + 1, true, true])
  }
})

test('pageStore: a list that answers after the time is over runs nothing', async (t) => {
  const { ran, tools } = noting()
  let expiresAt
  const { post } = await served(
    t,
    pageStore({
      encryption,
      spend: () => {
        t.mock.method(Date, 'now', () => expiresAt)
        return true
      },
    }),
    { answers: [{ calls: [call('a')] }, ...done], tools },
  )
  const first = await post([said('Hello')])
  ;[
    {
      approvalDescriptor: {
        sluice: { expiresAt },
      },
    },
  ] = ofType(first.chunks, 'tool-approval-request')
  const { status } = await post([said('Hello'), answered(first)])
  assert.deepEqual([status, ran], [409, []])
})

test('pageStore without spend: the key of a call comes from its question alone, whatever a client sends again beside it', async (t) => {
  const { keys, tools } = noting({ idempotent: true })
  const { post } = await served(t, pageStore({ encryption }), { answers: [two, ...done], tools })
  const asked = answered(await post([said('Hello')]))
  const one = copy(asked, open(1))
  await post([said('Hello'), one])
  for (const change of [
    () => {},
    ({ parts }) => {
      parts[0].approval.arguments = { text: 'edited' }
    },
    ({ parts }) => {
      parts.splice(1)
    },
    ({ parts, id }) => {
      parts.push({ type: 'tool-echo.back', toolCallId: `${id}:c50`, state: 'input-available', input: {} })
    },
  ])
    assert.equal((await post([said('Hello'), copy(one, change)])).status, 200)
  assert.deepEqual([keys.length, new Set(keys).size], [5, 1])
  assert.match(keys[0], new RegExp(`^${asked.id}:1:[0-9a-f]{32}$`))
  await post([said('Hello'), asked])
  assert.deepEqual(
    [keys.length, new Set(keys).size],
    [7, 2],
    'the other call has another key, and this one keeps its own',
  )
})

test('pageStore: a call that waits for its turn over several requests keeps the key of its question', async (t) => {
  const { keys, tools } = noting({ idempotent: true })
  const { post } = await served(t, pageStore({ encryption }), {
    answers: [{ calls: [{ id: 'p', name: 'page_look', arguments: { text: 'x' } }, call('a')] }, ...done, ...done],
    tools: [...tools, look({ permission: 'sensitive' })],
  })
  const first = await post([said('Hello')])
  const questions = ofType(first.chunks, 'tool-approval-request')
  const { messageId: id } = first.chunks[0]
  const metadataOf = ({ chunks }) => ({
    sluice: { encrypted: ofType(chunks, 'message-metadata').at(-1).messageMetadata.sluice.encrypted },
  })
  const message = (response, parts) => ({ id, role: 'assistant', metadata: metadataOf(response), parts })
  const approve = ({ toolCallId, approvalId }, more) => ({
    type: 'tool-x',
    toolCallId,
    state: 'approval-responded',
    input: {},
    approval: { id: approvalId, approved: true, ...more },
  })
  const answers = questions.map((question) => approve(question))
  const second = await post([said('Hello'), message(first, answers)])
  assert.deepEqual([questions.length, second.status, keys.length], [2, 200, 0])
  const result = {
    type: 'tool-page.look',
    toolCallId: questions[0].toolCallId,
    state: 'output-available',
    input: {},
    output: 'seen',
  }
  assert.equal((await post([said('Hello'), message(second, [result])])).status, 200)
  const edited = await post([
    said('Hello'),
    message(first, [answers[0], approve(questions[1], { arguments: { text: 'edited' } })]),
  ])
  assert.equal((await post([said('Hello'), message(edited, [result])])).status, 200)
  assert.deepEqual([keys.length, new Set(keys).size], [2, 1])
})

test('chatHandler: pageStore without spend is refused where a tool is neither read-only nor idempotent', async (t) => {
  const { engine } = await served(t, once(), {
    tools: [echo({ idempotent: true }), echo({ name: 'reads', annotations: { readOnlyHint: true } }), look()],
  })
  const handler = (store) =>
    chatHandler(engine, {
      run: () => ({ model: { baseURL: 'http://127.0.0.1:9', name: 'm' } }),
      store,
      authorize: () => true,
    })
  const POST = handler(pageStore({ encryption }))
  engine.add(echo({ name: 'pays' }))
  assert.throws(() => handler(pageStore({ encryption })), {
    code: 'option',
    path: 'options.store',
    message:
      /found pageStore\(\{ encryption \}\) without `spend` and the tool pays, expected pageStore\(\{ encryption, spend \}\)/,
  })
  assert.ok(handler(once()))
  const noted = warnings(t)
  const late = await POST(
    new Request('http://app.test/api/chat', {
      method: 'POST',
      body: JSON.stringify({ id: 'chat', messages: [said('Hello')] }),
    }),
  )
  assert.deepEqual([late.status, /the tool pays/.test(noted.join())], [500, true], 'a tool that was added later')
  const theirs = await served(t, once(), {
    tools: [echo({ name: 'theirs', from: 'somebody', annotations: { readOnlyHint: true } })],
  })
  assert.throws(
    () => chatHandler(theirs.engine, { run: () => ({}), store: pageStore({ encryption }), authorize: () => true }),
    { code: 'option', message: /the tool theirs/ },
    'a hint of a third party proves nothing',
  )
})

test('pageStore: options are checked', () => {
  for (const [options, path] of [
    [{ spend: true }, 'spend'],
    [{ approvalTimeoutMs: 0 }, 'approvalTimeoutMs'],
    [{ approvalTimeoutMs: '1 day' }, 'approvalTimeoutMs'],
    [{ timeout: 1 }, 'timeout'],
  ]) {
    assert.throws(() => pageStore({ encryption, ...options }), {
      code: 'option',
      path: new RegExp(`^(options\\.)?${path}$`),
    })
  }
})

test('memorySpend: a key counts once until it expires, and what has expired is forgotten', (t) => {
  let now = 1000
  t.mock.method(Date, 'now', () => now)
  const spend = memorySpend()
  assert.deepEqual([spend('a', 2000), spend('a', 2000), spend('b', 3000)], [true, false, true])
  now = 2000
  assert.deepEqual([spend('b', 3000), spend('a', 4000), spend('a', 4000)], [false, true, false])
  const removed = t.mock.method(Map.prototype, 'delete')
  for (let n = 0; n < 1500; n++) spend(`old ${n}`, now + 1)
  now += 2
  for (let n = 0; n < 3000; n++) spend(`new ${n}`, now + 1000)
  const old = removed.mock.calls.filter(({ arguments: [key] }) => String(key).startsWith('old '))
  assert.equal(old.length, 1500)
})
