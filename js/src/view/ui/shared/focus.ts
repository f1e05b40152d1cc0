/** The element that has the focus, through shadow roots. */
export function focused(): Element | null {
  let element = document.activeElement
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
  return element
}

/** The element in whose shadow root it stands. */
export const hostOf = (element: Element | null): Element | undefined =>
  (element?.getRootNode() as Partial<ShadowRoot> | undefined)?.host

/** A person writes, or chooses, in this element. */
export const writes = (element: Element): boolean =>
  element.matches(
    'input, textarea, select, iframe, embed, object, [role="textbox"], [role="combobox"], [role="searchbox"]',
  ) || (element as HTMLElement).isContentEditable

/**
 * A field that a person wrote in is gone, and the focus with it: their next key is still meant for it, until they point
 * at something or tab on.
 */
let cut = false
const over = (event: Event): void => {
  if ((event as KeyboardEvent).key === 'Tab' || event.type !== 'keydown') cut = false
}

/** What had the focus is gone. */
export function lost(element: Element): void {
  if (!writes(element)) return
  cut = true
  for (const type of ['keydown', 'pointerdown']) addEventListener(type, over, true)
}

/** True if the next key may be meant for a field that is gone: no button may get it. */
export const wrote = (): boolean => cut

/** True if the person is typing, choosing from a list, or at another question: the focus must not be taken away. */
export function focusIsTaken(): boolean {
  const element = focused()
  return element !== null && (writes(element) || hostOf(element)?.localName === 'sluice-approval')
}

/** An element that draws itself later. */
interface Drawing {
  readonly renderRoot: ParentNode
  readonly updateComplete: Promise<unknown>
  requestUpdate(): void
}

/** Draws `host` anew and puts the focus on what then fits the selector. */
export function focusAfterUpdate(
  host: Drawing,
  selector: string,
  options: FocusOptions = { preventScroll: true },
): void {
  host.requestUpdate()
  void host.updateComplete.then(() => {
    cut = false
    host.renderRoot.querySelector<HTMLElement>(selector)?.focus(options)
  })
}
