// What windows send, checked member by member: types, sizes, names of members. What passes is a plain copy, so that
// nothing is different when it is read again. Lengths are looked at before anything is walked through, and nothing is
// printed whole.
import type { BridgeError } from '../bridge/messages.js'
import { messageOf, SluiceError } from '../../engine/core/errors.js'
import type { Json, JsonObject } from '../../engine/core/events.js'
import { warn } from '../../engine/core/warning.js'

/** An error that a window may read. */
export class Refusal extends Error {
  constructor(readonly error: BridgeError) {
    super(error.detail)
  }
}

export function refuse(code: string, detail: string, more: { path?: string; hint?: string } = {}): Refusal {
  return new Refusal({ code, detail, ...more })
}

/**
 * Turns anything that was thrown into an error for a window. `others` makes one for errors that a window must not read.
 * Errors of the other build of this package are no instances of this one's class.
 */
export function toBridgeError(error: unknown, others: (error: unknown) => BridgeError): BridgeError {
  if (error instanceof Refusal) return error.error
  if (error instanceof Error && error.name === 'SluiceError') {
    const { code, detail, path, hint } = error as Error & BridgeError
    return { code, detail, ...(path === undefined ? {} : { path }), ...(hint === undefined ? {} : { hint }) }
  }
  return others(error)
}

export const isStorage = (error: unknown): error is SluiceError => SluiceError.is(error) && error.code === 'storage'

/** `what` went wrong in the app itself: its words, with paths and keys in them, are for the developer. */
export const hidden =
  (what: string) =>
  (error: unknown): BridgeError => {
    warn(`${what}: ${messageOf(error)}`)
    return { code: 'internal', detail: 'the app could not do this; its log says why' }
  }

export type Check<T> = (value: unknown, path: string) => T

/** Checks the input. An input that throws when it is read (a getter) is refused too. */
export function read<T>(check: Check<T>, input: unknown, path = ''): T {
  try {
    return check(input, path)
  } catch (error) {
    throw error instanceof Refusal ? error : refuse('argument', 'it cannot be read', path === '' ? {} : { path })
  }
}

const SHOWN = 60
const clip = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)

function found(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(clip(value))
  if (typeof value === 'number' || typeof value === 'boolean' || value == null) return String(value)
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

const wrong = (value: unknown, path: string, expected: string): Refusal =>
  refuse('argument', `found ${found(value)}, expected ${expected}`, path === '' ? {} : { path })

const join = (path: string, key: string | number): string => {
  if (typeof key === 'number') return `${path}[${key}]`
  return path === '' ? clip(key) : `${path}.${clip(key)}`
}

/** Names that mean something to JavaScript itself are refused. */
const reserved = new Set(['__proto__', 'constructor', 'prototype'])

function checkKey(key: string, path: string): void {
  if (reserved.has(key)) throw refuse('argument', `the member ${key} is not allowed`, { path: join(path, key) })
}

export function isPlain(value: unknown): value is { [key: string]: unknown } {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return (
    prototype === null ||
    (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf'))
  )
}

// -- parts of an input ------------------------------------------------------------------------------------------------

export function text(max: number, min = 1): Check<string> {
  return (value, path) => {
    if (typeof value !== 'string' || value.length < min) throw wrong(value, path, min > 0 ? 'a text' : 'a string')
    if (value.length > max) throw refuse('limit', `found ${value.length} characters, expected at most ${max}`, { path })
    return value
  }
}

/** A text that is shown as a name: one line. */
export function name(max: number): Check<string> {
  const check = text(max)
  return (value, path) => {
    const given = check(value, path)
    if (/[\p{Cc}\u2028\u2029]/u.test(given)) throw wrong(value, path, 'a name without control characters')
    return given
  }
}

export const flag: Check<boolean> = (value, path) => {
  if (typeof value !== 'boolean') throw wrong(value, path, 'true or false')
  return value
}

export function whole(min: number, max: number): Check<number> {
  return (value, path) => {
    if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) {
      throw wrong(value, path, `a whole number from ${min} to ${max}`)
    }
    return value as number
  }
}

export const finite: Check<number> = (value, path) => {
  if (!Number.isFinite(value)) throw wrong(value, path, 'a number')
  return value as number
}

export function oneOf<const T extends string>(...values: readonly T[]): Check<T> {
  return (value, path) => {
    if (!(values as readonly unknown[]).includes(value)) throw wrong(value, path, `one of ${values.join(', ')}`)
    return value as T
  }
}

export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value, path) => (value === undefined ? undefined : check(value, path))
}

export function nullable<T>(check: Check<T>): Check<T | null> {
  return (value, path) => (value === null ? null : check(value, path))
}

export function list<T>(check: Check<T>, max: number): Check<T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw wrong(value, path, 'an array')
    if (value.length > max) throw refuse('limit', `found ${value.length} elements, expected at most ${max}`, { path })
    return Array.from(value, (element, index) => check(element, join(path, index)))
  }
}

/** An object with any members. */
export function table<T>(check: Check<T>, max: number, key: Check<string> = name(200)): Check<{ [key: string]: T }> {
  return (value, path) => {
    if (!isPlain(value)) throw wrong(value, path, 'an object')
    const copy: { [key: string]: T } = {}
    let count = 0
    for (const member in value) {
      if (++count > max) throw refuse('limit', `expected at most ${max} members`, { path })
      checkKey(member, path)
      copy[key(member, join(path, member))] = check(value[member], join(path, member))
    }
    return copy
  }
}

/** An object with these members and no others. Those that are undefined are left out. */
export function members<T extends object>(shape: { [K in keyof T]-?: Check<T[K]> }): Check<T> {
  const known = new Map(Object.entries(shape)) as unknown as Map<string, Check<unknown>>
  return (value, path) => {
    if (!isPlain(value)) throw wrong(value, path, 'an object')
    for (const key in value) {
      checkKey(key, path)
      if (known.has(key)) continue
      throw refuse('argument', `there is no such member, expected ${[...known.keys()].join(', ')}`, {
        path: join(path, key),
      })
    }
    const copy: { [key: string]: unknown } = {}
    for (const [key, check] of known) {
      const given = check(Object.hasOwn(value, key) ? value[key] : undefined, join(path, key))
      if (given !== undefined) copy[key] = given
    }
    return copy as T
  }
}

export const nothing: Check<undefined> = (value, path) => {
  if (value !== undefined && value !== null) throw wrong(value, path, 'nothing')
  return undefined
}

// -- JSON -------------------------------------------------------------------------------------------------------------

export interface JsonLimits {
  /** All texts and names of members together, in characters. */
  characters: number
  /** Values, at any depth. */
  values: number
  depth: number
}

/** Any JSON. A cycle ends at the depth. */
export function json(limits: JsonLimits): Check<Json> {
  return (value, path) => new JsonCopy(limits, path).of(value, limits.depth)
}

export function jsonObject(limits: JsonLimits): Check<JsonObject> {
  const check = json(limits)
  return (value, path) => {
    if (!isPlain(value)) throw wrong(value, path, 'an object')
    return check(value, path) as JsonObject
  }
}

class JsonCopy {
  readonly #limits: JsonLimits
  readonly #path: (string | number)[]
  #characters: number
  #values: number

  constructor(limits: JsonLimits, path: string) {
    this.#limits = limits
    this.#path = path === '' ? [] : [path]
    this.#characters = limits.characters
    this.#values = limits.values
  }

  of(value: unknown, depth: number): Json {
    if (--this.#values < 0) throw this.#tooMuch(`${this.#limits.values} values`)
    if (typeof value === 'string') return this.#text(value)
    if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return value as Json
    if (!Array.isArray(value) && !isPlain(value)) throw wrong(value, this.#at(), 'a JSON value')
    if (depth === 0) throw this.#tooMuch(`a depth of ${this.#limits.depth}`)
    return Array.isArray(value) ? this.#array(value, depth - 1) : this.#object(value, depth - 1)
  }

  #array(value: readonly unknown[], depth: number): Json[] {
    if (value.length > this.#values) throw this.#tooMuch(`${this.#limits.values} values`)
    const copy: Json[] = []
    for (let index = 0; index < value.length; index++) copy.push(this.#inside(index, value[index], depth))
    return copy
  }

  #object(value: { [key: string]: unknown }, depth: number): JsonObject {
    const copy: JsonObject = {}
    for (const key in value) {
      checkKey(key, this.#at())
      if (value[key] !== undefined) copy[this.#text(key)] = this.#inside(key, value[key], depth)
    }
    return copy
  }

  #inside(key: string | number, value: unknown, depth: number): Json {
    this.#path.push(key)
    const copy = this.of(value, depth)
    this.#path.pop()
    return copy
  }

  #text(value: string): string {
    this.#characters -= value.length
    if (this.#characters < 0) throw this.#tooMuch(`${this.#limits.characters} characters`)
    return value
  }

  #tooMuch(expected: string): Refusal {
    return refuse('limit', `there is more than expected: at most ${expected}`, { path: this.#at() })
  }

  #at(): string {
    return this.#path.reduce<string>(join, '')
  }
}
