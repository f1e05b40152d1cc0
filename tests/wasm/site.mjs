// A plain web server for the tests: folders by path, a policy, and the scripted model under /v1 of the same origin.
import { createServer } from 'node:http'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { extname, join, normalize } from 'node:path'

export const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'"
const types = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
}

/**
 * `roots`: folders by the beginning of the path, the longest first. `policyOf(path)`: a Content-Security-Policy.
 * `model`: where /v1 goes.
 */
export async function startSite(
  t,
  { roots, policyOf = () => policy, model, typeOf = (path) => types[extname(path)], files = {} },
) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://x').pathname)
    if (model && path.startsWith('/v1/')) return void forward(request, response, new URL(path, model))
    const [root, folder] = Object.entries(roots).find(([root]) => path.startsWith(root)) ?? []
    const file = folder && join(folder, normalize(path.slice(root.length)) || 'index.html')
    const found =
      files[path] ??
      (file &&
        existsSync(file) &&
        (statSync(file).isDirectory() ? readFileSync(join(file, 'index.html')) : readFileSync(file)))
    const name = path.endsWith('/') ? 'index.html' : path
    const csp = policyOf(path)
    response
      .writeHead(found ? 200 : 404, {
        'content-type': typeOf(name) ?? 'text/plain',
        ...(csp ? { 'content-security-policy': csp } : {}),
      })
      .end(found || 'nothing here')
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${server.address().port}`
}

async function forward(request, response, url) {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  const { status, headers, body } = await fetch(url, {
    method: request.method,
    headers: { 'content-type': 'application/json' },
    body: Buffer.concat(pieces),
  })
  response.writeHead(status, { 'content-type': headers.get('content-type') ?? 'text/plain' })
  for await (const piece of body) response.write(piece)
  response.end()
}
