// What an app hands in, as JSON text. Refuses what JSON would lose in silence: a result that reads `{}` or `null` makes
// a model try again.

/** Throws an Error that says what was found, and where. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, check) as string | undefined
  if (text === undefined) throw new Error(`found a ${typeof value}, expected text or what JSON can hold`)
  return text
}

/** What a model is told of a tool whose result cannot be: that it ran, so that it is not called again. */
export function untellable(error: unknown): string {
  let why = 'it cannot be read'
  try {
    if (error instanceof Error) why = error.message
  } catch {
    // an object that throws when it is looked at
  }
  return `The tool ran, but what it returned cannot be told: ${why}`
}

function check(this: unknown, key: string, value: unknown): unknown {
  const before = (this as { [key: string]: unknown })[key] // as it was in front of its toJSON
  const fault = lossOf(before, value, Array.isArray(this))
  if (fault === undefined) return value
  const hint =
    fault === 'bytes' ? 'text, what JSON can hold, or resultParts() with an image' : 'text or what JSON can hold'
  throw new Error(`found ${fault}${key === '' ? '' : ` in ${JSON.stringify(key.slice(0, 60))}`}, expected ${hint}`)
}

/**
 * What JSON would lose of this value, in words. `written`: what its `toJSON` gave. In an array nothing can be left out.
 */
export function lossOf(value: unknown, written: unknown, inArray: boolean): string | undefined {
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return 'bytes'
  if (value instanceof Date && written === null) return 'an invalid Date'
  switch (typeof written) {
    case 'bigint':
      return 'a BigInt'
    case 'number':
      return Number.isFinite(written) ? undefined : String(written)
    case 'undefined':
      return inArray ? 'undefined' : undefined
    case 'function':
    case 'symbol':
      return inArray ? `a ${typeof written}` : undefined
    default:
      return nameOfLoss(written)
  }
}

/** An object of a class whose content JSON does not see: a Map, an Error, a Response, a stream, a promise. */
function nameOfLoss(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  // told as what they hold
  if (value instanceof String || value instanceof Number || value instanceof Boolean) return undefined
  const prototype = Object.getPrototypeOf(value) as object | null
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return undefined
  if (Object.keys(value).length > 0 && !(value instanceof Error)) return undefined
  return `an object of class ${String((prototype.constructor as { name?: unknown } | undefined)?.name || Object.prototype.toString.call(value).slice(8, -1)).slice(0, 60)}`
}
