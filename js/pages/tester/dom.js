// Elements without a framework.
import { splitInvisible } from '/sluice/app/bridge/invisible.js'

/**
 * `h('button', { class: 'primary', onclick: run }, 'Run')`: attributes, properties where a setter is needed, listeners.
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (properties.has(name)) element[name] = value
    else element.setAttribute(name, value === true ? '' : value)
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false))
  if ('value' in attributes && tag === 'select') element.value = attributes.value // after its options
  return element
}

const properties = new Set(['value', 'checked', 'view', 'hidden', 'disabled', 'selected', 'indeterminate', 'open'])

/** Text of a model or a tool, with what has no glyph of its own shown by its code point. */
export function foreign(text) {
  return splitInvisible(text).map((run, at) => (at % 2 ? h('span', { class: 'code-point' }, `⟨${run}⟩`) : run))
}

export function field(label, control, about) {
  control.id ||= `field-${++fields}`
  const note = about ? h('p', { class: 'about', id: `${control.id}-about` }, about) : undefined
  if (note) control.setAttribute('aria-describedby', note.id)
  return h('div', { class: 'field' }, h('label', { for: control.id }, label), control, note)
}
let fields = 0

export function select(options, value, onchange) {
  return h(
    'select',
    { value, onchange: (event) => onchange(event.target.value) },
    options.map(([id, label]) => h('option', { value: id }, label)),
  )
}

/** Puts new content in place, but not where it would be the same: focus and scrolling stay. */
export function replace(element, ...children) {
  element.replaceChildren(
    ...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false),
  )
}

/** Text that scrolls, and can be scrolled by key. */
export const scroller = (label, attributes, ...children) =>
  h('pre', { tabindex: '0', role: 'region', 'aria-label': label, ...attributes }, ...children)

/** A button that copies what `read` gives, and says so. */
export function copyButton({ text }, label, read, failed = () => {}) {
  const button = h(
    'button',
    {
      class: 'copy',
      onclick: async () => {
        try {
          await navigator.clipboard.writeText(await read())
          button.textContent = text.copied
          setTimeout(() => (button.textContent = label), 1500)
        } catch (error) {
          failed(error)
        }
      },
    },
    label,
  )
  return button
}

export function pretty(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : text
  } catch {
    return text
  }
}

/** Runs the last of what is asked for, a moment later. */
export function debounced(run, ms) {
  let timer
  const soon = () => {
    clearTimeout(timer)
    timer = setTimeout(run, ms)
  }
  soon.cancel = () => clearTimeout(timer)
  return soon
}

export function duration(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
}
