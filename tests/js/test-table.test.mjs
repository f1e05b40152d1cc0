// The end of `npm test`: what it prints of suites that passed, failed, were killed and did not begin.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noteOf } from '../../js/scripts/test-run.mjs'
import { tell } from '../../js/scripts/test-table.mjs'

/** What `tell` prints, and what it returns. */
function told(t, results) {
  const log = t.mock.method(console, 'log', () => {})
  const good = tell(results)
  const lines = log.mock.calls.flatMap(({ arguments: [text] }) => text.split('\n'))
  log.mock.restore()
  return { good, lines }
}

const passes = { name: 'js', passed: 3, failed: 0, skips: ['no printer'], broken: [], seconds: 2 }
const fails = {
  name: 'C++ (release)',
  passed: 1,
  failed: 1,
  skips: [],
  broken: [{ name: 'a name', why: 'x == y' }],
  unsteady: [{ name: 'other', why: 'slow' }],
  seconds: 1,
}

test('the last line is the sum, and a green run names no test', (t) => {
  const { good, lines } = told(t, [passes])
  assert.equal(good, true)
  assert.equal(lines.at(-1), '3 passed, 0 failed, 1 skipped')
  assert.ok(lines.some((line) => /1 skipped: no printer/.test(line)))
  assert.equal(
    lines.some((line) => /FAILED|UNSTEADY/.test(line)),
    false,
  )
})

test('below the table is what failed, what was unsteady, and why', (t) => {
  const { good, lines } = told(t, [passes, fails])
  assert.equal(good, false)
  const at = lines.indexOf('FAILED: C++ (release): a name')
  assert.deepEqual(lines.slice(at, at + 4), [
    'FAILED: C++ (release): a name',
    '  because: x == y',
    'UNSTEADY: C++ (release): other',
    '  because: slow',
  ])
  assert.equal(lines.at(-1), '4 passed, 1 failed, 1 skipped')
})

test('a suite that did not begin counts as skipped, one that could not be built as failed', (t) => {
  const { good, lines } = told(t, [
    passes,
    { name: 'soak', skips: ['no time was left for it'] },
    { name: 'asan', failed: 1, note: 'it failed: not run were asan js' },
  ])
  assert.equal(good, false)
  assert.equal(lines.at(-1), '3 passed, 1 failed, 2 skipped')
  assert.ok(lines.includes('FAILED: asan') && lines.includes('  because: it failed: not run were asan js'))
  assert.equal(told(t, [{ name: 'soak', skips: ['no time was left for it'] }]).good, false, 'nothing passed')
})

test('noteOf says how a program ended that did not end well', () => {
  const passed = { passed: 3, failed: 0, skips: [] }
  assert.deepEqual(noteOf({ code: 0, signal: null }, passed, 3), {})
  assert.deepEqual(noteOf({ code: null, signal: 'SIGKILL' }, passed, 3), {
    failed: 1,
    note: 'it was killed by SIGKILL after 3 tests; nothing is known of the others',
  })
  assert.deepEqual(noteOf({ code: null, signal: 'SIGKILL' }, { ...passed, failed: 2 }, 5).failed, 2)
  assert.deepEqual(noteOf({ message: 'spawn ctest ENOENT' }, { ...passed, passed: 0 }, 0), {
    failed: 1,
    note: 'it could not be started: spawn ctest ENOENT',
  })
  assert.deepEqual(noteOf({ code: 3, signal: null }, passed, 3), { failed: 1, note: 'it ended with 3' })
  assert.deepEqual(noteOf({ code: 1, signal: null }, { ...passed, failed: 1 }, 4), {}, 'the tests say it')
  assert.deepEqual(noteOf({ code: 0, signal: null }, { ...passed, passed: 0 }, 0), {
    failed: 1,
    note: 'it ran no test',
  })
})
