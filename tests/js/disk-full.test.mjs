// A disk that fails at the n-th write, for every n, once or from then on: what is saved in files says so, leaves no
// lock and no file half written, and goes on as soon as there is room.
import assert from 'node:assert/strict'
import fs, { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import fsPromises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileConversations as conversations } from 'sluice/conversations'
import { fileBlobs, fileTurns as turns } from 'sluice/durable'
import { fileRules as rules } from 'sluice'
import { filePins as pins } from 'sluice/mcp'

const full = () =>
  Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' })
/** Opened for reading, a file takes no room. */
const writes = (flags) => typeof flags === 'string' && /[wax+]/.test(flags)
const half = (content) => content.slice(0, content.length >> 1)

/**
 * What a disk without room refuses, by the name that the modules of Node give it. A write may leave a part of its text.
 */
const sync = {
  openSync: { counts: (_, flags) => writes(flags) },
  mkdirSync: {},
  linkSync: {},
  renameSync: {},
  fsyncSync: {},
  writeFileSync: { before: (real, target, content) => real(target, half(content)) },
}
const later = { open: { counts: (_, flags) => writes(flags) }, mkdir: {}, rename: {} }
const ofHandle = {
  writeFile: { before: (real, content) => real(half(content)) },
  sync: {},
  truncate: {},
  write: { before: (real, content, at, length, position) => real(content, at, length >> 1, position) },
}

/**
 * Runs `act` on a disk where the writes for which `fails` says so, by their number, fail. Resolves to how many there
 * were.
 */
async function onDisk(fails, act) {
  const probe = await fsPromises.open(process.execPath, 'r')
  const prototype = Object.getPrototypeOf(probe)
  await probe.close()
  let count = 0
  const undo = []
  const replaceAll = (target, named, make) => {
    for (const [name, how] of Object.entries(named)) {
      const real = target[name]
      target[name] = make(real, how)
      undo.push(() => (target[name] = real))
    }
  }
  const isRefused = ({ counts = () => true }, given) => counts(...given) && fails(++count)
  replaceAll(fs, sync, (real, how) => (...given) => {
    if (!isRefused(how, given)) return real(...given)
    how.before?.(real, ...given)
    throw full()
  })
  replaceAll(fsPromises, later, (real, how) => async (...given) => {
    if (!isRefused(how, given)) return await real(...given)
    throw full()
  })
  replaceAll(
    prototype,
    ofHandle,
    (real, how) =>
      async function (...given) {
        if (!isRefused(how, given)) return await real.apply(this, given)
        await how.before?.(real.bind(this), ...given)
        throw full()
      },
  )
  syncBuiltinESMExports()
  try {
    await act()
  } finally {
    for (const one of undo) one()
    syncBuiltinESMExports()
  }
  return count
}

const question = (id, parent, text) => ({ id, parent, at: 1, role: 'user', text })
const row = {
  logNumber: 0,
  phase: 'running',
  thread: null,
  wakeAt: 0,
  updated: 1,
  questions: null,
  config: '{}',
  state: null,
  result: null,
}
const ref = 'a'.repeat(64)
const picture = new Uint8Array(5000).fill(7)

/** For each store: what there is before, what is saved, and what can be read behind it. */
const stores = {
  'the first save of a conversation': {
    code: 'storage',
    save: (path) => conversations(path).save('main', { entries: [question('a', null, 'one')] }),
    read: async (path) => (await conversations(path).load('main'))?.entries.length ?? 0,
    known: [0, 1],
  },
  'another save of a conversation': {
    code: 'storage',
    prepare: (path) => conversations(path).save('main', { entries: [question('a', null, 'one')] }),
    save: (path) => conversations(path).save('main', { entries: [question('b', 'a', 'two')] }),
    read: async (path) => (await conversations(path).load('main')).entries.length,
    known: [1, 2],
  },
  'a conversation with a picture': {
    code: 'storage',
    save: (path) =>
      conversations(path).save('main', {
        entries: [question('a', null, 'one')],
        blobs: [{ ref: `${ref}.png`, bytes: picture }],
      }),
    read: async (path) => (await conversations(path).load('main'))?.entries.length ?? 0,
    known: [0, 1],
  },
  'a conversation that is written anew': {
    code: 'storage',
    prepare: (path) =>
      conversations(path).save('main', { entries: [question('a', null, 'one'), question('b', 'a', 'two')] }),
    save: (path) => conversations(path).delete('main', 'b'),
    read: async (path) => (await conversations(path).load('main')).entries.length,
    known: [2, 1],
  },
  'a title': {
    code: 'storage',
    prepare: (path) => conversations(path).save('main', { entries: [question('a', null, 'one')] }),
    save: (path) => conversations(path).rename('main', 'Another'),
    read: async (path) => (await conversations(path).load('main')).title,
    known: ['one', 'Another'],
  },
  'the first save of a turn': {
    code: 'storage',
    save: (path) => turns(path).create('turn', row),
    read: async (path) => (await turns(path).load('turn'))?.rev ?? 0,
    known: [0, 1],
  },
  'another save of a turn': {
    code: 'storage',
    prepare: (path) => turns(path).create('turn', row),
    save: async (path) =>
      await turns(path).save('turn', (await turns(path).load('turn')).rev, { updated: 2, state: 'x'.repeat(9000) }),
    read: async (path) => (await turns(path).load('turn')).rev,
    known: [1, 2],
  },
  'the end of a turn': {
    code: 'storage',
    prepare: async (path) => {
      await turns(path).create('turn', row)
      await turns(path).push('turn', { key: 'k', entry: 'e' })
    },
    save: async (path) =>
      await turns(path).save('turn', 1, { updated: 2, phase: 'done', wakeAt: null, result: '{}', taken: ['k'] }),
    read: async (path) => (await turns(path).load('turn')).phase,
    known: ['running', 'done'],
  },
  'what comes for a turn': {
    code: 'storage',
    prepare: (path) => turns(path).create('turn', row),
    save: (path) => turns(path).push('turn', { key: 'k', entry: 'e' }),
    read: async (path) => (await turns(path).inbox('turn')).length,
    known: [0, 1],
  },
  'a blob': {
    code: 'storage',
    save: (path) => fileBlobs(path).put('turn', ref, 'x'.repeat(9000)),
    read: async (path) => (await fileBlobs(path).get('turn', ref))?.length ?? 0,
    known: [0, 9000],
  },
  'a rule': {
    code: 'option',
    save: async (path) => rules(join(path, 'rules.json')).add({ tool: 'a', effect: 'deny' }),
    read: async (path) => rules(join(path, 'rules.json')).list().length,
    known: [0, 1],
  },
  'a pin': {
    code: 'storage',
    save: (path) =>
      pins(join(path, 'pins.json')).set('server', [{ tool: 'a', digest: ref, definition: { name: 'a' } }]),
    read: async (path) => (await pins(join(path, 'pins.json')).get('server'))?.length ?? 0,
    known: [0, 1],
  },
}

/** A lock, or a file that was on its way to its name. */
const leftIn = (path) =>
  readdirSync(path, { recursive: true })
    .map(String)
    .filter((name) => /\.(?:lock|new|old)$|\.lock\.|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-/.test(name))

for (const [what, { code, prepare = () => {}, save, read, known }] of Object.entries(stores)) {
  for (const [how, failsAt] of [
    ['once', (n) => (count) => count === n],
    ['from then on', (n) => (count) => count >= n],
  ]) {
    test(`${what}: where the n-th write fails ${how}, nothing is left behind, and the next one succeeds`, async (t) => {
      const root = mkdtempSync(join(tmpdir(), 'sluice-full-'))
      t.after(() => rmSync(root, { recursive: true, force: true }))
      const place = async (name) => {
        const path = join(root, name)
        fs.mkdirSync(path)
        await prepare(path)
        return path
      }
      const whole = await place('whole')
      const writesOfAll = await onDisk(
        () => false,
        () => save(whole),
      )
      assert.ok(writesOfAll >= 3, `${writesOfAll} writes`)
      let refused = 0
      for (let n = 1; n <= writesOfAll; n++) {
        const path = await place(`${n}`)
        await onDisk(failsAt(n), async () => {
          try {
            await save(path)
          } catch (error) {
            refused++
            assert.equal(error.code, code, `write ${n}: ${error.stack}`)
            assert.match(error.message, /the disk is full/)
          }
        })
        assert.deepEqual(leftIn(path), [], `write ${n}`)
        const now = await read(path)
        assert.ok(known.includes(now), `write ${n}: ${now}`)
        if (now !== known[1]) await save(path)
        assert.equal(await read(path), known[1], `write ${n}`)
        assert.deepEqual(leftIn(path), [])
      }
      assert.ok(refused >= 3, `${refused} were refused`)
    })
  }
}
