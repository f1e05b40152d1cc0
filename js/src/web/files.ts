// Files of a few folders, as they are.
import { createReadStream, type Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { extname, join, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { record, text } from '../core/options.js'
import { HttpRefusal } from './refusal.js'

export { packageRoots } from './package-roots.cjs'

/** Folders by the beginning of the path: `{ '/': 'pages' }`. The longest beginning that fits counts. */
export interface Roots { readonly [prefix: string]: string }

const types: { [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8', '.json': 'application/json', '.map': 'application/json', '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml', '.png': 'image/png', '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg', '.webp': 'image/webp', '.gif': 'image/gif',
  '.ico': 'image/x-icon', '.woff2': 'font/woff2', '.wasm': 'application/wasm', '.moc3': 'application/octet-stream',
}

/** A file that was found for a path. */
export interface FoundFile {
  /** Where it lies, with every link resolved. */
  file: string
  /** What the system says of it. */
  stats: Stats
  /** The path named a folder, and this is its `index.html`. */
  folder: boolean
}

/**
 * Finds the file behind the path of a URL. Never one outside of its root, whatever dots, links or escapes say. Rejects with an `HttpRefusal`: 404
 * where there is none, 400 where the path is not UTF-8; with SluiceError `option` for what is no path.
 */
export async function findFile(roots: Roots, path: string): Promise<FoundFile> {
  record(roots, 'roots')
  text(path, 'path')
  const missing = new HttpRefusal(404, `there is no ${path.slice(0, 200)}`)
  const prefix = Object.keys(roots).filter((prefix) => path.startsWith(slashed(prefix))).sort((a, b) => b.length - a.length)[0]
  if (prefix === undefined) throw missing
  const segments = decode(path.slice(slashed(prefix).length))
  // Dots lead elsewhere or hide something; the rest means something else on Windows.
  if (segments.some((segment) => segment.startsWith('.') || /[\\/:\0]/.test(segment))) throw missing
  try {
    const root = await realpath(roots[prefix] as string)
    const wanted = join(root, ...segments)
    const asked = await stat(wanted)
    const file = await realpath(asked.isDirectory() ? join(wanted, 'index.html') : wanted)
    const stats = await stat(file)
    if (stats.isFile() && file.startsWith(root.endsWith(sep) ? root : root + sep)) return { file, stats, folder: asked.isDirectory() }
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
  throw missing
}

export async function sendFile({ file, stats, folder }: FoundFile, url: URL, head: boolean, response: ServerResponse): Promise<void> {
  if (folder && !url.pathname.endsWith('/')) {
    response.writeHead(308, { location: `${url.pathname}/${url.search}` }) // what the page imports is relative to the folder
    response.end()
    return
  }
  const type = types[extname(file).toLowerCase()] ?? 'application/octet-stream'
  response.writeHead(200, { 'content-type': type, 'content-length': stats.size })
  if (head) return void response.end()
  const bytes = createReadStream(file, { end: Math.max(stats.size - 1, 0) }) // no more than was promised
  await pipeline(bytes, response).catch(() => response.destroy()) // the reader left
}

const slashed = (prefix: string): string => (prefix.endsWith('/') ? prefix : `${prefix}/`)

function decode(path: string): string[] {
  try {
    return path.split('/').filter((segment) => segment !== '').map(decodeURIComponent)
  } catch {
    throw new HttpRefusal(400, `the path is no UTF-8: ${path.slice(0, 200)}`)
  }
}
