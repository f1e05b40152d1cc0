// What the README shows is compiled and run as it stands.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const build = dirname(process.env.SLUICE_ADDON ?? join(root, 'build/release/sluice.node'))
const example = (language) => new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(readme)[1]

test('the JavaScript example runs', () => {
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', example('js')], { cwd: root, encoding: 'utf8' })
  assert.match(out, /^Let me look\. Rain/)
  assert.match(out, /to the pet window: live2d:expression worried\n/)
  assert.match(out, /completed \[ 'text', 'tool_use', 'text', 'tool_use', 'text' \]/)
})

test('the C example compiles without a warning and runs', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const source = join(folder, 'example.c')
  writeFileSync(source, example('c'))
  const { LD_PRELOAD: _, ...env } = process.env // the compiler is not what is tested
  const flags = ['-std=c99', '-pedantic', '-Wall', '-Wextra', '-Wconversion', '-Werror', `-I${join(root, 'native/include')}`]
  execFileSync('cc', [...flags, source, '-o', join(folder, 'example'), join(build, 'libsluice.so'), `-Wl,-rpath,${build}`], { env })
  const out = execFileSync(join(folder, 'example'), { encoding: 'utf8' })
  const lines = out.trim().split('\n').map((line) => JSON.parse(line))
  assert.deepEqual(lines.map((line) => line.type ?? (line.blocks ? 'message' : 'body')), ['request', 'body', 'text', 'done', 'message'])
  assert.equal(lines[4].blocks[0].text, 'Hello.')
})
