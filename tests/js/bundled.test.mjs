// A main process that a bundler put into one file: with `sluice` left out it runs, and else the error says so.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

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
})
after(() => rmSync(folder, { recursive: true, force: true }))

for (const [format, file] of [
  ['esm', 'out.mjs'],
  ['cjs', 'out.cjs'],
]) {
  const bundled = async (external) => {
    const outfile = join(folder, file)
    await build({
      entryPoints: [join(folder, 'main.mjs')],
      absWorkingDir: folder,
      bundle: true,
      platform: 'node',
      format,
      outfile,
      external,
      logLevel: 'silent',
    })
    const { status, stdout, stderr } = spawnSync(process.execPath, [outfile], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, SLUICE_ADDON: '', SLUICE_BACKEND: '' },
    })
    assert.equal(status, 0, stderr)
    return JSON.parse(stdout)
  }

  test(`${format}: a bundle that leaves sluice out runs`, async () => {
    assert.deepEqual(await bundled(['sluice', 'sluice/*']), { ran: true })
  })

  test(`${format}: a bundle with sluice in it says what to do`, async () => {
    const { code, message, hint } = await bundled([])
    assert.equal(code, 'load')
    assert.match(message, /a bundler must leave `sluice` out \(external\)/)
    assert.match(hint, /found from where the package is installed/)
  })
}
