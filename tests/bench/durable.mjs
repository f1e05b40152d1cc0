// npm run bench -- durable: what durable turns cost. 10,000 of them that wait: memory, timers, a sweep, the questions.
// Then legs a second, one process, against a scripted server in another one. `--store
// memory|files|sqlite|redis|postgres` (SQLite needs Node ≥ 22.13; Redis and Postgres those of the system, and the
// packages of `npm test -- durable`; memory keeps nothing: what is left is Sluice), `--turns N`, `--idempotent`: the
// tool may run again after a crash. A profile: node --cpu-prof tests/bench/durable.mjs ….
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Engine, tool } from 'sluice'
import { durable } from 'sluice/durable'
import { startScriptedServer } from 'sluice/testing'
import { openStore } from '../js/durable-places.mjs'

/** What they take: a store, how many bytes it has. */
const stores = {
  memory: async () => ({ store: inMemory(), bytes: async () => 0, close: async () => {} }),
  files: async (folder) => {
    const path = join(folder, 'turns')
    const sizes = () =>
      readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile())
        .map((one) => statSync(join(one.parentPath ?? one.path, one.name)).size)
    return {
      ...(await openStore({ kind: 'files', path })),
      bytes: async () => sizes().reduce((sum, size) => sum + size, 0),
    }
  },
  sqlite: async (folder) => {
    const path = join(folder, 'turns.db')
    return {
      ...(await openStore({ kind: 'sqlite', path })),
      bytes: async () => statSync(path).size + statSync(`${path}-wal`).size,
    }
  },
  redis: async () => {
    const [{ open }, { startRedis }] = await Promise.all([
      import('../durable/places.mjs'),
      import('../durable/servers.mjs'),
    ])
    const server = await startRedis()
    const { store, close, client } = await open({ kind: 'redis', port: server.port, name: 'bench' })
    const used = async () => Number(/used_memory:(\d+)/.exec(await client.info('memory'))[1])
    const before = await used()
    return {
      store,
      bytes: async () => (await used()) - before,
      close: async () => {
        await close()
        await server.stop()
      },
    }
  },
  postgres: async () => {
    const [{ open }, { startPostgres }] = await Promise.all([
      import('../durable/places.mjs'),
      import('../durable/servers.mjs'),
    ])
    const server = await startPostgres({ fsync: 'on' })
    const { store, close, client } = await open({ kind: 'postgres', config: server.config, name: 'bench' })
    const bytes = async () => {
      await client.query('VACUUM FULL bench_turns')
      return Number(
        (
          await client.query(
            "SELECT pg_total_relation_size('bench_turns') + pg_total_relation_size('bench_inbox') AS size",
          )
        ).rows[0].size,
      )
    }
    return {
      store,
      bytes,
      close: async () => {
        await close()
        await server.stop()
      },
    }
  },
}

/** A store that forgets everything with the process: no app wants it. */
function inMemory() {
  const [rows, inboxes, keys] = [new Map(), new Map(), new Set()]
  return {
    create: async (id, row) => !rows.has(id) && Boolean(rows.set(id, { ...row, id, rev: 1 })),
    load: async (id) => rows.get(id) ?? null,
    inbox: async (id) => [...(inboxes.get(id) ?? [])],
    save: async (id, rev, { taken = [], ...patch }) => {
      const row = rows.get(id)
      if (row?.rev !== rev || row.phase === 'done') return null
      rows.set(id, { ...row, ...patch, rev: rev + 1 })
      if (taken.length > 0)
        inboxes.set(
          id,
          inboxes.get(id).filter(({ key }) => !taken.includes(key)),
        )
      return rev + 1
    },
    push: async (id, entry) => {
      const key = `${id} ${entry.key}`
      if (keys.has(key)) return false
      keys.add(key)
      inboxes.set(id, [...(inboxes.get(id) ?? []), entry])
      return true
    },
    list: async function* ({ due, asking } = {}) {
      for (const row of rows.values()) {
        if (asking && row.questions === null) continue
        if (
          due === undefined ||
          (row.phase !== 'done' &&
            ((row.wakeAt !== null && row.wakeAt <= due) ||
              (row.phase === 'waiting' && inboxes.get(row.id)?.length > 0)))
        )
          yield row
      }
    },
    remove: async (id) => rows.delete(id),
  }
}

const self = fileURLToPath(import.meta.url)
if (process.argv[2] === 'server') {
  const answers = ({ body }) =>
    body.messages.some(({ role }) => role === 'tool')
      ? { text: 'Done.' }
      : { text: 'I will. ', calls: [{ id: 'c', name: 'note_add', arguments: { text: 'umbrella' } }] }
  const server = await startScriptedServer({ answers, appendOnly: false, strict: false })
  process.send(server.baseURL)
} else {
  await bench()
}

async function bench() {
  const { values } = parseArgs({
    options: {
      store: { type: 'string', default: 'files' },
      turns: { type: 'string', default: '10000' },
      idempotent: { type: 'boolean', default: false },
    },
  })
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const server = fork(self, ['server'])
  const [baseURL] = await once(server, 'message')
  const { store, close, bytes } = await stores[values.store](folder)
  const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
  const engine = new Engine({
    approvalTimeoutMs: 30 * 86_400_000,
    tools: [
      tool({
        name: 'note.add',
        description: 'Adds a note.',
        parameters,
        agentCallable: true,
        idempotent: values.idempotent,
        execute: ({ text }) => `added ${text}`,
      }),
    ],
  })
  const lossy = { wake: async () => {}, at: async () => {}, work: () => ({ close: async () => {} }) }
  const turns = durable(engine, { store, queue: lossy, run: () => ({ model: { baseURL, name: 'scripted' } }) })
  const count = Number(values.turns)
  const each = async (items, act, width = 50) => {
    const left = [...items]
    await Promise.all(
      Array.from({ length: width }, async () => {
        for (let item = left.pop(); item !== undefined; item = left.pop()) await act(item)
      }),
    )
  }
  const timed = async (what, act) => {
    const [start, cpu] = [performance.now(), process.cpuUsage()]
    const units = await act()
    const [ms, used] = [performance.now() - start, process.cpuUsage(cpu)]
    console.log(
      `${what}: ${(ms / 1000).toFixed(2)} s, ${((used.user + used.system) / 1e6).toFixed(2)} s of processor${units ? `; ${Math.round((units * 1000) / ms)} a second, ${Math.round(units / ((used.user + used.system) / 1e6))} a second of processor` : ''}`,
    )
  }
  const ids = Array.from({ length: count }, (_, at) => `turn-${at}`)
  console.log(`store: ${values.store}`)
  await each(
    Array.from({ length: 300 }, (_, at) => `warm-${at}`),
    async (id) => {
      // what is made once is no turn's
      await turns.start({ id, messages: [{ role: 'user', content: 'Note: umbrella.' }] })
      await turns.advance(id)
      await turns.cancel(id)
      await turns.advance(id)
      await turns.forget(id)
    },
  )
  global.gc?.()
  const before = process.memoryUsage()
  await timed(`${count} turns are started`, async () => {
    await each(ids, (id) => turns.start({ id, messages: [{ role: 'user', content: 'Note: umbrella.' }] }))
    return count
  })
  await timed('each runs to its question (a leg with a request)', async () => {
    await each(ids, (id) => turns.advance(id))
    return count
  })
  global.gc?.()
  await new Promise((resolve) => setTimeout(resolve, 200))
  global.gc?.()
  const after = process.memoryUsage()
  console.log(
    `memory of a waiting turn: ${((after.heapUsed - before.heapUsed) / count).toFixed(0)} bytes of heap; timers and handles: ${process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length}`,
  )
  console.log(`a waiting turn in the store: ${Math.round((await bytes()) / count)} bytes`)
  await timed('a sweep that finds nothing', async () => void (await turns.sweep()))
  const questions = []
  await timed('the questions of all', async () => {
    for await (const question of turns.questions()) questions.push(question)
    return questions.length
  })
  const some = questions.slice(0, Math.min(questions.length, 2000))
  await timed(`${some.length} decisions`, async () => {
    await each(some, ({ turn, call, stage, digest }) =>
      turns.decide(turn, { call, stage, digest, decision: 'approve' }),
    )
    return some.length
  })
  await timed('a sweep that finds them', async () => void (await turns.sweep()))
  await timed(`${some.length} legs with a decision, a tool and a request`, async () => {
    await each(some, ({ turn }) => turns.advance(turn))
    return some.length
  })
  const alone = questions.slice(some.length, some.length + 300)
  const times = []
  for (const { turn, call, stage, digest } of alone) {
    const start = performance.now()
    await turns.decide(turn, { call, stage, digest, decision: 'approve' })
    await turns.advance(turn)
    times.push(performance.now() - start)
  }
  const at = (part) => times.toSorted((one, other) => one - other)[Math.floor(times.length * part)]?.toFixed(2)
  console.log(
    `from a decision to the end, ${alone.length} turns one after another: ${at(0.5)} ms, of ten the slowest ${at(0.9)} ms`,
  )
  // What no leg with a request can be faster than: the same request by fetch, and its answer read.
  const body = JSON.stringify({
    model: 'scripted',
    stream: true,
    messages: [{ role: 'user', content: 'Note: umbrella.' }],
  })
  await timed(`${some.length} requests by fetch alone`, async () => {
    await each(
      some,
      async () =>
        await (
          await fetch(`${baseURL}/chat/completions`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
          })
        ).text(),
    )
    return some.length
  })
  engine.close()
  await close()
  server.kill()
  rmSync(folder, { recursive: true, force: true })
}
