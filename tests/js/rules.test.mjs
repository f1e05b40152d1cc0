// Remembered approvals: what the file keeps, what it refuses, and who may write it at the same time.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import { fileRules, memoryRules } from 'sluice'
import { guarded } from './host-support.mjs'
import { cards, stage } from './support.mjs'

const allow = (tool, more = {}) => ({ tool, effect: 'allow', scope: 'always', ...more })
const deny = (tool, more = {}) => ({ tool, effect: 'deny', ...more })
const RULES = 60

/** As a writer beside others: in a thread or a process of its own. */
const writer = isMainThread
  ? process.argv[2] === 'writer' && { path: process.argv[3], name: process.argv[4] }
  : workerData
if (writer) {
  const rules = fileRules(writer.path)
  for (let at = 0; at < RULES; at++) rules.add(allow(`${writer.name}.${at}`))
  parentPort?.postMessage('done')
} else {
  suite()
}

function suite() {
  const folder = (t) => {
    const path = mkdtempSync(join(tmpdir(), 'sluice-rules-'))
    t.after(() => rmSync(path, { recursive: true, force: true }))
    return path
  }
  const kept = (path) => JSON.parse(readFileSync(path, 'utf8'))
  const write = (path, rules) => writeFileSync(path, JSON.stringify(rules))
  const callsDelete = { calls: [{ id: 'd', name: 'file_delete', arguments: { path: '/a' } }] }

  test('a deny or an ask without a scope is for ever', async (t) => {
    const path = join(folder(t), 'rules.json')
    write(path, [deny('file.delete'), { tool: 'notes.*', effect: 'ask' }])
    const rules = fileRules(path)
    for (let times = 0; times < 5; times++) assert.equal(rules.list().length, 2)
    rules.add(allow('other'))
    rules.add(deny('shell.run'))
    const all = [
      deny('file.delete', { scope: 'always' }),
      { tool: 'notes.*', effect: 'ask', scope: 'always' },
      allow('other'),
      deny('shell.run', { scope: 'always' }),
    ]
    assert.deepEqual(kept(path), all)
    assert.deepEqual(fileRules(path).list(), all)
    const { tool, ran } = guarded()
    const { run } = await stage(t, {
      answers: [callsDelete, { text: 'No.' }],
      tools: [tool],
      rules: fileRules(path),
      approvals: { execution: () => 'once' },
    })
    assert.equal(cards(await run().done)[0].status, 'denied')
    assert.deepEqual(ran, [])
  })

  test('rules of other scopes live as long as the process', (t) => {
    const path = join(folder(t), 'rules.json')
    const rules = fileRules(path)
    rules.add(allow('a', { scope: 'session' }))
    rules.add(allow('b'))
    rules.add(allow('b'))
    assert.deepEqual(kept(path), [allow('b')])
    assert.deepEqual(
      rules.list().map(({ tool }) => tool),
      ['b', 'a'],
    )
    assert.equal(rules.revoke(allow('a', { scope: 'session' })), true)
    assert.equal(rules.revoke(allow('b')), true)
    assert.equal(rules.revoke(allow('b')), false)
    assert.deepEqual([rules.list(), kept(path)], [[], []])
  })

  test('a file that is damaged is told with its name and the place, and nothing runs', async (t) => {
    const path = join(folder(t), 'rules.json')
    const { tool, ran } = guarded()
    const { run } = await stage(t, {
      answers: () => callsDelete,
      tools: [tool],
      rules: fileRules(path),
      approvals: { execution: () => 'once' },
    })
    for (const [text, place, detail] of [
      ['', '', /no JSON/],
      ['[{"tool":', '', /no JSON/],
      ['{}', '', /array of rules/],
      ['[null]', '[0]', /found null/],
      ['[{"tool":"a","effect":"deny"},{"tool":5,"effect":"deny"}]', '[1].tool', /found 5, expected a tool's name/],
      ['[{"tool":"a","effect":"maybe"}]', '[0].effect', /found "maybe"/],
      ['[{"tool":"a"}]', '[0].effect', /undefined/],
      ['[{"tool":"a","effect":"allow"}]', '[0].scope', /expected "always"/],
      ['[{"tool":"a","effect":"deny","scope":"turn"}]', '[0].scope', /found "turn"/],
      ['[{"tool":"a","effect":"deny","note":1}]', '[0].note', /unknown member/],
      ['[{"tool":"a","effect":"deny","arguments":[]}]', '[0].arguments', /found an empty array/],
    ]) {
      writeFileSync(path, text)
      const error = { name: 'SluiceError', code: 'option', path: path + place, detail }
      assert.throws(() => fileRules(path), error)
      assert.throws(() => run(), error)
      assert.equal(readFileSync(path, 'utf8'), text, 'it is left as it was')
    }
    writeFileSync(path, '[{"tool":"a","effect":"deny","x-why":"asked for"}]')
    assert.equal(fileRules(path).list()[0]['x-why'], 'asked for')
    assert.deepEqual(ran, [])
  })

  test('what cannot be read or written says why', (t) => {
    const dir = folder(t)
    writeFileSync(join(dir, 'plain'), 'x')
    mkdirSync(join(dir, 'folder'))
    symlinkSync('b', join(dir, 'a'))
    symlinkSync('a', join(dir, 'b'))
    for (const [name, detail] of [
      ['plain/rules.json', /a part of the path is a file/],
      ['folder', /it is a folder/],
      ['a', /in a circle/],
    ]) {
      assert.throws(() => fileRules(join(dir, name)), { code: 'option', detail }, name)
    }
    assert.throws(() => fileRules(''), { code: 'option' })
    if (process.getuid?.() === 0) return // root may everything
    chmodSync(dir, 0o500)
    const rules = fileRules(join(dir, 'rules.json'))
    assert.throws(() => rules.add(deny('a')), { code: 'option', detail: /no permission/ })
    assert.deepEqual(rules.list(), [deny('a', { scope: 'always' })], 'it counts all the same')
    chmodSync(dir, 0o700)
  })

  test('a link stays a link, and nobody else reads the file', (t) => {
    const dir = folder(t)
    mkdirSync(join(dir, 'real'))
    symlinkSync('real/rules.json', join(dir, 'link.json'))
    fileRules(join(dir, 'link.json')).add(allow('a'))
    fileRules(join(dir, 'link.json')).add(allow('b'))
    assert.ok(lstatSync(join(dir, 'link.json')).isSymbolicLink())
    assert.equal(kept(join(dir, 'real/rules.json')).length, 2)
    assert.equal(statSync(join(dir, 'real/rules.json')).mode & 0o077, 0)
    assert.deepEqual(readdirSync(join(dir, 'real')), ['rules.json'], 'nothing is left over')
  })

  for (const kind of ['threads', 'processes']) {
    test(`${kind} that write at the same time lose nothing`, async (t) => {
      const path = join(folder(t), 'rules.json')
      await Promise.all(
        ['a', 'b', 'c'].map(async (name) => {
          const one =
            kind === 'threads'
              ? new Worker(new URL(import.meta.url), { workerData: { path, name } })
              : fork(fileURLToPath(import.meta.url), ['writer', path, name])
          const [code] = await once(one, 'exit')
          assert.equal(code, 0)
        }),
      )
      assert.equal(new Set(kept(path).map(({ tool }) => tool)).size, 3 * RULES)
      assert.deepEqual(readdirSync(join(path, '..')), ['rules.json'])
    })
  }

  test('a process that slept under its lock, which another one took, writes again', {
    skip: process.platform === 'win32' && 'Windows stops no process',
  }, async (t) => {
    const path = join(folder(t), 'rules.json')
    const lock = `${path}.lock`
    const slow = fork(fileURLToPath(import.meta.url), ['writer', path, 'slow'])
    const ended = once(slow, 'exit')
    const holds = () => {
      try {
        return readlinkSync(lock).split(' ')[1] === String(slow.pid)
      } catch {
        return false
      }
    }
    let sleeps = false
    while (!sleeps && slow.exitCode === null) {
      await new Promise(setImmediate)
      if (!holds()) continue
      slow.kill('SIGSTOP')
      sleeps = holds()
      if (!sleeps) slow.kill('SIGCONT')
    }
    assert.ok(sleeps, 'it wrote all its rules before it could be stopped')
    const long = new Date(Date.now() - 60_000)
    lutimesSync(lock, long, long)
    fileRules(path).add(allow('fast'))
    slow.kill('SIGCONT')
    assert.deepEqual(await ended, [0, null])
    assert.equal(kept(path).length, RULES + 1)
  })

  test("a lock of a process that died is in nobody's way", (t) => {
    const path = join(folder(t), 'rules.json')
    writeFileSync(`${path}.lock`, 'somebody')
    const long = new Date(Date.now() - 60_000)
    utimesSync(`${path}.lock`, long, long)
    fileRules(path).add(allow('a'))
    assert.deepEqual([kept(path).length, readdirSync(join(path, '..'))], [1, ['rules.json']])
  })

  test('what another process writes counts at the next look', (t) => {
    const path = join(folder(t), 'rules.json')
    const [mine, other] = [fileRules(path), fileRules(path)]
    mine.add(allow('a'))
    assert.deepEqual(other.list(), [allow('a')])
    other.revoke(allow('a'))
    assert.deepEqual(mine.list(), [])
    mine.list().push(allow('b'))
    assert.deepEqual(mine.list(), [], "a list that was given out is the reader's own")
  })

  test('rules in memory are copies too', () => {
    const given = [allow('a')]
    const rules = memoryRules(given)
    given[0].tool = 'b'
    rules.list()[0].tool = 'c'
    assert.deepEqual(rules.list(), [allow('a')])
    rules.add(allow('a'))
    assert.equal(rules.list().length, 1)
  })
}
