// The JSON text in which a person edits arguments.
import { escapeInvisibleInJson } from '../../../app/bridge/invisible.js'
import type { Json, JsonObject } from '../../../engine/core/events.js'
import type { Strings } from '../shared/ui-strings.js'

/** The text to edit: characters without a glyph are written as escapes. */
export const printArguments = (values: JsonObject): string => escapeInvisibleInJson(JSON.stringify(values, null, 2))

/** Parses the text into an object, or returns what is wrong with it. */
export function readArguments(text: string, words: Strings): { value: JsonObject } | { problem: string } {
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch (error) {
    return { problem: words.notJson((error as Error).message) }
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return { problem: words.notObject }
  const inexact = findInexact(value)
  return inexact === undefined ? { value } : { problem: words.inexact(inexact) }
}

/** Finds an integer that a double cannot hold: the tool would get another number. */
function findInexact(value: Json): string | undefined {
  if (typeof value === 'number')
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? String(value) : undefined
  if (value === null || typeof value !== 'object') return undefined
  for (const item of Object.values(value)) {
    const found = findInexact(item)
    if (found !== undefined) return found
  }
  return undefined
}
