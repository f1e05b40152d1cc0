// What `npm test` reads from the reports of Node's test runner: real runs of files that pass, fail and leave something
// behind.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  countOfJUnit,
  countOfNode,
  countOfUnittest,
  judged,
  NodeOutput,
  unittestId,
} from '../../js/scripts/test-reports.mjs'

const files = {
  passes: `test('passes', () => {}); test('is left out', { skip: 'no printer' }, () => {})`,
  fails: `test('fails (twice)', () => { throw new Error('the focus: waited 20 ms') }); test('passes too', () => {})`,
  differs: `import assert from 'node:assert/strict'; test('a list of scripts', (t) => t.test('one script', () => assert.deepEqual({ a: 1, b: 'x' }, { a: 1, b: 'y' })))`,
  leaves: `test('leaves something behind', () => { setTimeout(() => { throw new TypeError('nobody is there') }, 20) }); test('waits', () => new Promise((resolve) => setTimeout(resolve, 1)))`,
  killed: `test('is never told', () => {}); test('kills', () => new Promise((resolve) => { setTimeout(resolve, 60_000); process.kill(process.pid, 'SIGKILL') }))`,
  exits: `test('exits', () => process.exit(7))`,
}
const reporter = fileURLToPath(new URL('../../js/scripts/test-reporter.mjs', import.meta.url))
const reporters = [
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
  `--test-reporter=${reporter}`,
  '--test-reporter-destination=stderr',
]

const folder = mkdtempSync(join(tmpdir(), 'sluice-reports-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function countOf(...names) {
  for (const name of names)
    writeFileSync(join(folder, `${name}.test.mjs`), `import { test } from 'node:test'\n${files[name]}\n`)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env // the run stands alone
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--test', ...reporters, ...names.map((name) => `${name}.test.mjs`)],
    { cwd: folder, env, encoding: 'utf8' },
  )
  return { ...countOfNode(stdout + stderr), stdout }
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

test('of values that differ, the reason has the lines that differ; a test with a failed subtest is not reported', () => {
  const { broken, stdout } = countOf('differs')
  const why = /strictly deep-equal:\n {4}\+ +b: 'x',?\n {4}- +b: 'y',?$/
  assert.deepEqual(
    broken.map(({ name }) => name),
    ['one script'],
  )
  assert.match(broken[0].why, why)
  const failures = []
  new NodeOutput({ test: () => {}, failure: (failure) => failures.push(failure) }).take(stdout)
  assert.deepEqual(
    failures.map(({ name }) => name),
    ['one script'],
  )
  assert.match(failures[0].why, why)
})

test('countOfNode says how a file ended whose process was killed, or ended early', () => {
  const { broken, failed } = countOf('killed', 'exits', 'passes')
  assert.equal(failed, 2)
  assert.deepEqual(broken.map(({ file, why }) => [file, why]).sort(), [
    ['exits.test.mjs', 'its process ended with 7'],
    ['killed.test.mjs', 'its process was killed by SIGKILL'],
  ])
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
  assert.deepEqual(
    names(judged(first, countOf('leaves'))),
    [[failed, crashed], []],
    'the other one failed again; of the first nothing is known',
  )
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
    assert.deepEqual(
      [tests, others.length, failure],
      [4, 0, { name: 'fails (twice)', why: 'Error: the focus: waited 20 ms' }],
    )
    assert.match(place, /fails\.test\.mjs:2$/)
  }
})

test('countOfJUnit reads what ctest wrote: names, the first assertion that failed, and why tests were skipped', () => {
  const file = join(folder, 'ctest.xml')
  const row = (name, status, body = '') =>
    `<testcase name="${name}" classname="${name}" time="0.1" status="${status}">${body}</testcase>`
  const said =
    '-----\n/work/tests/native/base_test.cpp:12: FAILED:\n  CHECK( a &lt; b )\nwith expansion:\n  3 &lt; 2\n\n=====\n'
  writeFileSync(
    file,
    [
      '<testsuite>',
      row('holds &quot;so&quot;', 'run'),
      row('fails', 'fail', `<system-out>${said}</system-out>`),
      row('crashes', 'fail', '<failure message=""/>'),
      row(
        'is left out',
        'notrun',
        '<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/><system-out>SKIPPED: no data\n</system-out>',
      ),
      '</testsuite>',
    ].join('\n'),
  )
  assert.deepEqual(countOfJUnit(file), {
    passed: 1,
    failed: 2,
    held: ['holds "so"'],
    skips: ['no data'],
    broken: [{ name: 'fails', why: 'base_test.cpp:12: CHECK( a < b ) with expansion: 3 < 2' }, { name: 'crashes' }],
  })
  assert.equal(countOfJUnit(join(folder, 'none.xml')).passed, 0)
})

const python = `import unittest
class A(unittest.TestCase):
    def test_a(self):
        """What it is."""
    def test_b(self): self.assertEqual(1, 2, 'no\\nmatch')
    def test_c(self):
        for i in range(3):
            with self.subTest(i=i): self.assertEqual(i, 1)
    @unittest.skip('no printer')
    def test_d(self): pass
class B(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise ValueError('nobody is there')
    def test_e(self): pass
`

test('countOfUnittest names each failed test once, and a second run finds it by that name', (t) => {
  writeFileSync(join(folder, 'test_some.py'), python)
  const unittest = (...chosen) =>
    spawnSync('python3', ['-m', 'unittest', 'discover', '--verbose', '-s', folder, ...chosen], { encoding: 'utf8' })
  const { stderr, error } = unittest()
  if (error) return t.skip('there is no python3')
  const { broken, held, ...rest } = countOfUnittest(stderr)
  assert.deepEqual(rest, { passed: 1, failed: 3, skips: ['no printer'] })
  assert.deepEqual(
    held.map((name) => name.split(' ')[0]),
    ['test_a'],
  )
  assert.deepEqual(broken.map(({ name, why }) => [name.split(' ')[0], why]).sort(), [
    ['setUpClass', 'ValueError: nobody is there'],
    ['test_b', 'AssertionError: 1 != 2 : no'],
    ['test_c', 'AssertionError: 0 != 1'],
  ])
  const again = countOfUnittest(unittest(...broken.flatMap(({ name }) => ['-k', unittestId(name)])).stderr)
  assert.deepEqual(again.broken, broken)
  assert.deepEqual(
    [
      unittestId('test_b (test_some.A)'),
      unittestId('test_b (test_some.A.test_b)'),
      unittestId('setUpClass (test_some.B)'),
    ],
    ['test_some.A.test_b', 'test_some.A.test_b', 'test_some.B'],
  )
  const mended = {
    broken: [],
    held: ['test_e (test_some.B)', ...broken.map(({ name }) => name).filter((name) => /test_[bc]/.test(name))],
  }
  assert.equal(judged({ broken }, mended).unsteady.length, 3)
  assert.deepEqual(judged({ broken }, { broken: [], held: [] }).broken, broken, 'the second run says nothing of them')
})
