// What the parts of <sluice-configuration> share.
import type { nothing, TemplateResult } from 'lit'
import type { Json, JsonObject } from '../../../engine/core/events.js'
import type { ConfigurationStore, Path } from './store.js'
import type { ConfigurationStrings } from './configuration-strings.js'
import type { Switch } from './switches.js'

/** The page, for its parts. */
export interface ConfigurationPage {
  store: ConfigurationStore
  text: ConfigurationStrings
  /** Saves what the person set; null restores the default. */
  set(path: Path, value: Json): void
  row(one: Switch, control: (id: string) => TemplateResult): TemplateResult
  select(path: Path, id: string, choices: readonly Choice[], current: Json, label?: string): TemplateResult
  faultOf(path: Path, id: string): TemplateResult | typeof nothing
}

export interface Choice {
  value: Json
  label: string
}

/** Whether two values are the same JSON. */
export function same(a: Json, b: Json): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [a as JsonObject, b as JsonObject]
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && same(left[key]!, right[key]!))
  )
}
