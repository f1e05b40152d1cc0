// A conversation that the page keeps, sealed: of every answer its messages for the model, or the state in which it
// waits. What people wrote stands beside it in the open; each seal holds a hash of everything before it, so that
// nothing can be changed, left out or put in between.
import { createHash, randomUUID } from 'node:crypto'
import { messageOf, SluiceError } from '../../engine/core/errors.js'
import type { ChatMessage } from '../../engine/core/events.js'
import { func, members, shown, whole } from '../../engine/core/options.js'
import type { Run } from '../../engine/core/run.js'
import { isReadOnly, type Tool } from '../../engine/core/tool.js'
import { warn } from '../../engine/core/warning.js'
import { messagesForModel } from '../../app/conversations/for-model.js'
import type { ConversationEntry, SavedMessage } from '../../app/conversations/conversation-types.js'
import type { Answered } from '../leg/leg-answers.js'
import type { Answer, ChatRun, Keeper } from '../leg/legs.js'
import { staleNames } from '../leg/names.js'
import { answersNothing, Refusal, staleResult } from '../leg/leg-refusal.js'
import type { Written } from '../leg/leg-requests.js'
import { PageStore, type Keeping, type Running, type Waiting } from './keeping.js'
import { messagesIn, metadataOf, writtenIn, type PageMessage } from './page-messages.js'
import { nameOf, OpenAnswers, type Open } from './open-answers.js'
import type { Again, Posted } from './posted-chat.js'
import { checkSecret, Seal, type Secret } from './seal.js'
import type { Spend } from './spend.js'
import type { UIMessageChunk } from './ai-sdk-types.js'

/** What `sealed` takes beside the secret. */
export interface SealedOptions {
  /**
   * Notes each approval that was used. A page that sends an old request again then gets 409, and the call does not run
   * twice. `memorySpend()` serves one process; several processes need a list of yours. Without `spend`, every tool of
   * the engine must be read-only (`annotations.readOnlyHint`) or `idempotent`.
   */
  spend?: Spend
  /**
   * Milliseconds in which a question, or a call of the page, can be answered, unless the run has an `approvalTimeoutMs`
   * of its own. Default 86,400,000: a day.
   */
  approvalTimeoutMs?: number
}

const checkOptions = members({
  members: { spend: func('(key, expiresAt) => true | false'), approvalTimeoutMs: whole(1) } satisfies {
    [member in keyof Required<SealedOptions>]: unknown
  },
})

/**
 * A `store` of `chatHandler` for servers that keep nothing: each answer, with the state in which it waits, is sealed
 * (AES-256-GCM) into the metadata of its message, and comes back with the next request. The page can neither read nor
 * change it, nor mix it with another conversation. It can send an old request again: `spend` refuses that, and without
 * it a tool must do nothing a second time for the same `context.key`.
 * @param secret at least 32 characters or bytes; of a list the first one seals, and all of them open.
 * @throws SluiceError `option` where the secret is too short, or an option is wrong.
 */
export function sealed(secret: Secret, options: SealedOptions = {}): PageStore {
  checkSecret(secret, 'secret')
  checkOptions(options, 'options')
  return new SealedStore(new Seal(secret), options)
}

class SealedStore extends PageStore {
  readonly #seal: Seal
  readonly #options: SealedOptions

  constructor(seal: Seal, options: SealedOptions) {
    super()
    this.#seal = seal
    this.#options = options
  }

  /** @internal */
  checkTools(tools: readonly Tool[]): void {
    const risky = this.#options.spend
      ? undefined
      : tools.find((tool) => !isReadOnly(tool) && tool.declaration['idempotent'] !== true)
    if (!risky) return
    throw new SluiceError({
      code: 'option',
      path: 'options.store',
      detail: `found sealed() without \`spend\` and the tool ${risky.name}, expected sealed(secret, { spend }), or tools with \`idempotent: true\` or \`annotations.readOnlyHint: true\` alone`,
      hint: 'give `spend: memorySpend()` where one process answers all requests, else a list that the processes share',
    })
  }

  /** @internal */
  open(posted: Posted, running: Running): Keeping {
    this.checkTools(running.engine.tools) // one may have been added
    return new SealedChat(this.#seal, this.#options, posted, running)
  }
}

/** What is sealed of an answer. */
interface Sealed {
  /** Hash of the messages before it. */
  before: string
  history?: ChatMessage[]
  /** Its errors, by which later requests know what the model refused. */
  message?: SavedMessage
  waits?: Waits
  /** The answer before it waited, and was closed with this. */
  closed?: ChatMessage[]
}

/** An answer that waits. */
interface Waits {
  state: string
  /**
   * Names this state. A run goes on from it once: else two requests with different decisions could both run a call that
   * a rule of the turn allows.
   */
  id: string
  expiresAt: number
  open: Open[]
  /** See `Run.approvals`. */
  approvals: [call: number, approval: string][]
}

class SealedChat implements Keeping {
  readonly #seal: Seal
  readonly #options: SealedOptions
  readonly #id: string
  readonly #running: Running
  readonly #path: ConversationEntry[] = []
  /** Hash of all messages. */
  #hash = ''
  /** The last answer that is there. */
  #last: { id: string; sealed: Sealed | undefined } | undefined
  /** Hash of what stands before the answer that is written. */
  #before = ''
  /** What closed the answer before it. */
  #closed: ChatMessage[] | undefined

  constructor(seal: Seal, options: SealedOptions, { id, messages }: Posted, running: Running) {
    this.#seal = seal
    this.#options = options
    this.#id = id
    this.#running = running
    for (const message of messagesIn(messages)) this.#read(message)
  }

  #read(message: PageMessage): void {
    const { id, role } = message
    const place = { id, parent: this.#path.at(-1)?.id ?? null, at: 0 }
    if (role === 'user') {
      const written = writtenIn(message)
      if (!written) return
      this.#path.push({
        ...place,
        role,
        text: written.text,
        ...(written.parts.length > 0 ? { parts: written.parts } : {}),
      })
      this.#hash = hashOf(this.#hash, JSON.stringify(written))
    } else if (role === 'assistant') {
      const sealed = this.#opened(message)
      this.#before = this.#hash
      this.#last = { id, sealed }
      if (sealed?.closed) this.#close(sealed.closed)
      this.#path.push({
        ...place,
        role,
        ...(sealed?.history ? { history: sealed.history } : {}),
        ...(sealed?.message ? { message: sealed.message } : {}),
      })
      this.#hash = hashOf(this.#hash, id)
    }
  }

  /** Undefined for an answer that broke off before it was sealed: the model does not read it. */
  #opened(message: PageMessage): Sealed | undefined {
    const given = metadataOf(message)['sealed']
    if (given === undefined) return undefined
    const text = typeof given === 'string' ? this.#seal.open([this.#id, message.id], given) : undefined
    if (text === undefined)
      throw new Refusal(403, `the message ${message.id} was not written here for this conversation`)
    const sealed = JSON.parse(text) as Sealed
    if (sealed.before !== this.#hash)
      throw new Refusal(409, `the messages before ${message.id} are not those that it answered`)
    return sealed
  }

  async refuseRepeated({ id }: Written): Promise<void> {
    if (this.#path.findIndex((entry) => entry.id === id) < this.#path.length - 1)
      throw new Refusal(409, 'two messages have the same id')
  }

  async begin(
    written: Written,
    _: Again,
    given: (messages: ChatMessage[]) => Promise<ChatRun>,
  ): Promise<{ run: Run; answer: Answer }> {
    this.#before = this.#hash
    const messages = await messagesForModel(this.#path)
    return this.#running.legs.start(messages, written.id, await given(messages))
  }

  async waiting(): Promise<Waiting | undefined> {
    const { id = '', sealed: { waits } = {} } = this.#last ?? {}
    return (
      waits && {
        id,
        parent: null,
        at: 0,
        accept: (answered) => this.#accept(answered, waits),
        resume: (given) => {
          const run = this.#running.legs.resume(waits, given)
          // no tool starts before this function returns
          for (const [call, approval] of waits.approvals) run.approvals.set(call, approval)
          return run
        },
      }
    )
  }

  async #accept({ message, decisions, outputs }: Answered, waits: Waits): Promise<Answered> {
    const { open } = waits
    if (
      staleNames(
        message,
        open.filter(({ stage }) => stage === 'output'),
        outputs.keys(),
      ).length > 0
    )
      throw staleResult()
    const answered = open.filter((one) => (one.stage === 'output' ? outputs : decisions).has(nameOf(message, one)))
    if (answered.length === 0) throw answersNothing()
    refuseExpired(answered)
    await this.#spend(message, waits, answered)
    refuseExpired(answered) // the list may forget a key after its time
    const names = new Set(answered.map((one) => nameOf(message, one)))
    const counting = <T>(given: Map<string, T>): Map<string, T> =>
      new Map([...given].filter(([name]) => names.has(name)))
    return { message, decisions: counting(decisions), outputs: counting(outputs) }
  }

  /** The key of the state comes first: a request that loses against another one spends nothing else. */
  async #spend(message: string, { id, expiresAt }: Waits, answered: readonly Open[]): Promise<void> {
    const { spend } = this.#options
    if (!spend) return
    await spendOnce(spend, this.#keyOf(message, { toolCallId: '', stage: 'state', digest: id }), expiresAt)
    for (const one of answered) {
      if (!one.spent) await spendOnce(spend, this.#keyOf(message, one), one.expiresAt)
      one.spent = true
    }
  }

  async close(_: Waiting, run: Run, reason: string): Promise<void> {
    await run.cancel(reason)
    this.#closed = (await run.done).history
    this.#close(this.#closed)
  }

  keeper({ id }: Answer, run: Run, callName: (call: number) => string): Keeper<UIMessageChunk> {
    const goesOn = this.#path.at(-1)?.id === id
    const closed = goesOn ? this.#last?.sealed?.closed : this.#closed
    const waits = new OpenAnswers(
      (goesOn && this.#last?.sealed?.waits?.open) || [],
      callName,
      this.#options.approvalTimeoutMs,
    )
    const kept = (what: Omit<Sealed, 'before' | 'closed'>): UIMessageChunk[] => {
      const text = JSON.stringify({ before: this.#before, ...what, ...(closed ? { closed } : {}) } satisfies Sealed)
      return [
        { type: 'message-metadata', messageMetadata: { sluice: { sealed: this.#seal.seal([this.#id, id], text) } } },
      ]
    }
    return {
      ask: (event) => {
        const question = waits.ask(event)
        if (event.stage === 'execution') run.approvals.set(event.call, this.#keyOf(id, question))
        return { ...event, expiresAt: question.expiresAt }
      },
      soFar: (history) => kept({ history }),
      save: ({ message, history, state }) => {
        if (state === undefined)
          return kept({
            history,
            message: { ...message, blocks: message.blocks.filter(({ type }) => type === 'error') },
          })
        const open = waits.in(message, run.tools)
        return kept({
          waits: {
            state,
            id: randomUUID(),
            expiresAt: Math.max(...open.map(({ expiresAt }) => expiresAt)),
            open,
            approvals: [...run.approvals],
          },
        })
      },
    }
  }

  /** The key of what counts once. All of it comes from the seal. */
  #keyOf(
    message: string,
    { toolCallId, stage, digest }: Pick<Open, 'toolCallId' | 'digest'> & { stage: Open['stage'] | 'state' },
  ): string {
    return createHash('sha256')
      .update(JSON.stringify([this.#id, message, toolCallId, stage, digest]))
      .digest('hex')
  }

  #close(history: ChatMessage[]): void {
    const last = this.#path.findLast(({ role }) => role === 'assistant')
    if (last) last.history = history
  }
}

const hashOf = (before: string, text: string): string =>
  createHash('sha256').update(before).update('\n').update(text).digest('base64url')

/** Throws Refusal where the key was spent before, or the list does not say. */
async function spendOnce(spend: Spend, key: string, expiresAt: number): Promise<void> {
  let isFirst: unknown
  try {
    isFirst = await spend(key, expiresAt)
    if (typeof isFirst !== 'boolean') throw new TypeError(`found ${shown(isFirst)}, expected true or false`)
  } catch (error) {
    warn(`sealed: spend failed, so the request was refused and nothing ran: ${messageOf(error)}`)
    throw new Refusal(503, 'the server cannot note that this is answered: nothing was done')
  }
  if (!isFirst) throw stale('this was answered before: nothing was done')
}

/** Throws Refusal. */
function refuseExpired(answered: readonly Open[]): void {
  if (answered.some(({ expiresAt }) => expiresAt <= Date.now()))
    throw stale('the time to answer is over: nothing was done')
}

const stale = (detail: string): Refusal => new Refusal(409, detail, { decided: false, reason: 'stale', detail })
