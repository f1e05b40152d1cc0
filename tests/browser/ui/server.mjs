// The pages of these tests over HTTP, under the Content Security Policy of every page that shows the elements.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { after, before } from 'node:test'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const csp =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}
const folders = [
  ['/sluice/ui/', 'js/dist/ui/'],
  ['/sluice/', 'js/dist/esm/'],
  ['/', 'tests/browser/ui/'],
]

/** Serves the package, these pages, and what else is given as [path, folder of the checkout]. */
export async function servePages(more = []) {
  const all = [...more, ...folders]
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, 'http://x').pathname)
    const [from, to] = all.find(([prefix]) => path.startsWith(prefix))
    try {
      const body = await readFile(join(root, to, path.slice(from.length)))
      response.writeHead(200, {
        'content-type': types[extname(path)] ?? 'application/octet-stream',
        'content-security-policy': csp,
      })
      response.end(body)
    } catch {
      response.writeHead(path === '/favicon.ico' ? 204 : 404).end()
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${server.address().port}`, close }
}

export function usePages() {
  const pages = { url: '' }
  let served
  before(async () => {
    served = await servePages()
    pages.url = served.url
  })
  after(() => served.close())
  return pages
}
