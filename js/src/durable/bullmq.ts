// BullMQ as the queue: one waiting wake for each turn at most, and one more where it is woken while it is worked on. Nothing but ids stands in it.
import { messageOf, SluiceError } from '../core/errors.js'
import { anything, func, members, text, whole } from '../core/options.js'
import { warn } from '../core/warning.js'
import type { QueueWorker, WakeQueue } from './types.js'

/** A queue of BullMQ, as far as it is used here. */
export interface BullQueue {
  /** Adds a job. */
  add(name: string, data: {
    /** Of the turn. */
    id: string
  }, options: object): Promise<unknown>
  /** Ends its connection. */
  close(): Promise<void>
}

/** A worker of BullMQ, as far as it is used here. */
export interface BullWorker {
  /** Waits for the jobs that it has, and ends its connection. */
  close(): Promise<void>
  /** Listens. */
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** What `bullmq` takes. */
export interface BullOptions {
  /** The class `Queue` of `bullmq`, 5.81 or later. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each version of it has its own types
  Queue: new (...given: any[]) => BullQueue
  /** The class `Worker` of `bullmq`. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  Worker: new (...given: any[]) => BullWorker
  /** As BullMQ takes it: of Redis `{ host, port, … }` or a client with `maxRetriesPerRequest: null`; of Postgres a connection string, a configuration or a pool. */
  connection: unknown
  /** BullMQ 6 on Postgres: `createPostgresBackend`. Its tables must be there, or `migrate: true` in `connection` makes them. Default: Redis. */
  backend?: unknown
  /** Of the queue. Default `sluice`. */
  name?: string
  /** How many turns are worked on at once: they wait more than they compute. Default 50. */
  concurrency?: number
  /** Milliseconds after which the job of a dead process is taken for stalled. Default 30,000. */
  lockMs?: number
}

const aClass = func('that is a class of bullmq')
const checkOptions = members({
  members: { Queue: aClass, Worker: aClass, connection: anything, backend: anything, name: text, concurrency: whole(1), lockMs: whole(100) } satisfies { [member in keyof Required<BullOptions>]: unknown },
  needs: ['Queue', 'Worker', 'connection'],
})

/**
 * Wakes turns by BullMQ, on Redis or, from its version 6 on, on Postgres. Classes and connection are the app's. Throws SluiceError `option` where an option is wrong.
 */
export function bullmq(options: BullOptions): WakeQueue & {
  /** Ends the connection of the queue. */
  close(): Promise<void>
} {
  checkOptions(options, 'options')
  return new BullWakes(options)
}

/**
 * Plain deduplication, or a job's id for each turn, would lose a wake that comes while the job runs: `keepLastIfActive` makes it one job that follows. A failed one is
 * out of the way: its turn is found by `sweep`.
 */
const wakeOf = (id: string): object => ({
  deduplication: { id: idOf(id), keepLastIfActive: true }, removeOnComplete: true, removeOnFail: 1000, attempts: 10, backoff: { type: 'exponential', delay: 500 },
})

/** BullMQ has a colon between the parts of its own keys. */
const idOf = (id: string): string => Buffer.from(id).toString('base64url')

class BullWakes implements WakeQueue {
  readonly #options: BullOptions
  readonly #queue: BullQueue

  constructor(options: BullOptions) {
    const { Queue } = options
    this.#options = options
    this.#queue = new Queue(this.#name, { connection: options.connection }, options.backend)
    ;(this.#queue as Partial<BullWorker>).on?.('error', tell)
  }

  get #name(): string {
    return this.#options.name ?? 'sluice'
  }

  async wake(id: string): Promise<void> {
    await this.#add('wake', id, wakeOf(id))
  }

  /** Without deduplication: a delayed job under a turn's own name would swallow every wake until it is due. */
  async at(id: string, time: number): Promise<void> {
    await this.#add('timer', id, { jobId: `timer-${idOf(id)}-${Math.ceil(time)}`, delay: Math.max(0, Math.ceil(time) - Date.now()), removeOnComplete: true, removeOnFail: true, attempts: 10, backoff: { type: 'exponential', delay: 500 } })
  }

  work(advance: (id: string) => Promise<unknown>): QueueWorker {
    const { Worker, connection, backend, concurrency = 50, lockMs = 30_000 } = this.#options
    const process = async ({ name, data: { id } }: { name: string; data: { id: string } }): Promise<void> => {
      if (name === 'timer') await this.wake(id)
      else await advance(id)
    }
    const settings = { connection, concurrency, lockDuration: lockMs, stalledInterval: Math.ceil(lockMs / 3), maxStalledCount: 100 }
    const worker = new Worker(this.#name, process, settings, backend)
    worker.on('error', tell)
    return { close: () => worker.close() }
  }

  async close(): Promise<void> {
    await this.#queue.close()
  }

  async #add(name: string, id: string, options: object): Promise<void> {
    try {
      await this.#queue.add(name, { id }, options)
    } catch (cause) {
      throw new SluiceError({ code: 'storage', path: 'queue', detail: `the queue of the turns: ${messageOf(cause)}`, cause })
    }
  }
}

const tell = (error: Error): void => warn(`the queue of the turns: ${messageOf(error)}`)
