// Remembered decisions of one run: those that count when it begins, and whether they still do when a call starts.
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { describe } from './errors.js'
import type { CardEvent, ExecuteEvent, Rule } from './events.js'
import type { RuleStore } from './rules.js'
import type { Tool } from './tool.js'

export class Remembered {
  /** For the native turn. */
  readonly rules: Rule[]
  readonly #store: RuleStore
  readonly #tools: ReadonlyMap<string, Tool>
  /** What the store had of them, as text. */
  readonly #known: Set<string>
  /** Who let a call run. */
  readonly #by = new Map<number, string>()
  /** Something was allowed for the rest of the turn, by a decision that no store has. */
  forTurn = false

  /** @param own of this run alone. */
  constructor(store: RuleStore, own: readonly Rule[], tools: ReadonlyMap<string, Tool>) {
    this.#store = store
    this.#tools = tools
    const kept = store.list()
    this.#known = new Set(kept.map(textOf))
    this.rules = [...kept.filter((rule) => this.#stands(rule)), ...own]
  }

  /** A decision of this run that goes beyond it. */
  add(rule: Rule): void {
    const runs = runsOf(this.#tools.get(rule.tool))
    const kept = runs === undefined ? rule : { ...rule, 'x-runs': runs }
    this.rules.push(kept)
    this.#known.add(textOf(kept))
    this.#store.add(kept)
  }

  see({ call, approvals }: CardEvent): void {
    const last = approvals?.findLast(({ stage }) => stage === 'execution')
    if (last) this.#by.set(call, last.by)
  }

  /** Why the call must not start: what allowed it was taken back since, or something refuses it now. */
  withdrawn(event: ExecuteEvent): string | undefined {
    let now: Rule[]
    try {
      now = this.#store.list()
    } catch (error) {
      return `Not run: the remembered decisions cannot be read: ${describe(error)}`
    }
    const fits = (rule: Rule): boolean => matches(rule, event)
    if (this.#by.get(event.call) === 'user') return undefined // decided for this very call
    const stricter = now.find((rule) => rule.effect !== 'allow' && fits(rule) && !this.#known.has(textOf(rule)))
    if (stricter) return stricter.effect === 'deny' ? 'Not run: it was forbidden meanwhile.' : 'Not run: it is to be asked about again.'
    if (this.#by.get(event.call) !== 'rule') return undefined
    const left = new Set(now.map(textOf))
    const allowing = this.rules.filter((rule) => rule.effect === 'allow' && fits(rule))
    const gone = allowing.filter((rule) => this.#known.has(textOf(rule)) && !left.has(textOf(rule)))
    return gone.length === 0 || gone.length < allowing.length || this.forTurn ? undefined : 'Not run: the approval that was remembered for it was taken back.'
  }

  /** What was allowed is what runs: another function behind the same declaration is asked about. */
  #stands(rule: Rule): boolean {
    return rule.effect !== 'allow' || rule['x-runs'] === undefined || rule['x-runs'] === runsOf(this.#tools.get(rule.tool))
  }
}

const textOf = (rule: Rule): string => JSON.stringify(rule)

function matches({ tool, arguments: wanted }: Rule, event: ExecuteEvent): boolean {
  const named = tool.endsWith('*') ? event.name.startsWith(tool.slice(0, -1)) : tool === event.name
  return named && (wanted === undefined || isDeepStrictEqual(wanted, event.arguments))
}

const runsOf = (tool: Tool | undefined): string | undefined =>
  tool?.identity === undefined ? undefined : createHash('sha256').update(tool.identity).digest('hex').slice(0, 32)
