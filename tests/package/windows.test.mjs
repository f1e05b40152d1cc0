// The packed binary for Windows under wine: in node.exe, and in a node.exe with another name, as Electron's is.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, openSync, closeSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { which } from '../../js/scripts/run.mjs'
import { installed, manifest, plainEnvironment, root, runtimes, without } from './support.mjs'

const lacking = ['wine', 'xvfb-run', 'x86_64-w64-mingw32-g++-posix'].filter((program) => !which(program))
const { folder: programs, missing } =
  lacking.length > 0 ? { missing: `not on this machine: ${lacking.join(', ')}` } : runtimes()

describe('the binary for Windows', { skip: missing ?? without('win32-x64') }, () => {
  let folder
  let prefix
  before(() => {
    folder = installed()
    prefix = mkdtempSync(join(tmpdir(), 'sluice-wine-'))
    process.on('exit', () => {
      spawnSync('wineserver', ['-k', '-w'], { env: { ...process.env, WINEPREFIX: prefix } }) // its own: one per prefix
      rmSync(prefix, { recursive: true, force: true })
    })
    wine(['winecfg', '-v', 'win10']) // node.exe refuses the Windows 7 that wine plays by default
    copyFileSync(join(programs, 'node-windows/bin/node.exe'), join(folder, 'node.exe'))
    copyFileSync(join(programs, 'node-windows/bin/node.exe'), join(folder, 'pet.exe'))
  })

  /**
   * Runs it; what it said. Under wine stdout is a file: node.exe takes a pipe of wine for something it cannot write to.
   */
  function wine(args, { cwd = folder, ...more } = {}) {
    const out = join(prefix, 'out.txt')
    const file = openSync(out, 'w')
    const env = {
      ...plainEnvironment(),
      WINEPREFIX: prefix,
      WINEDEBUG: '-all',
      WINEDLLOVERRIDES: 'mscoree,mshtml=',
      ...more,
    }
    const { status, signal } = spawnSync('xvfb-run', ['-a', 'wine', ...args], {
      cwd,
      env,
      stdio: ['ignore', file, file],
      timeout: 600_000,
    })
    closeSync(file)
    const said = readFileSync(out, 'utf8')
    assert.equal(status, 0, `wine ${args.join(' ')} ended with ${signal ?? status}\n${said}`)
    return said
  }
  const json = (said) => JSON.parse(said.split('\n').find((line) => line.startsWith('{')) ?? assert.fail(said))

  for (const program of ['node.exe', 'pet.exe']) {
    test(`runs a turn in ${program}`, () => {
      const { outcome, text, cards, asked, version } = json(wine([program, 'turn.mjs']))
      assert.deepEqual(
        { outcome, text, asked, version },
        { outcome: 'completed', text: 'Let me look. Rain at four.', asked: 1, version: manifest.version },
      )
      assert.deepEqual(cards, ['weather.now success', 'live2d.expression success'])
    })
    test(`is required in ${program}`, () => assert.equal(json(wine([program, 'turn.cjs'])).text, 'hello'))
  }

  test('replays the shared scripts', (t) => {
    const addon = 'Z:' + join(folder, 'node_modules/sluice/js/prebuilds/win32-x64/sluice.node').replaceAll('/', '\\')
    const said = wine([join(folder, 'node.exe'), 'tests/js/scripts.test.mjs'], { cwd: root, SLUICE_ADDON: addon })
    assert.match(said, /^# fail 0$/m)
    t.diagnostic(/^# (pass \d+)$/m.exec(said)[1])
  })
})
