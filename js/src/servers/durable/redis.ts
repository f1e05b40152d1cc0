// Stores turns in Redis: a hash for each turn, a list for what came for it, and sorted sets by which the due ones are
// found. Every method is one script, so that nothing is half done.
import { is, members } from '../../engine/core/options.js'
import { senderOf, storing, type RedisClient, type Send } from './redis-client.js'
import { checked, sound } from './row.js'
import type {
  TurnInboxEntry,
  ListedTurnRow,
  TurnPhase,
  TurnRow,
  TurnRowFilter,
  TurnRowPatch,
  TurnStore,
} from './durable-types.js'

/** What `redisTurns` takes. */
export interface RedisOptions {
  /** In front of every key. In a cluster all of them must lie in one slot: `{sluice}:`, the default, does that. */
  prefix?: string
}

/** @internal */
export const checkRedisOptions = members({
  members: { prefix: is('a text', (value) => typeof value === 'string' && value !== '') },
})

/**
 * Keeps turns in a Redis (6.2 or later) by a client of `ioredis` or `redis`. The app makes the client and ends it. Any
 * number of processes may use it. What Redis has confirmed survives its crash only with `appendonly yes` and
 * `appendfsync always`; with `everysec` a second may be lost. `maxmemory-policy` must be `noeviction`. Throws
 * SluiceError `option` if this is no client.
 */
export function redisTurns(client: RedisClient, options: RedisOptions = {}): TurnStore {
  checkRedisOptions(options, 'options')
  return new RedisTurns(storing(senderOf(client), 'the turns'), options.prefix ?? '{sluice}:')
}

const PAGE = 200

/**
 * KEYS[1] is the prefix. Of a turn: `t:<id>` its row, `i:<id>` the keys of its inbox in their order, `e:<id>` key →
 * entry (empty: taken). Of all: `ids`, `asking`, `pushed` (sets, by name), `wake` (by time).
 */
const COMMON = `
local p = KEYS[1]
local row = function(id) return p .. 't:' .. id end
local place = function(id)
  local at = redis.call('HMGET', row(id), 'phase', 'wakeAt', 'questions')
  if at[1] == 'done' or not at[2] or at[2] == '' then redis.call('ZREM', p .. 'wake', id) else redis.call('ZADD', p .. 'wake', at[2], id) end
  if at[3] and at[3] ~= '' then redis.call('ZADD', p .. 'asking', 0, id) else redis.call('ZREM', p .. 'asking', id) end
  if at[1] == 'waiting' and redis.call('LLEN', p .. 'i:' .. id) > 0 then redis.call('ZADD', p .. 'pushed', 0, id) else redis.call('ZREM', p .. 'pushed', id) end
end
`
const scripts = {
  create: `${COMMON}
    local id = ARGV[1]
    if redis.call('EXISTS', row(id)) == 1 then return 0 end
    redis.call('HSET', row(id), 'rev', 1, unpack(ARGV, 2))
    redis.call('ZADD', p .. 'ids', 0, id)
    place(id)
    return 1`,
  save: `${COMMON}
    local id, count = ARGV[1], tonumber(ARGV[3])
    local before = redis.call('HMGET', row(id), 'rev', 'phase')
    if before[1] ~= ARGV[2] or before[2] == 'done' then return false end
    for at = 4, 3 + count do
      redis.call('LREM', p .. 'i:' .. id, 1, ARGV[at])
      if redis.call('HEXISTS', p .. 'e:' .. id, ARGV[at]) == 1 then redis.call('HSET', p .. 'e:' .. id, ARGV[at], '') end
    end
    redis.call('HSET', row(id), unpack(ARGV, 4 + count))
    if redis.call('HGET', row(id), 'phase') == 'done' then redis.call('DEL', p .. 'i:' .. id, p .. 'e:' .. id) end
    local rev = redis.call('HINCRBY', row(id), 'rev', 1)
    place(id)
    return rev`,
  push: `${COMMON}
    local id = ARGV[1]
    local phase = redis.call('HGET', row(id), 'phase')
    if not phase or phase == 'done' then return 0 end
    if redis.call('HSETNX', p .. 'e:' .. id, ARGV[2], '1' .. ARGV[3]) == 0 then return 0 end
    redis.call('RPUSH', p .. 'i:' .. id, ARGV[2])
    place(id)
    return 1`,
  inbox: `${COMMON}
    local found = {}
    for _, key in ipairs(redis.call('LRANGE', p .. 'i:' .. ARGV[1], 0, -1)) do
      found[#found + 1] = key
      found[#found + 1] = string.sub(redis.call('HGET', p .. 'e:' .. ARGV[1], key), 2)
    end
    return found`,
  remove: `${COMMON}
    local id = ARGV[1]
    for _, set in ipairs({ 'ids', 'asking', 'pushed', 'wake' }) do redis.call('ZREM', p .. set, id) end
    local known = redis.call('DEL', row(id))
    redis.call('DEL', p .. 'i:' .. id, p .. 'e:' .. id)
    return known`,
  rows: `${COMMON}
    local found = {}
    for at = 1, #ARGV do
      found[at] = redis.call('HMGET', row(ARGV[at]), 'thread', 'rev', 'logNumber', 'phase', 'wakeAt', 'updated', 'questions')
      found[at][8] = redis.call('LLEN', p .. 'i:' .. ARGV[at])
    end
    return found`,
} as const

/** Null is an empty text: no other member can be one. */
const columns = ['thread', 'logNumber', 'phase', 'wakeAt', 'updated', 'questions', 'config', 'state', 'result'] as const

class RedisTurns implements TurnStore {
  readonly #send: Send
  readonly #prefix: string

  constructor(send: Send, prefix: string) {
    this.#send = send
    this.#prefix = prefix
  }

  async create(id: string, row: Omit<TurnRow, 'id' | 'rev'>): Promise<boolean> {
    return (await this.#run('create', id, ...fieldsOf(row))) === 1
  }

  async load(id: string): Promise<TurnRow | null> {
    const found = (await this.#send(
      'HMGET',
      `${this.#prefix}t:${id}`,
      'thread',
      'rev',
      'logNumber',
      'phase',
      'wakeAt',
      'updated',
      'questions',
      'config',
      'state',
      'result',
    )) as (string | null)[]
    const row = listedOf(id, found)
    const [config, state, result] = found.slice(7) as [string, string, string]
    return row && checked({ ...row, config, state: state || null, result: result || null })
  }

  async inbox(id: string): Promise<TurnInboxEntry[]> {
    const found = (await this.#run('inbox', id)) as string[]
    return Array.from({ length: found.length / 2 }, (_, at) => ({
      key: found[2 * at] as string,
      entry: found[2 * at + 1] as string,
    }))
  }

  async save(id: string, rev: number, { taken = [], ...patch }: TurnRowPatch): Promise<number | null> {
    const saved = await this.#run('save', id, rev, taken.length, ...taken, ...fieldsOf(patch))
    return saved === null ? null : Number(saved)
  }

  async push(id: string, { key, entry }: TurnInboxEntry): Promise<boolean> {
    return (await this.#run('push', id, key, entry)) === 1
  }

  async *list(filter: TurnRowFilter = {}): AsyncGenerator<ListedTurnRow, void, undefined> {
    const { thread, asking, due } = filter
    const seen = new Set<string>()
    for await (const ids of due === undefined ? this.#byName(asking ? 'asking' : 'ids') : this.#due(due)) {
      const found = (await this.#run('rows', ...ids)) as (string | null)[][]
      for (const [at, id] of ids.entries()) {
        const row = listedOf(id, found[at] as (string | null)[])
        if (
          !row ||
          seen.has(id) ||
          (thread !== undefined && row.thread !== thread) ||
          (asking && row.questions === null)
        )
          continue
        const waits = row.phase === 'waiting' && Number(found[at]?.[7]) > 0
        if (due !== undefined && (row.phase === 'done' || !((row.wakeAt !== null && row.wakeAt <= due) || waits)))
          continue
        if (due !== undefined) seen.add(id) // it may be due in two ways
        yield* sound([row])
      }
    }
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#run('remove', id)) === 1
  }

  /** The members of a set of names, page by page: in their order, so that none is missed when others come and go. */
  async *#byName(set: string): AsyncGenerator<string[], void, undefined> {
    for (let from = '-'; ; ) {
      const ids = (await this.#send('ZRANGEBYLEX', this.#prefix + set, from, '+', 'LIMIT', 0, PAGE)) as string[]
      if (ids.length > 0) yield ids
      if (ids.length < PAGE) return
      from = `(${ids.at(-1) as string}`
    }
  }

  async *#due(due: number): AsyncGenerator<string[], void, undefined> {
    // All at once: who reads them wakes them, and they leave the set.
    const ids = (await this.#send('ZRANGEBYSCORE', `${this.#prefix}wake`, '-inf', due)) as string[]
    for (let at = 0; at < ids.length; at += PAGE) yield ids.slice(at, at + PAGE)
    yield* this.#byName('pushed')
  }

  async #run(script: keyof typeof scripts, ...args: (string | number)[]): Promise<unknown> {
    return await this.#send('EVAL', scripts[script], 1, this.#prefix, ...args)
  }
}

function fieldsOf(row: Partial<Omit<TurnRow, 'id' | 'rev'>>): (string | number)[] {
  return columns.flatMap((name) => (row[name] === undefined ? [] : [name, row[name] ?? '']))
}

function listedOf(
  id: string,
  [thread, rev, logNumber, phase, wakeAt, updated, questions]: readonly (string | null)[],
): ListedTurnRow | null {
  if (typeof rev !== 'string' && typeof phase !== 'string') return null
  return {
    id,
    thread: thread || null,
    rev: Number(rev ?? NaN),
    logNumber: Number(logNumber ?? NaN),
    phase: phase as TurnPhase,
    wakeAt: wakeAt ? Number(wakeAt) : null,
    updated: Number(updated),
    questions: questions || null,
  }
}
