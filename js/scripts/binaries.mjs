// The binaries of the package in js/prebuilds: which there are, which match the sources, and how each is made. Beside a
// binary is its stamp: its preset, a hash of everything it was made from, and its own hash. The stamp is not packed.
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { buildNative, generator, settingsOf } from './native.mjs'
import { quietly, root, Stop, which } from './run.mjs'

const presets = JSON.parse(readFileSync(join(root, 'CMakePresets.json'), 'utf8')).configurePresets
/** All that a published package holds: an addon for each platform that has a preset, and WebAssembly. */
export const all = [...presets.filter(({ inherits }) => inherits === 'prebuilt').map(({ name }) => name), 'wasm']

/** The folder of this machine's addon, as js/src/engine/core/addon.ts looks for it. */
export const here = `${process.platform}-${process.arch}${isMusl() ? '-musl' : ''}`

export const nameOf = (binary) => (binary === 'wasm' ? 'WebAssembly' : binary)

const folderOf = (binary) => join(root, 'js/prebuilds', binary)
const fileOf = (binary) => join(folderOf(binary), binary === 'wasm' ? 'sluice.wasm' : 'sluice.node')
const stampOf = (binary) => join(folderOf(binary), 'stamp')

// -- stamps -----------------------------------------------------------------------------------------------------------

/** Whether a binary is there, whole, and made from these sources by that preset. */
export function isCurrent(binary, preset = binary) {
  return (
    existsSync(fileOf(binary)) &&
    existsSync(stampOf(binary)) &&
    readFileSync(stampOf(binary), 'utf8') === stamp(binary, inputsOf(preset))
  )
}

/** Whether this machine's addon is current, made by its own compiler or by the one of the published package. */
export const ownIsCurrent = () => isCurrent(here, 'release') || isCurrent(here)

/** Removes the binaries that do not match the sources: nothing outdated is packed. Returns their names. */
export function removeOutdated() {
  const prebuilds = join(root, 'js/prebuilds')
  const names = existsSync(prebuilds) ? readdirSync(prebuilds) : []
  const outdated = names.filter((name) => !isCurrent(name) && !(name === here && ownIsCurrent()))
  for (const name of outdated) rmSync(folderOf(name), { recursive: true })
  return outdated
}

function stamp(binary, inputs) {
  return `${inputs}binary ${createHash('sha256')
    .update(readFileSync(fileOf(binary)))
    .digest('hex')}\n`
}

/**
 * The preset, and a hash of the sources, the files of CMake, the toolchains and the versions of the libraries from npm.
 */
function inputsOf(preset) {
  const binding = preset === 'wasm' ? 'bindings/wasm' : 'bindings/node'
  const hash = createHash('sha256')
  for (const file of [
    'CMakeLists.txt',
    'CMakePresets.json',
    'native/src',
    'native/include',
    'bindings/step.h',
    binding,
  ].flatMap(sourcesIn)) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0')
  }
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  for (const name of ['@nozbe/simdjson', 'node-addon-api', 'node-api-headers'])
    hash.update(`${name} ${locked[`node_modules/${name}`].version}\0`)
  return `preset ${preset}\ninputs ${hash.digest('hex')}\n`
}

/** A file, or those below a folder that a compiler, CMake or npm reads. */
function sourcesIn(path) {
  if (!statSync(join(root, path)).isDirectory()) return /\.md$/.test(path) ? [] : [path]
  return readdirSync(join(root, path))
    .filter((name) => name !== 'node_modules')
    .sort()
    .flatMap((name) => sourcesIn(`${path}/${name}`))
}

// -- builds -----------------------------------------------------------------------------------------------------------

/** Makes a binary by the preset of its name, unless it is current. `place`: what is said of it. */
export async function makeBinary(binary, { place = nameOf(binary), env = {} } = {}) {
  if (isCurrent(binary)) return
  settingsOf(join(root, 'build', binary))
  await made(binary, binary, async () => {
    await quietly(`configuring ${place}`, 'cmake', ['--preset', binary], { env: { ...generator(), ...env } })
    await quietly(
      `building ${place}`,
      'cmake',
      ['--build', '--preset', binary, '--parallel', String(availableParallelism())],
      { env },
    )
  })
}

/** Makes this machine's addon by its own compiler, unless it is current. */
export async function makeOwn() {
  if (ownIsCurrent()) return
  await made(here, 'release', async () => {
    await buildNative('release', { tests: false, targets: ['sluice_node'], what: here })
    mkdirSync(folderOf(here), { recursive: true })
    copyFileSync(join(root, 'build/release/sluice.node'), fileOf(here))
    if (process.platform === 'linux' && which('strip')) await quietly('leaving out names', 'strip', [fileOf(here)])
  })
}

/** js/prebuilds/wasm/sluice.wasm. */
export async function buildWasm() {
  if (!isCurrent('wasm') && !which('em++'))
    throw new Stop('WebAssembly needs the compiler of emscripten: Debian has it as emscripten', 2)
  await makeBinary('wasm')
}

/** Removes the old file first: ninja would keep one of another preset. A build that fails leaves nothing. */
async function made(binary, preset, build) {
  const inputs = inputsOf(preset) // a source that changes from now on may be missing in the binary
  rmSync(folderOf(binary), { recursive: true, force: true })
  await build()
  if (!existsSync(fileOf(binary))) throw new Stop(`${fileOf(binary)} was not built`)
  writeFileSync(stampOf(binary), stamp(binary, inputs))
}

function isMusl() {
  if (process.platform !== 'linux') return false
  process.report.excludeNetwork = true
  return process.report.getReport().header.glibcVersionRuntime === undefined
}
