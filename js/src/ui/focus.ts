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
