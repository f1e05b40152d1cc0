// The language of an element: the `lang` of its nearest ancestor that has one, across shadow roots, else the browser's
// language.

/** The language of an element, as a tag such as `zh-CN`. */
export function languageOf(element: Element): string {
  for (let node: Node | null = element; node; node = node.parentNode ?? (node as Partial<ShadowRoot>).host ?? null) {
    const lang = node instanceof Element ? node.getAttribute('lang') : null
    if (lang) return lang
  }
  return navigator.language
}

/** The entry of `table` for a language tag; English if there is none. */
export function pick<T>(table: { en: T; [language: string]: T }, lang: string): T {
  const base = lang.toLowerCase().split('-')[0] as string
  return (Object.hasOwn(table, base) ? table[base] : undefined) ?? table.en
}

// -- pages that switch their language

const listeners = new Set<() => void>()
let observer: MutationObserver | undefined

/** Tells everybody who shows something in a language. */
export function languageChanged(): void {
  for (const listener of listeners) listener()
}

/**
 * Calls `changed` whenever a `lang` attribute around the element changes, in the page or in the shadow roots in which
 * it stands.
 */
export function onLanguageChange(element: Element, changed: () => void): () => void {
  observer ??= new MutationObserver((changes) => {
    // Who sets the same language again changes nothing: an app that does so whenever it draws would be asked to draw
    // for ever.
    if (changes.some(({ target, oldValue }) => (target as Element).getAttribute('lang') !== oldValue)) languageChanged()
  })
  for (let root: Node = element.getRootNode(); ; root = root.host.getRootNode()) {
    // Elements of the kit tell by themselves, and have no others around them in their roots.
    const ours = root instanceof ShadowRoot && root.host.localName.startsWith('sluice-')
    if (!ours) observer.observe(root, { subtree: true, attributeFilter: ['lang'], attributeOldValue: true })
    if (!(root instanceof ShadowRoot)) break
  }
  listeners.add(changed)
  return () => {
    listeners.delete(changed)
    if (listeners.size === 0) observer?.disconnect()
  }
}
