// Runs in every page before its own scripts, once in the page's world and once in the isolated one, and gives the
// preload what Electron gives a sandboxed one: `require('electron')` with contextBridge and ipcRenderer. Nothing but
// DOM events gets from one world to the other, and Chromium copies what they carry; functions and promises are named by
// numbers, as contextBridge proxies them.

/** One end of the way between the worlds. `secret` keeps the page from talking on it. */
function openWorlds(here, there, secret) {
  const functions = new Map()
  const promises = new Map()
  let last = 0
  const dispatch = (detail) => document.dispatchEvent(new CustomEvent(secret + there, { detail }))
  const own = (object) => Object.keys(object)

  /** What crosses: copies of plain data; prototypes, getters and symbols stay behind. */
  function pack(value, depth = 0) {
    if (depth > 1000)
      throw new TypeError(
        'Electron contextBridge recursion depth exceeded.  Nested objects deeper than 1000 are not supported.',
      )
    if (typeof value === 'function') {
      functions.set(++last, value)
      return { type: 'function', id: last }
    }
    if (typeof value === 'symbol') throw new TypeError('An object could not be cloned.')
    if (typeof value !== 'object' || value === null) return { type: 'value', value }
    if (value instanceof Promise) {
      const id = ++last
      const settle = (ok) => (result) => dispatch({ type: 'settle', id, ok, ...attempt(() => pack(result)) })
      value.then(settle(true), settle(false))
      return { type: 'promise', id }
    }
    if (value instanceof Error) return { type: 'error', message: value.message }
    if (Array.isArray(value)) return { type: 'array', items: value.map((item) => pack(item, depth + 1)) }
    const plain =
      [Object.prototype, null].includes(Object.getPrototypeOf(value)) ||
      Object.prototype.toString.call(value) === '[object Object]'
    if (!plain) return { type: 'value', value }
    return { type: 'object', entries: own(value).map((key) => [key, pack(value[key], depth + 1)]) }
  }

  function unpack(packed) {
    switch (packed.type) {
      case 'function':
        return (...args) => call(packed.id, args)
      case 'promise':
        return new Promise((resolve, reject) => promises.set(packed.id, { resolve, reject }))
      case 'error':
        return new Error(packed.message)
      case 'array':
        return packed.items.map(unpack)
      case 'object': {
        const object = {}
        for (const [key, item] of packed.entries) {
          Object.defineProperty(object, key, {
            value: unpack(item),
            enumerable: true,
            writable: true,
            configurable: true,
          })
        }
        return object
      }
      default:
        return packed.value
    }
  }

  function attempt(work) {
    try {
      return { packed: work() }
    } catch (error) {
      return { packed: { type: 'error', message: String(error?.message ?? error) }, threw: true }
    }
  }

  // -- calls: the answer to an event comes while it is being dispatched
  const answers = []
  function call(id, args) {
    dispatch({ type: 'call', id, args: args.map((arg) => pack(arg)) })
    const { packed, threw } = answers.pop()
    if (threw) throw unpack(packed)
    return unpack(packed)
  }

  const handlers = {
    call({ id, args }) {
      dispatch({ type: 'answer', ...attempt(() => pack(functions.get(id)(...args.map(unpack)))) })
    },
    answer: (answer) => answers.push(answer),
    settle({ id, ok, packed, threw }) {
      promises.get(id)[ok && !threw ? 'resolve' : 'reject'](unpack(packed))
      promises.delete(id)
    },
  }
  document.addEventListener(secret + here, ({ detail }) => handlers[detail.type]?.(detail))
  return { pack, unpack, dispatch, on: (type, handler) => (handlers[type] = handler) }
}

// biome-ignore lint/correctness/noUnusedVariables: the world that gets this file calls it
function pageWorld(secret) {
  const worlds = openWorlds('page', 'preload', secret)
  worlds.on('expose', ({ key, packed }) => {
    const freeze = (value) => (
      Object.values(value).forEach((one) => typeof one === 'object' && one && freeze(one)), Object.freeze(value)
    )
    Object.defineProperty(window, key, {
      value: freeze(worlds.unpack(packed)),
      configurable: false,
      enumerable: true,
      writable: false,
    })
  })
  worlds.dispatch({ type: 'ready' })
}

// biome-ignore lint/correctness/noUnusedVariables: the world that gets this file calls it
function preloadWorld(secret, binding, preload) {
  const worlds = openWorlds('preload', 'page', secret)
  const send = (message) => globalThis[binding](encode({ url: location.href, ...message }))
  const exposed = new Map()
  const expose = (key) => worlds.dispatch({ type: 'expose', key, packed: worlds.pack(exposed.get(key)) })
  worlds.on('ready', () => [...exposed.keys()].forEach(expose)) // whichever world came first

  const listeners = new Map()
  const waiting = new Map()
  let last = 0
  const clone = (args) => {
    try {
      return structuredClone(args)
    } catch {
      throw new Error('An object could not be cloned.')
    }
  }
  const electron = {
    contextBridge: {
      exposeInMainWorld(key, api) {
        if (exposed.has(key)) throw new Error('Cannot bind an API on top of an existing property on the window object')
        exposed.set(key, api)
        expose(key)
      },
    },
    ipcRenderer: {
      invoke: (channel, ...args) =>
        new Promise((resolve, reject) => {
          const copy = clone(args)
          waiting.set(++last, {
            resolve,
            reject: (text) => reject(new Error(`Error invoking remote method '${channel}': ${text}`)),
          })
          send({ type: 'invoke', id: last, channel, args: copy })
        }),
      send: (channel, ...args) => send({ type: 'send', channel, args: clone(args) }),
      on(channel, listener) {
        if (!listeners.has(channel)) listeners.set(channel, [])
        listeners.get(channel).push(listener)
        return this
      },
    },
  }
  /** Called by the browser. */
  globalThis.deliver = (text) => {
    const message = decode(text)
    if (message.type === 'reply') {
      const { resolve, reject } = waiting.get(message.id)
      waiting.delete(message.id)
      if (message.ok) resolve(message.value)
      else reject(message.error)
    } else {
      const event = { sender: electron.ipcRenderer, ports: [] }
      for (const listener of listeners.get(message.channel) ?? []) listener(event, ...message.args)
    }
  }
  send({ type: 'document' })
  const require = (name) => {
    if (name === 'electron') return electron
    throw new Error(`module not found: ${name}`) // as a sandboxed preload is told
  }
  preload(require, { exports: {} }, {})
}
