// What handlers share, whatever runs their turns: who may ask, what is read of a request, and what a person wrote.
import type { ApprovalDuration } from '../../engine/core/approvals.js'
import { messageOf } from '../../engine/core/errors.js'
import type { Json, ResultPart } from '../../engine/core/events.js'
import { holdRequest } from '../../engine/core/held-request.js'
import { func, milliseconds, oneOf, whole, withMethods, type Check } from '../../engine/core/options.js'
import { warn } from '../../engine/core/warning.js'
import { withoutPictures } from '../../app/conversations/blobs.js'
import type { Conversation, Conversations, ConversationEntry } from '../../app/conversations/conversation-types.js'
import { bodyOf, refuseForms } from './request-body.js'
import { streamOf, type Framing } from './event-stream.js'
import { Refusal } from './leg-refusal.js'

/** What every handler takes. */
export interface RequestOptions {
  /**
   * Where conversations are kept: `memoryConversations()`, `fileConversations(folder)` or `sqliteConversations(…)` of
   * `sluice/conversations`, or a store of your own.
   */
  store: Conversations
  /** May whoever sends this request read and continue this conversation? Without a true nothing happens: status 403. */
  authorize: (request: Request, id: string) => boolean | Promise<boolean>
  /**
   * For how long a client may have an approval remembered; what it asks beyond that is cut. Default `turn`: rules of
   * the engine are those of all its users.
   */
  remember?: ApprovalDuration
  /**
   * The largest request, in bytes. Clients may send all they have of a conversation, with its pictures. Default 16 MiB.
   */
  maxBytes?: number
  /** Milliseconds of silence after which a comment keeps the connection alive. Default 15,000. */
  keepAliveMs?: number
}

export const requestChecks: { [member in keyof Required<RequestOptions>]: Check } = {
  store: withMethods('a store of conversations such as memoryConversations()', 'load', 'save', 'bytes'),
  authorize: func('(request, id) => true | false'),
  remember: oneOf('once', 'turn', 'session', 'always'),
  maxBytes: whole(1),
  keepAliveMs: milliseconds,
}

/** What a person wrote. */
export interface Written {
  id: string
  text: string
  parts: ResultPart[]
}

/** What follows the stored conversation. */
export interface Next {
  /** What a person wrote and the store does not have, oldest first. */
  fresh: readonly Written[]
  /** The entries before it. If nothing is new, they end with the message that is to be answered again. */
  branch: readonly ConversationEntry[]
}

/** What a protocol brings. */
export interface Protocol {
  /** The name of the handler, for warnings. */
  name: string
  framing: Framing
}

type Used = Omit<RequestOptions, 'store'> & { store: Pick<Conversations, 'save'> }

export class Requests {
  readonly #options: Used
  protected readonly protocol: Protocol
  /** The last request about a conversation: what changes it happens one after another. */
  readonly #last = new Map<string, Promise<unknown>>()

  constructor(options: Used, protocol: Protocol) {
    this.#options = options
    this.protocol = protocol
  }

  /** The answer to a request: that of `answer`, or why not. */
  async respond(request: Request, answer: () => Promise<Response>): Promise<Response> {
    try {
      refuseForms(request)
      const response = await answer()
      holdRequest(request, response)
      return response
    } catch (error) {
      if (error instanceof Refusal) return error.response
      warn(`${this.protocol.name}: ${messageOf(error)}`)
      return new Refusal(500, 'the server failed').response
    }
  }

  /** The JSON object of a request. Throws Refusal. */
  body(request: Request, members: string): Promise<{ [member: string]: Json }> {
    return bodyOf(request, members, this.#options.maxBytes ?? 16 * 1024 * 1024)
  }

  /** Throws Refusal where whoever sends this may not use the conversation. */
  async authorize(request: Request, id: string): Promise<void> {
    if ((await this.#options.authorize(request, id)) !== true) throw new Refusal(403, 'this conversation is not yours')
  }

  /** How long an approval may be remembered. */
  get most(): ApprovalDuration {
    return this.#options.remember ?? 'turn'
  }

  /** How long a stream may say nothing. */
  get keepAliveMs(): number {
    return this.#options.keepAliveMs ?? 15_000
  }

  /** A stream of these chunks alone. */
  streamed(chunks: readonly unknown[]): Response {
    return streamOf(chunks, this.protocol.framing)
  }

  /** What changes a conversation, one after another. */
  async inTurn<T>(id: string, act: () => Promise<T>): Promise<T> {
    const done = (this.#last.get(id) ?? Promise.resolve()).then(act)
    const settled = done.catch(() => {})
    this.#last.set(id, settled)
    try {
      return await done
    } finally {
      if (this.#last.get(id) === settled) this.#last.delete(id)
    }
  }

  /** Saves what follows a branch. @returns the branch with it. */
  async keep(id: string, kept: Conversation | null, { fresh, branch }: Next): Promise<ConversationEntry[]> {
    const path = [...branch]
    const taken = new Set(kept?.entries.map((entry) => entry.id))
    for (const { id: name, text, parts } of fresh) {
      let own = name
      for (let n = 2; taken.has(own); n++) own = `${name}~${n}`
      const { entry, blobs } = withoutPictures({
        id: own,
        parent: path.at(-1)?.id ?? null,
        at: Date.now(),
        role: 'user',
        text,
        ...(parts.length > 0 ? { parts } : {}),
      })
      await this.#options.store.save(id, { entries: [entry], blobs })
      path.push(entry)
    }
    return path
  }
}
