// The official clients as a second opinion: they read the very bytes that the engine reads, and text, reasoning and
// calls are the same. Where a client is no referee, the bytes show why: where-clients-fail.mjs.
import assert from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { basename, dirname } from 'node:path'
import { after, test } from 'node:test'
import { startScriptedServer } from 'sluice/testing'
import { clients, readByEngine, serveBytes } from './official-clients.mjs'
import { recordedAnswers, types } from './recorded.mjs'
import { scriptFiles } from './script-files.mjs'
import { equal, fed, sharedFolder } from './script-runner.mjs'
import { looked, reasons } from './where-clients-fail.mjs'
import { names, wires } from './wires-support.mjs'

const shared = sharedFolder()
const skip = shared ? false : 'no conformance data at ../shared or $SLUICE_SHARED'
const met = new Set() // reasons

/** Text and reasoning without white space around them, which a provider may send and nobody shows. */
const trimmed = ({ text, reasoning, calls }) => ({ text: text.trim(), reasoning: reasoning.trim(), calls })

/** Empty where both say the same; else the reason why they need not. Throws where there is none. */
async function secondOpinion(wire, bytes, url) {
  const answer = looked(bytes)
  const read = readByEngine(wire, bytes)
  const engine = trimmed(read)
  const meets = (reason) => {
    met.add(reason)
    return reason.agrees ? '' : reason.why
  }
  let client
  try {
    client = trimmed(await clients[wire](url))
  } catch ({ message }) {
    const both = read.errors.some(
      ({ code, detail }) =>
        code === 'provider' &&
        detail &&
        [detail, JSON.stringify(detail).slice(1, -1)].some((words) => message.includes(words)),
    )
    if (both) return '' // the provider's own words
    const reason = reasons[wire].find(({ throws, holds }) => throws?.test(message) && holds(answer))
    assert.ok(reason, `the client throws: ${message}\nthe engine reads: ${JSON.stringify(read)}`)
    return meets(reason)
  }
  const whys = Object.keys(client)
    .filter((member) => !equal(client[member], engine[member]))
    .map((member) => {
      const reason = reasons[wire].find(
        ({ differs, holds, same = () => true }) =>
          differs?.includes(member) && holds(answer) && same(client, engine, answer),
      )
      assert.ok(
        reason,
        `${member}: the client reads ${JSON.stringify(client[member])}\nthe engine reads: ${JSON.stringify(engine[member])}`,
      )
      return meets(reason)
    })
  return whys.find((why) => why !== '') ?? ''
}

/** Reads all of these answers of a wire by both, tells how many agree, and gives that number. */
async function compareAll(t, wire, answers) {
  const server = await serveBytes(t)
  t.mock.method(console, 'warn', () => {}) // a client prints what it cannot read
  const failed = []
  const counts = new Map()
  for (const { name, bytes, type } of answers) {
    server.put(bytes, type)
    try {
      const why = await secondOpinion(wire, bytes, server.url)
      counts.set(why, (counts.get(why) ?? 0) + 1)
    } catch (failure) {
      failed.push(`${name}: ${failure.message}`)
    }
  }
  assert.deepEqual(failed, [])
  const agree = counts.get('') ?? 0
  counts.delete('')
  t.diagnostic(
    `${wire}: ${agree} of ${answers.length} agree${[...counts].map(([why, count]) => `; ${count}: ${why}`).join('')}`,
  )
  return agree
}

/** How many of the recorded answers agree at least: less of them would mean that a reason has become an excuse. */
const least = { 'openai-chat': 113, 'openai-responses': 29, anthropic: 34, gemini: 24, ollama: 7 }

for (const wire of Object.keys(clients)) {
  test(`${wire}: the official client reads in recorded answers what the engine reads`, { skip }, async (t) => {
    assert.ok((await compareAll(t, wire, recordedAnswers(wire))) >= least[wire])
  })
}

// -- the answers of the scripts

/** What clients want in front of an answer and scripts leave out. */
const opening = {
  'openai-chat':
    'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n',
}

/** The bodies with status 200 that a script feeds whole. */
function bodiesOf(name, { turn, steps }) {
  const bodies = []
  let body = []
  let whole = true
  for (const step of steps) {
    const bytes = fed(step)
    if (bytes) body.push(bytes)
    if ((step.response ?? 200) !== 200 || 'code' in step) whole = false
    if (!('finish' in step) && !('answer' in step)) continue
    if (body.length > 0 && whole && (step.finish ?? 'complete') === 'complete') bodies.push(Buffer.concat(body))
    body = []
    whole = true
  }
  return bodies.map((bytes, at) => ({
    name: `${name}, answer ${at + 1}`,
    type: types[turn.wire === 'ollama' ? '.ndjson' : '.sse'],
    bytes: bytes.toString('latin1').startsWith('data:')
      ? Buffer.concat([Buffer.from(opening[turn.wire] ?? ''), bytes])
      : bytes,
  }))
}

const folders = ['openai-chat', 'anthropic', 'gemini', 'ollama', 'sse', 'ending', 'error']
const scripts = scriptFiles('')
  .filter(({ name }) => folders.includes(dirname(name)))
  .map(({ name, script }) => [basename(name), script])

// The items of Responses in scripts have no ids, without which that client reads nothing.
for (const wire of Object.keys(clients).filter((one) => one !== 'openai-responses')) {
  test(`${wire}: the official client reads in the answers of the scripts what the engine reads`, async (t) => {
    const answers = scripts
      .filter(([, { turn }]) => turn?.wire === wire)
      .flatMap(([name, script]) => bodiesOf(name, script))
    assert.ok((await compareAll(t, wire, answers)) > answers.length / 2)
  })
}

// -- random answers of the scripted server

const words = [
  'Let me see.',
  ' größe 你好 😀 ',
  '\n\n',
  '"quoted" \\ back',
  'data: {"x": 1}',
  '[DONE]',
  '<b>&amp;</b>',
  '{"name": "weather"}',
  '\t\u2028|',
  '```js\n1\n```',
  'e\u0301',
  '0',
]

/** The same numbers on every run. */
function dice(seed) {
  let state = seed
  const below = (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
  return {
    below,
    one: (list) => list[below(list.length)],
    some: (most, make) => Array.from({ length: below(most + 1) }, make),
  }
}

function randomAnswer({ below, one, some }) {
  const text = () => `a${some(6, () => one(words)).join('')}z`
  const value = (depth) =>
    [
      text,
      () => below(1000) / 8 - 60,
      () => null,
      () => below(2) === 0,
      () => some(3, () => value(depth - 1)),
      () => object(depth - 1),
    ][below(depth > 0 ? 6 : 4)]()
  const object = (depth) =>
    Object.fromEntries(some(4, () => [one(['city', 'a b', 'größe', '0', '"', 'nested']), value(depth)]))
  return {
    reasoning: below(2) ? text() : undefined,
    text: below(4) ? text() : undefined,
    calls: some(3, () => ({ name: one(['weather_now', 'note', 'x-1']), arguments: object(3) })),
  }
}

/** What asks each wire of the scripted server, by hand. */
const questions = {
  'openai-chat': ['/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }],
  'openai-responses': ['/responses', { input: 'hi' }],
  anthropic: ['/messages', { messages: [{ role: 'user', content: 'hi' }] }],
  gemini: [
    `/models/${names.gemini}:streamGenerateContent?alt=sse`,
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  ],
  ollama: ['/api/chat', { messages: [{ role: 'user', content: 'hi' }] }],
}

for (const [wire, [path, body]] of Object.entries(questions)) {
  test(`${wire}: client, engine and script agree on random answers of the scripted server`, async (t) => {
    const random = dice(20)
    const script = Array.from({ length: 60 }, () => randomAnswer(random))
    const server = await startScriptedServer({ answers: script, deltas: 7, appendOnly: false })
    t.after(server.close)
    const bytesServer = await serveBytes(t)
    for (const { reasoning = '', text = '', calls } of script) {
      const headers = {
        'content-type': 'application/json',
        authorization: 'Bearer key',
        'x-api-key': 'key',
        'anthropic-version': '2023-06-01',
        'x-goog-api-key': 'key',
      }
      const sent = { ...(wire === 'gemini' ? {} : { model: 'scripted', stream: true }), ...body, ...wires[wire] }
      const response = await fetch(server.baseURLs[wire] + path, {
        method: 'POST',
        headers,
        body: JSON.stringify(sent),
      })
      const bytes = Buffer.from(await response.arrayBuffer())
      assert.equal(response.status, 200, bytes.toString())
      bytesServer.put(bytes, response.headers.get('content-type'))
      const said = { text, reasoning, calls: calls.map(({ name, arguments: args }) => [name, args]) }
      assert.deepEqual(await clients[wire](bytesServer.url), said)
      assert.deepEqual(readByEngine(wire, bytes), { ...said, errors: [] })
    }
  })
}

after(() => {
  if (!shared) return
  for (const [wire, list] of Object.entries(reasons))
    for (const reason of list) assert.ok(met.has(reason), `${wire}: no answer has this any more: ${reason.why}`)
})
