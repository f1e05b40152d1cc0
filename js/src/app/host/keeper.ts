/** Behind a turning point: a question, the end of an answer, a call that came to something. */
const SOON_MS = 250
/** While text comes, so often at first, */
const OFTEN_MS = 2000
/** and of a long answer whenever it has gone on for a tenth of its time, but at least so often. */
const MOST_MS = 15_000

/** Says when an answer that goes on is to be saved: at a bounded rate, however much comes. */
export class Keeper {
  readonly #save: () => void
  // By a clock that nobody sets: with one that is set back nothing would be saved for so long.
  readonly #begun = performance.now()
  #last: number | undefined
  #due = Infinity
  #timer: NodeJS.Timeout | undefined

  constructor(save: () => void) {
    this.#save = save
  }

  /** Something changed. `soon`: what a person would miss. */
  changed(soon: boolean): void {
    const now = performance.now()
    const often = Math.min(Math.max((now - this.#begun) / 10, OFTEN_MS), MOST_MS)
    const due = Math.max(now, soon ? (this.#last ?? -Infinity) + SOON_MS : (this.#last ?? this.#begun) + often)
    if (due >= this.#due) return
    clearTimeout(this.#timer)
    this.#due = due
    this.#timer = setTimeout(() => {
      this.kept()
      this.#save()
    }, due - now).unref()
  }

  /** It was saved just now: what is due is done. */
  kept(): void {
    clearTimeout(this.#timer)
    this.#due = Infinity
    this.#last = performance.now()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#due = -Infinity // nothing is due before that
  }
}
