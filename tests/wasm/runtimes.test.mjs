// WebAssembly in the programs that are promised, beside the Node that runs the tests: a turn, and in Bun and Deno all
// shared scripts.
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { root, run, runtimes } from '../package/support.mjs'

const { folder: programs = '', missing } = runtimes()
const env = { SLUICE_BACKEND: 'wasm' }
const hosts = {
  'Node 22': [join(programs, 'node-22/bin/node')],
  'Node 24': [join(programs, 'node-24/bin/node')],
  Bun: [join(programs, '@oven/bun-linux-x64/bin/bun')],
  Deno: [
    join(programs, '@deno/linux-x64-glibc/deno'),
    'run',
    '--allow-all',
    '--no-config',
    '--node-modules-dir=manual',
  ],
}

describe('the engine as WebAssembly', { skip: missing ?? false }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-runtimes-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  before(() => {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(root, join(folder, 'node_modules/sluice'))
    cpSync(join(root, 'tests/package/app'), folder, { recursive: true })
  })

  for (const [name, program] of Object.entries(hosts)) {
    test(`${name} runs a turn with a tool that asks`, () => {
      const { version: _, ...said } = JSON.parse(run([...program, 'turn.mjs'], { cwd: folder, env }))
      assert.equal(said.outcome, 'completed')
      assert.deepEqual(said.cards, ['weather.now success', 'live2d.expression success'])
      assert.equal(JSON.parse(run([...program, 'turn.cjs'], { cwd: folder, env })).text, 'hello')
    })

    if (!name.startsWith('Node'))
      test(`${name} replays every shared script`, { timeout: 300_000 }, () => {
        const { scripts, ...said } = JSON.parse(
          run([...program, join(root, 'tests/wasm/runtimes/smoke.mjs')], { cwd: root, env, timeout: 300_000 }),
        )
        assert.deepEqual(said, { backend: 'wasm', failures: [] })
        assert.ok(scripts > 2000, `${scripts} scripts`)
      })
  }
})
