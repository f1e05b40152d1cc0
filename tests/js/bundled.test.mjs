// A main process that a bundler put into one file: with `sluice` left out it runs, and else the error says so.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { build as viteBuild } from 'vite'
import webpack from 'webpack'

const root = fileURLToPath(new URL('../..', import.meta.url))
const main = `
import { Engine, tool } from 'sluice'
import { hostEngine } from 'sluice/electron'
import { createHost } from 'sluice/host'
import * as web from 'sluice/web'
void [hostEngine, createHost, web]
try {
  new Engine({ tools: [tool({ name: 'a', execute: () => 'b' })] }).close()
  console.log(JSON.stringify({ ran: true }))
} catch ({ code, message, hint }) {
  console.log(JSON.stringify({ code, message, hint }))
}
`

let folder
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-bundled-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/sluice'))
  writeFileSync(join(folder, 'main.mjs'), main)
  writeFileSync(join(folder, 'package.json'), '{"name":"app","type":"module"}')
})
after(() => rmSync(folder, { recursive: true, force: true }))

/** What each bundler makes of `main.mjs`: the file that it wrote. `external`: it leaves sluice out, as packaging.md says. */
const bundlers = {
  'esbuild, esm': async (external) => await byESBuild('esm', 'out.mjs', external),
  'esbuild, cjs': async (external) => await byESBuild('cjs', 'out.cjs', external),
  vite: async (external) => {
    await viteBuild({
      root: folder,
      configFile: false,
      logLevel: 'silent',
      ssr: { noExternal: true },
      build: {
        ssr: 'main.mjs',
        outDir: 'vite',
        rollupOptions: external ? { external: [/^sluice($|\/)/] } : {},
      },
    })
    return join(folder, 'vite/main.js')
  },
  webpack: async (external) => {
    const compiler = webpack({
      context: folder,
      mode: 'production',
      target: 'node',
      entry: './main.mjs',
      output: { path: join(folder, 'webpack'), filename: 'out.cjs' },
      ...(external ? { externals: [/^sluice($|\/)/], externalsType: 'commonjs' } : {}),
    })
    const stats = await promisify(compiler.run.bind(compiler))()
    assert.deepEqual(stats.toJson({ all: false, errors: true }).errors, [])
    return join(folder, 'webpack/out.cjs')
  },
}

async function byESBuild(format, file, external) {
  const outfile = join(folder, file)
  await build({
    entryPoints: [join(folder, 'main.mjs')],
    absWorkingDir: folder,
    bundle: true,
    platform: 'node',
    format,
    outfile,
    external: external ? ['sluice', 'sluice/*'] : [],
    logLevel: 'silent',
  })
  return outfile
}

function started(file) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, SLUICE_ADDON: '', SLUICE_BACKEND: '' },
  })
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

for (const [name, bundle] of Object.entries(bundlers)) {
  test(`${name}: a bundle that leaves sluice out runs`, async () => {
    assert.deepEqual(started(await bundle(true)), { ran: true })
  })

  test(`${name}: a bundle with sluice in it says what to do`, async () => {
    const { code, message, hint } = started(await bundle(false))
    assert.equal(code, 'load')
    assert.match(message, /a bundler must leave `sluice` out \(external\)/)
    assert.match(hint, /found from where the package is installed/)
  })
}
