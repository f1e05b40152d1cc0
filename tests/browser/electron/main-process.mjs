// Electron's side of things in the process that plays main: ipcMain, windows, and frames that sent something. What
// comes and goes is `process.send` with `serialization: 'advanced'`: a structured clone between two processes.
import { EventEmitter } from 'node:events'

const windows = new Map()

export const ipcMain = Object.assign(new EventEmitter(), {
  handlers: new Map(),
  handle(channel, handler) {
    if (this.handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
    this.handlers.set(channel, handler)
  },
  removeHandler(channel) {
    this.handlers.delete(channel)
  },
})

/** A frame as Electron shows it to handlers. */
function frame(document, url, parent = null) {
  return {
    document,
    url,
    origin: new URL(url).origin,
    parent,
    get top() {
      return parent ?? this
    },
    name: '',
    routingId: document,
  }
}

class WebContents extends EventEmitter {
  constructor(id) {
    super()
    this.id = id
    this.mainFrame = frame(0, 'about:blank')
    this.destroyed = false
  }
  getURL() {
    return this.mainFrame.url
  }
  isDestroyed() {
    return this.destroyed
  }
  send(channel, ...args) {
    if (this.destroyed) throw new TypeError('Object has been destroyed')
    process.send({
      type: 'send',
      window: this.id,
      document: this.mainFrame.document,
      at: performance.now(),
      channel,
      args,
    })
  }
}

export class BrowserWindow extends EventEmitter {
  static fromWebContents(contents) {
    return windows.get(contents.id) ?? null
  }
  static getAllWindows() {
    return [...windows.values()]
  }
  constructor(id) {
    super()
    this.id = id
    this.webContents = new WebContents(id)
    windows.set(id, this)
  }
  isDestroyed() {
    return this.webContents.destroyed
  }
}

/** Hears what the browser says; `methods` answers what the test asks. */
export function start({ onWindow, methods }) {
  process.on('message', async (message) => {
    const window = windows.get(message.window)
    switch (message.type) {
      case 'window':
        return onWindow(new BrowserWindow(message.window), message.options)
      case 'document': {
        // the window shows another page, or the same one again
        const contents = window.webContents
        const details = { url: message.url, isSameDocument: false, isMainFrame: true, frame: contents.mainFrame }
        contents.emit('did-start-navigation', details, message.url, false, true)
        contents.mainFrame = frame(message.document, message.url)
        contents.emit('did-navigate', {}, message.url, 200, 'OK')
        return
      }
      case 'crash':
        return window.webContents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 5 })
      case 'close':
        windows.delete(window.id)
        window.webContents.destroyed = true
        window.webContents.emit('destroyed')
        window.emit('closed')
        return
      case 'send':
        return void ipcMain.emit(message.channel, eventOf(window, message), ...message.args)
      case 'invoke':
        return answer(message, () => {
          const handler = ipcMain.handlers.get(message.channel)
          if (!handler) throw new Error(`No handler registered for '${message.channel}'`)
          return handler(eventOf(window, message), ...message.args)
        })
      case 'ask':
        return answer(message, () => methods[message.method](...message.args))
    }
  })
  process.on('disconnect', () => process.exit())
  process.on('error', () => process.exit()) // the test ended while something was being sent
  process.send({ type: 'ready' })
}

/** A frame that is gone is null, as Electron has it. */
function eventOf({ webContents }, { document, url, subframe }) {
  const { mainFrame } = webContents
  const current = document === mainFrame.document
  if (current && !subframe) mainFrame.url = url // the page may have pushed a state
  const senderFrame = !current ? null : subframe ? frame(-document, url, mainFrame) : mainFrame
  return { type: 'frame', sender: webContents, senderFrame, processId: 1, frameId: document, ports: [] }
}

async function answer({ id, window, document, page }, work) {
  const head = { type: 'reply', id, window, document, page }
  try {
    const value = await work()
    process.send({ ...head, ok: true, value })
  } catch (error) {
    process.send({ ...head, ok: false, error: String(error) })
  }
}
