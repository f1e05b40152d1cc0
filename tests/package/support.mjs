// What the tests of the package share: the tarball, the folder where it is installed, and the programs that load it.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const here = fileURLToPath(new URL('.', import.meta.url))

// -- the tarball ------------------------------------------------------------------------------------------------------

/** The binaries that can be run on linux-x64, which are always made. */
const tried = ['linux-x64', 'linux-x64-musl', 'linux-arm64', 'win32-x64', 'wasm']
/**
 * Nothing here runs those: one of them is made, another one after each commit, unless $SLUICE_PACKAGE_ALL wants all.
 */
const inTurn = ['darwin-x64', 'darwin-arm64', 'linux-arm64-musl', 'win32-arm64']

/**
 * Its path. Made by `npm pack`; made again when anything that goes into it has changed. $SLUICE_TARBALL is one that is
 * there already.
 */
export function tarball() {
  if (process.env.SLUICE_TARBALL) return process.env.SLUICE_TARBALL
  if (`${process.platform}-${process.arch}` === 'linux-x64') makeBinaries()
  const folder = join(root, 'build/package')
  const file = join(folder, `sluice-${manifest.version}.tgz`)
  const stamp = join(folder, 'stamp')
  if (existsSync(file) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOfInputs()) return file
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  npm(['pack', '--pack-destination', folder], root)
  writeFileSync(stamp, hashOfInputs()) // now, since what was built on the way counts too
  return file
}

/** Makes the binaries for the tarball. If a compiler is missing, the tarball holds what this machine can make. */
function makeBinaries() {
  const commits =
    Number(
      process.env.SLUICE_ROTATION ??
        spawnSync('git', ['rev-list', '--count', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout,
    ) || 0
  const chosen = process.env.SLUICE_PACKAGE_ALL ? inTurn : [inTurn[commits % inTurn.length]]
  console.log(`in turn: ${chosen.join(', ')} of ${inTurn.join(', ')} (SLUICE_PACKAGE_ALL=1 makes all)`)
  const options = process.argv.filter((word) => word === '--no-install')
  const { status } = spawnSync(process.execPath, ['js/scripts/pack.mjs', '--all', ...tried, ...chosen, ...options], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status === 2) console.log('the package is tried with the binaries that this machine can make')
  else if (status !== 0) throw new Error(`pack.mjs --all ended with ${status}`)
}

/** Why the binaries of these platforms cannot be tried, or false. */
export function without(...platforms) {
  const held = binaries()
  const lacking = platforms.filter((platform) => !held.includes(platform))
  return lacking.length > 0 && `the tarball has no binary for ${lacking.join(', ')} (SLUICE_PACKAGE_ALL=1 makes all)`
}

/** The folders of js/prebuilds in the tarball. */
export function binaries() {
  const names = spawnSync('tar', ['tzf', tarball()], { encoding: 'utf8' }).stdout
  return [...new Set([...names.matchAll(/^package\/js\/prebuilds\/([^/]+)\//gm)].map((match) => match[1]))].sort()
}

function hashOfInputs() {
  const hash = createHash('sha256')
  const add = (path) => {
    const full = join(root, path)
    if (!existsSync(full)) return
    if (statSync(full).isDirectory()) {
      for (const name of readdirSync(full).sort())
        if (name !== 'node_modules' && name !== 'live2d-local') add(join(path, name))
    } else hash.update(path).update('\0').update(readFileSync(full)).update('\0')
  }
  for (const path of [
    'js',
    'native',
    'bindings/node',
    'CMakeLists.txt',
    'CMakePresets.json',
    'package.json',
    'README.md',
    'CHANGELOG.md',
  ])
    add(path)
  return hash.digest('hex')
}

export function npm(args, cwd) {
  // What runs the tests may be npm itself, and its settings are not those of a user.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm ${args.join(' ')} ended with ${status}\n${stdout}\n${stderr}`)
  return stdout
}

// -- where it is installed --------------------------------------------------------------------------------------------

/**
 * An empty folder elsewhere with the package installed in it. No registry is asked: the package has no dependencies.
 */
export function installed() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-package-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'package.json'), '{ "name": "app", "private": true }\n')
  npm(['install', '--offline', tarball()], folder)
  cpSync(join(here, 'app'), folder, { recursive: true })
  return folder
}

// -- what loads it ----------------------------------------------------------------------------------------------------

/** The folder of the programs, or why they are not there. */
export function runtimes() {
  const folder = join(here, 'runtimes')
  const lock = (name) =>
    existsSync(join(folder, name)) ? versions(JSON.parse(readFileSync(join(folder, name), 'utf8'))) : ''
  if (lock('package-lock.json') !== lock('node_modules/.package-lock.json')) {
    try {
      npm(['ci'], folder)
    } catch (error) {
      if (/ENOTFOUND|ETIMEDOUT|ECONNREFUSED|EAI_AGAIN|ECONNRESET/.test(error.message))
        return { missing: 'the npm registry is not reachable' }
      throw error
    }
  }
  return { folder: join(folder, 'node_modules') }
}

const versions = ({ packages }) =>
  Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, { version }]) => `${path} ${version}`)
    .sort()
    .join('\n')

/** The environment without what belongs to the tests themselves. */
export function plainEnvironment() {
  const { SLUICE_ADDON: _, NODE_TEST_CONTEXT: __, NODE_OPTIONS: ___, ...rest } = process.env
  return rest
}

/** Runs a program to its end; stdout, or an error that holds everything it said. */
export function run([program, ...args], { cwd, env = {}, timeout = 120_000 }) {
  const { status, signal, error, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env: { ...plainEnvironment(), ...env },
    encoding: 'utf8',
    timeout,
    maxBuffer: 1 << 28,
  })
  if (status !== 0)
    throw new Error(
      `${[program, ...args].join(' ')} ended with ${error?.message ?? signal ?? status}\n${stdout}\n${stderr}`,
    )
  return stdout
}
