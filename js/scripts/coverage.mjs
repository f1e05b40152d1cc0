// npm run coverage: which lines and branches of native/src the tests in C++ reach. tests/coverage.json says of each file how many they do not, and why.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { command, quietly, root, say, Stop } from './run.mjs'
import { buildNative, installSystemPackages } from './setup.mjs'

const least = { lines: 95, branches: 90 } // percent of all
const known = join(root, 'tests/coverage.json')
const build = join(root, 'build/coverage')
const sources = `${root}/native/src/`
const programs = ['sluice_tests', 'sluice_short_memory', 'sluice_peak_memory']

const help = `npm run coverage [-- --accept] [-- text …]

Builds the core with clang's counters, runs the tests in C++ and tells what they do not reach: a table by folder, then lines and branches
of the files whose path contains one of the texts (else of those that tests/coverage.json does not explain). Takes some ten minutes.

A line counts where it holds code, a branch is one side of a condition in the source: a side that throws or that a compiler adds is none.
Ends with 1 below ${least.lines} % of lines or ${least.branches} % of branches, and where a file has more of either than tests/coverage.json explains.

  --accept       writes the numbers into tests/coverage.json; the reasons are yours
  --no-run       looks at the last run again`

await command(async () => {
  const words = process.argv.slice(2)
  if (words.some((word) => ['--help', '-h', 'help'].includes(word))) return console.log(help)
  const texts = words.filter((word) => !word.startsWith('--'))
  if (!words.includes('--no-run')) await runTests()
  const files = reached()
  console.log(table(files))
  if (words.includes('--accept')) accept(files)
  const explained = JSON.parse(readFileSync(known, 'utf8'))
  const more = [...files].filter(([name, file]) => missed(file.lines).length > (explained[name]?.lines ?? 0) || missed(file.branches).length > (explained[name]?.branches ?? 0))
  const shown = texts.length > 0 ? [...files].filter(([name]) => texts.some((text) => name.includes(text))) : more
  for (const [name, file] of shown) tell(name, file)
  const all = sum([...files.values()])
  if (more.length > 0) throw new Stop(`more is not reached than tests/coverage.json explains: ${more.map(([name]) => name).join(', ')}`)
  for (const kind of ['lines', 'branches']) if (percent(all[kind]) < least[kind]) throw new Stop(`${percent(all[kind]).toFixed(1)} % of ${kind} are reached; at least ${least[kind]} % are to be`)
})

async function runTests() {
  await installSystemPackages({ tests: true, coverage: true })
  await buildNative('coverage', { targets: programs, low: true })
  const profiles = join(build, 'profiles')
  rmSync(profiles, { recursive: true, force: true })
  mkdirSync(profiles)
  const args = ['--test-dir', build, '--parallel', String(availableParallelism()), '--output-on-failure', '--exclude-regex', '^c99$|NOT_BUILT']
  await quietly('running the tests', 'ctest', args, { env: { LLVM_PROFILE_FILE: join(profiles, '%4m.profraw') }, low: true })
  await quietly('adding up', 'llvm-profdata', ['merge', '--sparse', '-o', join(build, 'all.profdata'), ...readdirSync(profiles).map((file) => join(profiles, file))])
}

/** By file: how often each line with code, and each side of each condition, was reached. Templates and inline functions count once. */
function reached() {
  if (!existsSync(join(build, 'all.profdata'))) throw new Stop('there was no run yet')
  const [first, ...others] = programs.map((name) => join(build, name))
  const args = ['export', '-instr-profile', join(build, 'all.profdata'), first, ...others.flatMap((file) => ['-object', file])]
  const { status, stdout, stderr } = spawnSync('llvm-cov', args, { encoding: 'utf8', maxBuffer: 1 << 30 })
  if (status !== 0) throw new Stop(`llvm-cov ended with ${status}\n${stderr}`)
  const { files } = JSON.parse(stdout).data[0]
  const found = new Map()
  for (const file of files) {
    const path = resolve(file.filename) // a compiler cache may spell it by way of the build folder
    if (!path.startsWith(sources)) continue
    const name = path.slice(root.length + 1)
    const { lines, branches } = found.get(name) ?? { lines: new Map(), branches: new Map() }
    for (const [line, count] of linesOf(file)) lines.set(line, (lines.get(line) ?? 0) + count)
    for (const [side, count] of branchesOf(file)) branches.set(side, (branches.get(side) ?? 0) + count)
    found.set(name, { lines, branches })
  }
  return found
}

/** Of its segments, each of which holds up to the next: [line, column, count, has a count, begins a region, is a gap]. */
function linesOf({ segments }) {
  const lines = new Map()
  const reach = (line, count) => lines.set(line, Math.max(lines.get(line) ?? 0, count))
  segments.forEach(([line, , count, hasCount, begins, isGap], at) => {
    if (!hasCount || isGap) return
    if (begins) reach(line, count)
    const [end = line] = segments[at + 1] ?? []
    for (let inside = line + 1; inside < end; inside++) reach(inside, count)
  })
  return lines
}

function branchesOf({ filename, branches }) {
  const text = readFileSync(filename, 'utf8').split('\n')
  const sides = new Map()
  for (const [line, column, , , yes, no] of branches) {
    if (/\bassert\(|\bwhile \(true\)/.test(text[line - 1])) continue // that the one does not hold, or the other ends, is what cannot happen
    for (const [side, count] of [['true', yes], ['false', no]]) {
      const key = `${line}:${column} ${side}`
      sides.set(key, (sides.get(key) ?? 0) + count)
    }
  }
  return sides
}

function missed(counts) {
  return [...counts].filter(([, count]) => count === 0).map(([key]) => key)
}

function sum(files) {
  const of = (kind) => ({ all: files.reduce((all, file) => all + file[kind].size, 0), missed: files.reduce((all, file) => all + missed(file[kind]).length, 0) })
  return { lines: of('lines'), branches: of('branches') }
}

function percent({ all, missed }) {
  return all === 0 ? 100 : (100 * (all - missed)) / all
}

function table(files) {
  const folders = new Map()
  for (const [name, file] of files) folders.set(name.split('/')[2], [...(folders.get(name.split('/')[2]) ?? []), file])
  const row = (name, { lines, branches }) =>
    `  ${name.padEnd(10)} ${`${lines.all}`.padStart(7)} ${`${lines.missed}`.padStart(6)} ${percent(lines).toFixed(1).padStart(6)} %   ${`${branches.all}`.padStart(7)} ${`${branches.missed}`.padStart(6)} ${percent(branches).toFixed(1).padStart(6)} %`
  const rows = [...folders].sort().map(([folder, list]) => row(`${folder}/`, sum(list)))
  return ['', `  ${''.padEnd(10)}   lines missed  reached  branches missed  reached`, ...rows, row('all', sum([...files.values()])), ''].join('\n')
}

function tell(name, { lines, branches }) {
  const text = readFileSync(join(root, name), 'utf8').split('\n')
  console.log(`${name}`)
  for (const line of missed(lines)) console.log(`  ${String(line).padStart(5)}  ${text[line - 1].trimEnd()}`)
  for (const side of missed(branches)) {
    const [line] = side.split(':')
    if (lines.get(Number(line)) !== 0) console.log(`  ${side.padStart(16)}  ${text[line - 1].trim()}`)
  }
}

function accept(files) {
  const before = existsSync(known) ? JSON.parse(readFileSync(known, 'utf8')) : {}
  const rows = [...files].map(([name, file]) => [name, { lines: missed(file.lines).length, branches: missed(file.branches).length, why: before[name]?.why ?? '' }])
  const left = rows.filter(([, { lines, branches }]) => lines + branches > 0).sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(known, `{\n${left.map(([name, row]) => `  ${JSON.stringify(name)}: ${JSON.stringify(row)}`).join(',\n')}\n}\n`)
  say('wrote tests/coverage.json')
}
