// The small print of an opened card: what was decided about the call, and what else is known of it.
import { html, nothing, type TemplateResult } from 'lit'
import { renamed } from '../../../app/bridge/named.js'
import type { ApprovalRecord } from '../../../engine/core/events.js'
import { clock } from '../shared/format.js'
import { escapeInvisible, markInvisible } from '../shared/mark-invisible.js'
import type { Strings } from '../shared/ui-strings.js'
import type { CardView } from '../ui-types.js'

/** Who decided, when, and why. */
export function drawDecisions(approvals: readonly ApprovalRecord[], words: Strings, language: string): TemplateResult {
  const what = ({ stage, decision }: ApprovalRecord): string =>
    words.decision[
      stage === 'execution' || decision === 'expired' ? decision : decision === 'approved' ? 'released' : 'withheld'
    ] ?? decision
  const whose = ({ by, who }: ApprovalRecord): string =>
    who ? `(${escapeInvisible(who.slice(0, 200))})` : (words.by[by] ?? '')
  const kept = ({ remember = '' }: ApprovalRecord): string =>
    Object.hasOwn(words.remembered, remember) ? ` · ${words.remembered[remember as 'once']}` : ''
  return html`<ul class="decisions">${approvals.map((one) => html`<li>${what(one)} <bdi>${whose(one)}</bdi>${kept(one)}${one.at ? ` · ${clock(one.at, language)}` : ''}${one.reason ? html` — <bdi>${markInvisible(one.reason.slice(0, 1000))}</bdi>` : nothing}</li>`)}</ul>`
}

/** `titled`: the card is called otherwise than the tool. */
export function drawFacts(
  { reason, askedName, name, source, round, startedAt }: CardView,
  titled: boolean,
  words: Strings,
  language: string,
): TemplateResult | typeof nothing {
  const facts: unknown[] = []
  if (reason)
    facts.push(
      html`${words.reason}: <bdi>${(Object.hasOwn(words.reasons, reason) && words.reasons[reason]) || markInvisible(reason.slice(0, 1000))}</bdi>`,
    )
  if (titled && name) facts.push(html`<bdi class="true-name">${markInvisible(name.slice(0, 200))}</bdi>`)
  if (renamed(askedName, name)) facts.push(words.askedAs(escapeInvisible(askedName!.slice(0, 200))))
  if (source === 'provider') facts.push(words.byProvider)
  else if (source && source !== 'native') facts.push(html`<bdi>${markInvisible(source.slice(0, 100))}</bdi>`)
  if (round !== undefined && round > 1) facts.push(words.round(round))
  if (startedAt !== undefined) facts.push(clock(startedAt, language))
  return facts.length === 0 ? nothing : html`<p class="facts">${facts.map((fact) => html`<span>${fact}</span>`)}</p>`
}
