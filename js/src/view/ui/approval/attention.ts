// Tells whether a person looks at this window, and at which part of it. Only then do its lines count as seen and its
// clicks as decisions.

/** True if the window is visible and has the system's focus. */
export const watched = (): boolean => document.visibilityState === 'visible' && document.hasFocus()

const listeners = new Set<() => void>()

function tell(event: Event): void {
  // an element's focus, not the window's
  if ((event.type === 'focus' || event.type === 'blur') && event.target !== window) return
  for (const listener of listeners) listener()
}

/**
 * Calls `changed` whenever the window gains or loses attention, or changes its size, and when a person zooms it with
 * two fingers.
 */
export function onAttention(changed: () => void): () => void {
  if (listeners.size === 0) {
    document.addEventListener('visibilitychange', tell)
    addEventListener('focus', tell)
    addEventListener('blur', tell)
    for (const type of ['resize', 'scroll']) visualViewport?.addEventListener(type, tell)
  }
  listeners.add(changed)
  return () => {
    listeners.delete(changed)
    if (listeners.size > 0) return
    document.removeEventListener('visibilitychange', tell)
    removeEventListener('focus', tell)
    removeEventListener('blur', tell)
    for (const type of ['resize', 'scroll']) visualViewport?.removeEventListener(type, tell)
  }
}
