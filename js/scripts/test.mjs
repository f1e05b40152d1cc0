// npm test: every suite on the release build, then the same under AddressSanitizer and UndefinedBehaviorSanitizer.
// Words behind it choose suites: `npm test -- js python`; without `asan` among them no sanitizer run. The suite `package`, which
// builds the package for every platform, runs only when it is chosen.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command, root, say, Stop } from './run.mjs'
import { browser as findBrowser, buildNative, readCache, setup } from './setup.mjs'

const suites = { native, types, js, python, browser, package: packaged }
const withSanitizers = ['native', 'js', 'python']
const chosen = process.argv.slice(2)
const results = []
const logs = join(root, 'build/logs')
const nodeTest = ['--test', '--test-reporter=spec'] // it tells failures again at the end
const testFiles = (dir) => readdirSync(join(root, dir)).filter((name) => name.endsWith('.test.mjs')).map((name) => join(dir, name))

await command(async () => {
  for (const word of chosen) {
    if (!(word in suites) && word !== 'asan') throw new Stop(`${word}: no such suite; there are ${Object.keys(suites).join(', ')} and asan`)
  }
  const named = Object.keys(suites).filter((name) => chosen.includes(name))
  const wanted = named.length > 0 ? named : Object.keys(suites).filter((name) => name !== 'package')
  const of = (names) => wanted.filter((name) => names.includes(name))
  await setup({ tests: true })
  const sanitized = chosen.length === 0 || chosen.includes('asan')
  await together(of(['native', 'types', 'js', 'python']), 'release', {})
  // The browser beside nothing that is in its way: what it looks at is how quickly a page answers.
  await Promise.all([together(of(['browser'])), sanitized && buildNative('asan', { low: true })])
  if (sanitized) await together(of(withSanitizers), 'asan', sanitizerEnvironment())
  await together(of(['package']))
  console.log()
  for (const { name, outcome, seconds } of results) console.log(`  ${outcome.padEnd(7)} ${name} (${seconds.toFixed(1)} s)`)
  const count = (outcome) => results.filter((result) => result.outcome === outcome).length
  const skipped = count('skipped') > 0 ? `, ${count('skipped')} skipped` : ''
  console.log(`\nsuites: ${count('passed')} passed, ${count('failed')} failed${skipped}; the whole output is in build/logs`)
  if (count('failed') > 0) process.exitCode = 1
})

function together(names, ...how) {
  return Promise.all(names.map((name) => suites[name](...how)))
}

/** Runs a suite and tells its end: the summary, or of a failure what fits on a few screens. */
async function run(name, program, args, env = {}) {
  say(`${name} …`)
  const start = performance.now()
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  const pieces = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => pieces.push(piece))
  const end = await new Promise((resolve) => child.on('error', (error) => resolve(error.message)).on('close', (code, signal) => resolve(signal ?? code)))
  const seconds = (performance.now() - start) / 1000
  const output = Buffer.concat(pieces).toString().trimEnd()
  mkdirSync(logs, { recursive: true })
  writeFileSync(join(logs, `${name.replace(/[^a-z0-9]+/gi, '-')}.log`), output + '\n')
  const passed = end === 0
  results.push({ name, outcome: passed ? 'passed' : 'failed', seconds })
  say(`${name}: ${passed ? 'passed' : `FAILED (${end})`} after ${seconds.toFixed(1)} s`)
  const notes = output.split('\n').filter((line) => /skipped|# SKIP|\d+ of \d+/i.test(line))
  console.log((passed ? [...notes.slice(-12), ...output.split('\n').slice(-9)] : output.split('\n').slice(-250)).join('\n'))
}

function skip(name, why) {
  say(`${name}: skipped, ${why}`)
  results.push({ name: `${name}: ${why}`, outcome: 'skipped', seconds: 0 })
}

function native(preset) {
  return run(`C and C++ (${preset})`, 'ctest', ['--preset', preset, '--parallel', '2'])
}

function types() {
  const tsc = (name, project) => run(name, process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project])
  return Promise.all([tsc('types', 'tests/js/tsconfig.json'), tsc('types of Electron', 'tests/js/tsconfig.electron.json')])
}

function js(preset, env) {
  if (!env) return skip(`JavaScript (${preset})`, 'the compiler has no libasan.so to preload')
  const addon = join(root, 'build', preset, 'sluice.node')
  return run(`JavaScript (${preset})`, process.execPath, ['--expose-gc', ...nodeTest, ...testFiles('tests/js')], { ...env, SLUICE_ADDON: addon })
}

function python(preset, env) {
  if (!env) return skip(`Python (${preset})`, 'the compiler has no libasan.so to preload')
  const [library, addon] = ['libsluice.so', 'sluice.node'].map((name) => join(root, 'build', preset, name))
  return run(`Python (${preset})`, 'python3', ['-m', 'unittest', 'discover', '-s', 'tests/python'], { ...env, SLUICE_LIBRARY: library, SLUICE_ADDON: addon })
}

function browser() {
  const chromium = findBrowser()
  if (!chromium) return skip('browser', 'no Chromium was found; $SLUICE_CHROMIUM may name one')
  return run('browser', process.execPath, [...nodeTest, '--test-force-exit', '--test-concurrency=2', ...testFiles('tests/browser')], { SLUICE_CHROMIUM: chromium })
}

function packaged() {
  return run('package', process.execPath, [...nodeTest, '--test-concurrency=1', ...testFiles('tests/package')])
}

/** What lets a stock node or python load a library built with AddressSanitizer. */
function sanitizerEnvironment() {
  const compiler = readCache(join(root, 'build/asan/CMakeCache.txt'))?.CMAKE_CXX_COMPILER ?? 'c++'
  const libraries = ['libasan.so', 'libstdc++.so'].map((name) => spawnSync(compiler, [`-print-file-name=${name}`], { encoding: 'utf8' }).stdout?.trim() ?? '')
  if (!existsSync(libraries[0])) return undefined
  return {
    LD_PRELOAD: libraries.filter((file) => existsSync(file)).join(' '), // libstdc++ too: it must be there when asan looks for __cxa_throw
    ASAN_OPTIONS: 'detect_leaks=0:abort_on_error=0', // node and python themselves never free everything
    UBSAN_OPTIONS: 'print_stacktrace=1',
    PYTHONMALLOC: 'malloc',
    SLUICE_REPLAYS: '2', // some ten times slower: fewer random cuts, as in C++
  }
}
