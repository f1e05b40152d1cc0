// What the scripts behind npm say while a command of theirs runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quietly, Stop } from '../../js/scripts/run.mjs'

/** What is said while `code` runs. */
async function said(t, code) {
  const log = t.mock.method(console, 'log', () => {})
  const ended = await quietly('building it', process.execPath, ['-e', code], { everyMs: 100 }).then((output) => ({ output }), (error) => ({ error }))
  const lines = log.mock.calls.map(({ arguments: [line] }) => line.replace(/^\[ *\d+\.\d s\] /, ''))
  log.mock.restore()
  return { lines, ...ended }
}

test('a command that takes long says what it is at, and never a line with nothing in it', async (t) => {
  const silent = await said(t, 'setTimeout(() => {}, 350)')
  assert.equal(silent.lines[0], 'building it …')
  assert.ok(silent.lines.length > 1 && silent.lines.slice(1).every((line) => line === 'building it: still at it'), silent.lines.join('\n'))
  const talks = await said(t, 'console.log("[12/99] one.cpp\\n\\n"); setTimeout(() => {}, 350)')
  assert.ok(talks.lines.slice(1).every((line) => /^building it: (still at it|\[12\/99\] one\.cpp)$/.test(line)) && talks.lines.at(-1).endsWith('one.cpp'), talks.lines.join('\n'))
  const fails = await said(t, 'console.error("no compiler"); process.exit(3)')
  assert.ok(fails.error instanceof Stop && /^no compiler\n\nbuilding it: .* ended with 3$/.test(fails.error.message), String(fails.error))
})
