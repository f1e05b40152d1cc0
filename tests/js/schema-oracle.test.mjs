// Compares the engine's check of arguments with ajv, and with the official tests of JSON Schema.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import Ajv from 'ajv'
import Ajv2020 from 'ajv/dist/2020.js'
import { Engine, tool } from 'sluice'

// -- verdicts ---------------------------------------------------------------------------------------------------------

/** Parameters whose member `v` has this schema: so a value of any type is an argument. */
const around = (schema, more = {}) => ({ type: 'object', properties: { v: schema }, required: ['v'], ...more })

/**
 * Sends each value (JSON text) to a tool with its schema (parameters with a member `v`), as a native call: in native
 * calls a string is only itself. Returns for each value the fault, if the engine refuses it, and the value that the
 * tool would get; and for each schema the keywords that the engine does not check.
 */
function judge(pairs) {
  const tools = pairs.map(({ parameters }, i) =>
    tool({ name: `t${i}`, parameters, permission: 'public', agentCallable: true, execute() {} }),
  )
  const engine = new Engine({ tools })
  try {
    const calls = pairs.flatMap(({ values }, i) =>
      values.map((value) => ({ name: `t${i}`, arguments: `{"v":${value}}` })),
    )
    const verdicts = []
    for (let at = 0; at < calls.length; at += 4096) {
      const turn = engine.turn({ wire: 'openai-chat', mode: 'native', limits: { callsPerRound: 4096 } })
      const send = (choice) => turn.feed(`data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`)
      send({
        delta: {
          tool_calls: calls
            .slice(at, at + 4096)
            .map((call, index) => ({ index, id: `c${index}`, type: 'function', function: call })),
        },
      })
      send({ delta: {}, finish_reason: 'tool_calls' })
      turn.finish()
      for (const card of turn.message.blocks) {
        assert.ok(card.status === 'pending' || card.reason === 'schema', `${card.rawArguments}: ${card.reason}`)
        verdicts.push({ fault: card.error, got: card.arguments.v })
      }
      turn.close()
    }
    assert.equal(verdicts.length, calls.length)
    const listed = new Map(engine.describe().tools.map((one) => [one.name, one.unchecked ?? []]))
    return pairs.map(({ values }, i) => ({
      unchecked: listed.get(`t${i}`),
      verdicts: verdicts.splice(0, values.length),
    }))
  } finally {
    engine.close()
  }
}

/** Whether `less` is `value` with some members left out that are null. */
function lacksOnlyNulls(value, less) {
  if (typeof value !== 'object' || value === null || typeof less !== 'object' || less === null) return value === less
  if (Array.isArray(value))
    return (
      Array.isArray(less) && value.length === less.length && value.every((item, i) => lacksOnlyNulls(item, less[i]))
    )
  return (
    Object.keys(less).every((key) => Object.hasOwn(value, key)) &&
    Object.keys(value).every((key) =>
      Object.hasOwn(less, key) ? lacksOnlyNulls(value[key], less[key]) : value[key] === null,
    )
  )
}

// -- random schemas and values ----------------------------------------------------------------------------------------

const SEED = Number(process.env.SLUICE_RANDOM_SEED ?? 7)

/**
 * Draws schemas and values from a small world, in which they often meet. `ignored`: also with the keywords that the
 * engine does not check.
 */
function world(seed, { ignored = false } = {}) {
  let state = seed >>> 0
  const pick = (n) => {
    state = (state + 0x6d2b79f5) >>> 0
    let x = Math.imul(state ^ (state >>> 15), state | 1)
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61)
    return ((x ^ (x >>> 14)) >>> 0) % n
  }
  const some = (least, most, draw) => Array.from({ length: least + pick(most - least + 1) }, draw)
  const key = () => 'abc'[pick(3)]
  const number = () => (pick(3) ? pick(6) - 2 : (pick(12) - 4) / 2)
  const text = () => ['', 'a', 'b', 'x', 'ab', '😀', 'é\n"'][pick(7)]
  const object = (draw) => Object.fromEntries(some(0, 3, () => [key(), draw()]))
  const value = (depth = 2) =>
    [
      () => null,
      () => pick(2) === 0,
      number,
      number,
      text,
      text,
      () => some(0, 3, () => value(depth - 1)),
      () => object(() => (pick(3) ? value(depth - 1) : null)),
      () => object(() => value(depth - 1)),
    ][pick(depth > 0 ? 9 : 6)]()
  const types = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']
  const inner = (depth) => () => schema(depth - 1)
  let refs = true // a schema that refers to itself for the same value is an error
  const flat = {
    type: () => (pick(3) ? types[pick(7)] : [types[pick(3)], types[3 + pick(4)]]),
    enum: () => some(1, 4, () => value(1)),
    const: () => value(1),
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    multipleOf: () => [0.5, 1, 1.5, 2, 3][pick(5)],
    minLength: () => pick(3),
    maxLength: () => pick(3),
    required: () => [...new Set(some(1, 2, key))],
    minItems: () => pick(3),
    maxItems: () => pick(3),
    uniqueItems: () => pick(4) > 0,
    minProperties: () => pick(3),
    maxProperties: () => pick(3),
  }
  const nested = {
    properties: (depth) => object(inner(depth)),
    additionalProperties: (depth) => schema(depth - 1),
    propertyNames: (depth) => (pick(2) ? { enum: ['a', 'b'] } : schema(depth - 1)),
    dependencies: (depth) =>
      object(() => (pick(2) ? some(1, 2, key).filter((name, i, all) => all.indexOf(name) === i) : schema(depth - 1))),
    items: (depth) => (ignored || pick(3) ? schema(depth - 1) : some(1, 3, inner(depth))),
    additionalItems: (depth) => schema(depth - 1),
    contains: (depth) => schema(depth - 1),
    allOf: (depth) => some(1, 3, inner(depth)),
    anyOf: (depth) => some(1, 3, inner(depth)),
    oneOf: (depth) => some(1, 3, inner(depth)),
    not: (depth) => schema(depth - 1),
    if: (depth) => schema(depth - 1),
    then: (depth) => schema(depth - 1),
    else: (depth) => schema(depth - 1),
    $ref: () => ['#/$defs/a', '#/$defs/b', '#/$defs/tree'][pick(3)],
  }
  const beyond = {
    pattern: () => ['^a', 'b$', '^x?$'][pick(3)],
    format: () => 'short',
    patternProperties: (depth) => ({ [['^a', '[bc]'][pick(2)]]: schema(depth - 1) }),
    prefixItems: (depth) => some(1, 2, inner(depth)),
    minContains: () => pick(3),
    maxContains: () => 1 + pick(2),
    dependentRequired: () => ({ [key()]: [key()] }),
    dependentSchemas: (depth) => ({ [key()]: schema(depth - 1) }),
  } // without unevaluatedProperties and unevaluatedItems: ajv may throw a TypeError on them
  const draw = { ...flat, ...nested, ...(ignored ? beyond : {}) }
  const [flatWords, words] = [Object.keys(flat), Object.keys(draw)]
  function schema(depth) {
    if (pick(14) === 0) return pick(4) > 0
    const from = depth > 0 ? words : flatWords
    const out = Object.fromEntries(some(1, 3, () => from[pick(from.length)]).map((word) => [word, draw[word](depth)]))
    if (!refs) delete out.$ref
    if (ignored) delete out.additionalItems
    if (out.if !== undefined && pick(2)) out.then ??= schema(depth - 1)
    return out
  }
  /** JSON in one of its spellings: 2 is 2.0 and 20e-1, too, and a letter may be escaped. */
  const written = (it) => {
    if (Array.isArray(it)) return `[${it.map(written).join(', ')}]`
    if (typeof it === 'object' && it !== null)
      return `{${Object.entries(it)
        .map(([name, member]) => `${written(name)}: ${written(member)}`)
        .join(',')}}`
    if (Number.isInteger(it) && pick(4) === 0)
      return it === 0 ? ['0.0', '-0', '0e5'][pick(3)] : [`${it}.0`, `${it}0e-1`, `${it}E+0`][pick(3)]
    if (typeof it === 'string' && pick(4) === 0)
      return `"${Array.from({ length: it.length }, (_, i) => `\\u${it.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`
    return JSON.stringify(it)
  }
  const parameters = () => {
    refs = false
    const [a, b, inTree] = [schema(1), schema(2), schema(1)]
    refs = true
    const branch = { type: 'object', properties: { a: { $ref: '#/$defs/tree' }, b: inTree } }
    const tree = { anyOf: [{ type: 'integer' }, branch, { type: 'array', items: { $ref: '#/$defs/tree' } }] }
    return around(schema(3), { $defs: { a, b, tree } })
  }
  return {
    pairs: (schemas, values) =>
      Array.from({ length: schemas }, () => ({
        parameters: parameters(),
        values: Array.from({ length: values }, () => written(value())),
      })),
  }
}

/** The verdict of the engine on each pair: its `fault`, or the value that the tool `got`; `fits` asks ajv. */
function* judged(ajv, pairs) {
  for (const [i, { verdicts, unchecked }] of judge(pairs).entries()) {
    const { parameters, values } = pairs[i]
    const fits = ajv.compile(parameters)
    for (const [j, text] of values.entries()) {
      const { fault, got } = verdicts[j]
      const about = `SLUICE_RANDOM_SEED=${SEED}, schema ${i}, value ${j}\n${JSON.stringify(parameters)}\n${text}\nengine: ${fault ?? 'fits'}`
      yield { value: JSON.parse(text), fault, got, unchecked, about, fits: (v) => fits({ v }) }
    }
  }
}

test('random schemas and values: the engine and ajv agree on 20,000 pairs', () => {
  const found = { fits: 0, refused: 0, nulls: 0 }
  // Without allErrors, ajv ignores `contains` if `items` is a list that is longer than the array.
  const ajv = new Ajv({ strict: false, validateSchema: false, allErrors: true })
  for (const { value, fault, got, fits, unchecked, about } of judged(ajv, world(SEED).pairs(1250, 16))) {
    assert.deepEqual(unchecked, [], about)
    if (fits(value)) {
      assert.equal(fault, undefined, about)
      assert.deepEqual(got, value, about)
      found.fits++
    } else if (fault === undefined) {
      // on purpose: see "null of an optional member" below
      assert.ok(fits(got) && lacksOnlyNulls(value, got), about)
      found.nulls++
    } else {
      found.refused++
    }
  }
  assert.ok(found.fits > 4000 && found.refused > 4000 && found.nulls > 0, JSON.stringify(found))
})

test('random schemas with unchecked keywords: the engine refuses no value that ajv accepts', () => {
  const found = { agreed: 0, accepted: 0 }
  const keywords = new Set()
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    allErrors: true,
    formats: { short: (text) => text.length < 2 },
  })
  ajv.opts.unevaluated = false // else code that ajv makes for allOf and oneOf may throw a TypeError
  for (const { value, fault, got, fits, unchecked, about } of judged(
    ajv,
    world(SEED, { ignored: true }).pairs(500, 10),
  )) {
    for (const keyword of unchecked) keywords.add(keyword)
    const agreed = fits(value) === (fault === undefined)
    assert.ok(agreed || fault === undefined, about)
    assert.ok(agreed || unchecked.length > 0 || (fits(got) && lacksOnlyNulls(value, got)), about)
    found[agreed ? 'agreed' : 'accepted']++
  }
  assert.ok(found.agreed > 4000 && found.accepted > 50, JSON.stringify(found))
  assert.deepEqual([...keywords].sort(), [
    'dependentRequired',
    'dependentSchemas',
    'format',
    'maxContains',
    'minContains',
    'pattern',
    'patternProperties',
    'prefixItems',
  ])
})

// -- differences on purpose -------------------------------------------------------------------------------------------

/**
 * Schema, value, whether the engine accepts it, and what ajv says: true, false, or the error with which it refuses the
 * schema.
 */
const differences = {
  'null of an optional member means "not given": the engine leaves the member out': [
    [{ properties: { a: { type: 'string' } } }, '{"a":null}', true, false],
    [{ properties: { a: { type: 'string' } }, required: ['a'] }, '{"a":null}', false, false],
    [{ properties: { a: { type: ['string', 'null'] } }, minProperties: 1 }, '{"a":null}', true, true],
    [{ additionalProperties: { type: 'string' } }, '{"a":null}', false, false],
  ],
  'nullable (OpenAPI 3.0) allows null beside every other keyword': [
    [{ type: 'string', enum: ['a'], nullable: true }, 'null', true, false],
    [{ enum: ['a'], nullable: true }, 'null', true, /"nullable" cannot be used without "type"/],
    [{ type: 'string', nullable: true }, 'null', true, true],
  ],
  'names of types in programming languages are types: generators of schemas write them': [
    [{ type: 'int' }, '3', true, /must be equal to one of the allowed values/],
    [{ type: 'int' }, '3.5', false, /must be equal to one of the allowed values/],
    [{ type: 'dict' }, '{}', true, /must be equal to one of the allowed values/],
    [{ type: null }, '3', true, /must be equal to one of the allowed values/],
  ],
  'numbers are exact decimals, not doubles': [
    [{ multipleOf: 0.1 }, '0.3', true, false],
    [{ multipleOf: 0.01 }, '4.35', true, false],
    [{ maximum: 9007199254740992 }, '9007199254740993', false, true],
    [{ const: 0.1 }, '0.1000000000000000000001', false, true],
    [{ type: 'integer' }, '1.0000000000000000000001', false, true],
    [{ uniqueItems: true }, '[9007199254740992,9007199254740993]', true, false],
  ],
  'exclusiveMinimum and exclusiveMaximum of draft 4 are read': [
    [{ minimum: 3, exclusiveMinimum: true }, '3', false, /must be number/],
    [{ maximum: 3, exclusiveMaximum: true }, '2', true, /must be number/],
  ],
  'unchecked keywords restrict nothing': [
    [{ pattern: '^a' }, '"b"', true, false],
    [{ patternProperties: { '^a': { type: 'string' } }, additionalProperties: false }, '{"a":1,"b":2}', true, false],
    [{ format: 'short' }, '"long"', true, false],
    [{ prefixItems: [{ type: 'string' }], items: false }, '[1,2]', true, false],
    [{ dependentRequired: { a: ['b'] } }, '{"a":1}', true, false],
    [{ dependentSchemas: { a: { required: ['b'] } } }, '{"a":1}', true, false],
    [{ contains: { type: 'string' }, minContains: 2 }, '["a"]', true, false],
    [{ contains: { type: 'string' }, maxContains: 1 }, '["a","b"]', true, false],
    [{ unevaluatedProperties: false }, '{"a":1}', true, false],
    [{ unevaluatedItems: false }, '[1]', true, false],
    [{ $ref: 'https://example.com/string.json' }, '1', true, false],
  ],
  'an unchecked keyword below not, if or oneOf leaves open whether they refuse': [
    [{ not: { pattern: '^a' } }, '"a"', true, false],
    [{ not: { pattern: '^a' } }, '"b"', true, true],
    [{ if: { pattern: '^a' }, then: false }, '"a"', true, false],
    [{ oneOf: [{ pattern: '^a' }, { pattern: 'b$' }] }, '"ab"', true, false],
    [{ oneOf: [{ pattern: '^a' }, { pattern: 'b$' }] }, '"a"', true, true],
  ],
}

for (const [why, rows] of Object.entries(differences)) {
  test(`difference from ajv: ${why}`, () => {
    for (const [schema, text, accepted, expected] of rows) {
      const about = `${JSON.stringify(schema)} ${text}`
      const [
        {
          verdicts: [{ fault }],
        },
      ] = judge([{ parameters: around(schema), values: [text] }])
      assert.equal(fault === undefined, accepted, `${about}: engine: ${fault ?? 'fits'}`)
      const ajv = new Ajv2020({
        strict: false,
        allErrors: true,
        logger: false,
        formats: { short: (text) => text.length < 2 },
      })
      ajv.addSchema({ type: 'string' }, 'https://example.com/string.json')
      const ask = () => ajv.compile(around(schema))({ v: JSON.parse(text) })
      if (expected instanceof RegExp) assert.throws(ask, expected, about)
      else assert.equal(ask(), expected, `${about}: ajv`)
    }
  })
}

test('difference from ajv: a string may be the value that the schema asks for, in calls of a wire and in a text', () => {
  const engine = new Engine({
    tools: [
      tool({
        name: 'n',
        parameters: around({ type: 'integer' }),
        permission: 'public',
        agentCallable: true,
        execute() {},
      }),
    ],
  })
  const {
    calls: [card],
  } = engine.parse('<tool_call>{"name":"n","arguments":{"v":"5"}}</tool_call>', { protocol: 'hermes' })
  engine.close()
  assert.deepEqual([card.status, card.arguments], ['pending', { v: 5 }])
  const [{ verdicts }] = judge([{ parameters: around({ type: 'integer' }), values: ['"5"', '"five"'] }])
  assert.deepEqual([verdicts[0].fault, verdicts[0].got], [undefined, 5])
  assert.match(verdicts[1].fault, /expected integer, found string "five"/)
})

// -- the official tests -----------------------------------------------------------------------------------------------

/** The schema as it is where `around` puts it: a reference into it leads to its new place. */
function moved(schema) {
  if (Array.isArray(schema)) return schema.map(moved)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([word, value]) => [
      word,
      word === '$ref' && typeof value === 'string'
        ? value.replace(/^#(?=\/|$)/, '#/properties/v')
        : word === 'enum' || word === 'const' || word === 'default'
          ? value
          : moved(value),
    ]),
  )
}

/** Tests that the engine decides in another way although it checks every keyword in them. */
const otherwise = {
  'a float is not an integer even without fractional part':
    'from draft 6 on 1.0 is an integer; and JavaScript reads 1.0 as 1',
  'ref valid, maxItems ignored': 'from draft 2019-09 on the keywords beside $ref apply',
  'an invalid JSON document': 'contentMediaType is a remark',
  'an invalid base64 string (% is not a valid character)': 'contentEncoding is a remark',
  'a validly-encoded invalid JSON document': 'contentMediaType is a remark',
  'an invalid base64 string that is valid JSON': 'contentEncoding is a remark',
}

/**
 * Compares the engine with every test of a draft. A test whose keywords are all checked is decided as it says, but for
 * `otherwise`.
 */
function official(folder) {
  const out = { agreed: 0, accepted: 0, otherwise: [], unchecked: {} }
  const files = readdirSync(folder, { recursive: true })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.json'))
    .sort()
  for (const file of files) {
    for (const { description, schema, tests } of JSON.parse(readFileSync(join(folder, file), 'utf8'))) {
      const [{ verdicts, unchecked }] = judge([
        { parameters: around(moved(schema)), values: tests.map(({ data }) => JSON.stringify(data)) },
      ])
      if (unchecked.length > 0)
        out.unchecked[file] = [...new Set([...(out.unchecked[file] ?? []), ...unchecked])].sort()
      for (const [i, test] of tests.entries()) {
        const { fault } = verdicts[i]
        if (test.valid === (fault === undefined)) out.agreed++
        else if (Object.hasOwn(otherwise, test.description)) out.otherwise.push(test.description)
        else {
          assert.ok(
            fault === undefined && unchecked.length > 0,
            `${file}: ${description}: ${test.description}\nexpected ${test.valid ? 'valid' : 'invalid'}, engine: ${fault ?? 'fits'}\n${JSON.stringify(schema)}\n${JSON.stringify(test.data)}`,
          )
          out.accepted++
        }
      }
    }
  }
  return out
}

// The npm package has drafts 3 and 4. Draft 3 is not read: there, `required` is a boolean.
test('official tests of draft 4: the engine decides 261 of 295 as they say, and accepts 33 values because of unchecked keywords', () => {
  const folder = join(
    dirname(createRequire(import.meta.url).resolve('json-schema-test-suite/package.json')),
    'tests',
    'draft4',
  )
  assert.deepEqual(official(folder), {
    agreed: 261,
    accepted: 33,
    otherwise: ['a float is not an integer even without fractional part'],
    unchecked: {
      // patterns, formats and other documents are not read; ref.json has its definitions in members of these names
      'additionalProperties.json': ['patternProperties'],
      'definitions.json': ['$ref'],
      'optional/format.json': ['format'],
      'pattern.json': ['pattern'],
      'patternProperties.json': ['patternProperties'],
      'properties.json': ['patternProperties'],
      'ref.json': ['$ref', 'percent%field', 'slash/field', 'tilda~field'],
      'refRemote.json': ['$ref'],
    },
  })
})

// No npm package has the later drafts. Debian's json-schema-test-suite has them in
// /usr/share/json-schema-test-suite/tests.
const later = process.env.SLUICE_SCHEMA_TESTS
for (const draft of later ? ['draft4', 'draft6', 'draft7'].filter((name) => existsSync(join(later, name))) : []) {
  test(`official tests of ${draft} in $SLUICE_SCHEMA_TESTS: the engine decides as they say, but for unchecked keywords and what otherwise lists`, (t) => {
    const { unchecked, ...numbers } = official(join(later, draft))
    t.diagnostic(JSON.stringify(numbers))
    assert.ok(numbers.agreed > 300)
    const known = ['$ref', 'format', 'pattern', 'patternProperties', 'percent%field', 'slash/field', 'tilda~field']
    assert.deepEqual([...new Set(Object.values(unchecked).flat())].sort(), known)
  })
}
