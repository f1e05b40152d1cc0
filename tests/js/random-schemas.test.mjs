// Tools with schemas that a seed draws, on every wire: servers that refuse what the real ones would take each request;
// what a model writes by the schema that it got fits the host's; calls have the host's names everywhere.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Engine, tool } from 'sluice'
import { startScriptedServer } from 'sluice/testing'
import { dice } from './dice.mjs'
import { judgeOf, randomSchema, randomValue } from './random-schemas.mjs'
import { places, refusalAt, sentSchema, settingsAt } from './schema-places.mjs'

const [from, count = 1] = (process.env['SLUICE_RANDOM_SEED'] ?? '1,400').split(',').map(Number)

const engineWith = (parameters, { execute = () => 'ok', ...more } = {}) =>
  new Engine({
    ...more,
    tools: [
      tool({
        name: 'odd.tool',
        description: 'Does something.',
        agentCallable: true,
        permission: 'moderate',
        parameters: structuredClone(parameters),
        execute,
      }),
    ],
  })

/** Draws a schema from a seed, and makes its engine; undefined if `tool()` refuses the schema. */
function drawn(seed, more) {
  const { schema, lists } = randomSchema(seed)
  try {
    return { seed, schema, lists, engine: engineWith(schema, more) }
  } catch (error) {
    // a schema that is its own for one value, or that no object fits
    assert.equal(error.code, 'option', `seed ${seed}: ${error.stack}`)
    return undefined
  }
}

/** The names of a place for keys of the host: [host's, sent]. */
const renamesIn = (keys, { sent, changes }) =>
  keys.flatMap((key) => {
    const name = Object.keys(sent.properties).find((other) => changes.includes(`key ${key} is ${other}`))
    return name === undefined ? [] : [[key, name]]
  })

const asModel = (args, form) => {
  const names = new Map(renamesIn(Object.keys(args), form))
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [names.get(key) ?? key, value]))
}

// -- what goes out ----------------------------------------------------------------------------------------------------

/**
 * Changes after which the sent schema takes no value that the host's refuses. Any other says what it lets through.
 */
const exact =
  /^(type object added|type is object|properties added|items added at .*|key .*|\$ref replaced at .*|(\$defs|definitions) left out|(true|false) is a schema at .*|description cut at .*|\$(id|anchor) left out at .*)$/s

/** Nothing beside the reference at the top restricts anything, so that merging the two loses nothing. */
const isBareTop = (schema) =>
  Object.keys(schema).every((word) =>
    ['$ref', '$defs', 'definitions', 'title', 'description', 'examples', '$comment', 'default', 'type'].includes(word),
  )

const isExact = (schema, changes) =>
  changes.length <= 64 && changes.every((one) => exact.test(one) || (one === '$ref merged' && isBareTop(schema)))

/** Every form in which the places get the tool: `{ sent, changes, place }`, each once. */
function formsOf({ seed, schema, engine }) {
  const twin = engineWith(schema)
  const forms = new Map()
  try {
    for (const [name, place] of Object.entries(places)) {
      const settings = settingsAt(place)
      const [turn, other] = [engine.turn(settings), twin.turn(settings)]
      const { request } = turn
      assert.equal(request, other.request, `seed ${seed}, ${name}: the same input gives other bytes`)
      turn.close()
      other.close()
      const body = JSON.parse(request)
      const where = `seed ${seed}, ${name}: ${JSON.stringify(body.tools)}\nof ${JSON.stringify(schema)}`
      assert.equal(refusalAt(place, body), null, where)
      const [{ exposed, sent, changes }] = engine.describe(settings).tools
      assert.deepEqual([exposed, sent === 'left out'], body.tools ? [true, false] : [false, true], where)
      if (!body.tools) continue
      assert.equal(sent === 'changed', changes.length > 0, where)
      const form = { sent: sentSchema(body), changes, name }
      const text = JSON.stringify(form.sent)
      if (!forms.has(text)) forms.set(text, form)
    }
  } finally {
    twin.close()
  }
  return [...forms.values()]
}

/** The card of a native call with these arguments, at a place that renames keys. */
function cardOf(engine, args) {
  const turn = engine.turn(settingsAt(places['LiteLLM, Claude']))
  const send = (choice) => turn.feed(`data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`)
  const call = { name: 'odd_tool', arguments: JSON.stringify(args) }
  send({ delta: { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] } })
  send({ delta: {}, finish_reason: 'tool_calls' })
  turn.finish()
  const [card] = turn.message.blocks
  turn.close()
  return card
}

const sorted = (values) => values.map((value) => JSON.stringify(value)).sort()

test(`random schemas: every server takes each, and what fits the sent schema fits the host's (seeds ${from} to ${from + count - 1})`, (t) => {
  const found = { refused: 0, forms: 0, values: 0, renamed: 0 }
  for (let seed = from; seed < from + count; seed++) {
    const one = drawn(seed)
    if (!one) {
      found.refused++
      continue
    }
    const { schema, lists, engine } = one
    const fitsHost = judgeOf(schema, lists)
    for (const form of formsOf(one)) {
      found.forms++
      const { sent, changes, name } = form
      const fitsSent = judgeOf(sent, lists)
      const about = `seed ${seed}, ${name}: ${JSON.stringify(sent)}\nof ${JSON.stringify(schema)}\n${changes.join('; ')}`
      assert.ok(fitsSent || !fitsHost, `ajv cannot read the sent schema: ${about}`)
      if (!fitsSent || !fitsHost || !isExact(schema, changes)) continue
      const isRenamed = changes.some((change) => change.startsWith('key '))
      for (let draw = 0; draw < 6; draw++) {
        const value = randomValue(sent, seed * 100 + draw)
        if (fitsSent(value) !== true) continue
        let back = value
        if (isRenamed) {
          const card = cardOf(engine, value)
          assert.notEqual(card.status, 'invalid', `${card.error}: ${JSON.stringify(value)}, ${about}`)
          back = card.arguments
          assert.deepEqual(sorted(Object.values(back)), sorted(Object.values(value)), about)
          found.renamed++
        }
        assert.notEqual(fitsHost(back), false, `${JSON.stringify(value)} is ${JSON.stringify(back)}, ${about}`)
        found.values++
      }
    }
    engine.close()
  }
  t.diagnostic(JSON.stringify(found))
  if (count < 100) return
  assert.ok(found.refused < count / 3 && found.forms > count && found.values > count, JSON.stringify(found))
  assert.ok(found.renamed > count / 20, JSON.stringify(found))
})

// -- what comes back --------------------------------------------------------------------------------------------------

const servers = new Map()
after(() => Promise.all([...servers.values()].map(({ close }) => close())))

/** The server of a place. It says what `script` has. */
async function serverAt(name) {
  if (!servers.has(name)) {
    const stage = { script: [] }
    const server = await startScriptedServer({ answers: () => stage.script.shift(), server: places[name].server })
    servers.set(name, Object.assign(stage, { server, close: server.close }))
  }
  return servers.get(name)
}

/** One turn at a place, in which the model calls the tool. */
async function turnAt(name, engine, { messages, args, id }) {
  const { wire, name: model, dialect } = places[name]
  const stage = await serverAt(name)
  const { baseURLs } = stage.server
  const settings = settingsAt(places[name])
  const body = JSON.parse(withTurn(engine, settings))
  const [{ changes }] = engine.describe(settings).tools
  const written = asModel(args, { sent: sentSchema(body), changes })
  stage.script = [{ calls: [{ id, name: 'odd_tool', arguments: written }] }, { text: 'Done.' }]
  const result = await engine.run({
    model: {
      wire,
      baseURL: baseURLs[wire],
      apiKey: 'k',
      name: model,
      ...(dialect && dialect !== 'azure' ? { provider: dialect } : {}),
    },
    messages,
  }).done
  return { result, renamed: JSON.stringify(written) !== JSON.stringify(args) }
}

function withTurn(engine, settings) {
  const turn = engine.turn(settings)
  const { request } = turn
  turn.close()
  return request
}

test(`random schemas: calls run, ask and are remembered under the host's keys, and the next request is taken anywhere (each 4th of seeds ${from} to ${from + count - 1})`, async (t) => {
  const found = { turns: 0, renamed: 0 }
  const names = Object.keys(places)
  for (let seed = from; seed < from + count; seed += 4) {
    const seen = { asked: [], ran: [] }
    const one = drawn(seed, {
      retries: 0,
      approvals: { execution: (ask) => (seen.asked.push(ask.arguments), { decision: 'session', exact: true }) },
      execute: (given) => (seen.ran.push(given), 'ok'),
    })
    if (!one) continue
    const { schema, lists, engine } = one
    const fits = judgeOf(schema, lists)
    const args = Array.from({ length: 12 }, (_, draw) => randomValue(schema, seed * 100 + draw))
      .filter((value) => fits?.(value) === true && typeof value === 'object' && value !== null && !Array.isArray(value))
      .sort((a, b) => Object.keys(b).length - Object.keys(a).length)[0]
    const next = dice(seed)
    let messages = [{ role: 'user', content: `Seed ${seed}` }]
    const way = []
    for (let turn = 1; args && turn <= 3; turn++) {
      const name = names[next(names.length)]
      way.push(name)
      if (!engine.describe(settingsAt(places[name])).tools[0].exposed) continue
      const { result, renamed } = await turnAt(name, engine, { messages, args, id: `call_${turn}` })
      const where = `seed ${seed}, ${way.join(', ')}: ${JSON.stringify(schema)}`
      assert.equal(result.outcome, 'completed', `${result.error?.detail}, ${where}`)
      const [card] = result.message.blocks.filter(({ type }) => type === 'tool_use')
      assert.deepEqual([card.status, card.name, card.arguments], ['success', 'odd.tool', args], where)
      assert.deepEqual(JSON.parse(result.history[0].tool_calls[0].function.arguments), args, where)
      assert.deepEqual(seen.ran.splice(0), [args], where)
      messages = [...messages, ...JSON.parse(JSON.stringify(result.history)), { role: 'user', content: 'Again.' }]
      found.turns++
      found.renamed += renamed ? 1 : 0
      assert.deepEqual(seen.asked, [args], `asked once, then remembered: ${where}`)
    }
    engine.close()
  }
  t.diagnostic(JSON.stringify(found))
  if (count >= 100) assert.ok(found.turns > count / 4 && found.renamed > count / 100, JSON.stringify(found))
})
