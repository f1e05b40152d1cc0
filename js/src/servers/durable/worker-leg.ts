// One leg of a turn: from what was saved, through what came since, until people are waited for or the turn is over.
// Every step outside is behind a save, and a save that finds another revision ends the leg: somebody else has the turn.
import { findCard } from '../../engine/core/cards.js'
import type { Engine } from '../../engine/core/engine.js'
import { SluiceError } from '../../engine/core/errors.js'
import { givenTwice } from '../../app/bridge/twice.js'
import type {
  ApprovalEvent,
  AssistantMessage,
  CardEvent,
  CardFields,
  ChatMessage,
  Json,
  SluiceEvent,
} from '../../engine/core/events.js'
import { hooks, type ResumeOptions, type RunOptions } from '../../engine/core/run-options.js'
import type { Run } from '../../engine/core/run.js'
import { CLIENT_RUNS_IT, withClientTools, type ClientTool } from '../leg/client-tools.js'
import type { StreamLog } from '../leg/stream-log.js'
import { LegLog } from './leg-log.js'
import { unreadable, type Texts } from './texts.js'
import type {
  TurnDecision,
  TurnDecisionRecord,
  TurnQuestion,
  TurnRow,
  TurnRowPatch,
  TurnEnd,
  TurnRun,
  TurnStore,
} from './durable-types.js'
import { namedIn, namedOf } from './who.js'

/** What `config` of a row holds. */
export interface Config {
  /** In front of the first save only: then the state has them. */
  messages?: ChatMessage[]
  data?: Json
  decisions?: TurnDecisionRecord[]
  /** Tools of this turn alone, which a client runs. */
  external?: readonly ClientTool[]
}

/** An entry of an inbox. */
export type Entry =
  | ({ type: 'decision'; at: number } & TurnDecision)
  | { type: 'result'; call: number; digest?: string; value?: unknown; error?: string }
  | { type: 'cancel'; reason?: string }

/** What a leg needs of the turns around it. */
export interface Surroundings {
  engine: Engine
  store: TurnStore
  texts: Texts
  log: StreamLog
  /** Readers of this turn can find something. */
  logged: (id: string) => void
  leaseMs: number
}

/**
 * How a leg ended. `again`: something came in its last moment. `lost`: another worker has the turn. `released`: it is
 * free for others.
 */
export type LegEnd = 'done' | 'waiting' | 'again' | 'lost' | 'released'

/** The inbox of a turn that runs is looked at so often, in milliseconds: for what came to another process. */
const LOOK_MS = 1000
/** Decisions that are kept for the record: more than a turn can have by its limits. */
const MOST_DECISIONS = 1000

export class Leg {
  readonly #around: Surroundings
  readonly #row: TurnRow
  readonly #config: Config
  readonly #log: LegLog
  #run: Run | undefined
  #rev: number
  /** When the lease ends, as it was saved last. */
  #until: number
  /** One save at a time. */
  #saving: Promise<unknown> = Promise.resolve()
  #looking: Promise<unknown> = Promise.resolve()
  /**
   * Such a save waits or is made. A store that is slower than they come would fall behind for ever, and each checkpoint
   * with it.
   */
  #beating = false
  /** Why it ended before its end: another worker has the turn, or the store failed. */
  #lost = false
  #failure: unknown
  #saved = false
  #releasing = false
  /** Its last save follows, or was: nothing else is saved, and nothing that comes is used. */
  #ending = false
  #over = false

  // -- of the turn
  readonly #questions = new Map<number, TurnQuestion>()
  /** What the model wrote of the calls that this worker read. */
  readonly #written = new Map<number, Pick<CardFields, 'askedName' | 'rawArguments'>>()
  /** The questions that were asked by the workers before. */
  readonly #before = new Map<string, TurnQuestion>()
  /** Entries that were used: the next save takes them out of the inbox. */
  readonly #used = new Set<string>()
  #configChanged = false

  /** @param row as it was saved when this worker took it */
  constructor(around: Surroundings, row: TurnRow, config: Config) {
    this.#around = around
    this.#row = row
    this.#config = config
    this.#rev = row.rev
    this.#until = row.wakeAt ?? 0
    this.#log = new LegLog(around.log, row.id, row.logNumber, () => around.logged(row.id))
  }

  async go(given: TurnRun): Promise<{ end: LegEnd; wakeAt: number | null }> {
    const run = (this.#run = await this.#begin(given))
    run.hosted = true
    const { external = [] } = this.#config
    run.refusesNested = (event) =>
      event.type === 'execute' && external.some(({ name }) => name === event.name) ? CLIENT_RUNS_IT : undefined
    if (this.#releasing) void run.suspend()
    this.#log.begin(namedIn(run.before ?? nothing(), this.#decisions))
    const heart = setInterval(() => void this.#beat(), this.#around.leaseMs / 3)
    const look = setInterval(() => this.poke(), Math.min(LOOK_MS, this.#around.leaseMs / 3))
    try {
      for (;;) {
        await this.#glance()
        const used = this.#used.size
        if ((await run.quiet) === 'done' || this.#isOver) break
        await this.#look(true)
        // while it looked, a deadline may have passed, or a poke have brought a decision
        if (this.#used.size === used && run.isQuiet) break
      }
      return await this.#end(run)
    } finally {
      clearInterval(heart)
      clearInterval(look)
      await run.suspend({ graceMs: 0 }) // it has ended, unless something threw
      await this.#log.end() // also of one that was lost: who reads here would wait for ever
    }
  }

  /** Somebody woke the turn: looks what came for it. */
  poke(): void {
    if (this.#run) void this.#glance()
  }

  /** Saves what there is, so that another worker can go on. */
  release(): void {
    this.#releasing = true
    void this.#run?.suspend()
  }

  /** It threw: others may try at once. What was saved on the way stays. */
  async giveBack(before: TurnRow): Promise<void> {
    if (this.#lost || this.#over) return
    const place = this.#saved
      ? { phase: 'running' as const, wakeAt: 0 }
      : { phase: before.phase, wakeAt: before.wakeAt }
    await this.#write(async () => place).catch(() => {}) // then its lease runs out
  }

  get #isOver(): boolean {
    return this.#lost || this.#failure !== undefined || this.#releasing
  }

  // -- its begin and its end ------------------------------------------------------------------------------------------

  async #begin(given: TurnRun): Promise<Run> {
    const { id, state, questions } = this.#row
    const { engine, texts } = this.#around
    const { external = [] } = this.#config
    for (const question of questions === null
      ? []
      : ((await texts.parse(id, 'questions', questions)) as TurnQuestion[]))
      this.#before.set(keyOf(question), question)
    const own = {
      checkpoint: async (now: string, why: string) => this.#checkpoint(now, why),
      onEvent: (reported: SluiceEvent) => {
        const event = namedOf(reported, this.#decisions)
        this.#hear(event)
        given.onEvent?.(event)
      },
    }
    if (state === null) {
      const { messages } = this.#config
      if (!messages)
        throw new SluiceError({ code: 'storage', path: id, detail: 'the turn has neither a state nor messages' })
      return withClientTools(engine, external, (both) => both.run({ ...given, ...own, id, messages } as RunOptions))
    }
    const taken = Object.entries(given).filter(
      ([name]) => name in hooks || ['model', 'context', 'rules', 'signal'].includes(name),
    )
    const saved = await texts.read(id, 'state', state)
    try {
      return withClientTools(engine, external, (both) =>
        both.resume(saved, { ...(Object.fromEntries(taken) as unknown as ResumeOptions), ...own }),
      )
    } catch (cause) {
      throw SluiceError.is(cause) && cause.code === 'json' ? unreadable(id, 'state', cause) : cause
    }
  }

  async #end(run: Run): Promise<{ end: LegEnd; wakeAt: number | null }> {
    const { deadline } = run
    this.#ending = true
    const state = await run.suspend()
    if (this.#failure !== undefined) throw this.#failure
    if (this.#lost) return { end: 'lost', wakeAt: null }
    const result = await run.done
    if (state === null && result.outcome === 'suspended')
      throw new SluiceError({ code: 'failed', detail: result.error?.detail ?? 'the run ended before its turn' })
    const wakeAt = state === null || deadline === Infinity ? null : deadline
    try {
      if (state !== null) {
        const released = this.#releasing
        await this.#save(state, released ? { phase: 'running', wakeAt: 0 } : { phase: 'waiting', wakeAt })
        await this.#log.end()
        if (released) return { end: 'released', wakeAt: null }
        const left = (await this.#around.store.inbox(this.#row.id)).some(({ key }) => !this.#used.has(key))
        return { end: left ? 'again' : 'waiting', wakeAt }
      }
      const { outcome, history, finishReason, usage, error, reason } = result
      const message = namedIn(result.message, this.#decisions)
      await this.#save(null, { phase: 'done', wakeAt: null }, {
        outcome,
        message,
        history,
        finishReason,
        usage,
        error,
        reason,
      } as TurnEnd)
      this.#over = true
      await this.#log.end()
      return { end: 'done', wakeAt: null }
    } catch (error) {
      if (this.#lost) return { end: 'lost', wakeAt: null }
      throw error
    }
  }

  // -- saving ---------------------------------------------------------------------------------------------------------

  async #checkpoint(state: string, why: string): Promise<void> {
    // A question that comes out again after a restore is in the store.
    if (why === 'question' && [...this.#questions.values()].every((question) => this.#log.knows(question))) return
    await this.#save(state, { phase: 'running', wakeAt: Date.now() + this.#around.leaseMs })
  }

  /** Saves the turn with what belongs to it at this moment. Throws where it was not saved. */
  async #save(state: string | null, place: Pick<TurnRowPatch, 'phase' | 'wakeAt'>, result?: TurnEnd): Promise<void> {
    const { id } = this.#row
    const { texts } = this.#around
    const questions = result ? [] : [...this.#questions.values()]
    const taken = [...this.#used]
    const { decisions } = this.#config
    const config = this.#configChanged || this.#config.messages ? { ...this.#config, messages: undefined } : undefined
    await this.#write(async () => ({
      ...place,
      taken,
      state: state === null ? null : await texts.write(id, 'state', state),
      questions: questions.length === 0 ? null : await texts.write(id, 'questions', JSON.stringify(questions)),
      ...(config ? { config: await texts.write(id, 'config', JSON.stringify(config)) } : {}),
      ...(result ? { result: await texts.write(id, 'result', JSON.stringify(result)) } : {}),
    }))
    this.#saved = true
    // one may have come meanwhile
    if (config) [this.#config.messages, this.#configChanged] = [undefined, this.#config.decisions !== decisions]
    this.#log.saved(questions, result !== undefined)
  }

  async #write(make: () => Promise<Omit<TurnRowPatch, 'updated'>>): Promise<void> {
    const written = this.#saving.then(async () => {
      if (this.#lost) throw lostError()
      const patch = { ...(await make()), updated: Date.now() }
      const rev = await this.#around.store.save(this.#row.id, this.#rev, patch)
      if (rev === null) {
        this.#lose()
        throw lostError()
      }
      this.#rev = rev
      if (patch.phase === 'running' && typeof patch.wakeAt === 'number') this.#until = patch.wakeAt
    })
    this.#saving = written.catch(() => {})
    try {
      await written
    } catch (error) {
      if (!this.#lost) this.#failure ??= error
      throw error
    }
  }

  /** Says that this worker lives, before another one takes the turn for left. */
  async #beat(): Promise<void> {
    if (this.#isOver || this.#ending || this.#beating) return
    this.#beating = true
    try {
      await this.#write(async () => ({ phase: 'running', wakeAt: Date.now() + this.#around.leaseMs }))
    } catch (error) {
      // A store that fails for a moment ends nothing while the lease lasts.
      if (!this.#lost && Date.now() < this.#until) this.#failure = undefined
      else this.#fail(error)
    } finally {
      this.#beating = false
    }
  }

  #lose(): void {
    this.#lost = true
    this.#log.lose()
    void this.#run?.suspend({ graceMs: 0 })
  }

  #fail(error: unknown): void {
    if (this.#lost) return
    this.#failure ??= error
    this.#log.lose()
    void this.#run?.suspend({ graceMs: 0 })
  }

  // -- what the turn says ---------------------------------------------------------------------------------------------

  #hear(event: SluiceEvent): void {
    if (event.type === 'approval') this.#ask(event)
    else if (event.type === 'card') this.#note(event)
    this.#log.tell(event)
  }

  #note({ call, status, askedName, rawArguments }: CardEvent): void {
    if (askedName !== undefined || rawArguments !== undefined)
      this.#written.set(call, {
        ...this.#written.get(call),
        ...(askedName === undefined ? {} : { askedName }),
        ...(rawArguments === undefined ? {} : { rawArguments }),
      })
    if (!status || status.startsWith('awaiting')) return
    this.#questions.delete(call)
    if (status !== 'streaming' && status !== 'pending') this.#written.delete(call)
  }

  #ask({ type: _, seq: __, ...asked }: ApprovalEvent): void {
    const { id, thread } = this.#row
    const known = this.#before.get(keyOf(asked))
    const written = this.#written.get(asked.call) ?? findCard(this.#run?.before?.blocks ?? [], asked.call)
    const twice = givenTwice(written?.rawArguments ?? '')
    const question: TurnQuestion = {
      ...asked,
      turn: id,
      ...(thread === null ? {} : { thread }),
      askedAt: known?.askedAt ?? Date.now(),
      ...(written?.askedName === undefined ? {} : { askedName: written.askedName }),
      ...(twice.length > 0 ? { twice } : {}),
    }
    this.#questions.set(asked.call, question)
    if (known) this.#log.saved([question], false)
  }

  // -- what came for it -----------------------------------------------------------------------------------------------

  /** Uses what came. `quiet`: what fits nothing while nothing happens by itself never will. */
  #look(quiet: boolean): Promise<void> {
    const looked = this.#looking.then(() => this.#use(quiet))
    this.#looking = looked.catch(() => {})
    return looked
  }

  /**
   * Looks beside what runs. A store that fails for a moment ends nothing while the lease lasts: there is another look
   * in a second.
   */
  async #glance(): Promise<void> {
    try {
      await this.#look(false)
    } catch (error) {
      if (Date.now() >= this.#until) this.#fail(error)
    }
  }

  async #use(quiet: boolean): Promise<void> {
    const { store, texts } = this.#around
    if (this.#isOver || this.#ending) return
    for (const { key, entry } of await store.inbox(this.#row.id)) {
      if (this.#used.has(key)) continue
      const given = (await texts.parse(this.#row.id, `entry ${key}`, entry)) as Entry
      if (this.#isOver || this.#ending) return
      if (this.#apply(given, quiet && (this.#run as Run).isQuiet)) this.#used.add(key)
    }
  }

  /** Returns false where it does not fit now, and may later. */
  #apply(entry: Entry, quiet: boolean): boolean {
    const run = this.#run as Run
    if (entry.type === 'cancel') {
      void run.cancel(entry.reason, { graceMs: 0 })
      return true
    }
    if (entry.type === 'result') return this.#applyResult(run, entry) || quiet
    const question = this.#questions.get(entry.call)
    if (question === undefined || keyOf(question) !== keyOf(entry)) return quiet // stale, or not asked again yet
    this.#record(run, entry)
    return true
  }

  /**
   * Returns true where the decision was applied: not where a rule of today, or the tool, refuses what it says. Then the
   * call is refused, and the model is told.
   */
  #decide(
    run: Run,
    { call, stage, digest, decision, arguments: args, remember, exact, reason }: TurnDecision,
  ): boolean {
    const question = { call, digest }
    if (decision === 'deny') return run.deny(question, reason)
    if (stage === 'result') return run.release(question)
    let fault = run.forbids(call) ? 'it was forbidden meanwhile' : undefined
    try {
      if (
        fault === undefined &&
        run.approve(question, {
          ...(remember ? { remember } : {}),
          ...(exact ? { exact } : {}),
          ...(args ? { arguments: args } : {}),
        })
      )
        return true
    } catch (error) {
      if (!SluiceError.is(error)) throw error
      fault = error.message
    }
    // Its entry is used, so nobody could decide it any more.
    if (this.#questions.has(call))
      run.refuse(question, fault ?? 'a rule forbids the arguments that were put in the place of its own')
    return false
  }

  /** Decides. What is told of it names who did. */
  #record(run: Run, entry: TurnDecision & { at: number }): void {
    const before = this.#decisions
    const { call, stage, digest, decision, by, at } = entry
    if (before.length < MOST_DECISIONS)
      this.#config.decisions = [...before, { call, stage, digest, decision, ...(by === undefined ? {} : { by }), at }]
    if (this.#decide(run, entry)) this.#configChanged = true
    else this.#config.decisions = before
  }

  get #decisions(): TurnDecisionRecord[] {
    return this.#config.decisions ?? []
  }

  #applyResult(run: Run, { call, digest, value, error }: Entry & { type: 'result' }): boolean {
    const card = findCard(run.snapshot.blocks, call)
    if (card?.status !== 'executing') return false
    if (digest !== undefined && card.digest !== digest) return false // an entry of a version without digests has none
    if (run.tools.find(({ name }) => name === card.name)?.run) return false // it runs here
    try {
      if (error === undefined) run.succeed(call, value)
      else run.fail(call, error)
      return true
    } catch (thrown) {
      if (SluiceError.is(thrown)) return false
      throw thrown
    }
  }
}

const lostError = (): Error => new Error('another worker has the turn')

/** By which a question is known, and a decision about it. */
export const keyOf = ({ call, stage, digest }: Pick<TurnDecision, 'call' | 'stage' | 'digest'>): string =>
  `${call}:${stage}:${digest}`

/** What is left of a message where nothing was saved. */
export const nothing = (): AssistantMessage => ({ role: 'assistant', rounds: 0, blocks: [] })
