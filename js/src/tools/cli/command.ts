// What the commands share: reading their options, and printing errors as sentences.
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { SluiceError } from '../../engine/core/errors.js'
import { didYouMean } from '../../engine/core/options.js'

export interface Command {
  /** One line for the list of commands. */
  summary: string
  help: string
  options: Options
  /** Names of the required arguments that are not options: `FILE`. */
  positionals?: readonly string[]
  /** Resolves to the exit code. */
  run(values: Values, positionals: string[]): Promise<number>
}

export type Options = NonNullable<ParseArgsConfig['options']>
export interface Values {
  [option: string]: string | boolean | undefined
}

/** The command line is wrong. */
export class UsageError extends Error {}

export interface Words {
  help: boolean
  values: Values
  positionals: string[]
}

export function readWords(
  words: string[],
  { options, positionals: wanted = [] }: Pick<Command, 'options' | 'positionals'>,
): Words {
  const known: Options = { ...options, help: { type: 'boolean', short: 'h' } }
  const { tokens } = parseArgs({ args: words, options: known, strict: false, allowPositionals: true, tokens: true })
  const values: Values = {}
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const option = Object.hasOwn(known, name) ? known[name] : undefined
    if (!option)
      throw unknownWord(
        rawName,
        'one of',
        Object.keys(known).map((each) => `--${each}`),
      )
    if (option.type === 'boolean') {
      if (value !== undefined) throw new UsageError(`${rawName}: found '${value}', expected no value`)
      values[name] = true
      continue
    }
    if (value === undefined) throw new UsageError(`${rawName}: expected a value behind it`)
    // In `--model --yes` the person forgot the value.
    if (!inlineValue && value.startsWith('-') && value !== '-') {
      throw new UsageError(`${rawName}: found '${value}', expected a value; if it is one: ${rawName}=${value}`)
    }
    values[name] = value
  }
  const help = values.help === true
  if (!help) checkPositionals(positionals, wanted)
  return { help, values, positionals }
}

function checkPositionals(found: string[], wanted: readonly string[]): void {
  if (found.length > wanted.length)
    throw new UsageError(`found '${found[wanted.length]}', expected ${wanted.join(' ') || 'options'} only`)
  if (found.length < wanted.length) throw new UsageError(`${wanted[found.length]} is missing`)
}

export const text = (value: string | boolean | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

/** Reads a whole number in a range. */
export function whole(values: Values, name: string, min: number, max: number): number | undefined {
  const given = text(values[name])
  if (given === undefined) return undefined
  const number = Number(given)
  if (/^\d+$/.test(given) && number >= min && number <= max) return number
  throw new UsageError(`--${name}: found '${given}', expected a whole number from ${min} to ${max}`)
}

export function oneOf<T extends string>(values: Values, name: string, choices: readonly T[]): T | undefined {
  const given = text(values[name])
  if (given === undefined || choices.includes(given as T)) return given as T | undefined
  throw new UsageError(`--${name}: ${unknownWord(`'${given}'`, 'one of', choices).message}`)
}

/** A word that is none of those that are known, with the one that is near to it. */
export function unknownWord(word: string, one: string, known: readonly string[], besides = ''): UsageError {
  const near = didYouMean(word.replace(/^'|'$/g, ''), known)
  return new UsageError(`found ${word}, expected ${one} ${known.join(', ')}${besides}${near ? `; ${near}` : ''}`)
}

/** Why a file cannot be read, with its name. */
export function unreadable(file: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return `there is no file ${file}`
  if (code === 'EISDIR') return `${file} is a folder, expected a file`
  return code === 'EACCES' ? `${file} may not be read by this user` : `${file}: ${tell(error)}`
}

/** An error as text for a person. */
export function tell(error: unknown): string {
  if (!(error instanceof SluiceError)) return error instanceof Error ? error.message : String(error)
  return `${error.path ? `${error.path}: ` : ''}${error.detail}${error.hint ? `\n${error.hint}` : ''}`
}
