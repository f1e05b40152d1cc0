// What `npm test` prints into a pipe while it works: a line when work begins and ends, and one when a build has passed
// a quarter.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const module = fileURLToPath(new URL('../../js/scripts/progress.mjs', import.meta.url))

/** The lines that a program prints, without their times. */
function printed(program) {
  const { stdout } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', `import { begin, end, reach, say } from ${JSON.stringify(module)}\n${program}`],
    { encoding: 'utf8' },
  )
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => {
      assert.match(line, /^\[\d\d:\d\d\] /)
      return line.replace(/^\[\d\d:\d\d\] /, '')
    })
}

test('a build prints each quarter once, however many steps it has', () => {
  const build = `begin('building'); for (let at = 1; at <= 137; at++) reach('building', at, 137); end('building', 'done')`
  assert.deepEqual(printed(build), [
    'building …',
    'building: 25 %',
    'building: 50 %',
    'building: 75 %',
    'building: done',
  ])
  assert.deepEqual(printed(`begin('a'); reach('a', 2, 2); reach('a', 1, 2); end('a')`), ['a …', 'a: 75 %'])
})

test('a suite prints its begin and its end, and nothing between', () => {
  const suite = `begin('js', { total: 4, quarters: false }); for (let at = 1; at <= 4; at++) reach('js', at); end('js', '4 passed'); say('over')`
  assert.deepEqual(printed(suite), ['js …', 'js: 4 passed', 'over'])
})

test('work of which nothing was begun prints nothing', () => {
  assert.deepEqual(printed(`reach('none', 1, 2); end('none'); say('over')`), ['over'])
})
