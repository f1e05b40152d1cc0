// A toolbar of small buttons: one tab stop, arrows within. What is off keeps its place, and the focus.
import { html, nothing, type TemplateResult } from 'lit'
import { icon, type IconName } from '../shared/icons.js'

export interface Tool {
  name: string
  label: string
  icon: IconName
  /** It is there, and does nothing now. */
  off?: boolean
}

export function toolButton({ name, label, icon: shape, off }: Tool, act: (name: string) => void): TemplateResult {
  return html`<button type="button" class="tool" data-action=${name} title=${label} aria-label=${label} aria-disabled=${off ? 'true' : 'false'} tabindex="-1"
    @click=${() => (off ? undefined : act(name))}>${icon(shape)}</button>`
}

export function toolbar(label: string, content: unknown, more: unknown = nothing): TemplateResult {
  return html`<div class="toolbar" part="toolbar" role="toolbar" aria-label=${label} @keydown=${onKey} @focusin=${onFocus}>${content}${more}</div>`
}

const buttonsOf = (bar: Element): HTMLElement[] => [...bar.querySelectorAll<HTMLElement>('button')]

/** The one that can be reached by Tab: the one that had the focus, else the first. */
export function oneTabStop(bar: Element | null): void {
  if (!bar) return
  const buttons = buttonsOf(bar)
  const current = buttons.find((button) => button.tabIndex === 0) ?? buttons[0]
  for (const button of buttons) button.tabIndex = button === current ? 0 : -1
}

function onFocus({ currentTarget, target }: FocusEvent): void {
  for (const button of buttonsOf(currentTarget as Element)) button.tabIndex = button === target ? 0 : -1
}

function onKey(event: KeyboardEvent): void {
  const buttons = buttonsOf(event.currentTarget as Element)
  const at = buttons.indexOf(event.target as HTMLElement)
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 }[event.key]
  if (to === undefined || at < 0) return
  event.preventDefault()
  buttons[(to + buttons.length) % buttons.length]?.focus()
}
