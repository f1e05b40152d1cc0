// npm test: every suite on the release build, then the same under AddressSanitizer and UndefinedBehaviorSanitizer.
// Words behind it choose suites: `npm test -- js python`; without `asan` among them no sanitizer run.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { command, root, say, Stop } from './run.mjs'
import { browser as findBrowser, buildNative, readCache, setup } from './setup.mjs'

const suites = { native, types, js, python, browser, package: packaged }
const withoutSanitizers = ['types', 'browser', 'package']
const chosen = process.argv.slice(2)
const results = []

await command(async () => {
  for (const word of chosen) {
    if (!(word in suites) && word !== 'asan') throw new Stop(`${word}: no such suite; there are ${Object.keys(suites).join(', ')} and asan`)
  }
  const named = Object.keys(suites).filter((name) => chosen.includes(name))
  const wanted = named.length > 0 ? named : Object.keys(suites)
  await setup({ tests: true })
  for (const name of wanted) suites[name]('release', {})
  if (chosen.length === 0 || chosen.includes('asan')) {
    await buildNative('asan')
    const env = sanitizerEnvironment()
    for (const name of wanted.filter((name) => !withoutSanitizers.includes(name))) suites[name]('asan', env)
  }
  console.log()
  for (const { name, outcome, seconds } of results) console.log(`  ${outcome.padEnd(7)} ${name} (${seconds.toFixed(1)} s)`)
  const count = (outcome) => results.filter((result) => result.outcome === outcome).length
  const skipped = count('skipped') > 0 ? `, ${count('skipped')} skipped` : ''
  console.log(`\nsuites: ${count('passed')} passed, ${count('failed')} failed${skipped}`)
  if (count('failed') > 0) process.exitCode = 1
})

function run(name, program, args, env = {}) {
  say(name)
  const start = performance.now()
  const { status, signal, error } = spawnSync(program, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } })
  if (error) console.error(error.message)
  if (signal) console.error(`ended by ${signal}`)
  results.push({ name, outcome: status === 0 ? 'passed' : 'failed', seconds: (performance.now() - start) / 1000 })
}

function skip(name, why) {
  say(`${name}: skipped, ${why}`)
  results.push({ name: `${name}: ${why}`, outcome: 'skipped', seconds: 0 })
}

function native(preset) {
  run(`C and C++ (${preset})`, 'ctest', ['--preset', preset])
}

function types() {
  run('types', process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tests/js/tsconfig.json'])
}

function js(preset, env) {
  if (!env) return skip(`JavaScript (${preset})`, 'the compiler has no libasan.so to preload')
  const addon = join(root, 'build', preset, 'sluice.node')
  run(`JavaScript (${preset})`, process.execPath, ['--expose-gc', '--test', ...testFiles('tests/js')], { ...env, SLUICE_ADDON: addon })
}

function python(preset, env) {
  if (!env) return skip(`Python (${preset})`, 'the compiler has no libasan.so to preload')
  const [library, addon] = ['libsluice.so', 'sluice.node'].map((name) => join(root, 'build', preset, name))
  run(`Python (${preset})`, 'python3', ['-m', 'unittest', 'discover', '-s', 'tests/python'], { ...env, SLUICE_LIBRARY: library, SLUICE_ADDON: addon })
}

function browser() {
  const chromium = findBrowser()
  if (!chromium) return skip('browser', 'no Chromium was found; $SLUICE_CHROMIUM may name one')
  run('browser', process.execPath, ['--test', '--test-concurrency=1', ...testFiles('tests/browser')], { SLUICE_CHROMIUM: chromium })
}

function packaged() {
  run('package', process.execPath, ['--test', '--test-concurrency=1', ...testFiles('tests/package')])
}

const testFiles = (dir) => readdirSync(join(root, dir)).filter((name) => name.endsWith('.test.mjs')).map((name) => join(dir, name))

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
  }
}
