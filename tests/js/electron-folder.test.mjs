// The folder of a whole app, as electron.md has it: written down word for word and started, with a stand-in for
// Electron. tests/browser/electron-folder.test.mjs opens its page.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { symlinkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { contentSecurityPolicy } from 'sluice/web'
import { appFolder, root } from '../examples.mjs'

test('the folder starts, and its scheme gives its own files and those of Sluice alone', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-folder-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'page'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/sluice'))
  for (const [file, code] of appFolder()) writeFileSync(join(folder, file), code)
  const theirs = ['index.html', 'page.js', 'sluice/renderer/index.js', 'sluice/ui/index.js']
  const others = [
    '%2e%2e/main.mjs',
    '..%2fmain.mjs',
    '%2e%2e%5cpackage.json',
    '.git/config',
    'no.js',
    'sluice/%2e%2e/x',
    '',
  ]
  const asked = [...theirs, ...others].map((path) => `app://chat/${path}`)
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', join(root, 'tests/js/examples-setup.mjs'), 'main.mjs'],
    {
      cwd: folder,
      env: { ...process.env, SLUICE_EXAMPLE_SERVER: 'http://127.0.0.1:1', SLUICE_ASK: JSON.stringify(asked) },
    },
  )
  const noted = JSON.parse(stdout)
  assert.ok(noted.some(({ url }) => url === 'app://chat/index.html'))
  const answers = new Map(noted.filter(({ page }) => page).map((one) => [one.page, one]))
  assert.equal(answers.size, asked.length)
  for (const path of theirs) {
    const { status, headers, length } = answers.get(`app://chat/${path}`)
    assert.deepEqual(
      [status, headers['content-type'], headers['content-security-policy']],
      [200, path.endsWith('.html') ? 'text/html' : 'text/javascript', contentSecurityPolicy],
      path,
    )
    assert.ok(length > 0, path)
  }
  for (const path of others.slice(0, -1)) assert.equal(answers.get(`app://chat/${path}`).status, 404, path)
  assert.equal(answers.get('app://chat/').status, 200, 'a folder is its index.html')
})
