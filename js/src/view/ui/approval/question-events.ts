// `sluice-ask` and `sluice-settled`: a page learns of every question, and may answer it by itself.
import { fasterIn } from './faster.js'
import { findCard } from '../../../engine/core/cards.js'
import type { QuestionDetail, QuestionView, BlockView, CardView, MessageSource, ShownMessage } from '../ui-types.js'

export class QuestionEvents {
  readonly #host: HTMLElement
  /** Tokens of the questions that the app shows itself. */
  #taken = new Set<string>()
  #details = new Map<string, QuestionDetail>()

  constructor(host: HTMLElement) {
    this.#host = host
  }

  /** The app shows this question itself. */
  taken({ token }: QuestionView): boolean {
    return this.#taken.has(token)
  }

  forget(): void {
    this.#taken = new Set()
    this.#details = new Map()
  }

  /** Tells what was settled since the last time, and what is new. */
  update(
    asks: readonly QuestionView[],
    message: MessageSource,
    card: (ask: QuestionView) => CardView | undefined,
  ): void {
    for (const [token, detail] of this.#details) {
      if (asks.some((other) => other.token === token)) continue
      this.#details.delete(token)
      this.#taken.delete(token)
      this.#fire('sluice-settled', { ...detail, card: card(detail.ask) })
    }
    for (const ask of asks) {
      if (this.#details.has(ask.token)) continue
      const detail = detailOf(ask, message, card(ask))
      this.#details.set(ask.token, detail)
      if (!this.#fire('sluice-ask', detail)) this.#taken.add(ask.token)
    }
  }

  /** Returns false if a listener called `preventDefault()`. */
  #fire(type: 'sluice-ask' | 'sluice-settled', detail: QuestionDetail): boolean {
    return this.#host.dispatchEvent(
      new CustomEvent(type, { detail, bubbles: true, composed: true, cancelable: type === 'sluice-ask' }),
    )
  }
}

function detailOf(ask: QuestionView, message: MessageSource, card: CardView | undefined): QuestionDetail {
  const answered = async (given: unknown): Promise<boolean> => fasterIn(await given) === undefined
  return {
    message: message.id,
    ask,
    card,
    approve: (options) => answered(message.approve(ask, options)),
    release: () => answered(message.release(ask)),
    deny: (reason) => answered(message.deny(ask, reason)),
  }
}

/** The card of a question. */
export function cardOf(view: ShownMessage | undefined, ask: QuestionView): CardView | undefined {
  return findCard((view?.blocks as BlockView[] | undefined) ?? [], ask.call)
}
