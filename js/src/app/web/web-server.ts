// A local web server for one page and its own windows: files, JSON routes, and the bridge to a host over server-sent
// events. Nobody else on the machine or in the browser gets anything: it listens on an address of this machine that no
// other server has, wants it as Host (DNS rebinding), its own Origin, and a cookie that only the opening URL gives.
import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import type { Reply } from '../bridge/messages.js'
import { messageOf, SluiceError } from '../../engine/core/errors.js'
import { listen } from '../../engine/core/listen.js'
import { is, isObject, members, whole, withMethods, wrong } from '../../engine/core/options.js'
import { toBridgeError } from '../host/checks.js'
import { checkRights } from '../host/host-options.js'
import type { Host, WindowRights } from '../host/host-types.js'
import { findPageFile, packagePages, type PageRoots } from './web-files.js'
import { sendFile } from './send-file.js'
import { MAX_BODY_BYTES, maxCallBytes, readJson } from './json-body.js'
import { contentSecurityPolicy } from './policy.js'
import { HttpRefusal } from './http-refusal.js'
import { Windows } from './windows.js'

/** Answers a POST with the JSON that it returns; `signal` is aborted when the one who asked went away. */
export type WebRoute = (input: unknown, context: { signal: AbortSignal }) => unknown

/** What `serve` takes. */
export interface ServeOptions {
  /** Folders that exist, by the beginning of the path: `{ '/': 'js/pages/tester' }`. `/sluice/` is the package. */
  roots: PageRoots
  /** What the windows of the page talk to, by `webBridge()` of sluice/renderer. Default: nothing. */
  host?: Host
  /** What the windows may do. Required beside `host`. */
  rights?: WindowRights
  /** More answers for the page: `{ 'POST /api/parse': async (input) => … }`. Default none. */
  routes?: { [route: `POST /${string}`]: WebRoute }
  /** From 0 to 65,535. Default 0: any that is free. */
  port?: number
}

/** A server that runs. */
export interface WebServer {
  /** To be opened in a browser: it carries the token, and leads to a URL without it. A path may be put into it. */
  url: string
  /** `http://127.x.y.z:port`; where the system has only 127.0.0.1 (macOS): `http://….localhost:port`. */
  origin: string
  /** Ends every connection and stops. The host is not closed. */
  close(): Promise<void>
}

const headers = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

const LINGER_MS = 200
const FREE = 'leave the port out to get a free one'
const CALL = '/bridge/call'

const isRecord = (what: string): ReturnType<typeof is> => is(what, isObject)
const checkOptions = members({
  members: {
    roots: isRecord('folders by path'),
    host: withMethods('a host', 'connect'),
    rights: checkRights,
    routes: isRecord('functions by POST /path'),
    port: whole(0, 65_535),
  } satisfies { [option in keyof Required<ServeOptions>]: unknown },
  needs: ['roots'],
})

/**
 * Serves the pages of one person on this machine. Rejects with SluiceError `option` where an option is wrong or the
 * port is taken.
 */
export async function serve(options: ServeOptions): Promise<WebServer> {
  checkOptions(options, 'options')
  if (options.host && !options.rights)
    throw wrong('rights', undefined, 'what the page may do, such as { read: true, chat: true, approve: true }')
  await checkRoots(options.roots)
  const site = new Site(options)
  const server = createServer((request, response) => site.handle(request, response))
  // a body is asked for when it is wanted
  server.on('checkContinue', (request, response) => site.handle(request, response))
  server.requestTimeout = 30_000
  const name = await listenAlone(server, options.port ?? 0)
  const { port } = server.address() as AddressInfo
  site.host = `${name}:${port}`
  const origin = `http://${site.host}`
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      site.close()
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `${origin}/?token=${site.token}`, origin, close }
}

async function checkRoots(roots: PageRoots): Promise<void> {
  for (const [prefix, folder] of Object.entries(roots)) {
    const stats = await stat(folder).catch(() => undefined)
    if (!stats?.isDirectory()) throw wrong(`roots[${JSON.stringify(prefix)}]`, folder, 'a folder that is there')
  }
}

/**
 * Cookies know no ports: the page of any other server on 127.0.0.1 would be sent ours. So this one has an address, or a
 * name, that nobody else has and nobody can guess. Resolves to it.
 */
async function listenAlone(server: ReturnType<typeof createServer>, port: number): Promise<string> {
  const address = `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
  try {
    await listen(server, { host: address, port }, 'port', FREE)
    return address
  } catch (error) {
    if (((error as SluiceError).cause as NodeJS.ErrnoException | undefined)?.code !== 'EADDRNOTAVAIL') throw error
  }
  await listen(server, { host: '127.0.0.1', port }, 'port', FREE)
  return `${randomBytes(12).toString('hex')}.localhost`
}

class Site {
  host = ''
  readonly token = randomBytes(24).toString('base64url')

  readonly #roots: PageRoots
  readonly #routes = new Map<string, WebRoute>() // by path
  readonly #windows: Windows | undefined
  readonly #maxCallBytes: number

  constructor({ roots, host, rights = {}, routes = {} }: ServeOptions) {
    this.#roots = { ...packagePages, ...roots }
    for (const [name, route] of Object.entries(routes)) {
      const path = /^POST (\/\S*)$/.exec(name)?.[1]
      if (path === undefined)
        throw new SluiceError({ code: 'option', path: 'routes', detail: `found '${name}', expected 'POST /path'` })
      this.#routes.set(path, route)
    }
    this.#maxCallBytes = maxCallBytes(host?.attachments?.maxBytes ?? 0)
    if (!host) return
    const windows = (this.#windows = new Windows(host, rights))
    this.#routes.set(CALL, (input) => windows.call(input))
  }

  close(): void {
    this.#windows?.close()
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    this.#answer(request, response).catch((error: unknown) => refuse(request, response, error))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const origin = this.#origin(request)
    const url = new URL(readPath(request), origin)
    if (url.searchParams.has('token')) return this.#open(url, request, response)
    checkSource(request, origin)
    this.#checkCookie(request)
    const { method = '' } = request
    const route = this.#routes.get(url.pathname)
    if (route) {
      allow(method, 'POST')
      if (request.headers.origin === undefined)
        throw new HttpRefusal(403, 'a request without Origin: expected one of the page')
      return this.#run(route, request, response)
    }
    allow(method, 'GET', 'HEAD')
    if (this.#windows && url.pathname === '/bridge/events') {
      allow(method, 'GET')
      return this.#windows.open(response)
    }
    const found = await findPageFile(this.#roots, url.pathname).catch((error: unknown) => {
      if (url.pathname !== '/favicon.ico') throw error // every browser asks for it, and complains in the console
      return undefined
    })
    if (found) return await sendFile(found, url, method === 'HEAD', response)
    response.writeHead(204).end()
  }

  #origin(request: IncomingMessage): string {
    const { host = '' } = request.headers
    if (host === this.host) return `http://${host}`
    // never the real host, which the sender may not know
    throw new HttpRefusal(421, `Host: found '${host.slice(0, 100)}', expected the one of the URL that was printed`)
  }

  get #cookie(): string {
    return `sluice-${this.host.replace(/^.*:/, '')}` // two servers may share a name some day
  }

  /** The opening URL: the token becomes a cookie and leaves the address. */
  #open(url: URL, request: IncomingMessage, response: ServerResponse): void {
    allow(request.method ?? '', 'GET')
    if (!equal(url.searchParams.get('token') ?? '', this.token)) {
      throw new HttpRefusal(403, 'the token is not of this server: open the URL that it printed')
    }
    url.searchParams.delete('token')
    const to = url.pathname.replace(/^\/+/, '/') + url.search // never another host
    response.setHeader('set-cookie', `${this.#cookie}=${this.token}; HttpOnly; SameSite=Strict; Path=/`)
    // A redirect would count as one of the page that held the link, and the cookie would not come along.
    const linked = request.headers['sec-fetch-site'] === 'cross-site'
    response.writeHead(
      linked ? 200 : 303,
      linked ? { refresh: `0; url=${to}`, 'content-type': 'text/plain' } : { location: to },
    )
    response.end()
  }

  #checkCookie(request: IncomingMessage): void {
    const start = `${this.#cookie}=`
    const cookies = (request.headers.cookie ?? '').split(/; */)
    const found = cookies
      .filter((cookie) => cookie.startsWith(start))
      .some((cookie) => equal(cookie.slice(start.length), this.token))
    if (!found)
      throw new HttpRefusal(403, 'this page is for whoever started it: open the URL that was printed in the terminal')
  }

  async #run(route: WebRoute, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const input = await readJson(
      request,
      response,
      route === this.#routes.get(CALL) ? this.#maxCallBytes : MAX_BODY_BYTES,
    )
    const gone = new AbortController()
    response.on('close', () => gone.abort(new Error('the page went away')))
    sendReply(response, 200, { ok: true, value: await route(input, { signal: gone.signal }) })
  }
}

function readPath(request: IncomingMessage): string {
  const { url = '' } = request
  if (!url.startsWith('/')) throw new HttpRefusal(400, `found '${url.slice(0, 100)}', expected a path`)
  return url.replace(/^\/+/, '/') // `//name/path` is another host to URL
}

/** Another page of the same browser is refused, also where it could not read the answer. */
function checkSource({ headers }: IncomingMessage, origin: string): void {
  if (headers.origin !== undefined && headers.origin !== origin) {
    throw new HttpRefusal(403, `Origin: found '${headers.origin}', expected ${origin}`)
  }
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return
  // somebody followed a link
  if (headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document') return
  throw new HttpRefusal(403, `a ${site} request: expected one of the page itself`)
}

function allow(method: string, ...methods: string[]): void {
  if (!methods.includes(method))
    throw new HttpRefusal(405, `found ${method}, expected ${methods.join(' or ')}`, { allow: methods.join(', ') })
}

function equal(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function sendReply(response: ServerResponse, status: number, reply: Reply): void {
  if (response.destroyed) return
  const body = Buffer.from(JSON.stringify(reply))
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length })
  response.end(body)
}

function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy()
  for (const [name, value] of Object.entries(error instanceof HttpRefusal ? error.headers : {}))
    response.setHeader(name, value)
  // Do not read the rest of the body. Close the connection after the answer; closing at once could lose the answer.
  if (!request.complete) {
    response.setHeader('connection', 'close')
    response.on('finish', () => setTimeout(() => request.destroy(), LINGER_MS))
  }
  const why =
    error instanceof HttpRefusal
      ? { code: error.code, detail: error.message }
      : toBridgeError(error, (other) => ({ code: 'internal', detail: messageOf(other) }))
  const status = error instanceof HttpRefusal ? error.status : why.code === 'internal' ? 500 : 400
  if (request.method === 'POST') return sendReply(response, status, { ok: false, error: why })
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(request.method === 'HEAD' ? undefined : `${why.detail}\n`)
}
