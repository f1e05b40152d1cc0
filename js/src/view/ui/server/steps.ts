// The steps of a test, as they come: what was tried, how it went, how long it took, and the one thing to do.
import { html, nothing, type TemplateResult } from 'lit'
import { inLanguage } from '../../../engine/core/in-language.js'
import type { CheckStep, ServerCheck } from '../../../engine/core/server-step.js'
import { copyText } from '../shared/copy.js'
import { icon } from '../shared/icons.js'
import { markInvisible } from '../shared/mark-invisible.js'
import type { ServerStrings } from './server-panel-strings.js'

/** A chat goes without these. */
const spare: readonly CheckStep[] = ['tools', 'pictures']

export type Verdict = 'fine' | 'good' | 'bad'

/** What the steps come to when they have ended. Without an answer of the model there is no chat. */
export function verdictOf(steps: readonly ServerCheck[]): Verdict {
  if (!steps.some(({ step }) => step === 'stream') || steps.some(({ step, ok }) => !ok && !spare.includes(step)))
    return 'bad'
  return steps.every(({ ok }) => ok) ? 'fine' : 'good'
}

/** @param more what a person can do about a step with one click */
export function drawStep(
  { step, ok, ms, says, hint }: ServerCheck,
  text: ServerStrings,
  lang: string,
  more: TemplateResult | typeof nothing,
): TemplateResult {
  const kind = ok ? 'ok' : spare.includes(step) ? 'spare' : 'no'
  return html`<li class="step ${kind}" part="step">
    <span class="mark">${icon(ok ? 'check' : kind === 'spare' ? 'warning' : 'cross')}</span>
    <b>${text.steps[step]}<span class="hidden-text">: ${ok ? text.works : text.fails}. </span></b>
    <span class="says">${markInvisible(inLanguage(says, lang))}</span>
    <span class="ms">${ms < 950 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`}</span>
    ${hint === undefined ? nothing : html`<span class="hint">${drawHint(inLanguage(hint, lang), text)}${more}</span>`}
  </li>`
}

/** What stands between backquotes is to be typed somewhere: it can be copied. */
function drawHint(hint: string, text: ServerStrings): TemplateResult {
  const parts = hint.split('`')
  return html`<span>${parts.map((part, at) => (at % 2 ? html`<code>${markInvisible(part)}</code>` : markInvisible(part)))}</span>${
    parts.length > 2
      ? html`<button type="button" class="button quiet" @click=${() => void copyText(parts[1] as string)}>${text.copy}</button>`
      : nothing
  }`
}
