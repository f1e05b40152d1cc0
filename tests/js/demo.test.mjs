import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createHost } from 'sluice/host'
import { connect } from 'sluice/renderer'
import { startScriptedServer } from 'sluice/testing'
import { createApp } from '../../js/demo/app.mjs'
import { encryptionBy } from '../../js/demo/electron/system-encryption.mjs'
import { keptIn } from '../../js/demo/kept.mjs'
import { kind, scenarios, stranger, unasked } from '../../js/demo/scenarios.mjs'
import { assistantTools } from '../../js/demo/tools.mjs'
import { startDemo } from '../../js/demo/web.mjs'

const main = fileURLToPath(new URL('../../js/demo/main.mjs', import.meta.url))

function demo(args, input = '') {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [main, ...args])
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text) => (err += text))
    child.stdin.end(input)
    child.on('close', (code) => resolve({ code, out, err }))
  })
}

for (const mode of ['native', 'text']) {
  test(`the demo runs a turn against its own server, mode ${mode}`, async () => {
    const { code, out, err } = await demo(['--mode', mode])
    assert.equal(err, '')
    assert.equal(code, 0, out)
    const inOrder = [
      'Let me have a look',
      'ipc live2d:expression ["thinking"]',
      'success weather.now',
      'Rain from four',
      'notes.add',
      'approved automatically: there is no terminal to ask on',
      'success notes.add',
      'ipc live2d:motion ["TapBody",0]',
      'you can forget about it',
      ' tokens\n',
    ]
    let at = 0
    for (const text of inOrder) {
      const found = out.indexOf(text, at)
      assert.ok(found >= 0, `${text} is missing behind character ${at} of:\n${out}`)
      at = found
    }
    assert.doesNotMatch(out, /\x1b|TOOL_REQUEST/)
  })
}

test('the demo talks to any server: one question', async (t) => {
  const server = await startScriptedServer({ answers: [{ text: 'Forty-two.' }] })
  t.after(server.close)
  const { code, out } = await demo([
    '--base-url',
    server.baseURL,
    '--model',
    'm',
    '--api-key',
    'k',
    '--prompt',
    'The answer?',
  ])
  assert.equal(code, 0)
  assert.match(out, /Forty-two\./)
  assert.equal(server.requests[0].headers.authorization, 'Bearer k')
  assert.equal(server.requests[0].body.messages.at(-1).content, 'The answer?')
})

test('the demo chats: a conversation goes on', async (t) => {
  const server = await startScriptedServer({ answers: [{ text: 'Hello.' }, { text: 'Fine.' }] })
  t.after(server.close)
  const { code, out } = await demo(['--base-url', server.baseURL, '--model', 'm'], 'Hi\nHow are you?\n')
  assert.equal(code, 0)
  assert.match(out, /Hello\.[^]*Fine\./)
  assert.deepEqual(
    server.requests[1].body.messages.map((message) => message.role),
    ['system', 'user', 'assistant', 'user'],
  )
})

test('what goes wrong is told in a sentence', async () => {
  const server = await startScriptedServer({ answers: [] })
  await server.close() // nobody listens there any more
  const refused = await demo(['--base-url', server.baseURL, '--model', 'm', '--prompt', 'x'])
  assert.equal(refused.code, 1)
  assert.match(
    refused.out,
    new RegExp(`network: ${server.baseURL}/chat/completions: fetch failed: connect ECONNREFUSED`),
  )
  const wrong = [
    [['--mode', 'loud'], /--mode: found 'loud', expected one of native, text, auto/],
    [['--model', 'm'], /--model needs --base-url/],
    [['--base-url', 'localhost:1'], /--base-url: found 'localhost:1', expected an http or https URL/],
    [['--provider', 'deepseek'], /--provider needs --model NAME/],
    [
      ['--provider', 'claude', '--model', 'm'],
      /--provider: found 'claude', expected one of openai, .* \(did you mean anthropic\?\)/,
    ],
    [['--colour'], /--colour/],
    [['--web', '--prompt', 'x'], /--prompt is for the terminal/],
  ]
  for (const [args, message] of wrong) {
    const { code, err } = await demo(args)
    assert.equal(code, 2)
    assert.match(err, message)
  }
  const protocol = await demo(['--protocol', 'smoke-signals'])
  assert.equal(protocol.code, 1)
  assert.match(protocol.err, /^protocol/)
  assert.match((await demo(['--help'])).out, /--base-url URL/)
})

test('every line of the script is in both languages, and in each of them alone', () => {
  const wrong = []
  const look = (value) => {
    if (typeof value !== 'object' || value === null) return
    if ('en' in value && 'zh' in value) {
      if (/[\u3400-\u9fff]/.test(value.en) || !/[\u3400-\u9fff]/.test(value.zh)) wrong.push(value)
    } else Object.values(value).forEach(look)
  }
  look([scenarios.map(({ title, question }) => [title, question]), stranger, unasked, kind])
  for (const { rounds } of scenarios)
    for (const round of rounds)
      for (const results of ['', 'refused', 'picnic', 'photos: 40'])
        look(typeof round === 'function' ? round(results) : round)
  assert.deepEqual(
    wrong.filter(({ en, zh }) => en !== zh),
    [],
  )
})

test('a model of the demo: what the page does not ask for stays while the server stays', async (t) => {
  const app = await createApp({
    live2d: false,
    provider: 'ollama',
    wire: 'openai-chat',
    path: '/chat',
    model: 'm',
    apiKey: 'k',
  })
  const host = createHost(app.engine, app.options)
  t.after(() => host.close().then(() => app.close()))
  const { server } = connect(host.bridge({ server: true }))
  const model = () => app.options.run({ text: 'x' }).model
  assert.deepEqual(model(), { provider: 'ollama', wire: 'openai-chat', path: '/chat', name: 'm', apiKey: 'k' })
  const { current } = await server.use({ provider: 'ollama', model: 'n' })
  assert.deepEqual(model(), { provider: 'ollama', wire: 'openai-chat', path: '/chat', name: 'n', apiKey: 'k' })
  assert.deepEqual(current, { provider: 'ollama', wire: 'openai-chat', path: '/chat', model: 'n', hasKey: true })
  await server.use({ baseURL: 'http://127.0.0.1:1/v1', model: 'n' })
  assert.deepEqual(model(), { baseURL: 'http://127.0.0.1:1/v1', name: 'n' })
  for (const [input, path] of [
    [{ provider: 'x', model: 'm' }, 'provider'],
    [{ provider: 'kimi', model: 'm' }, 'apiKey'],
    [{ provider: 'kimi', baseURL: 'x', model: 'm' }, 'baseURL'],
    [{ model: 'm' }, 'baseURL'],
    [{ provider: 'ollama' }, 'model'],
  ]) {
    await assert.rejects(server.use(input), { path })
  }
  await server.use(null)
  assert.equal(model().name, 'scripted')
})

test('who answers is asked at the first start, and kept without its key; what would not work without it is asked again', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-demo-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const start = async () => {
    const app = await createApp({ live2d: false, ask: true, kept: keptIn(folder) })
    const host = createHost(app.engine, app.options)
    const client = connect(host.bridge({ server: true, configure: true }))
    return {
      app,
      client,
      first: app.routes['POST /api/demo']().first,
      close: () => host.close().then(() => app.close()),
    }
  }
  const again = async (act) => {
    const one = await start()
    await act(one)
    await one.close()
  }
  await again(async ({ first, client }) => {
    assert.equal(first, true)
    await client.server.use(null)
  })
  await again(async ({ first, client, app }) => {
    assert.equal(first, false)
    assert.equal(app.options.run({ text: 'x' }).model.name, 'scripted')
    await client.server.use({ baseURL: 'http://127.0.0.1:1/v1', model: 'm', apiKey: 'sk-secret-0123456789' }, 'text')
  })
  assert.doesNotMatch(readFileSync(join(folder, 'settings.json'), 'utf8'), /secret/)
  await again(async ({ first, client, app }) => {
    assert.equal(first, false)
    assert.deepEqual(app.options.run({ text: 'x' }).model, { baseURL: 'http://127.0.0.1:1/v1', name: 'm' })
    assert.equal((await client.configuration()).settings.mode, 'text')
    await client.server.use({ provider: 'mistral', model: 'm', apiKey: 'sk-secret-0123456789' })
  })
  const { MISTRAL_API_KEY } = process.env
  delete process.env.MISTRAL_API_KEY
  await again(async ({ first }) => assert.equal(first, true, 'its key is not here'))
  process.env.MISTRAL_API_KEY = 'sk-of-the-environment'
  await again(async ({ first, app }) => {
    assert.equal(first, false)
    assert.deepEqual(app.options.run({ text: 'x' }).model, {
      provider: 'mistral',
      name: 'm',
      apiKey: 'sk-of-the-environment',
    })
  })
  delete process.env.MISTRAL_API_KEY
  if (MISTRAL_API_KEY) process.env.MISTRAL_API_KEY = MISTRAL_API_KEY
  for (const broken of [
    '',
    '[]',
    '{"server":{"name":1}}',
    '{"server":{"name":"m","baseURL":"x"}}',
    '{"server":{"name":"m","provider":"x"}}',
  ]) {
    writeFileSync(join(folder, 'settings.json'), broken)
    await again(async ({ first }) => assert.equal(first, true, broken))
  }
})

test('a choice that cannot be kept is told, and who answered before goes on', async () => {
  const kept = {
    load: () => ({ server: { scripted: true } }),
    save() {},
    encryption: {
      encrypt() {
        throw new Error('the keychain is locked')
      },
      decrypt: (text) => text,
    },
  }
  const app = await createApp({ live2d: false, kept })
  const host = createHost(app.engine, app.options)
  const client = connect(host.bridge({ server: true }))
  await assert.rejects(
    client.server.use({ baseURL: 'http://127.0.0.1:1/v1', model: 'm', apiKey: 'sk-secret-0123456789' }),
    { code: 'internal' },
  )
  assert.equal((await client.server.view()).current, undefined)
  assert.equal(app.options.run({ text: 'x' }).model.name, 'scripted')
  client.close()
  await host.close()
  await app.close()
})

test('a key is kept if the system encrypts it, for its server alone; without that the page says that it is forgotten', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-demo-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'settings.json')
  const turned = (text) => [...text].reverse().join('')
  const electron = (more) => ({
    isEncryptionAvailable: () => true,
    getSelectedStorageBackend: () => 'gnome_libsecret',
    encryptString: (text) => Buffer.from(turned(text)),
    decryptString: (encrypted) => {
      if (!String(encrypted).endsWith('ptth'))
        throw new Error('Error while decrypting the ciphertext provided to safeStorage.decryptString.')
      return turned(String(encrypted))
    },
    ...more,
  })
  const start = async (storage) => {
    const app = await createApp({ live2d: false, kept: keptIn(folder, { encryption: encryptionBy(storage) }) })
    const host = createHost(app.engine, app.options)
    const { server } = connect(host.bridge({ server: true }))
    const one = { server, keep: (await server.view()).keysAreKept, model: app.options.run({ text: 'x' }).model }
    return Object.assign(one, { close: () => host.close().then(() => app.close()) })
  }
  const used = { baseURL: 'http://127.0.0.1:1/v1', name: 'm', apiKey: 'sk-secret-0123456789' }
  for (const weak of [{ isEncryptionAvailable: () => false }, { getSelectedStorageBackend: () => 'basic_text' }]) {
    const { server, keep, close } = await start(electron(weak))
    assert.equal(keep, false)
    await server.use({ baseURL: used.baseURL, model: 'm', apiKey: used.apiKey })
    await close()
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')).server, { baseURL: used.baseURL, name: 'm' })
  }
  const first = await start(electron({ getSelectedStorageBackend: undefined })) // as on macOS and Windows
  assert.equal(first.keep, true)
  await first.server.use({ baseURL: used.baseURL, model: 'm', apiKey: used.apiKey })
  await first.close()
  assert.doesNotMatch(readFileSync(file, 'utf8'), /sk-secret/)
  const next = await start(electron())
  assert.deepEqual(next.model, used)
  await next.server.use({ baseURL: used.baseURL, model: 'n' }) // without a word of the key
  await next.close()
  const again = await start(electron())
  assert.deepEqual(again.model, { ...used, name: 'n' })
  await again.close()
  const kept = JSON.parse(readFileSync(file, 'utf8'))
  for (const [server, what] of [
    [{ ...kept.server, baseURL: 'http://127.0.0.1:2/v1' }, 'another server'],
    [{ ...kept.server, key: 'AAAA' }, 'encrypted by somebody else'],
    [{ ...kept.server, key: 5 }, 'nonsense'],
  ]) {
    writeFileSync(file, JSON.stringify({ server }))
    const one = await start(electron())
    assert.equal(one.model.apiKey, undefined, what)
    await one.close()
  }
})

test('what was configured and can be no more is put aside and said by name, and the demo starts; so is a file that is no JSON', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-demo-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [file, aside] = [join(folder, 'settings.json'), join(folder, 'settings.bad.json')]
  const told = t.mock.method(console, 'error', () => {})
  const said = () => {
    const words = told.mock.calls.map(({ arguments: [line] }) => line).join()
    told.mock.resetCalls()
    return words
  }
  const server = { baseURL: 'http://127.0.0.1:1/v1', name: 'm' }
  for (const [configuration, words] of [
    [{ settings: { mode: 'loud' } }, /configuration\.settings\.mode: .*loud/],
    [{ settings: { gone: 1 } }, /configuration\.settings\.gone: .*expected one of/],
    [{ tools: { 'notes.add': { permission: 'all' } } }, /configuration\.tools\.notes\.add\.permission: /],
    [{ odd: 1 }, /configuration\.odd: /],
  ]) {
    writeFileSync(file, JSON.stringify({ server, configuration }))
    const demo = await startDemo({ live2d: false, folder })
    await demo.close()
    const line = said()
    assert.match(line, words)
    assert.ok(line.includes(aside), line)
    assert.deepEqual(JSON.parse(readFileSync(aside, 'utf8')), { server, configuration })
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { server })
  }
  writeFileSync(file, '{"server":')
  await (await startDemo({ live2d: false, folder })).close()
  assert.match(said(), /found "\{\\"server\\":", expected a JSON object/)
  assert.equal(readFileSync(aside, 'utf8'), '{"server":')
  await (await startDemo({ live2d: false, folder })).close()
  assert.equal(said(), '', 'once')
  await assert.rejects(
    startDemo({ live2d: false, folder, settings: { mode: 'loud' } }),
    /mode/,
    "what stands on the command line is the user's to mend",
  )
})

test('Lulu speaks first in the language of her prompt, where a page asks for it', async (t) => {
  const app = await createApp({ live2d: false, delayMs: 0 })
  const host = createHost(app.engine, app.options)
  t.after(() => host.close().then(() => app.close()))
  const client = connect(host.bridge({ read: true, pet: true }))
  for (const language of ['en', 'zh']) {
    const { message, left } = await client.pet.first({ prompt: app.routes['POST /api/demo']().unasked[language] })
    assert.equal(left, language === 'en' ? 11 : 10)
    const { blocks } = await client.message(message).done
    assert.equal(blocks[0].text, kind.text[language])
  }
})

test('every tool of the demo has words in both languages, each in its own', () => {
  for (const { name, words } of assistantTools) {
    for (const part of ['title', 'about', 'sentence', 'done']) {
      assert.deepEqual(Object.keys(words[part]), ['en', 'zh'], `${name}: ${part}`)
      assert.doesNotMatch(words[part].en, /[\u3400-\u9fff]/)
      assert.match(words[part].zh, /[\u3400-\u9fff]/)
    }
    assert.ok(words.icon && Object.keys(words.labels).length > 0, name)
  }
})

test('while nothing is connected the drawn pet does not look as if it spoke', async () => {
  const { states } = await import('../../js/demo/pet/puppet-acts.js')
  for (const seconds of [0, 1, 60]) assert.equal(states.offline.pose(seconds).mouthOpen, 0)
})
