// One `npm test` at a time in a checkout: processes that take the lock, hold it, end and are killed.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const module = fileURLToPath(new URL('../../js/scripts/test-lock.mjs', import.meta.url))
const program = `
import { lock } from ${JSON.stringify(module)}
try {
  lock(process.argv[2])
  console.log('has it')
  process.stdin.resume() // until it ends
} catch (error) {
  console.log(error.code, error.message)
}`

function place(t) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice lock '))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'test.mjs'), program)
  const file = join(folder, 'build/lock')
  /** Starts a process that takes the lock; `said` is its first line. */
  const start = async () => {
    const child = spawn(process.execPath, [join(folder, 'test.mjs'), file], { stdio: ['pipe', 'pipe', 'inherit'] })
    t.after(() => child.kill('SIGKILL'))
    const [data] = await once(child.stdout, 'data')
    const end = async (how) => {
      how()
      await once(child, 'close')
    }
    return { said: String(data).trim(), child, end }
  }
  return { file, start }
}

test('the second process is refused with the number of the first, and gets the lock after its end', async (t) => {
  const { file, start } = place(t)
  const first = await start()
  assert.equal(first.said, 'has it')
  const refused = await start()
  assert.equal(
    refused.said,
    `2 another npm test runs in this checkout: process ${first.child.pid}. Wait for its end, or end it (kill ${first.child.pid})`,
  )
  assert.equal(readFileSync(file, 'utf8'), String(first.child.pid), 'who was refused takes nothing away')
  await first.end(() => first.child.stdin.end())
  assert.equal(existsSync(file), false)
  assert.equal((await start()).said, 'has it')
})

test('a process that is told to end gives the lock back; that of a killed one is replaced', async (t) => {
  const { file, start } = place(t)
  const told = await start()
  await told.end(() => told.child.kill('SIGTERM'))
  assert.equal(existsSync(file), false)
  const killed = await start()
  await killed.end(() => killed.child.kill('SIGKILL'))
  assert.equal(existsSync(file), true)
  assert.equal((await start()).said, 'has it')
})

test('files that no running npm test wrote are replaced', async (t) => {
  const { file, start } = place(t)
  const first = await start()
  await first.end(() => first.child.stdin.end())
  const foreign = process.platform === 'linux' ? ['1'] : [] // a process that runs no tests
  for (const text of ['', 'no number', '-1', ...foreign]) {
    writeFileSync(file, text)
    const { said, child, end } = await start()
    assert.equal(said, 'has it', text)
    await end(() => child.stdin.end())
  }
})
