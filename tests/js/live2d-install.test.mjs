import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { expressions } from '../../js/scripts/live2d-expressions.mjs'

const script = fileURLToPath(new URL('../../js/scripts/live2d.mjs', import.meta.url))
const run = (...args) =>
  new Promise((done) =>
    execFile(process.execPath, [script, ...args], (error, out, err) => done({ code: error?.code ?? 0, out, err })),
  )

test('a real model is not installed unless its licences are accepted', async () => {
  const { code, out, err } = await run()
  assert.equal(code, 1)
  assert.match(out, /proprietary.*https:\/\/www\.live2d\.com\/eula\//s)
  assert.match(err, /Nothing was installed.*--accept-licences/s)
})

test('a word that the step does not know installs nothing', async () => {
  const { code, out, err } = await run('--accept')
  assert.equal(code, 1)
  assert.match(err, /Unknown option '--accept'/)
  assert.equal(out, '')
})

test('its expressions have the names of the drawn puppet', async () => {
  const { expressions: drawn } = await import('../../js/demo/pet/puppet-acts.js')
  assert.deepEqual(Object.keys(expressions), Object.keys(drawn))
  for (const [name, parameters] of Object.entries(expressions)) {
    for (const [id, value, blend = 'Add'] of parameters) {
      assert.ok(
        /^Param/.test(id) && Number.isFinite(value) && ['Add', 'Multiply', 'Overwrite'].includes(blend),
        `${name}: ${id}`,
      )
    }
  }
})
