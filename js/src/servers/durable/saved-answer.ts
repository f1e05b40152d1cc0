// A durable turn as a protocol's chunks: one stream over all workers that carry it on. A reset that takes nothing back
// continues what was told; what was told cannot be taken back within a stream, so one that does ends it, and the client
// reads the answer anew.
import { messageOf } from '../../engine/core/errors.js'
import type {
  ApprovalEvent,
  AssistantMessage,
  Block,
  MediaBlock,
  SluiceEvent,
  Source,
  TextMarks,
} from '../../engine/core/events.js'
import { warn } from '../../engine/core/warning.js'
import type { Durable, TurnQuestion, TurnEvent, TurnStatus } from './durable-types.js'
import type { LegEnd, Writer } from '../leg/legs.js'
import type { LoggedChunks } from '../leg/stream-log.js'

/** What a client said, and has. */
export interface Going {
  /** What the client has of the message. */
  message: AssistantMessage
  /** The questions that it decided, by their names. */
  decided: ReadonlySet<string>
  /** The calls of which it brought results. */
  results: ReadonlySet<number>
}

/** How an answer is told. */
export interface Telling<Chunk> {
  turns: Durable
  turn: string
  writer: Writer<Chunk>
  /** Said behind the first chunk. */
  notes?: readonly Chunk[]
  /** The turn is over: its end is kept before it is told. Where it cannot be, the turn still has it. */
  onEnd: (end: TurnStatus) => Promise<void>
}

/** @param going absent for a client that has nothing of it */
export function chunksFor<Chunk>(
  { turns, turn, writer, notes = [], onEnd }: Telling<Chunk>,
  going?: Going,
): AsyncIterableIterator<LoggedChunks> {
  const events = turns.events(turn)
  const chunks = tell()
  return {
    next: () => chunks.next(),
    return: async () => {
      await events.return?.()
      return await chunks.return()
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }

  async function* tell(): AsyncGenerator<LoggedChunks, void, undefined> {
    const answer = new Answer(writer, going)
    const anew = logged([writer.lost('the answer begins anew: read it again', 'anew')])
    yield logged([writer.start, ...notes])
    for await (const event of events) {
      if (event.type === 'waiting') {
        const status = await turns.status(turn)
        // a worker has it by now, or nobody has looked at it yet
        if (status.phase !== 'waiting' || (going && isOpen(status, going, writer))) continue
        if (answer.isBehind) return yield anew
        return yield logged(writer.end(waitingEnd(status)))
      }
      if (event.type === 'done') {
        const end = await turns.status(turn)
        await onEnd(end).catch((error: unknown) =>
          warn(`the end of the turn ${turn} is kept with the next request: ${messageOf(error)}`),
        )
        if (answer.isBehind) return yield anew
        return yield logged(writer.end({ ...end, outcome: event.outcome }))
      }
      const fresh = answer.take(event)
      if (fresh === 'anew') return yield anew
      if (fresh.length > 0) yield logged(fresh)
    }
  }
}

/** A turn that waits, as the end of a leg. */
export const waitingEnd = ({ message }: Pick<TurnStatus, 'message'>): LegEnd => ({ outcome: 'suspended', message })

/** A question that was saved, as it was told. */
export const askedBy = ({ turn: _, thread: __, askedAt: ___, ...question }: TurnQuestion): ApprovalEvent => ({
  type: 'approval',
  seq: 0,
  ...question,
})

const logged = (chunks: readonly unknown[]): LoggedChunks => ({
  logNumber: 0,
  chunks: chunks.map((chunk) => JSON.stringify(chunk)),
})

/** What the page said was not used yet. */
const isOpen = ({ questions, message }: TurnStatus, { decided, results }: Going, writer: Writer<unknown>): boolean =>
  questions.some((question) => decided.has(writer.questionName(askedBy(question)))) ||
  message.blocks.some((block) => block.type === 'tool_use' && results.has(block.call) && block.status === 'executing')

/** How far a call is: what a client has of it does not become less. */
const ranks = ['streaming', 'pending', 'awaiting_approval', 'executing', 'awaiting_result_approval']
const rankOf = (status = 'streaming'): number => (ranks.includes(status) ? ranks.indexOf(status) : ranks.length)

/** Whether the first message is all in the second one, which may be further. */
function isPart(first: AssistantMessage, second: AssistantMessage): boolean {
  return first.blocks.every((block, at) => {
    const other = second.blocks[at]
    if (block.type === 'error') return true
    if (block.type === 'tool_use')
      return other?.type === 'tool_use' && other.call === block.call && rankOf(other.status) >= rankOf(block.status)
    if (block.type === 'media') return other?.type === 'media' && other.parts.length >= block.parts.length
    return other !== undefined && 'text' in other && other.text.startsWith(block.text)
  })
}

const phaseOf = (text: Block | SluiceEvent | undefined): TextMarks['phase'] =>
  text?.type === 'text' ? text.phase : undefined

class Answer<Chunk> {
  readonly writer: Writer<Chunk>
  /** The questions that the client needs not be asked. */
  readonly #asked: Set<string>
  /** What the client has, until all of it was read: a log tells a leg from its beginning. */
  #behind: AssistantMessage | undefined
  #begun = false
  /** The text of each block that was sent; of a call its number. */
  #sent = new Map<number, string | number>()
  /** How many pictures and files of each block were sent. */
  readonly #parts = new Map<number, number>()
  /** The sources of each block that were sent. */
  readonly #sources = new Map<number, readonly Source[]>()
  /** The phase that the client has of each block. */
  readonly #phases = new Map<number, TextMarks['phase']>()
  /** How far the calls are that were told. */
  readonly #ranks = new Map<number, number>()
  #round = 0
  #retried = false

  constructor(writer: Writer<Chunk>, going?: Going) {
    this.writer = writer
    this.#asked = new Set(going?.decided)
    this.#behind = going?.message
  }

  /** Not all that the client has was read. */
  get isBehind(): boolean {
    return this.#behind !== undefined
  }

  take(event: Exclude<TurnEvent, { type: 'waiting' }>): Chunk[] | 'anew' {
    const behind = this.#behind
    if (!behind) return this.#take(event)
    if (event.type === 'reset') return this.#goOn(behind, event.message)
    if (event.type !== 'text' && event.type !== 'reasoning') this.#take(event)
    else {
      const block = behind.blocks[event.block]
      const known = Math.max(
        0,
        (block && 'text' in block ? block.text.length : 0) - String(this.#sent.get(event.block) ?? '').length,
      )
      if (known > 0 || event.text === '') this.#take({ ...event, text: event.text.slice(0, known) })
      if (known < event.text.length) {
        this.#caughtUp()
        return this.#take({ ...event, text: event.text.slice(known) })
      }
    }
    if (this.#hasRead(behind)) this.#caughtUp()
    return []
  }

  /** From what the client has: the message is that, or more, or the begin of it. */
  #goOn(behind: AssistantMessage, message: AssistantMessage): Chunk[] | 'anew' {
    const hasAll = isPart(behind, message)
    if (this.#begun ? !hasAll || this.#reset(behind) === 'anew' : !hasAll && !isPart(message, behind)) return 'anew'
    if (!this.#begun) this.#begin(hasAll ? behind : message)
    if (!hasAll) return []
    this.#caughtUp()
    return this.#reset(message)
  }

  #caughtUp(): void {
    this.#behind = undefined
    this.writer.pause()
  }

  #begin(message: AssistantMessage): void {
    this.#begun = true
    this.writer.retell(message)
    this.#note(message)
  }

  #hasRead({ blocks }: AssistantMessage): boolean {
    return blocks.every((block, at) => {
      if (block.type === 'error') return true
      const sent = this.#sent.get(at)
      if (block.type === 'tool_use')
        return sent === block.call && (this.#ranks.get(block.call) ?? 0) >= rankOf(block.status)
      if (block.type === 'media') return this.#partsOf(at) >= block.parts.length
      if (block.type === 'text' && (block.sources?.length ?? 0) > (this.#sources.get(at)?.length ?? 0)) return false
      const phase = this.#phases.get(at)
      return String(sent ?? '').length >= block.text.length && (phaseOf(block) ?? phase) === phase
    })
  }

  #take(event: Exclude<TurnEvent, { type: 'waiting' }>): Chunk[] | 'anew' {
    if (event.type === 'reset') return this.#reset(event.message)
    if (event.type === 'approval') {
      const name = this.writer.questionName(event)
      if (this.#asked.has(name)) {
        this.writer.answered(event)
        return []
      }
      this.#asked.add(name)
    } else if (event.type === 'text' || event.type === 'reasoning') {
      this.#sent.set(event.block, `${this.#sent.get(event.block) ?? ''}${event.text}`)
      this.#phases.set(event.block, phaseOf(event) ?? this.#phases.get(event.block))
    } else if (event.type === 'card') {
      if (event.block === undefined) return [] // another tool asked for it: the client's messages have no place for it
      this.#sent.set(event.block, event.call)
      this.#rank(event.call, event.status)
    } else if (event.type === 'media') {
      this.#parts.set(event.block, this.#partsOf(event.block) + 1)
    } else if (event.type === 'sources') {
      this.#sources.set(event.block, event.sources)
    } else if (event.type === 'request') {
      // Sent again by another worker: the client has its step.
      const again =
        event.round === this.#round && !this.#retried ? this.writer.take({ type: 'retry' } as SluiceEvent) : []
      this.#round = event.round
      this.#retried = false
      return [...again, ...this.writer.take(event)]
    }
    if (event.type === 'retry') this.#retried = true
    return this.writer.take(event)
  }

  #partsOf(block: number): number {
    return this.#parts.get(block) ?? 0
  }

  #rank(call: number, status: string | undefined): void {
    this.#ranks.set(call, Math.max(this.#ranks.get(call) ?? 0, rankOf(status)))
  }

  /** What the message has beyond what was told. */
  #reset(message: AssistantMessage): Chunk[] | 'anew' {
    const { blocks } = message
    for (const [at, sent] of this.#sent) {
      const block = blocks[at]
      if (
        typeof sent === 'number'
          ? block?.type !== 'tool_use' || block.call !== sent
          : !(block && 'text' in block && block.text.startsWith(sent))
      )
        return 'anew'
    }
    for (const [at, sent] of this.#parts)
      if (sent > 0 && !(blocks[at]?.type === 'media' && blocks[at].parts.length >= sent)) return 'anew'
    const chunks: Chunk[] = []
    for (const [at, block] of blocks.entries()) {
      if (block.type === 'error') continue
      const round = block.round ?? this.#round
      if (round > this.#round) chunks.push(...this.writer.take({ type: 'request', seq: 0, round } as SluiceEvent))
      this.#round = Math.max(round, this.#round)
      if (block.type === 'tool_use') {
        chunks.push(...this.writer.take({ ...block, type: 'card', block: at, seq: 0 }))
        // The client may begin with its call, since that is saved. The log may no longer have the event that says so.
        if (block.status === 'executing')
          chunks.push(...this.writer.take({ type: 'execute', seq: 0, call: block.call } as SluiceEvent))
        continue
      }
      if (block.type === 'media') {
        chunks.push(...this.#moreMedia(block, at))
        continue
      }
      const text = block.text.slice(String(this.#sent.get(at) ?? '').length)
      if (text !== '' || phaseOf(block) !== this.#phases.get(at))
        chunks.push(...this.writer.take({ ...block, text, block: at, seq: 0 }))
      if (
        block.type === 'text' &&
        block.sources &&
        JSON.stringify(block.sources) !== JSON.stringify(this.#sources.get(at))
      )
        chunks.push(...this.writer.take({ type: 'sources', block: at, sources: block.sources, seq: 0 }))
    }
    this.#note(message)
    return chunks
  }

  #moreMedia({ parts }: MediaBlock, block: number): Chunk[] {
    const more = parts.slice(this.#partsOf(block))
    return more.flatMap((part) => this.writer.take({ type: 'media', block, part, seq: 0 }))
  }

  #note({ blocks }: AssistantMessage): void {
    for (const [at, block] of blocks.entries()) {
      if (block.type === 'error') continue
      if (block.type === 'media') this.#parts.set(at, block.parts.length)
      else this.#sent.set(at, block.type === 'tool_use' ? block.call : block.text)
      if (block.type === 'text' && block.sources) this.#sources.set(at, block.sources)
      this.#phases.set(at, phaseOf(block))
      if (block.type === 'tool_use') this.#rank(block.call, block.status)
      this.#round = Math.max(this.#round, block.round ?? 0)
    }
  }
}
