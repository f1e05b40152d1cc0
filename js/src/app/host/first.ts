// The pet speaks first: only where the app lets it, so often a day, briefly, and with no tool that asks.
import { isCommentary } from '../bridge/commentary.js'
import type { ProactiveReply } from '../bridge/messages.js'
import type { SluiceEvent } from '../../engine/core/events.js'
import { goesOn } from '../bridge/abbreviations.js'
import { refuse } from './checks.js'
import type { HostConversation } from './conversation.js'
import type { HostOptions, TurnOptions } from './host-types.js'

const PER_DAY = 4
const BRIEFLY =
  'Nobody asked you: say this to the person of your own accord, in at most two short sentences. Do not ask for permission, and do not expect an answer.'
const WHY = 'nobody asked for this: the pet spoke first'
const SENTENCES = 2
/** A model that writes no full stop. */
const CHARACTERS = 400

export class First {
  readonly #options: HostOptions['proactive']
  /** When the day began that is counted. */
  #day = 0
  #count = 0
  #stopped = false

  constructor(options: HostOptions['proactive']) {
    this.#options = options
  }

  /** A person wants no more of it until tomorrow. */
  notToday(): ProactiveReply {
    this.#today()
    this.#stopped = true
    return { left: 0 }
  }

  /** Checks whether it may, before anything else is done. */
  check(): void {
    if (!this.#options) throw refuse('unsupported', 'this app does not let the pet speak first')
    this.#today()
    if (this.left <= 0)
      throw refuse(
        'limit',
        this.#stopped ? 'not today any more: a person said so' : 'it spoke first often enough today',
      )
  }

  /** Counts one. `conversation` remembers those of before the app was started. */
  take(conversation: HostConversation): void {
    const kept = conversation.firstSince(this.#today())
    this.#count = Math.max(this.#count, kept)
    this.check()
    this.#count++
  }

  get left(): number {
    return this.#stopped || !this.#options ? 0 : Math.max(0, (this.#options.perDay ?? PER_DAY) - this.#count)
  }

  text(prompt: string): string {
    return `${prompt}\n\n${BRIEFLY}`
  }

  /** The turn as it may be: what would ask is refused. */
  limited(turn: TurnOptions): TurnOptions {
    return {
      ...turn,
      approvals: {
        execution: () => ({ decision: 'deny', reason: WHY }),
        result: () => ({ decision: 'reject', reason: WHY }),
      },
    }
  }

  /** The beginning of this day. */
  #today(): number {
    const now = this.#options?.date?.() ?? new Date()
    const day = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
    if (day !== this.#day) [this.#day, this.#count, this.#stopped] = [day, 0, false]
    return day
  }
}

/** Ends an answer with its second sentence. */
export function briefly(end: () => void): (event: SluiceEvent) => void {
  let text = ''
  let over = false
  return (event) => {
    if (over || event.type !== 'text' || isCommentary(event)) return
    text += event.text
    over = text.length > CHARACTERS || sentencesIn(text) > SENTENCES
    if (over) end()
  }
}

/** How many sentences begin in a short text. */
export function sentencesIn(text: string): number {
  let count = 0
  let open = false
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] as string
    if (!open && /[\p{L}\p{N}]/u.test(letter)) {
      open = true
      count++
    }
    if (/[!?。！？…]/.test(letter)) open = false
    if (letter !== '.' || !/^(?:\s|$)/.test(text.slice(at + 1).replace(/^["'”’)\]]+/, ''))) continue
    if (!goesOn(/[\p{L}.]*$/u.exec(text.slice(0, at))?.[0] ?? '')) open = false
  }
  return count
}
