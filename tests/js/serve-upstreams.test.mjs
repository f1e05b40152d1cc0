// `npx sluice serve`, a real process, in front of a server of models that means no good: every request ends in words,
// none runs a call, the others go on, and the memory stays.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import OpenAI from 'openai'
import { main } from './on-terminal.mjs'
import { chunk, hermes, streamOf, upstream, weather, wholeOf } from './openai-support.mjs'

const MB = 1024 * 1024
/** AddressSanitizer holds on to what was freed. */
const HELD = process.env.LD_PRELOAD?.includes('asan') ? 512 * MB : 0
const call = hermes({ city: 'Rome' })
const head = { 'content-type': 'text/event-stream' }
/** Writes as fast as it is taken, until nobody takes it or it is so much. */
function flood(response, piece, most = Infinity) {
  let sent = 0
  const more = () => {
    while (!response.destroyed && sent < most) {
      sent += piece.length
      if (!response.write(piece)) return
    }
    response.end()
  }
  more(response.on('drain', more).on('error', () => {}))
}
const bomb = gzipSync(Buffer.concat([Buffer.from('data: '), Buffer.alloc(200 * MB, 'a')]), { level: 1 })

/**
 * What the server does with a request for this model, and what the client of OpenAI is told: as a stream, and as one
 * answer.
 */
const attacks = {
  'a page': [
    (response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<html><body>Busy.\n\n${call}</body></html>`),
    /answered nothing that is a chunk/,
    undefined,
  ],
  nothing: [(response) => response.writeHead(200, head).end(), /answered nothing/, undefined],
  'an endless line': [
    (response) => flood(response.writeHead(200, head), Buffer.alloc(MB, 'data: a')),
    /larger than 33554432 bytes/,
    /larger than 33554432 bytes/,
  ],
  'a line that was packed': [
    (response) => response.writeHead(200, { ...head, 'content-encoding': 'gzip' }).end(bomb),
    /larger than 33554432 bytes/,
    /larger than 33554432 bytes/,
  ],
  'packing that is none': [
    (response) => response.writeHead(200, { ...head, 'content-encoding': 'gzip' }).end('no gzip at all'),
    /broke/,
    /broke/,
  ],
  'a document without an end': [
    (response) => flood(response.writeHead(200), Buffer.alloc(MB, '{"a":[')),
    /cannot be read: it is larger|larger than/,
    /larger than 33554432 bytes/,
  ],
  'endless headers': [
    ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      flood(socket, Buffer.from(`x-a: ${'a'.repeat(1000)}\r\n`), 50 * MB)
    },
    /502 .*cannot be reached: .*/,
    /502 .*cannot be reached: .*/,
  ],
  'a status that is none': [
    ({ socket }) => socket.end('HTTP/1.1 999 Odd\r\ncontent-length: 2\r\n\r\n{}'),
    /502/,
    /502/,
  ],
  'no HTTP': [
    ({ socket }) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
    /502 .*cannot be reached/,
    /502 .*cannot be reached/,
  ],
  'less than it promised': [
    (response) => {
      response.writeHead(200, { ...head, 'content-length': 100_000 })
      response.write(streamOf(`Well ${call}`, { end: '' }).slice(0, -300), () => response.destroy())
    },
    /broke/,
    /broke/,
  ],
  'the end before the call': [
    (response) =>
      response.writeHead(200, head).end(chunk({}, 'stop') + chunk({ content: '<tool_call>{"name": "get_wea' })),
    undefined,
    /a stream, and none was asked for/,
  ],
  'another kind of stream': [
    (response) => response.writeHead(200, head).end('event: message_start\ndata: {"type":"message_start"}\n\n'),
    undefined, // it passes, and the client cannot read it
    /a stream, and none was asked for/,
  ],
  'a refusal of many megabytes': [
    (response) => flood(response.writeHead(400, { 'content-type': 'text/plain' }), Buffer.alloc(MB, 'no '), 20 * MB),
    /400/,
    /400/,
  ],
}

/** The command, while `use` runs with its address and the most memory that it had. */
async function serving(baseURL, use) {
  const child = spawn(
    process.execPath,
    [main, 'serve', '--upstream', baseURL, '--protocol', 'hermes', '--listen', '127.0.0.1:0'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  try {
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
    child.stderr.resume()
    const peak = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) * 1024
    await use(/http:\S+/.exec(line)[0], peak)
    assert.equal(child.exitCode, null, 'it still runs')
  } finally {
    child.kill('SIGINT')
  }
}

test('whatever the server does, clients are told, and others go on', {
  timeout: 180_000,
  skip: process.platform !== 'linux' && 'it reads /proc',
}, async (t) => {
  const { baseURL } = await upstream(t, ({ body }, response) => {
    const [attack] = attacks[body.model] ?? []
    if (attack) return void attack(response)
    return body.stream ? streamOf(call) : wholeOf(call)
  })
  await serving(baseURL, async (url, peak) => {
    const client = new OpenAI({ baseURL: url, apiKey: 'none', maxRetries: 0 })
    const asked = (model) => ({ model, messages: [{ role: 'user', content: 'Hi' }], tools: [weather] })
    const fine = async () =>
      assert.equal(
        (await client.chat.completions.stream(asked('good')).finalChatCompletion()).choices[0].message.tool_calls
          .length,
        1,
      )
    await fine()
    for (const [model, [, streamed, whole]] of Object.entries(attacks)) {
      const ways = {
        streamed: () => client.chat.completions.stream(asked(model)).finalChatCompletion(),
        whole: () => client.chat.completions.create(asked(model)),
      }
      for (const [way, words] of Object.entries({ streamed, whole })) {
        const other = fine()
        const said = await ways[way]().then(
          (answer) => JSON.stringify(answer),
          (error) => `${error.name} ${error.message}`.slice(0, 500),
        )
        assert.ok(!said.includes('"tool_calls":[{'), `${model}, ${way}: ${said}`)
        if (words) assert.match(said, words, `${model}, ${way}`)
        await other
      }
    }
    assert.ok(peak() < 700 * MB + HELD, `${Math.round(peak() / MB)} MB`)
    t.diagnostic(`at most ${Math.round(peak() / MB)} MB`)
  })
})

test('comments without an end keep one client, as long as it stays, and nobody else', {
  timeout: 60_000,
}, async (t) => {
  let closed = 0
  const { baseURL } = await upstream(t, ({ body }, response) => {
    if (body.model !== 'comments') return streamOf(call)
    response.on('close', () => closed++)
    flood(response.writeHead(200, head), Buffer.from(': still here\n\n'.repeat(1000)))
  })
  await serving(baseURL, async (url, peak) => {
    const client = new OpenAI({ baseURL: url, apiKey: 'none', maxRetries: 0 })
    const asked = (model) => ({ model, messages: [{ role: 'user', content: 'Hi' }], tools: [weather] })
    const stop = new AbortController()
    const stuck = Array.from({ length: 3 }, () =>
      client.chat.completions
        .stream(asked('comments'), { signal: stop.signal })
        .finalChatCompletion()
        .catch(({ name }) => name),
    )
    for (let at = 0; at < 5; at++)
      assert.equal(
        (await client.chat.completions.stream(asked('good')).finalChatCompletion()).choices[0].message.tool_calls
          .length,
        1,
      )
    stop.abort()
    await Promise.all(stuck)
    for (let tries = 0; closed < 3; tries++) {
      assert.ok(tries < 500)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    if (process.platform === 'linux') assert.ok(peak() < 400 * MB + HELD, `${Math.round(peak() / MB)} MB`)
  })
})
