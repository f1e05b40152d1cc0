// The apps of js/examples, as users start them, and the lines that js/docs/ai-sdk-model.md shows, in front of the
// scripted server: their model writes its calls as text.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { built } from '../js/dist.mjs'
import { hermes } from '../js/openai-support.mjs'
import { majors } from './sdk-models.mjs'

const { startScriptedServer } = await built('sluice/testing')

const root = fileURLToPath(new URL('../..', import.meta.url))
const peers = new URL('example-peers.mjs', import.meta.url).href
const answers = [{ text: `I look. ${hermes({ city: 'Rome' })}` }, { text: 'Sunny.' }]

/**
 * Starts a program, whose `ai` and `openai` are those of a major. Gives what it prints, and what its model was asked.
 */
async function start(t, file, { major, MODEL = 'qwen3:8b' } = {}) {
  const server = await startScriptedServer({ answers, strict: false })
  t.after(() => server.close())
  const env = { ...process.env, BASE_URL: server.baseURL, MODEL, SLUICE_AI: major, SLUICE_EXAMPLE_SERVER: server.url }
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', peers, file, 'Weather in Rome?'],
    { env },
  )
  assert.equal(stderr.replaceAll(/.*(ExperimentalWarning|--trace-warnings|DEP0205).*\n/g, ''), '')
  return { out: stdout, requests: server.requests }
}

const isTold = ({ body }) => body.tools === undefined && body.messages[0].content.includes('get_weather')

test('openai: runs the call, and says what came of it', async (t) => {
  const { out, requests } = await start(t, join(root, 'js/examples/openai/main.mjs'))
  assert.equal(out, 'I look. \nget_weather {"city":"Rome"}\nSunny.\n')
  assert.ok(requests.length === 2 && requests.every(isTold))
})

const page = readFileSync(join(root, 'js/docs/ai-sdk-model.md'), 'utf8')
const shown = [...page.matchAll(/^```js recipe\n([^]*?)^```$/gm)].map(([, code]) => code)

for (const [name, { skip }] of Object.entries(majors)) {
  const major = name.replace(' ', '-')
  test(`ai-sdk-model with ${name}: runs the call, and says what came of it`, { skip: skip || false }, async (t) => {
    const { out, requests } = await start(t, join(root, 'js/examples/ai-sdk-model/main.mjs'), { major })
    assert.equal(out, 'get_weather Rome\nSunny.\n')
    assert.ok(requests.length === 2 && requests.every(isTold))
  })

  test(`what the page shows runs with ${name}`, { skip: skip || false }, async (t) => {
    assert.ok(shown.length >= 3)
    for (const [at, code] of shown.entries()) {
      // of the checkout, so that `sluice` is found
      const file = join(root, 'build', `page-${process.pid}-${major}-${at}.mjs`)
      writeFileSync(file, code)
      t.after(() => rmSync(file))
      const { out } = await start(t, file, { major })
      assert.match(out, /Sunny\./, code)
    }
  })
}
