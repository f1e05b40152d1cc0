// Who answers, where people choose that: the right of it, keys that go in and never out, lists, tests, and the servers
// of this machine.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { Engine, serverPresets, providers } from 'sluice'
import { connect } from 'sluice/renderer'
import { startScriptedServer } from 'sluice/testing'
import { hostStage, until } from './host-support.mjs'

const KEY = 'sk-quite-secret-0123456789'
const able = ({ body }) => {
  const text = JSON.stringify(body)
  if (/image|picture/i.test(text)) return { text: 'Red.' }
  return /Call the tool note/.test(text) && !/noted/.test(text)
    ? { calls: [{ name: 'note', arguments: { text: 'ready' } }] }
    : { text: 'ready' }
}

async function stage(t, { current, ...choice } = {}) {
  const kept = { now: current, used: [] }
  const server = await startScriptedServer({ answers: able, models: ['one', 'two'] })
  t.after(server.close)
  const choose = {
    current: () => kept.now,
    use: (model) => void kept.used.push((kept.now = model ?? undefined)),
    ...choice,
  }
  const { host, open } = await hostStage(t, { host: { server: choose } })
  const window = open({ server: true })
  const client = connect(host.bridge({ server: true }))
  t.after(() => client.close())
  return { kept, server, host, window, client, open }
}

test('every preset is a provider with an address, a name in both languages, and a page for its keys where it needs one', () => {
  assert.deepEqual(
    serverPresets.map(({ provider }) => provider ?? 'own'),
    [
      'deepseek',
      'qwen',
      'kimi',
      'glm',
      'siliconflow',
      'openrouter',
      'openai',
      'anthropic',
      'gemini',
      'ollama',
      'lmstudio',
      'llama.cpp',
      'vllm',
      'own',
    ],
  )
  for (const { provider, title, places = [], models } of serverPresets) {
    if (typeof title !== 'string') assert.deepEqual(Object.keys(title), ['en', 'zh'])
    if (!provider) continue
    const { keys, elsewhere = [] } = providers[provider]
    assert.equal(places.length, keys ? 1 + elsewhere.length : 0, provider)
    for (const { keysAt, title: region } of places) {
      assert.equal(new URL(keysAt).protocol, 'https:')
      assert.equal(region === undefined, places.length === 1)
    }
    assert.notEqual(models?.length, 0)
  }
})

test('the key goes in and never out; it stays for its server, and is sent to no other', async (t) => {
  const { kept, server, window, client } = await stage(t)
  const view = await client.server.use({ baseURL: server.baseURL, model: ' one ', apiKey: KEY })
  assert.deepEqual(kept.used, [{ baseURL: server.baseURL, name: 'one', apiKey: KEY }])
  assert.deepEqual(view.current, { baseURL: server.baseURL, model: 'one', hasKey: true })
  await client.server.use({ baseURL: server.baseURL, model: 'two' })
  assert.equal(kept.now.apiKey, KEY, 'left out: the one that is kept')
  assert.deepEqual(await client.server.models({ baseURL: server.baseURL }), ['one', 'two'])
  const steps = []
  for await (const step of client.server.check({ baseURL: server.baseURL, model: 'one' })) steps.push(step)
  assert.deepEqual(
    steps.map(({ step, ok }) => [step, ok]),
    ['reach', 'key', 'model', 'stream', 'tools', 'pictures'].map((step) => [step, true]),
  )
  for (const { headers } of server.requests) assert.equal(headers.authorization, `Bearer ${KEY}`)
  const other = await startScriptedServer({ answers: able, models: ['m'] })
  t.after(other.close)
  assert.deepEqual(await client.server.models({ baseURL: other.baseURL }), ['m'])
  for await (const _ of client.server.check({ baseURL: other.baseURL, model: 'm' }));
  for (const { headers } of other.requests) assert.equal(headers.authorization, undefined, 'not to another server')
  await client.server.use({ baseURL: other.baseURL, model: 'm' })
  assert.equal(kept.now.apiKey, undefined)
  await client.server.use({ baseURL: other.baseURL, model: 'm', apiKey: KEY })
  await client.server.use({ baseURL: other.baseURL, model: 'm', apiKey: '' })
  assert.equal(kept.now.apiKey, undefined, 'taken away')
  await client.server.use(null)
  assert.equal((await client.server.view()).current, undefined)
  assert.doesNotMatch(JSON.stringify([steps, view, await window.get('server')]), new RegExp(KEY))
})

test('what the app has stays: headers and wire for the same server, keys of its own by address, no name or password out', async (t) => {
  const { kept, client, server } = await stage(t, {
    keyFor: (address) => (address === 'https://api.deepseek.com' ? KEY : undefined),
  })
  const at = server.baseURL.replace('//', '//me:secret-password@')
  kept.now = {
    baseURL: at,
    wire: 'openai-chat',
    path: '/chat/completions?key=hidden',
    name: 'one',
    headers: { 'x-team': 'secret-team-0123' },
  }
  const { current, presets: all } = await client.server.view()
  assert.equal(JSON.stringify(current).match(/secret|hidden/), null)
  assert.equal(current.path, '/chat/completions')
  assert.deepEqual(
    all.filter(({ places }) => places.some(({ hasKey }) => hasKey)).map(({ provider }) => provider),
    ['deepseek'],
  )
  await client.server.use({ provider: 'deepseek', model: 'deepseek-chat' })
  assert.deepEqual(kept.now, { provider: 'deepseek', name: 'deepseek-chat', apiKey: KEY })
  kept.now = { provider: 'ollama', wire: 'openai-chat', path: '/chat', name: 'm', headers: { 'x-team': 'a' } }
  await client.server.use({ provider: 'ollama', model: 'n' })
  assert.deepEqual(kept.now, {
    provider: 'ollama',
    wire: 'openai-chat',
    path: '/chat',
    name: 'n',
    headers: { 'x-team': 'a' },
  })
  await client.server.use({ provider: 'ollama', baseURL: 'http://127.0.0.1:9', model: 'n' })
  assert.deepEqual(
    kept.now,
    { provider: 'ollama', baseURL: 'http://127.0.0.1:9', name: 'n' },
    'nothing of it for another server',
  )
})

test('what cannot be is refused, with the member that is wrong', async (t) => {
  const { client, kept, window } = await stage(t)
  for (const [input, path, code = 'option'] of [
    [{ provider: 'x', model: 'm' }, 'provider'],
    [{ provider: 'kimi', model: 'm' }, 'apiKey'],
    [{ provider: 'kimi', baseURL: 'x', model: 'm' }, 'baseURL'],
    [{ baseURL: 'ftp://example', model: 'm' }, 'baseURL'],
    [{ model: 'm' }, 'baseURL'],
    [{ provider: 'ollama' }, 'model', 'argument'],
    [{ baseURL: 'http://127.0.0.1:9', model: 'm', apiKey: 'ключ' }, 'apiKey'],
    [{ provider: 'gemini', wire: 'anthropic', model: 'm', apiKey: 'k' }, 'wire'],
    [{ provider: 'ollama', model: '  ' }, 'model'],
    [{ baseURL: 'http://127.0.0.1:9', model: 'm', headers: {} }, 'server.headers', 'argument'],
  ])
    await assert.rejects(
      client.server.use(input),
      (error) => (assert.deepEqual([error.path, error.code], [path, code], JSON.stringify(error)), true),
    )
  assert.deepEqual(kept.used, [])
  for (const input of [undefined, 1, { server: 1 }, { server: {}, mode: 'loud' }])
    assert.equal((await window.call('useServer', input)).error.code, 'argument')
  await assert.rejects(client.server.models({ baseURL: 'http://127.0.0.1:9' }), { code: 'failed' })
})

test('who goes from one server to the next gets the list of the last, whatever the others do', async (t) => {
  const { client, server } = await stage(t)
  const silent = createServer(() => {}) // it takes every request, and never answers
  await new Promise((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.after(() => (silent.closeAllConnections(), silent.close()))
  const given = Array.from({ length: 4 }, (_, n) =>
    client.server.models({ baseURL: `http://127.0.0.1:${silent.address().port}/${n}` }),
  )
  const ended = assert.rejects(given[0], { code: 'limit' })
  for (const one of given) one.catch(() => {})
  assert.deepEqual(await client.server.models({ baseURL: server.baseURL }), ['one', 'two'])
  await ended
})

test('a mode that goes with the server is configured', async (t) => {
  const { client, server, host } = await stage(t)
  await client.server.use({ baseURL: server.baseURL, model: 'one' }, 'text')
  const other = connect(host.bridge())
  t.after(() => other.close())
  assert.equal((await other.configuration()).settings.mode, 'text')
})

test('of two windows that choose at the same time the later one has both, its server and its mode', async (t) => {
  const saves = []
  const { client, server, host } = await stage(t, { use: () => new Promise((resolve) => saves.push(resolve)) })
  const other = connect(host.bridge())
  t.after(() => other.close())
  const [first, second] = ['text', 'native'].map((mode) =>
    client.server.use({ baseURL: server.baseURL, model: 'one' }, mode),
  )
  await until(() => saves.length === 2)
  saves[1]()
  await second
  saves[0]()
  await first
  assert.equal((await other.configuration()).settings.mode, 'native')
})

test('what the app kept and is no address hinders nobody from choosing another server', async (t) => {
  const { client, kept, server } = await stage(t, { current: { baseURL: 'what?', name: 'm', apiKey: KEY } })
  assert.deepEqual((await client.server.view()).current, { baseURL: '', model: 'm', hasKey: false })
  await client.server.use({ baseURL: server.baseURL, model: 'one' })
  assert.deepEqual(kept.now, { baseURL: server.baseURL, name: 'one' }, 'the key goes to no other server')
})

test('a host without a choice says so', async (t) => {
  const { open } = await hostStage(t)
  const window = open({ server: true })
  for (const method of ['server', 'localServers'])
    assert.equal((await window.call(method)).error.code, 'unsupported', method)
  for (const method of ['serverModels', 'checkServer'])
    assert.equal((await window.call(method, { provider: 'ollama' })).error.code, 'unsupported', method)
  assert.equal((await window.call('useServer', { server: null })).error.code, 'unsupported')
})

test('a check ends with its window, with another one, and when it is stopped', async (t) => {
  const { client, open } = await stage(t)
  let asked = 0
  const gone = []
  const silent = createServer((request, response) => {
    asked++
    response.on('close', () => gone.push(asked))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => silent.once('listening', resolve))
  t.after(() => (silent.closeAllConnections(), silent.close()))
  const baseURL = `http://127.0.0.1:${silent.address().port}/v1`
  const stop = new AbortController()
  const stopped = (async () => {
    for await (const _ of client.server.check({ baseURL, model: 'm' }, { signal: stop.signal }));
  })()
  await until(() => asked === 1)
  stop.abort(new Error('enough'))
  await assert.rejects(stopped, /enough/)
  await until(() => gone.length === 1, 'the request is given up')
  const window = open({ server: true })
  const { check } = await window.get('checkServer', { baseURL, model: 'm' })
  const step = window.call('checkStep', { check })
  await until(() => asked === 2)
  const next = await window.get('checkServer', { baseURL, model: 'm' })
  assert.deepEqual(await step, { ok: true, value: null })
  await until(() => gone.length === 2)
  void window.call('checkStep', next)
  await until(() => asked === 3)
  assert.equal(await open({ server: true }).get('checkStep', next), null, 'not of another window')
  window.connection.close()
  await until(() => gone.length === 3)
})

test('servers of this machine are found where they answer with a list', async (t) => {
  const server = createServer((request, response) =>
    response.end(request.url === '/api/tags' ? '{"models":[{"name":"qwen3:8b"}]}' : '{}'),
  ).listen(11434, '127.0.0.1')
  const there = await new Promise((resolve) =>
    server.once('listening', () => resolve(true)).once('error', () => resolve(false)),
  )
  if (!there) return t.skip('the port of Ollama is taken')
  t.after(() => (server.closeAllConnections(), server.close()))
  const { client } = await stage(t)
  const found = await client.server.local()
  assert.deepEqual(
    found.find(({ provider }) => provider === 'ollama'),
    { provider: 'ollama', models: ['qwen3:8b'] },
  )
})

test('a check that is stopped between two steps closes its engine', async (t) => {
  const { open } = await stage(t)
  const server = await startScriptedServer({ answers: able, models: ['m'] })
  t.after(() => server.close())
  const closed = t.mock.method(Engine.prototype, 'close')
  const window = open({ server: true })
  const { check } = await window.get('checkServer', { baseURL: server.baseURL, model: 'm' })
  for (let step; step?.step !== 'stream'; ) step = await window.get('checkStep', { check })
  assert.equal(closed.mock.callCount(), 0)
  assert.equal(await window.get('checkStep', { check, stop: true }), null)
  await until(() => closed.mock.callCount() === 1, 'the engine to close')
})
