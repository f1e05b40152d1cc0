// The real clients of OpenAI's chat completions in front of a model that writes calls as text: a real server, whose
// stream is cut at every byte, at random, breaks, is compressed, or comes at the second try.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { built } from '../js/dist.mjs'
import { hermes, streamOf, upstream, wholeOf } from '../js/openai-support.mjs'
import { clients } from './clients.mjs'

const { openAIHandler, textToolCalls } = await built('sluice/openai')
const { nodeListener } = await built('sluice/web')

const calling = `I look. ${hermes({ city: 'Köln ☔' })}\n${hermes({ city: 'Rome' })}`
const answered = 'It is sunny in both.'
const textOf = ({ messages }) => (messages.at(-1).content.includes('sunny in') ? answered : calling)
const options = { protocol: 'hermes' }

/** Writes bytes in pieces that leave one by one. */
async function cut(response, bytes, size) {
  for (let at = 0; at < bytes.length && !response.destroyed; ) {
    const next = at + size()
    response.write(bytes.subarray(at, next))
    at = next
    await new Promise(setImmediate)
  }
}

/** Numbers from 1 to 40, the same for the same seed. */
const random = (seed) => () => ((seed = (seed * 1103515245 + 12345) % 2147483648) % 40) + 1

/** What a client is told to use: a fetch, or the address of a server with the handler. */
async function between(t, { served }, baseURL) {
  if (!served) return { baseURL, fetch: textToolCalls(options) }
  const server = createServer(nodeListener(openAIHandler({ ...options, baseURL })))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { baseURL: `http://127.0.0.1:${server.address().port}/v1` }
}

for (const [name, client] of Object.entries(clients)) {
  describe(name, { skip: client.skip || false }, () => {
    const asks = async (t, answer, stream = true) => {
      const { baseURL, requests } = await upstream(t, answer)
      return { ...(await client.ask({ ...(await between(t, client, baseURL)), stream })), requests }
    }

    for (const [way, size] of [
      ['at every byte', () => () => 1],
      ['at random', () => random(7)],
      ['nowhere', () => () => Infinity],
    ]) {
      test(`runs the calls of a stream that is cut ${way}, and reads the answer behind them`, async (t) => {
        const { text, cities, finish, requests } = await asks(t, async ({ body }, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          await cut(response, Buffer.from(streamOf(textOf(body))), size())
          response.end()
        })
        assert.deepEqual([text, cities, finish], [answered, ['Köln ☔', 'Rome'], 'stop'])
        assert.deepEqual(
          requests.map(({ body }) => [body.tools, body.messages.map(({ role }) => role).join(' ')]),
          [
            [undefined, 'system user'],
            [undefined, 'system user assistant user'],
          ],
        )
        assert.ok(
          requests[1].body.messages[2].content.includes(
            hermes({ city: 'Köln ☔' }).replaceAll('": ', '":').replaceAll(', "', ',"'),
          ),
        )
      })
    }

    test('runs a call with 10 MB of arguments', async (t) => {
      const city = 'x'.repeat(10 * 1024 * 1024)
      const { text, cities } = await asks(t, ({ body }) =>
        textOf(body) === answered ? streamOf(answered) : streamOf(hermes({ city }), { size: 1024 * 1024 }),
      )
      assert.deepEqual([text, cities.map(({ length }) => length)], [answered, [city.length]])
    })

    test('runs the calls of a whole answer', async (t) => {
      const { text, cities } = await asks(t, ({ body }) => wholeOf(textOf(body)), false)
      assert.deepEqual([text, cities], [answered, ['Köln ☔', 'Rome']])
    })

    for (const stream of [true, false]) {
      test(`runs nothing of a call that was cut, ${stream ? 'streamed' : 'whole'}: it is text`, async (t) => {
        const broken = 'Well <tool_call>\n{"name": "get_weather", "arguments": {"city": "Ro'
        const { text, cities, finish } = await asks(t, () => (stream ? streamOf(broken) : wholeOf(broken)), stream)
        assert.deepEqual([text, cities, finish], [broken, [], 'stop'])
      })
    }

    test('says in words that the connection broke, and runs nothing', async (t) => {
      const stream = streamOf(calling)
      await assert.rejects(
        asks(
          t,
          (_, response) =>
            void response
              .writeHead(200, { 'content-type': 'text/event-stream' })
              .write(stream.slice(0, stream.length - 500), () => response.destroy()),
        ),
        (error) => {
          assert.match(JSON.stringify([String(error), error]), /the connection to the model's server broke/)
          return true
        },
      )
    })

    test('reads compressed answers, and tries again when it is told to wait', async (t) => {
      let tries = 0
      const { text, cities, requests } = await asks(t, ({ body }, response) => {
        if (tries++ === 0)
          return void response
            .writeHead(429, { 'content-type': 'application/json', 'retry-after': '1', 'retry-after-ms': '20' })
            .end('{"error":{"message":"slow down","type":"rate_limit"}}')
        response
          .writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
          .end(gzipSync(streamOf(textOf(body))))
      })
      assert.deepEqual([text, cities, requests.length], [answered, ['Köln ☔', 'Rome'], 3])
      assert.equal(requests[1].text, requests[0].text)
    })
  })
}
