// The demo as an Electron app, as far as it can be looked at without one: its code against Electron's types, and the
// smoke test where there is a binary.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const files = ['main', 'windows', 'pages', 'smoke'].map((name) => `js/demo/electron/${name}.mjs`)

const node = (...args) =>
  new Promise((resolve) =>
    execFile(process.execPath, args, { cwd: root }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out: out + err }),
    ),
  )

test("the app fits Electron's types", async () => {
  for (const file of files) assert.match(readFileSync(`${root}${file}`, 'utf8'), /^\/\/ @ts-check/)
  const options = [
    '--noEmit',
    '--allowJs',
    '--strict',
    '--skipLibCheck',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--moduleResolution',
    'nodenext',
    '--types',
    'node',
  ]
  const { code, out } = await node('node_modules/typescript7/bin/tsc', ...options, ...files)
  assert.equal(code, 0, out)
})

test('no window of it draws while nobody can see it', () => {
  // Electron's default, and what `petWindow` asks for
  assert.doesNotMatch(readFileSync(`${root}js/demo/electron/windows.mjs`, 'utf8'), /backgroundThrottling/)
})

test('a turn in Electron', async (t) => {
  const { code, out } = await node('js/demo/electron/smoke.mjs')
  assert.equal(code, 0, out)
  const why = /^skipped: (.*)$/m.exec(out)
  if (why) return t.skip(why[1])
  assert.match(out, /^ok: a turn in Electron/m)
})
