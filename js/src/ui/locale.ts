// The language of an element: the `lang` of its nearest ancestor that has one, across shadow roots, else the browser's language.

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

/** Calls `changed` whenever a `lang` attribute of the page changes. */
export function onLanguageChange(changed: () => void): () => void {
  observer ??= new MutationObserver(() => {
    for (const listener of listeners) listener()
  })
  if (listeners.size === 0) observer.observe(document, { attributes: true, subtree: true, attributeFilter: ['lang'] })
  listeners.add(changed)
  return () => {
    listeners.delete(changed)
    if (listeners.size === 0) observer?.disconnect()
  }
}
