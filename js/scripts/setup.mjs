// Installs and builds what is missing: Debian packages, npm packages, the native library, the TypeScript. Plain Node, since
// it runs before anything is installed. Quick when there is nothing to do: what is there is compared by content, not by time.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { command, quietly, root, say, Stop, which } from './run.mjs'
import { buildTypeScript } from './typescript.mjs'

/** `preset`: the native build that is wanted. `tests`: with what they need, but not their own programs. */
export async function setup({ tests = false, bench = false, pack = false, wasm = false, preset = 'release' } = {}) {
  await installSystemPackages({ tests, bench, pack, wasm })
  await installNpmPackages()
  const targets = bench ? ['sluice_bench', 'sluice_node'] : ['sluice', 'sluice_node']
  const native = pack ? undefined : buildNative(preset, { tests, bench, targets }) // what is packed is built by other compilers
  await Promise.all([native, buildTypeScript()])
  if (wasm) await buildWasm()
}

// -- system packages --------------------------------------------------------------------------------------------------------

const includeDirs = ['/usr/include', '/usr/local/include', '/opt/homebrew/include']
const header = (name) => () => includeDirs.some((dir) => existsSync(join(dir, name)))
const program = (...names) => () => names.some(which)

/** The browser of the tests: $SLUICE_CHROMIUM, or what the system has; the shell, which draws no windows, costs half the time. */
export const browser = () => process.env.SLUICE_CHROMIUM ?? ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(which).find(Boolean)

/** Debian packages that are not there yet. */
export function missingPackages({ tests = false, bench = false, pack = false, fuzz = false, wasm = false, languages = false, coverage = false, trials = false, durable = false }) {
  const needed = [
    ['cmake', program('cmake')],
    ['g++', program('c++', 'g++', 'clang++')],
    ['ninja-build', program('ninja', 'make')],
    ...(tests ? [['nlohmann-json3-dev', header('nlohmann/json.hpp')], ['catch2', header('catch2/catch.hpp')], ['python3', program('python3')], ['pkg-config', program('pkg-config')], ['chromium-headless-shell', browser], ['fonts-noto-cjk', () => existsSync('/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc')]] : []),
    ...(bench ? [['libbenchmark-dev', header('benchmark/benchmark.h')]] : []),
    ...(fuzz ? [['nlohmann-json3-dev', header('nlohmann/json.hpp')], ['clang', program('clang++')], ['libclang-rt-dev', () => existsSync('/usr/share/doc/libclang-rt-dev')]] : []),
    ...(pack || wasm ? [['emscripten', program('em++')]] : []),
    ...(languages ? [['golang-go', program('go')], ['cargo', program('cargo')], ['default-jdk-headless', program('javac')], ['libjna-java', () => existsSync('/usr/share/java/jna.jar')], ['mono-mcs', program('mcs')], ['mono-runtime', program('mono')], ['libmono-system-net-http4.0-cil', () => existsSync('/usr/lib/mono/4.5/System.Net.Http.dll')], ['luajit', program('luajit')]] : []),
    ...(durable ? [['redis-server', program('redis-server', 'valkey-server')], ['postgresql', () => existsSync('/usr/lib/postgresql')]] : []),
    ...(coverage ? [['clang', program('clang++')], ['libclang-rt-dev', () => existsSync('/usr/share/doc/libclang-rt-dev')], ['llvm', program('llvm-cov')]] : []),
    ...(pack ? [['g++-mingw-w64-x86-64-posix', program('x86_64-w64-mingw32-g++-posix')], ['lld-16', program('lld-16')]] : []),
    ...(trials ? [['llvm', program('llvm-readobj')], ['musl', () => existsSync('/lib/ld-musl-x86_64.so.1')], ['qemu-user', program('qemu-aarch64')], ['libstdc++6-arm64-cross', () => existsSync('/usr/aarch64-linux-gnu/lib/libstdc++.so.6')]] : []),
  ]
  return needed.filter(([, present]) => !present()).map(([name]) => name)
}

/** Installs those that are missing, or says what to type. */
export function installSystemPackages(wanted) {
  return install(missingPackages(wanted))
}

/** Installs those of the missing that can be had, and says which cannot. */
export async function installWherePossible(wanted) {
  try {
    await installSystemPackages(wanted)
  } catch {
    for (const name of missingPackages(wanted)) await install([name]).catch((error) => say(`${name} cannot be installed: ${error.message.trim().split('\n').at(-1)}`))
  }
}

async function install(missing) {
  if (missing.length === 0) return
  const names = missing.join(' ')
  if (process.argv.includes('--no-install') || !which('apt-get')) return withoutInstalling(missing)
  const words = ['apt-get', 'install', '-y', '--no-install-recommends', ...missing]
  const prefix = process.getuid?.() === 0 ? [] : sudo()
  if (!prefix) throw new Stop(`missing: ${names}. Type: sudo ${words.join(' ')}`, 2)
  say(`installing by apt: ${names} (--no-install: skip what is missing)`)
  const apt = (what, args) =>
    quietly(what, prefix.concat(args)[0], prefix.concat(args).slice(1), { env: { DEBIAN_FRONTEND: 'noninteractive' } })
  return apt('apt-get', words).catch(async () => {
    await apt('updating the package lists', ['apt-get', 'update']) // those of a fresh image are empty or old
    await apt('apt-get, once more', words)
  })
}

/** What nothing can be built without, and what to type elsewhere than on Debian. */
const essential = {
  cmake: { darwin: 'brew install cmake', win32: 'winget install Kitware.CMake', linux: 'your system has it as cmake' },
  'g++': { darwin: 'xcode-select --install', win32: 'winget install Microsoft.VisualStudio.2022.BuildTools', linux: 'your system has it as g++ or clang' },
}

/** Without a compiler or CMake nothing begins; suites skip what is missing else, and say so. */
function withoutInstalling(missing) {
  const needed = missing.filter((name) => name in essential)
  if (needed.length > 0) throw new Stop(`missing: ${needed.join(', ')}. Type: ${needed.map((name) => essential[name][process.platform] ?? essential[name].linux).join('; ')}`, 2)
  say(`not here, and not installed: ${missing.join(' ')} (Debian's names); what needs them is skipped`)
}

/** The words that give rights without a password, or nothing. */
function sudo() {
  if (!which('sudo') || spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status !== 0) return undefined
  return ['sudo', '-n', 'DEBIAN_FRONTEND=noninteractive']
}

// -- npm packages -----------------------------------------------------------------------------------------------------------

export async function installNpmPackages() {
  if (packagesAreStale()) await quietly('installing npm packages', 'npm', ['ci', '--no-audit', '--no-fund'])
}

/** Whether a folder holds other npm packages than its lock file says, or none. */
export function packagesAreStale(folder = '') {
  const wanted = packagesIn(join(folder, 'package-lock.json'))
  const present = packagesIn(join(folder, 'node_modules/.package-lock.json'))
  return Object.entries(wanted).some(([path, entry]) =>
    path !== '' && !entry.optional && (present[path]?.version !== entry.version || !existsSync(join(root, folder, path))))
}

export function packagesIn(lock) {
  const file = join(root, lock)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {}
}

// -- native library ---------------------------------------------------------------------------------------------------------

/** Configures and builds a preset. No targets: all. `low`: beside something that is to have the processor first. */
export async function buildNative(preset, { tests = true, bench = false, targets = [], low = false, what = `build/${preset}` } = {}) {
  const dir = join(root, 'build', preset)
  const cache = join(dir, 'CMakeCache.txt')
  const env = { CMAKE_GENERATOR: process.env.CMAKE_GENERATOR ?? (which('ninja') ? 'Ninja' : 'Unix Makefiles') }
  let settings = readCache(cache)
  if (settings && realpathSync(settings.CMAKE_HOME_DIRECTORY ?? '/') !== realpathSync(root)) {
    rmSync(dir, { recursive: true }) // a build tree that was moved or copied is of no use
    settings = undefined
  }
  const configured = settings && (existsSync(join(dir, 'build.ninja')) || existsSync(join(dir, 'Makefile')))
  const lacks = (tests && settings?.SLUICE_TESTS === 'OFF') || (bench && settings?.SLUICE_BENCH === 'OFF')
  if (!configured) say('the first build takes a few minutes; what comes after it is quick')
  if (!configured || lacks) {
    // A build tree keeps the tests and benchmarks that it was configured with.
    const options = Object.entries({ TESTS: tests, BENCH: bench }).map(([name, wanted]) => `-DSLUICE_${name}=${wanted || settings?.[`SLUICE_${name}`] === 'ON' ? 'ON' : 'OFF'}`)
    const fetches = which('apt-get') || process.argv.includes('--no-install') ? [] : ['-DSLUICE_FETCH=ON'] // elsewhere nothing installs them
    await quietly(`configuring build/${preset}`, 'cmake', ['--preset', preset, ...options, ...fetches], configured ? { low } : { env, low })
  }
  const build = ['--build', '--preset', preset, '--parallel', String(availableParallelism()), ...(targets.length > 0 ? ['--target', ...targets] : [])]
  await quietly(`building ${what}`, 'cmake', build, { low })
}

/** js/prebuilds/wasm/sluice.wasm. */
export async function buildWasm() {
  if (!which('em++')) throw new Stop('WebAssembly needs the compiler of emscripten: Debian has it as emscripten')
  await buildNative('wasm', { tests: false, targets: ['sluice_wasm'] })
}

export function readCache(file) {
  if (!existsSync(file)) return undefined
  return Object.fromEntries([...readFileSync(file, 'utf8').matchAll(/^([A-Za-z_]+):[A-Z]+=(.*)$/gm)].map(([, key, value]) => [key, value]))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    await setup()
    say('built build/release/libsluice.so, build/release/sluice.node and js/dist')
  })
}
