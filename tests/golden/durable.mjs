// Durable turns as every release has kept them: a later one must find each of them in its store, and bring it to its end.
// `node tests/durable/golden.mjs` writes those of this version, for every store that has none in its folder yet. What a release has written is never
// written again: where a change breaks it, the change is wrong.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Engine, tool } from 'sluice'
import { durable } from 'sluice/durable'
import { approve, cardsOf, lossy, serverOf, textOf, until } from '../js/durable-support.mjs'

export const folder = fileURLToPath(new URL('.', import.meta.url))
/** Of what is sealed: no secret. */
export const seal = new Uint8Array(32).fill(7)
/** Long enough to stand beside the turn where there is a store of blobs. */
const LONG = 'long '.repeat(3500)

const call = (name) => [{ role: 'user', content: `call ${name}` }]
/** Where each turn stood when its process ended: what it was asked, how far it came, and what it comes to. */
const scenes = {
  begun: { messages: call('once'), ends: { text: 'I call. I was told: once did it', cards: ['once success'], ran: 1 } },
  asks: { messages: call('asked'), ends: { text: 'I call. I was told: asked did it', cards: ['asked success'], ran: 1 } },
  decided: { messages: call('asked'), ends: { text: 'I call. I was told: asked did it', cards: ['asked success'], ran: 1 } },
  runs: { messages: call('once'), ends: { cards: ['once unknown'], ran: 0 } },
  'runs-again': { messages: call('often'), ends: { text: 'I call. I was told: often did it', cards: ['often success'], ran: 1 } },
  requested: { messages: [{ role: 'user', content: 'wait' }], ends: { text: 'A whole answer.', cards: [], ran: 0 } },
  outside: { messages: call('outside'), ends: { text: 'I call. I was told: from outside', cards: ['outside success'], ran: 0 } },
  brought: { messages: call('outside'), ends: { text: 'I call. I was told: brought', cards: ['outside success'], ran: 0 } },
  long: { blobs: true, messages: [{ role: 'system', content: LONG }, ...call('asked')], ends: { text: 'I call. I was told: asked did it', cards: ['asked success'], ran: 1 } },
  done: { messages: call('asked'), ends: { text: 'I call. I was told: asked did it', cards: ['asked success'], ran: 0 } },
}
/** What is long is worth its place in one store only. */
const scenesIn = ({ blobs }) => Object.entries(scenes).filter(([, scene]) => blobs || !scene.blobs)
/** Those that somebody should look at: the others wait for people and for results, or are done. */
const due = ['begun', 'brought', 'decided', 'requested', 'runs', 'runs-again']

/** `hang`: of the process that is to end in the middle. */
function appOf(baseURL, { hang = () => {}, ...places }) {
  const ran = []
  const make = (name, more) => tool({
    name, description: `Does ${name}.`, identity: '1', parameters: { type: 'object', properties: { text: { type: 'string' } } }, agentCallable: true, permission: 'public',
    execute: async (_, { key }) => { const [id] = key.split(':'); ran.push(id); await hang(id); return `${name} did it` },
    ...more,
  })
  const tools = [make('once'), make('often', { idempotent: true }), make('asked', { permission: 'sensitive' }), make('outside', { execute: undefined, external: true })]
  const engine = new Engine({ tools })
  return { engine, ran, turns: durable(engine, { ...places, queue: lossy, leaseMs: 60_000, run: () => ({ model: { baseURL, name: 'scripted', apiKey: 'secret' } }) }) }
}

const answers = (whole) => ({ body }) => {
  const system = body.messages.find(({ role }) => role === 'system')
  if (system) assert.equal(system.content, LONG)
  const { content } = body.messages.findLast(({ role }) => role === 'user')
  const told = body.messages.find(({ role }) => role === 'tool')
  if (content === 'wait') return whole
  return told ? { text: `I was told: ${told.content}` } : { text: 'I call. ', calls: [{ id: 'c1', name: content.replace('call ', ''), arguments: { text: 'x' } }] }
}

/** The call that runs outside, as its card names it. */
const callOf = async (turns, id) => ({ call: 1, digest: cardsOf(await turns.status(id))[0].digest })

/** Lets every turn come to where its scene stands, and keeps the store by `snapshot` at that moment. Resolves to that, and how `done` ended. */
export async function write(t, places, snapshot) {
  const never = new Promise(() => {})
  const server = await serverOf(t, answers({ parts: [{ text: 'Half an ' }, { wait: never }] }))
  const begun = new Set()
  const { turns } = appOf(server.baseURL, { ...places, hang: async (id) => { begun.add(id); if (id.startsWith('runs')) await never } })
  for (const [id, { messages }] of scenesIn(places)) await turns.start({ id, thread: 'golden', data: { user: 7 }, messages })
  for (const id of ['asks', 'decided', 'outside', 'brought', 'done', ...(places.blobs ? ['long'] : [])]) assert.equal(await turns.advance(id), 'waiting', id)
  for (const id of ['decided', 'done']) {
    const [question] = (await turns.status(id)).questions
    assert.equal(await turns.decide(id, approve(question, { by: 'ann' })), 'accepted')
  }
  await turns.result('brought', await callOf(turns, 'brought'), { value: 'brought' })
  assert.equal(await turns.advance('done'), 'done')
  for (const id of ['runs', 'runs-again', 'requested']) turns.advance(id).catch(() => {})
  await until(() => begun.has('runs') && begun.has('runs-again') && server.requests.some(({ body }) => body.messages.at(-1).content === 'wait'))
  await delay(300) // the half answer is there
  return { kept: await snapshot(), done: await turns.status('done') }
}

/** Brings every turn of a store to its end. `done`: how one ended that was over. */
export async function check(t, places, done) {
  const server = await serverOf(t, answers({ text: 'A whole answer.' }))
  const { engine, turns, ran } = appOf(server.baseURL, places)
  t.after(() => engine.close())
  const rows = []
  for await (const { id } of places.store.list()) rows.push(id)
  assert.deepEqual(rows.toSorted(), scenesIn(places).map(([id]) => id).toSorted())
  const found = []
  for await (const { id } of places.store.list({ due: Date.now() })) found.push(id)
  assert.deepEqual(found.toSorted(), due)
  const asked = []
  for await (const question of turns.questions({ thread: 'golden' })) asked.push(question)
  assert.deepEqual(asked.map(({ turn, name }) => `${turn} ${name}`).toSorted(), ['asks asked', 'decided asked', ...(places.blobs ? ['long asked'] : [])])
  for (const question of asked) {
    const stale = await turns.decide(question.turn, approve({ ...question, digest: `${question.digest.slice(0, -1)}?` }))
    assert.equal(stale, 'stale')
    assert.equal(await turns.decide(question.turn, approve(question, { by: 'bob' })), question.turn === 'decided' ? 'stale' : 'accepted', question.turn)
  }
  assert.equal(await turns.result('outside', await callOf(turns, 'outside'), { value: 'from outside' }), 'accepted')
  for (const [id, { ends }] of scenesIn(places)) {
    assert.equal(await turns.advance(id), 'done', id)
    const status = await turns.status(id)
    assert.deepEqual([status.outcome, status.thread, status.data, status.questions], ['completed', 'golden', { user: 7 }, []], id)
    assert.deepEqual(cardsOf(status).map((card) => `${card.name} ${card.status}`), ends.cards, id)
    if (ends.text !== undefined) assert.equal(textOf(status), ends.text, id)
    assert.equal(ran.filter((one) => one === id).length, ends.ran, id)
    assert.equal(await turns.advance(id), 'done', id)
  }
  assert.deepEqual((await turns.status('decided')).decisions.map(({ by }) => by), ['ann'])
  assert.deepEqual((await turns.status('asks')).decisions.map(({ by }) => by), ['bob'])
  assert.deepEqual(await turns.status('done'), done)
  assert.equal(await turns.sweep(), 0)
  for (const [id] of scenesIn(places)) assert.equal(await turns.forget(id), true, id)
}

// -- what is kept of a store, as it stands there --------------------------------------------------------------------------------

/** The releases that kept turns. */
export const releases = readdirSync(folder).filter((name) => /^\d+\.\d+\.\d+$/.test(name) && readdirSync(join(folder, name)).includes('durable'))
export const pathOf = (release, name) => join(folder, release, 'durable', `${name}.json`)
export const readGolden = (release, name) => JSON.parse(readFileSync(pathOf(release, name), 'utf8'))

/** The files of a folder, by their paths. */
export const readFolder = (path) =>
  Object.fromEntries(readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort().map((file) => [file.slice(path.length + 1).replaceAll('\\', '/'), readFileSync(file, 'utf8')]))

export function writeFolder(path, kept) {
  for (const [name, text] of Object.entries(kept)) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
  }
}

/** The tables of a database, as the statements that made them, and their rows. */
export const readDatabase = (database) => ({
  schema: database.prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid").all().map(({ sql }) => sql),
  tables: Object.fromEntries(['sluice_turns', 'sluice_inbox'].map((name) => [name, database.prepare(`SELECT * FROM ${name} ORDER BY rowid`).all()])),
})

export function writeDatabase(database, { schema, tables }) {
  for (const sql of schema) database.exec(sql)
  for (const [name, rows] of Object.entries(tables)) {
    for (const row of rows) database.prepare(`INSERT INTO ${name} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row).map(() => '?').join(', ')})`).run(...Object.values(row))
  }
}
