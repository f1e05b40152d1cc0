// Compiles js/src to js/dist: ES modules, CommonJS, what runs in a browser, and the two files that are one bundle each.
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { licencesOf } from './licences.mjs'
import { quietly, root, say } from './run.mjs'

const dist = join(root, 'js/dist')
// the last overwrites what it shares with the first
const projects = ['js/tsconfig.json', 'js/tsconfig.cjs.json', 'js/tsconfig.browser.json']

/** What markdown-it brings along and its readers have, or do not need, is left out. */
const alias = Object.fromEntries(
  ['entities', 'linkify-it', 'uc.micro'].map((name) => [name, `./js/src/app/bridge/stand-ins/${name}.ts`]),
)

/** Styles and templates without what people need to read them: a browser takes any blanks for one. */
const readable = {
  name: 'readable',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]src[\\/]view[\\/]ui[\\/].*\.ts$/ }, ({ path }) => {
      const short = (css) =>
        css
          .replace(/\/\*[^]*?\*\//g, '')
          .replace(/\s+/g, ' ')
          .replace(/ ?([{};,]) ?/g, '$1')
          .replace(/: (?!')/g, ':')
          .trim()
      return {
        loader: 'ts',
        contents: readFileSync(path, 'utf8')
          .replace(/\bcss`([^`]*)`/g, (_, css) => `css\`${short(css)}\``)
          .replace(/\n[ \t]+/g, '\n'),
      }
    }),
}

/** The files for pages. What stands together shares its code; `math` and `code` are complete. */
const pages = [
  { index: 'index', configuration: 'configuration/configuration-element', server: 'server/server-panel-element' },
  { math: 'math' },
  { code: 'text/code-worker' },
]

/** `sluice` and what else holds the engine, for pages. */
const engine = { index: 'index', conversations: 'app/conversations/index', host: 'app/host/index' }

/**
 * Modules that a page cannot run, as paths below js/src or names of Node's modules, and which file of app/page stands
 * in for each.
 */
const inPages = {
  'engine/core/addon.ts': 'no-addon',
  'engine/core/rules-file.ts': 'no-rules-file',
  'app/host/file-copies.ts': 'no-file-copies',
  'app/conversations/file-conversations.ts': 'stores',
  'app/conversations/sqlite-conversations.ts': 'stores',
  'node:crypto': 'crypto',
}

/**
 * Puts the files of `inPages` in. Throws where no import reaches one of its rows: the module moved, and pages would get
 * the one of Node.
 */
const withoutNode = () => {
  const missed = new Set(Object.keys(inPages))
  const replace = ({ path, resolveDir }) => {
    const source = path.startsWith('.')
      ? relative(join(root, 'js/src'), join(resolveDir, path)).replaceAll('\\', '/').replace(/js$/, 'ts')
      : path
    missed.delete(source)
    return source in inPages ? { path: join(root, `js/src/app/page/${inPages[source]}.ts`) } : undefined
  }
  return {
    name: 'without Node',
    setup({ onResolve, onEnd }) {
      onResolve({ filter: /^(\.{1,2}\/.*|node:.*)$/ }, replace)
      onEnd(() => {
        if (missed.size > 0)
          throw new Error(
            `js/scripts/typescript.mjs: no import of the engine for pages reaches ${[...missed].join(', ')}`,
          )
      })
    },
  }
}

/** Modules that pages load by the name of their subpath (`/sluice/renderer/index.js`), and where each one is. */
const doors = {
  'renderer/index': 'app/renderer/index',
  'renderer/web-bridge': 'app/renderer/web-bridge',
  'pet/index': 'view/pet/index',
  'speech/index': 'view/speech/index',
  'live2d/index': 'view/live2d/index',
}

export async function buildTypeScript() {
  const stamp = join(dist, 'stamp')
  const content = hashInputs()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === content) return
  rmSync(dist, { recursive: true, force: true })
  await quietly('compiling TypeScript', process.execPath, ['js/scripts/compile.mjs', ...projects])
  // Who uses the package reads the comments beside the types: the code comes without them.
  await quietly('leaving out comments', process.execPath, [
    'js/scripts/compile.mjs',
    '--removeComments',
    '--declaration',
    'false',
    '--noCheck',
    ...projects,
  ])
  mkdirSync(join(dist, 'cjs'), { recursive: true })
  writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n')
  for (const [door, module] of Object.entries(doors)) {
    const file = join(dist, `esm/${door}.js`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `export * from '../${module}.js'\n`)
  }
  await bundle()
  writeFileSync(stamp, content)
}

/** A sandboxed preload can require nothing but `electron`; a page without a bundler has no `lit`. */
export async function bundle() {
  say('bundling the preload, the elements and the engine for pages …')
  const { build } = await import('esbuild')
  const common = {
    bundle: true,
    absWorkingDir: root,
    logLevel: 'warning',
    target: 'es2022',
    tsconfig: 'js/tsconfig.browser.json',
  }
  await build({
    ...common,
    entryPoints: ['js/src/app/preload/index.ts'],
    outfile: 'js/dist/preload/index.cjs',
    format: 'cjs',
    platform: 'node',
    external: ['electron'],
    legalComments: 'eof',
  })
  for (const format of ['esm', 'cjs']) {
    const file = `js/dist/${format}/app/bridge/markdown-it.js`
    if (!existsSync(join(root, file))) continue
    const { metafile } = await build({
      ...common,
      entryPoints: ['js/src/app/bridge/markdown-it.ts'],
      outfile: file,
      format,
      minify: true,
      legalComments: 'none',
      metafile: true,
      alias,
    })
    appendFileSync(join(root, file), licencesOf(file, metafile.outputs))
  }
  const page = {
    ...common,
    format: 'esm',
    platform: 'browser',
    minify: true,
    legalComments: 'none',
    metafile: true,
    alias,
    plugins: [readable],
  }
  for (const files of pages) {
    const entryPoints = Object.entries(files).map(([out, entry]) => ({ out, in: `js/src/view/ui/${entry}.ts` }))
    const { metafile } = await build({
      ...page,
      entryPoints,
      splitting: entryPoints.length > 1,
      outdir: 'js/dist/ui',
      chunkNames: 'shared-[hash]',
    })
    for (const file of Object.keys(metafile.outputs))
      appendFileSync(join(root, file), licencesOf(file, metafile.outputs))
  }
  const entryPoints = Object.entries(engine).map(([out, entry]) => ({ out, in: `js/src/${entry}.ts` }))
  await build({
    ...page,
    plugins: [withoutNode()],
    entryPoints,
    splitting: true,
    outdir: 'js/dist/browser',
    chunkNames: 'shared-[hash]',
  })
  writeFileSync(join(dist, 'preload/index.d.cts'), 'export {}\n')
}

function hashInputs() {
  const hash = createHash('sha256')
  const sources = readdirSync(join(root, 'js/src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  const inputs = [
    ...projects,
    'package-lock.json',
    'js/scripts/compile.mjs',
    'js/scripts/licences.mjs',
    'js/scripts/typescript.mjs',
  ].map((name) => join(root, name))
  for (const file of [...inputs, ...sources.sort()])
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}
