// A durable turn as chunks of a UI message: one stream over all workers that carry it on. A reset that takes nothing back continues what was told; what
// was told cannot be taken back within a stream, so one that does ends it, and the page reads the answer anew.
import { messageOf } from '../core/errors.js'
import type { ApprovalEvent, AssistantMessage } from '../core/events.js'
import { warn } from '../core/warning.js'
import type { LoggedChunks } from '../leg/stream-log.js'
import type { Durable, TurnEvent, TurnStatus } from '../durable/types.js'
import { MessageWriter, type WriterOptions } from './message-writer.js'
import type { UIMessageChunk } from './types.js'

/** What a page said, and has. */
export interface Going {
  /** What the page has of the message. */
  message: AssistantMessage
  /** The questions that it decided, by their names. */
  decided: ReadonlySet<string>
  /** The calls of which it brought results. */
  results: ReadonlySet<number>
  /** What is wrong with other decisions: they are asked again. */
  refused: readonly string[]
}

/** How an answer is told. */
export interface Telling {
  turns: Durable
  options: WriterOptions
  /** The turn is over: its end is kept before it is told. Where it cannot be, the turn still has it. */
  onEnd: (end: TurnStatus) => Promise<void>
}

/** @param going absent for a page that has nothing of it */
export function toldOf({ turns, options, onEnd }: Telling, turn: string, going?: Going): AsyncIterableIterator<LoggedChunks> {
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
    const answer = new Answer(new MessageWriter(turn, turns.tools, options), going)
    yield logged([answer.writer.start, ...(going?.refused ?? []).flatMap((detail) => answer.writer.refused(detail))])
    for await (const event of events) {
      if (event.type === 'waiting') {
        if (going && isOpen(await turns.status(turn), going, answer.writer)) continue // nobody has looked at it yet
        return yield logged(answer.writer.end('waiting'))
      }
      if (event.type === 'done') {
        const end = await turns.status(turn)
        await onEnd(end).catch((error: unknown) => warn(`chatHandler: the end of ${turn} is kept with the next request: ${messageOf(error)}`))
        return yield logged(answer.writer.end({ ...end, outcome: event.outcome }))
      }
      const fresh = answer.take(event)
      if (fresh === 'anew') return yield { epoch: 1, chunks: [] }
      if (fresh.length > 0) yield logged(fresh)
    }
  }
}

const logged = (chunks: readonly UIMessageChunk[]): LoggedChunks => ({ epoch: 0, chunks: chunks.map((chunk) => JSON.stringify(chunk)) })

/** What the page said was not used yet. */
const isOpen = ({ questions, message }: TurnStatus, { decided, results }: Going, writer: MessageWriter): boolean =>
  questions.some((question) => decided.has(nameOf(question, writer))) || message.blocks.some((block) => block.type === 'tool_use' && results.has(block.call) && block.status === 'executing')

const nameOf = (question: Omit<ApprovalEvent, 'type' | 'seq'>, writer: MessageWriter): string => writer.questionName({ type: 'approval', seq: 0, ...question })

class Answer {
  readonly writer: MessageWriter
  /** The questions that the page needs not be asked. */
  readonly #asked: Set<string>
  /** The text of each block that was told; of a call its number. */
  #told = new Map<number, string | number>()
  #round = 0
  #retried = false

  constructor(writer: MessageWriter, going?: Going) {
    this.writer = writer
    this.#asked = new Set(going?.decided)
    if (!going) return
    writer.retell(going.message) // the page has it
    this.#note(going.message)
  }

  take(event: Exclude<TurnEvent, { type: 'waiting' }>): UIMessageChunk[] | 'anew' {
    if (event.type === 'reset') return this.#reset(event.message)
    if (event.type === 'approval') {
      const name = this.writer.questionName(event)
      if (this.#asked.has(name)) {
        this.writer.answered(event)
        return []
      }
      this.#asked.add(name)
    } else if (event.type === 'text' || event.type === 'reasoning') {
      this.#told.set(event.block, `${this.#told.get(event.block) ?? ''}${event.text}`)
    } else if (event.type === 'card') {
      this.#told.set(event.block, event.call)
    } else if (event.type === 'request') {
      // Sent again by another worker: the page has its step.
      const again = event.round === this.#round && !this.#retried ? this.writer.take({ type: 'retry' } as typeof event & { type: 'retry' }) : []
      this.#round = event.round
      this.#retried = false
      return [...again, ...this.writer.take(event)]
    }
    if (event.type === 'retry') this.#retried = true
    return this.writer.take(event)
  }

  /** What the message has beyond what was told. */
  #reset(message: AssistantMessage): UIMessageChunk[] | 'anew' {
    const { blocks } = message
    if (this.#told.size === 0) {
      const chunks = this.writer.retell(message)
      this.#note(message)
      return chunks
    }
    for (const [at, told] of this.#told) {
      const block = blocks[at]
      if (typeof told === 'number' ? block?.type !== 'tool_use' || block.call !== told : !(block && 'text' in block && block.text.startsWith(told))) return 'anew'
    }
    const chunks: UIMessageChunk[] = []
    for (const [at, block] of blocks.entries()) {
      if (block.type === 'error') continue
      const round = block.round ?? this.#round
      if (round > this.#round) chunks.push(...this.writer.take({ type: 'request', seq: 0, round } as Parameters<MessageWriter['take']>[0]))
      this.#round = Math.max(round, this.#round)
      if (block.type === 'tool_use') {
        chunks.push(...this.writer.take({ ...block, type: 'card', block: at, seq: 0 }))
        continue
      }
      const text = block.text.slice(String(this.#told.get(at) ?? '').length)
      if (text !== '') chunks.push(...this.writer.take({ ...block, text, block: at, seq: 0 }))
    }
    this.#note(message)
    return chunks
  }

  #note({ blocks }: AssistantMessage): void {
    for (const [at, block] of blocks.entries()) {
      if (block.type === 'error') continue
      this.#told.set(at, block.type === 'tool_use' ? block.call : block.text)
      this.#round = Math.max(this.#round, block.round ?? 0)
    }
  }
}
