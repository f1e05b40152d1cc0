// The head of a question: what is asked in a sentence, the tool, what it may do, and how long an answer is waited for.
import { html, nothing, type TemplateResult } from 'lit'
import type { Line } from '../../../app/bridge/question.js'
import { countdown } from '../shared/format.js'
import { drawRuns } from './question-view.js'
import type { Strings } from '../shared/ui-strings.js'
import type { QuestionView } from '../ui-types.js'

const SOON_MS = 10_000

/** `brief`: what would be done, without who asks. */
export function drawHead(lines: readonly Line[], ask: QuestionView, words: Strings, brief = false): TemplateResult {
  const of = (kind: Line['kind']): Line[] => lines.filter((line) => line.kind === kind)
  return html`<p class="ask" id="ask" part="sentence">${of('sentence').map((line) => drawRuns((brief && line.brief) || line.runs))}</p>
    ${of('tool').map(({ runs }) => html`<bdi id="tool" part="tool">${drawRuns(runs)}</bdi>`)}
    <span class="counts" id="counts">${of('counts').map(({ runs }) => drawRuns(runs))}</span>
    ${drawExpiry(ask, words)}
    <span class="effects" id="effects" part="effects">${of('effect').map(({ runs }) => html`<span class="effect">${drawRuns(runs)}</span>`)}</span>`
}

function drawExpiry({ expiresAt }: QuestionView, words: Strings): TemplateResult | typeof nothing {
  if (expiresAt === undefined) return nothing
  const left = expiresAt - Date.now()
  return html`<span class="expiry ${left < SOON_MS ? 'soon' : ''}" part="expiry" role="timer" aria-live="off"
    >${words.expiresIn(countdown(left))}</span>`
}

/**
 * How dangerous a call is. A missing hint counts as the worst case, and so does what a stranger says of its own tool.
 */
export function toneOf({ stage, annotations, words }: QuestionView): string {
  if (stage === 'result') return 'moderate'
  const { readOnlyHint, destructiveHint } = (words?.from === undefined ? annotations : undefined) ?? {}
  return readOnlyHint === true ? 'calm' : destructiveHint === false ? 'moderate' : 'sensitive'
}
