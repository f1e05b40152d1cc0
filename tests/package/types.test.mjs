// A user's TypeScript against the installed package, with its declarations checked too: nothing may be missing there.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { before, describe, test } from 'node:test'
import { join } from 'node:path'
import { installed, root } from './support.mjs'

const tsc = join(root, 'node_modules/typescript/bin/tsc')
const common = [
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  'false',
  '--target',
  'es2022',
  '--lib',
  'es2023,esnext.disposable,dom,dom.iterable',
]
const ways = {
  'nodenext, as an ES module': ['--module', 'nodenext', '--moduleResolution', 'nodenext', 'user.mts'],
  'nodenext, as CommonJS': ['--module', 'nodenext', '--moduleResolution', 'nodenext', 'user.cts'],
  bundler: ['--module', 'esnext', '--moduleResolution', 'bundler', 'user.mts'],
}

describe('TypeScript', () => {
  let folder
  before(() => (folder = installed()))
  for (const [name, options] of Object.entries(ways)) {
    test(name, () => {
      const { status, stdout } = spawnSync(process.execPath, [tsc, ...common, ...options], {
        cwd: folder,
        encoding: 'utf8',
      })
      assert.equal(status, 0, stdout)
    })
  }
})
