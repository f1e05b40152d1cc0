// Words behind `npm test --`: which suites, files, scripts and tests they choose.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { filesWith, nearest, patternOf, scriptPart, scriptsBeside } from '../../js/scripts/test-filter.mjs'

const program = fileURLToPath(new URL('../../js/scripts/test.mjs', import.meta.url))

function npmTest(...words) {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], { env, encoding: 'utf8' })
  return { status, said: stdout + stderr, suites: [...stdout.matchAll(/^(\w+): /gm)].map(([, name]) => name) }
}

test('a word chooses files by their names, scripts by their folders, tests by their names', () => {
  assert.deepEqual(
    filesWith(['tests/js/run.test.mjs', 'tests/js/turn.test.mjs', 'tests/js/options.test.mjs'], ['run', 'opt']),
    ['tests/js/run.test.mjs', 'tests/js/options.test.mjs'],
  )
  assert.deepEqual(
    [
      'mimo',
      'mimo#cut',
      'tests/vectors/mimo/texts.md',
      'tests/vectors/turn/after-done.json',
      'turn#after-done',
      'mimo/cut',
      'mimo#no-such-script',
      'no-such-folder',
      '',
      '../js',
    ].map(scriptPart),
    [
      ...['mimo/', 'mimo#cut', 'mimo/texts.md', 'turn/after-done.json', 'turn/after-done.json', 'mimo#cut'],
      ...[undefined, undefined, undefined, undefined],
    ],
  )
  assert.ok(scriptsBeside('mimo#none').includes('mimo#cut'))
  assert.deepEqual(scriptsBeside('no-such-folder/cut'), [])
  assert.ok(
    new RegExp(patternOf(['a (b)', 'c'])).test('what a (b) does') && !new RegExp(patternOf(['a.c'])).test('abc'),
  )
  assert.equal(nearest('optoins', ['turn', 'options', 'openai', 'rules', 'words', 'run'])[0], 'options')
})

test('what would run is listed, and runs not', () => {
  assert.deepEqual(npmTest('--list').suites, ['lint', 'native', 'types', 'js', 'python', 'browser'])
  assert.deepEqual(npmTest('python', '--list').suites, ['python'])
  const all = npmTest('all', '--list').said
  for (const suite of ['native', 'browser', 'package', 'soak', 'asan native', 'asan js'])
    assert.match(all, new RegExp(`^${suite}: `, 'm'))
  const files = npmTest('js', 'test-filter', '--list')
  assert.match(files.said, /tests\/js\/test-filter\.test\.mjs/)
  assert.deepEqual(npmTest('mimo#cut', '--list').suites, ['native', 'js', 'python'])
  assert.match(npmTest('js', 'what would run is listed', '--list').said, /tests that match what would run is listed/)
})

test('wrong words are refused', () => {
  for (const [words, expected] of [
    [['--all'], /--all: no such option/],
    [['asan', 'browser'], /browser: does not run under sanitizers/],
    [['--accept'], /pictures/],
    [['types', 'cards', '--list'], /no files to choose from in types/],
    [['python', '--watch'], /--watch is for/],
  ]) {
    const { status, said } = npmTest(...words)
    assert.equal(status, words[0] === '--all' ? 2 : 1, words.join(' '))
    assert.match(said, expected)
  }
})

test('a word that nothing has ends with 2, and names what is near', () => {
  const { status, said } = npmTest('types', 'js', `test-${'reportz'}`)
  assert.deepEqual(
    [status, /no suite, file, script or test has such a name\. Near to it are: test-reports/.test(said)],
    [2, true],
    said,
  )
})
