// The conformance data beside the checkout through the addon: vectors of one answer each, and recorded streams.
import assert from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cuts, documents, mismatch, native, pollAll, randomCut, sharedFolder, sseText } from './script-runner.mjs'

const shared = sharedFolder()
const skip = shared ? false : 'no conformance data at ../shared or $SLUICE_SHARED'
const cutters = { whole: {}, 'seed 1': randomCut(1), 'seed 2': randomCut(2), 'seed 3': randomCut(3) }
const absent = { $absent: true }
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))

/** Blocks and events of one answer, read by a turn without `request`. */
function parse(config, data, cut) {
  const engine = native.engineNew('{}')
  const turn = native.turnNew(engine, JSON.stringify(config))
  try {
    for (const piece of cuts(data, cut)) assert.equal(native.feed(turn, piece), 0, native.get(turn, documents.error))
    assert.equal(native.finish(turn, 0, null), 0)
    return { blocks: JSON.parse(native.get(turn, documents.message)).blocks, events: pollAll(turn) }
  } finally {
    native.turnFree(turn)
    native.engineFree(engine)
  }
}

/** A block of a vector as the pattern of a block of the message. */
function blockPattern({ text, reasoning, call, invalid }) {
  if (text !== undefined) return { type: 'text', text }
  if (reasoning !== undefined) return { type: 'reasoning', text: reasoning }
  const said = call ?? invalid
  return {
    type: 'tool_use',
    status: call ? 'pending' : 'invalid',
    name: said.name ?? absent,
    ...(said.reason && { reason: said.reason }),
    ...(said.id && { wireId: said.id }),
    ...(call && { arguments: { $equals: call.arguments }, reserved: call.reserved ? { $equals: call.reserved } : absent }),
  }
}

function chunks({ deltas, finish_reason: finish, done = true }) {
  const items = deltas.map((delta) => ({ choices: [{ index: 0, ...(delta.__message__ ? { message: delta.__message__ } : { delta }) }] }))
  if (finish !== null) items.push({ finish })
  return Buffer.from(sseText(done ? [...items, '[DONE]'] : items))
}

function hold(vector, config, data) {
  for (const [name, cut] of Object.entries(cutters)) {
    const { blocks, events } = parse(config, data, cut)
    assert.equal(mismatch(vector.blocks.map(blockPattern), blocks), '', `${vector.id} ${name}`)
    const reported = events.filter((event) => event.type === 'diagnostic').map((event) => event.code)
    for (const code of vector.diagnostics ?? []) assert.ok(reported.includes(code), `${vector.id} ${name}: no diagnostic ${code}`)
  }
}

test('the vectors of vcp and of its context hold at any split', { skip }, async (t) => {
  for (const name of ['vcp.json', 'context.json']) {
    const { protocol, cases } = readJson(join(shared, 'vectors', name))
    for (const vector of cases)
      await t.test(`${name} ${vector.id}`, () => hold(vector, { wire: 'text', protocol: { id: protocol, ...vector.options } }, Buffer.from(vector.input)))
  }
})

test('the vectors of openai-chat deltas hold at any split', { skip }, async (t) => {
  for (const vector of readJson(join(shared, 'vectors', 'openai_chat_deltas.json')).cases)
    await t.test(vector.id, () => hold(vector, { wire: 'openai-chat' }, chunks(vector)))
})

const joined = (blocks, type) => blocks.filter((block) => block.type === type).map((block) => block.text).join('').trim()

function compareStream(expected, { blocks, events }) {
  const said = [expected, expected.alt_think_split].filter((e) => e && typeof e === 'object').map((e) => [(e.text ?? '').trim(), (e.reasoning ?? '').trim()])
  const got = [joined(blocks, 'text'), joined(blocks, 'reasoning')]
  assert.ok(said.some(([text, reasoning]) => text === got[0] && reasoning === got[1]), `text or reasoning: ${JSON.stringify(got)}`)
  const patterns = expected.tool_calls.map((call) => {
    const card = { name: call.name, ...(call.id && { wireId: call.id }) }
    if (call.arguments_invalid_json || call.incomplete) return { ...card, status: 'invalid' }
    if (call.arguments_empty && expected.finish_reason === 'length') return card
    return { ...card, status: 'pending', arguments: { $equals: call.arguments } }
  })
  assert.equal(mismatch(patterns, blocks.filter((block) => block.type === 'tool_use')), '')
  if (!expected.error) return
  const error = { type: 'error', detail: { $has: expected.error.message ?? '' } }
  assert.ok(events.some((event) => mismatch(error, event) === ''), 'no error event has the words')
}

test('recorded openai-chat streams hold at any split', { skip }, async (t) => {
  const folder = join(shared ?? '', 'streams')
  for (const name of readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.expected.json')).sort()) {
    const expected = readJson(join(folder, name))
    if (expected.wire !== 'openai-chat') continue
    const stem = join(folder, name.slice(0, -'.expected.json'.length))
    const body = readFileSync(existsSync(`${stem}.sse`) ? `${stem}.sse` : `${stem}.json`)
    await t.test(name, () => {
      for (const cut of Object.values(cutters)) compareStream(expected, parse({ wire: 'openai-chat' }, body, cut))
    })
  }
})
