// `npx sluice check`: a server step by step.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from 'sluice/testing'
import { inOrder, sluice } from './cli-support.mjs'
import { noTerminal, onTerminal } from './on-terminal.mjs'
import { screenOf } from './terminal-screen.mjs'

test('check: every step with its time, one thing to do about what fails, and the models', async (t) => {
  const key = 'sk-secret-of-mine-12345'
  const answers = ({ body }) => (body.tools ? { text: 'No.' } : { text: 'ready\u202e' })
  const server = await startServer({ answers, models: ['qwen3:8b', 'odd\u202e'] })
  t.after(server.close)
  const at = ['check', '--base-url', server.baseURL, '--api-key', key]
  const named = await sluice([...at, '--model', 'qwen3:8b'])
  assert.deepEqual([named.code, named.err], [0, ''])
  inOrder(named.out, '✔ reach', ' ms ', '✔ key', 'The key is accepted.', '✔ model', '✔ stream', '✖ tools', "Use mode 'text'", '✖ pictures')
  const open = await sluice(at)
  assert.equal(open.code, 0)
  inOrder(open.out, '✔ reach', '✖ model', '2 models; none is chosen', 'qwen3:8b\n', 'odd⟨U+202E⟩')
  const none = await sluice(['check', '--provider', 'ollama', '--base-url', 'http://127.0.0.1:1', '--model', 'm'])
  assert.equal(none.code, 1)
  inOrder(none.out, '✖ reach', 'Nothing answers at http://127.0.0.1:1', 'ollama serve')
  const missing = await sluice(['check', '--provider', 'qwen', '--base-url', server.baseURL])
  assert.equal(missing.code, 0)
  for (const { out, err } of [named, open, none]) assert.doesNotMatch(out + err, new RegExp(`${key}|\u202e|\x1b`))
})

test('check: on a narrow terminal what it says wraps below itself', noTerminal, async (t) => {
  const server = await startServer({ answers: [{ status: 401, error: `the key is not known here \x1b[2J${'and so on '.repeat(10)}` }] })
  t.after(server.close)
  const { out, code } = await onTerminal(['check', '--base-url', server.baseURL, '--model', 'm', '--api-key', 'k'], [], { columns: 60 })
  assert.equal(code, 1)
  const rows = screenOf(out, 60)
  assert.ok(rows.every((row) => row.length < 60), rows.join('\n'))
  assert.ok(rows.some((row) => /^ {21}\S/.test(row)))
  assert.match(rows.join(' '), /✖ key .*⟨U\+001B⟩/)
})
