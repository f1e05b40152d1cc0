/** The element that has the focus, through shadow roots. */
export function focused(): Element | null {
  let element = document.activeElement
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
  return element
}

/** True if the person is typing, choosing from a list, or at another question: the focus must not be taken away. */
export function focusIsTaken(): boolean {
  const element = focused()
  if (!element) return false
  if (element.matches('input, textarea, select, iframe, embed, object, [role="textbox"], [role="combobox"], [role="searchbox"]')) return true
  if ((element as HTMLElement).isContentEditable) return true
  return (element.getRootNode() as Partial<ShadowRoot>).host?.localName === 'sluice-approval'
}

/** An element that draws itself later. */
interface Drawing {
  readonly renderRoot: ParentNode
  readonly updateComplete: Promise<unknown>
  requestUpdate(): void
}

/** Draws `host` anew and puts the focus on what then fits the selector. */
export function focusAfterUpdate(host: Drawing, selector: string, options: FocusOptions = { preventScroll: true }): void {
  host.requestUpdate()
  void host.updateComplete.then(() => host.renderRoot.querySelector<HTMLElement>(selector)?.focus(options))
}
