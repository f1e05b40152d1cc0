// npm run coverage: which lines and branches of native/src the tests in C++ reach. tests/coverage.json names those that
// they do not, each with the reason.
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

Builds the core with clang's counters, runs the tests in C++ and tells what they do not reach: a table by folder, then lines and conditions
of the files whose path contains one of the texts (else those that tests/coverage.json does not explain). Takes some ten minutes.

A line counts where it holds code, a branch is one side of a condition in the source: a side that throws or that a compiler adds is none.
Ends with 1 below ${least.lines} % of lines or ${least.branches} % of branches, where one is missed that tests/coverage.json does not explain, and
where it explains a line or a condition that the source no longer has.

  --accept       writes what is missed into tests/coverage.json and drops what is reached by now; the reasons are yours
  --no-run       looks at the last run again`

await command(async () => {
  const words = process.argv.slice(2)
  if (words.some((word) => ['--help', '-h', 'help'].includes(word))) return console.log(help)
  const texts = words.filter((word) => !word.startsWith('--'))
  if (!words.includes('--no-run')) await runTests()
  const files = reached()
  console.log(table(files))
  if (words.includes('--accept')) accept(files)
  const { kinds, files: explained } = JSON.parse(readFileSync(known, 'utf8'))
  const shown = new Map([...files].filter(([name]) => texts.length === 0 || texts.some((text) => name.includes(text))))
  for (const [name, file] of shown)
    tell(name, texts.length === 0 ? unexplained(file, explained[name] ?? []) : misses(file))
  const wrong = [...wrongReasons(files, kinds, explained)]
  for (const text of wrong) console.log(`  ${text}`)
  const idle = Object.entries(explained).flatMap(([name, rows]) =>
    reachedByNow(files.get(name), rows).map((row) => `${name}: ${titleOf(row)}`),
  )
  if (idle.length > 0) console.log(`  reached by now (--accept drops them):\n    ${idle.join('\n    ')}`)
  const all = sum([...files.values()])
  const more = [...files]
    .filter(([name, file]) => unexplained(file, explained[name] ?? []).length > 0)
    .map(([name]) => name)
  if (more.length > 0) throw new Stop(`more is not reached than tests/coverage.json explains: ${more.join(', ')}`)
  if (wrong.length > 0) throw new Stop('tests/coverage.json is not about this source')
  for (const kind of ['lines', 'branches'])
    if (percent(all[kind]) < least[kind])
      throw new Stop(`${percent(all[kind]).toFixed(1)} % of ${kind} are reached; at least ${least[kind]} % are to be`)
})

async function runTests() {
  await installSystemPackages({ tests: true, coverage: true })
  await buildNative('coverage', { targets: programs, low: true })
  const profiles = join(build, 'profiles')
  rmSync(profiles, { recursive: true, force: true })
  mkdirSync(profiles)
  const args = [
    '--test-dir',
    build,
    '--parallel',
    String(availableParallelism()),
    '--output-on-failure',
    '--exclude-regex',
    '^c99$|NOT_BUILT',
  ]
  await quietly('running the tests', 'ctest', args, {
    env: { LLVM_PROFILE_FILE: join(profiles, '%4m.profraw') },
    low: true,
  })
  await quietly('adding up', 'llvm-profdata', [
    'merge',
    '--sparse',
    '-o',
    join(build, 'all.profdata'),
    ...readdirSync(profiles).map((file) => join(profiles, file)),
  ])
}

/**
 * By file: how often each line with code, and each side of each condition, was reached. Templates and inline functions
 * count once.
 */
function reached() {
  if (!existsSync(join(build, 'all.profdata'))) throw new Stop('there was no run yet')
  const [first, ...others] = programs.map((name) => join(build, name))
  const args = [
    'export',
    '-instr-profile',
    join(build, 'all.profdata'),
    first,
    ...others.flatMap((file) => ['-object', file]),
  ]
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
    found.set(name, { name, lines, branches })
  }
  return found
}

/**
 * Of its segments, each of which holds up to the next: [line, column, count, has a count, begins a region, is a gap].
 */
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

/**
 * [line, column, last line, last column, count of true, count of false]. The sides are kept with the text of their
 * condition.
 */
function branchesOf({ filename, branches }) {
  const text = sourceOf(filename)
  const sides = new Map()
  for (const [line, column, lastLine, lastColumn, yes, no] of branches) {
    // that the one does not hold, or the other ends, is what cannot happen
    if (/\bassert\(|\bwhile \(true\)/.test(text[line - 1])) continue
    const condition = wordsBetween(text, line, column, lastLine, lastColumn)
    for (const [kind, count] of [
      ['never', yes],
      ['always', no],
    ]) {
      const key = `${line}:${column} ${kind} ${condition}`
      sides.set(key, (sides.get(key) ?? 0) + count)
    }
  }
  return sides
}

function sourceOf(path) {
  return readFileSync(path, 'utf8').split('\n')
}

function wordsBetween(text, line, column, lastLine, lastColumn) {
  const lines = text.slice(line - 1, lastLine)
  lines[lines.length - 1] = lines.at(-1).slice(0, lastColumn - 1)
  lines[0] = lines[0].slice(column - 1)
  return lines.map((part) => part.trim()).join(' ')
}

function missed(counts) {
  return [...counts].filter(([, count]) => count === 0).map(([key]) => key)
}

/**
 * Lists what the tests do not reach, as { line, kind, text }. `kind` is `line` for a line, and `never` or `always` for a
 * condition that is never or always true. If a line is not reached, its conditions are not listed.
 */
function misses({ name, lines, branches }) {
  const source = sourceOf(join(root, name))
  const ofLines = missed(lines).map((line) => ({ line, kind: 'line', text: source[line - 1].trim() }))
  const ofBranches = missed(branches)
    .map(sideOf)
    .filter(({ line }) => lines.get(line) !== 0)
  return [...ofLines, ...ofBranches].sort((a, b) => a.line - b.line)
}

function sideOf(key) {
  const [, line, kind, text] = /^(\d+):\d+ (\w+) (.*)$/.exec(key)
  return { line: Number(line), kind, text }
}

// ---- tests/coverage.json: by file, rows such as { "never": "a condition in the file", "times": 2, "why": "…" }. If
// `why` is a name in `kinds`, the reason is the text there.

function titleOf(row) {
  const kind = ['line', 'never', 'always'].find((one) => one in row)
  return `${kind} ${row[kind]}`
}

function unexplained(file, rows) {
  const left = new Map(rows.map((row) => [titleOf(row), row.times ?? 1]))
  return misses(file).filter(({ kind, text }) => {
    const times = left.get(`${kind} ${text}`) ?? 0
    left.set(`${kind} ${text}`, times - 1)
    return times < 1
  })
}

function reachedByNow(file, rows) {
  const titles = new Set(file && misses(file).map(({ kind, text }) => `${kind} ${text}`))
  return rows.filter((row) => !titles.has(titleOf(row)))
}

/** What the reasons themselves have wrong, in words. */
function* wrongReasons(files, kinds, explained) {
  const used = new Set()
  for (const [name, rows] of Object.entries(explained)) {
    const file = files.get(name)
    const source = file && sourceOf(join(root, name))
    const titles = new Set(
      file && [
        ...[...file.lines.keys()].map((line) => `line ${source[line - 1].trim()}`),
        ...[...file.branches.keys()].map(sideOf).map(({ kind, text }) => `${kind} ${text}`),
      ],
    )
    for (const row of rows) {
      if (!titles.has(titleOf(row))) yield `${name}: explains what is not there: ${titleOf(row)}`
      if (!row.why) yield `${name}: no reason: ${titleOf(row)}`
      used.add(row.why)
    }
  }
  for (const kind of Object.keys(kinds)) if (!used.has(kind)) yield `no row has the reason ${kind}`
}

function sum(files) {
  const of = (kind) => ({
    all: files.reduce((all, file) => all + file[kind].size, 0),
    missed: files.reduce((all, file) => all + missed(file[kind]).length, 0),
  })
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
  return [
    '',
    `  ${''.padEnd(10)}   lines missed  reached  branches missed  reached`,
    ...rows,
    row('all', sum([...files.values()])),
    '',
  ].join('\n')
}

function tell(name, all) {
  if (all.length > 0) console.log(name)
  for (const { line, kind, text } of all)
    console.log(`  ${String(line).padStart(5)}  ${kind === 'line' ? '' : `${kind} `}${text}`)
}

function accept(files) {
  const { kinds, files: before } = JSON.parse(readFileSync(known, 'utf8'))
  const rowsOf = ([name, file]) => {
    const rows = new Map()
    for (const { kind, text } of misses(file)) {
      const { times = 0 } = rows.get(`${kind} ${text}`) ?? {}
      const why = before[name]?.find((row) => row[kind] === text)?.why ?? ''
      rows.set(`${kind} ${text}`, { [kind]: text, times: times + 1, why })
    }
    return [...rows.values()].map(({ times, why, ...row }) => ({ ...row, ...(times > 1 && { times }), why }))
  }
  const left = [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((file) => [file[0], rowsOf(file)])
    .filter(([, rows]) => rows.length > 0)
  const list = (rows) => rows.map((row) => `      ${JSON.stringify(row)}`).join(',\n')
  const texts = Object.entries(kinds)
    .map(([kind, text]) => `    ${JSON.stringify(kind)}: ${JSON.stringify(text)}`)
    .join(',\n')
  writeFileSync(
    known,
    `{\n  "kinds": {\n${texts}\n  },\n  "files": {\n${left.map(([name, rows]) => `    ${JSON.stringify(name)}: [\n${list(rows)}\n    ]`).join(',\n')}\n  }\n}\n`,
  )
  say('wrote tests/coverage.json')
}
