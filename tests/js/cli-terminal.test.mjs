// `npx sluice chat` on a pseudo-terminal: questions, keys, Ctrl-C.
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { built } from './dist.mjs'
import { startScriptedServer } from 'sluice/testing'
import { call, log, path, scripted } from './cli-support.mjs'
import { noTerminal, onTerminal } from './on-terminal.mjs'

const { Terminal } = await built('terminal')

test('on a terminal: a question, an edit of what stands there, the end', noTerminal, async (t) => {
  const { args } = await scripted(t, call('file_delete', { path: '/a' }), { text: 'Done.' })
  const result = await log(() =>
    onTerminal(
      ['chat', ...args],
      [
        ['> ', 'Delete\r'],
        ['run it? [y]es [n]o, why [e]dit [?] ', 'e\r'],
        ['{"path":"/a"}', '\x7f\x7f\x7fb"}\r'],
        ['│ /b', ''],
        ['run it? [y]es [n]o, why [e]dit [?] ', 'y\r'],
        [' s\r\n', ''],
        ['> ', '\x04'],
      ],
    ),
  )
  assert.deepEqual(result.left, [])
  assert.equal(result.code, 0)
  assert.deepEqual(result.log, ['delete /b'])
})

test('on a terminal: what was typed before the question does not answer it', noTerminal, async (t) => {
  const server = await startScriptedServer({
    answers: [
      {
        parts: [
          { text: 'Wait for it' },
          { wait: 400 },
          ...[{ call: { name: 'file_delete', arguments: { path: '/a' } } }],
        ],
      },
      { text: 'Kept.' },
    ],
  })
  t.after(server.close)
  const args = ['--base-url', server.baseURL, '--model', 'm', '--tools', path('tools.mjs')]
  const result = await log(() =>
    onTerminal(
      ['chat', ...args],
      [
        ['> ', 'Delete\r'],
        ['Wait for it', 'y\ry'],
        ['run it? [y]es [n]o, why [e]dit [?] ', 'n\r'],
        ['Kept.', ''],
        ['> ', '\x04'],
      ],
    ),
  )
  assert.deepEqual(result.left, [])
  assert.deepEqual(result.log, [])
})

test('what was typed before the question, and not read yet, does not answer it', async () => {
  const [stdin, stdout] = [0, 1].map(() =>
    Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24, setRawMode() {} }),
  )
  stdout.resume()
  const terminal = new Terminal({ stdin, stdout })
  stdin.write('y\ry')
  const said = terminal.line('run it? ', { fresh: true })
  setTimeout(() => stdin.write('n\r'), 50)
  assert.equal(await said, 'n')
  terminal.close()
})

test('on a terminal: more than a screen comes page by page, and yes counts on the last one', noTerminal, async (t) => {
  const { args } = await scripted(t, call('file_delete', { path: `${'line\n'.repeat(45)}/end` }), { text: 'Gone.' })
  const result = await log(() =>
    onTerminal(
      ['chat', ...args],
      [
        ['> ', 'Delete\r'],
        ['page 1 of 3: Enter shows the next, n refuses ', 'y\r'],
        ['an answer counts when the last page was shown', ''],
        ['page 2 of 3: Enter shows the next, n refuses ', '\r'],
        ['46 │ /end', ''],
        ['run it? [y]es [n]o, why [e]dit [?] ', 'y\r'],
        ['Gone.', ''],
        ['> ', '\x04'],
      ],
    ),
  )
  assert.deepEqual(result.left, [])
  assert.deepEqual(result.log.length, 46)
})

test('on a terminal: while nothing comes the seconds are counted', noTerminal, async (t) => {
  const server = await startScriptedServer({
    answers: [{ parts: [{ text: 'Wait for it' }, { wait: 4000 }, { text: ': done.' }] }],
  })
  t.after(server.close)
  const result = await onTerminal(
    ['chat', '--base-url', server.baseURL, '--model', 'm'],
    [
      ['> ', 'Go\r'],
      ['Wait for it', ''],
      [': done.', ''],
      ['> ', '\x04'],
    ],
  )
  assert.deepEqual(result.left, [])
  assert.match(result.out, /… [2-9] s/) // on a busy machine one of them may be left out
})

test('on a terminal: Ctrl-C stops the answer, then leaves', noTerminal, async (t) => {
  const { args } = await scripted(t, call('file_watch', { path: '/a' }), { text: 'Here again.' })
  const result = await log(() =>
    onTerminal(
      ['chat', ...args],
      [
        ['> ', 'Watch\r'],
        ['watching', '\x03'],
        ['stopped · ', ''],
        ['> ', 'Still there?\r'],
        ['Here again.', ''],
        ['> ', '\x03'],
        ['Ctrl-C again leaves.', '\x03'],
      ],
    ),
  )
  assert.deepEqual(result.left, [])
  assert.equal(result.code, 130)
  assert.deepEqual(result.log, ['watching', 'aborted'])
})

test('on a terminal: a question that is stopped goes away', noTerminal, async (t) => {
  const { args } = await scripted(t, call('file_delete', { path: '/a' }))
  const result = await log(() =>
    onTerminal(
      ['chat', ...args],
      [
        ['> ', 'Delete\r'],
        ['run it? [y]es [n]o, why [e]dit [?] ', '\x03'],
        ['stopped · ', ''],
        ['> ', '\r'],
        ['> ', '\x04'],
      ],
    ),
  )
  assert.deepEqual(result.left, [])
  assert.equal(result.code, 0)
  assert.deepEqual(result.log, [])
})
