import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { SluiceError } from './errors.js'
import type { Rule } from './events.js'

/** Where remembered approvals live between turns. */
export interface RuleStore {
  list(): Rule[]
  /** Called for every `rule` event. */
  add(rule: Rule): void
  /** Takes a rule back: one that `list` gave. */
  revoke(rule: Rule): boolean
}

/** Keeps rules as long as the process lives. */
export function memory(initial: readonly Rule[] = []): RuleStore {
  return new Store([...initial])
}

/** Keeps rules of scope `always` in a JSON file, the others as long as the process lives. */
export function file(path: string): RuleStore {
  return new Store([], (rules) => {
    mkdirSync(dirname(path), { recursive: true })
    const next = `${path}.${process.pid}.new`
    writeFileSync(next, JSON.stringify(rules.filter((rule) => rule.scope === 'always'), null, 2) + '\n', { mode: 0o600 })
    renameSync(next, path) // a reader never sees half a file
  }, () => readRules(path))
}

class Store implements RuleStore {
  #rules: Rule[]
  #save: ((rules: readonly Rule[]) => void) | undefined
  #load: (() => Rule[]) | undefined

  constructor(rules: Rule[], save?: (rules: readonly Rule[]) => void, load?: () => Rule[]) {
    this.#rules = rules
    this.#save = save
    this.#load = load
    this.#refresh()
  }

  /** What another store on the same file wrote meanwhile: a deny in it must not be lost. */
  #refresh(): void {
    if (this.#load) this.#rules = [...this.#load(), ...this.#rules.filter((rule) => rule.scope !== 'always')]
  }

  list(): Rule[] {
    this.#refresh()
    return structuredClone(this.#rules)
  }

  add(rule: Rule): void {
    this.#refresh()
    if (this.#rules.some((old) => same(old, rule))) return
    this.#rules.push(structuredClone(rule))
    this.#save?.(this.#rules)
  }

  revoke(rule: Rule): boolean {
    this.#refresh()
    const index = this.#rules.findIndex((old) => same(old, rule))
    if (index < 0) return false
    this.#rules.splice(index, 1)
    this.#save?.(this.#rules)
    return true
  }
}

const same = (a: Rule, b: Rule): boolean => JSON.stringify(a) === JSON.stringify(b)

function readRules(path: string): Rule[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw cause
  }
  // A file that cannot be read must not be taken for "no rules": a deny in it would be lost.
  let rules: unknown
  try {
    rules = JSON.parse(text)
  } catch (cause) {
    throw new SluiceError({ code: 'option', path, detail: `the rules are no JSON: ${(cause as Error).message}`, cause })
  }
  if (!Array.isArray(rules)) throw new SluiceError({ code: 'option', path, detail: 'expected an array of rules' })
  return rules as Rule[]
}
