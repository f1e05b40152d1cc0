// chatHandler and agUIHandler behind a real server of Node, in front of clients that mean no good: what they send is
// refused in words, nothing runs, others go on.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { agUIHandler } from 'sluice/ag-ui'
import { chatHandler } from 'sluice/ai-sdk'
import { memoryConversations } from 'sluice/conversations'
import { openAIHandler } from 'sluice/openai'
import { nodeListener } from 'sluice/web'
import { callsEcho, echo, stage } from './support.mjs'
import { until } from './until.mjs'

const kinds = {
  chatHandler: {
    make: chatHandler,
    input: (id) => ({ id, messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }] }),
  },
  agUIHandler: {
    make: agUIHandler,
    input: (id) => ({
      threadId: id,
      runId: 'r',
      protocolVersion: '1.0',
      messages: [{ id: 'm1', role: 'user', content: 'Hello' }],
    }),
  },
}

/** A handler behind a server, with a model that calls a tool which asks. */
async function listening(t, make, { answers = [callsEcho, callsEcho, callsEcho], ...more } = {}) {
  const stand = { ran: 0 }
  const { server, engine } = await stage(t, {
    answers,
    tools: [
      echo({
        permission: 'sensitive',
        execute: () => {
          stand.ran++
        },
      }),
    ],
  })
  const handler = make(engine, {
    run: () => ({ model: { baseURL: server.baseURL, name: 'scripted' } }),
    store: memoryConversations(),
    authorize: () => true,
    ...more,
  })
  const http = createServer(nodeListener(handler))
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    http.close()
    http.closeAllConnections()
  })
  const { port } = http.address()
  const url = `http://127.0.0.1:${port}/api`
  const post = async (body, headers = { 'content-type': 'application/json' }) => {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, text: await response.text() }
  }
  return Object.assign(stand, { server, port, url, post })
}

/** The head of a request, and a body that is sent by hand. */
const head = (length) =>
  `POST /api HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`
const raw = (port, text) => {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.write(text)
  return socket
}
/** What is answered to a head alone. */
const refusedBy = (port, text) =>
  new Promise((resolve, reject) => {
    let said = ''
    const late = setTimeout(() => reject(new Error('nothing was answered')), 3000)
    const socket = raw(port, text)
      .on('data', (piece) => {
        said += piece
        if (/\r\n\r\n[^]+/.test(said)) socket.destroy()
      })
      .on('close', () => {
        clearTimeout(late)
        resolve(said)
      })
  })

for (const [name, { make, input }] of Object.entries(kinds)) {
  test(`${name}: a page of another site has a browser send nothing with its cookies`, async (t) => {
    const { post, server, url } = await listening(t, make)
    const { host } = new URL(url)
    for (const type of [
      'text/plain;charset=UTF-8',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      '',
    ]) {
      for (const from of [
        { origin: 'https://evil.test' },
        { origin: 'null' },
        { origin: `http://${host}.evil.test` },
        { origin: `http://${host}`, 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ]) {
        const { status, text } = await post(input('chat'), { 'content-type': type, ...from })
        assert.deepEqual(
          [status, /content-type: found .*, expected application\/json/.test(text)],
          [415, true],
          `${type} ${JSON.stringify(from)}: ${status} ${text}`,
        )
      }
    }
    for (const method of ['POST', 'DELETE']) {
      const stop = await fetch(`${url}/chat/stop`, {
        method,
        headers: { 'content-type': 'text/plain', origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
      })
      assert.equal(stop.status, 415, `${method} without anything to read`)
    }
    assert.equal(server.requests.length, 0)
    // What a browser asks about first, the app's own page, and what is no browser.
    for (const [at, headers] of [
      { origin: 'https://front.test', 'content-type': 'application/json; charset=utf-8' },
      { origin: `http://${host}`, 'content-type': 'text/plain' },
      { 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' },
      {},
    ].entries()) {
      assert.equal((await post(input(`chat${at}`), headers)).status, 200)
    }
  })

  test(`${name}: bodies that come slowly, or never to their end, keep nobody waiting`, async (t) => {
    const stand = await listening(t, make)
    const text = JSON.stringify(input('chat'))
    const sockets = Array.from({ length: 20 }, () => raw(stand.port, head(text.length) + text.slice(0, 40)))
    const slow = raw(stand.port, head(text.length) + text.slice(0, 10))
    let answer = ''
    slow.on('data', (piece) => {
      answer += piece
    })
    const drip = (async () => {
      for (const letter of text.slice(10)) {
        slow.write(letter)
        await new Promise(setImmediate)
      }
    })()
    assert.equal((await stand.post(input('another'))).status, 200)
    await drip
    await until(() => answer.includes('approval') || answer.includes('RUN_FINISHED'))
    assert.match(answer, /^HTTP\/1\.1 200 /)
    for (const socket of sockets) socket.destroy()
    slow.destroy()
    assert.equal((await stand.post(input('a third'))).status, 200)
    assert.deepEqual([stand.server.requests.length, stand.ran], [3, 0], 'those that were cut began nothing')
  })

  test(`${name}: lines and keys that mean something elsewhere are an id's letters, or refused`, async (t) => {
    const { post, server, port } = await listening(t, make, { answers: [{ text: 'Hi.' }] })
    for (const id of ['a\r\nset-cookie: a=b', 'a\u0000b', '', 'x'.repeat(181)]) {
      const { status, text } = await post(input(id))
      assert.deepEqual([status, text.includes('\r\nset-cookie')], [400, false], text)
    }
    const own = JSON.stringify(input('chat')).replace(
      '{',
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},',
    )
    assert.equal((await post(own)).status, 200)
    assert.equal({}.polluted, undefined)
    assert.equal(server.requests.length, 1)
    const twice = await new Promise((resolve) => {
      let said = ''
      raw(
        port,
        'POST /api HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n{}',
      )
        .on('data', (piece) => {
          said += piece
        })
        .on('close', () => resolve(said))
    })
    assert.match(twice, /^HTTP\/1\.1 400 /)
  })

  test(`${name}: who promises a body that is too large is told before sending it`, async (t) => {
    const { port } = await listening(t, make, { maxBytes: 1000 })
    assert.match(await refusedBy(port, head(1_000_000)), /^HTTP\/1\.1 413 [^]*larger than 1000 bytes/)
  })

  test(`${name}: a flood of answers that nobody reads is as many answers, and the next one is served`, async (t) => {
    const stand = await listening(t, make, { answers: Array(30).fill({ text: 'x'.repeat(100_000) }) })
    const sockets = Array.from({ length: 20 }, (_, at) => {
      const text = JSON.stringify(input(`chat${at}`))
      const socket = raw(stand.port, head(text.length) + text)
      socket.pause()
      return socket
    })
    await until(() => stand.server.requests.length === 20)
    for (const socket of sockets) socket.destroy()
    assert.equal((await stand.post(input('one more'))).status, 200)
  })
}

test('openAIHandler: who promises a body that is too large is told before sending it', async (t) => {
  const http = createServer(nodeListener(openAIHandler({ baseURL: 'http://127.0.0.1:1/v1' })))
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    http.close()
    http.closeAllConnections()
  })
  const said = await refusedBy(http.address().port, head(1_000_000_000).replace('/api', '/v1/chat/completions'))
  assert.match(said, /^HTTP\/1\.1 413 [^]*request_too_large/)
})
