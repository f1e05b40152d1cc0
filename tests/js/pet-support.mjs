// A pet without a page: a clock that stands until it is told, a client that is the test, a model that writes down what
// it does.

export function fakeClock() {
  let now = 1000
  let timers = []
  let frames = []
  return {
    now: () => now,
    setTimeout(run, ms) {
      const timer = { run, at: now + ms }
      timers.push(timer)
      return timer
    },
    clearTimeout(timer) {
      timers = timers.filter((one) => one !== timer)
    },
    frame(run) {
      frames.push(run)
      return () => (frames = frames.filter((one) => one !== run))
    },
    /** How many timers wait. */
    get waiting() {
      return timers.length
    },
    get drawing() {
      return frames.length > 0
    },
    pass(ms) {
      const end = now + ms
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        timers = timers.filter((one) => one !== next)
        now = Math.max(now, next.at)
        next.run()
      }
      now = end
    },
    draw() {
      const due = frames
      frames = []
      for (const run of due) run()
    },
  }
}

function live(view) {
  const listeners = new Set()
  return {
    getSnapshot: () => view,
    subscribe: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
    listeners,
    set(next) {
      view = next
      for (const listener of [...listeners]) listener()
    },
  }
}

/** `client.answer(id)` begins one; `client.tell(id, change)` changes it. */
export function fakeClient() {
  const conversations = new Map()
  const messages = new Map()
  const orders = new Set()
  const replies = []
  const connection = live('connected')
  const keep = (map, id, make) => (map.has(id) || map.set(id, live(make())), map.get(id))
  const client = {
    connection: {
      get state() {
        return connection.getSnapshot()
      },
      subscribe: connection.subscribe,
    },
    open: (id = 'main') => keep(conversations, id, () => ({ id, forgotten: 0, entries: [] })),
    message: (id) =>
      keep(messages, id, () => ({ id, seq: 0, role: 'assistant', rounds: 0, blocks: [], questions: [] })),
    pet: {
      onOrder: (listener) => (orders.add(listener), () => orders.delete(listener)),
      ready: async () => {},
      reply: async (answer) => void replies.push(answer),
    },
    // -- of the test
    replies,
    orders,
    messages,
    /** What was there when it was opened has arrived. */
    opened: (conversation) => client.open(conversation).set(client.open(conversation).getSnapshot()),
    connect: (state) => connection.set(state),
    answer(id, conversation = 'main', change = {}, entry = {}) {
      Object.keys(change).length > 0 && client.tell(id, change)
      const one = client.open(conversation)
      const before = one.getSnapshot()
      one.set({
        ...before,
        entries: [
          ...before.entries,
          { id: `u${id}`, role: 'user', at: 0, text: '?' },
          { id: `a${id}`, role: 'assistant', at: 0, message: id, ...entry },
        ],
      })
    },
    tell(id, change) {
      const one = client.message(id)
      const before = one.getSnapshot()
      one.set({ ...before, ...change, seq: before.seq + 1 })
    },
    write(id, text) {
      const { blocks } = client.message(id).getSnapshot()
      const last = blocks.at(-1)
      client.tell(id, {
        blocks:
          last?.type === 'text'
            ? [...blocks.slice(0, -1), { ...last, text: last.text + text }]
            : [...blocks, { type: 'text', text }],
      })
    },
    card(id, card) {
      const { blocks } = client.message(id).getSnapshot()
      const rest = blocks.filter((block) => block.call !== card.call)
      client.tell(id, { blocks: [...rest, { type: 'tool_use', name: 'notes.add', ...card }] })
    },
    async order(channel, ...payload) {
      for (const listener of orders) listener({ id: replies.length + 1, channel, payload })
      const count = replies.length
      while (replies.length === count) await new Promise(setImmediate)
      return replies.at(-1)
    },
  }
  return client
}

/** `draws: true`: it draws states by itself, as the puppet does. */
export function fakeModel({
  draws = false,
  expressions = ['Neutral', 'Smile', 'Thinking', 'Sad', 'Sleepy', 'Surprised'],
  motions = { Wave: 1, Nod: 1 },
} = {}) {
  const done = []
  const model = {
    done,
    last: (what) => done.findLast(([name]) => name === what)?.[1],
    capabilities: () => ({ expressions, motions }),
    expression: (name) => (done.push(['expression', name]), expressions.includes(name)),
    motion: (group, index) => (done.push(['motion', group, index]), true),
    mouth: (open, form) => void done.push(['mouth', open, form]),
    fps: (limit) => void done.push(['fps', limit]),
    look: (point) => void done.push(['look', point]),
  }
  return draws
    ? {
        ...model,
        reset: () => void done.push(['expression', null]),
        state: (name, detail) => void done.push(['state', name, detail]),
      }
    : model
}
