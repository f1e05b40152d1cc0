// What `npm test` reads from the reports of Node's test runner: real runs of files that pass, fail and leave something behind.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { countOfNode } from '../../js/scripts/test-reports.mjs'

const files = {
  passes: `test('passes', () => {}); test('is left out', { skip: 'no printer' }, () => {})`,
  fails: `test('fails (twice)', () => { throw new Error('the focus: waited 20 ms') }); test('passes too', () => {})`,
  leaves: `test('leaves something behind', () => { setTimeout(() => { throw new TypeError('nobody is there') }, 20) }); test('waits', () => new Promise((resolve) => setTimeout(resolve, 1)))`,
}

function countOf(t, ...names) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-reports-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of names) writeFileSync(join(folder, `${name}.test.mjs`), `import { test } from 'node:test'\n${files[name]}\n`)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env // the run stands alone
  const { stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=spec', ...names.map((name) => `${name}.test.mjs`)], { cwd: folder, env, encoding: 'utf8' })
  return countOfNode(stdout)
}

test('what failed is named with its file and its reason, also where a file fails behind its tests', (t) => {
  const { broken, files: failed, ...rest } = countOf(t, 'fails', 'leaves', 'passes')
  assert.deepEqual(rest, { passed: 4, failed: 2, skips: ['no printer'] })
  assert.deepEqual(failed, ['fails.test.mjs', 'leaves.test.mjs'])
  const [one, file] = broken
  assert.deepEqual(one, { name: 'fails (twice)', why: 'Error: the focus: waited 20 ms' })
  assert.match(file.name, /leaves\.test\.mjs$/)
  assert.match(file.why, /^Test "leaves something behind" .*nobody is there/)
})

test('where all passed, nothing is named', (t) => {
  assert.deepEqual(countOf(t, 'passes'), { passed: 1, failed: 0, skips: ['no printer'], broken: [], files: [] })
})
