// The shared scripts of tests/vectors through the addon.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { canRestore, runScript, tests } from './script-runner.mjs'

const folder = join(tests, 'vectors')
const only = process.env.SLUICE_SCRIPT ?? ''
const scripts = readdirSync(folder, { recursive: true })
  .filter((name) => name.endsWith('.json') && name.includes(only))
  .sort()
const restorable = canRestore()

test('every script holds however its bytes are cut and its events are polled', async (t) => {
  assert.notEqual(scripts.length, 0)
  for (const name of scripts)
    await t.test(name, () =>
      assert.equal(runScript(JSON.parse(readFileSync(join(folder, name), 'utf8')), restorable), ''),
    )
})

test('scripts are saved and restored', {
  skip: restorable ? false : 'this library does not restore yet: no script was saved and restored',
}, () => {})
