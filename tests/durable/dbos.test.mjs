// js/examples/dbos as a user starts it, on a real Postgres: processes that are killed between the steps of a turn, in a
// step, and while a person is waited for. A finished step is not done again; one that was cut off is, with the same
// key.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { text as readText } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { built } from '../js/dist.mjs'
import { DBOSClient } from '@dbos-inc/dbos-sdk'
import { noPostgres, startPostgres } from './servers.mjs'

const { startScriptedServer } = await built('sluice/testing')

const root = fileURLToPath(new URL('../..', import.meta.url))
const app = mkdtempSync(join(tmpdir(), 'sluice-dbos-'))
let postgres
before(async () => {
  cpSync(join(root, 'js/examples/dbos'), app, { recursive: true })
  mkdirSync(join(app, 'node_modules/@dbos-inc'), { recursive: true })
  symlinkSync(root, join(app, 'node_modules/sluice'), 'dir')
  symlinkSync(
    join(root, 'tests/durable/node_modules/@dbos-inc/dbos-sdk'),
    join(app, 'node_modules/@dbos-inc/dbos-sdk'),
    'dir',
  )
  if (!noPostgres) postgres = await startPostgres()
})
after(async () => {
  await postgres?.stop()
  rmSync(app, { recursive: true, maxRetries: 5 })
})

const answers = ({ body }) => {
  const told = body.messages.filter(({ role }) => role === 'tool')
  if (body.messages[0].content === 'Two notes.' && told.length < 2)
    return {
      text: 'One more. ',
      calls: [
        { id: `c${told.length + 1}`, name: 'note_add', arguments: { text: told.length === 0 ? 'umbrella' : 'boots' } },
      ],
    }
  return told.length > 0
    ? { text: `I was told: ${told.at(-1).content}` }
    : { text: 'I note it. ', calls: [{ id: 'c1', name: 'note_add', arguments: { text: 'umbrella' } }] }
}

/**
 * A model, a server of notes, and processes of the app over a database of their own. `onNote`: what else happens while
 * a note is added, by its number.
 */
async function stage(t, { database, onNote = () => {}, onRequest = () => {} }) {
  const { host, port, user } = postgres.config
  const systemDatabaseUrl = `postgresql://${user}@${host}:${port}/${database}`
  let asked = 0
  const model = await startScriptedServer({
    answers: async (request) => {
      await onRequest(++asked)
      return answers(request)
    },
    appendOnly: false,
  })
  const notes = []
  const server = createServer(async (request, response) => {
    notes.push({ key: request.headers['idempotency-key'], text: await readText(request) })
    await onNote(notes.length)
    response.end(`added as ${request.headers['idempotency-key']}`)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const living = new Set()
  const env = {
    ...process.env,
    DBOS_SYSTEM_DATABASE_URL: systemDatabaseUrl,
    SLUICE_BASE_URL: model.baseURL,
    SLUICE_MODEL: 'm',
    NOTES_URL: `http://127.0.0.1:${server.address().port}/`,
  }
  const start = (...words) => {
    const child = spawn(process.execPath, ['main.mjs', ...words], { cwd: app, env })
    living.add(child)
    let [said, wrong] = ['', '']
    child.stdout.on('data', (data) => (said += data))
    child.stderr.on('data', (data) => (wrong += data)) // among it warnings of pg about DBOS
    const end = once(child, 'close').then(([code, signal]) => {
      living.delete(child)
      return { code, signal, said, wrong }
    })
    return {
      end,
      kill: async () => {
        child.kill('SIGKILL')
        await end
      },
    }
  }
  const client = { of: undefined }
  const clientOf = async () => (client.of ??= await DBOSClient.create({ systemDatabaseUrl }))
  const done = async (id) => await (await clientOf()).retrieveWorkflow(id).getResult()
  const question = async (id) => {
    while (model.requests.length === 0) await delay(50) // then DBOS has made its database
    return await (await clientOf()).getEvent(id, 'question', { timeoutSeconds: 30 })
  }
  t.after(async () => {
    for (const child of living) child.kill('SIGKILL')
    await client.of?.destroy()
    server.closeAllConnections()
    server.close()
    await model.close()
  })
  return { start, done, question, notes, requests: model.requests }
}

/** The key of a note in the first round of `monday`: turn, round, and a hash of tool and canonical arguments. */
const keyOf = (text) =>
  `monday:1:${createHash('sha256')
    .update(`note.add\0${JSON.stringify({ text })}`)
    .digest('hex')
    .slice(0, 32)}`

/** As a person does it: what waits is read, and then decided. Returns what stands in front of it. */
const decided = async ({ start }, id, word, text = 'umbrella') => {
  const shown = await start('decide', id).end
  const [, short, asked] = /^([0-9a-f]{12}): (.*)\n$/.exec(shown.said) ?? assert.fail(`${shown.said} ${shown.wrong}`)
  const { code, said, wrong } = await start('decide', id, short, word).end
  assert.deepEqual([code, asked, said], [0, `note.add {"text":"${text}"}`, `${word}: ${asked}\n`], wrong)
  return short
}

test('killed between two steps, the turn goes on behind the last one, and nothing that was done is done again', {
  skip: noPostgres,
  timeout: 120_000,
}, async (t) => {
  let cutOff = () => {}
  const seen = new Promise((resolve) => (cutOff = resolve))
  const here = await stage(t, {
    database: 'between',
    onRequest: async (count) => {
      if (count === 2) {
        cutOff()
        await new Promise(() => {})
      }
    },
  })
  const first = here.start('ask', 'monday', 'Note: umbrella.')
  assert.deepEqual((await here.question('monday')).arguments, { text: 'umbrella' })
  await decided(here, 'monday', 'yes')
  await decided(here, 'monday', 'yes') // a form that was posted twice
  await seen // the tool has ended, and the model is asked what it says to that
  await first.kill()
  const second = here.start('work')
  const { outcome, text, history } = await here.done('monday')
  assert.deepEqual([outcome, text], ['completed', `I note it. I was told: added as ${keyOf('umbrella')}`])
  assert.deepEqual(
    history.map(({ role }) => role),
    ['assistant', 'tool', 'assistant'],
  )
  assert.deepEqual(here.notes, [{ key: keyOf('umbrella'), text: 'umbrella' }])
  assert.deepEqual(
    here.requests.map(({ body }) => body.messages.length),
    [1, 3, 3],
    'the first answer stood in the journal',
  )
  await second.kill()
})

test('a question waits in Postgres while no process runs, and is decided there', {
  skip: noPostgres,
  timeout: 120_000,
}, async (t) => {
  const here = await stage(t, { database: 'waits' })
  const first = here.start('ask', 'monday', 'Note: umbrella.')
  await here.question('monday')
  await first.kill()
  await decided(here, 'monday', 'no')
  // the same turn: nothing begins anew
  const { code, said, wrong } = await here.start('ask', 'monday', 'Note: umbrella.').end
  assert.equal(code, 0, wrong)
  assert.match(said, /^completed: I note it\. I was told: Not run: the user refused/)
  assert.deepEqual(here.notes, [])
  assert.equal(here.requests.length, 2)
})

test('killed in a step, the step is done again: a tool runs at least once, with one key', {
  skip: noPostgres,
  timeout: 120_000,
}, async (t) => {
  let noted = () => {}
  const seen = new Promise((resolve) => (noted = resolve))
  const here = await stage(t, {
    database: 'within',
    onNote: async (count) => {
      if (count === 1) {
        noted()
        await new Promise(() => {})
      }
    },
  })
  const first = here.start('ask', 'monday', 'Note: umbrella.')
  await here.question('monday')
  await decided(here, 'monday', 'yes')
  await seen
  await first.kill()
  const second = here.start('work')
  assert.equal((await here.done('monday')).text, `I note it. I was told: added as ${keyOf('umbrella')}`)
  assert.deepEqual(
    here.notes,
    [1, 2].map(() => ({ key: keyOf('umbrella'), text: 'umbrella' })),
  )
  await second.kill()
})

test('a decision that is repeated decides no question that came meanwhile, and one that names none decides nothing', {
  skip: noPostgres,
  timeout: 120_000,
}, async (t) => {
  const here = await stage(t, { database: 'repeated' })
  const first = here.start('ask', 'monday', 'Two notes.')
  const { digest } = await here.question('monday')
  const short = await decided(here, 'monday', 'yes')
  while ((await here.question('monday')).digest === digest) await delay(50)
  for (const words of [[short, 'yes'], ['yes'], [short, 'perhaps']]) {
    const { code, said, wrong } = await here.start('decide', 'monday', ...words).end
    assert.deepEqual([code, said], [1, ''])
    assert.match(wrong, /nothing was decided\. What waits: [0-9a-f]{12}: note\.add \{"text":"boots"\}/)
  }
  assert.deepEqual(
    here.notes.map(({ text }) => text),
    ['umbrella'],
  )
  await decided(here, 'monday', 'yes', 'boots')
  assert.match((await first.end).said, /^completed: /)
  assert.deepEqual(
    here.notes.map(({ text }) => text),
    ['umbrella', 'boots'],
  )
})
