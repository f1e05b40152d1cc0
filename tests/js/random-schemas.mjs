// Draws JSON Schemas as no person would write them, and values that fit a schema.
import Ajv2019 from 'ajv/dist/2019.js'
import Ajv2020 from 'ajv/dist/2020.js'
import { dice } from './dice.mjs'

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const here = '#here' // a reference that is still to be chosen
const types = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']
const oddKeys = [
  ...['', ' ', '$', '%41', '~', '~1', '0', '12', '"', '\\', '\n', '\u0000', '\u2028', '😀', '城市', 'größe', 'é'],
  ...['__proto__', 'constructor', 'toString', '$ref', '$defs', 'type', 'properties', 'required', 'items', 'anyOf'],
  ...['a b', 'a+b', 'a_b', 'a/b', 'a#b', 'sort[]', 'a.b', 'a-b', '_', '__', '_2', 'x'.repeat(64), 'x'.repeat(65)],
  ...[`${'x'.repeat(63)}é`, `${'y'.repeat(62)}_2`, `${'y'.repeat(70)}`, `${'y'.repeat(71)}`],
]

/**
 * A schema of the parameters of a tool: `{ schema, lists }`, the same for the same seed. `lists`: a list of items is
 * `items`, as up to draft 2019-09; else it is `prefixItems`.
 */
export function randomSchema(seed) {
  const pick = dice(seed)
  const some = (least, most, draw) => Array.from({ length: least + pick(most - least + 1) }, draw)
  const lists = pick(2) === 0
  const keys = some(3, 7, () =>
    pick(3) > 0
      ? oddKeys[pick(oddKeys.length)]
      : pick(4) > 0
        ? 'abc'[pick(3)]
        : String.fromCodePoint(
            ...some(1, 9, () => [0x20 + pick(0x60), 0x80 + pick(0x700), 0x1f600 + pick(64)][pick(3)]),
          ),
  )
  const key = () => keys[pick(keys.length)]
  const names = () => [...new Set(some(1, 3, key))]
  const byName = (draw, most = 3) =>
    Object.fromEntries(some(0, most, () => [key(), draw()]).filter(([name]) => name !== '__proto__'))
  const number = () => (pick(3) > 0 ? pick(7) - 2 : (pick(12) - 4) / 2)
  const text = () => ['', 'a', 'b', 'x', 'ab', '😀', 'é\n"'][pick(7)]
  const value = (depth = 2) =>
    depth > 0 && pick(3) === 0
      ? [() => some(0, 3, () => value(depth - 1)), () => byName(() => value(depth - 1))][pick(2)]()
      : [() => null, () => pick(2) === 0, number, text, text][pick(5)]()
  const defined = [...new Set(some(0, 4, key))].filter((name) => name !== '__proto__')
  const where = pick(2) > 0 ? '$defs' : 'definitions'
  const step = (name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
  const elsewhere = () => ['#name', 'other.json', 'https://example.com/a.json#/b'][pick(3)]
  const flat = {
    type: () => (pick(3) > 0 ? types[pick(7)] : [types[pick(3)], types[3 + pick(4)]]),
    enum: () => some(1, 4, () => value(1)),
    const: () => value(1),
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    multipleOf: () => [0.5, 1, 1.5, 2, 3][pick(5)],
    minLength: () => pick(3),
    maxLength: () => pick(3),
    pattern: () => ['^a', 'b$', '^x?$'][pick(3)],
    format: () => ['date-time', 'uuid', 'int32'][pick(3)],
    required: names,
    minItems: () => pick(3),
    maxItems: () => 1 + pick(3),
    uniqueItems: () => pick(4) > 0,
    minProperties: () => pick(3),
    maxProperties: () => 1 + pick(4),
    dependentRequired: () => byName(names),
    title: text,
    description: () => text().repeat(pick(900)),
    default: () => value(1),
    examples: () => [value(1)],
    deprecated: () => true,
    readOnly: () => false,
    contentMediaType: () => 'text/plain',
    $comment: text,
    $anchor: () => `n${pick(99)}`,
    'x-own': () => value(1),
  }
  const nested = {
    properties: (depth) => byName(() => schema(depth - 1), 4),
    patternProperties: (depth) => ({ [['^a', '[bc]', '_', ' '][pick(4)]]: schema(depth - 1) }),
    additionalProperties: (depth) => schema(depth - 1),
    propertyNames: (depth) => (pick(2) > 0 ? { enum: names() } : schema(depth - 1)),
    dependencies: (depth) => byName(() => (pick(2) > 0 ? names() : schema(depth - 1)), 2),
    dependentSchemas: (depth) => byName(() => schema(depth - 1), 2),
    items: (depth) => (lists && pick(3) === 0 ? some(0, 3, () => schema(depth - 1)) : schema(depth - 1)),
    contains: (depth) => schema(depth - 1),
    allOf: (depth) => some(1, 3, () => schema(depth - 1)),
    anyOf: (depth) => some(1, 3, () => schema(depth - 1)),
    oneOf: (depth) => some(1, 3, () => schema(depth - 1)),
    not: (depth) => schema(depth - 1),
    if: (depth) => schema(depth - 1),
    then: (depth) => schema(depth - 1),
    else: (depth) => schema(depth - 1),
    $ref: () => (pick(9) > 0 ? here : elsewhere()),
    ...(lists
      ? { additionalItems: (depth) => schema(depth - 1) }
      : { prefixItems: (depth) => some(1, 2, () => schema(depth - 1)) }),
  }
  const all = { ...flat, ...nested }
  const [flatWords, words, likely] = [Object.keys(flat), Object.keys(all), ['type', 'properties', '$ref', 'required']]
  let left = 60 // schemas within
  function schema(depth) {
    if (pick(14) === 0) return pick(4) > 0
    const from = depth > 0 && --left > 0 ? words : flatWords
    const word = () => (from === words && pick(3) === 0 ? likely[pick(4)] : from[pick(from.length)])
    return Object.fromEntries(some(1, 4, word).map((one) => [one, all[one](depth)]))
  }
  const depth = 1 + pick(6)
  const top = { ...(pick(6) > 0 ? { type: pick(6) > 0 ? 'object' : ['object', 'null'] } : {}), ...schema(depth) }
  if (pick(4) > 0 && !top.properties) top.properties = nested.properties(depth)
  if (pick(8) > 0 && top.type !== 'object' && !Array.isArray(top.type)) delete top.type
  if (pick(6) > 0) for (const word of ['enum', 'const', 'not']) delete top[word]
  if (defined.length > 0) top[where] = Object.fromEntries(defined.map((name) => [name, schema(Math.min(depth, 3))]))
  // A reference names any schema of this one: only now is known which there are.
  const found = [...pointers(top, '#')]
  const often = found.filter((pointer) => pointer.startsWith(`#/${where}/`) && pointer.split('/').length === 3)
  const refer = (value) => {
    if (typeof value !== 'object' || value === null) return
    if (value.$ref === here) {
      const list = often.length > 0 && pick(3) > 0 ? often : found
      value.$ref = list[pick(list.length)]
    }
    for (const one of Object.values(value)) refer(one)
  }
  refer(top)
  return { schema: top, lists }

  function* pointers(value, at) {
    if (typeof value === 'boolean') yield at
    if (!isObject(value)) return
    yield at
    for (const [word, one] of Object.entries(value)) {
      const inside = `${at}/${step(word)}`
      if (['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'].includes(word))
        for (const [name, each] of Object.entries(one)) yield* pointers(each, `${inside}/${step(name)}`)
      else if (['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(word) || (word === 'items' && Array.isArray(one)))
        for (const [index, each] of one.entries()) yield* pointers(each, `${inside}/${index}`)
      else if (
        ['items', 'additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else'].includes(word)
      )
        yield* pointers(one, inside)
    }
  }
}

/** Returns whether a value fits, by ajv; undefined where ajv cannot read the schema, or never ends. */
export function judgeOf(schema, lists) {
  try {
    const ajv = new (lists ? Ajv2019 : Ajv2020)({
      strict: false,
      validateSchema: false,
      validateFormats: false,
      allErrors: true,
      ownProperties: true,
      logger: false,
    })
    ajv.opts.unevaluated = false // else code that ajv makes for allOf and oneOf may throw a TypeError
    const fits = ajv.compile(schema)
    return (value) => {
      try {
        return fits(value)
      } catch {
        return undefined // a reference to itself for the same value; members that it calls, such as toString
      }
    }
  } catch {
    return undefined
  }
}

/** Draws a value that is likely to fit: ask a judge. */
export function randomValue(root, seed) {
  const pick = dice(seed)
  const named = (reference) => {
    let found = root
    for (const step of reference.slice(1).split('/').slice(1)) {
      let name = step
      try {
        name = decodeURIComponent(step)
      } catch {}
      found = found?.[name.replaceAll('~1', '/').replaceAll('~0', '~')]
    }
    return isObject(found) && reference.startsWith('#') ? found : {}
  }
  const joined = (one, other) => ({
    ...one,
    ...other,
    ...(isObject(one.properties) && isObject(other.properties)
      ? { properties: { ...one.properties, ...other.properties } }
      : {}),
    ...(Array.isArray(one.required) && Array.isArray(other.required)
      ? { required: [...one.required, ...other.required] }
      : {}),
  })
  const plain = () => [null, true, 0, 1, 'a', 'ab', '', [], {}][pick(9)]
  const draw = (given, depth) => {
    if (!isObject(given) || depth < -3) return plain()
    let schema = given
    for (let step = 0; step < 8; step++) {
      const { $ref, allOf, anyOf, oneOf, if: condition, then, else: other, ...rest } = schema
      const parts = [
        typeof $ref === 'string' ? named($ref) : {},
        ...(Array.isArray(allOf) ? allOf : []),
        ...[anyOf, oneOf].flatMap((list) => (Array.isArray(list) && list.length > 0 ? [list[pick(list.length)]] : [])),
        ...(condition === undefined ? [] : pick(2) > 0 ? [condition, then ?? {}] : [other ?? {}]),
      ].filter(isObject)
      schema = parts.reduce(joined, rest)
      if (!['$ref', 'allOf', 'anyOf', 'oneOf', 'if'].some((word) => word in schema)) break
    }
    if (Object.hasOwn(schema, 'const')) return schema.const
    if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[pick(schema.enum.length)]
    const allowed = [schema.type].flat().filter((type) => typeof type === 'string')
    const type =
      allowed.length > 0
        ? allowed[pick(allowed.length)]
        : schema.properties || schema.required || schema.minProperties
          ? 'object'
          : schema.items || schema.minItems || schema.prefixItems || schema.contains
            ? 'array'
            : types[pick(7)]
    const least = (word, otherwise) => (typeof schema[word] === 'number' ? schema[word] : otherwise)
    switch (type) {
      case 'null':
        return null
      case 'boolean':
        return pick(2) > 0
      case 'integer':
      case 'number': {
        const low = Math.max(least('minimum', -2), least('exclusiveMinimum', -3) + 1)
        return (schema.multipleOf ?? 1) * Math.ceil(low + pick(3))
      }
      case 'string':
        return ['a', 'b', 'ab', 'x', ''][pick(5)].padEnd(least('minLength', 0), 'b').slice(0, least('maxLength', 9))
      case 'array': {
        const lists = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : [])
        const count = Math.max(least('minItems', 0), depth > 0 ? pick(3) : 0)
        return Array.from({ length: count }, (_, at) =>
          draw(lists[at] ?? (at === 0 ? schema.contains : undefined) ?? schema.items, depth - 1),
        )
      }
      default: {
        const properties = isObject(schema.properties) ? schema.properties : {}
        const chosen = Object.keys(properties).filter(() => depth > 0 && pick(3) > 0)
        const keys = new Set([...(Array.isArray(schema.required) ? schema.required : []), ...chosen])
        for (let more = least('minProperties', 0); keys.size < more; more--) keys.add(`n${more}`)
        if (pick(5) === 0) keys.add('abn'[pick(3)])
        keys.delete('__proto__')
        return Object.fromEntries(
          [...keys].map((key) => [
            key,
            draw(Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties, depth - 1),
          ]),
        )
      }
    }
  }
  return draw(root, 4)
}
