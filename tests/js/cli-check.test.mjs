// `npx sluice check`: a server step by step.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { startScriptedServer } from 'sluice/testing'
import { inOrder, sluice } from './cli-support.mjs'
import { noTerminal, onTerminal } from './on-terminal.mjs'
import { screenOf } from './terminal-screen.mjs'

test('check: every step with its time, one thing to do about what fails, and the models', async (t) => {
  const key = 'sk-secret-of-mine-12345'
  const answers = ({ body }) => (body.tools ? { text: 'No.' } : { text: 'ready\u202e' })
  const server = await startScriptedServer({ answers, models: ['qwen3:8b', 'odd\u202e'] })
  t.after(server.close)
  const at = ['check', '--base-url', server.baseURL, '--api-key', key]
  const named = await sluice([...at, '--model', 'qwen3:8b'])
  assert.deepEqual([named.code, named.err], [0, ''])
  inOrder(
    named.out,
    '✔ reach',
    ' ms ',
    '✔ key',
    'The key is accepted.',
    '✔ model',
    '✔ stream',
    '– tools',
    "Use mode 'text'",
    '– pictures',
  )
  const open = await sluice(at)
  assert.equal(open.code, 0)
  inOrder(open.out, '✔ reach', '– model', '2 models; none is chosen', 'qwen3:8b\n', 'odd⟨U+202E⟩')
  const none = await sluice(['check', '--provider', 'ollama', '--base-url', 'http://127.0.0.1:1', '--model', 'm'])
  assert.equal(none.code, 1)
  inOrder(none.out, '✖ reach', 'Nothing answers at http://127.0.0.1:1', 'ollama serve')
  const missing = await sluice(['check', '--provider', 'qwen', '--base-url', server.baseURL])
  assert.equal(missing.code, 0)
  for (const { out, err } of [named, open, none]) assert.doesNotMatch(out + err, new RegExp(`${key}|\u202e|\x1b`))
})

test('check: on a narrow terminal what it says wraps below itself', noTerminal, async (t) => {
  const server = await startScriptedServer({
    answers: [{ status: 401, error: `the key is not known here \x1b[2J${'and so on '.repeat(10)}` }],
  })
  t.after(server.close)
  const { out, code } = await onTerminal(
    ['check', '--base-url', server.baseURL, '--model', 'm', '--api-key', 'k'],
    [],
    { columns: 60 },
  )
  assert.equal(code, 1)
  const rows = screenOf(out, 60)
  assert.ok(
    rows.every((row) => row.length < 60),
    rows.join('\n'),
  )
  assert.ok(rows.some((row) => /^ {21}\S/.test(row)))
  assert.match(rows.join(' '), /✖ key .*⟨U\+001B⟩/)
})

test('a key that a server repeats is printed by no command, wherever it stands and however it is written', async (t) => {
  const key = 'sk-secret/abcdef+0123456789'
  const spellings = [
    key,
    encodeURIComponent(key),
    Buffer.from(key).toString('base64'),
    Buffer.from(key).toString('base64url'),
    `Bearer ${key}`,
  ]
  let answer
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(response))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const at = ['--base-url', `http://127.0.0.1:${server.address().port}/v1`, '--api-key', key, '--model', 'm']
  const commands = [
    ['check', ...at],
    ['chat', ...at, '--prompt', 'Hi'],
    ['chat', ...at, '--prompt', 'Hi', '--verbose'],
  ]
  const said = spellings.join(' ')
  let printed = ''
  for (const place of [
    (response) =>
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { message: `not ${said}`, code: said, type: said, param: said } })),
    (response) =>
      response
        .writeHead(500, said, { 'x-request-id': said, 'retry-after': '0', 'content-type': 'text/html' })
        .end(`<h1>${said}</h1>`),
    (response) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`data: ${JSON.stringify({ error: { message: said } })}\n\n`),
    (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          data: [{ id: said }],
          choices: [{ message: { content: `It is ${said}.` }, finish_reason: said }],
        }),
      ),
    (response) => response.writeHead(302, { location: `/${said}` }).end(),
  ]) {
    answer = place
    for (const command of commands) {
      const { out, err } = await sluice(command)
      printed += `${out}${err}\n`
      for (const one of spellings)
        assert.ok(
          !`${out}${err}`.includes(one.replace('Bearer ', '').replace(/=+$/, '')),
          `${command.join(' ')}: ${one}: ${place}\n${out}${err}`,
        )
    }
  }
  assert.match(printed, /\[secret\]/)
})
