// What the tests of durable turns share.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine } from 'sluice'
import { durable, fileTurns } from 'sluice/durable'
import { startScriptedServer } from 'sluice/testing'
import { echo } from './support.mjs'
export { until } from './until.mjs'

export const asks = (more) => echo({ permission: 'sensitive', identity: '1', ...more })
export const hello = [{ role: 'user', content: 'Hello' }]
/** A model that calls, and says what it was told. */
export const answersOf =
  (...calls) =>
  ({ body }) => {
    const results = body.messages.filter(({ role }) => role === 'tool')
    if (results.length < calls.length)
      return {
        text: `Call ${results.length + 1}. `,
        calls: [{ id: `c${results.length}`, name: 'echo_back', arguments: { text: calls[results.length] } }],
      }
    return { text: `I was told: ${results.map(({ content }) => content).join(', ')}` }
  }

export function folderOf(t) {
  const path = mkdtempSync(join(tmpdir(), 'sluice-durable-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export async function serverOf(t, answers, options = {}) {
  const server = await startScriptedServer({ answers, appendOnly: false, ...options })
  t.after(() => server.close())
  return server
}

/** Another process: another engine with the same tools, over the same store. */
export function turnsOf(t, server, { tools = [asks()], engine: engineOptions = {}, run = {}, ...options } = {}) {
  const engine = new Engine({ tools, ...engineOptions })
  t.after(() => engine.close())
  const turns = durable(engine, {
    store: fileTurns(folderOf(t)),
    run: () => ({ model: { baseURL: server.baseURL, name: 'scripted', apiKey: 'secret' }, ...run }),
    ...options,
  })
  const work = turns.work.bind(turns)
  turns.work = (...given) => {
    const worker = work(...given)
    t.after(() => worker.close()) // also of a test that failed
    return worker
  }
  return turns
}

export const cardsOf = ({ message }) => message.blocks.filter(({ type }) => type === 'tool_use')
export const textOf = ({ message }) => message.blocks.map(({ type, text }) => (type === 'text' ? text : '')).join('')

/** Approves as an approver's page does: what it saw. */
export const approve = ({ call, stage, digest }, more = {}) => ({ call, stage, digest, decision: 'approve', ...more })

/** A store with some of its methods replaced. */
export const storeWith = (store, more) => ({
  ...Object.fromEntries(
    ['create', 'load', 'inbox', 'save', 'push', 'list', 'remove'].map((name) => [
      name,
      (...given) => store[name](...given),
    ]),
  ),
  ...more,
})

/** A store in the memory of this process. */
export function memoryStore() {
  const rows = new Map()
  const open = (id) => (rows.get(id)?.row.phase === 'done' ? undefined : rows.get(id))
  return {
    create: async (id, row) => !rows.has(id) && !!rows.set(id, { row: { ...row, id, rev: 1 }, inbox: new Map() }),
    load: async (id) => structuredClone(rows.get(id)?.row ?? null),
    inbox: async (id) =>
      [...(open(id)?.inbox ?? [])].flatMap(([key, entry]) => (entry === null ? [] : [{ key, entry }])),
    save: async (id, rev, { taken = [], ...patch }) => {
      const kept = open(id)
      if (kept?.row.rev !== rev) return null
      Object.assign(kept.row, patch, { rev: rev + 1 })
      for (const key of taken) kept.inbox.set(key, null)
      return rev + 1
    },
    push: async (id, { key, entry }) => {
      const kept = open(id)
      return !!kept && !kept.inbox.has(key) && !!kept.inbox.set(key, entry)
    },
    async *list({ thread, asking, due } = {}) {
      for (const { row, inbox } of [...rows.values()]) {
        const isDue =
          row.phase !== 'done' &&
          ((row.wakeAt ?? Infinity) <= due ||
            (row.phase === 'waiting' && [...inbox.values()].some((entry) => entry !== null)))
        if (
          (thread === undefined || row.thread === thread) &&
          (!asking || row.questions !== null) &&
          (due === undefined || isDue)
        )
          yield { ...row }
      }
    },
    remove: async (id) => rows.delete(id),
  }
}

/** A queue that loses everything. */
export const lossy = { wake: async () => {}, at: async () => {}, work: () => ({ close: async () => {} }) }

/** What a reader shows: the last `reset`, and what was told behind it. */
export class Replay {
  message
  outcome

  take(event) {
    if (event.type === 'reset') return void (this.message = structuredClone(event.message))
    if (event.type === 'done') return void (this.outcome = event.outcome)
    const { blocks } = this.message
    if (event.type === 'text' || event.type === 'reasoning') {
      const { type, text } = event
      blocks[event.block] ??= { type, text: '' }
      blocks[event.block].text += text
    } else if (event.type === 'card') {
      const { seq: _, at: __, block, ...patch } = event
      blocks[block] = { ...blocks[block], ...patch, type: 'tool_use' }
    }
  }

  /**
   * Fails where a person saw something else than what is kept. The text of arguments comes in pieces that nobody asked
   * for here.
   */
  check({ message, outcome }, where) {
    const seen = ({ blocks }) =>
      blocks.map((block) =>
        block.type === 'tool_use'
          ? { ...block, rawArguments: undefined, progress: undefined }
          : { type: block.type, text: block.text },
      )
    assert.deepEqual(seen(this.message), seen(message), where)
    assert.equal(this.outcome, outcome, where)
  }
}
