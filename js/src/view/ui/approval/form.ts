// A form from a JSON Schema, for arguments that people type: flat fields; what is deeper, or holds what has no glyph,
// is written as JSON.
import { escapeInvisibleInJson, splitInvisible } from '../../../app/bridge/invisible.js'
import type { Json, JsonObject } from '../../../engine/core/events.js'

/** The texts of a form. */
export interface ArgumentFormWords {
  /** Beside a field that must be filled. */
  required: string
  /** The choice of leaving a field out. */
  unset: string
  /** Beside a field that takes JSON. */
  jsonField: string
  /** A field whose text is no JSON. */
  badJson: (field: string, detail: string) => string
  /** A number that is too large to be exact. Without it such a number is passed on as a text. */
  inexact?: (found: string) => string
}

/** A form, and what stands in it. */
export interface ArgumentForm {
  /** For the page: `div.form` of `div.field`. */
  readonly element: HTMLElement
  /** The arguments. Throws a `FormProblem`. */
  read(): JsonObject
}

/** A field cannot be read. Its text is for people. */
export class FormProblem extends Error {
  /** Which field; it is marked and described by the problem. */
  readonly control: HTMLElement

  /** The problem of a field. */
  constructor(control: HTMLElement, text: string) {
    super(text)
    this.name = 'FormProblem'
    this.control = control
  }
}

type Schema = { [keyword: string]: unknown }
interface Control {
  control: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement
  read: () => Json | undefined
}

/** A text of at most so many characters is edited on one line. */
const SHORT = 80

/**
 * The form of a schema; undefined where it has no fields. `values`: what stands in the fields at first; members that
 * the schema does not name are kept as they are. `label`: what people call an argument.
 */
export function argumentForm(
  schema: unknown,
  values: JsonObject,
  words: ArgumentFormWords,
  label: (name: string) => string | undefined = () => undefined,
): ArgumentForm | undefined {
  const { properties, required = [] } = (schema ?? {}) as { properties?: unknown; required?: readonly string[] }
  if (typeof properties !== 'object' || properties === null || Object.keys(properties).length === 0) return undefined
  const needed = new Set(Array.isArray(required) ? required : [])
  const fields = new Map(
    Object.entries(properties as { [name: string]: Schema | undefined }).map(([name, one]) => {
      const own = typeof one === 'object' && one !== null ? one : {}
      const value = Object.hasOwn(values, name) ? values[name] : (own['default'] as Json | undefined)
      return [name, makeField(name, own, value, needed.has(name), words, label(name))]
    }),
  )
  const element = make('div', 'form', ...[...fields.values()].map((field) => field.element))
  return {
    element,
    read() {
      const entries = [...new Set([...Object.keys(values), ...fields.keys()])].flatMap((name): [string, Json][] => {
        const field = fields.get(name)
        const value = field ? field.read() : values[name]
        return value === undefined ? [] : [[name, value]]
      })
      return Object.fromEntries(entries)
    },
  }
}

let count = 0

function makeField(
  name: string,
  schema: Schema,
  value: Json | undefined,
  required: boolean,
  words: ArgumentFormWords,
  called: string | undefined,
): { element: HTMLElement; read: () => Json | undefined } {
  const id = `argument-${++count}`
  const { control, read } = makeControl(name, schema, value, required, words)
  control.id = id
  control.dataset['argument'] = name
  if (required) control.setAttribute('aria-required', 'true')
  const problem = make('p', 'problem')
  problem.id = `${id}-problem`
  problem.setAttribute('aria-live', 'polite')
  const about =
    typeof schema['description'] === 'string' && schema['description']
      ? make('p', 'about', ...foreign(schema['description']))
      : undefined
  if (about) about.id = `${id}-about`
  control.setAttribute('aria-describedby', [about?.id, problem.id].filter(Boolean).join(' '))
  const kind =
    kindOf(schema, value) === 'json'
      ? words.jsonField
      : [schema['type']]
          .flat()
          .filter((one) => typeof one === 'string')
          .join(', ')
  const title = document.createElement('label')
  title.htmlFor = id
  title.append(
    make('b', '', ...foreign(called ?? name)),
    ' ',
    make(
      'span',
      'about',
      ...foreign([called === undefined ? '' : name, kind, required ? words.required : ''].filter(Boolean).join(', ')),
    ),
  )
  return {
    element: make('div', 'field', title, control, problem, ...(about ? [about] : [])),
    read() {
      problem.textContent = ''
      control.removeAttribute('aria-invalid')
      try {
        return read()
      } catch (error) {
        problem.textContent = (error as Error).message
        control.setAttribute('aria-invalid', 'true')
        throw new FormProblem(control, (error as Error).message)
      }
    },
  }
}

function makeControl(
  name: string,
  schema: Schema,
  value: Json | undefined,
  required: boolean,
  words: ArgumentFormWords,
): Control {
  switch (kindOf(schema, value)) {
    case 'choice': {
      const choices = (schema['enum'] ?? [schema['const']]) as Json[]
      return choice(
        choices.map((one) => [typeof one === 'string' ? one : JSON.stringify(one), one]),
        value,
        required,
        words,
      )
    }
    case 'boolean':
      return choice(
        [
          ['true', true],
          ['false', false],
        ],
        value ?? (required ? false : undefined),
        required,
        words,
      )
    case 'number': {
      const control = make('input') as HTMLInputElement
      control.inputMode = 'decimal'
      control.autocomplete = 'off'
      control.value = value === undefined ? '' : String(value)
      return { control, read: () => numberOf(control.value.trim(), words) }
    }
    case 'text': {
      const text = value === undefined ? '' : String(value)
      const control = make(text.length > SHORT || text.includes('\n') ? 'textarea' : 'input', 'text') as
        | HTMLInputElement
        | HTMLTextAreaElement
      control.spellcheck = false
      control.autocomplete = 'off'
      control.value = text
      return { control, read: () => (control.value === '' && !required && value !== '' ? undefined : control.value) }
    }
    default: {
      const control = make('textarea') as HTMLTextAreaElement
      control.rows = 3
      control.spellcheck = false
      control.value = value === undefined ? '' : escapeInvisibleInJson(JSON.stringify(value, null, 2))
      return { control, read: () => (control.value.trim() === '' ? undefined : jsonOf(name, control.value, words)) }
    }
  }
}

function choice(
  choices: readonly (readonly [string, Json])[],
  value: Json | undefined,
  required: boolean,
  words: ArgumentFormWords,
): Control {
  const control = make('select') as HTMLSelectElement
  const at = choices.findIndex(([, one]) => one === value)
  const option = (text: string, id: string, selected: boolean): HTMLOptionElement => {
    const made = make('option', '', text) as HTMLOptionElement
    made.value = id
    made.selected = selected
    return made
  }
  // What stands there and is no choice is not changed in silence.
  if (!required || at < 0) control.append(option(words.unset, '', at < 0))
  control.append(...choices.map(([text], index) => option(text, idOf(choices[index]?.[1], index), index === at)))
  return { control, read: () => choices.find(([, one], index) => control.value === idOf(one, index))?.[1] }
}

const idOf = (value: Json | undefined, index: number): string =>
  typeof value === 'boolean' ? String(value) : String(index)

// What is no number goes as it is: the engine says what it expected.
function numberOf(text: string, { inexact }: ArgumentFormWords): Json | undefined {
  if (text === '') return undefined
  if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return text
  const value = Number(text)
  if (!/[.eE]/.test(text) && !Number.isSafeInteger(value)) {
    if (inexact) throw new Error(inexact(text))
    return text
  }
  return value
}

function jsonOf(name: string, text: string, words: ArgumentFormWords): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    throw new Error(words.badJson(name, (error as Error).message))
  }
}

function kindOf(
  { type, enum: choices, const: constant }: Schema,
  value: Json | undefined,
): 'choice' | 'text' | 'number' | 'boolean' | 'json' {
  if (Array.isArray(choices) || constant !== undefined) return 'choice'
  const types = Array.isArray(type) ? type.filter((one) => one !== 'null') : [type]
  const kind =
    types.length === 1
      ? ({ string: 'text', integer: 'number', number: 'number', boolean: 'boolean' } as const)[types[0] as 'string']
      : undefined
  if (kind === undefined || value === undefined) return kind ?? 'json'
  // A field shows no escapes: what it cannot show stands as JSON. So does a value of another type.
  const fits = kind === 'text' ? typeof value === 'string' && splitInvisible(value).length === 1 : typeof value === kind
  return fits ? kind : 'json'
}

/** Text of a tool: what has no glyph by its code point. */
const foreign = (text: string): (Node | string)[] =>
  splitInvisible(text).map((run, at) => (at % 2 ? make('span', 'code-point', `⟨${run}⟩`) : run))

function make(tag: string, className = '', ...children: (Node | string)[]): HTMLElement {
  const element = document.createElement(tag)
  if (className) element.className = className
  element.append(...children)
  return element
}
