// What a test of the chat says with `page.evaluate`: a client whose conversations the test writes itself.
import './page.js'

export class FakeClient {
  /** What was called: [method, …arguments]. */
  calls = []
  /** What calls give: a value, or an error to throw. */
  gives = undefined
  #conversations = new Map()
  #messages = new Map()
  #listeners = new Set()
  connection = {
    state: 'connected',
    retryAt: undefined,
    subscribe: (listener) => {
      this.#listeners.add(listener)
      return () => this.#listeners.delete(listener)
    },
    retry: () => this.calls.push(['retry']),
  }

  constructor() {
    for (const method of ['send', 'regenerate', 'edit', 'choose', 'goOn', 'delete', 'openLink']) {
      this[method] = async (...given) => {
        this.calls.push([method, ...given])
        const gives = this.gives
        if (gives instanceof Error) throw gives
        return typeof gives === 'function' ? gives(method, ...given) : gives
      }
    }
  }

  connect(state, retryAt) {
    Object.assign(this.connection, { state, retryAt })
    for (const listener of this.#listeners) listener()
  }

  open(id = 'main') {
    let known = this.#conversations.get(id)
    if (!known) {
      const listeners = new Set()
      let view = { id, forgotten: 0, entries: [] }
      known = {
        id,
        older: [],
        opened: Promise.resolve(),
        subscribe: (listener) => {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
        getSnapshot: () => view,
        set: (more) => {
          view = { ...view, ...more }
          for (const listener of listeners) listener()
        },
        earlier: async (entry, limit = 100) => {
          this.calls.push(['earlier', entry])
          const at = known.older.findIndex((one) => one.id === entry)
          const all = at < 0 ? known.older : known.older.slice(0, at)
          return all.slice(-limit)
        },
        picture: async () => ({
          type: 'image',
          mediaType: 'image/png',
          data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        }),
        file: async ({ url }) => {
          this.calls.push(['file', url])
          if (url === 'sluice:gone') throw new Error('gone')
          return new TextEncoder().encode(url)
        },
      }
      this.#conversations.set(id, known)
    }
    return known
  }

  message(id) {
    let known = this.#messages.get(id)
    if (!known) this.#messages.set(id, (known = new Live(id)))
    return known
  }

  /** As a client does with what ended and nobody looks at. */
  forget(id) {
    this.#messages.delete(id)
  }

  /** Adds a question and its answer; the answer goes on where no deltas are given. Returns its message. */
  ask(text, deltas = [], { conversation = 'main', at = Date.now(), ...more } = {}) {
    const live = this.open(conversation)
    const id = `${conversation}-${(this.count = (this.count ?? 0) + 1)}`
    const message = this.message(`${id}a`)
    message.asked = true
    if (deltas.length > 0) message.push(...deltas)
    live.set({
      entries: [
        ...live.getSnapshot().entries,
        { id: `${id}q`, role: 'user', text, at, ...more },
        { id: `${id}a`, role: 'assistant', message: `${id}a`, at },
      ],
    })
    return message
  }
}

export const said = (text, end = { outcome: 'completed', finishReason: 'stop' }) => [
  { type: 'text', block: 0, text },
  ...(end ? [{ type: 'done', ...end }] : []),
]

/** Many entries: questions and answers by turns, `from` the first number. */
export const many = (client, count, from = 0) =>
  Array.from({ length: count }, (_, index) => {
    const at = from + index
    if (at % 2 === 0) return { id: `e${at}`, role: 'user', text: `Question ${at}`, at: 1_700_000_000_000 + at * 60_000 }
    const message = client.message(`e${at}`)
    if (message.getSnapshot().seq === 0) message.push(...said(`Answer ${at}`))
    return { id: `e${at}`, role: 'assistant', message: `e${at}`, at: 1_700_000_000_000 + at * 60_000 }
  })

Object.assign(window, { FakeClient, said, many })

/** An element of the chat that fills the page, with a client of its own. */
window.start = (tag = 'sluice-thread', properties = {}) => {
  window.client = new FakeClient()
  window.element = Object.assign(document.createElement(tag), { client, ...properties })
  element.classList.add('whole')
  document.body.classList.add('chat')
  document.querySelector('#stage').append(element)
  return element
}
/** Every text that a live region was given, with whether it interrupts. */
window.hear = () => {
  window.heard = []
  const roots = new Set()
  const watch = (root) => {
    if (roots.has(root)) return
    roots.add(root)
    new MutationObserver((changes) => {
      for (const { target, addedNodes } of changes) {
        for (const node of addedNodes) if (node.nodeType === 1) deep(node)
        const region = (target.nodeType === 1 ? target : target.parentElement)?.closest(
          '[role=status], [role=alert], [aria-live]',
        )
        if (region?.textContent.trim()) heard.push([region.getAttribute('role') ?? 'live', region.textContent.trim()])
      }
    }).observe(root, { childList: true, subtree: true, characterData: true })
    for (const one of root.querySelectorAll('*')) deep(one)
  }
  const deep = (node) => {
    if (node.shadowRoot) watch(node.shadowRoot)
    for (const one of node.querySelectorAll?.('*') ?? []) if (one.shadowRoot) watch(one.shadowRoot)
  }
  watch(document)
}
/**
 * Adds so many questions and answers, one after the other, as a page has them that stays open; it is drawn behind
 * `each` of them.
 */
window.goOn = async ({ from, count, each = 20 }) => {
  const size = 500 // as many as a host tells of
  const conversation = client.open()
  let { entries, forgotten } = conversation.getSnapshot()
  for (let at = from; at < from + count; at += 2) {
    const live = client.message(`m${at}`)
    live.push({
      type: 'text',
      block: 0,
      text: `Answer **${at}**, with \`code\` and a [link](https://example.com/${at}).`,
    })
    live.push({ type: 'done', outcome: 'completed', finishReason: 'stop' })
    entries = [
      ...entries,
      { id: `u${at}`, role: 'user', text: `Question ${at}`, at: 1_700_000_000_000 + at * 1000 },
      { id: `m${at}`, role: 'assistant', message: `m${at}`, at: 1_700_000_000_500 + at * 1000 },
    ]
    for (const { message } of entries.slice(0, -size)) if (message) client.forget(message)
    forgotten += Math.max(0, entries.length - size)
    entries = entries.slice(-size)
    conversation.set({ entries, forgotten })
    if (at % each === 0) await frames(1)
  }
  await frames(5)
}

window.chatReady = true
