// Does a person look at this window? Only then counts what it shows, and what is clicked in it.

/** The window is on the screen and has the focus of the system. */
export const watched = (): boolean => document.visibilityState === 'visible' && document.hasFocus()

const listeners = new Set<() => void>()

function tell(event: Event): void {
  if (event.type !== 'visibilitychange' && event.target !== window) return // the focus of an element
  for (const listener of listeners) listener()
}

/** Calls `changed` whenever the window comes or goes. */
export function onAttention(changed: () => void): () => void {
  if (listeners.size === 0) {
    document.addEventListener('visibilitychange', tell)
    addEventListener('focus', tell)
    addEventListener('blur', tell)
  }
  listeners.add(changed)
  return () => {
    listeners.delete(changed)
    if (listeners.size > 0) return
    document.removeEventListener('visibilitychange', tell)
    removeEventListener('focus', tell)
    removeEventListener('blur', tell)
  }
}
