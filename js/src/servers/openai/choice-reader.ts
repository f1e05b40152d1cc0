// One choice of an answer: its bytes → the text, reasoning and calls in them.
import type { CardEvent, FinishReason, SluiceEvent, Usage } from '../../engine/core/events.js'
import type { AnswerEnd, Turn } from '../../engine/core/turn.js'
import { callId } from './call-id.js'
import type { Diagnostics } from './diagnostics.js'
import { AnswerFault } from './openai-errors.js'

/** A piece of what the model said, in its order. */
export type Piece = {
  readonly kind: 'content' | 'reasoning' | 'arguments'
  text: string
  readonly call?: { readonly id: string; readonly name: string } | undefined
}

/** A call that came whole. */
export interface ReadCall {
  id: string
  name: string
  arguments: string
}

/** A call that lost something. */
export interface BrokenCall {
  id: string
  /** Undefined where the call does not say which tool it means. */
  name: string | undefined
  /** Of js/docs/codes.md. */
  reason: string
  /** What went wrong, in words. */
  error: string
  /** As the model wrote it; of a native call its arguments. */
  raw: string
}

/** How an answer is read. */
export interface ReadingOptions {
  /** Calls that lost something come out as such, not as text. */
  reports?: boolean
  /** Native calls get ids of their own too: some servers count them anew in every answer. */
  renames?: boolean
}

/** What is left to say when an answer has ended. */
export interface Ending {
  pieces: Piece[]
  calls: ReadCall[]
  broken: BrokenCall[]
  fault: AnswerFault | undefined
  /** Neither a reason nor an end came: nobody knows whether the answer is whole. */
  unfinished: boolean
  /** Why the server says that it ended; undefined where it did not say. */
  finishReason: FinishReason | undefined
  usage: Usage | undefined
}

type Card = Pick<
  CardEvent,
  'status' | 'reason' | 'error' | 'raw' | 'start' | 'source' | 'wireId' | 'name' | 'arguments' | 'rawArguments'
>

/** Calls that lost nothing. What breaks a schema is for the client to refuse: it tells the model. */
const isWhole = ({ status, reason }: Card): boolean =>
  status === 'pending' || (status === 'invalid' && reason === 'schema')
const isBroken = (card: Card): boolean => card.status === 'invalid' && !isWhole(card)

/** A call, and the id by which it is told. */
interface Call extends Card {
  id?: string
}

/**
 * Calls are held until the answer has ended: until then nobody knows whether it was cut, or filtered. What turns out to
 * be no call, or has lost something, comes out as text, as the model wrote it.
 */
export class ChoiceReader {
  readonly #turn: Turn
  readonly #single: boolean
  readonly #reports: boolean
  readonly #renames: boolean
  readonly #diagnostics: Diagnostics
  readonly #cards = new Map<number, Call>()
  readonly #ids = new Set<string>()
  readonly #givenBack = new Set<number>() // where their texts begin: a block of several calls comes out once
  #fault: AnswerFault | undefined
  #unfinished = false
  #over = false
  #finishReason: FinishReason | undefined
  #usage: Usage | undefined

  /**
   * @param options `reports`: a call that says which tool it means is no text whatever becomes of it, and its arguments
   * come as they are written; `renames`: no id is the server's
   */
  constructor(
    turn: Turn,
    {
      single,
      reports = false,
      renames = false,
      diagnostics,
    }: ReadingOptions & { single: boolean; diagnostics: Diagnostics },
  ) {
    this.#turn = turn
    this.#single = single
    this.#reports = reports
    this.#renames = renames
    this.#diagnostics = diagnostics
  }

  /** More of the answer, as the server wrote it: events of a stream, or a whole body. */
  take(bytes: Uint8Array | string): Piece[] {
    return this.#read(this.#turn.step(bytes))
  }

  /** The server has said its last word, even if it keeps the connection. */
  get over(): boolean {
    return this.#over
  }

  /** The answer is over. The reader is of no more use. */
  end(how: AnswerEnd): Ending {
    try {
      this.#turn.finish(how)
      const pieces = this.#read([...this.#turn.events()])
      const broken = [...this.#cards.values()].filter(isBroken).map((card) => {
        const { name, reason = 'unterminated_block', error = '', raw, rawArguments = '' } = card
        return { id: this.#idOf(card), name, reason, error, raw: raw ?? rawArguments }
      })
      const calls = this.#fault || how !== 'complete' ? [] : this.#calls()
      return {
        pieces,
        calls,
        broken,
        fault: this.#fault,
        unfinished: this.#unfinished,
        finishReason: this.#finishReason,
        usage: this.#usage,
      }
    } finally {
      this.close()
    }
  }

  close(): void {
    this.#turn.close()
  }

  #read(events: readonly SluiceEvent[]): Piece[] {
    const pieces: Piece[] = []
    const add = (kind: Piece['kind'], text: string, card?: Call): void => {
      const last = pieces.at(-1)
      const call = card && { id: this.#idOf(card), name: card.name as string }
      if (last?.kind === kind && last.call?.id === call?.id) last.text += text
      else if (text !== '' || call) pieces.push({ kind, text, ...(call ? { call } : {}) })
    }
    for (const event of events) {
      if (event.type === 'text' && !event.refusal)
        add('content', event.text) // a refusal has a member of its own, which passes
      else if (event.type === 'reasoning') add('reasoning', event.text)
      else if (event.type === 'card') {
        add('content', this.#card(event))
        const card = this.#cards.get(event.call) as Call
        if (this.#reports && event.status === 'streaming' && card.name !== undefined) add('arguments', '', card)
      } else if (event.type === 'args') {
        const card = this.#cards.get(event.call)
        if (this.#reports && card?.name !== undefined) add('arguments', event.text, card)
      } else if (event.type === 'usage') this.#usage = event
      else if (event.type === 'round') {
        this.#over = true
        this.#finishReason = event.finishReason
      } else if (event.type === 'diagnostic') {
        this.#unfinished ||= event.code === 'unfinished'
        this.#diagnostics.add(event.code, event.detail)
      } else if (event.type === 'error' && event.code !== 'network')
        this.#fault = new AnswerFault(event.code, event.detail)
    }
    return pieces
  }

  /** Notes what is new about a call. Gives the text to show in its place, if it came to nothing. */
  #card({
    call,
    status,
    reason,
    error,
    raw,
    start,
    source,
    wireId,
    name,
    arguments: args,
    rawArguments,
  }: CardEvent): string {
    const known = Object.entries({
      status,
      reason,
      error,
      raw,
      start,
      source,
      wireId,
      name,
      arguments: args,
      rawArguments,
    }).filter(([, value]) => value !== undefined)
    const card: Call = Object.assign(this.#cards.get(call) ?? {}, Object.fromEntries(known))
    this.#cards.set(call, card)
    if (
      !isBroken(card) ||
      (this.#reports && card.name !== undefined) ||
      card.raw === undefined ||
      card.start === undefined ||
      this.#givenBack.has(card.start)
    )
      return ''
    this.#givenBack.add(card.start)
    return card.raw
  }

  /** The server's own, where it is to count and no other call has it. */
  #idOf(card: Call): string {
    if (card.id === undefined) {
      card.id =
        !this.#renames && card.source === 'native' && card.wireId && !this.#ids.has(card.wireId)
          ? card.wireId
          : callId()
      this.#ids.add(card.id)
    }
    return card.id
  }

  #calls(): ReadCall[] {
    const cards = [...this.#cards.values()]
    if (!cards.some(isWhole)) return []
    // The history has the arguments as JSON text in which no big integer was rounded.
    const written = this.#turn.history.find(({ role }) => role === 'assistant')?.tool_calls ?? []
    const calls = cards.flatMap((card, at): ReadCall[] => {
      if (!isWhole(card) || card.name === undefined) return []
      const exact = written.length === cards.length ? written[at]?.function.arguments : undefined
      const native = card.source === 'native'
      return [
        {
          id: this.#idOf(card),
          name: card.name,
          arguments: (native ? card.rawArguments : exact) || (exact ?? JSON.stringify(card.arguments ?? {})),
        },
      ]
    })
    return this.#single ? calls.slice(0, 1) : calls
  }
}
