// Installs and builds what is missing: Debian packages, npm packages, the native library, the TypeScript. Plain Node, since
// it runs before anything is installed. Quick when there is nothing to do: what is there is compared by content, not by time.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = resolve(fileURLToPath(import.meta.url), '../../..')

const started = performance.now()

/** One line of progress, with the time since the start. */
export function say(text) {
  console.log(`[${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s] ${text}`)
}

/** A failure that is told without a stack. */
export class Stop extends Error {}

/** Runs `main` and ends the process the way a person expects. */
export async function command(main) {
  try {
    await main()
  } catch (error) {
    console.error(error instanceof Stop ? `\n${error.message}` : error)
    process.exitCode = 1
  }
}

export async function setup({ tests = false, bench = false } = {}) {
  await installSystemPackages({ tests, bench })
  await installNpmPackages()
  const targets = tests ? [] : bench ? ['sluice_bench', 'sluice_node'] : ['sluice', 'sluice_node']
  await buildNative('release', { tests, bench, targets })
  await buildTypeScript()
}

// -- running commands -------------------------------------------------------------------------------------------------------

export function which(program) {
  const names = process.platform === 'win32' ? [`${program}.exe`, `${program}.cmd`] : [program]
  return (process.env.PATH ?? '').split(delimiter).flatMap((dir) => names.map((name) => join(dir, name))).find((file) => existsSync(file))
}

/** Runs a command whose output matters only when it fails; says every ten seconds how far it is. Throws Stop. */
export async function quietly(what, program, args, { env = {} } = {}) {
  say(`${what} …`)
  const child = spawn(program, args, {
    cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32',
  })
  let output = ''
  const collect = (data) => (output += data)
  child.stdout.setEncoding('utf8').on('data', collect)
  child.stderr.setEncoding('utf8').on('data', collect)
  const status = () => {
    const line = output.trimEnd().split('\n').at(-1) ?? ''
    say(`  … ${line.slice(0, 110)}`)
  }
  const timer = setInterval(status, 10_000)
  const code = await new Promise((done) => child.on('error', (error) => done(error.message)).on('close', done))
  clearInterval(timer)
  if (code !== 0) {
    const tail = output.trimEnd().split('\n').slice(-60).join('\n')
    throw new Stop(`${tail}\n\n${what}: \`${[program, ...args].join(' ')}\` ended with ${code}`)
  }
  return output
}

// -- system packages --------------------------------------------------------------------------------------------------------

const includeDirs = ['/usr/include', '/usr/local/include', '/opt/homebrew/include']
const header = (name) => () => includeDirs.some((dir) => existsSync(join(dir, name)))
const program = (...names) => () => names.some(which)

function installSystemPackages({ tests, bench }) {
  const needed = [
    ['cmake', program('cmake')],
    ['g++', program('c++', 'g++', 'clang++')],
    ['ninja-build', program('ninja', 'make')],
    ['nlohmann-json3-dev', header('nlohmann/json.hpp')],
    ...(tests ? [['catch2', header('catch2/catch.hpp')], ['libvalijson-dev', header('valijson/validator.hpp')], ['python3', program('python3')]] : []),
    ...(bench ? [['libbenchmark-dev', header('benchmark/benchmark.h')]] : []),
  ]
  const missing = needed.filter(([, present]) => !present()).map(([name]) => name)
  if (missing.length === 0) return
  if (!which('apt-get')) {
    // Another system: what CMake does not find there it fetches; programs it cannot.
    say(`not found here, and there is no apt-get to install them with: ${missing.join(', ')} (Debian's names)`)
    return
  }
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...missing]
  const prefix = process.getuid?.() === 0 ? [] : sudo()
  if (!prefix) throw new Stop(`Packages are missing, and installing them needs rights. Type this, then try again:\n\n  sudo ${install.join(' ')}\n`)
  const apt = (what, args) =>
    quietly(what, prefix.concat(args)[0], prefix.concat(args).slice(1), { env: { DEBIAN_FRONTEND: 'noninteractive' } })
  return apt(`installing ${missing.join(' ')}`, install).catch(async () => {
    await apt('updating the package lists', ['apt-get', 'update']) // those of a fresh image are empty or old
    await apt(`installing ${missing.join(' ')}`, install)
  })
}

/** The words that give rights without a password, or nothing. */
function sudo() {
  if (!which('sudo') || spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status !== 0) return undefined
  return ['sudo', '-n', 'DEBIAN_FRONTEND=noninteractive']
}

// -- npm packages -----------------------------------------------------------------------------------------------------------

async function installNpmPackages() {
  const wanted = packagesIn('package-lock.json')
  const present = packagesIn('node_modules/.package-lock.json')
  const stale = Object.entries(wanted).some(([path, entry]) =>
    path !== '' && !entry.optional && (present[path]?.version !== entry.version || !existsSync(join(root, path))))
  if (stale) await quietly('installing npm packages', 'npm', ['ci', '--no-audit', '--no-fund'])
}

function packagesIn(lock) {
  const file = join(root, lock)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {}
}

// -- native library ---------------------------------------------------------------------------------------------------------

/** Configures and builds a preset. No targets: all. */
export async function buildNative(preset, { tests = true, bench = false, targets = [] } = {}) {
  const dir = join(root, 'build', preset)
  const cache = join(dir, 'CMakeCache.txt')
  const env = { CMAKE_GENERATOR: process.env.CMAKE_GENERATOR ?? (which('ninja') ? 'Ninja' : 'Unix Makefiles') }
  let settings = readCache(cache)
  if (settings && realpathSync(settings.CMAKE_HOME_DIRECTORY ?? '/') !== realpathSync(root)) {
    rmSync(dir, { recursive: true }) // a build tree that was moved or copied is of no use
    settings = undefined
  }
  const configured = settings && (existsSync(join(dir, 'build.ninja')) || existsSync(join(dir, 'Makefile')))
  // What was left out for want of a package is looked for again; what was once configured stays.
  const lacks = (tests && settings?.SLUICE_TESTS === 'OFF') || (bench && settings?.benchmark_DIR?.endsWith('NOTFOUND'))
  if (!configured || lacks) {
    const option = `-DSLUICE_TESTS=${tests || settings?.SLUICE_TESTS === 'ON' ? 'ON' : 'OFF'}`
    await quietly(`configuring build/${preset}`, 'cmake', ['--preset', preset, option], configured ? {} : { env })
  }
  const build = ['--build', '--preset', preset, '--parallel', String(availableParallelism()), ...(targets.length > 0 ? ['--target', ...targets] : [])]
  await quietly(`building build/${preset}`, 'cmake', build)
}

export function readCache(file) {
  if (!existsSync(file)) return undefined
  return Object.fromEntries([...readFileSync(file, 'utf8').matchAll(/^([A-Za-z_]+):[A-Z]+=(.*)$/gm)].map(([, key, value]) => [key, value]))
}

// -- TypeScript -------------------------------------------------------------------------------------------------------------

async function buildTypeScript() {
  const dist = join(root, 'js/dist')
  const stamp = join(dist, 'stamp')
  const hash = createHash('sha256')
  const sources = readdirSync(join(root, 'js/src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  const inputs = ['js/tsconfig.json', 'js/tsconfig.cjs.json', 'package-lock.json', 'js/scripts/setup.mjs'].map((name) => join(root, name))
  for (const file of [...inputs, ...sources.sort()]) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0')
  const content = hash.digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === content) return
  rmSync(dist, { recursive: true, force: true })
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  await quietly('compiling TypeScript', process.execPath, [tsc, '-p', 'js/tsconfig.json'])
  await quietly('compiling TypeScript for CommonJS', process.execPath, [tsc, '-p', 'js/tsconfig.cjs.json'])
  mkdirSync(join(dist, 'cjs'), { recursive: true })
  writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n')
  writeFileSync(stamp, content)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    await setup()
    say('built build/release/libsluice.so, build/release/sluice.node and js/dist')
  })
}
