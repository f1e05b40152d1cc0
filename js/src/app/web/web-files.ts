// Files of a few folders, as they are.
import { realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { record, text } from '../../engine/core/options.js'
import { HttpRefusal } from './http-refusal.js'

export { packagePages } from './package-roots.js'

/** Folders by the beginning of the path: `{ '/': 'pages' }`. The longest beginning that fits counts. */
export interface PageRoots {
  readonly [prefix: string]: string
}

/** What the system says of a file: a `Stats` of Node has this, and more. */
export interface FileStats {
  /** The length of the file, in bytes. */
  readonly size: number
  /** When it was changed, in Unix milliseconds. */
  readonly mtimeMs: number
}

/** A file that was found for a path. */
export interface FoundFile {
  /** Where it lies, with every link resolved. */
  file: string
  /** What the system says of it. */
  stats: FileStats
  /** The path named a folder, and this is its `index.html`. */
  folder: boolean
}

/**
 * Finds the file behind the path of a URL. Never one outside of its root, whatever dots, links or escapes say. Rejects
 * with an `HttpRefusal`: 404 where there is none, 400 where the path is not UTF-8; with SluiceError `option` for what
 * is no path.
 */
export async function findPageFile(roots: PageRoots, path: string): Promise<FoundFile> {
  record(roots, 'roots')
  text(path, 'path')
  const missing = new HttpRefusal(404, `there is no ${path.slice(0, 200)}`)
  const prefix = Object.keys(roots)
    .filter((prefix) => path.startsWith(slashed(prefix)))
    .sort((a, b) => b.length - a.length)[0]
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
    if (stats.isFile() && file.startsWith(root.endsWith(sep) ? root : root + sep))
      return { file, stats, folder: asked.isDirectory() }
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error
  }
  throw missing
}

const slashed = (prefix: string): string => (prefix.endsWith('/') ? prefix : `${prefix}/`)

function decode(path: string): string[] {
  try {
    return path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent)
  } catch {
    throw new HttpRefusal(400, `the path is no UTF-8: ${path.slice(0, 200)}`)
  }
}
