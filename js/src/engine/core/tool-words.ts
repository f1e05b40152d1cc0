// What a tool is called among people, in their languages. A model never reads it. Questions are asked with these words,
// so they are a part of the tool's definition: with another sentence a remembered approval no longer holds.
import { SluiceError } from './errors.js'
import type { JsonObject } from './events.js'
import { inside, is, isObject, members, text, wrong, type Check } from './options.js'
import { pointerOf } from './pointer.js'

/** A text for people: one for everybody, or one for each language: `{ en: 'Send a message', zh: '发消息' }`. */
export type LocalizedText =
  | string
  | {
      /** By language tag. Whoever speaks none of them reads `en`, else the first. */
      readonly [lang: string]: string
    }

/** The pictures that a card can have. */
export const iconNames = [
  'tool',
  'search',
  'file',
  'trash',
  'terminal',
  'globe',
  'face',
  'weather',
  'clock',
  'mail',
  'data',
  'code',
  'image',
  'calendar',
  'sum',
  'sound',
] as const
/** The name of a picture of the kit. */
export type IconName = (typeof iconNames)[number]

/** What people read about a tool, in questions and on cards. */
export interface ToolWords {
  /** What it does, in a few words: 'Send a message'. Default: its name. */
  readonly title?: LocalizedText
  /** One sentence about it. Default: `description`. */
  readonly about?: LocalizedText
  /**
   * What a call would do, behind "Lulu wants to …": 'send **{text}** to **{to}**'. Braces hold the name of an argument,
   * stars what is stressed. Default: "… wants to use", and the title.
   */
  readonly sentence?: LocalizedText
  /** What several calls did, when they are done: 'Looked up {count} things'. Default: by number. */
  readonly done?: LocalizedText
  /** Its picture: one of the kit, or an own one, drawn in the colour of the text. Default: by name and tags. */
  readonly icon?: IconName | `data:image/svg+xml,${string}`
  /**
   * What its arguments are called, by JSON Pointer: `{ '/to': 'Recipient' }`. Default: `title` in the schema, else the
   * name.
   */
  readonly labels?: {
    /** By JSON Pointer. */
    readonly [pointer: string]: LocalizedText
  }
  /**
   * These words are not the app's own: who says them, such as the name of an MCP server. They are shown as a quotation
   * beside the tool's true name, and hints such as `readOnlyHint` as what it says of itself. Beside it there is no
   * `about`, `sentence`, `done`, `icon` or `labels`: a stranger does not write what a person is asked.
   */
  readonly from?: string
}

const LONGEST = 300
const LONGEST_ICON = 20_000
const language = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/
const expected = `a text of one line, at most ${LONGEST} characters, or one for each language: { en: '…', zh: '…' }`

const line: Check = is(
  expected,
  (value) => typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST && !/[\n\r]/.test(value),
)
const words: Check = (value, path) => {
  if (!isObject(value)) return line(value, path)
  if (Object.keys(value).length === 0) throw wrong(path, value, expected)
  for (const [lang, one] of Object.entries(value)) {
    if (!language.test(lang)) throw wrong(path, lang, 'a language tag such as en or zh-TW')
    line(one, inside(path, lang))
  }
}
const labels: Check = (value, path) => {
  if (!isObject(value)) throw wrong(path, value, "labels by JSON Pointer: { '/to': 'Recipient' }")
  for (const [pointer, one] of Object.entries(value)) {
    if (!pointer.startsWith('/')) throw wrong(path, pointer, 'a JSON Pointer', `/${pointer}`)
    words(one, `${path}[${JSON.stringify(pointer)}]`)
  }
}
const isIcon = (value: unknown): boolean =>
  typeof value === 'string' &&
  ((iconNames as readonly string[]).includes(value) ||
    (value.startsWith('data:image/svg+xml,') && value.length <= LONGEST_ICON))

const shape = {
  title: words,
  about: words,
  sentence: words,
  done: words,
  labels,
  from: text,
  icon: is(`${iconNames.join(' | ')}, or data:image/svg+xml,… of at most ${LONGEST_ICON} characters`, isIcon),
} satisfies { [member in keyof Required<ToolWords>]: Check }
export const wordNames = Object.keys(shape) as (keyof ToolWords)[]
const check = members({ members: shape })

/**
 * Takes the words out of a tool's options, checked, with the labels that its schema says. Undefined: there are none.
 */
export function wordsOf(options: ToolWords, name: string, schema: JsonObject | undefined): ToolWords | undefined {
  const given = Object.fromEntries(
    wordNames.flatMap((member) => (options[member] === undefined ? [] : [[member, options[member]]])),
  ) as ToolWords
  check(given, name)
  const { from, sentence } = given
  if (from !== undefined) {
    const own = wordNames.find((member) => member !== 'from' && member !== 'title' && given[member] !== undefined)
    if (own)
      throw new SluiceError({
        code: 'option',
        path: inside(name, own),
        detail: 'found it beside `from`, expected only words of the app itself',
      })
    return given
  }
  const properties = isObject(schema?.['properties']) ? schema['properties'] : undefined
  if (sentence !== undefined)
    for (const one of typeof sentence === 'string' ? [sentence] : Object.values(sentence))
      checkSentence(one, properties, inside(name, 'sentence'))
  const titles = Object.entries(properties ?? {}).flatMap(([key, one]) =>
    isObject(one) && typeof one['title'] === 'string' && one['title'].trim()
      ? [[pointerOf(key), one['title'].slice(0, LONGEST)]]
      : [],
  )
  const all = { ...Object.fromEntries(titles), ...given.labels }
  const found = { ...given, ...(Object.keys(all).length > 0 ? { labels: all } : {}) }
  return Object.keys(found).length > 0 ? found : undefined
}

/** Braces hold names of arguments, and stars come in pairs. */
function checkSentence(sentence: string, properties: { [name: string]: unknown } | undefined, path: string): void {
  for (const [, name] of sentence.matchAll(/\{([^{}]*)\}/g)) {
    if (properties && !Object.hasOwn(properties, name as string))
      throw wrong(
        path,
        `{${name}}`,
        'the name of an argument in braces',
        Object.keys(properties)
          .map((one) => `{${one}}`)
          .join(' '),
      )
  }
  if (/[{}]/.test(sentence.replace(/\{[^{}]+\}/g, '')))
    throw wrong(path, sentence, 'braces in pairs, with the name of an argument in them')
  if ((sentence.split('**').length - 1) % 2) throw wrong(path, sentence, 'stars in pairs: **stressed**')
}
