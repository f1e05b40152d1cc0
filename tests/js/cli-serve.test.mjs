// `npx sluice serve`: real processes in front of a real server.
import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import { test } from 'node:test'
import OpenAI from 'openai'
import { running, sluiceHere } from './cli-support.mjs'
import { hermes, streamOf, upstream, weather } from './openai-support.mjs'

/** Starts the command, does something with its address, and ends it with Ctrl-C. */
const serving = (words, use, env) => running(words, /OpenAI clients: (http:\S+)\nIn front of /, use, env)

const say = (host, url, headers = {}) =>
  new Promise((resolve, reject) => {
    const { port, pathname } = new URL(url)
    request({ host: '127.0.0.1', port, path: `${pathname}/models`, headers: { host, ...headers } }, (response) =>
      resolve(response.resume().statusCode),
    )
      .on('error', reject)
      .end()
  })

test('clients of OpenAI get calls and models, and strangers in a browser nothing', async (t) => {
  const { baseURL, requests } = await upstream(t, ({ path, body }) => {
    if (path.startsWith('/v1/models')) return '{"object":"list","data":[{"id":"qwen3"}]}'
    return streamOf(
      body.model === 'qwen3' ? hermes({ city: 'Rome' }) : '<tool_call>\n{"name": "get_weather", "arguments": {"ci',
    )
  })
  const { code, out, err } = await serving(
    ['serve', '--upstream', baseURL, '--protocol', 'auto', '--listen', '127.0.0.1:0'],
    async (url) => {
      const client = new OpenAI({ baseURL: url, apiKey: 'none', maxRetries: 0 })
      const run = (model) =>
        client.chat.completions
          .stream({ model, messages: [{ role: 'user', content: 'Hi' }], tools: [weather] })
          .finalChatCompletion()
      assert.equal((await run('qwen3')).choices[0].message.tool_calls[0].function.name, 'get_weather')
      assert.equal((await run('qwen3-broken')).choices[0].message.tool_calls, undefined)
      for (const again of [1, 2]) assert.equal((await run('nobody-1')).choices[0].finish_reason, 'stop', again)
      assert.deepEqual(
        (await client.models.list()).data.map(({ id }) => id),
        ['qwen3'],
      )
      const before = requests.length
      const { host, port } = new URL(url)
      assert.deepEqual(
        [
          await say('evil.test', url),
          await say(host, url, { origin: 'https://evil.test' }),
          await say(host, url, { origin: 'null' }),
          requests.length,
        ],
        [403, 403, 403, before],
      )
      // A picture or a link of another page names no Origin.
      for (const site of ['cross-site', 'same-site'])
        assert.deepEqual([await say(host, url, { 'sec-fetch-site': site }), requests.length], [403, before], site)
      // A page of another port of this machine is a stranger as well.
      for (const origin of ['http://localhost:3000', 'http://127.0.0.1:9', 'https://127.0.0.1'])
        assert.deepEqual(
          [await say(host, url, { origin, 'sec-fetch-site': 'same-site' }), requests.length],
          [403, before],
          origin,
        )
      assert.deepEqual(
        [
          await say(`localhost:${port}`, url),
          await say(host, url, { 'sec-fetch-site': 'none' }),
          await say(host, url, { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }),
        ],
        [200, 200, 200],
      )
      const after = requests.length
      for (const path of ['/files', '/models/../files', '/admin', '/fine_tuning/jobs'])
        assert.deepEqual([(await fetch(url + path)).status, requests.length], [404, after], path)
      assert.equal((await fetch(`${url}/models/qwen3`)).status, 200)
    },
  )
  assert.equal(code, 0)
  assert.ok(out.includes(`In front of ${baseURL};`), out)
  assert.equal(err.match(/^nobody-1: unknown_model/gm).length, 1)
  assert.match(err, /^qwen3-broken: unterminated_block: get_weather$/m)
})

test('only a page that --origin names may ask, and the upstream says nothing about pages', async (t) => {
  const upstream = createServer((_, response) =>
    response
      .writeHead(200, { 'access-control-allow-origin': '*', 'access-control-allow-credentials': 'true' })
      .end('{"data":[]}'),
  )
  await new Promise((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  t.after(() => upstream.close())
  const [page, other] = ['http://localhost:3000', 'http://localhost:3001']
  await serving(
    [
      'serve',
      '--upstream',
      `http://127.0.0.1:${upstream.address().port}/v1`,
      '--listen',
      '0',
      '--origin',
      `https://page.test,${page}`,
    ],
    async (url) => {
      const cors = async (headers, method = 'GET') => {
        const response = await fetch(`${url}/models`, { method, headers })
        return [
          response.status,
          response.headers.get('access-control-allow-origin'),
          response.headers.get('access-control-allow-credentials'),
        ]
      }
      assert.deepEqual(await cors({}), [200, null, null])
      assert.deepEqual(await cors({ origin: page, 'sec-fetch-site': 'cross-site' }), [200, page, null])
      assert.deepEqual(await cors({ origin: page, 'access-control-request-headers': 'authorization' }, 'OPTIONS'), [
        204,
        page,
        null,
      ])
      assert.deepEqual(await cors({ origin: other }), [403, null, null])
      assert.deepEqual(await cors({ origin: other }, 'OPTIONS'), [403, null, null])
    },
  )
  const { code, err } = await sluiceHere(['serve', '--upstream', 'http://a', '--origin', 'localhost:3000'])
  assert.deepEqual([code, /--origin: found 'localhost:3000', expected an origin/.test(err)], [2, true])
})

test('--base-url, a token from the environment, and a port that is taken', async (t) => {
  const { baseURL } = await upstream(t, () => '{"data":[]}')
  await serving(
    ['serve', '--base-url', baseURL, '--listen', '0'],
    async (url) => {
      assert.equal((await fetch(`${url}/models`)).status, 401)
      assert.equal(
        (await fetch(`${url}/models`, { headers: { authorization: 'Bearer sesame', origin: 'https://page.test' } }))
          .status,
        200,
      )
    },
    { SLUICE_TOKEN: 'sesame' },
  )
  const other = createServer()
  await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve))
  const place = `127.0.0.1:${other.address().port}`
  const taken = await sluiceHere(['serve', '--upstream', baseURL, '--listen', place])
  other.close()
  assert.deepEqual(
    [taken.code, taken.err],
    [1, `--listen: another program already uses ${place}\n--listen 127.0.0.1:0 takes a port that is free\n`],
  )
})

test('wrong words are told, with what was expected', async () => {
  const cases = [
    [['serve'], /--upstream URL is missing/],
    [['serve', '--upstream', 'localhost:8000'], /found 'localhost:8000', expected an http or https URL/],
    [['serve', '--upstream', 'http://'], /expected a URL/],
    [['serve', '--upstream', 'http://a', '--base-url', 'http://b'], /expected one of them/],
    [['serve', '--provider', 'nobody'], /expected one of/],
    [['serve', '--provider', 'anthropic'], /does not speak the API of OpenAI/],
    [['serve', '--upstream', 'http://a', '--listen', '0.0.0.0:4100'], /can be reached from other machines: --token/],
    [['serve', '--upstream', 'http://a', '--listen', '[::]:4100'], /--token/],
    [['serve', '--upstream', 'http://a', '--listen', 'here'], /expected HOST:PORT/],
    [['serve', '--upstream', 'http://a', '--listen', '127.0.0.1:70000'], /expected HOST:PORT/],
    [['serve', '--port', '1'], /found --port, expected one of/],
  ]
  for (const [words, expected] of cases) {
    const { code, err } = await sluiceHere(words)
    assert.equal(code, 2, words.join(' '))
    assert.match(err, expected)
    assert.match(err, new RegExp(`npx sluice ${words[0]} --help tells more`))
  }
  assert.deepEqual(
    await sluiceHere(['serve', '--upstream', 'http://a', '--protocol', 'hermesss', '--listen', '0']).then(
      ({ code, err }) => [code, /protocol: .*hermes/.test(err)],
    ),
    [1, true],
  )
})
