// A conversation that the page keeps. Each answer has an encrypted text: its messages for the model, or the state in
// which it waits. The words of people are beside it in plain text. Each encrypted text holds a hash of everything before
// it, so that nothing can be changed, left out or put in between.
import { createHash, randomUUID } from 'node:crypto'
import type { TextCipher } from '../../engine/core/encryption.js'
import { messageOf } from '../../engine/core/errors.js'
import type { ChatMessage } from '../../engine/core/events.js'
import { shown } from '../../engine/core/options.js'
import type { Run } from '../../engine/core/run.js'
import { warn } from '../../engine/core/warning.js'
import { messagesForModel } from '../../app/conversations/for-model.js'
import type { ConversationEntry, SavedMessage } from '../../app/conversations/conversation-types.js'
import type { Answered } from '../leg/leg-answers.js'
import type { Answer, ChatRun, Keeper } from '../leg/legs.js'
import { staleNames } from '../leg/names.js'
import { answersNothing, Refusal, staleResult } from '../leg/leg-refusal.js'
import type { Written } from '../leg/leg-requests.js'
import type { Keeping, Running, Waiting } from './keeping.js'
import { messagesIn, metadataOf, writtenIn, type PageMessage } from './page-messages.js'
import { nameOf, OpenAnswers, type Open } from './open-answers.js'
import type { Again, Posted } from './posted-chat.js'
import type { Spend } from './spend.js'
import type { UIMessageChunk } from './ai-sdk-types.js'

/** The encrypted text of an answer, as JSON. */
interface Kept {
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

/** What a conversation needs of the options of `pageStore`. */
interface ChatOptions {
  spend?: Spend
  approvalTimeoutMs?: number
}

export class EncryptedChat implements Keeping {
  readonly #cipher: TextCipher
  readonly #options: ChatOptions
  readonly #id: string
  readonly #running: Running
  readonly #path: ConversationEntry[] = []
  /** Hash of all messages. */
  #hash = ''
  /** The last answer that is there. */
  #last: { id: string; kept: Kept | undefined } | undefined
  /** Hash of what stands before the answer that is written. */
  #before = ''
  /** What closed the answer before it. */
  #closed: ChatMessage[] | undefined

  private constructor(cipher: TextCipher, options: ChatOptions, id: string, running: Running) {
    this.#cipher = cipher
    this.#options = options
    this.#id = id
    this.#running = running
  }

  /** Reads the conversation that a page posted. Throws Refusal if the page changed it. */
  static async read(
    cipher: TextCipher,
    options: ChatOptions,
    { id, messages }: Posted,
    running: Running,
  ): Promise<Keeping> {
    const chat = new EncryptedChat(cipher, options, id, running)
    for (const message of messagesIn(messages)) await chat.#read(message)
    return chat
  }

  async #read(message: PageMessage): Promise<void> {
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
      const kept = await this.#decrypted(message)
      this.#before = this.#hash
      this.#last = { id, kept }
      if (kept?.closed) this.#close(kept.closed)
      this.#path.push({
        ...place,
        role,
        ...(kept?.history ? { history: kept.history } : {}),
        ...(kept?.message ? { message: kept.message } : {}),
      })
      this.#hash = hashOf(this.#hash, id)
    }
  }

  /** Undefined for an answer that broke off before its first text: the model does not read it. */
  async #decrypted(message: PageMessage): Promise<Kept | undefined> {
    const given = metadataOf(message)['encrypted']
    if (given === undefined) return undefined
    const text =
      typeof given === 'string'
        ? await this.#cipher.decrypt(given, [this.#id, message.id], ANSWER).catch(() => undefined)
        : undefined
    if (text === undefined)
      throw new Refusal(403, `the message ${message.id} was not written here for this conversation`)
    const kept = JSON.parse(text) as Kept
    if (kept.before !== this.#hash)
      throw new Refusal(409, `the messages before ${message.id} are not those that it answered`)
    return kept
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
    const { id = '', kept: { waits } = {} } = this.#last ?? {}
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
    const closed = goesOn ? this.#last?.kept?.closed : this.#closed
    const waits = new OpenAnswers(
      (goesOn && this.#last?.kept?.waits?.open) || [],
      callName,
      this.#options.approvalTimeoutMs,
    )
    const before = this.#before
    const kept = async (what: Omit<Kept, 'before' | 'closed'>): Promise<UIMessageChunk[]> => {
      const text = JSON.stringify({ before, ...what, ...(closed ? { closed } : {}) } satisfies Kept)
      const encrypted = await this.#cipher.encrypt(text, [this.#id, id], ANSWER)
      return [{ type: 'message-metadata', messageMetadata: { sluice: { encrypted } } }]
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

  /** The key of what counts once. All of it comes from the encrypted text. */
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

/** The text's name in errors. */
const ANSWER = 'what the page keeps of the answer'

const hashOf = (before: string, text: string): string =>
  createHash('sha256').update(before).update('\n').update(text).digest('base64url')

/** Throws Refusal where the key was spent before, or the list does not say. */
async function spendOnce(spend: Spend, key: string, expiresAt: number): Promise<void> {
  let isFirst: unknown
  try {
    isFirst = await spend(key, expiresAt)
    if (typeof isFirst !== 'boolean') throw new TypeError(`found ${shown(isFirst)}, expected true or false`)
  } catch (error) {
    warn(`pageStore: spend failed, so the request was refused and nothing ran: ${messageOf(error)}`)
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
