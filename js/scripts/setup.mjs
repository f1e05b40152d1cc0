// Installs and builds what is missing: Debian packages, npm packages, the native library, the TypeScript. Plain Node,
// since it runs before anything is installed. Quick when there is nothing to do: what is there is compared by content,
// not by time.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWasm, isCurrent } from './binaries.mjs'
import { buildNative } from './native.mjs'
import { command, quietly, root, say, Stop, which } from './run.mjs'
import { buildTypeScript } from './typescript.mjs'

export { buildWasm } from './binaries.mjs'
export { buildNative, readCache } from './native.mjs'

/** `preset`: the native build that is wanted. `tests`: with what they need, but not their own programs. */
export async function setup({ tests = false, bench = false, wasm = false, preset = 'release' } = {}) {
  await installSystemPackages({ tests, bench, wasm: wasm && !isCurrent('wasm') })
  await installNpmPackages()
  const targets = bench ? ['sluice_bench', 'sluice_node'] : ['sluice', 'sluice_node']
  // Both end before one of them fails: else the progress of the other one follows the error.
  const ended = await Promise.allSettled([buildNative(preset, { tests, bench, targets }), buildTypeScript()])
  for (const { status, reason } of ended) if (status === 'rejected') throw reason
  if (wasm) await buildWasm()
}

// -- system packages --------------------------------------------------------------------------------------------------

const includeDirs = ['/usr/include', '/usr/local/include', '/opt/homebrew/include']
const header = (name) => () => includeDirs.some((dir) => existsSync(join(dir, name)))
const program =
  (...names) =>
  () =>
    names.some(which)
const ran = (name, ...args) => spawnSync(name, args, { encoding: 'utf8' })

/**
 * A C++ compiler. macOS has a `c++` that only asks for the real one; Windows has Visual Studio's outside of the path.
 */
function compiler() {
  if (process.env.CXX) return true
  if (process.platform === 'darwin') return ran('xcode-select', '-p').status === 0
  if (['c++', 'g++', 'clang++', 'cl', 'clang-cl'].some(which)) return true
  if (process.platform !== 'win32') return false
  const installer = join(
    process.env['ProgramFiles(x86)'] ?? 'C:\\Program Files (x86)',
    'Microsoft Visual Studio/Installer/vswhere.exe',
  )
  return /cl\.exe/i.test(ran(installer, '-latest', '-products', '*', '-find', 'VC/Tools/MSVC/**/cl.exe').stdout ?? '')
}

/** The CMake that reads CMakePresets.json. */
const OLDEST_CMAKE = 3.25

/** An older CMake says no more than that it cannot read the presets. */
export function refuseOldCMake() {
  const [, version, major, minor] = /version ((\d+)\.(\d+)\S*)/.exec(ran('cmake', '--version').stdout ?? '') ?? []
  if (version === undefined || major * 100 + Number(minor) >= OLDEST_CMAKE * 100) return
  throw new Stop(`found cmake ${version}, expected ${OLDEST_CMAKE} or later. Type: python3 -m pip install cmake`, 2)
}

/**
 * The browser of the tests: $SLUICE_CHROMIUM, or what the system has; the shell, which draws no windows, costs half the
 * time.
 */
export const browser = () =>
  process.env.SLUICE_CHROMIUM ??
  ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(which).find(Boolean)

/** Debian packages that are not there yet. */
export function missingPackages({
  tests = false,
  bench = false,
  windows = false,
  macos = false,
  fuzz = false,
  wasm = false,
  languages = false,
  coverage = false,
  trials = false,
  durable = false,
}) {
  const needed = [
    ['cmake', program('cmake')],
    ['g++', compiler],
    ['ninja-build', () => process.platform === 'win32' || program('ninja', 'make')()],
    ...(tests
      ? [
          ['nlohmann-json3-dev', header('nlohmann/json.hpp')],
          ['catch2', header('catch2/catch.hpp')],
          ['python3', program('python3')],
          ['pkg-config', program('pkg-config')],
          ['chromium-headless-shell', browser],
          ['fonts-noto-cjk', () => existsSync('/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc')],
        ]
      : []),
    ...(bench ? [['libbenchmark-dev', header('benchmark/benchmark.h')]] : []),
    ...(fuzz
      ? [
          ['nlohmann-json3-dev', header('nlohmann/json.hpp')],
          ['clang', program('clang++')],
          ['libclang-rt-dev', () => existsSync('/usr/share/doc/libclang-rt-dev')],
        ]
      : []),
    ...(wasm ? [['emscripten', program('em++')]] : []),
    ...(languages
      ? [
          ['golang-go', program('go')],
          ['cargo', program('cargo')],
          ['default-jdk-headless', program('javac')],
          ['libjna-java', () => existsSync('/usr/share/java/jna.jar')],
          ['mono-mcs', program('mcs')],
          ['mono-runtime', program('mono')],
          ['libmono-system-net-http4.0-cil', () => existsSync('/usr/lib/mono/4.5/System.Net.Http.dll')],
          ['luajit', program('luajit')],
        ]
      : []),
    ...(durable
      ? [
          ['redis-server', program('redis-server', 'valkey-server')],
          ['postgresql', () => existsSync('/usr/lib/postgresql')],
        ]
      : []),
    ...(coverage
      ? [
          ['clang', program('clang++')],
          ['libclang-rt-dev', () => existsSync('/usr/share/doc/libclang-rt-dev')],
          ['llvm', program('llvm-cov')],
        ]
      : []),
    ...(windows ? [['g++-mingw-w64-x86-64-posix', program('x86_64-w64-mingw32-g++-posix')]] : []),
    ...(macos ? [['lld-16', program('lld-16')]] : []),
    ...(trials
      ? [
          ['llvm', program('llvm-readobj')],
          ['musl', () => existsSync('/lib/ld-musl-x86_64.so.1')],
          ['qemu-user', program('qemu-aarch64')],
          ['libstdc++6-arm64-cross', () => existsSync('/usr/aarch64-linux-gnu/lib/libstdc++.so.6')],
        ]
      : []),
  ]
  return needed.filter(([, present]) => !present()).map(([name]) => name)
}

/** Installs those that are missing, or says what to type. */
export async function installSystemPackages(wanted) {
  await install(missingPackages(wanted))
  refuseOldCMake()
}

/** Installs those of the missing that can be had, and says which cannot. */
export async function installWherePossible(wanted) {
  try {
    await installSystemPackages(wanted)
  } catch {
    for (const name of missingPackages(wanted))
      await install([name]).catch((error) =>
        say(`${name} cannot be installed: ${error.message.trim().split('\n').at(-1)}`),
      )
  }
}

async function install(missing) {
  if (missing.length === 0) return
  const prefix = rights()
  if (!prefix) return withoutInstalling(missing)
  say(`installing by apt: ${missing.join(' ')} (--no-install: skip what is missing)`)
  const apt = (what, args) =>
    quietly(what, prefix.concat(args)[0], prefix.concat(args).slice(1), { env: { DEBIAN_FRONTEND: 'noninteractive' } })
  const words = ['apt-get', 'install', '-y', '--no-install-recommends', ...missing]
  return apt('apt-get', words).catch(async () => {
    await apt('updating the package lists', ['apt-get', 'update']) // those of a fresh image are empty or old
    await apt('apt-get, once more', words)
  })
}

/** What nothing can be built without, and what to type elsewhere than on Linux. */
const essential = {
  cmake: { darwin: 'brew install cmake', win32: 'winget install Kitware.CMake' },
  'g++': {
    darwin: 'xcode-select --install',
    win32:
      'winget install Microsoft.VisualStudio.2022.BuildTools --override "--passive --add Microsoft.VisualStudio.Workload.VCTools --includeRecommended"',
  },
  'ninja-build': { darwin: 'xcode-select --install' },
}

/** How Linux installs packages, and what the essential ones are called there. */
const managers = {
  'apt-get': { words: 'apt-get install', names: {} },
  dnf: { words: 'dnf install', names: { 'g++': 'gcc-c++' } },
  apk: { words: 'apk add', names: { 'ninja-build': 'ninja' } },
  pacman: { words: 'pacman -S', names: { 'g++': 'gcc', 'ninja-build': 'ninja' } },
}

/** Those without which nothing can be built, of packages that are missing. */
export const essentials = (missing) => missing.filter((name) => name in essential)

/** The command that installs packages of Debian's names on this system. */
export function whatToType(names) {
  if (process.platform !== 'linux')
    return [...new Set(names.map((name) => essential[name]?.[process.platform] ?? name))].join(' && ')
  const manager = Object.keys(managers).find(which)
  if (manager === undefined) return `(your package manager) install ${names.join(' ')}`
  const words = [managers[manager].words, ...names.map((name) => managers[manager].names[name] ?? name)].join(' ')
  return process.getuid() === 0 ? words : `sudo ${words}`
}

/** Without a compiler or CMake nothing begins; suites skip what is missing else, and say so. */
function withoutInstalling(missing) {
  const needed = essentials(missing)
  if (needed.length > 0) throw new Stop(`missing: ${needed.join(', ')}. Type: ${whatToType(needed)}`, 2)
  say(`not here, and not installed: ${missing.join(' ')} (Debian's names); what needs them is skipped`)
}

/** The words that give the right to install by apt without a password; undefined if nothing is to be installed. */
export function rights() {
  if (process.argv.includes('--no-install') || !which('apt-get')) return undefined
  if (process.getuid?.() === 0) return []
  if (!which('sudo') || ran('sudo', '-n', 'true').status !== 0) return undefined
  return ['sudo', '-n', 'DEBIAN_FRONTEND=noninteractive']
}

// -- npm packages -----------------------------------------------------------------------------------------------------

export async function installNpmPackages() {
  if (!packagesAreStale()) return
  await npmCi('installing npm packages', 'the packages of package-lock.json')
}

/** Runs `npm ci`. If it fails: what is missing, npm's reason without its stack, and what to type. */
export async function npmCi(what, packages, options = []) {
  await quietly(what, 'npm', ['ci', ...options, '--no-audit', '--no-fund']).catch(({ message }) => {
    const said = [...message.matchAll(/^npm error (.*)/gm)].map(([, line]) => line)
    const reason = said.find((line) => /reason:|^[A-Z]\w*Error/.test(line)) ?? said.slice(0, 4).join('; ')
    throw new Stop(
      `missing: ${packages}. npm could not install them: ${reason || message}\nType: ${['npm ci', ...options].join(' ')}`,
      2,
    )
  })
}

/** Whether a folder holds other npm packages than its lock file says, or none. */
export function packagesAreStale(folder = '') {
  const wanted = packagesIn(join(folder, 'package-lock.json'))
  const present = packagesIn(join(folder, 'node_modules/.package-lock.json'))
  return Object.entries(wanted).some(
    ([path, entry]) =>
      path !== '' &&
      !entry.optional &&
      (present[path]?.version !== entry.version || !existsSync(join(root, folder, path))),
  )
}

export function packagesIn(lock) {
  const file = join(root, lock)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {}
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    await setup()
    say('built build/release/libsluice.so, build/release/sluice.node and js/dist')
  })
}
