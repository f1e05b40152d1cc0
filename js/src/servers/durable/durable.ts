// Turns that outlive processes: what is said to them goes into a store, and a worker carries them on, leg by leg.
import { randomUUID } from 'node:crypto'
import { findCard, mapCards } from '../../engine/core/cards.js'
import { checkEncryption, TextCipher, type Encryption } from '../../engine/core/encryption.js'
import type { Engine, NeedsContext } from '../../engine/core/engine.js'
import { messageOf, SluiceError } from '../../engine/core/errors.js'
import type { AssistantMessage, CardEvent, CardStatus, ToolUseBlock } from '../../engine/core/events.js'
import { onAbort } from '../../engine/core/on-abort.js'
import {
  anything,
  encode,
  flag,
  func,
  is,
  isObject,
  members,
  milliseconds,
  MOST_MS,
  oneOf,
  record,
  text,
  whole,
  withMethods,
  wrong,
} from '../../engine/core/options.js'
import { checkRunnable } from '../../engine/core/runnable.js'
import { Turn } from '../../engine/core/turn.js'
import { warn } from '../../engine/core/warning.js'
import { clientToolsBeside, type ClientTool } from '../leg/client-tools.js'
import { EnginesBeside } from './engines-beside.js'
import { logWith } from '../leg/encrypted-log.js'
import { memoryLog, type StreamLog } from '../leg/stream-log.js'
import { eventsOf, type Saved } from './turn-events.js'
import { fileTurns } from './file-turns.js'
import { keyOf, Leg, nothing, type Config, type Entry, type LegEnd, type Surroundings } from './worker-leg.js'
import { localQueue } from './local.js'
import { Texts, unreadable } from './texts.js'
import type {
  BlobStore,
  TurnDecision,
  TurnDecisionRecord,
  Durable,
  TurnQuestion,
  TurnRow,
  StartOptions,
  TurnEnd,
  TurnEvent,
  TurnInfo,
  TurnRun,
  TurnStatus,
  TurnStore,
  TurnWorker,
  WakeQueue,
} from './durable-types.js'
import { namedIn } from './who.js'

/** What `durable` takes. */
export interface DurableOptions<C = unknown> {
  /** Says how a turn is run: asked for every leg. Neither model nor key is kept with the turn. */
  run: (turn: TurnInfo) => (TurnRun<C> & NeedsContext<C>) | Promise<TurnRun<C> & NeedsContext<C>>
  /** Where turns are kept. Default: `fileTurns('./turns')`. */
  store?: TurnStore
  /** Which turn is looked at next. Default: `localQueue()`, in this process. */
  queue?: WakeQueue
  /**
   * What readers follow. Default: `memoryLog()`, for readers in the process that runs the turn; `redisLog(client)` and
   * `postgresLog(pool)` have them anywhere.
   */
  log?: StreamLog
  /** Where pictures and long results are kept, beside the turn. Default: in it, and written again with every save. */
  blobs?: BlobStore
  /**
   * Encrypts the texts that store, blobs and `log` hold of a turn. Its id, thread, phase and times stay readable.
   * Default: the texts are plain.
   */
  encryption?: Encryption
  /** A worker that says nothing for so many milliseconds is taken for dead. Default 30,000. */
  leaseMs?: number
}

const checkOptions = members({
  members: {
    run: func('(turn) => { model, … }'),
    store: withMethods(
      'a store of turns such as fileTurns(folder)',
      'create',
      'load',
      'inbox',
      'save',
      'push',
      'list',
      'remove',
    ),
    queue: withMethods('a queue such as localQueue()', 'wake', 'at', 'work'),
    log: withMethods('a stream log such as memoryLog()', 'append', 'end', 'read'),
    blobs: withMethods('a store of blobs such as fileBlobs(folder)', 'put', 'get', 'remove'),
    encryption: checkEncryption,
    leaseMs: whole(30, MOST_MS),
  } satisfies { [member in keyof Required<DurableOptions>]: unknown },
  needs: ['run'],
})

const anId = is(
  'a text of 1 to 200 characters, no control characters',
  (value) => typeof value === 'string' && value !== '' && value.length <= 200 && !/[\p{Cc}\p{Cs}]/u.test(value),
)
const checkStart = members({
  members: {
    messages: is('an array of at least one message', (value) => Array.isArray(value) && value.length > 0),
    id: anId,
    thread: anId,
    data: anything,
    external: anything,
  },
  needs: ['messages'],
})
const checkDecision = members({
  members: {
    call: whole(1),
    stage: oneOf('execution', 'result'),
    digest: text,
    decision: oneOf('approve', 'deny'),
    arguments: record,
    remember: oneOf('once', 'turn', 'session', 'always'),
    exact: flag,
    reason: text,
    by: text,
  } satisfies { [member in keyof Required<TurnDecision>]: unknown },
  needs: ['call', 'stage', 'digest', 'decision'],
})
const checkResult = members({ members: { value: anything, error: text } })
const checkFilter = members({ members: { thread: text, tool: text } })
const checkWork = members({ members: { sweepMs: milliseconds } })

const SWEEP_MS = 60_000
/** A reader looks so often whether another process goes on with the turn, in milliseconds. */
const LOOK_MS = 1000

/**
 * Turns that are saved before each step outside, and go on in whatever process works for them: after a crash, after a
 * deployment, days later.
 * @throws SluiceError `option` where an option is wrong, or a tool of the engine cannot be part of a durable turn.
 */
export function durable<C>(engine: Engine<C>, options: DurableOptions<C>): Durable {
  withMethods('an Engine', 'run', 'resume')(engine, 'engine')
  checkOptions(options, 'options')
  checkEngine(engine as Engine)
  return new Turns(engine as Engine, options as DurableOptions)
}

/** A turn that is worked on here. */
interface Work {
  leg: Leg | undefined
  /** It was woken since. */
  again: boolean
  end: Promise<'waiting' | 'done'>
}

class Turns implements Durable {
  readonly #engine: Engine
  readonly #run: DurableOptions['run']
  readonly #store: TurnStore
  readonly #queue: WakeQueue
  readonly #texts: Texts
  readonly #engines: EnginesBeside
  readonly #around: Surroundings
  readonly #works = new Map<string, Work>()
  /** Readers that wait for something to read. */
  readonly #readers = new Map<string, Set<() => void>>()
  #closing = false

  constructor(
    engine: Engine,
    {
      run,
      store = fileTurns('./turns'),
      queue = localQueue(),
      log: given,
      blobs,
      encryption,
      leaseMs = 30_000,
    }: DurableOptions,
  ) {
    this.#engine = engine
    this.#run = run
    this.#store = store
    this.#queue = queue
    this.#engines = new EnginesBeside(engine)
    this.#texts = new Texts(blobs, new TextCipher(encryption, 'turn'))
    const log = given === undefined ? memoryLog() : logWith(given, encryption)
    this.#around = {
      engine,
      store,
      texts: this.#texts,
      log,
      leaseMs,
      logged: (id) => {
        for (const wake of this.#readers.get(id) ?? []) wake()
      },
    }
  }

  get tools(): Durable['tools'] {
    return this.#engine.tools
  }

  external(tools: readonly ClientTool[]): ClientTool[] {
    return clientToolsBeside(this.#engine, tools)
  }

  // -- what is said to a turn -----------------------------------------------------------------------------------------

  async start(options: StartOptions): Promise<string> {
    checkStart(options, 'options')
    const { messages, id = randomUUID(), thread, data, external } = options
    if (external) this.#engines.with(external) // what cannot be declared is known now, and not in every leg
    const config = await this.#texts.write(id, 'config', encode({ messages, data, external }, 'options'))
    await this.#store.create(id, {
      thread: thread ?? null,
      logNumber: 0,
      phase: 'running',
      wakeAt: 0,
      updated: Date.now(),
      questions: null,
      config,
      state: null,
      result: null,
    })
    await this.#wake(id) // also where it was there: its first wake may be lost
    return id
  }

  async decide(id: string, decision: TurnDecision): Promise<'accepted' | 'stale' | 'over'> {
    checkDecision(decision, 'decision')
    const row = await this.#load(id)
    if (row.phase === 'done') return 'over'
    if (await this.#isCancelled(id)) return 'over'
    const entry = encode({ type: 'decision', at: Date.now(), ...decision } satisfies Entry, 'decision')
    const asked = (await this.#questionsOf(row)).find((one) => keyOf(one) === keyOf(decision))
    if (asked) await this.#checkArguments(row, decision)
    // A question that is asked again, after others that came in its place, is decided anew.
    const pushed = asked && (await this.#push(id, `${keyOf(decision)}:${asked.askedAt}`, entry))
    if (pushed) return 'accepted'
    return (await this.#load(id)).phase === 'done' ? 'over' : 'stale'
  }

  async decisionOn(
    id: string,
    question: Pick<TurnDecision, 'call' | 'stage' | 'digest'>,
  ): Promise<TurnDecisionRecord | undefined> {
    const row = await this.#load(id)
    const { decisions = [] } = await this.#config(row)
    const isOf = (one: Pick<TurnDecision, 'call' | 'stage' | 'digest'>): boolean => keyOf(one) === keyOf(question)
    const applied = decisions.findLast(isOf)
    if (row.phase === 'done') return applied
    const asked = (await this.#questionsOf(row)).find(isOf)
    const key = asked && `${keyOf(asked)}:${asked.askedAt}`
    const kept = key === undefined ? undefined : (await this.#store.inbox(id)).find((one) => one.key === key)
    if (!kept) return applied
    const { call, stage, digest, decision, by, at } = (await this.#texts.parse(
      id,
      `entry ${kept.key}`,
      kept.entry,
    )) as Entry & { type: 'decision' }
    return { call, stage, digest, decision, ...(by === undefined ? {} : { by }), at }
  }

  async result(
    id: string,
    of: { readonly call: number; readonly digest: string },
    result: { value: unknown } | { error: string },
  ): Promise<'accepted' | 'stale' | 'over'> {
    // a number alone says too little: the call may be another one by now
    const { call, digest } = isObject(of) ? of : { call: of, digest: undefined }
    whole(1)(call, 'of.call')
    checkResult(result, 'result')
    if ('value' in result === 'error' in result) throw wrong('result', result, '{ value }, or { error } with a text')
    const row = await this.#load(id)
    if (row.phase === 'done') return 'over'
    if (await this.#isCancelled(id)) return 'over'
    const entry = encode(
      { type: 'result', call, ...(digest === undefined ? {} : { digest }), ...result } satisfies Entry,
      'result',
    )
    const waits = typeof digest === 'string' && this.#waitsFor(await this.#message(row), call, digest)
    if (waits && (await this.#push(id, `${call}:${digest}`, entry))) return 'accepted'
    return (await this.#load(id)).phase === 'done' ? 'over' : 'stale'
  }

  async cancel(id: string, reason?: string): Promise<void> {
    if (reason !== undefined) text(reason, 'reason')
    const row = await this.#load(id)
    await this.#config(row) // a worker could not decrypt what another key pushes
    if (row.phase !== 'done')
      await this.#push(id, 'cancel', encode({ type: 'cancel', ...(reason === undefined ? {} : { reason }) }, 'reason'))
  }

  /** Somebody cancelled it, and no worker has looked yet: what comes after that does not count. */
  async #isCancelled(id: string): Promise<boolean> {
    return (await this.#store.inbox(id)).some(({ key }) => key === 'cancel')
  }

  /** Returns false where nothing was kept. The turn is woken all the same: an earlier wake may be lost. */
  async #push(id: string, key: string, entry: string): Promise<boolean> {
    const pushed = await this.#store.push(id, { key, entry: await this.#texts.write(id, `entry ${key}`, entry) })
    await this.#wake(id)
    return pushed
  }

  /** What is saved is not lost where it cannot be woken: `sweep` finds it. */
  async #wake(id: string): Promise<void> {
    await this.#orSwept(id, () => this.#queue.wake(id))
  }

  async #wakeAt(id: string, time: number): Promise<void> {
    await this.#orSwept(id, () => this.#queue.at(id, time))
  }

  async #orSwept(id: string, wake: () => Promise<void>): Promise<void> {
    try {
      await wake()
    } catch (error) {
      if (SluiceError.is(error) && error.code === 'option') throw error
      warn(`the turn ${id} was saved, and waits for the next sweep: ${messageOf(error)}`)
    }
  }

  // -- what can be seen of it -----------------------------------------------------------------------------------------

  async status(id: string): Promise<TurnStatus> {
    const row = await this.#load(id)
    const { data, decisions = [], external } = await this.#config(row)
    const { phase, thread } = row
    const known = {
      phase,
      ...(thread === null ? {} : { thread }),
      ...(data === undefined ? {} : { data }),
      ...(external ? { external } : {}),
      decisions,
    }
    if (row.result !== null)
      return { ...known, questions: [], ...((await this.#read(row, 'result', row.result)) as TurnEnd) }
    return { ...known, questions: await this.#questionsOf(row), message: await this.#message(row) }
  }

  async *questions(filter: { thread?: string; tool?: string } = {}): AsyncGenerator<TurnQuestion, void, undefined> {
    checkFilter(filter, 'filter')
    const { thread, tool } = filter
    let fault: unknown
    for await (const row of this.#store.list({ asking: true, ...(thread === undefined ? {} : { thread }) })) {
      try {
        for (const question of await this.#questionsOf(row))
          if (tool === undefined || question.name === tool) yield question
      } catch (error) {
        fault ??= error // of one turn: it hides no other
      }
    }
    if (fault !== undefined) throw fault
  }

  events(id: string, from?: number): AsyncIterableIterator<TurnEvent> {
    if (from !== undefined) whole(0)(from, 'from')
    const look = async (): Promise<Saved> => {
      const row = await this.#load(id)
      const end = row.result === null ? undefined : ((await this.#read(row, 'result', row.result)) as TurnEnd)
      return { row, message: end?.message ?? (await this.#message(row)), questions: await this.#questionsOf(row), end }
    }
    return eventsOf({ log: this.#around.log, look, pause: (left) => this.#pause(id, left) }, id, from)
  }

  async #pause(id: string, left: AbortSignal): Promise<void> {
    if (left.aborted) return
    const wakes = this.#readers.get(id) ?? new Set()
    this.#readers.set(id, wakes)
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer)
        forget()
        wakes.delete(wake)
        if (wakes.size === 0) this.#readers.delete(id)
        resolve()
      }
      const timer = setTimeout(wake, LOOK_MS)
      wakes.add(wake)
      const forget = onAbort(left, wake)
    })
  }

  // -- what carries it on ---------------------------------------------------------------------------------------------

  async advance(id: string): Promise<'waiting' | 'done'> {
    anId(id, 'id')
    const known = this.#works.get(id)
    if (known) {
      known.again = true
      known.leg?.poke()
      return await known.end
    }
    const work: Work = { leg: undefined, again: false, end: Promise.resolve('waiting') }
    this.#works.set(id, work)
    work.end = this.#work(id, work)
    return await work.end
  }

  async sweep(): Promise<number> {
    let count = 0
    for await (const { id } of this.#store.list({ due: Date.now() })) {
      if (this.#works.has(id)) continue
      await this.#queue.wake(id, { swept: true })
      count++
    }
    return count
  }

  work(options: { sweepMs?: number } = {}): TurnWorker {
    checkWork(options, 'options')
    checkEngine(this.#engine)
    this.#closing = false
    const worker = this.#queue.work((id) => this.advance(id), { leaseMs: this.#around.leaseMs })
    const sweep = (): void =>
      void this.sweep().catch((error: unknown) =>
        warn(`turns that were left cannot be looked for: ${messageOf(error)}`),
      )
    const timer = setInterval(sweep, options.sweepMs ?? SWEEP_MS)
    sweep()
    return {
      close: async () => {
        clearInterval(timer)
        this.#closing = true
        for (const { leg } of this.#works.values()) leg?.release()
        await worker.close()
        await Promise.allSettled([...this.#works.values()].map(({ end }) => end))
      },
    }
  }

  async forget(id: string): Promise<boolean> {
    anId(id, 'id')
    const known = await this.#store.remove(id)
    await this.#texts.remove(id)
    return known
  }

  async #work(id: string, work: Work): Promise<'waiting' | 'done'> {
    try {
      for (;;) {
        work.again = false
        const end = await this.#leg(id, work)
        if (end === 'done') return end
        if (end !== 'again' && !work.again) return 'waiting'
        if (this.#closing) return 'waiting'
      }
    } finally {
      this.#works.delete(id)
    }
  }

  async #leg(id: string, work: Work): Promise<'waiting' | 'done' | 'again'> {
    const row = await this.#load(id)
    if (row.phase === 'done') return 'done'
    const now = Date.now()
    const early = row.wakeAt === null || row.wakeAt > now
    if (early && (row.phase === 'running' || (await this.#store.inbox(id)).length === 0)) {
      if (row.wakeAt !== null) await this.#wakeAt(id, row.wakeAt) // of one that runs: when its worker is dead
      return 'waiting'
    }
    const given = await this.#given(row)
    const config = await this.#config(row)
    const { leaseMs } = this.#around
    const taken = { logNumber: row.logNumber + 1, phase: 'running' as const, wakeAt: now + leaseMs }
    const rev = await this.#store.save(id, row.rev, { ...taken, updated: now })
    if (rev === null) return 'again' // somebody was faster: see how long they are believed to live
    const leg = (work.leg = new Leg(this.#around, { ...row, ...taken, rev }, config))
    if (this.#closing) leg.release()
    try {
      const { end, wakeAt } = await leg.go(given)
      if (wakeAt !== null) await this.#wakeAt(id, wakeAt)
      return await this.#reported(id, end)
    } catch (error) {
      await leg.giveBack(row)
      throw error
    } finally {
      work.leg = undefined
    }
  }

  async #reported(id: string, end: LegEnd): Promise<'waiting' | 'done' | 'again'> {
    if (end === 'released') await this.#wake(id)
    return end === 'done' || end === 'again' ? end : 'waiting'
  }

  async #given({ id, thread, config }: TurnRow): Promise<TurnRun> {
    checkEngine(this.#engine)
    const { data } = await this.#config({ id, config })
    const given: unknown = await this.#run({
      id,
      ...(thread === null ? {} : { thread }),
      ...(data === undefined ? {} : { data }),
    })
    if (typeof given !== 'object' || given === null) throw wrong('run()', given, '{ model, … }')
    for (const name of ['messages', 'id', 'checkpoint'] as const) {
      if ((given as { [name: string]: unknown })[name] !== undefined)
        throw new SluiceError({ code: 'option', path: `run().${name}`, detail: 'a durable turn has its own' })
    }
    return given as TurnRun
  }

  // -- reading a row --------------------------------------------------------------------------------------------------

  async #load(id: string): Promise<TurnRow> {
    anId(id, 'id')
    const row = await this.#store.load(id)
    if (!row) throw new SluiceError({ code: 'not_found', path: id, detail: 'there is no such turn' })
    return row
  }

  async #read({ id }: Pick<TurnRow, 'id'>, what: string, kept: string): Promise<unknown> {
    return await this.#texts.parse(id, what, kept)
  }

  async #config(row: Pick<TurnRow, 'id' | 'config'>): Promise<Config> {
    return (await this.#read(row, 'config', row.config)) as Config
  }

  /** Those that can still be decided. */
  async #questionsOf(row: Pick<TurnRow, 'id' | 'questions'>): Promise<TurnQuestion[]> {
    if (row.questions === null) return []
    const questions = (await this.#read(row, 'questions', row.questions)) as TurnQuestion[]
    return questions.filter(({ expiresAt = Infinity }) => expiresAt > Date.now())
  }

  async #message(row: TurnRow): Promise<TurnStatus['message']> {
    if (row.state === null) return nothing()
    const { decisions = [] } = await this.#config(row)
    const isCarriedOn = row.phase === 'running' && (row.wakeAt ?? 0) > Date.now()
    return namedIn(
      await this.#restored(row, row.state, (turn) => (isCarriedOn ? withRunning(turn) : turn.message)),
      decisions,
    )
  }

  /**
   * Throws where edited arguments do not fit the question as this process asks it. Where the worker has other tools, it
   * sees what fits them.
   */
  async #checkArguments(row: TurnRow, { call, stage, digest, decision, arguments: args }: TurnDecision): Promise<void> {
    if (decision !== 'approve' || stage !== 'execution' || args === undefined || row.state === null) return
    await this.#restored(row, row.state, (turn) => {
      turn.tick()
      const asked = [...turn.events()].some(
        (event) => event.type === 'approval' && event.call === call && event.digest === digest,
      )
      if (asked) turn.approve({ call, digest }, { arguments: args })
    })
  }

  async #restored<T>(row: TurnRow, kept: string, look: (turn: Turn) => T): Promise<T> {
    const state = await this.#texts.read(row.id, 'state', kept)
    const { external = [] } = await this.#config(row)
    let turn: Turn
    try {
      turn = Turn.restore(this.#engines.with(external), state)
    } catch (cause) {
      throw unreadable(row.id, 'state', cause)
    }
    try {
      return look(turn)
    } finally {
      turn.close()
    }
  }

  /** This very call runs outside. Readers hear of it when it is saved, so it is in the state. */
  #waitsFor({ blocks }: TurnStatus['message'], call: number, digest: string): boolean {
    const card = findCard(blocks, call)
    return card?.status === 'executing' && card.digest === digest && !this.#runs(card.name)
  }

  #runs(name: string | undefined): boolean {
    return this.#engine.tools.find((tool) => tool.name === name)?.run !== undefined
  }
}

/**
 * A restored turn takes every call that ran for cut off, and ends what its tool asked for: here a worker lives, and they
 * go on.
 */
function withRunning(turn: Turn): AssistantMessage {
  const cut = new Map<number, CardEvent>()
  for (const event of turn.events())
    if (
      event.type === 'card' &&
      (wasCut(event) || (event.reason === 'caller_ended' && cut.has(event.parent?.call ?? 0)))
    )
      cut.set(event.call, event)
  const { message } = turn
  return {
    ...message,
    blocks: mapCards(message.blocks, (card) => (cut.has(card.call) ? goingOn(card) : card)),
  }
}

const wasCut = ({ status, reason }: CardEvent): boolean => status === 'unknown' && reason === 'turn_ended'

/** What a call that was cut off does. */
const doingOf = ({ status, digest, approvals }: ToolUseBlock): CardStatus => {
  if (status === 'unknown') return 'executing'
  if (status === 'result_rejected') return 'awaiting_result_approval'
  return digest !== undefined && !approvals ? 'awaiting_approval' : 'pending'
}

const goingOn = (card: ToolUseBlock): ToolUseBlock => {
  const { reason: _, modelOutput: __, error: ___, endedAt: ____, durationMs: _____, ...block } = card
  return { ...block, status: doingOf(card) }
}

// -- what an engine must be like --------------------------------------------------------------------------------------

/** Nobody but the layer reads the events of a leg, so each call needs somebody who runs it. */
function checkEngine(engine: Engine): void {
  if (engine.checkpoint)
    throw new SluiceError({ code: 'option', path: 'engine.checkpoint', detail: 'a durable turn has its own' })
  checkRunnable(engine.tools)
}
