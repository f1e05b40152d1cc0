// Runs the programs of suites for `npm test`, and keeps what they say: results, and what is to run once more.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { begin, clear, end as ended, reach } from './progress.mjs'
import { lower, root, say } from './run.mjs'
import { filter, filters } from './test-filter.mjs'
import { countOfNode, judged, NodeOutput } from './test-reports.mjs'

/** The rows of the table: `{ name, passed, failed, skips, broken, unsteady, seconds, note }`. */
export const results = []
/** What to run once more, alone, when everything else is over. */
export const failures = []
export const logs = join(root, 'build/logs')
/** Why a test was skipped that a filter leaves out. */
const NOT_CHOSEN = 'test name does not match pattern'
/** So many files, or tests of C++ and Python, that failed run once more. */
const FEW = 10
/** So many lines of a failed program are printed. */
const LAST_LINES = 60
const reporters = [
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
  '--test-reporter=./js/scripts/test-reporter.mjs',
  '--test-reporter-destination=stderr',
]
const testEnds = /^ *\d+\/\d+ Test +#|\.\.\. (?:ok|FAIL|ERROR|skipped)|^[✔✖] /

export function skip(name, why) {
  say(`${name}: skipped, ${why}`)
  results.push({ name, skips: [why] })
}

/**
 * Runs a suite and keeps its result. `count` reads from its output how many tests passed and failed, which, and why
 * others were skipped. `live` reads the output while it comes, and prints each failure at once. The whole output goes
 * to build/logs. `again` gives the arguments of a second run of what failed.
 */
export async function run(name, program, args, { again, ...options }) {
  const first = await execute(name, program, args, options)
  results.push(first)
  if (again === undefined || first.failed === 0 || first.broken.length === 0) return
  const size = first.files?.length ?? first.broken.length
  failures.push({ first, size, again: () => execute(`${name}, once more`, program, again(first), options) })
}

/** Runs files of Node's test runner. */
export async function runNode(name, files, options, env = {}, { node = process.execPath, low = false } = {}) {
  if (files.length === 0) return
  const chosen = filter.names !== undefined ? [`--test-name-pattern=${filter.names}`] : []
  const scripts = filter.scripts === undefined ? {} : { SLUICE_SCRIPT: filter.scripts }
  const args = ['--test', ...reporters, ...options, ...chosen]
  const again = (first) => [...args, '--test-concurrency=1', ...first.files]
  return run(name, node, [...args, ...files], {
    env: { ...env, ...scripts },
    low,
    count: countOfNode,
    live: NodeOutput.on,
    again,
  })
}

/**
 * Runs once more what failed, one after another, with nothing beside it. A test that passes now failed for what ran
 * beside it: the table names it as UNSTEADY, with its reason. That keeps nothing back, and is a fault to be found.
 */
export async function onceMore() {
  const count = failures.reduce((sum, { size }) => sum + size, 0)
  if (count > FEW || filters()) return
  for (const { first, again } of failures) {
    const { broken, unsteady } = judged(first, await again())
    Object.assign(first, { failed: broken.length, broken, unsteady })
  }
}

async function execute(name, program, args, { env = {}, low = false, count, live = linesOf(testEnds) }) {
  mkdirSync(logs, { recursive: true })
  const log = join(logs, `${logName(name)}.log`)
  const known = `${log}.tests`
  begin(name, {
    total: existsSync(known) && !filters() ? Number(readFileSync(known, 'utf8')) : undefined,
    quarters: false,
  })
  const start = performance.now()
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  if (low) lower(child)
  const pieces = []
  let tests = 0
  const output = live({ test: () => reach(name, ++tests), failure: (failure) => sayFailure(name, failure) })
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece) => {
      pieces.push(piece)
      if (stream === child.stdout || live !== NodeOutput.on) output.take(piece)
    })
  }
  const end = await endOf(child)
  const whole = pieces.join('').trimEnd()
  writeFileSync(log, whole + '\n')
  if (!filters()) writeFileSync(known, String(tests))
  const result = { name, seconds: (performance.now() - start) / 1000, ...count(whole, end.code === 0) }
  result.skips = result.skips.filter((why) => why !== NOT_CHOSEN)
  Object.assign(result, noteOf(end, result, tests))
  ended(name, `${result.passed} passed, ${result.failed} failed, ${result.skips.length} skipped`)
  if (result.failed > 0 && (live !== NodeOutput.on || result.broken.length === 0)) {
    clear()
    console.log(whole.split('\n').slice(-LAST_LINES).join('\n'))
  }
  return result
}

function endOf(child) {
  return new Promise((resolve) =>
    child.on('error', ({ message }) => resolve({ message })).on('close', (code, signal) => resolve({ code, signal })),
  )
}

/** What the end of a program adds to what its report says. */
export function noteOf({ code, signal, message }, { passed, failed, skips }, tests) {
  const atLeastOne = Math.max(1, failed)
  if (message) return { failed: atLeastOne, note: `it could not be started: ${message}` }
  if (signal)
    return {
      failed: atLeastOne,
      note: `it was killed by ${signal} after ${tests} tests; nothing is known of the others`,
    }
  if (code !== 0 && failed === 0) return { failed: 1, note: `it ended with ${code}` }
  if (code === 0 && passed + skips.length === 0 && filter.names === undefined)
    return { failed: 1, note: 'it ran no test' }
  return {}
}

function sayFailure(name, { name: test, why, place }) {
  say(`✖ ${name}: ${test}${place ? ` (${place.replace(`${root}/`, '')})` : ''}: ${why}`)
}

/** Counts the lines that match. */
function linesOf(pattern) {
  return (on) => {
    let rest = ''
    return {
      take(text) {
        const lines = (rest + text).split('\n')
        rest = lines.pop()
        for (const line of lines) if (pattern.test(line)) on.test()
      },
    }
  }
}

function logName(name) {
  return name
    .replace(/[^a-z0-9]+/gi, ' ')
    .trim()
    .replaceAll(' ', '-')
}
