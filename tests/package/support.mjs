// What the tests of the package share: the tarball, the folder where it is installed, and the programs that load it.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const here = fileURLToPath(new URL('.', import.meta.url))

// -- the tarball ------------------------------------------------------------------------------------------------------------

/** Its path. Made by a plain `npm pack`; made again when anything that goes into it has changed. $SLUICE_TARBALL is one that is there already. */
export function tarball() {
  if (process.env.SLUICE_TARBALL) return process.env.SLUICE_TARBALL
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

function hashOfInputs() {
  const hash = createHash('sha256')
  const add = (path) => {
    const full = join(root, path)
    if (!existsSync(full)) return
    if (statSync(full).isDirectory()) {
      for (const name of readdirSync(full).sort()) if (name !== 'node_modules' && name !== 'live2d-local') add(join(path, name))
    } else hash.update(path).update('\0').update(readFileSync(full)).update('\0')
  }
  for (const path of ['js', 'native', 'bindings/node', 'CMakeLists.txt', 'CMakePresets.json', 'package.json', 'README.md', 'CHANGELOG.md']) add(path)
  return hash.digest('hex')
}

export function npm(args, cwd) {
  // What runs the tests may be npm itself, and its settings are not those of a user.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm ${args.join(' ')} ended with ${status}\n${stdout}\n${stderr}`)
  return stdout
}

// -- where it is installed --------------------------------------------------------------------------------------------------

/** An empty folder elsewhere with the package installed in it. No registry is asked: the package has no dependencies. */
export function installed() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-package-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'package.json'), '{ "name": "app", "private": true }\n')
  npm(['install', '--offline', tarball()], folder)
  cpSync(join(here, 'app'), folder, { recursive: true })
  return folder
}

// -- what loads it ----------------------------------------------------------------------------------------------------------

/** The folder of the programs, or why they are not there. */
export function runtimes() {
  const folder = join(here, 'runtimes')
  const lock = (name) => existsSync(join(folder, name)) ? versions(JSON.parse(readFileSync(join(folder, name), 'utf8'))) : ''
  if (lock('package-lock.json') !== lock('node_modules/.package-lock.json')) {
    try {
      npm(['ci'], folder)
    } catch (error) {
      if (/ENOTFOUND|ETIMEDOUT|ECONNREFUSED|EAI_AGAIN|ECONNRESET/.test(error.message)) return { missing: 'the npm registry is not reachable' }
      throw error
    }
  }
  return { folder: join(folder, 'node_modules') }
}

const versions = ({ packages }) => Object.entries(packages).filter(([path]) => path !== '').map(([path, { version }]) => `${path} ${version}`).sort().join('\n')

/** The environment without what belongs to the tests themselves. */
export function plainEnvironment() {
  const { SLUICE_ADDON: _, NODE_TEST_CONTEXT: __, NODE_OPTIONS: ___, ...rest } = process.env
  return rest
}

/** Runs a program to its end; stdout, or an error that holds everything it said. */
export function run([program, ...args], { cwd, env = {}, timeout = 120_000 }) {
  const { status, signal, error, stdout, stderr } = spawnSync(program, args, { cwd, env: { ...plainEnvironment(), ...env }, encoding: 'utf8', timeout, maxBuffer: 1 << 28 })
  if (status !== 0) throw new Error(`${[program, ...args].join(' ')} ended with ${error?.message ?? signal ?? status}\n${stdout}\n${stderr}`)
  return stdout
}
