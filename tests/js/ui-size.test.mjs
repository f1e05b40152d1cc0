// What a page loads with `sluice/ui` is bounded: few-used parts are files of their own, loaded when they are needed.
// The reader of Markdown is the largest part: all of markdown-it, and blocks that are read while they come.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const folder = new URL('../../js/dist/ui/', import.meta.url)

/** The file and all that it imports before it runs, by name. */
function loaded(name, files = new Map()) {
  const source = readFileSync(fileURLToPath(new URL(name, folder)))
  files.set(name, source)
  for (const [, other] of source.toString().matchAll(/\b(?:from|import)\s*"\.\/([^"]+)"/g))
    if (!files.has(other)) loaded(other, files)
  return files
}

test('sluice/ui is at most 372 kB, and 130 kB compressed', (t) => {
  const files = loaded('index.js')
  const sizes = [...files].map(([name, source]) => ({ name, whole: source.length, packed: gzipSync(source).length }))
  const sum = (what) => sizes.reduce((all, one) => all + one[what], 0)
  t.diagnostic(sizes.map(({ name, whole, packed }) => `${name} ${whole} / ${packed}`).join(', '))
  assert.ok(files.size > 1, 'what it shares with files that are loaded later counts')
  assert.ok(sum('whole') <= 372_000, `${sum('whole')} bytes`)
  assert.ok(sum('packed') <= 130_000, `${sum('packed')} bytes compressed`)
})

test('each file names the licences of what it holds', () => {
  for (const [name, packages] of Object.entries({
    'index.js': ['markdown-it ', 'markdown-it-cjk-friendly '],
    'math.js': ['temml '],
    'code.js': ['highlight.js ', 'lowlight '],
  })) {
    const texts = [...loaded(name).values()].map(String).join('\n')
    for (const one of packages) assert.ok(texts.includes(`\n${one}`), `${name}: ${one}`)
    assert.match(texts, /\/\*! Licences of what is bundled here/)
  }
})
