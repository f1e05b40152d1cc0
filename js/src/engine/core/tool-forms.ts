// How servers get tools: a schema, a key or a description may go out in another form, and some tools in none.
import type { Engine } from './engine.js'
import { wireNames, type WireName } from './providers.js'
import type { Settings } from './settings.js'

/** How the servers of some wires get a tool. */
export interface ToolForm {
  wires: WireName[]
  sent: 'changed' | 'left out'
  /** In words. */
  changes: string[]
}

/** @internal By the name of the tool: what is not sent as it is, the wires together that have one form. */
export function toolForms(
  engine: Pick<Engine, 'describe'>,
  settings: Settings = {},
  wires: readonly WireName[] = wireNames,
): Map<string, ToolForm[]> {
  const forms = new Map<string, ToolForm[]>()
  for (const wire of wires)
    for (const { name, sent, changes = [] } of engine.describe({ ...settings, mode: 'native', wire }).tools) {
      if (sent === undefined || sent === 'as it is') continue
      const all = forms.get(name) ?? []
      const same = all.find((form) => form.sent === sent && form.changes.join('\n') === changes.join('\n'))
      if (same) same.wires.push(wire)
      else forms.set(name, [...all, { wires: [wire], sent, changes }])
    }
  return forms
}
