// Remembered decisions of one run: those that count when it begins, and whether they still let a call start.
import { messageOf, SluiceError } from './errors.js'
import type { Rule } from './events.js'
import { shown } from './options.js'
import type { RuleStore } from './rules.js'
import type { Turn } from './turn.js'

export class Remembered {
  readonly #store: RuleStore
  /** Of this run alone, and decisions that the store could not take. */
  readonly #own: Rule[]

  /** @param own of this run alone. */
  constructor(store: RuleStore, own: readonly Rule[]) {
    this.#store = store
    this.#own = [...own]
  }

  /** Those that count now. */
  get rules(): Rule[] {
    const kept: unknown = this.#store.list()
    if (!Array.isArray(kept))
      throw new SluiceError({
        code: 'option',
        path: 'rules',
        detail: `list() gave back ${shown(kept)}, expected an array of rules`,
        hint: 'a store answers at once, without a promise',
      })
    return [...(kept as Rule[]), ...this.#own]
  }

  /** A decision of this run that goes beyond it. */
  add(rule: Rule): void {
    try {
      this.#store.add(rule)
    } catch (error) {
      this.#own.push(rule) // what a person decided counts for this run at least
      throw error
    }
  }

  /** A rule refuses the call, whatever a person would say. Rules that cannot be read refuse it when it is to start. */
  forbids(turn: Turn, call: number): boolean {
    try {
      return turn.judge(call, this.rules) === 'deny'
    } catch {
      return false
    }
  }

  /** Why the call must not start: what allowed it was taken back since, or something refuses it now. */
  withdrawn(turn: Turn, call: number): string | undefined {
    let rules: Rule[]
    try {
      rules = this.rules
    } catch (error) {
      return `Not run: the remembered decisions cannot be read: ${messageOf(error)}`
    }
    const way = turn.judge(call, rules)
    if (way === 'deny') return 'Not run: it was forbidden meanwhile.'
    return way === 'ask' ? 'Not run: its approval was taken back meanwhile; it is to be asked about again.' : undefined
  }
}
