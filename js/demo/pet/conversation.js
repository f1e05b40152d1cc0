// Which conversation the windows of this device look at, and what its last answer is up to.

const key = 'conversation'
const listeners = new Set()

/** One for all windows: a new one begins in all of them. */
export const current = () => localStorage.getItem(key) ?? 'main'

/**
 * Where this device remembers none, the one that changed last goes on: a page on 127.0.0.1 has another origin with
 * every start.
 */
export async function goOn(client) {
  if (localStorage.getItem(key) !== null) return
  const [last] = await client.conversations.list({ limit: 1 }).catch(() => [])
  if (last && !last.damaged) localStorage.setItem(key, last.id)
}

export const begin = () => open(`chat-${Date.now().toString(36)}`)

export function open(id) {
  localStorage.setItem(key, id)
  tell()
}

/** Calls `listener(id)` now, and whenever another one is looked at. */
export function watchCurrent(listener) {
  const show = () => listener(current())
  listeners.add(show)
  show()
}

const tell = () => listeners.forEach((listener) => listener())
addEventListener('storage', (event) => event.key === key && tell())

/**
 * Calls `listener(conversation)` now, whenever it changes, and when another one begins. Gives it up for the next one by
 * itself.
 */
export function watchConversation(client, listener) {
  let off
  const start = () => {
    off?.()
    const live = client.open(current())
    const show = () => listener(live.getSnapshot())
    off = live.subscribe(show)
    show()
  }
  listeners.add(start)
  start()
}

/** Calls `listener(view, live)` with the last answer, whenever it changes; without arguments where there is none. */
export function watchAnswer(client, listener) {
  let watched
  let off
  watchConversation(client, ({ entries }) => {
    const id = entries.findLast(({ role }) => role === 'assistant')?.message
    if (id === watched) return
    off?.()
    watched = id
    off = undefined
    if (id === undefined) return listener()
    const live = client.message(id)
    const show = () => listener(live.getSnapshot(), live)
    off = live.subscribe(show)
    show()
  })
}
