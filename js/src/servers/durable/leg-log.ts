// What a leg tells its readers, in order: a question when it can be decided, the end when it is saved.
import { messageOf } from '../../engine/core/errors.js'
import type { AssistantMessage, SluiceEvent } from '../../engine/core/events.js'
import { warn } from '../../engine/core/warning.js'
import type { StreamLog } from '../leg/stream-log.js'
import type { TurnQuestion, ResetEvent } from './durable-types.js'

export class LegLog {
  readonly #log: StreamLog
  readonly #id: string
  readonly #logNumber: number
  #waiting: (SluiceEvent | ResetEvent)[] = []
  #pumping: Promise<void> | undefined
  readonly #logged: () => void
  #begun = false
  #closed = false
  #endSaved = false
  /** Those who read it know. */
  #ended = false
  readonly #saved = new Set<string>()

  /** @param logged is called when readers can find it */
  constructor(log: StreamLog, id: string, logNumber: number, logged: () => void) {
    this.#log = log
    this.#id = id
    this.#logNumber = logNumber
    this.#logged = logged
  }

  /** In front of all events, also of those that were told before. */
  begin(message: AssistantMessage): void {
    this.#waiting.unshift({ type: 'reset', logNumber: this.#logNumber, message })
    this.#begun = true
    this.#pump()
  }

  tell(event: SluiceEvent): void {
    if (this.#closed) return
    this.#waiting.push(event)
    this.#pump()
  }

  /** These questions are in the store, and perhaps the end. */
  saved(questions: readonly TurnQuestion[], end: boolean): void {
    for (const question of questions) this.#saved.add(nameOf(question))
    this.#endSaved ||= end
    this.#pump()
  }

  /** This question is in the store. */
  knows(question: TurnQuestion): boolean {
    return this.#saved.has(nameOf(question))
  }

  /** Another worker tells what follows. */
  lose(): void {
    this.#closed = true
    this.#waiting = []
  }

  /** Resolves when all was told. Readers are to look at the store then. Twice is fine. */
  async end(): Promise<void> {
    while (this.#pumping) await this.#pumping
    this.#closed = true
    await this.#end()
  }

  async #end(): Promise<void> {
    if (this.#ended) return
    try {
      await this.#log.end(this.#id, this.#logNumber)
      this.#ended = true
    } catch (error) {
      tellFault(error)
    }
  }

  #pump(): void {
    if (this.#pumping || !this.#begun || !this.#next()) return
    this.#pumping = this.#write().finally(() => {
      this.#pumping = undefined
      this.#pump()
    })
  }

  async #write(): Promise<void> {
    await null // what is told in one go is written in one go
    for (let count = this.#next(); count > 0; count = this.#next()) {
      const events = this.#waiting.splice(0, count)
      try {
        await this.#log.append(
          this.#id,
          this.#logNumber,
          events.map((event) => JSON.stringify(event)),
        )
        this.#logged()
      } catch (error) {
        // Readers with a gap would show what never was: they go on from what is saved.
        tellFault(error)
        this.lose()
        await this.#end()
      }
    }
  }

  /** How many of those that wait can be told. */
  #next(): number {
    const end = this.#waiting.findIndex((event) =>
      event.type === 'approval' ? !this.#saved.has(nameOf(event)) : event.type === 'done' && !this.#endSaved,
    )
    return end < 0 ? this.#waiting.length : end
  }
}

const nameOf = ({ call, stage, digest }: Pick<TurnQuestion, 'call' | 'stage' | 'digest'>): string =>
  `${call}:${stage}:${digest}`

const tellFault = (error: unknown): void =>
  warn(`the stream log: ${messageOf(error)}; readers get the rest from the store`)
