// What the scripts behind npm say while a command of theirs runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quietly, Stop } from '../../js/scripts/run.mjs'

/** What is said while `code` runs. */
async function said(t, code) {
  const log = t.mock.method(console, 'log', () => {})
  const ended = await quietly('building it', process.execPath, ['-e', code]).then(
    (output) => ({ output }),
    (error) => ({ error }),
  )
  const lines = log.mock.calls.map(({ arguments: [line] }) => line.replace(/^\[\d\d:\d\d\] /, ''))
  log.mock.restore()
  return { lines, ...ended }
}

test('a command says when it begins and when it has passed a quarter of its steps, and no line twice', async (t) => {
  assert.deepEqual((await said(t, 'console.log("nothing to count")')).lines, ['building it …'])
  const counts = await said(t, 'for (let i = 1; i <= 99; i++) console.log(`[${i}/99] one.cpp`)')
  assert.equal(counts.lines[0], 'building it …')
  assert.ok(counts.lines.length > 1 && new Set(counts.lines).size === counts.lines.length, counts.lines.join('\n'))
  assert.ok(
    counts.lines.slice(1).every((line) => /^building it: (25|50|75) %$/.test(line)),
    counts.lines.join('\n'),
  )
  const fails = await said(t, 'console.error("no compiler"); process.exit(3)')
  assert.ok(
    fails.error instanceof Stop && /^no compiler\n\nbuilding it: .* ended with 3$/.test(fails.error.message),
    String(fails.error),
  )
  const broken = await said(t, 'console.log("[1/2] one.cpp\\nFAILED: two.cpp\\n[2/2] three.cpp"); process.exit(1)')
  assert.match(broken.error.message, /^FAILED: two\.cpp\n\nbuilding it: /)
})
