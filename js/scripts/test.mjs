// npm test: every suite on the release build. Words behind it choose suites (`npm test -- js python`), and in them
// files, scripts or tests (`npm test -- js run`). `asan` runs C++ and the addon under AddressSanitizer and
// UndefinedBehaviorSanitizer instead, `all` both. Whatever happens, the end is a table, and below it one line that a
// machine reads.
import { spawnSync } from 'node:child_process'
import { readdirSync, watch } from 'node:fs'
import { basename, join } from 'node:path'
import { runInLanes } from './lanes.mjs'
import { clear } from './progress.mjs'
import { command, root, say, Stop } from './run.mjs'
import { choose, chosenOf, filesOf } from './test-files.mjs'
import { filter, nearest, scriptsBeside } from './test-filter.mjs'
import { lock } from './test-lock.mjs'
import { failures, onceMore, results } from './test-run.mjs'
import { preparations, suites } from './test-suites.mjs'
import { tell } from './test-table.mjs'
import { buildTypeScript } from './typescript.mjs'
import { installNpmPackages, installSystemPackages, setup } from './setup.mjs'

const always = ['lint', 'native', 'types', 'js', 'python', 'browser']
const withSanitizers = ['native', 'js']
const flags = ['--accept', '--list', '--watch', '--no-install']

const help = `npm test [-- suite …] [-- filter …]

Builds what is missing, runs ${always.join(', ')}, or the suites that are named, and tells the results in a table.
A word that names no suite chooses files by their names, else shared scripts, else tests by their names.

${Object.entries(suites)
  .map(([name, { about }]) => `  ${name.padEnd(11)} ${about}`)
  .join('\n')}
  asan        ${withSanitizers.join(', ')}, or those that are named, under sanitizers
  all         every suite, and ${withSanitizers.join(' and ')} under sanitizers, too

  --list        prints what would run, and runs nothing
  --no-install  installs no packages of the system: suites that need what is missing are skipped
  --watch       runs the chosen tests of js again whenever a source or a test changes

npm test -- js python    only these
npm test -- js run       the files of js with "run" in their names
npm test -- mimo         the scripts of tests/vectors/mimo in C++, JavaScript and Python; mimo#cut: one of them
npm test -- gemini/      the scripts of tests/vectors/gemini: without the slash, a file with "gemini" in its name goes first
npm test -- js mimo      the same scripts in JavaScript only: needs no build of the C++ tests
npm test -- asan native  only this one, under sanitizers
npm test -- pictures --accept  what the pages look like now is right: the pictures that differ are drawn anew

SLUICE_CI_MINUTES: so many minutes after the start no suite begins any more; those that did not begin are named, and count as skipped.
SLUICE_ROTATION: a number that chooses which samples are drawn where not all are tried; else the count of commits.`

await command(async () => {
  const given = process.argv.slice(2)
  const words = given.filter((word) => !word.startsWith('--'))
  if (given.some((word) => ['--help', '-h', 'help'].includes(word))) return console.log(help)
  const wrong = given.find((word) => word.startsWith('--') && !flags.includes(word))
  if (wrong !== undefined) throw new Stop(`${wrong}: no such option; there are ${flags.join(', ')} and --help`, 2)
  const chosen = chosenSuites(words)
  if (given.includes('--accept') && chosen.map(labelOf).join() !== 'pictures')
    throw new Stop('--accept is for `npm test -- pictures`')
  if (given.includes('--accept')) process.env.SLUICE_ACCEPT = '1'
  const filters = words.filter((word) => !(word in suites) && word !== 'asan' && word !== 'all')
  const names = [...new Set(chosen.map(({ name }) => name))]
  const filtered = filters.length > 0 ? choose(names, filters) : names
  const wanted = chosen.filter(({ name }) => filtered.includes(name))
  if (wanted.length === 0) return unknown(filters)
  if (given.includes('--list')) return list(wanted)
  if (given.includes('--watch')) return watched(wanted)
  await runSuites(wanted)
  if (filter.names !== undefined && !results.some(({ passed = 0, failed = 0 }) => passed + failed > 0))
    return unknown(filters)
  if (!tell(results)) process.exitCode = 1
})

/** The suites that words name, each with the build that it tests: `{ name, preset }`. */
function chosenSuites(words) {
  const named = Object.keys(suites).filter((name) => words.includes(name))
  const on = (preset) => (name) => ({ name, preset })
  if (words.includes('all')) return [...Object.keys(suites).map(on('release')), ...withSanitizers.map(on('asan'))]
  if (!words.includes('asan')) return (named.length > 0 ? named : always).map(on('release'))
  const foreign = named.find((name) => ![...withSanitizers, 'python'].includes(name))
  if (foreign) throw new Stop(`${foreign}: does not run under sanitizers; ${withSanitizers.join(', ')} and python do`)
  return (named.length > 0 ? named : withSanitizers).map(on('asan'))
}

function labelOf({ name, preset }) {
  return preset === 'release' ? name : `${preset} ${name}`
}

// -- what runs --------------------------------------------------------------------------------------------------------

async function runSuites(wanted) {
  lock()
  rotate()
  try {
    await installSystemPackages({ tests: true })
    await installNpmPackages()
  } catch (error) {
    if (error instanceof Stop && error.code === 2) throw error // nothing was begun: it says what to type
    reportError(error)
    results.push({ name: 'set-up', failed: 1, note: `it failed: not run were ${wanted.map(labelOf).join(', ')}` })
    return
  }
  const minutes = Number(process.env.SLUICE_CI_MINUTES || Infinity)
  if (Number.isNaN(minutes))
    throw new Stop(`SLUICE_CI_MINUTES: found ${process.env.SLUICE_CI_MINUTES}, expected a number of minutes`, 2)
  const ended = await runInLanes(jobsOf(wanted), { mayBegin: () => performance.now() < minutes * 60_000 })
  reportEnds(wanted.map(labelOf), ended)
  await onceMore()
}

/** What the suites need, and the suites. What others wait for comes first. */
function jobsOf(wanted) {
  const jobs = new Map()
  const names = wanted.map(({ name }) => name)
  const add = (name, { lane, needs = [], after = [], run }, ...args) => {
    for (const other of [...needs, ...after]) if (!jobs.has(other)) add(other, preparations[other], names)
    const reported = async () => {
      try {
        await run(...args)
      } catch (error) {
        reportError(error)
        throw error
      }
    }
    jobs.set(name, { name, lane, needs, after, run: reported })
  }
  for (const suite of wanted) {
    const { needs, ...more } = suites[suite.name]
    add(
      labelOf(suite),
      { ...more, needs: needs.map((name) => (name === 'preset' ? suite.preset : name)) },
      suite.preset,
    )
  }
  const early = ({ name, lane }) => lane === 'waiting' && name in preparations
  return [...jobs.values()].sort((a, b) => early(b) - early(a))
}

/** Suites and what they need that failed, and those that did not run. */
function reportEnds(names, { failed, unmet, late }) {
  for (const [name, error] of failed) {
    const lost = [...unmet].filter(([other, cause]) => cause === name && names.includes(other)).map(([other]) => other)
    const why = error instanceof Stop ? error.message.trim().split('\n').at(-1) : String(error)
    results.push({ name, failed: 1, note: lost.length > 0 ? `it failed: not run were ${lost.join(', ')}` : why })
  }
  for (const name of late.filter((other) => names.includes(other)))
    results.push({ name, skips: ['no time was left for it'] })
}

function reportError(error) {
  clear()
  console.error(error instanceof Stop ? `\n${error.message}` : error)
}

/** Where not all samples are tried, tests draw others after each commit. */
function rotate() {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? ''
  const shallow = git('rev-parse', '--is-shallow-repository') === 'true' // it cannot be counted
  const count = shallow
    ? Number.parseInt(git('rev-parse', 'HEAD').slice(0, 6), 16)
    : Number(git('rev-list', '--count', 'HEAD'))
  process.env.SLUICE_ROTATION ??= String(count || 0)
  say(`SLUICE_ROTATION=${process.env.SLUICE_ROTATION}`)
}

// -- what does not run all --------------------------------------------------------------------------------------------

/** Nothing has such a name: the end of the process is 2. */
function unknown(words) {
  const files = Object.values(filesOf).flatMap((some) => some().map((file) => basename(file, '.test.mjs')))
  const beside = words.filter((word) => /[#/]/.test(word)).flatMap(scriptsBeside)
  const all = [...Object.keys(suites), ...files, ...readdirSync(join(root, 'tests/vectors'))]
  const near = nearest(words.join(' '), beside.length > 0 ? beside : all)
  console.error(
    `\n${words.join(' ')}: no suite, file, script or test has such a name. Near to it are: ${near.join(', ')}`,
  )
  process.exitCode = 2
}

function list(wanted) {
  for (const suite of wanted) {
    const files = () => (suite.name in filesOf ? chosenOf(suite.name) : [])
    const byName = filter.names === undefined ? files() : [`tests that match ${filter.names}`]
    const more = filter.scripts === undefined ? byName : [`scripts with ${filter.scripts}`]
    console.log([`${labelOf(suite)}: ${suites[suite.name].about}`, ...more.map((line) => `  ${line}`)].join('\n'))
  }
}

/** Runs the tests of js, and again after each change, until it is ended. */
async function watched(wanted) {
  if (wanted.map(labelOf).join() !== 'js') throw new Stop('--watch is for `npm test -- js …`')
  lock()
  await setup({ tests: true })
  let changed
  const again = () => new Promise((resolve) => (changed = resolve))
  for (const folder of ['js/src', 'tests/js', 'tests/vectors'])
    watch(join(root, folder), { recursive: true }, () => changed?.())
  for (;;) {
    const next = again()
    results.length = failures.length = 0
    await suites.js.run('release')
    tell(results)
    say('waiting for a change')
    await next
    await new Promise((resolve) => setTimeout(resolve, 300)) // an editor saves several files at once
    await buildTypeScript().catch((error) => console.error(error instanceof Stop ? error.message : error))
  }
}
