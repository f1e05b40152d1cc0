// The lock beside a file that processes share: who holds it, and what a process that was killed leaves behind.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { built } from './dist.mjs'
import { fileConversations } from 'sluice/conversations'

const { LockFile } = await built('lock-file')

const self = fileURLToPath(import.meta.url)
const STALE_MS = 60_000
const linux = process.platform === 'linux'
const isThere = (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined
/** Of a lock, whether it is a link or, where there are none, a file. */
const textOf = (path) => (lstatSync(path).isSymbolicLink() ? readlinkSync(path) : readFileSync(path, 'utf8'))

/** In a process of its own: is killed by itself as soon as it holds the lock. */
async function die([what, path]) {
  const look = () => (isThere(`${path}.lock`) ? process.kill(process.pid, 'SIGKILL') : setImmediate(look))
  if (what === 'lock') new LockFile(`${path}.lock`, STALE_MS).take()
  look()
  const { dir, base } = (await import('node:path')).parse(path)
  if (what === 'save')
    await fileConversations(dir).save(base, {
      entries: [{ id: 'lost', parent: null, at: 1, role: 'user', text: 'never saved' }],
    })
}

if (process.argv[2]) await die(process.argv.slice(2))
else suite()

function suite() {
  const place = (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-lock-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    return join(folder, 'main')
  }
  const killed = async (what, path) => {
    const child = spawn(process.execPath, [self, what, path], { stdio: 'inherit' })
    const [, signal] = await once(child, 'exit')
    assert.ok(signal === 'SIGKILL' || process.platform === 'win32', `it was killed: ${signal}`)
    assert.ok(isThere(`${path}.lock`), 'and left its lock')
    return textOf(`${path}.lock`)
  }
  const lockOf = (path) => new LockFile(`${path}.lock`, STALE_MS)

  test('one at a time holds a lock, and what of another one is no longer its own it leaves alone', (t) => {
    const path = place(t)
    const [one, other] = [lockOf(path), lockOf(path)]
    assert.deepEqual([one.take(), other.take(), one.take()], [true, false, false])
    one.check()
    assert.throws(() => other.check(), /changed by another process/)
    other.release()
    one.check()
    one.release()
    assert.deepEqual([isThere(`${path}.lock`), other.take()], [false, true])
    one.release()
    other.check()
  })

  test('what a process left that was killed in mid-save holds nobody up', { timeout: 30_000 }, async (t) => {
    const path = place(t)
    await killed('save', path)
    const young = setInterval(
      () => isThere(`${path}.lock`) && lutimesSync(`${path}.lock`, new Date(), new Date()),
      1000,
    ) // its age must not tell
    t.after(() => clearInterval(young))
    await fileConversations(join(path, '..')).save('main', {
      entries: [{ id: 'q', parent: null, at: 1, role: 'user', text: 'Hello' }],
    })
    assert.deepEqual(
      [
        (await fileConversations(join(path, '..')).load('main')).entries.map(({ id }) => id),
        readdirSync(join(path, '..')),
      ],
      [['q'], ['main']],
    )
  })

  test('a lock is taken over where its process is dead without any doubt, and nowhere else', async (t) => {
    const path = place(t)
    const dead = await killed('lock', path)
    const over = lockOf(path)
    assert.equal(over.take(), true)
    const [id, pid, start, ...where] = textOf(`${path}.lock`).split(' ')
    assert.equal(Number(pid), process.pid)
    assert.ok(dead.length < 60, 'a link keeps so short a target in itself')
    over.release()
    // As a link, and as a file.
    const taken = (text) => {
      const [one, other] = [writeFileSync, (name, target) => symlinkSync(target || 'x', name)].map((write) => {
        if (isThere(`${path}.lock`)) unlinkSync(`${path}.lock`)
        write(`${path}.lock`, text)
        const lock = lockOf(path)
        const got = lock.take()
        assert.equal(textOf(`${path}.lock`) === (text || (write === writeFileSync ? '' : 'x')), !got)
        return got
      })
      assert.equal(one, other)
      return one
    }
    const [, deadPid] = dead.split(' ')
    assert.deepEqual(
      {
        dead: taken(dead),
        alive: taken([id, pid, start, ...where].join(' ')),
        system: taken([id, 1, start && 0, ...where].join(' ')),
        elsewhere: taken([id, deadPid, start, '0123456789abcdef'].join(' ')),
        nowhere: taken([id, deadPid, '', ''].join(' ')),
        empty: taken(''),
        foreign: taken('somebody'),
        minus: taken([id, -1, start, ...where].join(' ')),
        huge: taken([id, '9'.repeat(400), start, ...where].join(' ')),
      },
      {
        dead: true,
        alive: false,
        system: linux,
        elsewhere: false,
        nowhere: false,
        empty: false,
        foreign: false,
        minus: false,
        huge: false,
      },
    )
    if (linux)
      assert.equal(taken([id, pid, Number(start) + 1, ...where].join(' ')), true, 'a number that was given again')
    assert.deepEqual(readdirSync(join(path, '..')), ['main.lock'])
  })

  test('a lock that is too old is taken over whoever made it, by one process at a time', (t) => {
    const path = place(t)
    const old = (name) => {
      writeFileSync(name, 'of another computer')
      utimesSync(name, 1, 1)
    }
    old(`${path}.lock`)
    writeFileSync(`${path}.lock.old`, '')
    assert.equal(lockOf(path).take(), false, 'somebody removes it')
    old(`${path}.lock.old`)
    const lock = lockOf(path)
    assert.deepEqual([lock.take(), lock.take()], [false, true], 'whoever removed it was killed at that')
    lock.release()
    assert.deepEqual(readdirSync(join(path, '..')), [])
    mkdirSync(`${path}.lock`)
    utimesSync(`${path}.lock`, 1, 1)
    assert.throws(() => lock.take(), 'a folder is told, not waited for')
  })
}
