// One choice of an answer: its bytes → the text, reasoning and calls in them.
import type { CardEvent, SluiceEvent } from '../core/events.js'
import type { End, Turn } from '../core/turn.js'
import { callId } from './call-id.js'
import type { Diagnostics } from './diagnostics.js'
import { AnswerFault } from './errors.js'

/** A piece of what the model said, in its order. */
export type Piece = { readonly kind: 'content' | 'reasoning'; text: string }

/** A call that came whole. */
export interface ReadCall {
  id: string
  name: string
  /** JSON. */
  arguments: string
}

/** What is left to say when an answer has ended. */
export interface Ending {
  pieces: Piece[]
  calls: ReadCall[]
  fault: AnswerFault | undefined
}

type Card = Pick<CardEvent, 'status' | 'reason' | 'raw' | 'start' | 'source' | 'wireId' | 'name' | 'arguments' | 'rawArguments'>

/** Calls that lost nothing. What breaks a schema is for the client to refuse: it tells the model. */
const isWhole = ({ status, reason }: Card): boolean => status === 'pending' || (status === 'invalid' && reason === 'schema')

/**
 * Calls are held until the answer has ended: until then nobody knows whether it was cut, or filtered. What turns out to be no call, or has lost
 * something, comes out as text, as the model wrote it.
 */
export class ChoiceReader {
  readonly #turn: Turn
  readonly #single: boolean
  readonly #diagnostics: Diagnostics
  readonly #cards = new Map<number, Card>()
  readonly #givenBack = new Set<number>() // where their texts begin: a block of several calls comes out once
  #fault: AnswerFault | undefined

  constructor(turn: Turn, { single, diagnostics }: { single: boolean; diagnostics: Diagnostics }) {
    this.#turn = turn
    this.#single = single
    this.#diagnostics = diagnostics
  }

  /** More of the answer, as the server wrote it: events of a stream, or a whole body. */
  take(bytes: Uint8Array | string): Piece[] {
    return this.#read(this.#turn.step(bytes))
  }

  /** The answer is over. The reader is of no more use. */
  end(how: End): Ending {
    try {
      this.#turn.finish(how)
      const pieces = this.#read([...this.#turn.events()])
      return { pieces, calls: this.#fault || how !== 'complete' ? [] : this.#calls(), fault: this.#fault }
    } finally {
      this.close()
    }
  }

  close(): void {
    this.#turn.close()
  }

  #read(events: readonly SluiceEvent[]): Piece[] {
    const pieces: Piece[] = []
    const add = (kind: Piece['kind'], text: string): void => {
      const last = pieces.at(-1)
      if (last?.kind === kind) last.text += text
      else if (text !== '') pieces.push({ kind, text })
    }
    for (const event of events) {
      if (event.type === 'text' && !event.refusal) add('content', event.text) // a refusal has a member of its own, which passes
      else if (event.type === 'reasoning') add('reasoning', event.text)
      else if (event.type === 'card') add('content', this.#card(event))
      else if (event.type === 'diagnostic') this.#diagnostics.add(event.code, event.detail)
      else if (event.type === 'error' && event.code !== 'network') this.#fault = new AnswerFault(event.code, event.detail)
    }
    return pieces
  }

  /** Notes what is new about a call. Gives the text to show in its place, if it came to nothing. */
  #card({ call, status, reason, raw, start, source, wireId, name, arguments: args, rawArguments }: CardEvent): string {
    const known = Object.entries({ status, reason, raw, start, source, wireId, name, arguments: args, rawArguments }).filter(([, value]) => value !== undefined)
    const card: Card = Object.assign(this.#cards.get(call) ?? {}, Object.fromEntries(known))
    this.#cards.set(call, card)
    if (card.status !== 'invalid' || isWhole(card) || card.raw === undefined || card.start === undefined || this.#givenBack.has(card.start)) return ''
    this.#givenBack.add(card.start)
    return card.raw
  }

  #calls(): ReadCall[] {
    const cards = [...this.#cards.values()]
    if (!cards.some(isWhole)) return []
    // The history has the arguments as JSON text in which no big integer was rounded.
    const written = this.#turn.history.find(({ role }) => role === 'assistant')?.tool_calls ?? []
    const ids = new Set<string>()
    const calls = cards.flatMap((card, at): ReadCall[] => {
      if (!isWhole(card) || card.name === undefined) return []
      const exact = written.length === cards.length ? written[at]?.function.arguments : undefined
      const native = card.source === 'native'
      const id = native && card.wireId && !ids.has(card.wireId) ? card.wireId : callId()
      ids.add(id)
      return [{ id, name: card.name, arguments: (native ? card.rawArguments : exact) || (exact ?? JSON.stringify(card.arguments ?? {})) }]
    })
    return this.#single ? calls.slice(0, 1) : calls
  }
}
