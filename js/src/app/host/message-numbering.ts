// Maps a run's block and call numbers to the message's. Every run counts from the start: what a later run adopts keeps
// its number, what is new gets the next one.
import { isCommentary } from '../bridge/commentary.js'
import type { MessageView } from '../bridge/messages.js'
import { allCards } from '../../engine/core/cards.js'
import type { CallerRef, SluiceEvent, Source } from '../../engine/core/events.js'

/** The numbering of a message whose run is saved: it goes on in another process. */
export interface SavedNumbering {
  blocks: [number, number][]
  calls: [number, number][]
  rounds: number
  nextBlock: number
  nextCall: number
  begun?: BegunText
}

/** A text of a run before, which this run goes on with. */
interface BegunText {
  block: number
  /** Its length, in UTF-16 units. */
  length: number
  sources: readonly Source[]
}

export class MessageNumbering {
  // -- of the run that goes on
  readonly #blocks = new Map<number, number>()
  readonly #calls = new Map<number, number>()
  /** By the message's number. */
  readonly #own = new Map<number, number>()
  #rounds = 0

  // -- of the message
  #nextBlock = 0
  #nextCall = 1
  /** A block of text that the first text of the next run goes on with. */
  #joined: number | undefined
  #begun: BegunText | undefined
  /**
   * Cards that wait for a person, in the order in which the next run adopts them. Ids cannot tell: some providers
   * repeat them, calls in text have none.
   */
  #waiting: { block: number; call: number }[] = []

  /** Begins the next run of the message, whose view is now this. */
  next(view: MessageView): void {
    this.#blocks.clear()
    this.#calls.clear()
    this.#own.clear()
    this.#rounds = view.rounds
    this.#waiting = view.blocks.flatMap((block, at) =>
      block.type === 'tool_use' && block.status === 'pending' ? { block: at, call: block.call } : [],
    )
    this.#nextBlock = view.blocks.length
  }

  /** Begins a run that goes on with a message of before. Text goes on in its last block, if that is text. */
  resume(view: MessageView): void {
    this.next(view)
    this.#waiting = []
    this.#nextCall = Math.max(0, ...allCards(view.blocks).map(({ call }) => call)) + 1
    const last = view.blocks.at(-1)
    if (last?.type === 'text' && !last.retracted && !last.fabricated && !isCommentary(last)) {
      this.#joined = view.blocks.length - 1
      this.#begun = { block: this.#joined, length: last.text.length, sources: last.sources ?? [] }
    }
  }

  get saved(): SavedNumbering {
    return {
      blocks: [...this.#blocks],
      calls: [...this.#calls],
      rounds: this.#rounds,
      nextBlock: this.#nextBlock,
      nextCall: this.#nextCall,
      ...(this.#begun ? { begun: this.#begun } : {}),
    }
  }

  /** Goes on with the run that was saved. */
  restore({ blocks, calls, rounds, nextBlock, nextCall, begun }: SavedNumbering): void {
    for (const [block, own] of blocks) this.#blocks.set(block, own)
    for (const [call, own] of calls) {
      this.#calls.set(call, own)
      this.#own.set(own, call)
    }
    this.#rounds = rounds
    this.#nextBlock = nextBlock
    this.#nextCall = nextCall
    this.#begun = begun
  }

  /** Returns the event with the message's numbers. */
  translate<E extends SluiceEvent>(event: E): E {
    if (event.type === 'card' && event.adopted && event.block !== undefined && !this.#calls.has(event.call))
      this.#adopt(event.block, event.call)
    const { round, ...rest } = event as SluiceEvent & {
      block?: number
      blocks?: number[]
      call?: number
      parent?: CallerRef
      round?: number
    }
    const { block, call, blocks, parent } = rest
    if (block !== undefined && this.#joined !== undefined) {
      if (event.type === 'text' && !isCommentary(event)) this.#blocks.set(block, this.#joined)
      this.#joined = undefined
    }
    const own = block === undefined ? undefined : this.#block(block)
    return {
      ...rest,
      ...(event.type === 'sources' && own === this.#begun?.block ? { sources: this.#withBegun(event.sources) } : {}),
      ...(own === undefined ? {} : { block: own }),
      ...(blocks === undefined ? {} : { blocks: blocks.map((one) => this.#block(one)) }),
      ...(call === undefined ? {} : { call: this.#call(call) }),
      ...(parent === undefined ? {} : { parent: { ...parent, call: this.#call(parent.call) } }),
      // an adopted call keeps its round
      ...(round === undefined || 'adopted' in event ? {} : { round: round + this.#rounds }),
    } as unknown as E
  }

  /** The sources of the text of before, and those of what follows it, at their places in the whole text. */
  #withBegun(sources: readonly Source[]): Source[] {
    const { length = 0, sources: before = [] } = this.#begun ?? {}
    const moved = sources.map((source) =>
      source.start === undefined || source.end === undefined
        ? source
        : { ...source, start: source.start + length, end: source.end + length },
    )
    return [...before, ...moved]
  }

  /** Returns the current run's number for a call of the message. */
  ofRun(call: number): number | undefined {
    return this.#own.get(call)
  }

  /** Returns the message's number for a call of the current run. */
  ofMessage(call: number): number | undefined {
    return this.#calls.get(call)
  }

  #adopt(block: number, call: number): void {
    const card = this.#waiting.shift()
    if (!card) return
    this.#calls.set(call, card.call)
    this.#own.set(card.call, call)
    this.#blocks.set(block, card.block)
  }

  #block(block: number): number {
    const known = this.#blocks.get(block)
    if (known !== undefined) return known
    this.#blocks.set(block, this.#nextBlock)
    return this.#nextBlock++
  }

  #call(call: number): number {
    const known = this.#calls.get(call)
    if (known !== undefined) return known
    this.#calls.set(call, this.#nextCall)
    this.#own.set(this.#nextCall, call)
    return this.#nextCall++
  }
}
