// The small apps of tests/apps, which the suite `types` compiles: each does what its first line says.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { Engine } from 'sluice'
import { createHost } from 'sluice/host'
import { live2dTools } from 'sluice/live2d'
import { connect } from 'sluice/renderer'
import { callsEcho, cards, echo, stage } from './support.mjs'
import { hostStage, until } from './host-support.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const apps = readdirSync(join(root, 'tests/apps')).filter((name) => /\.tsx?$/.test(name))
let folder
before(async () => {
  mkdirSync(join(root, 'build'), { recursive: true })
  folder = mkdtempSync(join(root, 'build/apps-')) // of the checkout, so that `sluice` is found
  await build({
    absWorkingDir: root,
    entryPoints: apps.map((name) => `tests/apps/${name}`),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    jsx: 'automatic',
    logLevel: 'warning',
  })
})
after(() => rmSync(folder, { recursive: true }))
const app = (name) => import(pathToFileURL(join(folder, `${name}.mjs`)))
const modelOf = (server) => ({ baseURL: server.baseURL, name: 'm' })
const hello = [{ role: 'user', content: 'Hello' }]

test('persistence: a chat goes on after a restart, also in the middle of a question', async (t) => {
  const { openChat } = await app('persistence')
  const tools = [echo({ permission: 'sensitive' })]
  const { server, engine } = await stage(t, {
    answers: [{ text: 'Hi.' }, callsEcho, { text: 'Done.' }, { text: 'Yes.' }],
    tools,
  })
  const path = join(folder, 'chat.json')
  const first = await openChat(path, engine, modelOf(server))
  assert.equal(first.unfinished, null)
  await (await first.say('Hello')).ended
  const run = await first.say('Say hi')
  for await (const event of run)
    if (event.type === 'approval') {
      await run.suspend()
      break
    } // the app quits
  await run.ended

  const another = new Engine({ tools: [echo({ permission: 'sensitive' })] })
  t.after(() => another.close())
  const second = await openChat(path, another, modelOf(server))
  for await (const event of second.unfinished) if (event.type === 'approval') second.unfinished.approve(event)
  await second.unfinished.ended
  assert.equal(cards(await second.unfinished.done)[0].status, 'success')
  await (await second.say('Really?')).ended
  const third = await openChat(path, another, modelOf(server))
  assert.deepEqual(
    third.messages.map(({ role }) => role),
    ['user', 'assistant', 'user', 'assistant', 'tool', 'assistant', 'user', 'assistant'],
  )
  assert.equal(third.unfinished, null)
})

test('two conversations: neither hears the other', async (t) => {
  const { conversation } = await app('two-conversations')
  const { server, engine } = await stage(t, {
    answers: ({ body }) => ({ text: body.messages.map(({ content }) => content).join(' ') }),
    server: { delayMs: 1 },
  })
  const [one, two] = [conversation(engine, modelOf(server)), conversation(engine, modelOf(server))]
  assert.deepEqual(await Promise.all([one('a'), two('x')]), ['a', 'x'])
  assert.deepEqual(await Promise.all([one('b'), two('y')]), ['a a b', 'x x y'])
})

test('React: messages and cards, drawn from snapshots', async (t) => {
  const { Chat } = await app('react')
  const { host } = await hostStage(t, { answers: [callsEcho, { text: 'Done.' }], tools: [echo()] })
  const client = connect(host.bridge())
  await client.open().opened
  await (await client.send('Say hi')).done
  await until(() => client.open().getSnapshot().entries.length === 2, 'question and answer')
  assert.equal(
    renderToString(createElement(Chat, { client })),
    '<main><h2>Say hi</h2><article aria-busy="false"><p>Well, </p><code>echo.back<!-- -->: <!-- -->success</code><p>Done.</p></article></main>',
  )
})

test('approvals: a question says all that it is about', async (t) => {
  const { answer } = await app('approvals')
  const tools = [echo({ permission: 'moderate', resultApproval: 'always', annotations: { title: 'Echo' } })]
  const { engine, run } = await stage(t, {
    answers: [callsEcho, { text: 'Done.' }, callsEcho, { text: 'Pity.' }],
    tools,
  })
  const asked = []
  const always = async ({ name, title, description, arguments: args, stage, preview }) => {
    asked.push([name, title, description, args, stage, preview?.text])
    return { yes: true, always: true }
  }
  const first = run()
  await answer(first, always)
  assert.equal(await first.text, 'Well, Done.')
  assert.deepEqual(asked, [
    ['echo.back', 'Echo', 'Says it again.', { text: 'hi' }, 'execution', undefined],
    ['echo.back', 'Echo', 'Says it again.', { text: 'hi' }, 'result', 'you said hi'],
  ])
  assert.equal(engine.rules.list().length, 1)
  const second = run()
  await answer(second, async () => ({ yes: false, reason: 'not today' }))
  assert.equal(cards(await second.done)[0].status, 'result_rejected')
})

test('progress: a tool counts, knows where it works, and stops with its signal', async (t) => {
  const { download } = await app('progress')
  const calls = [{ name: 'file_download', arguments: { url: 'http://example.org/a/b.zip', pieces: 2 } }]
  const { run } = await stage(t, {
    answers: [
      { calls },
      { text: 'Done.' },
      { calls: [{ name: 'file_download', arguments: { url: 'http://example.org/c', pieces: 1e6 } }] },
    ],
    tools: [download],
  })
  const told = []
  const result = await run({
    context: { folder: '/downloads' },
    onEvent: (event) => event.type === 'progress' && told.push([event.done, event.total, event.text]),
  }).done
  assert.deepEqual(told, [
    [1, 2, 'example.org (1 / 2)'],
    [2, 2, 'example.org (2 / 2)'],
  ])
  assert.equal(cards(result)[0].output, '/downloads/b.zip')
  const stopped = run({ context: { folder: '/downloads' } })
  for await (const event of stopped) if (event.type === 'progress') break
  assert.deepEqual(await stopped.cancel(), { stillRunning: [] })
})

test('speech: sentences and expressions in their order', async (t) => {
  const { cues } = await app('speech')
  const parts = [
    { text: 'Oh no, it rains. ' },
    { call: { name: 'live2d_expression', arguments: { name: 'worried' } } },
    { text: 'Take an umbrella! See you at 3.5 pm. 再见。好的' },
  ]
  const { run } = await stage(t, {
    answers: [{ parts }, { text: '.' }],
    tools: live2dTools({ expressions: ['smile', 'worried'], motions: {} }),
    flushMs: 0,
  })
  const all = []
  for await (const cue of cues(run())) all.push(cue.say ?? cue.show)
  assert.deepEqual(all.slice(0, 5), [
    'Oh no, it rains.',
    ['worried'],
    'Take an umbrella!',
    'See you at 3.5 pm.',
    '再见。',
  ])
})

test("transport: the app's own way to the server, with a fresh token", async (t) => {
  const { ownTransport } = await app('transport')
  const { server, run } = await stage(t, {
    answers: [{ status: 503, headers: { 'retry-after-ms': '1' } }, { text: 'By node:http.' }],
  })
  let tokens = 0
  assert.equal(await run(ownTransport(async () => `token-${++tokens}`)).text, 'By node:http.')
  assert.deepEqual(
    server.requests.map(({ headers }) => headers.authorization),
    ['Bearer token-1', 'Bearer token-2'],
  )
})

test('abort: the text so far, and why it ended', async (t) => {
  const { stoppable } = await app('abort')
  const { server, engine } = await stage(t, {
    answers: [
      { parts: [{ text: 'Once' }, { wait: 60_000 }] },
      { text: 'Half', finish: 'length' },
      { status: 401, error: 'bad key' },
    ],
  })
  const say = (stop) => stoppable(engine, { model: modelOf(server), messages: hello }, stop)
  const stop = new AbortController()
  setTimeout(() => stop.abort(new Error('stop button')), 100)
  assert.equal(await say(stop.signal), 'Once… (stop button)')
  assert.equal(await say(new AbortController().signal), 'Half… (cut by max_tokens)')
  assert.match(await say(new AbortController().signal), /^ \(401: HTTP 401: bad key/)
})

test('memory: what is known of a question stands in front of it', async (t) => {
  const { remembering } = await app('memory')
  const { server, host } = await hostStage(t, { answers: () => ({ text: 'Take one.' }), host: {} })
  const asked = []
  const recall = async (text) => {
    asked.push(text)
    return text.includes('umbrella') ? ['The umbrella is red.'] : []
  }
  await host.close()
  const engine = new Engine()
  const own = createHost(engine, remembering(modelOf(server), recall))
  t.after(async () => {
    await own.close()
    engine.close()
  })
  const client = connect(own.bridge())
  for (const text of ['Where is the umbrella?', 'Thanks!']) await (await client.send(text)).done
  const sent = server.requests.map(({ body }) => body.messages.map(({ role, content }) => `${role}: ${content}`))
  assert.deepEqual(asked, ['Where is the umbrella?', 'Thanks!'])
  assert.deepEqual(sent[0], ['system: What you know of it:\nThe umbrella is red.', 'user: Where is the umbrella?'])
  assert.deepEqual(
    sent[1].filter((one) => one.startsWith('system')),
    [],
  )
})

test('script tool: each step is asked about, and a step that is refused ends the script', async (t) => {
  const { script } = await app('script-tool')
  const steps = [
    { tool: 'echo.back', arguments: { text: 'a' } },
    { tool: 'echo.back', arguments: { text: 'b' } },
  ]
  const calls = [{ name: 'script_run', arguments: { steps } }]
  const { run } = await stage(t, {
    answers: [{ calls }, { text: 'Done.' }, { calls }, { text: 'Pity.' }],
    tools: [script, echo({ permission: 'sensitive' })],
  })
  const asked = []
  const play = (yes) =>
    run({
      approvals: {
        execution: ({ name, arguments: args, parent }) => {
          asked.push([name, args.text, parent.name])
          return yes(args) ? 'once' : { deny: 'no' }
        },
      },
    }).done
  const [card] = cards(await play(() => true))
  assert.deepEqual(asked, [
    ['echo.back', 'a', 'script.run'],
    ['echo.back', 'b', 'script.run'],
  ])
  assert.equal(card.output, '["you said a","you said b"]')
  assert.deepEqual(
    card.nested.map(({ name, status }) => [name, status]),
    [
      ['echo.back', 'success'],
      ['echo.back', 'success'],
    ],
  )
  const [refused] = cards(await play(({ text }) => text === 'a'))
  assert.equal(refused.output, '["you said a","stopped: denied"]')
})

test('open text: what can be shown of a text that is still coming', async (t) => {
  const { reader } = await app('open-text')
  const engine = new Engine({ tools: [echo()] })
  t.after(() => engine.close())
  const read = reader(engine, { protocol: 'hermes' })
  assert.deepEqual(read('Let me. <tool'), [{ say: 'Let me. ' }])
  assert.deepEqual(read('_call>\n{"name": "echo.back", "arguments": {"text": "h'), [
    { say: 'Let me. ' },
    { call: 'echo.back', done: false },
  ])
  assert.deepEqual(read('i"}}\n</tool_call>\nDone.'), [
    { say: 'Let me. ' },
    { call: 'echo.back', done: true },
    { say: '\nDone.' },
  ])
})
