// Where remembered approvals live, and the store that lives as long as the process.
import type { Rule } from './events.js'
import { array, encode, record } from './options.js'

/** Where remembered approvals live between turns. */
export interface RuleStore {
  /** Every rule that counts now. What it throws ends the run that asked: without its rules nothing may run. */
  list(): Rule[]
  /** Called for every `rule` event. */
  add(rule: Rule): void
  /**
   * Takes back a rule that `list` gave. Calls that it allowed are not started any more, in running turns too. Returns
   * false if it was gone.
   */
  revoke(rule: Rule): boolean
}

/** Keeps rules as long as the process lives. Throws SluiceError `option` where `initial` is no list of rules. */
export function memoryRules(initial: readonly Rule[] = []): RuleStore {
  array(initial, 'initial')
  for (const [index, rule] of initial.entries()) record(rule, `initial[${index}]`)
  return new MemoryRules(JSON.parse(encode(initial, 'initial')) as Rule[])
}

class MemoryRules implements RuleStore {
  #rules: Rule[]

  constructor(initial: Rule[]) {
    this.#rules = initial
  }

  list(): Rule[] {
    return structuredClone(this.#rules)
  }

  add(rule: Rule): void {
    this.#rules = withRule(this.#rules, rule)
  }

  revoke(rule: Rule): boolean {
    const left = without(this.#rules, rule)
    const found = left.length < this.#rules.length
    this.#rules = left
    return found
  }
}

// -- rules in a list --------------------------------------------------------------------------------------------------

const same = (a: Rule, b: Rule): boolean => JSON.stringify(a) === JSON.stringify(b)
export const without = (rules: Rule[], rule: Rule): Rule[] => rules.filter((old) => !same(old, rule))
export const withRule = (rules: Rule[], rule: Rule): Rule[] =>
  rules.some((old) => same(old, rule)) ? rules : [...rules, structuredClone(rule)]
