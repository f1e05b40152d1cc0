// Which conversation the windows of this device look at, and what its last answer is up to.

const key = 'conversation'
const listeners = new Set()

/** One for all windows: a new one begins in all of them. */
export const current = () => localStorage.getItem(key) ?? 'main'

/** Where this device remembers none, the one that changed last goes on: a page on 127.0.0.1 has another origin with every start. */
export async function goOn(client) {
  if (localStorage.getItem(key) !== null) return
  const [last] = await client.conversations.list({ limit: 1 }).catch(() => [])
  if (last && !last.damaged) localStorage.setItem(key, last.id)
}

export function begin() {
  localStorage.setItem(key, `chat-${Date.now().toString(36)}`)
  tell()
}

const tell = () => listeners.forEach((listener) => listener())
addEventListener('storage', (event) => event.key === key && tell())

/** Calls `listener(conversation)` now, whenever it changes, and when another one begins. Gives it up for the next one by itself. */
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

/** Calls `listener` whenever the connection to the host comes or goes, and every second while it is not there. */
export function watchConnection(client, listener) {
  const { connection } = client
  let clock
  const show = () => {
    if (connection.state === 'connected') clock = clearInterval(clock)
    else clock ??= setInterval(show, 1000)
    listener(connection.state)
  }
  connection.subscribe(show)
  if (connection.state !== 'connected') show()
}

/** What a person would say that Lulu does: `idle`, `thinking`, `speaking`, `working`, `waiting`. */
export function doing(view) {
  if (!view || view.outcome !== undefined) return 'idle'
  if (view.asks.length > 0) return 'waiting'
  if (view.blocks.some((block) => block?.type === 'tool_use' && block.status === 'executing')) return 'working'
  const last = view.blocks.at(-1)
  return last?.type === 'text' && last.text.trim() !== '' ? 'speaking' : 'thinking'
}
