// The shared scripts of tests/vectors through the addon.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptFiles } from './script-files.mjs'
import { canRestore, runScript } from './script-runner.mjs'

const scripts = scriptFiles()
const restorable = canRestore()

test('every script holds however its bytes are cut and its events are polled', async (t) => {
  assert.notEqual(scripts.length, 0)
  for (const { name, place, script } of scripts)
    await t.test(name, () => assert.equal(runScript(script, restorable), '', `tests/vectors/${place}`))
})

test('scripts are saved and restored', {
  skip: restorable ? false : 'this library does not restore yet: no script was saved and restored',
}, () => {})
