// BullMQ as the queue: one waiting wake for each turn at most, and one more where it is woken while it is worked on.
// Nothing but ids stands in it.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf, SluiceError } from '../../engine/core/errors.js'
import { anything, func, members, MOST_MS, text, whole } from '../../engine/core/options.js'
import { warn } from '../../engine/core/warning.js'
import type { QueueWorker, WakeQueue } from './durable-types.js'

/** A queue of BullMQ, as far as it is used here. */
export interface BullmqQueue {
  /** Adds a job. Resolves to the one that is in the queue: with deduplication, to an earlier one. */
  add(
    name: string,
    data: {
      id: string
    },
    options: object,
  ): Promise<{
    /** The id of the job. */
    id?: string
  }>
  /** A job, unless it is gone. */
  getJob(id: string): Promise<unknown>
  /** How many jobs wait for a worker. */
  getWaitingCount(): Promise<number>
  /** Removes the queue with all that is in it. */
  obliterate(options: {
    /** Also jobs that are worked on. */
    force: boolean
  }): Promise<void>
  close(): Promise<void>
}

/** A worker of BullMQ, as far as it is used here. */
export interface BullmqWorker {
  /** Takes one job by hand. */
  getNextJob(token: string): Promise<
    | {
        /** The data that `add` was given. */
        data: {
          id: string
        }
        moveToCompleted(value: unknown, token: string, fetchNext: boolean): Promise<unknown>
      }
    | undefined
  >
  /** Waits for the jobs that it has, and ends its connection. */
  close(): Promise<void>
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** What `bullmqQueue` takes. */
export interface BullmqOptions {
  /** The class `Queue` of `bullmq`, 5.81 or later. */
  // Each version of BullMQ has its own types.
  Queue: new (
    ...given: any[]
  ) => BullmqQueue
  /** The class `Worker` of `bullmq`. */
  Worker: new (
    ...given: any[]
  ) => BullmqWorker
  /**
   * As BullMQ takes it: of Redis `{ host, port, … }` or a client with `maxRetriesPerRequest: null`; of Postgres a
   * connection string, a configuration or a pool.
   */
  connection: unknown
  /**
   * BullMQ 6 on Postgres: `createPostgresBackend`. Its tables must be there, or `migrate: true` in `connection` makes
   * them. Default: Redis.
   */
  backend?: unknown
  /** Of the queue. Default `sluice`. */
  name?: string
  /** How many turns are worked on at once: they wait more than they compute. Default 50. */
  concurrency?: number
  /** Milliseconds after which the job of a dead process is taken for stalled. Default: `leaseMs` of the turns. */
  lockMs?: number
}

const aClass = func('that is a class of bullmq')
const checkOptions = members({
  members: {
    Queue: aClass,
    Worker: aClass,
    connection: anything,
    backend: anything,
    name: text,
    concurrency: whole(1),
    lockMs: whole(100, MOST_MS),
  } satisfies { [member in keyof Required<BullmqOptions>]: unknown },
  needs: ['Queue', 'Worker', 'connection'],
})

/**
 * Wakes turns by BullMQ, on Redis or, from its version 6 on, on Postgres. Classes and connection are the app's. Throws
 * SluiceError `option` where an option is wrong; a wake rejects with it where this BullMQ would lose wakes, as those
 * before 5.81 may. Each process tries that, in the queue `<name>-trial` that it removes again, until a trial tells; one
 * that cannot be made is warned about, and the wake stands. With a `backend` nothing is tried: only versions that lose
 * nothing have backends.
 */
export function bullmqQueue(options: BullmqOptions): WakeQueue & {
  /** Ends the connection of the queue. */
  close(): Promise<void>
} {
  checkOptions(options, 'options')
  return new BullWakes(options)
}

/**
 * Plain deduplication, or a job's id for each turn, would lose a wake that comes while the job runs: `keepLastIfActive`
 * makes it one job that follows. A failed one is out of the way: its turn is found by `sweep`.
 */
const wakeOf = (id: string): object => ({ deduplication: { id: idOf(id), keepLastIfActive: true }, ...swept })

/**
 * Of a wake by a sweep: without deduplication, since the job of a dead worker holds the place of its turn until it
 * counts as stalled. The revision in the store keeps two workers apart.
 */
const swept = { removeOnComplete: true, removeOnFail: 1000, attempts: 10, backoff: { type: 'exponential', delay: 500 } }

/** BullMQ has a colon between the parts of its own keys. */
const idOf = (id: string): string => Buffer.from(id).toString('base64url')

const isRefusal = (error: unknown): boolean => SluiceError.is(error) && error.code === 'option'

class BullWakes implements WakeQueue {
  readonly #options: BullmqOptions
  readonly #queue: BullmqQueue
  #trial: Promise<void> | undefined
  #isWarned = false

  constructor(options: BullmqOptions) {
    const { Queue } = options
    this.#options = options
    this.#queue = new Queue(this.#name, { connection: options.connection }, options.backend)
    listen(this.#queue)
  }

  get #name(): string {
    return this.#options.name ?? 'sluice'
  }

  async wake(id: string, how: { swept?: boolean } = {}): Promise<void> {
    await this.#add('wake', id, how.swept ? swept : wakeOf(id))
  }

  /** Without deduplication: a delayed job under a turn's own name would swallow every wake until it is due. */
  async at(id: string, time: number): Promise<void> {
    await this.#add('timer', id, {
      jobId: `timer-${idOf(id)}-${Math.ceil(time)}`,
      delay: Math.max(0, Math.ceil(time) - Date.now()),
      removeOnComplete: true,
      removeOnFail: true,
      attempts: 10,
      backoff: { type: 'exponential', delay: 500 },
    })
  }

  work(advance: (id: string) => Promise<unknown>, { leaseMs = 30_000 }: { leaseMs?: number } = {}): QueueWorker {
    const { Worker, connection, backend, concurrency = 50, lockMs = leaseMs } = this.#options
    if (lockMs > 2 * leaseMs)
      warn(
        `lockMs of bullmq is ${lockMs}, more than twice the leaseMs of the turns (${leaseMs}): a turn whose worker dies stands still for longer than its lease`,
      )
    const process = async ({ name, data: { id } }: { name: string; data: { id: string } }): Promise<void> => {
      if (name === 'timer') await this.wake(id)
      else await advance(id)
    }
    const settings = {
      connection,
      concurrency,
      lockDuration: lockMs,
      stalledInterval: Math.ceil(lockMs / 3),
      maxStalledCount: 100,
    }
    const worker = new Worker(this.#name, process, settings, backend)
    worker.on('error', tell)
    // It works meanwhile: where it is refused, what it did is done.
    this.#tried().catch((error: unknown) => {
      tell(error)
      void worker.close()
    })
    return { close: () => worker.close() }
  }

  async close(): Promise<void> {
    await this.#queue.close()
  }

  async #add(name: string, id: string, options: object): Promise<void> {
    await storing(() => this.#queue.add(name, { id }, options))
    await this.#tried()
  }

  /**
   * Throws where this BullMQ loses wakes. What the trial could not find out, the next call tries again. Only versions
   * that lose nothing have backends.
   */
  async #tried(): Promise<void> {
    if (this.#options.backend !== undefined) return
    this.#trial ??= tryOut(this.#options, `${this.#name}-trial`)
    try {
      await this.#trial
    } catch (error) {
      if (isRefusal(error)) throw error
      this.#trial = undefined
      if (!this.#isWarned) warn(`whether this BullMQ keeps every wake could not be tried: ${messageOf(error)}`)
      this.#isWarned = true
    }
  }
}

/**
 * Throws SluiceError `option` where a wake that comes while its turn is worked on is lost: an approval would never be
 * seen. All trials of a queue have one name, one at a time, and each removes what is there at its end, also of those
 * whose process died.
 */
async function tryOut({ Queue, Worker, connection }: BullmqOptions, name: string): Promise<void> {
  const own = randomUUID()
  let queue: BullmqQueue | undefined
  let worker: BullmqWorker | undefined
  let held = false
  let kept = 0
  try {
    queue = new Queue(name, { connection })
    listen(queue)
    worker = new Worker(name, null, { connection, autorun: false })
    worker.on('error', tell)
    await reserve(queue, own)
    held = true
    await queue.add('wake', { id: own }, wakeOf(own))
    let job: Awaited<ReturnType<BullmqWorker['getNextJob']>>
    do job = await worker.getNextJob(own)
    while (job && job.data.id !== own) // of a trial whose process died
    await queue.add('wake', { id: own }, wakeOf(own))
    await job?.moveToCompleted(null, own, false)
    kept = await queue.getWaitingCount()
    held = !!(await queue.getJob(own))
    if (!held) throw new Error('it took so long that another process tried, too')
  } finally {
    if (held) await queue?.obliterate({ force: true }).catch(() => {}) // it is gone, or the server is
    await Promise.allSettled([worker?.close(), queue?.close()])
  }
  if (kept === 0)
    throw new SluiceError({
      code: 'option',
      path: 'Queue',
      detail: 'this BullMQ loses a wake that comes while its turn is worked on',
      hint: 'bullmq 5.81 or later keeps it',
    })
}

/** So long a trial has the queue of the trials for itself, in milliseconds. */
const TRIAL_MS = 5000

/**
 * Takes the queue of the trials: a job that no worker gets has the place, which is free again when the trial ends, or
 * some time after its process died.
 */
async function reserve(queue: BullmqQueue, own: string): Promise<void> {
  for (const end = performance.now() + 3 * TRIAL_MS; performance.now() < end; await delay(20 + 80 * Math.random())) {
    const { id } = await queue.add(
      'reserved',
      { id: own },
      { jobId: own, delay: 1000 * TRIAL_MS, deduplication: { id: 'trial', ttl: TRIAL_MS } },
    )
    if (id === own) return
  }
  throw new Error('other processes are trying it')
}

async function storing<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (cause) {
    throw SluiceError.is(cause)
      ? cause
      : new SluiceError({
          code: 'storage',
          path: 'queue',
          detail: `the queue of the turns: ${messageOf(cause)}`,
          cause,
        })
  }
}

const tell = (error: unknown): void =>
  warn(SluiceError.is(error) ? error.message : `the queue of the turns: ${messageOf(error)}`)

const listen = (queue: BullmqQueue): void => void (queue as Partial<BullmqWorker>).on?.('error', tell)
