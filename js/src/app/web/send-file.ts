// A file as the body of a response.
import { createReadStream } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { extname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { FoundFile } from './web-files.js'

const types: { [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.moc3': 'application/octet-stream',
}

export async function sendFile(
  { file, stats, folder }: FoundFile,
  url: URL,
  head: boolean,
  response: ServerResponse,
): Promise<void> {
  if (folder && !url.pathname.endsWith('/')) {
    // what the page imports is relative to the folder
    response.writeHead(308, { location: `${url.pathname}/${url.search}` })
    response.end()
    return
  }
  const type = types[extname(file).toLowerCase()] ?? 'application/octet-stream'
  response.writeHead(200, { 'content-type': type, 'content-length': stats.size })
  if (head) return void response.end()
  const bytes = createReadStream(file, { end: Math.max(stats.size - 1, 0) }) // no more than was promised
  await pipeline(bytes, response).catch(() => response.destroy()) // the reader left
}
