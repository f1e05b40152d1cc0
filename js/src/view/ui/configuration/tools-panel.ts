// The tools: which ones the model sees, why others are hidden, and what a person allows for each.
import { html, nothing, type TemplateResult } from 'lit'
import { each } from '../shared/each.js'
import type { ToolView } from '../../../app/bridge/messages.js'
import type { Json, PermissionLevel } from '../../../engine/core/events.js'
import { icon } from '../shared/icons.js'
import { markInvisible } from '../shared/mark-invisible.js'
import type { Choice, ConfigurationPage } from './configuration-page.js'
import type { ConfigurationStore, Path } from './store.js'

export interface ToolFilter {
  words: string
  tag: string
  show: 'all' | 'exposed' | 'hidden'
}

export const noFilter: ToolFilter = { words: '', tag: '', show: 'all' }

const levels = ['public', 'moderate', 'sensitive'] as const
/** The approval that a permission level implies if the tool sets none. */
const byLevel = { public: 'auto', moderate: 'ask_once', sensitive: 'ask_always' } as const

const togglePath = (name: string): Path => ['settings', 'toolToggles', name]
const allowances = ['permission', 'executionApproval', 'resultApproval'] as const

/** The person's changes to a tool. */
export function toolChanges(store: ConfigurationStore, tool: ToolView): Path[] {
  const toggle = togglePath(tool.name)
  const own = store.get(toggle)
  const toggled = typeof own === 'boolean' && own !== store.base(toggle)
  const changed = allowances.filter(
    (member) => tool.changed?.includes(member) || store.unsaved(['tools', tool.name, member]),
  )
  return [...(toggled ? [toggle] : []), ...changed.map((member): Path => ['tools', tool.name, member])]
}

export function drawTools(
  page: ConfigurationPage,
  filter: ToolFilter,
  opened: ReadonlySet<string>,
  setFilter: (filter: ToolFilter) => void,
  open: (name: string) => void,
): TemplateResult {
  const { store, text } = page
  const tools = store.view?.tools ?? []
  if (tools.length === 0) return html`<p class="state">${text.noTools}</p>`
  const found = tools.filter((tool) => fits(tool, filter))
  const shows = [
    ['all', text.allTools],
    ['exposed', text.onlyExposed],
    ['hidden', text.onlyHidden],
  ] as const
  return html`
    <div class="filter">
      <input type="search" class="field" aria-label=${text.search} placeholder=${`${text.search}: ${text.searchHint}`} autocomplete="off"
        spellcheck="false" .value=${filter.words} @input=${(event: Event) => setFilter({ ...filter, words: (event.target as HTMLInputElement).value })}>
      <select aria-label=${text.filter}
        @change=${(event: Event) => setFilter({ ...filter, show: shows[(event.target as HTMLSelectElement).selectedIndex]![0] })}>
        ${shows.map(([value, label]) => html`<option .selected=${filter.show === value}>${label}</option>`)}</select>
      ${
        filter.tag
          ? html`<button class="tag chosen" aria-label=${`${text.clearFilter}: ${filter.tag}`} @click=${() => setFilter({ ...filter, tag: '' })}>
            ${markInvisible(filter.tag)} ${icon('cross')}</button>`
          : nothing
      }
      <span class="muted" role="status">${text.toolCount(found.length, tools.length)}</span>
    </div>
    ${
      found.length === 0
        ? html`<p class="state">${text.noMatch} <button class="button" @click=${() => setFilter(noFilter)}>${text.clearFilter}</button></p>`
        : html`<ul class="tools">${each(
            found,
            ({ name }) => name,
            (tool) => drawTool(page, tool, filter, opened.has(tool.name), setFilter, open),
          )}</ul>`
    }`
}

function fits(tool: ToolView, { words, tag, show }: ToolFilter): boolean {
  if (tag && !tool.tags.includes(tag)) return false
  if (show !== 'all' && tool.exposed !== (show === 'exposed')) return false
  const all = [tool.name, tool.description, ...tool.tags].join('\n').toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}

function drawTool(
  page: ConfigurationPage,
  tool: ToolView,
  filter: ToolFilter,
  opened: boolean,
  setFilter: (filter: ToolFilter) => void,
  open: (name: string) => void,
): TemplateResult {
  const { store, text } = page
  const id = `tool-${store.view!.tools.indexOf(tool)}`
  const path = togglePath(tool.name)
  const closed = tool.reason === 'not_callable'
  const changes = toolChanges(store, tool)
  const reason = tool.exposed ? '' : whyHidden(page, tool)
  return html`<li data-tool=${tool.name} class=${changes.length > 0 ? 'changed' : ''}>
    <div class="tool">
      <input type="checkbox" role="switch" class="switch" id="${id}-on" aria-label=${text.expose(tool.name)}
        aria-describedby="${id}-why ${id}-on-fault" ?disabled=${closed} .checked=${!closed && isOn(store, tool)}
        @change=${(event: Event) => page.set(path, (event.target as HTMLInputElement).checked)}>
      <div class="about">
        <span class="name"><b>${markInvisible(tool.name)}</b>
          ${changes.length > 0 ? html`<span class="mark">${text.changed}</span>` : nothing}
          ${tool.tags.map((tag) => drawTag(tag, tag === filter.tag, text.tag(tag), () => setFilter({ ...filter, tag: tag === filter.tag ? '' : tag })))}</span>
        ${tool.description ? html`<p>${markInvisible(tool.description)}</p>` : nothing}
        <p class="why" id="${id}-why" ?hidden=${!reason}>${reason}</p>
        ${page.faultOf(path, `${id}-on`)}${page.faultOf(['tools', tool.name, 'permission'], `${id}-permission`)}
      </div>
      <span class="muted cost" title=${text.promptEstimate}>${tool.estimatedTokens === undefined ? '' : text.tokens(tool.estimatedTokens)}</span>
      <span class="level ${tool.permission}">${page.select(
        ['tools', tool.name, 'permission'],
        `${id}-permission`,
        levels.map((level) => ({ value: level, label: text.levels[level] })),
        levelOf(store, tool),
        text.permissionOf(tool.name),
      )}</span>
      <button class="button quiet details" aria-expanded=${opened} aria-controls="${id}-more" aria-label=${text.detailsOf(tool.name)} title=${text.details}
        @click=${() => open(tool.name)}>${icon('chevron')}</button>
    </div>
    <div class="more" id="${id}-more" ?hidden=${!opened}>${opened ? drawDetails(page, tool, id, changes) : nothing}</div>
  </li>`
}

const drawTag = (tag: string, chosen: boolean, title: string, pick: () => void): TemplateResult =>
  html`<button class="tag ${chosen ? 'chosen' : ''}" aria-pressed=${chosen} title=${title} @click=${pick}>${markInvisible(tag)}</button>`

function drawDetails(page: ConfigurationPage, tool: ToolView, id: string, changes: readonly Path[]): TemplateResult {
  const { store, text } = page
  const level = levelOf(store, tool)
  const execution: Choice[] = [
    { value: null, label: text.byLevel(text.policies[byLevel[level]]) },
    ...Object.entries(text.policies).map(([value, label]) => ({ value, label })),
  ]
  const result: Choice[] = [
    { value: null, label: text.byTool },
    ...Object.entries(text.results).map(([value, label]) => ({ value, label })),
  ]
  const field = (member: 'executionApproval' | 'resultApproval', label: string, choices: Choice[]): TemplateResult => {
    const path: Path = ['tools', tool.name, member]
    return html`<div class="setting"><label for="${id}-${member}">${label}</label>
      ${page.select(path, `${id}-${member}`, choices, store.get(path) ?? null)}${page.faultOf(path, `${id}-${member}`)}</div>`
  }
  return html`
    ${field('executionApproval', text.executionApproval, execution)}
    ${field('resultApproval', text.toolResultApproval, result)}
    ${tool.timeoutMs === undefined ? nothing : html`<div class="setting"><span>${text.timeout}</span><span>${tool.timeoutMs / 1000} s</span></div>`}
    ${
      changes.length > 0
        ? html`<button class="button quiet" aria-label=${text.resetOf(tool.name)} @click=${(event: Event) => {
            const row = (event.currentTarget as Element).closest('li')
            store.set(changes.map((path) => [path, null] as const))
            row?.querySelector<HTMLElement>('.details')?.focus() // the pressed button disappears
          }}>${text.reset}</button>`
        : nothing
    }
    ${
      tool.parameters
        ? html`<div class="schema"><span>${text.parameters}</span>
          <pre class="value" tabindex="0" role="region" aria-label=${text.parameters}>${markInvisible(JSON.stringify(tool.parameters, null, 2))}</pre></div>`
        : html`<p class="muted">${text.noParameters}</p>`
    }`
}

const levelOf = (store: ConfigurationStore, tool: ToolView): PermissionLevel =>
  (store.get(['tools', tool.name, 'permission']) ?? tool.permission) as PermissionLevel

/** The tool's own switch, without the one for all tools. */
function isOn(store: ConfigurationStore, tool: ToolView): boolean {
  const toggle: Json | undefined = store.get(togglePath(tool.name)) ?? store.base(togglePath(tool.name))
  if (typeof toggle === 'boolean') return toggle
  return (
    tool.exposed ||
    (store.get(['settings', 'enabled']) === false && store.get(['settings', 'defaultToolEnabled']) !== false)
  )
}

function whyHidden({ store, text }: ConfigurationPage, tool: ToolView): string {
  if (tool.reason === 'not_callable' || tool.reason === 'unsendable') return text.reasons[tool.reason]
  if (tool.reason !== 'disabled') return text.reason(tool.reason ?? '?')
  if (store.get(['settings', 'enabled']) === false) return text.reasons.all
  return store.get(togglePath(tool.name)) === false ? text.reasons.toggled : text.reasons.disabled
}
