// The legs of all conversations of a handler: one at a time in each, saved before its last chunk is told.
import { randomUUID } from 'node:crypto'
import type { Engine } from '../../engine/core/engine.js'
import { messageOf, SluiceError } from '../../engine/core/errors.js'
import type { ApprovalEvent, AssistantMessage, ChatMessage, SluiceEvent } from '../../engine/core/events.js'
import { oneOf, withMethods, wrong, type Check } from '../../engine/core/options.js'
import {
  hooks,
  type ResumeOptions,
  type RunHooks,
  type RunOptions,
  type RunResult,
} from '../../engine/core/run-options.js'
import type { Run } from '../../engine/core/run.js'
import { warn } from '../../engine/core/warning.js'
import { withoutPictures } from '../../app/conversations/blobs.js'
import { messagesForModel } from '../../app/conversations/for-model.js'
import type { ConversationEntry } from '../../app/conversations/conversation-types.js'
import { cutOff } from '../../engine/core/cut-off.js'
import { savedFirst, savedInTime } from '../../engine/core/not-saved.js'
import type { Answers } from './leg-answers.js'
import { eventStream, opened } from './event-stream.js'
import { Leg } from './leg.js'
import { Refusal } from './leg-refusal.js'
import { requestChecks, Requests, type Protocol, type RequestOptions } from './leg-requests.js'
import { logWith } from './encrypted-log.js'
import { memoryLog, type StreamLog } from './stream-log.js'
import { eventsUntilQuiet } from './until-quiet.js'

/** What `run` gives: the model, settings and hooks of a turn. */
export type ChatRun<C = unknown> = Omit<RunOptions<C>, 'messages' | 'id' | 'signal' | 'onEvent'> & {
  /** The system message. It is not stored, and no client sees it. Default none. */
  system?: string
}

/** What every handler of an engine takes. */
export interface LegOptions extends RequestOptions {
  /**
   * What becomes of an answer when its last reader goes away. Default `cancel`; `continue`: it is there when the page
   * comes back.
   */
  onDisconnect?: 'cancel' | 'continue'
  /**
   * What answers tell while they are written, for pages that come back. Default `memoryLog()`; from one that processes
   * share, any of them tells it.
   */
  log?: StreamLog
}

export const legChecks: { [member in keyof Required<LegOptions>]: Check } = {
  ...requestChecks,
  onDisconnect: oneOf('cancel', 'continue'),
  log: withMethods('a log such as memoryLog()', 'append', 'end', 'read'),
}

/** An answer in the store, or the one to come. */
export type Answer = Pick<ConversationEntry, 'id' | 'parent' | 'at'>
export type WaitingAnswer = ConversationEntry & { state: string }

/** What the app's `run` gave. */
export function checkedRun(given: unknown): ChatRun {
  if (typeof given !== 'object' || given === null) throw wrong('run()', given, '{ model, … }')
  return given as ChatRun
}

/** Options of a run behind these messages. */
const withSystem = (
  { system, ...options }: ChatRun,
  messages: readonly ChatMessage[],
): Omit<ChatRun, 'system'> & Pick<RunOptions, 'messages'> => ({
  ...options,
  messages: [...(system === undefined ? [] : [{ role: 'system' as const, content: system }]), ...messages],
})

const answerTo = (parent: string | null): Answer => ({ id: `msg-${randomUUID()}`, parent, at: Date.now() })

/** How far an answer is. */
const stepsOf = ({ message: { rounds, blocks } }: Kept): string =>
  JSON.stringify([
    rounds,
    blocks.map((block) => (block.type === 'tool_use' ? [block.call, block.status, block.key] : block.type)),
  ])

/** Why an answer ends when a person writes. */
export const NEW_MESSAGE = 'a new message came'

/** What of the end of a leg is told. */
export type LegEnd = Pick<RunResult, 'outcome' | 'message' | 'usage' | 'error' | 'reason'>

/** Writes a run as a protocol's chunks. */
export interface Writer<Chunk> {
  /** The first chunk of every leg. */
  readonly start: Chunk
  /** What was told of a message before: for a client that has nothing of it. Those of later events continue it. */
  retell(message: Pick<AssistantMessage, 'blocks'>): Chunk[]
  take(event: SluiceEvent): Chunk[]
  /**
   * The client has what was written so far from another stream: ends open texts and steps without a word, so that what
   * follows begins its own.
   */
  pause(): void
  /** The name of a question, as the client knows it. */
  questionName(event: ApprovalEvent): string
  /** A question that the client had, and has answered. */
  answered(event: ApprovalEvent): void
  /** A decision that could not be carried out: it is asked again. */
  refused(detail: string): Chunk[]
  /** The last chunks of a leg: it waits for people (`suspended`), or the turn is over. */
  end(result: LegEnd): Chunk[]
  /** The last chunk of a leg that could not be kept. */
  lost(detail: string, code?: string): Chunk
}

/** What there is of an answer when a leg is over, or while it goes on. */
export interface Kept {
  message: AssistantMessage
  /** What the turn added for the model; of one that waits, so far. */
  history: ChatMessage[]
  /** It waits, and goes on from here. */
  state?: string
}

/** Where an answer is kept if not in the store: what the client is told, so that it keeps it. */
export interface Keeper<Chunk> {
  save(kept: Kept): Promise<Chunk[]>
  /** A question as the client gets it. */
  ask?(event: ApprovalEvent): ApprovalEvent
  /** Of an answer that may break off behind these messages. */
  soFar?(history: ChatMessage[]): Promise<Chunk[]>
}

export class Legs<Chunk> extends Requests {
  readonly #engine: Engine
  readonly #options: LegOptions
  readonly #running = new Map<string, Leg<Chunk>>()
  readonly #log: StreamLog
  /**
   * The last save of each conversation, while it goes on. Saves go in order: a slow one must not overwrite a later one.
   */
  readonly #saves = new Map<string, Promise<unknown>>()
  /** Of the last leg of all. */
  #logNumber = 0

  constructor(engine: Engine, options: LegOptions, protocol: Protocol) {
    super(options, protocol)
    this.#engine = engine
    this.#log = options.log ? logWith(options.log, undefined) : memoryLog()
    this.#options = options
  }

  /** The leg that runs. */
  get(id: string): Leg<Chunk> | undefined {
    return this.#running.get(id)
  }

  async response(leg: Leg<Chunk>, { signal }: Request): Promise<Response> {
    const response = await leg.response(false, signal)
    if (response === null) throw new Refusal(409, 'this answer is over')
    return response
  }

  /**
   * The answer that is being written, from its beginning, here or in a process that shares the log. Null where none is.
   */
  async replay(id: string, { signal }: Request): Promise<Response | null> {
    const leg = this.#running.get(id)
    if (leg) return await leg.response(true, signal)
    const open = await opened(this.#log.read(id))
    return (
      open && eventStream(open, { framing: this.protocol.framing, keepAliveMs: this.keepAliveMs, signals: [signal] })
    )
  }

  // -- a new answer ---------------------------------------------------------------------------------------------------

  /** Begins an answer at the end of a branch, with what the app says to its messages. */
  async begin(
    id: string,
    branch: readonly ConversationEntry[],
    given: (messages: ChatMessage[]) => Promise<ChatRun>,
    run = (options: RunOptions): Run => this.#engine.run(options),
  ): Promise<{ run: Run; answer: Answer }> {
    const messages = await messagesForModel(branch, { bytes: (ref) => this.#options.store.bytes(id, ref) })
    const { checkpoint, ...options } = await given(messages)
    const parent = branch.at(-1)?.id ?? null
    const answer = answerTo(parent)
    return this.start(messages, parent, { ...options, checkpoint: this.#keptFrom(id, answer, checkpoint) }, run, answer)
  }

  /** The same, behind messages that are no branch of the store. */
  start(
    messages: ChatMessage[],
    parent: string | null,
    given: ChatRun,
    run = (options: RunOptions): Run => this.#engine.run(options),
    answer = answerTo(parent),
  ): { run: Run; answer: Answer } {
    return { run: run({ ...withSystem(given, messages), id: answer.id }), answer }
  }

  // -- an answer that waits -------------------------------------------------------------------------------------------

  /** The answer at the end of the conversation, if it waits. */
  async waiting(id: string): Promise<WaitingAnswer | undefined> {
    const kept = await this.#options.store.load(id)
    const head = kept?.entries.find((entry) => entry.id === kept.head)
    return head?.state === undefined ? undefined : (head as WaitingAnswer)
  }

  /** Goes on with an answer that waits. Of `given` what a saved turn takes. */
  resume({ state }: Pick<WaitingAnswer, 'state'>, given: ChatRun, engine = this.#engine): Run {
    const taken = Object.entries(given).filter(
      ([name]) => name in hooks || ['model', 'context', 'rules'].includes(name),
    )
    return engine.resume(state, Object.fromEntries(taken) as unknown as ResumeOptions)
  }

  /** The same for an answer of the store, which saves each call before it begins. */
  goOn(id: string, waiting: WaitingAnswer, { checkpoint, ...given }: ChatRun, engine = this.#engine): Run {
    return this.resume(
      waiting,
      { ...given, checkpoint: this.#keptFrom(id, waiting, checkpoint, this.#cutOff(waiting.state)) },
      engine,
    )
  }

  /**
   * Ends what is written.
   * @returns whether there was something: a leg that is being saved is waited for, and what it leaves may wait.
   */
  async stopRunning(id: string, reason: string): Promise<boolean> {
    const leg = this.#running.get(id)
    if (!leg) return false
    const { isEnding } = leg
    if (!isEnding) await leg.run.cancel(reason)
    await leg.over
    return !isEnding
  }

  /** Ends an answer that waits: nothing more of it happens. */
  async close(id: string, waiting: WaitingAnswer, run: Run, reason: string): Promise<void> {
    await run.cancel(reason)
    const { message, history } = await run.done
    await this.#save(id, waiting, { message, history })
  }

  // -- a leg ----------------------------------------------------------------------------------------------------------

  /**
   * Runs a leg. `answers`: what the client says about the questions of the legs before. Without a `keeper` the store
   * keeps the answer.
   */
  lead(
    id: string,
    run: Run,
    answer: Answer,
    writer: Writer<Chunk>,
    answers?: Answers,
    keeper?: Keeper<Chunk>,
  ): Leg<Chunk> {
    this.#logNumber = Math.max(this.#logNumber + 1, Date.now())
    const leg = new Leg<Chunk>({
      id,
      logNumber: this.#logNumberOf(id, this.#logNumber),
      log: this.#log,
      messageId: answer.id,
      run,
      framing: this.protocol.framing,
      keepAliveMs: this.keepAliveMs,
      start: writer.start,
      before: run.before ? writer.retell(run.before) : [],
      onAbandoned: () => {
        if (this.#options.onDisconnect !== 'continue') void run.cancel('the client went away')
      },
    })
    this.#running.set(id, leg)
    void this.#write(leg, writer, answers, keeper ?? { save: (kept) => this.#save(id, answer, kept) })
      .catch((error: unknown): Chunk[] => {
        warn(`${this.protocol.name}: the answer was lost: ${messageOf(error)}`)
        void run.cancel('the answer cannot be kept')
        return [writer.lost('the server could not keep the answer')]
      })
      .then((chunks) => {
        this.#running.delete(id)
        leg.append(...chunks)
        return leg.end()
      })
    return leg
  }

  /** Clocks of processes differ: a log that is shared knows better. */
  async #logNumberOf(id: string, least: number): Promise<number> {
    return (await this.#log.begin?.(id, least)) ?? least
  }

  /** Saves the answer before its last chunks are told: the next request may come at once. @returns the last chunks. */
  async #write(
    leg: Leg<Chunk>,
    writer: Writer<Chunk>,
    answers: Answers | undefined,
    keeper: Keeper<Chunk>,
  ): Promise<Chunk[]> {
    const { run } = leg
    const note = async (): Promise<void> => {
      const kept = run.kept(false)
      if (kept && keeper.soFar) leg.append(...(await keeper.soFar(kept.history)))
    }
    const noted = note() // read the run meanwhile: a question that nobody reads is denied
    noted.catch(() => {})
    for await (const reported of eventsUntilQuiet(run)) {
      await noted
      const event = reported.type === 'approval' && keeper.ask ? keeper.ask(reported) : reported
      if (event.type === 'request' && event.round > 1) await note()
      const answered = answers?.take(event) ?? false
      if (answered === true) {
        if (event.type === 'approval') writer.answered(event)
        else leg.append(...writer.take(event)) // the client has the call, and brought its result
        continue
      }
      if (typeof answered === 'string') leg.append(...writer.refused(answered))
      leg.append(...writer.take(event))
      if (event.type === 'approval') leg.questions.set(writer.questionName(event), event)
      else if (event.type === 'card' && event.status && !event.status.startsWith('awaiting'))
        for (const [name, { call }] of leg.questions) if (call === event.call) leg.questions.delete(name)
      if (event.type === 'final' && !run.checksFinal) run.conclude('accept') // no client can say no
    }
    await noted
    leg.isEnding = true
    const history = run.kept(false)?.history ?? []
    const state = await run.suspend()
    const result = await run.done
    if (state === null && result.outcome === 'suspended')
      throw new SluiceError({ code: 'failed', detail: result.error?.detail ?? 'a checkpoint failed' })
    // an answer that is over in the store lets the next leg begin, and that one must come later in the log
    await leg.begun()
    const saved = await keeper.save({
      message: result.message,
      ...(state === null ? { history: result.history } : { history, state }),
    })
    return [...saved, ...writer.end(result)]
  }

  async #save(id: string, { id: own, parent, at }: Answer, { message, history, state }: Kept): Promise<Chunk[]> {
    const { entry, blobs } = withoutPictures({
      id: own,
      parent,
      at,
      role: 'assistant',
      message,
      ...(state === undefined ? { history } : { state }),
    })
    const saving = (this.#saves.get(id) ?? Promise.resolve())
      .catch(() => {})
      .then(() => this.#options.store.save(id, { entries: [entry], blobs }))
    this.#saves.set(id, saving)
    try {
      await saving
    } finally {
      if (this.#saves.get(id) === saving) this.#saves.delete(id)
    }
    return []
  }

  #cutOff(state: string): Kept {
    return cutOff(this.#engine, state, 'the server ended before the answer did')
  }

  /**
   * Saves an answer before its request goes out, and each call before it begins. The store has the answer as one that
   * was cut off: if the process ends now, it was.
   */
  #keptFrom(
    id: string,
    answer: Answer,
    own: RunHooks['checkpoint'] = this.#engine.checkpoint,
    stored?: Kept,
  ): NonNullable<RunHooks['checkpoint']> {
    let known = stored && stepsOf(stored)
    const save = async (state: string): Promise<void> => {
      const kept = this.#cutOff(state)
      const steps = stepsOf(kept)
      if (steps === known) return // one that waits in the store stays so: nothing of it has begun
      known = undefined
      await this.#save(id, answer, kept)
      known = steps
    }
    return savedFirst(
      (state) =>
        savedInTime(
          () => save(state),
          (why) => warn(`${this.protocol.name}: the answer so far could not be saved: ${why}`),
        ),
      own,
    )
  }
}
