// When a pet speaks first: some time after the last answer, while somebody is there and nothing else goes on. The host
// counts, and may refuse.
import type { ProactiveInput, ProactiveReply } from '../../app/bridge/messages.js'
import { is, members, whole } from '../../engine/core/options.js'

/** How a pet speaks first. */
export interface ProactiveOptions {
  /** How long after the last answer, in minutes: any time between the two. */
  after: readonly [min: number, max: number]
  /** How often a day. The host allows no more than its own `perDay`. Default 4. */
  perDay?: number
  /** What the model is told, such as "Say something kind about the time of day". Up to 2,000 characters. */
  prompt: string
}

export const checkProactive = members({
  members: {
    after: is(
      '[min, max] in minutes',
      (value) =>
        Array.isArray(value) &&
        value.length === 2 &&
        value.every((one) => typeof one === 'number' && one >= 0 && one < Infinity) &&
        value[0] <= value[1],
    ),
    perDay: whole(0),
    prompt: is(
      'a text of 1 to 2,000 characters',
      (value) => typeof value === 'string' && value.trim() !== '' && value.length <= 2000,
    ),
  },
  needs: ['after', 'prompt'],
})

const MINUTE = 60_000
/** Nothing must have gone on for so long: who comes back is not fallen upon. */
const SETTLED_MS = 10_000

export interface SpeaksFirstOptions {
  proactive: ProactiveOptions
  now(): number
  date(): Date
  random(): number
  ask(input: ProactiveInput): Promise<ProactiveReply>
  /** The host refused for another reason than the number, or could not be reached. */
  onError(why: unknown): void
}

export class SpeaksFirst {
  readonly #options: SpeaksFirstOptions
  #dueAt = 0
  #restsSince: number | undefined
  #asking = false
  #day = ''
  #count = 0

  constructor(options: SpeaksFirstOptions) {
    this.#options = options
    this.later()
  }

  /** An answer ended, or somebody wrote: the time begins anew. */
  later(): void {
    const {
      proactive: {
        after: [min, max],
      },
      now,
      random,
    } = this.#options
    this.#dueAt = now() + (min + (max - min) * random()) * MINUTE
  }

  /** `rests`: somebody is there, and nothing goes on. Speaks when it is time; tells when it is to be asked again. */
  look(rests: boolean, conversation: string): number {
    const now = this.#options.now()
    if (!rests) {
      this.#restsSince = undefined
      return Infinity
    }
    this.#restsSince ??= now
    const at = Math.max(this.#dueAt, this.#restsSince + SETTLED_MS)
    if (now < at) return at
    if (!this.#asking && this.#mayToday()) void this.#speak(conversation)
    return now + MINUTE // a day may end
  }

  /** A person wants no more of it today. */
  async notToday(): Promise<void> {
    this.#mayToday()
    this.#count = Infinity
    await this.#options.ask({ notToday: true })
  }

  #mayToday(): boolean {
    const {
      proactive: { perDay = 4 },
      date,
    } = this.#options
    const today = date().toDateString()
    if (today !== this.#day) [this.#day, this.#count] = [today, 0]
    return this.#count < perDay
  }

  async #speak(conversation: string): Promise<void> {
    const {
      proactive: { perDay = 4, prompt },
      ask,
      onError,
    } = this.#options
    this.#asking = true
    try {
      const { left } = await ask({ conversation, prompt })
      this.#count = Math.max(this.#count + 1, left === 0 ? perDay : 0)
    } catch (error) {
      if ((error as { code?: unknown }).code === 'limit')
        this.#count = perDay // other pages spoke today
      else if ((error as { code?: unknown }).code !== 'state') onError(error)
    } finally {
      this.#asking = false
      this.later()
    }
  }
}
