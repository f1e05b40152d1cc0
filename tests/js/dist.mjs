// What is built, for tests: the one place that knows the folders of js/dist. A name is a subpath of the package
// (`sluice/durable`), or the base name of a file, which is there once.
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const esm = join(dirname(fileURLToPath(import.meta.url)), '../../js/dist/esm')
let files

/** The path of a built file. Throws where there is none of this name, or more than one. */
export function builtFile(name) {
  if (/^sluice(\/|$)/.test(name)) return fileURLToPath(import.meta.resolve(name))
  files ??= readdirSync(esm, { recursive: true }).map((file) => file.replaceAll('\\', '/'))
  const found = files.filter((file) => file.endsWith(`/${name}.js`) || file.endsWith(`/${name}.cjs`))
  if (found.length !== 1)
    throw new Error(`js/dist/esm: found ${found.length} files for ${name} (${found.join(', ')}), expected one`)
  return join(esm, found[0])
}

/** The address of a built file: a URL. */
export const builtUrl = (name) => pathToFileURL(builtFile(name))

/** The exports of a built file. */
export const built = (name) => import(builtUrl(name).href)
