// A stream log in Redis: for readers in other processes than the one that writes.
import { members, milliseconds, whole } from '../../engine/core/options.js'
import type { LoggedChunks, StreamLog } from '../leg/stream-log.js'
import { leavable } from './leavable.js'
import { senderOf, type RedisClient, type Send } from './redis-client.js'
import { checkRedisOptions, type RedisOptions } from './redis.js'
import { Begun, delay, endSurely } from './shared-log.js'

/** What `redisLog` takes. */
export interface RedisLogOptions extends RedisOptions {
  /** Milliseconds after which the log of an answer is forgotten that nobody goes on with. Default 600,000. */
  keepMs?: number
  /** Milliseconds after which a reader looks again. Default 100. */
  pollMs?: number
}

const checkOptions = members({
  members: { keepMs: whole(0), pollMs: milliseconds, prefix: () => {} } satisfies {
    [member in keyof Required<RedisLogOptions>]: unknown
  },
})

/**
 * Keeps what is told of answers in Redis, for readers in any process. Throws SluiceError `option` where an option is
 * wrong.
 */
export function redisLog(client: RedisClient, options: RedisLogOptions = {}): StreamLog {
  checkOptions(options, 'options')
  if (options.prefix !== undefined) checkRedisOptions({ prefix: options.prefix }, 'options')
  return new RedisLog(senderOf(client), options)
}

/**
 * What was given last counts as well: no two legs get the same. Lua would write a number of this size without its last
 * digits.
 */
const BEGIN = `
local last = math.max(tonumber(redis.call('HGET', KEYS[1], 'logNumber') or '-1'), tonumber(redis.call('HGET', KEYS[1], 'given') or '-1'))
local own = string.format('%.0f', math.max(last + 1, tonumber(ARGV[1])))
redis.call('HSET', KEYS[1], 'given', own)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return own`
/** KEYS: the log number of the answer, its chunks. A list is enough: readers count for themselves. */
const APPEND = `
local logNumber = tonumber(redis.call('HGET', KEYS[1], 'logNumber') or '-1')
local own = tonumber(ARGV[1])
if own < logNumber or (logNumber < 0 and ARGV[3] == 'next') then return -1 end
if own > logNumber then
  redis.call('DEL', KEYS[2])
  redis.call('HSET', KEYS[1], 'logNumber', ARGV[1], 'ended', 0)
end
redis.call('RPUSH', KEYS[2], unpack(ARGV, 4))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return redis.call('LLEN', KEYS[2])`
/** Its writer lives, and has nothing to tell. */
const TOUCH = `
if redis.call('HGET', KEYS[1], 'logNumber') ~= ARGV[1] or redis.call('HGET', KEYS[1], 'ended') == '1' then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 1`
/** Readers that follow it get the rest; who comes later finds nothing. */
const END = `
if redis.call('HGET', KEYS[1], 'logNumber') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'ended', 1)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return 1`
const READ = `
local at = redis.call('HMGET', KEYS[1], 'logNumber', 'ended')
if not at[1] then return {} end
local from = 0
if at[1] == ARGV[1] then from = tonumber(ARGV[2]) end
return { at[1], at[2], redis.call('LRANGE', KEYS[2], from, from + 499) }`

/** How long the rest of an answer that is over is kept for those who read it. */
const REST_MS = 30_000

class RedisLog implements StreamLog {
  readonly #send: Send
  readonly #prefix: string
  readonly #keepMs: number
  readonly #pollMs: number
  readonly #begun: Begun

  constructor(send: Send, { prefix = '{sluice}:', keepMs = 600_000, pollMs = 100 }: RedisLogOptions) {
    this.#send = send
    this.#prefix = prefix
    this.#keepMs = keepMs
    this.#pollMs = pollMs
    this.#begun = new Begun(keepMs, (id, logNumber) =>
      this.#send('EVAL', TOUCH, 2, ...this.#keys(id), logNumber, keepMs),
    )
  }

  async begin(id: string, least: number): Promise<number> {
    return Number(await this.#send('EVAL', BEGIN, 2, ...this.#keys(id), least, this.#keepMs))
  }

  async append(id: string, logNumber: number, chunks: readonly string[]): Promise<void> {
    for (let at = 0; at < chunks.length; at += 500) {
      const length = await this.#send(
        'EVAL',
        APPEND,
        2,
        ...this.#keys(id),
        logNumber,
        this.#keepMs,
        this.#begun.has(id, logNumber) ? 'next' : 'first',
        ...chunks.slice(at, at + 500),
      )
      if (Number(length) < 0) throw new Error(`log ${logNumber} of ${id} is over`)
      this.#begun.add(id, logNumber)
    }
  }

  async end(id: string, logNumber: number): Promise<void> {
    this.#begun.delete(id, logNumber)
    await endSurely(
      async () =>
        void (await this.#send('EVAL', END, 2, ...this.#keys(id), logNumber, Math.min(REST_MS, this.#keepMs))),
    )
  }

  read(id: string): AsyncIterableIterator<LoggedChunks, void, undefined> {
    return leavable((left) => this.#read(id, left))
  }

  async *#read(id: string, left: AbortSignal): AsyncGenerator<LoggedChunks, void, undefined> {
    let logNumber = ''
    for (let at = 0; !left.aborted; ) {
      const found = (await this.#send('EVAL', READ, 2, ...this.#keys(id), logNumber, at)) as
        | [string, string, string[]]
        | []
      if (found.length === 0) return
      const [now, ended, chunks] = found
      if (logNumber === '' && ended === '1') return
      if (now !== logNumber) [logNumber, at] = [now, 0]
      at += chunks.length
      if (chunks.length > 0) yield { logNumber: Number(now), chunks }
      else if (ended === '1') return
      else await delay(this.#pollMs, left)
    }
  }

  #keys(id: string): [string, string] {
    return [`${this.#prefix}log:${id}`, `${this.#prefix}chunks:${id}`]
  }
}
