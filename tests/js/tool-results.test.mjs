// What tools return and throw, what they are given, and when they are not started.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { Engine, memoryRules, OutcomeUnknown, resultParts, tool, Turn } from 'sluice'
import { callsEcho, cards, collect, echo, stage } from './support.mjs'

const calls = (args = { text: 'hi' }) => ({ calls: [{ id: 'a', name: 'echo_back', arguments: args }] })

async function card(t, execute, more = {}) {
  const { run } = await stage(t, { answers: [calls(), { text: 'Done.' }], tools: [echo({ execute })], ...more })
  return cards(await run().done)[0]
}

test('a tool that ran is told so, whatever it returned', async (t) => {
  const cycle = {}
  cycle.self = cycle
  let deep = {}
  for (let depth = 0; depth < 5000; depth++) deep = { deep }
  for (const [what, value] of [
    [/BigInt/, 10n],
    [/BigInt in "n"/, { n: 10n }],
    [/circular/, cycle],
    [/class Map/, new Map([['a', 1]])],
    [/class Set in "all"/, { all: new Set([1]) }],
    [/class Error/, new Error('x')],
    [/class Error/, Object.assign(new Error('x'), { code: 'E' })],
    [/class RegExp/, /x/],
    [/function/, () => 1],
    [/symbol/, Symbol('x')],
    [/class Response/, new Response('body')],
    [/class ReadableStream/, new ReadableStream()],
    [/class Promise in "later"/, { later: Promise.resolve(1) }],
    [
      /class \w+/,
      (async function* () {
        yield 1
      })(),
    ],
    [/bytes/, Buffer.from('x')],
    [/bytes/, new Uint8Array(2)],
    [/bytes in "data"/, { data: new ArrayBuffer(4) }],
    [/found NaN/, NaN],
    [/-Infinity in "low"/, { low: -Infinity }],
    [/invalid Date in "due"/, { due: new Date('never') }],
    [/undefined in "1"/, [1, , 2]],
    [/function in "0"/, [() => 1]],
    [
      /thrown by toJSON/,
      {
        toJSON() {
          throw new Error('thrown by toJSON')
        },
      },
    ],
    [/./, deep],
    [
      /./,
      new Proxy(
        {},
        {
          ownKeys() {
            throw new Error('no')
          },
        },
      ),
    ],
    [/text\/html/, resultParts({ type: 'image', mediaType: 'text/html', data: 'PGI+' })],
    [/bytes/, resultParts({ type: 'image', mediaType: 'image/png', data: Buffer.from('x') })],
  ]) {
    const { status, modelOutput: told } = await card(t, () => value)
    assert.equal(status, 'error')
    assert.match(told, /^Error: The tool ran, but what it returned cannot be told: /)
    assert.match(told, what)
  }
})

test('a picture of 50 MB goes to nobody, whoever gives it, and the turn goes on', async (t) => {
  const data = `iVBORw0KGgo${'A'.repeat(67_000_000 - 11)}`
  for (const value of [
    resultParts({ type: 'image', mediaType: 'image/png', data }),
    { content: [{ type: 'image', mimeType: 'image/png', data }] },
  ]) {
    const { status, modelOutput: told, parts: kept } = await card(t, () => value)
    assert.deepEqual(
      [status, told, kept],
      [
        'error',
        'Error: The tool ran, but what it returned cannot be told: the parts are longer than limits.resultBytes, 16777216',
        undefined,
      ],
    )
  }
})

test('what JSON can hold is told as it is', async (t) => {
  class Point {
    x = 1
    #hidden = 2
    get y() {
      return this.#hidden
    }
  }
  for (const [value, told] of [
    [undefined, 'ok'],
    [null, 'null'],
    [0, '0'],
    ['', '(no output)'],
    [{ a: undefined }, '{}'],
    [{}, '{}'],
    [Object.create(null), '{}'],
    [[], '[]'],
    [{ run() {} }, '{}'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [new URL('http://x/'), '"http://x/"'],
    [new Point(), '{"x":1}'],
    [new String('s'), '"s"'],
    [new Number(5), '5'],
    [resultParts(), '(no output)'],
    [resultParts({ type: 'text', text: 'noon' }), 'noon'],
  ]) {
    const made = await card(t, () => value)
    assert.deepEqual([made.status, made.modelOutput], ['success', told])
  }
})

test('the pictures of an MCP client are pictures: nobody reads their base64, neither the person nor the model', async (t) => {
  const data = Buffer.from('picture'.repeat(50)).toString('base64')
  const image = { type: 'image', data, mimeType: 'image/PNG' }
  const both = {
    content: [
      { type: 'text', text: 'A cat.' },
      { ...image, annotations: { audience: ['user'] } },
    ],
    isError: false,
  }
  const { run, server } = await stage(t, {
    answers: [calls(), { text: 'Nice.' }],
    tools: [echo({ execute: () => both })],
  })
  const result = await run().done
  const [{ status, modelOutput: told, parts: shown, output }] = cards(result)
  assert.deepEqual(
    [status, told, shown],
    [
      'success',
      'A cat.',
      [
        { type: 'text', text: 'A cat.' },
        { type: 'image', mediaType: 'image/png', data },
      ],
    ],
  )
  assert.ok(!JSON.stringify([told, output]).includes(data))
  const { messages } = server.requests[1].body
  assert.deepEqual(messages.at(-2).content, 'A cat.')
  assert.deepEqual(messages.at(-1).content[1], {
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${data}` },
  })
  for (const [content, told] of [
    [[image], /image/i],
    [[image, { type: 'audio', data, mimeType: 'audio/wav' }], /^{"type":"audio","mimeType":"audio\/wav"}$/],
    [
      [
        { ...image, mimeType: 'text/html' },
        { type: 'resource', resource: { uri: 'a:b', blob: data } },
      ],
      /^{"type":"image","mimeType":"text\/html"}\s*{"type":"resource","resource":{"uri":"a:b"}}$/,
    ],
    [[{ type: 'image', data: 'no base64!', mimeType: 'image/png' }], /^{"type":"image","mimeType":"image\/png"}$/],
  ]) {
    const made = await card(t, () => ({ content }))
    assert.equal(made.status, 'success')
    assert.match(made.modelOutput ?? '', told)
    assert.ok(!JSON.stringify([made.modelOutput, made.output]).includes(data))
  }
  const failed = await card(t, () => ({ content: [{ type: 'text', text: 'no camera' }, image], isError: true }))
  assert.deepEqual([failed.status, failed.modelOutput], ['error', 'Error: no camera'])
  for (const plain of [
    { content: [{ type: 'text', text: 'x' }] },
    { content: ['image'] },
    { content: [] },
    { content: [null] },
  ]) {
    assert.equal((await card(t, () => plain)).modelOutput, JSON.stringify(plain))
  }
})

test('what a tool throws is told, also where it cannot be read', async (t) => {
  const hostile = Object.defineProperty(new Error('x'), 'message', {
    get() {
      throw new Error('no')
    },
  })
  for (const [thrown, told] of [
    [new Error('boom'), 'Error: boom'],
    ['boom', 'Error: boom'],
    [undefined, 'Error: undefined'],
    [hostile, 'Error: something was thrown that cannot be read'],
  ]) {
    const made = await card(t, () => {
      throw thrown
    })
    assert.deepEqual([made.status, made.modelOutput], ['error', told])
  }
})

test('no tool is given arguments that mean a prototype', async (t) => {
  for (const [args, name] of [
    ['{"__proto__":{"admin":true}}', '__proto__'],
    ['{"text":"x","deep":[{"__proto__":1}]}', '__proto__'],
    ['{"constructor":{"prototype":{"admin":1}}}', 'constructor.prototype'],
  ]) {
    const ran = []
    const { run } = await stage(t, {
      answers: [calls(args), { text: 'Done.' }],
      tools: [echo({ execute: (given) => ran.push(given), parameters: { type: 'object' } })],
    })
    const [made] = cards(await run().done)
    assert.deepEqual([made.status, ran], ['error', []])
    assert.match(made.modelOutput, new RegExp(`Not run: no argument may be named ${name}`))
  }
  const ran = []
  const { run } = await stage(t, {
    answers: [calls('{"constructor":"Ferrari"}'), { text: 'Done.' }],
    tools: [echo({ execute: (given) => void ran.push(given), parameters: { type: 'object' } })],
  })
  await run().done
  assert.deepEqual(ran, [{ constructor: 'Ferrari' }])
})

test('a revoke is heard by a turn that goes on', async (t) => {
  const ran = []
  const rules = memoryRules()
  const asks = echo({
    permission: 'moderate',
    execute: ({ text }) => {
      ran.push(text)
      return 'ok'
    },
  })
  const { run } = await stage(t, {
    answers: [calls({ text: '1' }), calls({ text: '2' }), calls({ text: '3' }), { text: 'Done.' }],
    tools: [asks],
    rules,
  })
  const turn = run()
  await collect(turn, (event) => {
    if (event.type === 'approval') turn.approve(event.call, { remember: 'always' })
    if (event.type === 'card' && event.call === 2 && event.status === 'success')
      for (const rule of rules.list()) rules.revoke(rule)
  })
  assert.deepEqual(ran, ['1', '2'])
  const { status, modelOutput: told } = cards(await turn.done)[2]
  assert.equal(status, 'error')
  assert.match(told, /Not run: its approval was taken back meanwhile/)
})

test('what was forbidden while a turn goes on does not run in it, and rules that cannot be read let nothing run', async (t) => {
  for (const [after, words] of [
    [(rules) => rules.add({ tool: 'echo.*', effect: 'deny', scope: 'always' }), /forbidden/],
    [
      (rules) => {
        rules.list = () => {
          throw new Error('damaged')
        }
      },
      /damaged/,
    ],
  ]) {
    const ran = []
    const rules = memoryRules()
    const { run } = await stage(t, {
      answers: [calls({ text: '1' }), calls({ text: '2' }), { text: 'Done.' }],
      tools: [echo({ execute: ({ text }) => ran.push(text) })],
      rules,
    })
    const turn = run()
    await collect(
      turn,
      (event) => event.type === 'card' && event.call === 1 && event.status === 'success' && after(rules),
    )
    assert.deepEqual(ran, ['1'])
    assert.match(cards(await turn.done)[1].modelOutput, words)
  }
})

test('a remembered approval ends when something else runs behind the same declaration', async (t) => {
  const rules = memoryRules()
  const asked = async (more) => {
    let count = 0
    const approvals = {
      execution: () => {
        count++
        return 'always'
      },
    }
    const { run } = await stage(t, {
      answers: [calls(), { text: 'Done.' }],
      tools: [echo({ permission: 'moderate', ...more })],
      rules,
      approvals,
    })
    await run().done
    return count
  }
  const mine = () => 'mine'
  assert.deepEqual([await asked({ execute: mine }), await asked({ execute: mine })], [1, 0])
  assert.deepEqual([await asked({ execute: () => 'another' }), await asked({ execute: mine })], [1, 0])
  assert.equal(echo({ execute: mine }).declaration.identity, mine.toString(), 'the engine knows it')
  assert.deepEqual(
    [
      await asked({ execute: mine, identity: 'v1' }),
      await asked({ execute: () => 'rewritten', identity: 'v1' }),
      await asked({ execute: mine, identity: 'v2' }),
    ],
    [1, 0, 1],
  )
})

test('what was cancelled before it started does not start', async (t) => {
  const ran = []
  const { run } = await stage(t, { answers: [calls()], tools: [echo({ execute: () => ran.push(1) })] })
  const turn = run()
  await collect(turn, (event) => event.type === 'execute' && void turn.cancel('stop'))
  assert.deepEqual([(await turn.done).outcome, (await turn.done).reason, ran], ['cancelled', 'stop', []])
})

test('what happens outside happens when a reader has seen what stands before it', async (t) => {
  const seen = []
  const smile = tool({
    name: 'face.show',
    permission: 'public',
    agentCallable: true,
    immediate: true,
    parameters: { type: 'object', properties: { name: { type: 'string' } } },
    ipc: { channel: 'face', payload: [{ arg: 'name' }] },
  })
  const ask = echo({
    permission: 'moderate',
    execute: () => {
      seen.push('[echo runs]')
      return 'ok'
    },
  })
  const answer = {
    parts: [
      { text: 'One ' },
      { text: 'two ' },
      { call: { name: 'face_show', arguments: { name: 'smile' } } },
      { text: 'three ' },
      { call: { name: 'echo_back', arguments: { text: 'x' } } },
    ],
  }
  const { run } = await stage(t, {
    answers: [answer, { text: 'four' }],
    tools: [smile, ask],
    server: { chunks: 100_000 },
    ipc: (channel, name) => seen.push(`[${channel} ${name}]`),
    approvals: {
      execution: () => {
        seen.push('[asked]')
        return 'once'
      },
    },
  })
  for await (const event of run()) if (event.type === 'text') seen.push(event.text)
  assert.equal(seen.join(''), 'One two [face smile]three [asked][echo runs]four')
})

test("of a call's progress the last report is kept for those who come later", async (t) => {
  const { run } = await stage(t, {
    answers: [calls(), { text: 'Done.' }],
    tools: [
      echo({
        execute: async (_, { progress }) => {
          for (let step = 1; step <= 5000; step++) {
            progress(`step ${step}`)
            if (step % 500 === 0) await setTimeout(1)
          }
          return 'ok'
        },
      }),
    ],
  })
  const turn = run()
  const live = []
  for await (const event of turn) if (event.type === 'progress') live.push(event.text)
  assert.deepEqual([live.at(-1), live.length > 5], ['step 5000', true])
  assert.deepEqual(
    (await collect(turn)).filter(({ type }) => type === 'progress').map(({ text }) => text),
    ['step 5000'],
  )
})

test('a saved question is asked anew where something else would run', async (t) => {
  const config = { request: { model: 'm', messages: [{ role: 'user', content: 'go' }] } }
  const engine = (execute) => new Engine({ tools: [echo({ permission: 'moderate', execute })] })
  const [one, same, other] = [engine(() => 'one'), engine(() => 'one'), engine(() => 'other')]
  t.after(() => [one, same, other].forEach((each) => each.close()))
  const turn = one.turn(config)
  turn.feed(
    'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"echo_back","arguments":"{\\"text\\":\\"x\\"}"}}]},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n',
  )
  turn.finish()
  const question = [...turn.events()].find(({ type }) => type === 'approval')
  const digest = (restored) => [...restored.events()].find(({ type }) => type === 'approval').digest
  assert.equal(digest(Turn.restore(same, turn.state)), question.digest)
  const restored = Turn.restore(other, turn.state)
  assert.notEqual(digest(restored), question.digest)
  assert.throws(() => restored.approve(question), { code: 'state' }, 'what was shown is not what would run')
})

test('a result that JSON cannot hold is told to whoever hands it in', async (t) => {
  const { run } = await stage(t, {
    answers: [calls(), { text: 'Done.' }],
    tools: [echo({ execute: undefined, external: true })],
  })
  const turn = run()
  await collect(turn, (event) => {
    if (event.type !== 'execute') return
    assert.throws(() => turn.succeed(event, { mean: NaN }), {
      code: 'option',
      path: 'value',
      message: /found NaN in "mean"/,
    })
    turn.succeed(event, { mean: 0 })
  })
  assert.equal(cards(await turn.done)[0].modelOutput, '{"mean":0}')
})

test('a result with a schema comes back from its card as it was returned', async (t) => {
  const { z } = await import('zod')
  const output = z.object({ text: z.string(), at: z.coerce.number().default(7) })
  const said = echo({ output, execute: ({ text }) => ({ text, extra: true }) })
  const { run } = await stage(t, { answers: () => callsEcho, tools: [said], maxRounds: 1, forceFinalAnswer: false })
  const [card] = cards(await run().done)
  assert.deepEqual(said.resultOf(card), { text: 'hi', at: 7 })
  assert.equal(said.resultOf({ ...card, status: 'error' }), undefined)
  assert.equal(said.resultOf({ ...card, name: 'other' }), undefined)
  assert.equal(said.resultOf({ ...card, output: 'text' }), undefined)
})

test('a result that does not fit its schema fails, and the model reads that the tool ran', async (t) => {
  const { z } = await import('zod')
  const { server, run } = await stage(t, {
    answers: [callsEcho, { text: 'Pity.' }],
    tools: [echo({ output: z.object({ grams: z.number() }), execute: () => ({ grams: 'many' }) })],
  })
  const [card] = cards(await run().done)
  assert.equal(card.status, 'error')
  assert.match(
    server.requests[1].body.messages.at(-1).content,
    /The tool ran, but what it returned does not fit: grams: /,
  )
  assert.throws(() => echo({ output: 'object' }), { code: 'option', path: 'output' })
})

test('a call of which nobody knows what became of it is unknown, and says why', async (t) => {
  const { OutcomeUnknown: ofCommonJs } = createRequire(import.meta.url)('sluice')
  assert.notEqual(ofCommonJs, OutcomeUnknown)
  for (const Unknown of [OutcomeUnknown, ofCommonJs]) {
    const seen = []
    const { run } = await stage(t, {
      answers: [calls(), { text: 'Done.' }],
      tools: [
        echo({
          execute: async () => {
            throw new Unknown('the line went dead')
          },
        }),
      ],
      afterTool: (info, result) => void seen.push(result),
    })
    const one = run()
    const events = await collect(one)
    const [{ status, reason, modelOutput: told, error }] = cards(await one.done)
    assert.deepEqual(
      [status, reason, told, error],
      [
        'unknown',
        'cancelled',
        'This call was interrupted while it ran: it may or may not have taken effect.',
        undefined,
      ],
    )
    assert.deepEqual(
      events.filter(({ type }) => type === 'progress').map(({ text }) => text),
      ['the line went dead'],
    )
    assert.deepEqual([seen, (await one.done).outcome], [[], 'completed'])
  }
})

test('that a tool changes nothing counts only by the word of the app', async (t) => {
  for (const [more, status] of [
    [{}, 'unknown'],
    [{ annotations: { readOnlyHint: true } }, 'cancelled'],
    [{ annotations: { readOnlyHint: true }, from: 'srv' }, 'unknown'],
  ]) {
    const waiting = tool({
      name: 'echo_back',
      permission: 'public',
      agentCallable: true,
      ...more,
      execute: (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    })
    assert.deepEqual(waiting.declaration.annotations, more.annotations, 'people see what it says of itself')
    const { run } = await stage(t, { answers: [calls()], tools: [waiting] })
    const one = run()
    for await (const event of one) if (event.type === 'execute') void one.cancel()
    assert.equal(cards(await one.done)[0].status, status)
  }
})
