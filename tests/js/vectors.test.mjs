// The conformance data beside the checkout through the addon: vectors of one answer each, recorded streams, and
// recorded texts of model families.
import assert from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { recordedAnswers } from './recorded.mjs'
import {
  cuts,
  documents,
  mismatch,
  native,
  pollAll,
  randomCut,
  sharedFolder,
  sseText,
  tests,
} from './script-runner.mjs'

const shared = sharedFolder()
const skip = shared ? false : 'no conformance data at ../shared or $SLUICE_SHARED'
const cutters = { whole: {}, 'seed 1': randomCut(1), 'seed 2': randomCut(2), 'seed 3': randomCut(3) }
const absent = { $absent: true }
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))

/** Blocks and events of one answer in pieces, read by a turn without `request`. */
function parsePieces(config, pieces, engineConfig = {}) {
  const engine = native.engineNew(JSON.stringify(engineConfig))
  const turn = native.turnNew(engine, JSON.stringify(config))
  try {
    for (const piece of pieces) assert.equal(native.feed(turn, piece), 0, native.get(turn, documents.error))
    assert.equal(native.finish(turn, 0, null), 0)
    return { blocks: JSON.parse(native.get(turn, documents.message)).blocks, events: pollAll(turn) }
  } finally {
    native.turnFree(turn)
    native.engineFree(engine)
  }
}

const parse = (config, data, cut) => parsePieces(config, cuts(data, cut))

/** A block of a vector as the pattern of a block of the message. */
function blockPattern({ text, reasoning, error, call, invalid }) {
  if (text !== undefined) return { type: 'text', text }
  if (reasoning !== undefined) return { type: 'reasoning', text: reasoning }
  if (error !== undefined) return { type: 'error', code: error }
  const said = call ?? invalid
  return {
    type: 'tool_use',
    status: call ? 'pending' : 'invalid',
    name: said.name ?? absent,
    ...(said.reason && { reason: said.reason }),
    ...(said.id && { wireId: said.id }),
    ...(call && {
      arguments: { $equals: call.arguments },
      protocolFields: call.reserved ? { $equals: call.reserved } : absent,
    }),
  }
}

function chunks({ deltas, finish_reason: finish, done = true }) {
  const items = deltas.map((delta) => ({
    choices: [{ index: 0, ...(delta.__message__ ? { message: delta.__message__ } : { delta }) }],
  }))
  if (finish !== null) items.push({ finish })
  return Buffer.from(sseText(done ? [...items, '[DONE]'] : items))
}

function hold(vector, config, data) {
  for (const [name, cut] of Object.entries(cutters)) {
    const { blocks, events } = parse(config, data, cut)
    assert.equal(mismatch(vector.blocks.map(blockPattern), blocks), '', `${vector.id} ${name}`)
    const reported = events.filter((event) => event.type === 'diagnostic').map((event) => event.code)
    for (const code of vector.diagnostics ?? [])
      assert.ok(reported.includes(code), `${vector.id} ${name}: no diagnostic ${code}`)
  }
}

test('the vectors of the protocols hold at any split', { skip }, async (t) => {
  for (const name of ['vcp', 'context', 'tool_action', 'json_strict', 'xml_tag', 'inline_tags']) {
    const { protocol: id, rules, cases } = readJson(join(shared, 'vectors', `${name}.json`))
    for (const vector of cases) {
      const protocol = { id, ...(rules && { rules }), ...vector.options }
      await t.test(`${name} ${vector.id}`, () => hold(vector, { wire: 'text', protocol }, Buffer.from(vector.input)))
    }
  }
})

test('the vectors of openai-chat deltas hold at any split', { skip }, async (t) => {
  for (const vector of readJson(join(shared, 'vectors', 'openai_chat_deltas.json')).cases) {
    await t.test(vector.id, () => hold(vector, { wire: 'openai-chat' }, chunks(vector)))
  }
})

const joined = (blocks, type) =>
  blocks
    .filter((block) => block.type === type)
    .map((block) => block.text)
    .join('')
    .trim()

function compareStream(expected, { blocks, events }) {
  const said = [expected, expected.alt_think_split]
    .filter((e) => e && typeof e === 'object')
    .map((e) => [(e.text ?? '').trim(), (e.reasoning ?? '').trim()])
  const got = [joined(blocks, 'text'), joined(blocks, 'reasoning')]
  assert.ok(
    said.some(([text, reasoning]) => text === got[0] && reasoning === got[1]),
    `text or reasoning: ${JSON.stringify(got)}`,
  )
  const patterns = expected.tool_calls.map((call) => {
    const card = { name: call.name, ...(call.id && { wireId: call.id }) }
    if (call.arguments_invalid_json || call.incomplete) return { ...card, status: 'invalid' }
    if (call.arguments_empty && expected.finish_reason === 'length') return card
    return { ...card, status: 'pending', arguments: { $equals: call.arguments } }
  })
  assert.equal(
    mismatch(
      patterns,
      blocks.filter((block) => block.type === 'tool_use'),
    ),
    '',
  )
  if (!expected.error) return
  const error = { type: 'error', detail: { $has: expected.error.message ?? '' } }
  assert.ok(
    events.some((event) => mismatch(error, event) === ''),
    'no error event has the words',
  )
}

test('recorded openai-chat streams hold at any split', { skip }, async (t) => {
  for (const { name, expected, bytes } of recordedAnswers('openai-chat')) {
    await t.test(name, () => {
      for (const cut of Object.values(cutters)) compareStream(expected, parse({ wire: 'openai-chat' }, bytes, cut))
    })
  }
})

// -- recorded texts of model families

const exceptions = readJson(join(tests, 'conformance_exceptions.json'))

function engineOf({ tools = [] }) {
  const registered = tools.map((tool) => tool.function ?? tool)
  return {
    tools: registered.map(({ name, description, parameters }) => ({
      name,
      description: description ?? '',
      parameters: parameters ?? { type: 'object' },
    })),
  }
}

/** Cards that were read as calls. Whether the schema holds is not the text's business, nor whether the tool exists: but
 * where a recording calls nothing, a call of a tool that it does not have is what a turn would refuse. */
function readCalls(recorded, blocks) {
  const tools = engineOf(recorded).tools.map(({ name }) => name)
  const nothing = recorded.expected_calls.length === 0 && tools.length > 0
  return blocks.filter(
    ({ type, status, reason, name }) =>
      type === 'tool_use' &&
      (status !== 'invalid' || ['not_found', 'schema'].includes(reason)) &&
      (!nothing || tools.includes(name)),
  )
}

const blank = /^[ \t\r\n\v\f]+/
const blankTrimmed = (text) => text.replace(/^[ \t\r\n\v\f]+|[ \t\r\n\v\f]+$/g, '')

/** Is `said` the texts of these blocks one after the other, with any white space between and around them? */
function sameText(said, blocks, type) {
  for (const text of blocks.filter((block) => block.type === type).map((block) => blankTrimmed(block.text))) {
    said = said.replace(blank, '')
    if (!said.startsWith(text)) return false
    said = said.slice(text.length)
  }
  return said.replace(blank, '') === ''
}

function compareText(recorded, blocks) {
  const ids = recorded.expected_ids ?? []
  const patterns = recorded.expected_calls.map((call, i) => ({
    name: call.name,
    arguments: { $equals: call.arguments },
    ...(typeof ids[i] === 'string' && recorded.input.includes(ids[i]) && { wireId: ids[i] }),
  }))
  assert.equal(mismatch(patterns, readCalls(recorded, blocks)), '')
  const texts = [recorded.expected_text, ...(recorded.text_variants ?? [])]
  assert.ok(
    texts.some((text) => sameText(text, blocks, 'text')),
    `text: ${JSON.stringify({ texts, blocks })}`,
  )
  if (recorded.expected_reasoning !== undefined)
    assert.ok(sameText(recorded.expected_reasoning, blocks, 'reasoning'), `reasoning: ${JSON.stringify(blocks)}`)
}

test('recorded texts of model families are read as recorded, at any split', { skip }, async (t) => {
  const folder = join(shared ?? '', 'texts')
  let [all, passed] = [0, 0]
  for (const name of readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.json'))
    .sort()) {
    if (name in exceptions) continue
    const recorded = readJson(join(folder, name))
    const config = {
      wire: 'text',
      mode: 'text',
      protocol: dirname(name),
      startsInReasoning: recorded.starts_in_reasoning ?? false,
    }
    all += 1
    await t.test(name, () => {
      const data = Buffer.from(recorded.input)
      const ways = [
        ...Object.values(cutters).map((cut) => [...cuts(data, cut)]),
        ...(recorded.chunks ? [recorded.chunks.map((chunk) => Buffer.from(chunk))] : []),
      ]
      for (const pieces of ways) compareText(recorded, parsePieces(config, pieces, engineOf(recorded)).blocks)
      passed += 1
    })
  }
  t.diagnostic(`${passed} of ${all} as recorded, ${Object.keys(exceptions).length} exceptions`)
})
