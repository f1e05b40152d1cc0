// How servers of models get the tools of an MCP server.
import { Engine } from '../../engine/core/engine.js'
import { wireNames, type WireName } from '../../engine/core/providers.js'
import type { Tool } from '../../engine/core/tool.js'
import { toolForms, type ToolForm } from '../../engine/core/tool-forms.js'
import type { Entry, McpListed } from './listed.js'

/** What a list says of the entries, with the form of those that models may call. */
export function withForms(
  entries: readonly Entry[],
  tools: readonly Tool[],
  wires: readonly WireName[] = wireNames,
): McpListed[] {
  const engine = new Engine({ tools: [...tools] })
  try {
    const forms = toolForms(engine, {}, wires)
    return entries.map(({ listed }) =>
      listed.state === 'ready' ? { ...listed, ...formOf(forms.get(listed.name) ?? [], wires) } : listed,
    )
  } finally {
    engine.close()
  }
}

function formOf(forms: readonly ToolForm[], wires: readonly WireName[]): Pick<McpListed, 'sent' | 'changes'> {
  const sent = forms.some((form) => form.sent === 'left out') ? 'left out' : forms.length > 0 ? 'changed' : 'as it is'
  const changes = forms.flatMap((form) =>
    form.changes.map((change) => (form.wires.length === wires.length ? change : `${form.wires.join(', ')}: ${change}`)),
  )
  return { sent, changes }
}
