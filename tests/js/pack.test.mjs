// `npm pack`, `npm run pack:all` and `npm publish` in a copy of the checkout, with stand-ins for the compilers: which
// binaries are made, which are made again, and the error if something is missing.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  appendFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('../..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'sluice pack '))
const root = join(scratch, 'a checkout')
const programs = join(scratch, 'bin')
const made = join(scratch, 'made') // one line for each build
const here = `${process.platform}-${process.arch}`
after(() => rmSync(scratch, { recursive: true }))

/** Writes the binary that a real CMake would build. */
const cmake = `#!${process.execPath}
const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs')
const { dirname } = require('node:path')
const args = process.argv.slice(2)
const preset = args[args.indexOf('--preset') + 1]
if (args[0] === '--version') console.log('cmake version ' + (process.env.FAKE_CMAKE ?? '3.31.0'))
if (args[0] !== '--build') process.exit()
const file = preset === 'release' ? 'build/release/sluice.node' : preset === 'wasm' ? 'js/prebuilds/wasm/sluice.wasm' : 'js/prebuilds/' + preset + '/sluice.node'
mkdirSync(dirname(file), { recursive: true })
writeFileSync(file, 'a binary of ' + preset)
appendFileSync(${JSON.stringify(made)}, preset + '\\n')
`

beforeEach(() => {
  rmSync(root, { recursive: true, force: true })
  for (const name of [
    'package.json',
    'package-lock.json',
    'CMakeLists.txt',
    'CMakePresets.json',
    'js/scripts',
    'native/src/abi',
    'native/include',
    'bindings/step.h',
    'bindings/wasm',
    'bindings/node',
  ]) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    cpSync(join(source, name), join(root, name), { recursive: true, filter: (path) => !path.includes('node_modules') })
  }
  symlinkSync(join(source, 'node_modules'), join(root, 'node_modules'))
  writeFileSync(join(root, 'js/scripts/typescript.mjs'), 'export async function buildTypeScript() {}\n') // takes long
  provide('cmake', 'c++', 'ninja', 'em++')
})

/** These are the programs of the machine. */
function provide(...names) {
  rmSync(programs, { recursive: true, force: true })
  mkdirSync(programs)
  for (const name of names)
    writeFileSync(join(programs, name), name === 'cmake' ? cmake : '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(made, '')
}

/** Runs pack.mjs. `platform`: as on that system. */
function pack(args = [], { platform, env = {} } = {}) {
  const play =
    platform === undefined
      ? []
      : ['--import', `data:text/javascript,Object.defineProperty(process,'platform',{value:'${platform}'})`]
  const { status, stdout, stderr } = spawnSync(process.execPath, [...play, 'js/scripts/pack.mjs', ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: programs, ...env },
  })
  const builds = readFileSync(made, 'utf8').split('\n').filter(Boolean)
  writeFileSync(made, '')
  assert.doesNotMatch(stderr, /^ +at /m, 'a stack')
  return { status, said: stdout.replace(/^\[\d\d:\d\d\] /gm, ''), error: stderr.trim(), builds }
}
const held = () => readdirSync(join(root, 'js/prebuilds')).sort()

describe('npm pack', () => {
  test('makes the addon of this machine and WebAssembly, and says first what the package holds and lacks', () => {
    const { status, said, builds } = pack()
    assert.equal(status, 0)
    const [holds, lacks] = said.split('\n')
    assert.equal(holds, `the package will hold the engine for ${here} and WebAssembly`)
    assert.match(
      lacks,
      /^it will lack .*darwin-x64.*: WebAssembly runs there\. `npm run pack:all` \(on linux-x64\) makes all of them$/,
    )
    assert.deepEqual(
      [builds.sort(), held()],
      [
        ['release', 'wasm'],
        [here, 'wasm'],
      ],
    )
  })

  test('makes a binary again if a source changed, its stamp is missing, or the file is not the one that was built', () => {
    pack()
    assert.deepEqual(pack().builds, [])
    appendFileSync(join(root, 'bindings/node/addon.map'), '\n')
    assert.deepEqual(pack().builds, ['release'])
    appendFileSync(join(root, 'bindings/wasm/exports.cpp'), '\n')
    assert.deepEqual(pack().builds, ['wasm'])
    appendFileSync(join(root, 'native/src/abi/sluice.cpp'), '\n')
    assert.deepEqual(pack().builds.sort(), ['release', 'wasm'])
    rmSync(join(root, 'js/prebuilds/wasm/stamp'))
    appendFileSync(join(root, 'js/prebuilds', here, 'sluice.node'), 'x')
    assert.deepEqual(pack().builds.sort(), ['release', 'wasm'])
  })

  test('packs no binary of older sources, for any platform', () => {
    pack()
    mkdirSync(join(root, 'js/prebuilds/win32-x64'))
    writeFileSync(join(root, 'js/prebuilds/win32-x64/sluice.node'), 'older')
    provide()
    assert.match(pack().said, /it will lack .*win32-x64/)
    assert.deepEqual(held(), [here, 'wasm'])
  })

  test('packs WebAssembly alone where there is no compiler for the addon', () => {
    provide('cmake', 'ninja', 'em++', 'apt-get')
    const { status, said, builds } = pack()
    assert.equal(status, 0)
    assert.match(
      said,
      new RegExp(
        `^no engine for ${here}: WebAssembly will run\\. g\\+\\+ would make one; type: (sudo )?apt-get install g\\+\\+$`,
        'm',
      ),
    )
    assert.deepEqual([builds, held()], [['wasm'], ['wasm']])
  })

  test('says what is missing and what to type, before any work', () => {
    const error = (options, ...names) => {
      provide(...names)
      const { status, said, error, builds } = pack([], options)
      assert.deepEqual([status, said, builds, existsSync(join(root, 'js/prebuilds'))], [2, '', [], false])
      return error
    }
    const all = 'missing: cmake, g++, ninja-build. Type: '
    assert.match(
      error({}, 'apt-get'),
      /^missing: cmake, g\+\+, ninja-build\. Type: (sudo )?apt-get install cmake g\+\+ ninja-build$/,
    )
    assert.match(
      error({}, 'dnf', 'cmake'),
      /^missing: g\+\+, ninja-build\. Type: (sudo )?dnf install gcc-c\+\+ ninja-build$/,
    )
    assert.equal(error({}), `${all}(your package manager) install cmake g++ ninja-build`)
    assert.equal(error({ platform: 'darwin' }, 'c++'), `${all}brew install cmake && xcode-select --install`)
    assert.match(
      error({ platform: 'win32' }),
      /^missing: cmake, g\+\+\. Type: winget install Kitware\.CMake && winget install Microsoft\.VisualStudio/,
    )
    assert.equal(
      error({ env: { FAKE_CMAKE: '3.22.1' } }, 'cmake', 'c++', 'ninja'),
      'found cmake 3.22.1, expected 3.25 or later. Type: python3 -m pip install cmake',
    )
    rmSync(join(root, 'node_modules'))
    assert.equal(error({}, 'cmake', 'c++', 'ninja'), 'missing: the packages of package-lock.json. Type: npm ci')
  })
})

describe('npm publish', () => {
  test('refuses a package that lacks a binary, or has the one that only this machine can load', () => {
    pack()
    const { status, error } = pack(['--complete'])
    assert.equal(status, 2)
    assert.match(
      error,
      /^found a package without linux-x64, .* and darwin-arm64, expected every platform, made from these sources\. Type: npm run pack:all \(on linux-x64\)$/,
    )
    const { scripts } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
    assert.equal(scripts.prepublishOnly, 'node js/scripts/pack.mjs --complete')
  })
})

describe('npm run pack:all', () => {
  const skip = here !== 'linux-x64' && 'it runs on linux-x64 only'
  const everything = [
    'linux-x64',
    'linux-arm64',
    'linux-x64-musl',
    'linux-arm64-musl',
    'win32-x64',
    'win32-arm64',
    'darwin-x64',
    'darwin-arm64',
    'wasm',
  ]
  /** All compilers, zig in the folder where npm installs it. */
  const equip = () => {
    provide('cmake', 'c++', 'ninja', 'em++', 'x86_64-w64-mingw32-g++-posix', 'lld-16')
    const toolchains = join(root, 'bindings/node/toolchains')
    mkdirSync(join(toolchains, 'node_modules'))
    cpSync(join(toolchains, 'package-lock.json'), join(toolchains, 'node_modules/.package-lock.json'))
  }

  test('makes all, of which npm pack keeps what matches and npm publish refuses nothing', { skip }, () => {
    equip()
    assert.deepEqual(pack(['--all']).builds, everything)
    assert.deepEqual(pack().builds, [])
    assert.equal(pack(['--complete']).status, 0)
    appendFileSync(join(root, 'bindings/wasm/exports.cpp'), '\n')
    assert.match(pack(['--complete']).error, /^found a package without WebAssembly, /)
    assert.deepEqual(pack(['--all']).builds, ['wasm'])
  })

  test('makes those that are named, in the place of one that this machine made for itself', { skip }, () => {
    equip()
    pack()
    assert.deepEqual(pack(['--all', 'linux-x64', 'darwin-x64']).builds, ['linux-x64', 'darwin-x64'])
    assert.deepEqual(held(), ['darwin-x64', 'linux-x64', 'wasm'])
    const { status, error } = pack(['--all', 'linux-riscv64'])
    assert.deepEqual([status, error], [2, `found the platform linux-riscv64, expected one of ${everything.join(', ')}`])
  })

  test('says where it runs, and which compilers are missing', () => {
    const elsewhere = pack(['--all'], { platform: 'darwin' })
    assert.equal(elsewhere.status, 2)
    assert.match(
      elsewhere.error,
      /^found darwin-\w+, expected linux-x64, whose compilers make the engines of all platforms\. `npm pack` makes a package for darwin-\w+$/,
    )
  })

  test('tells its plan before it stops for a compiler that is missing', { skip }, () => {
    const { status, said, error, builds } = pack(['--all', '--no-install'])
    assert.deepEqual([status, builds], [2, []])
    assert.match(said, /^the engine is made for linux-x64, .* and WebAssembly: .*\nto be installed: zig by npm/)
    assert.match(error, /^missing: g\+\+-mingw-w64-x86-64-posix, lld-16\. Type: /)
  })
})
