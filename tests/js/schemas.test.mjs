import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Engine, tool } from 'sluice'
import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import { cards, stage } from './support.mjs'

const forecast = (execute) =>
  tool({
    name: 'forecast',
    description: 'The weather of some days.',
    parameters: z.object({
      city: z.string().min(2).describe('a city'),
      days: z.number().int().max(7).default(1),
      when: z
        .string()
        .transform((text) => new Date(text))
        .optional(),
    }),
    permission: 'public',
    agentCallable: true,
    execute,
  })

const call = (args) => [{ calls: [{ name: 'forecast', arguments: args }] }, { text: 'x' }]

test('a zod schema is offered as JSON Schema', async (t) => {
  const { server, run } = await stage(t, { answers: [{ text: 'x' }], tools: [forecast(() => {})] })
  await run().done
  const { parameters } = server.requests[0].body.tools[0].function
  assert.equal(parameters.$schema, undefined)
  assert.deepEqual(parameters.properties.city, { type: 'string', minLength: 2, description: 'a city' })
  assert.deepEqual(parameters.required, ['city'], 'what has a default may be left out')
})

test('execute gets what the schema makes of the arguments', async (t) => {
  let got
  const { run } = await stage(t, {
    answers: call({ city: 'Ulm', when: '2026-01-02' }),
    tools: [
      forecast((args) => {
        got = args
      }),
    ],
  })
  assert.equal(cards(await run().done)[0].status, 'success')
  assert.equal(got.days, 1)
  assert.ok(got.when instanceof Date)
})

test('what only the Standard Schema can check is told as a failure, and execute does not run', async (t) => {
  const even = tool({
    name: 'forecast',
    parameters: z.object({ days: z.number().refine((days) => days % 2 === 0, 'expected an even number') }),
    permission: 'public',
    agentCallable: true,
    execute: () => assert.fail('it ran'),
  })
  const { run } = await stage(t, { answers: call({ days: 3 }), tools: [even] })
  const [card] = cards(await run().done)
  assert.equal(card.status, 'error')
  assert.match(card.error, /days: expected an even number/)
})

test('arguments against the JSON Schema never reach execute', async (t) => {
  const { run } = await stage(t, {
    answers: call({ city: 'Ulm', days: 'many' }),
    tools: [forecast(() => assert.fail('it ran'))],
  })
  const [card] = cards(await run().done)
  assert.equal(card.status, 'invalid')
  assert.equal(card.reason, 'schema')
})

test('any Standard Schema will do, with its JSON Schema beside it where it cannot print itself', async (t) => {
  const upper = {
    '~standard': { version: 1, vendor: 'own', validate: ({ text }) => ({ value: { text: text.toUpperCase() } }) },
  }
  const options = {
    name: 'forecast',
    parameters: upper,
    permission: 'public',
    agentCallable: true,
    execute: ({ text }) => text,
  }
  assert.throws(() => tool(options), { code: 'option', path: 'forecast.parameters', hint: /jsonSchema/ })
  const jsonSchema = { type: 'object', properties: { text: { type: 'string' } } }
  const { run } = await stage(t, { answers: call({ text: 'loud' }), tools: [tool({ ...options, jsonSchema })] })
  assert.equal(cards(await run().done)[0].output, 'LOUD')
})

test('a schema that prints itself by Standard JSON Schema needs nothing beside it', () => {
  const parameters = {
    '~standard': {
      version: 1,
      vendor: 'own',
      validate: (value) => ({ value }),
      jsonSchema: {
        input: ({ target }) => ({ $schema: target, type: 'object', properties: { n: { type: 'integer' } } }),
      },
    },
  }
  const made = tool({ name: 'n', parameters })
  assert.deepEqual(made.declaration.parameters, { type: 'object', properties: { n: { type: 'integer' } } })
  new Engine({ tools: [made] }).close()
})

for (const [vendor, parameters, more] of [
  ['zod', z.object({ city: z.string(), days: z.number().optional() })],
  ['arktype', type({ city: 'string', 'days?': 'number' })],
  [
    'valibot with its JSON Schema',
    v.object({ city: v.string(), days: v.optional(v.number()) }),
    (schema) => ({ jsonSchema: toJsonSchema(schema) }),
  ],
  [
    'valibot as a Standard JSON Schema',
    toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number()) })),
  ],
]) {
  test(`${vendor}: the model is offered the schema, and execute gets its output`, async (t) => {
    let got
    const made = tool({
      name: 'forecast',
      parameters,
      permission: 'public',
      agentCallable: true,
      execute: (args) => {
        got = args
      },
      ...more?.(parameters),
    })
    const { server, run } = await stage(t, { answers: call({ city: 'Ulm' }), tools: [made] })
    assert.equal(cards(await run().done)[0].status, 'success')
    assert.deepEqual(got, { city: 'Ulm' })
    const { properties, required } = server.requests[0].body.tools[0].function.parameters
    assert.deepEqual([properties.city.type, properties.days.type, required], ['string', 'number', ['city']])
  })
}

test('a schema that cannot print itself is refused with the very call that does it', () => {
  const refused = (parameters, words) =>
    assert.throws(
      () => tool({ name: 'n', parameters }),
      (error) => {
        assert.deepEqual([error.code, error.path], ['option', 'n.parameters'])
        assert.match(error.message, words)
        return true
      },
    )
  refused(v.object({ city: v.string() }), /valibot.*jsonSchema: toJsonSchema\(schema\).*@valibot\/to-json-schema/)
  refused(z3.object({ city: z3.string() }), /zod 4 is needed/)
  refused({ '~standard': { version: 1, vendor: 'zod', validate: (value) => ({ value }) } }, /z\.toJSONSchema\(/)
})

test('a schema of anything but an object is refused where it is declared', () => {
  const engine = (parameters) => () => new Engine({ tools: [tool({ name: 'n', parameters })] }).close()
  assert.throws(engine(z.string()), {
    code: 'option',
    path: 'tools[0].parameters.type',
    message: /found a schema of type "string", expected \{"type":"object"/,
  })
  assert.throws(engine({ city: { type: 'string' }, type: { type: 'string' } }), {
    code: 'option',
    path: 'n.parameters',
    message: /properties without the object around them/,
  })
})
