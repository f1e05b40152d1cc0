// `model: { provider, wire, baseURL, path, apiKey, headers }`: where requests go, what they carry, and what is said
// where that cannot work.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'
import { Engine, providers, SluiceError } from 'sluice'

const { serverOf } = await built('model')

const messages = [{ role: 'user', content: 'Hello' }]
const KEY = 'sk-abcdefgh1234ijklmnop'

/** One request of such a model, as the transport gets it. */
async function sent(t, model, more = {}) {
  const engine = new Engine({ retries: 0 })
  t.after(() => engine.close())
  let request
  const transport = async (given) => {
    request = given
    return new Response('no', { status: 400 })
  }
  const { error } = await engine.run({ model: { name: 'm', ...model }, messages, transport, ...more }).done
  return { ...request, error }
}

/** What must hold of every wire: path, and the header of the key. */
const wires = {
  'openai-chat': ['/chat/completions', { authorization: `Bearer ${KEY}` }],
  'openai-responses': ['/responses', { authorization: `Bearer ${KEY}` }],
  anthropic: ['/messages', { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' }],
  'gemini-interactions': ['/interactions', { 'x-goog-api-key': KEY, 'api-revision': '2026-05-20' }],
  gemini: ['/models/m:streamGenerateContent?alt=sse', { 'x-goog-api-key': KEY }],
  ollama: ['/api/chat', { authorization: `Bearer ${KEY}` }],
}

const keyHeaders = ['authorization', 'x-api-key', 'anthropic-version', 'x-goog-api-key', 'api-revision']
const keysOf = ({ headers }) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => keyHeaders.includes(name)))

for (const [provider, { title, baseURLs, elsewhere = [], keys, example }] of Object.entries(providers)) {
  test(`${provider}: every wire that it speaks, at its address, with its key`, () => {
    assert.ok(title && example)
    for (const url of [...Object.values(baseURLs), ...elsewhere])
      assert.equal(new URL(url).href.replace(/\/$/, ''), url)
    for (const name of keys ?? []) assert.match(name, /^([A-Z][A-Z_]+_KEY|AWS_BEARER_TOKEN_BEDROCK)$/)
    const local = Object.values(baseURLs).every((url) => new URL(url).hostname === '127.0.0.1')
    assert.equal(keys === undefined, local, 'servers on this machine need no key, all others do')
    for (const [at, [wire, baseURL]] of Object.entries(baseURLs).entries()) {
      const [path, headers] = wires[wire]
      const server = serverOf({ provider, apiKey: KEY, ...(at > 0 ? { wire } : {}) }, 'm')
      assert.deepEqual([server.wire, server.url], [wire, baseURL + path])
      assert.deepEqual(keysOf(server), headers)
    }
  })
}

test('bedrock: a region takes the place of the usual one, with the same key and dialect', () => {
  const at = (model) => serverOf({ provider: 'bedrock', apiKey: KEY, ...model }, 'openai.gpt-oss-120b')
  assert.equal(at({}).url, 'https://bedrock-mantle.us-east-1.api.aws/v1/chat/completions')
  const { url, headers, dialect, endpoint } = at({ region: 'ap-southeast-2', wire: 'openai-responses' })
  assert.equal(url, 'https://bedrock-mantle.ap-southeast-2.api.aws/v1/responses')
  assert.deepEqual([headers.authorization, dialect], [`Bearer ${KEY}`, 'bedrock'])
  assert.notEqual(endpoint, at({ wire: 'openai-responses' }).endpoint)
  const by = (baseURL) => serverOf({ baseURL }, 'm').dialect
  assert.equal(by('https://bedrock-mantle.eu-west-1.api.aws/openai/v1'), 'bedrock')
  for (const host of [
    'bedrock-mantle.eu-west-1.api.aws.example',
    'x.bedrock-mantle.eu-west-1.api.aws',
    'bedrock-mantle..api.aws',
  ])
    assert.equal(by(`https://${host}/v1`), undefined, host)
  const engine = new Engine()
  const run = (model) => () => engine.run({ model: { name: 'm', ...model }, messages })
  assert.throws(run({ provider: 'bedrock', region: 'eu-west-1' }), /AWS_BEARER_TOKEN_BEDROCK/)
  assert.throws(run({ provider: 'bedrock', region: 'evil.example/' }), { path: 'model.region' })
  assert.throws(run({ provider: 'openai', region: 'eu-west-1' }), { path: 'model.region' })
  assert.throws(run({ provider: 'bedrock', region: 'eu-west-1', baseURL: 'http://127.0.0.1:9' }), {
    path: 'model.region',
  })
  engine.close()
})

test("a wire at an address of one's own: path and key follow the wire", () => {
  for (const [wire, [path, headers]] of Object.entries(wires)) {
    const server = serverOf({ wire, baseURL: 'http://127.0.0.1:9/base/', apiKey: KEY }, 'm')
    assert.equal(server.url, `http://127.0.0.1:9/base${path}`)
    assert.deepEqual(keysOf(server), headers)
    const keyless = serverOf({ wire, baseURL: 'http://127.0.0.1:9' }, 'm')
    assert.deepEqual(
      Object.keys(keysOf(keyless)),
      Object.keys(headers).filter((name) => /version|revision/.test(name)),
    )
  }
})

test('gemini: the name as the provider lists it, and a key in the query', () => {
  const server = serverOf(
    { provider: 'gemini', baseURL: `http://127.0.0.1:9/v1beta?key=${KEY}` },
    'models/gemini-2.5-flash',
  )
  assert.equal(server.url, `http://127.0.0.1:9/v1beta/models/gemini-2.5-flash:streamGenerateContent?key=${KEY}&alt=sse`)
  assert.ok(server.secrets.includes(KEY))
})

test('without provider and wire it is chat completions with a bearer, as ever', async (t) => {
  const { url, headers, body } = await sent(t, { baseURL: 'http://127.0.0.1:9/v1', apiKey: KEY })
  assert.equal(url, 'http://127.0.0.1:9/v1/chat/completions')
  assert.equal(headers.authorization, `Bearer ${KEY}`)
  assert.equal(JSON.parse(body).model, 'm')
})

test("baseURL goes before the provider's, headers before all", async (t) => {
  const own = await sent(t, {
    provider: 'deepseek',
    baseURL: 'http://127.0.0.1:9/proxy',
    headers: { Authorization: 'Token x', 'X-Title': 'Pet' },
    apiKey: KEY,
  })
  assert.equal(own.url, 'http://127.0.0.1:9/proxy/chat/completions')
  assert.deepEqual([own.headers.authorization, own.headers['x-title']], ['Token x', 'Pet'])
})

test("path: the model's name in it, its query, and none at all", async (t) => {
  const at = async (path, baseURL = 'http://127.0.0.1:9/v1', name = 'm') => (await sent(t, { baseURL, path, name })).url
  assert.equal(
    await at('/openai/deployments/{model}/chat?api-version=1'),
    'http://127.0.0.1:9/v1/openai/deployments/m/chat?api-version=1',
  )
  assert.equal(await at('/{model}', undefined, 'org/a b?c'), 'http://127.0.0.1:9/v1/org%2Fa%20b%3Fc')
  assert.equal(await at(''), 'http://127.0.0.1:9/v1')
  assert.equal(await at('', 'http://127.0.0.1:9/generate?v=2'), 'http://127.0.0.1:9/generate?v=2')
  assert.equal(await at('/chat?b=2', 'http://127.0.0.1:9/v1/?a=1'), 'http://127.0.0.1:9/v1/chat?a=1&b=2')
  assert.equal(await at('?b=2'), 'http://127.0.0.1:9/v1?b=2')
})

test("a resumed turn keeps its wire, and its model's name", async (t) => {
  const engine = new Engine({ retries: 0 })
  t.after(() => engine.close())
  const first = engine.run({
    model: { baseURL: 'http://127.0.0.1:9/v1', path: '/{model}', name: 'first' },
    messages,
    transport: () => new Promise(() => {}),
  })
  const state = await first.suspend()
  const urls = []
  const transport = async ({ url }) => {
    urls.push(url)
    return new Response('no', { status: 400 })
  }
  await engine.resume(state, { model: { provider: 'openai', path: '/at/{model}' }, transport }).done
  await engine.resume(state, { model: { provider: 'openai' }, transport }).done
  assert.deepEqual(urls, ['https://api.openai.com/v1/at/first', 'https://api.openai.com/v1/chat/completions'])
  const refused = (model, path, words) =>
    assert.throws(
      () => engine.resume(state, { model, transport }),
      (error) => error.code === 'option' && error.path === path && words.test(error.message),
    )
  refused(
    { baseURL: 'http://127.0.0.1:9/v1', wire: 'anthropic' },
    'model.wire',
    /found "anthropic", expected openai-chat \(the turn keeps/,
  )
  refused({ provider: 'anthropic' }, 'model.wire', /found "openai-chat", expected anthropic \(what Anthropic speaks/)
  refused({ name: 'm' }, 'model.baseURL', /found undefined.*provider/)
})

test('what is wrong in a model is told before anything is sent', (t) => {
  const engine = new Engine()
  t.after(() => engine.close())
  const baseURL = 'http://127.0.0.1:9/v1'
  for (const [model, path, words] of [
    [
      { provider: 'antropic' },
      'model.provider',
      /found "antropic", expected openai \| anthropic \|.* \(did you mean anthropic\?\)/,
    ],
    [{ provider: 'Claude' }, 'model.provider', /did you mean anthropic\?/],
    [{ provider: 'openai-chat' }, 'model.provider', /it is a wire: \{ provider: 'openai', wire: 'openai-chat' \}/],
    [{ provider: 'vertex' }, 'model.provider', /not supported/],
    [{ provider: 'aws' }, 'model.provider', /did you mean bedrock/],
    [{ provider: 'toString' }, 'model.provider', /found "toString"/],
    [{ provider: 5 }, 'model.provider', /found 5/],
    [
      { wire: 'openai', baseURL },
      'model.wire',
      /found "openai", expected openai-chat \| openai-responses \| anthropic \| gemini \| gemini-interactions \| ollama/,
    ],
    [{ wire: 'text', baseURL }, 'model.wire', /found "text"/],
    [
      { provider: 'mistral', wire: 'anthropic' },
      'model.wire',
      /found "anthropic", expected openai-chat \(what Mistral speaks; .*baseURL/,
    ],
    [{}, 'model.baseURL', /found undefined, expected an http or https URL.*provider: 'anthropic'/],
    [{ wire: 'anthropic' }, 'model.baseURL', /found undefined/],
    [
      { baseURL, path: 'chat' },
      'model.path',
      /found another text, expected what stands behind the base URL: '\/chat\/completions'/,
    ],
    [{ baseURL, path: `https://x/?key=${KEY}` }, 'model.path', /found another text/],
    [{ baseURL, path: '//x' }, 'model.path', /another text/],
    [{ baseURL, path: 5 }, 'model.path', /found 5/],
    [{ baseURL, api: 'x' }, 'model.api', /did you mean wire\?/],
    [{ baseURL, endpoint: '/x' }, 'model.endpoint', /did you mean path/],
    [
      { provider: 'gemini', name: undefined },
      'model.name',
      /found undefined, expected the name of a model \(one of Google Gemini is gemini-/,
    ],
  ]) {
    assert.throws(
      () => engine.run({ model: { name: 'm', ...model }, messages }),
      (error) => {
        assert.ok(SluiceError.is(error), error)
        assert.equal(error.code, 'option')
        assert.equal(error.path, path, error.message)
        assert.match(error.message, words)
        return !error.message.includes(KEY)
      },
    )
  }
  for (const member of ['wire', 'provider', 'path', 'baseURL', 'apiKey']) {
    assert.throws(
      () => engine.run({ model: { name: 'm', baseURL }, messages, [member]: 'x' }),
      (error) => error.path === member && /belongs into `model`/.test(error.message),
    )
  }
})

test('a provider that wants a key, and gets none, names the environment variable', async (t) => {
  const engine = new Engine()
  t.after(() => engine.close())
  const fine = []
  const run = (model, more = {}) =>
    fine.push(
      engine.run({ model: { name: 'm', ...model }, messages, retries: 0, signal: AbortSignal.abort(), ...more }).done,
    )
  for (const [provider, { title, keys, elsewhere = [] }] of Object.entries(providers)) {
    if (!keys) run({ provider })
    for (const baseURL of elsewhere) assert.throws(() => run({ provider, baseURL }), { path: 'model.apiKey' })
    for (const apiKey of keys ? [undefined, ''] : []) {
      assert.throws(
        () => run({ provider, apiKey }),
        (error) => {
          assert.equal(error.path, 'model.apiKey')
          assert.equal(error.detail, `found ${apiKey === '' ? '""' : 'undefined'}, expected a key of ${title}`)
          return error.hint.includes(`process.env.${keys[0]}`)
        },
      )
    }
  }
  run({ provider: 'deepseek', apiKey: KEY })
  run({ provider: 'deepseek', baseURL: 'http://127.0.0.1:9/v1' })
  run({ provider: 'deepseek', headers: { Authorization: `Bearer ${KEY}` } })
  run({ provider: 'deepseek', path: `/chat?key=${KEY}` })
  run({ provider: 'deepseek' }, { beforeRequest: () => ({ headers: { authorization: 'x' } }) })
  await Promise.all(fine)
})

test('a key is nowhere in an error, by whichever way it is sent', async (t) => {
  const echo = async ({ url, headers }) =>
    Response.json({ error: { message: `refused: ${url} ${JSON.stringify(headers)}` } }, { status: 401 })
  for (const wire of Object.keys(wires)) {
    for (const model of [
      { apiKey: KEY },
      { path: `/x?key=${KEY}` },
      { headers: { 'x-goog-api-key': KEY } },
      { headers: { 'api-key': KEY } },
    ]) {
      const { error } = await sent(t, { wire, baseURL: 'http://127.0.0.1:9/v1', ...model }, { transport: echo })
      assert.match(error.detail, /\[secret\]/)
      assert.ok(!JSON.stringify(error).includes(KEY), error.detail)
    }
  }
})
