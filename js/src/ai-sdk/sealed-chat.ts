// A conversation that the page keeps, sealed: of every answer its messages for the model, or the state in which it waits. What people wrote stands beside it
// in the open; each seal holds a hash of everything before it, so that nothing can be changed, left out or put in between.
import { createHash } from 'node:crypto'
import type { ChatMessage } from '../core/events.js'
import type { Run } from '../core/run.js'
import { messagesOf } from '../conversations/for-model.js'
import type { Entry, SavedMessage } from '../conversations/types.js'
import type { Answered } from '../leg/answers.js'
import type { Answer, ChatRun, Keeper } from '../leg/legs.js'
import { Refusal } from '../leg/refusal.js'
import type { Written } from '../leg/requests.js'
import { concerning, openCalls, PageStore, type Keeping, type Running, type Waiting } from './keeping.js'
import { messagesIn, metadataOf, writtenIn, type PageMessage } from './page-messages.js'
import type { Again, Posted } from './posted.js'
import { checkSecret, Seal, type Secret } from './seal.js'
import type { UIMessageChunk } from './types.js'

/**
 * A `store` of `chatHandler` for servers that keep nothing: each answer, with the state in which it waits, is sealed (AES-256-GCM) into the metadata of its
 * message, and comes back with the next request. The page can neither read nor change it, nor mix it with another conversation. It can send an old
 * request again: a tool must then do nothing a second time for the same `context.key`.
 * @param secret at least 32 characters or bytes; of a list the first one seals, and all of them open.
 * @throws SluiceError `option` where the secret is too short.
 */
export function sealed(secret: Secret): PageStore {
  checkSecret(secret, 'secret')
  return new SealedStore(new Seal(secret))
}

class SealedStore extends PageStore {
  readonly #seal: Seal

  constructor(seal: Seal) {
    super()
    this.#seal = seal
  }

  /** @internal */
  open(posted: Posted, running: Running): Keeping {
    return new SealedChat(this.#seal, posted, running)
  }
}

/** What is sealed of an answer. */
interface Sealed {
  /** Hash of the messages before it. */
  before: string
  history?: ChatMessage[]
  state?: string
  /** Its errors, by which later requests know what the model refused. */
  message?: SavedMessage
  /** The numbers of the calls that it waits for. */
  open?: number[]
  /** The answer before it waited, and was closed with this. */
  closed?: ChatMessage[]
}

class SealedChat implements Keeping {
  readonly #seal: Seal
  readonly #id: string
  readonly #legs: Running['legs']
  readonly #path: Entry[] = []
  /** Hash of all messages. */
  #hash = ''
  /** The last answer that is there. */
  #last: { id: string; sealed: Sealed | undefined } | undefined
  /** Hash of what stands before the answer that is written. */
  #before = ''
  /** What closed the answer before it. */
  #closed: ChatMessage[] | undefined

  constructor(seal: Seal, { id, messages }: Posted, { legs }: Running) {
    this.#seal = seal
    this.#id = id
    this.#legs = legs
    for (const message of messagesIn(messages)) this.#read(message)
  }

  #read(message: PageMessage): void {
    const { id, role } = message
    const place = { id, parent: this.#path.at(-1)?.id ?? null, at: 0 }
    if (role === 'user') {
      const written = writtenIn(message)
      if (!written) return
      this.#path.push({ ...place, role, text: written.text, ...(written.parts.length > 0 ? { parts: written.parts } : {}) })
      this.#hash = hashOf(this.#hash, JSON.stringify(written))
    } else if (role === 'assistant') {
      const sealed = this.#opened(message)
      this.#before = this.#hash
      this.#last = { id, sealed }
      if (sealed?.closed) this.#close(sealed.closed)
      this.#path.push({ ...place, role, ...(sealed?.history ? { history: sealed.history } : {}), ...(sealed?.message ? { message: sealed.message } : {}) })
      this.#hash = hashOf(this.#hash, id)
    }
  }

  /** Undefined for an answer that broke off before it was sealed: the model does not read it. */
  #opened(message: PageMessage): Sealed | undefined {
    const given = metadataOf(message)['sealed']
    if (given === undefined) return undefined
    const text = typeof given === 'string' ? this.#seal.open([this.#id, message.id], given) : undefined
    if (text === undefined) throw new Refusal(403, `the message ${message.id} was not written here for this conversation`)
    const sealed = JSON.parse(text) as Sealed
    if (sealed.before !== this.#hash) throw new Refusal(409, `the messages before ${message.id} are not those that it answered`)
    return sealed
  }

  async refuseRepeated({ id }: Written): Promise<void> {
    if (this.#path.findIndex((entry) => entry.id === id) < this.#path.length - 1) throw new Refusal(409, 'two messages have the same id')
  }

  async begin(written: Written, _: Again, given: (messages: ChatMessage[]) => Promise<ChatRun>): Promise<{ run: Run; answer: Answer }> {
    this.#before = this.#hash
    const messages = await messagesOf(this.#path)
    return this.#legs.start(messages, written.id, await given(messages))
  }

  async waiting(): Promise<Waiting | undefined> {
    const { id = '', sealed: { state, open = [] } = {} } = this.#last ?? {}
    if (state === undefined) return undefined
    return {
      id, parent: null, at: 0,
      accept: (answered: Answered): Answered => concerning(answered, open),
      resume: (given: ChatRun): Run => this.#legs.resume({ state }, given),
    }
  }

  async close(_: Waiting, run: Run, reason: string): Promise<void> {
    await run.cancel(reason)
    this.#closed = (await run.done).history
    this.#close(this.#closed)
  }

  keeper({ id }: Answer): Keeper<UIMessageChunk> {
    const closed = this.#path.at(-1)?.id === id ? this.#last?.sealed?.closed : this.#closed
    const kept = (what: Omit<Sealed, 'before' | 'closed'>): UIMessageChunk[] => {
      const text = JSON.stringify({ before: this.#before, ...what, ...(closed ? { closed } : {}) } satisfies Sealed)
      return [{ type: 'message-metadata', messageMetadata: { sluice: { sealed: this.#seal.seal([this.#id, id], text) } } }]
    }
    return {
      soFar: (history) => kept({ history }),
      save: ({ message, history, state }) => kept(state === undefined ? { history, message: { ...message, blocks: message.blocks.filter(({ type }) => type === 'error') } } : { state, open: openCalls(message) }),
    }
  }

  #close(history: ChatMessage[]): void {
    const last = this.#path.findLast(({ role }) => role === 'assistant')
    if (last) last.history = history
  }
}

const hashOf = (before: string, text: string): string => createHash('sha256').update(before).update('\n').update(text).digest('base64url')
