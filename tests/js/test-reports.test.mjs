// What `npm test` reads from the reports of Node's test runner: real runs of files that pass, fail and leave something behind.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { countOfNode, judged, NodeOutput } from '../../js/scripts/test-reports.mjs'

const files = {
  passes: `test('passes', () => {}); test('is left out', { skip: 'no printer' }, () => {})`,
  fails: `test('fails (twice)', () => { throw new Error('the focus: waited 20 ms') }); test('passes too', () => {})`,
  leaves: `test('leaves something behind', () => { setTimeout(() => { throw new TypeError('nobody is there') }, 20) }); test('waits', () => new Promise((resolve) => setTimeout(resolve, 1)))`,
}

const folder = mkdtempSync(join(tmpdir(), 'sluice-reports-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function countOf(...names) {
  for (const name of names) writeFileSync(join(folder, `${name}.test.mjs`), `import { test } from 'node:test'\n${files[name]}\n`)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env // the run stands alone
  const { stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=spec', ...names.map((name) => `${name}.test.mjs`)], { cwd: folder, env, encoding: 'utf8' })
  return { ...countOfNode(stdout), stdout }
}

test('countOfNode names each failed test with its file and reason, also a file that fails after its tests', () => {
  const { broken, files: failed, held, stdout, ...rest } = countOf('fails', 'leaves', 'passes')
  assert.deepEqual(held.toSorted(), ['leaves something behind', 'passes', 'passes too', 'waits'])
  assert.deepEqual(rest, { passed: 4, failed: 2, skips: ['no printer'] })
  assert.deepEqual(failed, ['fails.test.mjs', 'leaves.test.mjs'])
  const [one, file] = broken
  assert.deepEqual(one, { name: 'fails (twice)', file: 'fails.test.mjs', why: 'Error: the focus: waited 20 ms' })
  assert.match(file.name, /leaves\.test\.mjs$/)
  assert.match(file.why, /^Test "leaves something behind" .*nobody is there/)
})

test('where all passed, nothing is named', () => {
  const { stdout: _, ...count } = countOf('passes')
  assert.deepEqual(count, { passed: 1, failed: 0, skips: ['no printer'], broken: [], files: [], held: ['passes'] })
})

test('a second run is compared by the names of the tests', () => {
  const first = countOf('fails', 'leaves', 'passes')
  const names = ({ broken, unsteady }) => [broken.map(({ name }) => name), unsteady.map(({ name }) => name)]
  const [failed, crashed] = first.broken.map(({ name }) => name)
  const mended = { ...countOf('passes'), held: ['fails (twice)', 'passes too', 'leaves something behind'] }
  assert.deepEqual(names(judged(first, mended)), [[], [failed, crashed]], 'all of them passed')
  assert.deepEqual(names(judged(first, countOf('fails'))), [[failed], [crashed]], 'one failed again')
  assert.deepEqual(names(judged(first, countOf('leaves'))), [[failed, crashed], []], 'the other one failed again; of the first nothing is known')
  assert.deepEqual(names(judged({ broken: [] }, { broken: [], held: [], files: [] })), [[], []], 'none failed')
  const renamed = { ...mended, held: ['fails (thrice)'] }
  assert.deepEqual(names(judged(first, renamed)), [[failed], [crashed]], 'a test that the second run does not have')
  const other = { ...mended, broken: [{ name: 'passes too', file: 'fails.test.mjs', why: 'now' }] }
  assert.deepEqual(names(judged(first, other)), [['passes too'], [failed, crashed]], 'another one fails')
})

test('NodeOutput counts each test, and gives each failure with its place, while the run goes on', () => {
  const { stdout } = countOf('fails', 'passes')
  for (const size of [1, 7, stdout.length]) {
    let tests = 0
    const failures = []
    const output = new NodeOutput({ test: () => tests++, failure: (failure) => failures.push(failure) })
    for (let at = 0; at < stdout.length; at += size) output.take(stdout.slice(at, at + size))
    const [{ place, ...failure }, ...others] = failures
    assert.deepEqual([tests, others.length, failure], [4, 0, { name: 'fails (twice)', why: 'Error: the focus: waited 20 ms' }])
    assert.match(place, /fails\.test\.mjs:2$/)
  }
})
