// What is wrong with the schema of a tool, and where.
import { elements, isObject, type RequestJson } from '../strict-refusal.js'
import { first, type Found } from './rule.js'

/** A tool of a request, however the wire writes it. */
export interface OfferedTool {
  /** Its place in the list of the request. */
  index: number
  name: string
  schema: unknown
  description: unknown
}

/** Makes a rule about single tools of what `find` says of one that has the fault. */
export type RuleOfTools<Tool extends OfferedTool> = (
  find: (tool: Tool) => Found | undefined,
) => (request: RequestJson) => Found | undefined

/**
 * A rule about single tools: what `find` says of the first one that has the fault, behind what the words need to name
 * that tool.
 */
export const ruleOfTools =
  <Tool extends OfferedTool>(
    toolsOf: (request: RequestJson) => Tool[],
    named: (tool: Tool) => Found = ({ index }) => ({ index }),
  ): RuleOfTools<Tool> =>
  (find) =>
  (request) =>
    first(toolsOf(request), (tool) => {
      const found = find(tool)
      return found && { ...named(tool), ...found }
    })

/** The way from the top of a schema to a place in it. */
export type Path = readonly string[]

const maps = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items']
const singles = [
  'items',
  'additionalItems',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'propertyNames',
  'contains',
  'not',
  'if',
  'then',
  'else',
]

/** A schema and each schema within it, with the way there. */
export function* schemasIn(schema: unknown, path: Path = []): Generator<{ schema: RequestJson; path: Path }> {
  if (!isObject(schema)) return
  yield { schema, path }
  for (const word of maps)
    if (isObject(schema[word]))
      for (const [name, one] of Object.entries(schema[word])) yield* schemasIn(one, [...path, word, name])
  for (const word of lists)
    for (const [index, one] of elements(schema[word]).entries()) yield* schemasIn(one, [...path, word, String(index)])
  for (const word of singles) yield* schemasIn(schema[word], [...path, word])
}

/** Gemini writes types in capitals, too. */
export const isType = (type: unknown, name: string): boolean => typeof type === 'string' && type.toLowerCase() === name

/** An array that does not say what it holds. With a list of types the way ends at the word `array`. */
export const arrayWithoutItems = (schema: unknown): Path | undefined =>
  first(schemasIn(schema), ({ schema: { type, items }, path }) => {
    if (items !== undefined) return undefined
    if (isType(type, 'array')) return path
    const index = elements(type).findIndex((one) => isType(one, 'array'))
    return index < 0 ? undefined : [...path, 'type', String(index)]
  })

/** The first of these words at the top. */
export const atTop = (schema: unknown, words: readonly string[]): string | undefined =>
  isObject(schema) ? words.find((word) => schema[word] !== undefined) : undefined

/** The first name at the top that is longer than 64 characters or has a character beyond `[a-zA-Z0-9_.-]`. */
export const illegalKey = (schema: unknown): string | undefined =>
  isObject(schema) && isObject(schema['properties'])
    ? Object.keys(schema['properties']).find((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))
    : undefined

/** The first required name that no property has. */
export const undefinedRequired = (schema: unknown): Path | undefined =>
  first(schemasIn(schema), ({ schema: { required, properties }, path }) => {
    const known = isObject(properties) ? properties : {}
    const index = elements(required).findIndex((name) => !Object.hasOwn(known, String(name)))
    return index < 0 ? undefined : [...path, 'required', String(index)]
  })

/** The first list of required names that has none. */
export const emptyRequired = (schema: unknown): Path | undefined =>
  first(schemasIn(schema), ({ schema: { required }, path }) =>
    Array.isArray(required) && required.length === 0 ? [...path, 'required'] : undefined,
  )

/** A reference and where it stands. */
export interface Reference {
  reference: string
  path: Path
}

/** The first reference that fits. */
export const findReference = (
  schema: unknown,
  fits: (reference: string, beside: RequestJson) => boolean,
): Reference | undefined =>
  first(schemasIn(schema), ({ schema: { $ref: reference, ...beside }, path }) =>
    typeof reference === 'string' && fits(reference, beside) ? { reference, path } : undefined,
  )

/** The first reference to nothing, or to another document. */
export const danglingReference = (schema: unknown): Reference | undefined =>
  findReference(schema, (reference) => !isThere(schema, reference))

/** The first reference with anything beside it but a description and a default. */
export const crowdedReference = (schema: unknown): Reference | undefined =>
  findReference(schema, (_, beside) => Object.keys(beside).some((word) => word !== 'description' && word !== 'default'))

function isThere(root: unknown, reference: string): boolean {
  if (!reference.startsWith('#')) return false
  if (reference === '#') return true
  if (!reference.startsWith('#/')) {
    const anchor = reference.slice(1)
    return first(schemasIn(root), ({ schema }) => (schema['$anchor'] === anchor ? true : undefined)) ?? false
  }
  let at: unknown = root
  for (const step of reference.slice(2).split('/')) {
    const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (!(isObject(at) || Array.isArray(at)) || !Object.hasOwn(at, name)) return false
    at = (at as RequestJson)[name]
  }
  return true
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

/** A way as OpenAI writes it: `('properties', 'ids')`. */
export const contextOf = (path: Path): string =>
  path.length === 1 ? `('${path[0]}',)` : `(${path.map((step) => `'${step}'`).join(', ')})`

/** A way as Gemini writes it: `.properties[ids].any_of[0].items`. */
export function fieldOf(path: Path): string {
  let field = ''
  for (let at = 0; at < path.length; at++) {
    const word = path[at]!
    field += `.${word.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`
    const next = path[at + 1]
    if (next !== undefined && (maps.includes(word) || /^\d+$/.test(next))) {
      field += `[${next}]`
      at++
    }
  }
  return field
}
