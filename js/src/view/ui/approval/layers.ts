// Layers that let clicks through, which the page does not name where it is asked what a click would meet.

/** Elements that draw what no style of theirs says. */
const DRAWS = /^(canvas|img|video|iframe)$/

/**
 * Looks while clicks meet every layer, in open shadow roots too. Nothing is drawn meanwhile. It takes as long as the
 * page is large.
 */
export function withEveryLayer<T>(look: () => T): T {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('* { pointer-events: auto !important }')
  const roots: (Document | ShadowRoot)[] = [document]
  for (const root of roots)
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) roots.push(shadowRoot)
  for (const root of roots) root.adoptedStyleSheets.push(sheet)
  try {
    return look()
  } finally {
    for (const root of roots) root.adoptedStyleSheets.pop()
  }
}

/** The elements at a point, the topmost first, through open shadow roots. */
export const elementsAt = (x: number, y: number, root: Document | ShadowRoot = document): Element[] =>
  root
    .elementsFromPoint(x, y)
    .flatMap((one) =>
      one.getRootNode() !== root ? [] : one.shadowRoot ? [...elementsAt(x, y, one.shadowRoot), one] : one,
    )

/** A box without any paint, such as a list of notices without one, hides nothing. */
export function paints(element: Element): boolean {
  return (
    element.checkVisibility({ opacityProperty: true }) &&
    (element instanceof SVGElement ||
      DRAWS.test(element.localName) ||
      [...element.childNodes].some((node) => node instanceof Text && node.data.trim()) ||
      ['', '::before', '::after'].some((part) => {
        const { content, backgroundColor, backgroundImage, backdropFilter } = getComputedStyle(element, part)
        return (
          (!part || content !== 'none') &&
          (!backgroundColor.endsWith(', 0)') || backgroundImage !== 'none' || backdropFilter !== 'none')
        )
      }))
  )
}
