// js/examples/ag-ui as a user starts it: two processes, and a server that is started anew while a question waits.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { built } from '../js/dist.mjs'

const { startScriptedServer } = await built('sluice/testing')

const root = fileURLToPath(new URL('../..', import.meta.url))
const call = (name, args = {}) => ({ calls: [{ id: 'c', name, arguments: args }] })

test('the notebook: a note is deleted when a person said so, also behind a restart', async (t) => {
  const app = mkdtempSync(join(tmpdir(), 'sluice-ag-ui-'))
  t.after(() => rmSync(app, { recursive: true, maxRetries: 5 }))
  cpSync(join(root, 'js/examples/ag-ui'), app, { recursive: true })
  mkdirSync(join(app, 'node_modules/@ag-ui'), { recursive: true })
  symlinkSync(root, join(app, 'node_modules/sluice'), 'dir')
  symlinkSync(join(root, 'tests/adapters/node_modules/ag-ui-1'), join(app, 'node_modules/@ag-ui/client'), 'dir')
  const model = await startScriptedServer({
    answers: [
      { text: 'Let me see.', ...call('notes_list') },
      { text: 'Two notes.' },
      call('notes_delete', { number: 2 }),
      { text: 'It stays.' },
      call('notes_delete', { number: 1 }),
      { text: 'It is gone.' },
    ],
  })
  t.after(() => model.close())

  const start = (...args) => {
    const child = spawn(process.execPath, args, {
      cwd: app,
      env: { ...process.env, SLUICE_BASE_URL: model.baseURL, SLUICE_MODEL: 'm', PORT: '0' },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    t.after(() => child.kill())
    let [said, hear] = ['', () => {}]
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.stdout.on('data', (text) => {
      said += text
      hear()
    })
    /** What it said until this came. */
    const until = async (asked) => {
      while (!asked.test(said))
        if (
          (await Promise.race([
            ended,
            new Promise((resolve) => {
              hear = resolve
            }),
          ])) !== undefined
        )
          throw new Error(`it ended: ${said}`)
      const all = said
      said = ''
      return all
    }
    const stop = async () => {
      child.kill()
      await ended
    }
    return { until, stop, say: (text) => child.stdin.write(`${text}\n`) }
  }
  const serve = async () => {
    const server = start('server.mjs')
    return { ...server, url: (await server.until(/agent\n/)).trim() }
  }

  const first = await serve()
  const client = start('client.mjs', first.url, 'mine')
  await client.until(/> $/)
  client.say('What is there?')
  assert.match(
    await client.until(/Two notes\.\n> $/),
    /Let me see\.\n\[notes\.list \{\}\]\n\[\{"1":"Buy an umbrella","2":"Call Rome"\}\]/,
  )
  client.say('Delete the second.')
  assert.match(
    await client.until(/\[y\/n\] $/),
    /May Delete a note run\? Deletes a note for good\.\n {2}\{"number":2\} \[y\/n\] $/,
  )
  client.say('n')
  assert.match(await client.until(/It stays\.\n> $/), /\[Not run: [^\]]*the user said no\]/)
  client.say('The first, then.')
  await client.until(/\{"number":1\} \[y\/n\] $/)
  await Promise.all([client.stop(), first.stop()])

  const second = await serve()
  const again = start('client.mjs', second.url, 'mine')
  await again.until(/> $/)
  again.say('Well?')
  await again.until(/\{"number":1\} \[y\/n\] $/)
  again.say('y')
  assert.match(await again.until(/It is gone\.\n> $/), /\[note 1 is gone\]/)
})
