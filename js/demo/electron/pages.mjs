// @ts-check
// `app://pet/`: the pages of the demo and its JSON routes, as its web server has them. No file leaves the folders of
// the demo.
import { net, protocol } from 'electron'
import { pathToFileURL } from 'node:url'
import { contentSecurityPolicy, findPageFile, packagePages } from '../../dist/esm/app/web/index.js'

export const origin = 'app://pet'

const MAX_BODY = 1024 * 1024
const headers = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

// Before the app is ready, or never: a scheme with an origin of its own, for modules, fetch and storage.
protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
])

/**
 * @param {{ [prefix: string]: string }} roots
 * @param {{ [route: string]: (input: any) => unknown }} routes
 */
export function servePages(roots, routes) {
  protocol.handle('app', async (request) => {
    try {
      const { pathname, origin: asked } = new URL(request.url)
      if (asked !== 'null' && asked !== origin) return refuse(404, 'not_found', `there is no ${asked}`)
      const route = routes[`${request.method} ${pathname}`]
      if (route) return json(200, { ok: true, value: await route(await readBody(request)) })
      if (request.method !== 'GET') return refuse(405, 'argument', `found ${request.method}, expected GET`)
      const { file } = await findPageFile({ ...packagePages, ...roots }, pathname)
      const found = await net.fetch(pathToFileURL(file).href) // knows the type of a file
      return new Response(found.body, {
        headers: { ...headers, 'content-type': found.headers.get('content-type') ?? 'application/octet-stream' },
      })
    } catch (error) {
      const { status, code = 'internal', message, path, hint } = /** @type {any} */ (error)
      return refuse(status ?? (code === 'internal' ? 500 : 400), code, message, path, hint)
    }
  })
}

/** @param {Request} request */
async function readBody(request) {
  const source = request.headers.get('origin')
  if (source !== null && source !== origin)
    throw Object.assign(new Error(`Origin: found '${source}', expected ${origin}`), { status: 403, code: 'forbidden' })
  const text = await request.text()
  if (text.length > MAX_BODY)
    throw Object.assign(new Error(`the body is larger than ${MAX_BODY} characters`), { status: 413, code: 'limit' })
  return JSON.parse(text)
}

/** @param {number} status @param {unknown} value */
const json = (status, value) =>
  new Response(JSON.stringify(value), { status, headers: { ...headers, 'content-type': 'application/json' } })

/** @param {number} status @param {string} code @param {string} detail @param {string} [path] @param {string} [hint] */
const refuse = (status, code, detail, path, hint) =>
  json(status, { ok: false, error: { code, detail, ...(path ? { path } : {}), ...(hint ? { hint } : {}) } })
