// Chooses the text protocol, further protocols, and the options of the chosen one.
import { html, nothing, type TemplateResult } from 'lit'
import type { Json, JsonObject } from '../../../engine/core/events.js'
import type { ConfigurationPage } from './configuration-page.js'
import type { Option } from './picker.js'
import { settingPath } from './store.js'
import { protocolOptions, type Switch } from './switches.js'

/** The setting `protocol`: an id, an object with the id and its options, or a list of these. */
export function drawProtocol(page: ConfigurationPage, one: Switch, value: Json): TemplateResult {
  const { text, store } = page
  const path = settingPath(one.id)
  const ids = idsOf(value)
  const only = ids.length === 1 ? ids[0] : undefined
  const options = protocolOptions.filter((option) => option.only === undefined || option.only === only)
  return html`
    ${page.row(
      one,
      () => html`${ids.length > 1 ? html`<p class="muted">${text.several(ids.join(', '))}</p>` : nothing}
      ${picker(page, one, ['auto', ...store.view!.protocols.filter((id) => id !== 'auto')], ids, false, (id) => page.set(path, id))}`,
    )}
    ${
      only && only !== 'auto'
        ? html`<fieldset><legend>${text.protocolOptions(only)}</legend>
      ${options.map((option) => drawOption(page, only, value, option))}</fieldset>`
        : nothing
    }`
}

export function drawProtocols(page: ConfigurationPage, one: Switch, value: Json): TemplateResult {
  const path = settingPath(one.id)
  const all = Array.isArray(value) ? value : [value]
  const ids = idsOf(value)
  const toggle = (id: string): void =>
    page.set(path, ids.includes(id) ? all.filter((item) => idOf(item) !== id) : [...all, id])
  return page.row(
    one,
    () => html`
    ${ids.length > 0 ? html`<p class="chips">${ids.map((id) => html`<span class="tag chosen">${id}</span>`)}</p>` : nothing}
    ${picker(page, one, ['auto', ...page.store.view!.protocols.filter((id) => id !== 'auto')], ids, true, toggle)}`,
  )
}

function picker(
  page: ConfigurationPage,
  one: Switch,
  ids: readonly string[],
  chosen: readonly string[],
  multiple: boolean,
  pick: (id: string) => void,
): TemplateResult {
  const { text } = page
  const options = ids.map(
    (id): Option => ({ id, note: (Object.hasOwn(text.protocols, id) ? text.protocols[id] : undefined) ?? text.family }),
  )
  const [label = one.id] = text.switches[one.id] ?? []
  return html`<sluice-picker id="switch-${one.id}" data-switch=${one.id} .options=${options} .chosen=${chosen} .multiple=${multiple}
    .label=${label} .placeholder=${text.protocolSearch} .empty=${text.noProtocol} .hits=${text.protocolHits}
    @pick=${(event: CustomEvent<string>) => pick(event.detail)}></sluice-picker>`
}

function drawOption(
  page: ConfigurationPage,
  protocol: string,
  value: Json,
  { name, choices, only }: (typeof protocolOptions)[number],
): TemplateResult {
  const { text } = page
  const id = `option-${name}`
  const [label, about] = text.options[name] ?? [name, '']
  const own = optionsOf(value)
  const said = only === undefined ? text.optionValues : { ...text.optionValues, null: text.off, true: text.on }
  const labels = choices.map((choice) => ({ value: choice as Json, label: said[String(choice)] ?? String(choice) }))
  const change = (chosen: Json): void => {
    const { [name]: _, ...rest } = own
    const next: JsonObject = chosen === null ? rest : { ...rest, [name]: chosen }
    page.set(settingPath('protocol'), Object.keys(next).length === 0 ? protocol : { id: protocol, ...next })
  }
  return html`<div class="setting"><label for=${id}>${label}</label><p id="${id}-about">${about}</p>
    <select id=${id} aria-describedby="${id}-about"
      @change=${(event: Event) => change(labels[(event.target as HTMLSelectElement).selectedIndex]!.value)}>
      ${labels.map((choice) => html`<option .selected=${choice.value === (own[name] ?? null)}>${choice.label}</option>`)}</select></div>`
}

function optionsOf(value: Json): JsonObject {
  const one = Array.isArray(value) ? value[0] : value
  if (typeof one !== 'object' || one === null || Array.isArray(one)) return {}
  const { id: _, ...options } = one
  return options
}

const idOf = (value: Json): string =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? String(value['id']) : String(value)
const idsOf = (value: Json): string[] => (Array.isArray(value) ? value : [value]).map(idOf)
