// Compiles js/src to js/dist: ES modules, CommonJS, what runs in a browser, and the two files that are one bundle each.
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { licencesOf } from './licences.mjs'
import { quietly, root, say } from './run.mjs'

const dist = join(root, 'js/dist')
const projects = ['js/tsconfig.json', 'js/tsconfig.cjs.json', 'js/tsconfig.browser.json'] // the last overwrites what it shares with the first

/** What markdown-it brings along and a page has, or does not need, is left out. */
const alias = Object.fromEntries(['entities', 'linkify-it', 'punycode.js', 'uc.micro'].map((name) => [name, `./js/src/ui/text/stand-ins/${name}.ts`]))

/** Styles without what people need to read them. */
const styles = {
  name: 'styles',
  setup: ({ onLoad }) => onLoad({ filter: /styles\.ts$|theme\.ts$/ }, async ({ path }) => {
    const short = (css) => css.replace(/\/\*[^]*?\*\//g, '').replace(/\s+/g, ' ').replace(/ ?([{};,]) ?/g, '$1').trim()
    return { loader: 'ts', contents: readFileSync(path, 'utf8').replace(/\bcss`([^`]*)`/g, (_, css) => `css\`${short(css)}\``) }
  }),
}

/** The files for pages: each is a bundle of its own. */
const pages = [['index', 'index'], ['math', 'math'], ['text/code-worker', 'code']]

export async function buildTypeScript() {
  const stamp = join(dist, 'stamp')
  const content = hashInputs()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === content) return
  rmSync(dist, { recursive: true, force: true })
  await quietly('compiling TypeScript', process.execPath, ['js/scripts/compile.mjs', ...projects])
  mkdirSync(join(dist, 'cjs'), { recursive: true })
  writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n')
  await bundle()
  writeFileSync(stamp, content)
}

/** A sandboxed preload can require nothing but `electron`; a page without a bundler has no `lit`. */
export async function bundle() {
  say('bundling the preload and the elements …')
  const { build } = await import('esbuild')
  const common = { bundle: true, absWorkingDir: root, logLevel: 'warning', target: 'es2022', tsconfig: 'js/tsconfig.browser.json' }
  await build({ ...common, entryPoints: ['js/src/preload/index.ts'], outfile: 'js/dist/preload/index.cjs', format: 'cjs', platform: 'node', external: ['electron'], legalComments: 'eof' })
  const page = { ...common, format: 'esm', platform: 'browser', minify: true, legalComments: 'none', metafile: true, alias, plugins: [styles] }
  for (const [entry, file] of pages) {
    const { metafile } = await build({ ...page, entryPoints: [`js/src/ui/${entry}.ts`], outfile: `js/dist/ui/${file}.js` })
    appendFileSync(join(dist, `ui/${file}.js`), licencesOf(metafile.inputs))
  }
  writeFileSync(join(dist, 'preload/index.d.cts'), 'export {}\n')
}

function hashInputs() {
  const hash = createHash('sha256')
  const sources = readdirSync(join(root, 'js/src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  const inputs = [...projects, 'package-lock.json', 'js/scripts/compile.mjs', 'js/scripts/licences.mjs', 'js/scripts/typescript.mjs'].map((name) => join(root, name))
  for (const file of [...inputs, ...sources.sort()]) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}
