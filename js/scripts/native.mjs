// The builds of the native library below build/, each by a preset of CMake.
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { quietly, root, say, which } from './run.mjs'

/** Configures and builds a preset. No targets: all. `low`: beside something that is to have the processor first. */
export async function buildNative(
  preset,
  { tests = true, bench = false, targets = [], low = false, what = `build/${preset}` } = {},
) {
  const dir = join(root, 'build', preset)
  const settings = settingsOf(dir)
  const configured = settings && (existsSync(join(dir, 'build.ninja')) || existsSync(join(dir, 'Makefile')))
  const lacks = (tests && settings?.SLUICE_TESTS === 'OFF') || (bench && settings?.SLUICE_BENCH === 'OFF')
  if (!configured) say('the first build takes a few minutes; what comes after it is quick')
  if (!configured || lacks) {
    // A build tree keeps the tests and benchmarks that it was configured with.
    const options = Object.entries({ TESTS: tests, BENCH: bench }).map(
      ([name, wanted]) => `-DSLUICE_${name}=${wanted || settings?.[`SLUICE_${name}`] === 'ON' ? 'ON' : 'OFF'}`,
    )
    // Only what the system does not have, since no package manager could install it.
    const fetches = process.argv.includes('--no-install') ? [] : ['-DSLUICE_FETCH=ON']
    await quietly(
      `configuring build/${preset}`,
      'cmake',
      ['--preset', preset, ...options, ...fetches],
      configured ? { low } : { env: generator(), low },
    )
  }
  const build = [
    '--build',
    '--preset',
    preset,
    '--parallel',
    String(availableParallelism()),
    ...(targets.length > 0 ? ['--target', ...targets] : []),
  ]
  await quietly(`building ${what}`, 'cmake', build, { low })
}

/** The settings of a build tree, if there is one. Removes a tree that was moved or copied here: CMake refuses it. */
export function settingsOf(dir) {
  const settings = readCache(join(dir, 'CMakeCache.txt'))
  const source = settings?.CMAKE_HOME_DIRECTORY
  if (settings === undefined || (source && existsSync(source) && realpathSync(source) === realpathSync(root)))
    return settings
  rmSync(dir, { recursive: true })
  return undefined
}

export function readCache(file) {
  if (!existsSync(file)) return undefined
  return Object.fromEntries(
    [...readFileSync(file, 'utf8').matchAll(/^([A-Za-z_]+):[A-Z]+=(.*)$/gm)].map(([, key, value]) => [key, value]),
  )
}

/** The environment for a new build tree. On Windows, Ninja finds Visual Studio only in its own command prompt. */
export function generator() {
  if (process.env.CMAKE_GENERATOR || (process.platform === 'win32' && !which('cl'))) return {}
  return { CMAKE_GENERATOR: which('ninja') ? 'Ninja' : 'Unix Makefiles' }
}
