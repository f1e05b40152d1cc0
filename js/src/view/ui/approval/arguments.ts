// Draws the arguments of a call, each as plain text, for the card and the question alike.
import { css, html, nothing, type TemplateResult } from 'lit'
import { plain } from '../../../app/bridge/question.js'
import type { Json, JsonObject } from '../../../engine/core/events.js'
import { count } from '../shared/format.js'
import { escapeInvisible, markInvisible } from '../shared/mark-invisible.js'
import type { Strings } from '../shared/ui-strings.js'

/** A longer text is labelled with its length, since its box scrolls. */
const LONG = 400

export interface ArgumentsOptions {
  words: Strings
  lang: string
  /** How many characters of a value are shown; a button shows the rest. */
  limit: number
  /** Names of the arguments that are shown whole. */
  whole: ReadonlySet<string>
  showWhole: (name: string) => void
  /** What people call them. */
  label?: ((name: string) => string | undefined) | undefined
}

export function argumentList(
  values: JsonObject,
  { words, lang, limit, whole, showWhole, label }: ArgumentsOptions,
): TemplateResult {
  const entries = Object.entries(values)
  if (entries.length === 0) return html`<p class="none">${words.noArguments}</p>`
  return html`<dl class="arguments" part="arguments">
    ${entries.map(([name, value]) => {
      const text = plain(value)
      const cut = text.length > limit && !whole.has(name)
      return html`<div class="argument" part="argument">
        <dt>${labelled(label?.(name))}<bdi class="argument-name">${markInvisible(name)}</bdi>${
          text.length > LONG ? html`<span class="length">${words.characters(count(text.length, lang))}</span>` : nothing
        }</dt>
        <dd><div class="value ${kindOf(value)}" tabindex=${text.length > LONG ? 0 : nothing} dir=${typeof value === 'string' ? 'auto' : 'ltr'}
          >${markInvisible(cut ? text.slice(0, limit) : text)}</div>${
            cut
              ? html`<button type="button" class="more" @click=${() => showWhole(name)}>${words.showAll(count(text.length, lang))}</button>`
              : nothing
          }</dd>
      </div>`
    })}
  </dl>`
}

export const labelled = (label: string | undefined): TemplateResult | typeof nothing =>
  label === undefined ? nothing : html`<bdi class="argument-label">${markInvisible(label)}</bdi>`

/** The arguments in one line, for a closed card. */
export function summary(values: JsonObject, label: (name: string) => string | undefined = () => undefined): string {
  let line = ''
  for (const [name, value] of Object.entries(values)) {
    if (line) line += ' · '
    line += `${label(name) ?? name}: ${typeof value === 'string' ? value.slice(0, 120) : JSON.stringify(value)?.slice(0, 120)}`
    if (line.length > 160) break
  }
  return escapeInvisible(line.slice(0, 160).replace(/\s+/g, ' '))
}

function kindOf(value: Json): string {
  if (value === '') return 'string empty'
  return value === null ? 'null' : typeof value
}

export const argumentStyles = css`
  .arguments { margin: 0; display: grid; gap: 8px; }
  .argument { display: grid; gap: 3px; min-width: 0; }
  dt { display: flex; flex-wrap: wrap; gap: 0 10px; align-content: start; font-size: .86em; color: var(--_muted); max-height: 6em; overflow: hidden; }
  @container (min-width: 520px) {
    .argument { grid-template-columns: minmax(5em, 20%) 1fr; gap: 12px; }
    dt { padding-top: 6px; }
  }
  .argument-label { font-weight: 600; color: var(--_text); }
  .argument-label + .argument-name { color: var(--_muted); }
  .argument-name { font: .97em var(--_mono); color: var(--_text); white-space: pre-wrap; overflow-wrap: anywhere; min-width: 0; }
  .length { font-size: .92em; flex: none; }
  dd { margin: 0; min-width: 0; }
  .none { margin: 0; color: var(--_muted); font-size: .93em; }
  .value.number, .value.boolean, .value.null { color: var(--_accent-ink); }
  .value.empty::before { content: '""'; color: var(--_muted); }
  .more {
    padding: 4px 2px; border: 0; background: none; color: var(--_accent-ink); font: inherit; font-size: .9em; text-decoration: underline;
    text-underline-offset: 2px; cursor: pointer;
  }
`
