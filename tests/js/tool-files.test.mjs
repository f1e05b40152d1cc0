// The files of a conversation in the hands of a tool: only those of the branch, by bytes or by path.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { Engine, tool } from 'sluice'
import { fileConversations, memoryConversations } from 'sluice/conversations'
import { startScriptedServer } from 'sluice/testing'
import { hostStage, until } from './host-support.mjs'

const film = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypisom')])
const number = (bytes) => `file_${createHash('sha256').update(bytes).digest('hex').slice(0, 6)}`
const file = (name, bytes, mediaType = 'text/x') => ({
  type: 'file',
  name,
  mediaType,
  data: Buffer.from(bytes).toString('base64'),
})

function folder() {
  const path = mkdtempSync(join(tmpdir(), 'sluice-tool-files-'))
  process.on('exit', () => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A host whose model calls one tool, which runs `act` with its context. `say` sends, and gives what it returned. */
async function stage(t, act, host = {}) {
  let returned
  const look = tool({
    name: 'look',
    agentCallable: true,
    permission: 'public',
    parameters: { type: 'object' },
    execute: async (_, context) => {
      try {
        returned = { value: await act(context) }
      } catch (error) {
        returned = { error }
      }
      return 'seen'
    },
  })
  const made = await hostStage(t, {
    tools: [look],
    answers: ({ body }) =>
      body.messages.at(-1).role === 'user' ? { calls: [{ id: 'c', name: 'look', arguments: {} }] } : { text: 'Done.' },
    host: { attachments: { types: ['*/*'] }, ...host },
  })
  const window = made.open()
  return {
    ...made,
    window,
    say: async ({ method = 'send', ...input }) => {
      returned = undefined
      const { message } = await window.get(method, method === 'send' ? { text: 'x', ...input } : input)
      await window.watch(message)
      await until(() => window.view(message).outcome, 'the end of the answer')
      await until(() => returned, 'the tool')
      return returned
    },
  }
}

test('a tool sees the files of the shown branch, and reads each by the ref that the model knows', async (t) => {
  const { say, window } = await stage(t, async ({ files, file }) => ({
    files,
    read: await Promise.all(files.map(async ({ ref }) => Buffer.from(await file(ref).read()).toString('latin1'))),
  }))
  assert.deepEqual(await say({ parts: [file('a.mp4', film, 'video/mp4')] }), {
    value: {
      files: [{ ref: number(film), name: 'a.mp4', mediaType: 'video/mp4', bytes: film.length }],
      read: [film.toString('latin1')],
    },
  })
  const first = (await window.get('open')).entries[0].id
  const names = async (input) => (await say(input)).value.files.map(({ name }) => name)
  assert.deepEqual(await names({ parts: [file('b.txt', 'b')] }), ['a.mp4', 'b.txt'])
  assert.deepEqual(await names({ parts: [file('c.txt', 'c'), file('again.txt', 'c')] }), ['a.mp4', 'b.txt', 'c.txt'])
  assert.deepEqual(await names({ method: 'regenerate', entry: first }), ['a.mp4'])
  assert.deepEqual(await names({ parts: [file('d.txt', 'd')] }), ['a.mp4', 'd.txt'], 'not those of the other branch')
  assert.deepEqual(await names({ conversation: 'other' }), [])
})

test('an unknown ref is not_found; a ref is found as models copy it; a name never becomes a path', async (t) => {
  const { say } = await stage(t, async ({ file }) => {
    const found = [number('b'), `[${number('b')}]`, ` ${number('b').slice(5)}`].map((ref) => file(ref).name)
    const errors = [
      '../../x',
      '/etc/passwd',
      'file_000000',
      '',
      'x'.repeat(10_000),
      '\u0000',
      '\ud83d',
      undefined,
      {},
    ].map((ref) => {
      try {
        return file(ref)
      } catch ({ code, message }) {
        return [code, message.length < 300]
      }
    })
    return { found, errors, path: await file(number('b')).path() }
  })
  const name = `../../${'x'.repeat(10_000)}\ud83d\n\u0007.txt`
  const { value } = await say({ parts: [file(name, 'b')] })
  assert.equal(new Set(value.found).size, 1)
  assert.deepEqual(
    value.errors,
    Array.from({ length: 9 }, () => ['not_found', true]),
  )
  assert.match(basename(value.path), /^[0-9a-f]{64}\.[a-z0-9]+$/)
  assert.equal(dirname(dirname(value.path)), tmpdir())
})

test('the path in a folder of conversations is the file of the store', async (t) => {
  const path = folder()
  const { say } = await stage(t, async ({ files: [first], file }) => await file(first.ref).path(), {
    conversations: fileConversations(path),
  })
  const { value } = await say({ parts: [file('a.mp4', film, 'video/mp4')] })
  assert.equal(dirname(value), join(path, 'main'))
  assert.deepEqual(readFileSync(value), film)
})

for (const [name, make] of [
  ['memory', () => memoryConversations()],
  ['no store', () => undefined],
  ['an encrypted folder', () => fileConversations(folder(), { encryption: 'k'.repeat(40) })],
]) {
  test(`${name}: the path is a copy for this user alone, and goes when the turn ends`, async (t) => {
    let kept
    const conversations = make()
    const { say, window } = await stage(
      t,
      async ({ file }) => {
        kept = file(number(film))
        const [path, again] = await Promise.all([kept.path(), kept.path()])
        assert.equal(path, again)
        assert.equal(statSync(dirname(path)).mode & 0o777, 0o700)
        assert.deepEqual(readFileSync(path), film)
        return path
      },
      conversations ? { conversations } : {},
    )
    const { value, error } = await say({ parts: [file('a.mp4', film, 'video/mp4')] })
    assert.equal(error, undefined)
    await until(() => !existsSync(dirname(value)), 'the copy to go')
    await assert.rejects(kept.path(), { code: 'state' })
    assert.deepEqual(Buffer.from(await kept.read()), film)
    await window.get('delete', { conversation: 'main' })
    await assert.rejects(kept.read(), { code: 'not_found' })
  })
}

test('a run without a host takes files as its option, and checks them', async (t) => {
  const server = await startScriptedServer({
    answers: [{ calls: [{ id: 'c', name: 'look', arguments: {} }] }, { text: 'ok' }],
  })
  const seen = []
  const look = tool({
    name: 'look',
    agentCallable: true,
    permission: 'public',
    parameters: { type: 'object' },
    execute: async (_, { files, file }) => {
      seen.push(files, await file('f1').read())
      files.push?.call([], 'x')
      return 'ok'
    },
  })
  const engine = new Engine({ tools: [look] })
  t.after(async () => {
    engine.close()
    await server.close()
  })
  const one = {
    ref: 'f1',
    name: 'a',
    mediaType: 'text/plain',
    bytes: 1,
    read: async () => Buffer.from('x'),
    path: async () => '/a',
  }
  const options = { model: { baseURL: server.baseURL, name: 'm' }, messages: [{ role: 'user', content: 'x' }] }
  assert.equal((await engine.run({ ...options, files: [one] }).done).outcome, 'completed')
  assert.deepEqual(seen, [[{ ref: 'f1', name: 'a', mediaType: 'text/plain', bytes: 1 }], Buffer.from('x')])
  for (const [files, path] of [
    ['x', 'files'],
    [[{ ...one, read: 'x' }], 'files[0].read'],
    [[{ ref: 'f1' }], 'files[0].name'],
  ])
    assert.throws(() => engine.run({ ...options, files }), { code: 'option', path })
})
