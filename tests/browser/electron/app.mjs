// An app as Electron would run it: a process that plays main, Chromium pages with the built preload in an isolated
// world, and between them what Electron's browser process does: says who sent a message, and from which page. Nothing
// of the app runs in this process.
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startScriptedServer } from 'sluice/testing'
import { until } from '../support.mjs'
import { decode, encode } from './codec.mjs'
import { openHidden } from './hidden.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const dist = fileURLToPath(new URL('../../../js/dist/', import.meta.url))
const binding = '__toBrowser'
const world = 'preload'
export const csp =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * `answers` are the model's; `main` goes to the main process as its options; `pages` is the folder of the pages. Ends
 * with the test.
 */
export async function openApp(t, browser, { answers = [], server = {}, main = {}, pages = join(here, 'pages') } = {}) {
  const model = await startScriptedServer({ answers, ...server })
  const site = await serveSite(pages)
  const told = JSON.stringify({ baseURL: model.baseURL, origin: site.origin, ...main })
  const child = fork(join(here, 'main.mjs'), { serialization: 'advanced', env: { ...process.env, SLUICE_APP: told } })
  const app = new App(child, browser, site, model)
  t.after(() => app.close())
  await until(() => app.ready, 'the main process')
  return app
}

class App {
  windows = new Map()
  ready = false
  #child
  #browser
  #asked = new Map()
  #last = 0
  #exited

  constructor(child, browser, site, model) {
    Object.assign(this, { site, model, pid: child.pid })
    this.#child = child
    this.#browser = browser
    this.#exited = new Promise((resolve) => child.once('exit', resolve))
    child.on('message', (message) => this.#hear(message))
  }

  /**
   * A window with the preload, or with another one. `rights` are the app's to give; `hidden`: minimised, without
   * Playwright.
   */
  async window(
    t,
    { path = '/index.html', hidden = false, preload = read(join(dist, 'preload/index.cjs')), ...options } = {},
  ) {
    const id = ++this.#last
    const opened = hidden
      ? await openHidden(await this.#browser.page(t))
      : await open(await this.#browser.page(t, { expected: options.expected }))
    const window = new Window(this, id, opened)
    this.windows.set(id, window)
    this.tell({ type: 'window', window: id, options })
    await window.prepare(preload)
    await window.goto(this.site.origin + path)
    return window
  }

  /** Asks the main process: see `methods` in main.mjs. */
  ask(method, ...args) {
    return this.invoke({ type: 'ask', method, args })
  }

  invoke(message) {
    const id = ++this.#last
    this.tell({ ...message, id })
    return new Promise((resolve, reject) => this.#asked.set(id, { resolve, reject }))
  }

  /** As if a frame had sent it, whatever it is: a page that got hold of its process's pipe to main. */
  forge({
    window,
    document = window?.document,
    url = this.site.origin + '/index.html',
    subframe = false,
    channel = 'sluice:call',
    args,
  }) {
    return this.invoke({ type: 'invoke', window: window.id, document, url, subframe, channel, args })
  }

  tell(message) {
    if (this.#child.connected) this.#child.send(message)
  }

  async close() {
    if (this.#child.connected) this.#child.disconnect()
    await this.#exited
    await Promise.all([this.site.close(), this.model.close()])
  }

  #hear(message) {
    if (message.type === 'ready') return void (this.ready = true)
    const window = this.windows.get(message.window)
    if (message.type === 'reply' && !message.page) {
      const { resolve, reject } = this.#asked.get(message.id)
      this.#asked.delete(message.id)
      return message.ok ? resolve(message.value) : reject(new Error(message.error))
    }
    window?.deliver(message)
  }
}

class Window {
  /** Counts the documents that were loaded; the main process knows the frame by it. */
  document = 0
  /** What the main process sent to the page, and when by its clock. */
  sent = []
  #app
  #cdp
  #context

  constructor(app, id, { cdp, page, evaluate, goto, close }) {
    Object.assign(this, { id, page, evaluate, goto })
    this.#app = app
    this.#cdp = cdp
    this.close = async () => {
      this.#gone()
      await close()
    }
    page?.on('close', () => this.#gone())
    page?.on('crash', () => app.tell({ type: 'crash', window: id }))
  }

  async prepare(preloadCode) {
    const cdp = this.#cdp
    cdp.on(
      'Runtime.bindingCalled',
      ({ name, payload, executionContextId }) => name === binding && this.#said(decode(payload), executionContextId),
    )
    await cdp.send('Page.enable')
    await cdp.send('Runtime.enable')
    await cdp.send('Runtime.addBinding', { name: binding, executionContextName: world })
    const { page, preload } = scripts(preloadCode)
    await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: page })
    await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: preload, worldName: world })
  }

  /** What the main process sends goes to the document that it was sent to, or nowhere. */
  deliver(message) {
    if (message.type === 'send') this.sent.push({ at: message.at, channel: message.channel })
    if (message.document !== this.document) return
    const { type, id, ok, value, error, channel, args } = message
    const expression = `deliver(${JSON.stringify(encode(type === 'reply' ? { type, id, ok, value, error } : { type, channel, args }))})`
    // it went away meanwhile
    this.#cdp.send('Runtime.evaluate', { expression, contextId: this.#context }).catch(() => {})
  }

  #said(message, context) {
    if (message.type === 'document') {
      this.#context = context
      this.document++
      this.#app.tell({ type: 'document', window: this.id, document: this.document, url: message.url })
    } else if (context === this.#context) {
      this.#app.tell({ ...message, window: this.id, document: this.document, page: true })
    }
  }

  #gone() {
    if (!this.#app.windows.delete(this.id)) return
    this.document = -1
    this.#app.tell({ type: 'close', window: this.id })
  }
}

async function open(page) {
  const cdp = await page.context().newCDPSession(page)
  return {
    cdp,
    page,
    evaluate: (...args) => page.evaluate(...args),
    goto: (url) => page.goto(url),
    close: () => page.close(),
  }
}

const read = (file) => readFileSync(file, 'utf8')

/** The page's half and the preload's, with a name for their events that no page can guess. */
function scripts(code) {
  const secret = JSON.stringify(randomUUID())
  const worlds = read(join(here, 'worlds.js'))
  const codec = read(join(here, 'codec.mjs')).replaceAll(/^export /gm, '')
  const built = `(require, module, exports) => {${code}\n}`
  // Electron runs a preload in the main frame alone
  const top = (code) => `if (window === top) { (() => { ${code} })() }`
  return {
    page: top(`${worlds}\npageWorld(${secret})`),
    preload: top(`${codec}\n${worlds}\npreloadWorld(${secret}, ${JSON.stringify(binding)}, ${built})`),
  }
}

const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css' }

/** The app's pages, and the package under /sluice/, with the policy that an app would have. */
async function serveSite(pages) {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, 'http://x').pathname)
    const ours = path.startsWith('/sluice/') ? path.slice(8) : undefined
    const file = ours === undefined ? join(pages, path) : join(dist, ours.startsWith('ui/') ? '' : 'esm', ours)
    const headers = {
      'content-type': types[extname(file)] ?? 'application/octet-stream',
      'content-security-policy': csp,
    }
    try {
      const content = readFileSync(file)
      response.writeHead(200, headers).end(content)
    } catch {
      response.writeHead(404, headers).end()
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://localhost:${server.address().port}`
  const close = () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections()))
  return { origin, close }
}
