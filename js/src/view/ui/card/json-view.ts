// Draws JSON as a tree that a person can open, or as a table if it is a list of flat objects. Plain DOM, text nodes
// only. A file of its own, which is loaded when the first result that may need it is in a page: it is there before a
// person opens the card.
import { splitInvisible } from '../../../app/bridge/invisible.js'
import type { Json, JsonObject } from '../../../engine/core/events.js'
import type { Strings } from '../shared/ui-strings.js'

/** How many entries of a list, and characters of a text, are shown at first. */
const ENTRIES = 50
const CHARACTERS = 2000
const COLUMNS = 12
/** A list of at most this many entries starts open. */
const OPEN = 12

const css = String.raw
export const jsonStyles = new CSSStyleSheet()
jsonStyles.replaceSync(css`
  .json { padding: 8px 10px 8px 1.4em; border-radius: var(--_small-radius); background: var(--_inset); font: .86em / 1.6 var(--_mono); max-height: calc(var(--_max-height) * 1.5); overflow: auto; contain: content; }
  .json ul { margin: 0; padding: 0; list-style: none; }
  .json ul ul { padding-inline-start: 1.6em; border-inline-start: 1px solid var(--_border); margin-inline-start: -.55em; }
  .json li { overflow-wrap: anywhere; }
  .json summary { cursor: pointer; margin-inline-start: -1em; list-style: none; }
  .json summary::before { content: '▸'; display: inline-block; width: 1em; color: var(--_muted); }
  .json details[open] > summary::before { content: '▾'; }
  .json summary::-webkit-details-marker { display: none; }
  .json .plain, .json .null { color: var(--_muted); }
  .json .key { color: var(--_accent-ink); }
  .json .number, .json .boolean { color: var(--_success); }
  .json .string { white-space: pre-wrap; }
  .json .string::before, .json .string::after { content: '"'; color: var(--_muted); }
  .json .scroll { overflow-x: auto; }
  .json table { border-collapse: collapse; min-width: 100%; }
  .json th, .json td { padding: 4px 14px 4px 0; text-align: start; vertical-align: top; border-bottom: 1px solid var(--_border); white-space: pre-wrap; max-width: 28em; }
  .json th { color: var(--_muted); font-weight: 600; white-space: nowrap; }
  .json tbody tr:last-child > td { border-bottom: 0; }
`)

export function jsonView(value: Json, words: Strings, lang: string): HTMLElement {
  const root = make('div', 'json')
  root.append(isTable(value) ? table(value, words, lang) : node(value, words, lang, 0))
  return root
}

type Flat = { [key: string]: null | boolean | number | string }

function isTable(value: Json): value is Flat[] {
  if (!Array.isArray(value) || value.length < 2) return false
  const columns = new Set<string>()
  for (const row of value) {
    if (row === null || typeof row !== 'object' || Array.isArray(row)) return false
    for (const [key, cell] of Object.entries(row)) {
      if (typeof cell === 'object' && cell !== null) return false
      columns.add(key)
    }
  }
  return columns.size > 0 && columns.size <= COLUMNS
}

function table(rows: Flat[], words: Strings, lang: string): HTMLElement {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const box = make('div', 'scroll')
  box.tabIndex = 0
  box.setAttribute('role', 'region')
  box.setAttribute('aria-label', words.result)
  const element = make('table')
  const head = element.appendChild(make('thead')).appendChild(make('tr'))
  for (const column of columns) {
    const cell = make('th')
    cell.setAttribute('scope', 'col')
    cell.append(isolated(column))
    head.append(cell)
  }
  const body = element.appendChild(make('tbody'))
  const line = (row: Flat): HTMLElement => {
    const tr = make('tr')
    for (const column of columns) {
      const cell = make('td')
      if (Object.hasOwn(row, column)) cell.append(scalar(row[column] as Json, words, lang, false))
      tr.append(cell)
    }
    return tr
  }
  box.append(element)
  some(rows, line, body, box, words, lang)
  return box
}

function node(value: Json, words: Strings, lang: string, depth: number, key?: string): Node {
  const label = key === undefined ? [] : [keyed(key), ' ']
  if (value === null || typeof value !== 'object') return line(...label, scalar(value, words, lang, true))
  const list = Array.isArray(value)
  const entries: [string, Json][] = list
    ? value.map((item, at) => [String(at), item])
    : Object.entries(value as JsonObject)
  if (entries.length === 0) return line(...label, make('span', 'plain', list ? '[ ]' : '{ }'))
  const inner = make('ul')
  const each = ([name, item]: [string, Json]): HTMLElement => {
    const element = make('li')
    element.append(node(item, words, lang, depth + 1, name))
    return element
  }
  if (depth === 0) {
    const box = make('div')
    box.append(inner)
    some(entries, each, inner, box, words, lang)
    return box
  }
  const details = make('details') as HTMLDetailsElement
  const summary = make('summary')
  summary.append(...label, make('span', 'plain', list ? words.items(entries.length) : words.members(entries.length)))
  details.append(summary, inner)
  const fill = (): void => {
    if (!inner.firstChild) some(entries, each, inner, details, words, lang)
  }
  if (depth === 1 && entries.length <= OPEN) {
    details.open = true
    fill()
  }
  details.addEventListener('toggle', fill)
  return details
}

function keyed(name: string): HTMLElement {
  const key = make('span', 'key')
  key.append(isolated(name), make('span', 'plain', ':'))
  return key
}

function line(...nodes: (Node | string)[]): HTMLElement {
  const element = make('div', 'leaf')
  element.append(...nodes)
  return element
}

function scalar(value: Json, words: Strings, lang: string, quoted: boolean): Node {
  if (typeof value !== 'string') return make('span', value === null ? 'null' : typeof value, String(value))
  const whole = make('bdi', quoted ? 'string' : 'cell')
  whole.append(...marked(value.slice(0, CHARACTERS)))
  if (value.length > CHARACTERS) {
    whole.append(
      '… ',
      more(words.showAll(value.length.toLocaleString(lang)), () => whole.replaceChildren(...marked(value))),
    )
  }
  return whole
}

/** The first items, and a button for the others. */
function some<T>(
  all: readonly T[],
  line: (one: T) => HTMLElement,
  into: HTMLElement,
  below: HTMLElement,
  words: Strings,
  lang: string,
): void {
  let shown = 0
  const next = (): void => {
    into.append(...all.slice(shown, shown + (shown ? ENTRIES * 10 : ENTRIES)).map(line))
    shown = into.childElementCount
    if (shown < all.length) below.append(more(words.moreRows((all.length - shown).toLocaleString(lang)), next))
  }
  next()
}

function more(label: string, act: () => void): HTMLElement {
  const button = make('button', 'more', label) as HTMLButtonElement
  button.type = 'button'
  button.addEventListener('click', () => {
    button.remove()
    act()
  })
  return button
}

function isolated(text: string): HTMLElement {
  const element = make('bdi')
  element.append(...marked(text.length > CHARACTERS ? text.slice(0, CHARACTERS) + '…' : text))
  return element
}

const marked = (text: string): (Node | string)[] =>
  splitInvisible(text).map((run, at) => (at % 2 ? make('span', 'code-point', `⟨${run}⟩`) : run))

function make(tag: string, className = '', text = ''): HTMLElement {
  const element = document.createElement(tag)
  if (className) element.className = className
  if (text) element.textContent = text
  return element
}
