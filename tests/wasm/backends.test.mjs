// WebAssembly does what the addon does: tests/fuzz/backends.mjs, bounded. `npm run fuzz -- backends` goes on from
// there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { play, startBoth } from '../fuzz/backends.mjs'

test('shared scripts, damaged and mixed, give the same in the addon and in WebAssembly', () => {
  const both = startBoth()
  let calls = 0
  for (let seed = 0; seed < 500; seed++) calls += play(both, seed)
  assert.ok(calls > 5000, `${calls} calls`)
})
