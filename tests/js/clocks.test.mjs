// No test depends on how quickly the machine works: it counts steps or processor time (work.mjs), and waits for
// conditions (until.mjs).
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const tests = fileURLToPath(new URL('..', import.meta.url))
const clock = String.raw`(?:performance|Date)\.now\(\)`
/**
 * An upper bound for what has passed since a moment: `performance.now() - from < 5000`, `Date.now() < end` in an
 * assertion.
 */
const bounds = [
  new RegExp(String.raw`assert[^\n]*${clock} - \w+ <`, 'g'),
  new RegExp(String.raw`assert\.ok\(${clock} <`, 'g'),
]
/** Where a bound waits for something that a condition cannot say. */
const patient = { 'growth.test.mjs': 'the page must have been still for a second', 'until.mjs': 'the one that waits' }

const faultsIn = (source) => bounds.flatMap((bound) => [...source.matchAll(bound)].map(([found]) => found))

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory())
      return ['node_modules', 'bench', 'fuzz'].includes(entry.name) ? [] : sources(join(folder, entry.name))
    return /\.mjs$/.test(entry.name) ? [join(folder, entry.name)] : []
  })
}

test('no test asserts that something was quick', () => {
  assert.deepEqual(
    faultsIn(
      'assert.ok(performance.now() - from < 5000)\nassert.ok(Date.now() < end); assert.ok(performance.now() - start > 50)',
    ),
    ['assert.ok(performance.now() - from <', 'assert.ok(Date.now() <'],
  )
  const found = sources(tests)
    .filter((file) => !(basename(file) in patient) && basename(file) !== 'clocks.test.mjs')
    .flatMap((file) => faultsIn(readFileSync(file, 'utf8')).map((fault) => `${file.slice(tests.length)}: ${fault}`))
  assert.deepEqual(found, [])
})
