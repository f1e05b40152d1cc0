// What the validators share: the first refusal ends a check.

/** A JSON object, whatever a client sent. */
export type RequestJson = { readonly [member: string]: any }

/** An answer that a scripted server gave, by which a validator knows signatures, ids and encrypted content again. */
export interface GivenAnswer {
  /** The answer's id, where the wire has one: `resp_1`. */
  id?: string
  /** The model of the request. */
  model: string
  /** The body of the request. */
  request: RequestJson
  /** The blocks, parts, items or the message that it was, as they go back. */
  items: readonly RequestJson[]
  /** The script's word for its end: `stop`, `pause`. */
  finish: string | null
  /** The conversation was refused since then: the client may leave out what is opaque. */
  waived: boolean
}

class Refusal extends Error {}

/** Ends the check with these words. */
export function refuse(words: string): never {
  throw new Refusal(words)
}

/** The words of the first refusal, or null. */
export function refusalOf(check: () => void): string | null {
  try {
    check()
    return null
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

export const isObject = (value: unknown): value is RequestJson =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function objectIn(value: unknown, words: string): RequestJson {
  return isObject(value) ? value : refuse(words)
}

/** A non-empty array of objects. */
export function objectsIn(value: unknown, words: string): RequestJson[] {
  if (!Array.isArray(value) || value.length === 0) refuse(words)
  for (const one of value) if (!isObject(one)) refuse(words)
  return value
}

/** The objects of an array; of anything else none. */
export const objects = (value: unknown): RequestJson[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** The elements of an array; of anything else none. */
export const elements = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Refuses the first member that is none of these. */
export function onlyMembers(value: RequestJson, allowed: readonly string[], words: (member: string) => string): void {
  const other = Object.keys(value).find((member) => !allowed.includes(member))
  if (other !== undefined) refuse(words(other))
}

/** The first value that stands twice. */
export const twice = (values: readonly string[]): string | undefined =>
  values.find((value, index) => values.indexOf(value) !== index)

/** Equal as JSON, whatever the order of members. */
export const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  return isObject(value)
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((member) => [member, sorted(value[member])]),
      )
    : value
}

/** The last answer that fits. */
export function lastGiven(
  given: readonly GivenAnswer[],
  fits: (answer: GivenAnswer) => boolean,
): GivenAnswer | undefined {
  for (let at = given.length - 1; at >= 0; at--) if (fits(given[at]!)) return given[at]
  return undefined
}
