// The API reference is made from the comments of the sources, without a warning, and has a page for every subpath.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeReference } from '../../js/scripts/docs.mjs'

test('`npm run docs` writes a page for every subpath', async (t) => {
  const out = mkdtempSync(join(tmpdir(), 'sluice-reference-'))
  t.after(() => rmSync(out, { recursive: true }))
  const count = await makeReference(out)
  t.diagnostic(`${count} names`)
  assert.ok(count > 1000)
  for (const name of [
    'sluice',
    'ag-ui',
    'ai-sdk',
    'conversations',
    'durable',
    'electron',
    'host',
    'live2d',
    'mcp',
    'openai',
    'pet',
    'renderer',
    'testing',
    'ui',
    'web',
  ]) {
    const page = join(out, 'modules', `${name === 'sluice' ? name : `sluice_${name}`}.html`)
    assert.ok(existsSync(page), name)
  }
  assert.match(readFileSync(join(out, 'interfaces/sluice.Settings.html'), 'utf8'), /Rounds of tool calls in a turn/)
})
