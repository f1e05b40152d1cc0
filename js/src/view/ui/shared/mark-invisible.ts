// The pieces of `splitInvisible` as markup, with marked code points.
import { html, type TemplateResult } from 'lit'
import { splitInvisible } from '../../../app/bridge/invisible.js'

export { splitInvisible, escapeInvisible } from '../../../app/bridge/invisible.js'

export function markInvisible(text: string): TemplateResult | string {
  const runs = splitInvisible(text)
  if (runs.length === 1) return text
  return html`${runs.map((run, at) => (at % 2 ? html`<span class="code-point" part="code-point">⟨${run}⟩</span>` : run))}`
}
