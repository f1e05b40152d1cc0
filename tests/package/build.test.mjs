// Where the package brings no binary, its users build one from what is in it, with the documented command.
import assert from 'node:assert/strict'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { installed, npm, run, runtimes } from './support.mjs'

const { missing } = runtimes() // it installs headers from the registry as well

test('an installed package builds its addon by `npm run build:addon`', { skip: missing ?? false }, () => {
  const folder = installed()
  const home = join(folder, 'node_modules/sluice')
  rmSync(join(home, 'js/prebuilds'), { recursive: true })
  npm(['explore', 'sluice', '--', 'npm', 'run', 'build:addon'], folder)
  assert.ok(existsSync(join(home, 'build/release/sluice.node')))
  const { outcome, text } = JSON.parse(run([process.execPath, 'turn.mjs'], { cwd: folder }))
  assert.deepEqual({ outcome, text }, { outcome: 'completed', text: 'Let me look. Rain at four.' })
})
