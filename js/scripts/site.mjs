// npm run build:site [-- FOLDER]: the demo pet as a static page, with its host in the page, into build/site or that
// folder. Any web server can serve it, below any path.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { command, root, say, Stop } from './run.mjs'
import { setup } from './setup.mjs'

const pet = join(root, 'js/demo/pet')
const dist = join(root, 'js/dist')

/**
 * What a page of a static server says of itself: no server may send it as a header. Models are asked at any address.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self' https: http:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

const inPage = {
  name: 'in the page',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/host\.js$/ }, ({ importer }) =>
      importer.startsWith(pet) ? { path: join(root, 'js/demo/site/host.js') } : undefined,
    )
    onResolve({ filter: /^node:timers\/promises$/ }, () => ({ path: join(root, 'js/demo/site/delay.js') }))
    onResolve({ filter: /^\/sluice\/ui\// }, ({ path }) => ({
      path: `.${path.slice('/sluice'.length)}`,
      external: true,
    }))
    onResolve({ filter: /^\/sluice\// }, ({ path }) => ({ path: join(dist, 'esm', path.slice('/sluice/'.length)) }))
  },
}

/** Writes the site; js/dist and sluice.wasm must be there. */
export async function buildSite(folder) {
  if (existsSync(folder) && readdirSync(folder).length > 0 && !existsSync(join(folder, 'sluice.wasm')))
    throw new Stop(`${folder} holds something else: expected an empty folder, or a site of another day`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const { build } = await import('esbuild')
  await build({
    absWorkingDir: root,
    entryPoints: [join(pet, 'pet.js')],
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [inPage],
  })
  cpSync(join(dist, 'ui'), join(folder, 'ui'), { recursive: true })
  copyFileSync(join(root, 'js/prebuilds/wasm/sluice.wasm'), join(folder, 'sluice.wasm'))
  for (const file of ['pet.css', 'icon.svg', 'day.svg', 'night.svg']) copyFileSync(join(pet, file), join(folder, file))
  const page = readFileSync(join(pet, 'index.html'), 'utf8')
  const head = '<meta charset="utf-8" />\n'
  if (!page.includes(head)) throw new Stop(`js/demo/pet/index.html has no line ${head.trim()}`)
  writeFileSync(
    join(folder, 'index.html'),
    page.replace(head, `${head}    <meta http-equiv="Content-Security-Policy" content="${policy}" />\n`),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const folder = resolve(process.argv[2] ?? join(root, 'build/site'))
    await setup({ wasm: true })
    await buildSite(folder)
    say(`the page is in ${folder}: any web server can serve it`)
  })
}
