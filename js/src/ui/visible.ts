// `reveal` with the code points marked.
import { html, type TemplateResult } from 'lit'
import { reveal } from '../bridge/reveal.js'

export { reveal, revealed } from '../bridge/reveal.js'

export function visible(text: string): TemplateResult | string {
  const runs = reveal(text)
  if (runs.length === 1) return text
  return html`${runs.map((run, at) => (at % 2 ? html`<span class="code-point" part="code-point">⟨${run}⟩</span>` : run))}`
}
