// Tools whose schemas some provider refuses, on every wire: the server takes each request, and everything that the app
// sees has the names that it wrote.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Engine, tool } from 'sluice'
import { startScriptedServer } from 'sluice/testing'
import { sentSchema } from './schema-places.mjs'

const text = { type: 'string' }
const number = { type: 'integer' }
const object = (properties, more = {}) => ({ type: 'object', properties, ...more })
const long = 'x'.repeat(80)

/** By what is odd: the schema, and arguments that fit it. */
const schemas = {
  'no properties': [{ type: 'object' }, {}],
  'nothing at all': [{}, { a: 1 }],
  'no type': [{ properties: { a: text }, required: ['a'] }, { a: 'b' }],
  'a type that may be null': [{ type: ['object', 'null'], properties: { a: text } }, { a: 'b' }],
  'an array without items': [object({ ids: { type: 'array' } }), { ids: [1, 'b'] }],
  'an array without items, deep in a choice': [
    object({ a: { anyOf: [{ type: 'null' }, object({ b: { type: ['array', 'null'] } })] } }),
    { a: { b: [1] } },
  ],
  'items that are a list': [object({ pair: { type: 'array', items: [text, number] } }), { pair: ['a', 1] }],
  'items that are true': [object({ ids: { type: 'array', items: true } }), { ids: [{}] }],
  'a choice at the top': [
    object({ content: text, url: text, mode: text }, { anyOf: [{ required: ['content'] }, { required: ['url'] }] }),
    { url: 'https://example.com' },
  ],
  'a choice at the top of objects without a type': [
    { oneOf: [object({ a: text }, { required: ['a'] }), object({ b: number }, { required: ['b'] })] },
    { b: 2 },
  ],
  'two schemas for one key of a choice': [{ anyOf: [object({ a: text }), object({ a: number })] }, { a: 3 }],
  'all of several references at the top': [
    { allOf: [{ $ref: '#/$defs/A' }, object({ b: number })], $defs: { A: object({ a: text }, { required: ['a'] }) } },
    { a: 'x', b: 1 },
  ],
  'words of a value at the top': [object({ a: text }, { not: { required: ['b'] }, enum: [{ a: 'x' }] }), { a: 'x' }],
  'a key with brackets': [object({ 'sort[]': text, a: text }, { required: ['sort[]'] }), { 'sort[]': 'up', a: 'b' }],
  'keys that are alike once they are legal': [
    object({ 'a b': text, 'a+b': text, a_b: text }),
    { 'a b': '1', 'a+b': '2', a_b: '3' },
  ],
  'a key that is too long': [object({ [long]: text, [`${long}y`]: number }), { [long]: 'x', [`${long}y`]: 1 }],
  'keys of other alphabets': [
    object({ 城市: text, größe: number }, { required: ['城市'] }),
    { 城市: '巴黎', größe: 2 },
  ],
  'keys that JavaScript knows': [object({ constructor: text, toString: text }), { constructor: 'a', toString: 'b' }],
  'an illegal key within a branch': [{ anyOf: [object({ 'x y': text }), object({ z: text })] }, { 'x y': 'v' }],
  'a required name that nothing has': [object({ a: text }, { required: ['a', 'b'] }), { a: 'x', b: 1 }],
  'a reference with members beside it': [
    object({ a: { $ref: '#/$defs/A', title: 'A', description: 'B' } }, { $defs: { A: { enum: ['x', 'y'] } } }),
    { a: 'y' },
  ],
  'a reference within itself': [
    object(
      { tree: { $ref: '#/definitions/Tree' } },
      {
        definitions: {
          Tree: object({ name: text, children: { type: 'array', items: { $ref: '#/definitions/Tree' } } }),
        },
      },
    ),
    { tree: { name: 'a', children: [{ name: 'b', children: [{ name: 'c' }] }] } },
  ],
  'a reference to another document': [object({ a: { $ref: 'https://example.com/a.json' } }), { a: [1] }],
  'words that few servers read': [
    object(
      { a: { type: 'string', format: 'uuid', examples: ['x'] }, n: { type: 'number', exclusiveMinimum: 0 } },
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: 'urn:x',
        patternProperties: { '^x-': text },
        if: { required: ['a'] },
        then: { required: ['n'] },
        additionalProperties: false,
      },
    ),
    { n: 1, 'x-b': 'c' },
  ],
}

/** Who gets them: by wire, and by the names of models and providers whose rules are others on `openai-chat`. */
const places = {
  'openai-chat': { wire: 'openai-chat' },
  'openai-chat, Claude': { wire: 'openai-chat', name: 'anthropic/claude-4', dialect: 'openrouter' },
  'openai-chat, Gemini': { wire: 'openai-chat', name: 'google/gemini-3', dialect: 'openrouter' },
  anthropic: { wire: 'anthropic' },
  gemini: { wire: 'gemini', name: 'gemini-3' },
  'gemini-interactions': { wire: 'gemini-interactions', name: 'gemini-3' },
  'openai-responses': { wire: 'openai-responses' },
  ollama: { wire: 'ollama' },
}

/** Arguments as the model of this request writes them: with the keys that it was shown, in their order. */
function asModel(args, host, sent) {
  const shown = Object.keys(sent.properties ?? {})
  const own = Object.keys(host.properties ?? Object.assign({}, ...(host.anyOf ?? []).map((one) => one.properties)))
  const renamed = shown.filter((key) => !own.includes(key))
  const names = new Map(own.filter((key) => !shown.includes(key)).map((key, index) => [key, renamed[index]]))
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [names.get(key) ?? key, value]))
}

for (const [place, { wire, name = 'm', dialect }] of Object.entries(places)) {
  test(`${place}: 24 odd schemas are taken, and calls have the host's names everywhere`, async (t) => {
    assert.equal(Object.keys(schemas).length, 24)
    for (const [odd, [schema, args]] of Object.entries(schemas)) {
      let written
      const server = await startScriptedServer({
        answers: ({ body }, index) => {
          if (index % 2 === 1) return { text: 'Done.' }
          written = asModel(args, schema, sentSchema(body))
          return { calls: [{ id: `call_${index}`, name: 'odd_tool', arguments: written }] }
        },
        ...(dialect ? { server: { dialect } } : {}),
      })
      const seen = []
      const engine = new Engine({
        retries: 0,
        approvals: { execution: (ask) => (seen.push(ask.arguments), 'once') },
        tools: [
          tool({
            name: 'odd.tool',
            description: `${odd}: ${'a long text. '.repeat(9)}`,
            agentCallable: true,
            permission: 'sensitive',
            parameters: schema,
            execute: (given) => (seen.push(given), 'ok'),
          }),
        ],
      })
      t.after(async () => {
        engine.close()
        await server.close()
      })
      const model = { wire, baseURL: server.baseURLs[wire], apiKey: 'k', name }
      const said = { role: 'user', content: odd }
      const result = await engine.run({ model, messages: [said] }).done
      const [request] = server.requests
      const where = `${odd}: ${JSON.stringify(result.error ?? sentSchema(request.body))}`
      assert.equal(result.outcome, 'completed', where)
      assert.deepEqual(seen, [args, args], where)
      const [card] = result.message.blocks.filter(({ type }) => type === 'tool_use')
      assert.deepEqual([card.status, card.name, card.arguments], ['success', 'odd.tool', args], where)
      const [call] = result.history[0].tool_calls
      assert.deepEqual(JSON.parse(call.function.arguments), args, where)
      // The next turn, and one of a host that kept no items of the provider: the call has the keys of the schema.
      const rebuilt = JSON.parse(JSON.stringify(result.history).replaceAll('"native"', '"x"'))
      for (const [first, history] of [
        [said, result.history],
        [{ role: 'user', content: `${odd}, told anew` }, rebuilt],
      ]) {
        const next = await engine.run({ model, messages: [first, ...history, { role: 'user', content: 'Again.' }] })
          .done
        assert.equal(next.outcome, 'completed', `${where}, ${next.error?.detail}`)
        const text = server.requests.at(-2).text
        for (const key of Object.keys(written)) assert.ok(text.includes(`"${key}`) || text.includes(`\\"${key}`), where)
      }
      assert.equal(server.requests.length, 6, `${odd}: a request was refused`)
    }
  })
}
