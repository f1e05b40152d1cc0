// What networks and servers do to an answer, on every wire: it breaks off at any byte, stalls, comes late, packed or
// under a wrong name, or the socket stays open. A run ends once, shows nothing twice, and runs no call that was not
// read whole.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { Engine } from 'sluice'
import { startScriptedServer } from 'sluice/testing'
import { collect, echo, ofType } from './support.mjs'

const messages = [{ role: 'user', content: 'Hello' }]
const wires = ['openai-chat', 'anthropic', 'gemini', 'gemini-interactions', 'openai-responses', 'ollama']
const said = 'Well, 你好.'
const answers = [
  { text: said, calls: [{ id: 'call_a', name: 'echo_back', arguments: { text: 'hi' } }] },
  { text: 'Done.' },
]

/** The bodies that a provider would send: a call, and the last answer. */
async function record(wire) {
  const server = await startScriptedServer({ answers, deltas: 'whole' })
  const engine = new Engine({ tools: [echo()], retries: 0 })
  const bodies = []
  const transport = async ({ url, ...request }, signal) => {
    const response = await fetch(url, { ...request, signal })
    bodies.push({ type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) })
    return new Response(bodies.at(-1).bytes, response)
  }
  try {
    const { outcome } = await engine.run({
      model: { wire, baseURL: server.baseURLs[wire], name: 'm' },
      messages,
      transport,
    }).done
    assert.equal(outcome, 'completed')
    return bodies
  } finally {
    engine.close()
    await server.close()
  }
}

/**
 * A server that answers a request with what `answer(index, body)` writes into its socket. Which request of a run it is,
 * its messages tell.
 */
async function serve(t, answer) {
  const server = createServer((socket) => {
    let got = ''
    let served = 0
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      got += bytes.toString('latin1')
      const head = got.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(got)?.[1] ?? 0)
      if (head < 0 || got.length < head + 4 + length) return
      const [, path] = /^POST (\S+)/.exec(got)
      got = got.slice(head + 4 + length)
      void answer(socket, { path, served: served++ })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${server.address().port}`
}

const head = (type, more = '') => `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: close\r\n${more}\r\n`
const chunk = (bytes) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

/** Everything that must hold of a run, however it went. */
async function check(run, ran) {
  const events = await collect(run)
  const { outcome, error, message, text } = await run.done
  assert.equal(ofType(events, 'done').length, 1)
  assert.equal(events.at(-1).type, 'done')
  assert.ok(['completed', 'failed'].includes(outcome), outcome)
  assert.equal(outcome === 'failed', error !== undefined)
  assert.equal(
    ofType(events, 'text')
      .map((event) => event.text)
      .join(''),
    text,
    'nothing is shown twice',
  )
  assert.ok(`${said}Done.`.startsWith(text), text)
  assert.equal(outcome === 'completed', text === `${said}Done.`, text)
  const calls = message.blocks.filter(({ type }) => type === 'tool_use')
  assert.ok(calls.length <= 1)
  for (const { status } of calls) assert.ok(['success', 'invalid'].includes(status), status)
  assert.deepEqual(
    ran,
    calls.filter(({ status }) => status === 'success').map(() => ({ text: 'hi' })),
    'a call runs once, with all of its arguments',
  )
  return { outcome, error, events }
}

/** An engine whose tool notes in the run's context what it ran with. */
function engineFor(t) {
  const engine = new Engine({
    retries: 0,
    flushMs: 0,
    tools: [echo({ execute: (args, { context }) => context.push(args) && 'ok' })],
  })
  t.after(() => engine.close())
  return engine
}

async function runAndCheck(engine, options, name, ran = []) {
  try {
    return await check(engine.run({ messages, context: ran, ...options }), ran)
  } catch (error) {
    error.message = `${name}: ${error.message}`
    throw error
  }
}

/** A body that is over behind these bytes, or breaks there as `fetch` tells it. */
const cutBody = (bytes, breaks) =>
  new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(new Uint8Array(bytes))
      if (!breaks) return controller.close()
      void setTimeout(0).then(() =>
        controller.error(new TypeError('terminated', { cause: new Error('other side closed') })),
      )
    },
  })

/**
 * Every place within the first and the last event, and each seventh between them: others after each commit, which `npm
 * test` counts.
 */
function placesIn(bytes, wire) {
  const between = wire === 'ollama' ? '\n' : bytes.includes('\r\n\r\n') ? '\r\n\r\n' : '\n\n'
  const first = bytes.indexOf(between) + between.length
  const last = bytes.lastIndexOf(between, bytes.length - between.length - 1) + between.length
  assert.ok(first < last && last < bytes.length)
  const rotation = Number(process.env.SLUICE_ROTATION ?? 0)
  const places = Array.from({ length: bytes.length + 1 }, (_, at) => at)
  return places.filter((at) => at <= first || at >= last || (at + rotation) % 7 === 0)
}

for (const wire of wires) {
  test(`${wire}: a body that ends or breaks behind any byte`, async (t) => {
    const [first, last] = await record(wire)
    const engine = engineFor(t)
    const outcomes = { completed: 0, failed: 0 }
    // Behind each of these bytes it ends, and it breaks, at one place without and at the next with another try; under
    // sanitizers, some ten times slower, one of the three.
    const ways = [
      [false, 0],
      [true, 0],
      [true, 1],
    ]
    const isSlow = process.env.LD_PRELOAD?.includes('asan')
    const cutAt = async (at) => {
      for (const [breaks, tries] of isSlow ? [ways[at % 3]] : [ways[0], ways[1 + (at % 2)]]) {
        let asked = 0
        const ran = []
        const transport = async () => {
          const body =
            asked++ === 0 ? cutBody(first.bytes.subarray(0, at), breaks) : (ran.length > 0 ? last : first).bytes
          return new Response(body, { headers: { 'content-type': first.type } })
        }
        const options = {
          model: { wire, baseURL: 'http://127.0.0.1:9', name: 'm' },
          transport,
          retries: ({ attempt }) => (attempt <= tries ? 0 : null),
        }
        const { outcome, error, events } = await runAndCheck(engine, options, `${at} ${breaks} ${tries}`, ran)
        outcomes[outcome]++
        if (error)
          assert.match(
            error.code,
            breaks ? /^(?:network|unfinished|empty_answer|provider)$/ : /^(?:unfinished|empty_answer|provider)$/,
          )
        if (error && tries > 0)
          assert.ok(ofType(events, 'text').length > 0, `${at}: what nobody has seen is asked for again`)
      }
    }
    const places = placesIn(first.bytes, wire)
    const rest = places.values()
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (const at of rest) await cutAt(at)
      }),
    )
    assert.ok(
      outcomes.completed > 0 && outcomes.failed > places.length / (isSlow ? 3 : 1),
      JSON.stringify({ ...outcomes, places: places.length, of: first.bytes.length }),
    )
  })

  test(`${wire}: a connection that is closed or reset in the middle`, async (t) => {
    const [first, last] = await record(wire)
    const url = await serve(t, async (socket, { path }) => {
      const [, name, at, how] = /^\/((\d+)-(reset|torn))/.exec(path)
      if (asked.has(name)) return void socket.end(Buffer.concat([Buffer.from(head(last.type)), last.bytes]))
      asked.add(name)
      const bytes = first.bytes.subarray(0, Number(at))
      socket.write(
        Buffer.concat([
          Buffer.from(head(first.type, 'transfer-encoding: chunked\r\n')),
          bytes.length > 0 ? chunk(bytes) : bytes,
        ]),
      )
      await setTimeout(3)
      if (how === 'reset') socket.resetAndDestroy()
      else socket.destroy()
    })
    const asked = new Set()
    const engine = engineFor(t)
    for (let at = 0; at <= first.bytes.length; at += 17) {
      for (const how of ['reset', 'torn'])
        await runAndCheck(engine, { model: { wire, baseURL: `${url}/${at}-${how}`, name: 'm' } }, `${at} ${how}`)
    }
  })

  test(`${wire}: an answer that stalls, comes late, packed, under a wrong name, or with a socket that stays open`, async (t) => {
    const [first, last] = await record(wire)
    const url = await serve(t, async (socket, { path }) => {
      const [, how] = /^\/(\w+)/.exec(path)
      const again = seen.has(how)
      seen.add(how)
      const { type, bytes } = again ? last : first
      const half = bytes.subarray(0, bytes.length >> 1)
      switch (again && !['open', 'gzip', 'name', 'bytewise'].includes(how) ? 'plain' : how) {
        case 'late':
          return
        case 'headers':
          return void socket.write('HTTP/1.1 200 OK\r\ncontent-type: te')
        case 'stall':
          return void socket.write(Buffer.concat([Buffer.from(head(type)), half]))
        case 'open':
          return void socket.write(
            Buffer.concat([Buffer.from(head(type, 'transfer-encoding: chunked\r\n')), chunk(bytes)]),
          )
        case 'name':
          return void socket.end(Buffer.concat([Buffer.from(head('application/octet-stream')), bytes]))
        case 'gzip':
          return void socket.end(
            Buffer.concat([Buffer.from(head(type, 'content-encoding: gzip\r\n')), gzipSync(bytes)]),
          )
        case 'torn':
          return void socket.end(
            Buffer.concat([Buffer.from(head(type, 'content-encoding: gzip\r\n')), gzipSync(bytes).subarray(0, 60)]),
          )
        case 'bytewise': {
          socket.write(head(type))
          for (const byte of bytes) {
            socket.write(Buffer.of(byte))
            await null
          }
          return void socket.end()
        }
        default:
          return void socket.end(Buffer.concat([Buffer.from(head(type)), bytes]))
      }
    })
    const seen = new Set()
    const engine = engineFor(t)
    const run = (path, more) => runAndCheck(engine, { model: { wire, baseURL: url + path, name: 'm' }, ...more }, path)
    const limits = { firstByteTimeoutMs: 150, idleTimeoutMs: 150 }
    for (const [how, code, more = {}] of [
      ['late', 'first_byte_timeout', limits],
      ['headers', 'first_byte_timeout', limits],
      ['stall', 'idle_timeout', limits],
      ['torn', 'network|unfinished|empty_answer|idle_timeout', limits],
      ['name'],
      ['gzip'],
      ['bytewise'],
      ['plain'],
    ]) {
      const { outcome, error } = await run(`/${how}`, more)
      if (code) assert.match(error?.code ?? outcome, new RegExp(`^(?:${code})$`), how)
      else assert.equal(outcome, 'completed', `${how}: ${error?.detail}`)
    }
    if (wire === 'gemini') return // its answers end with their body
    // The terminal event ends the answer, whatever the socket does: nothing else would, before the test is over.
    assert.equal((await run('/open', { firstByteTimeoutMs: 0, idleTimeoutMs: 0 })).outcome, 'completed')
  })
}
