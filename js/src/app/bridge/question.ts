// The lines of a question: all that a person approves, so that nothing of it hides. Pages and the terminal draw these
// lines and add nothing. No DOM, no Node.
import type { Json, JsonObject, ResultPart } from '../../engine/core/events.js'
import { inLanguage } from '../../engine/core/in-language.js'
import { pointerOf } from '../../engine/core/pointer.js'
import type { LocalizedText } from '../../engine/core/tool-words.js'
import type { TextRun } from './invisible.js'
import { jsonLines } from './json-lines.js'
import { charactersEnd, markText, NAME, nameRuns, plain, renamed } from './named.js'
import type { QuestionRequest } from './question-request.js'
import type { QuestionWords } from './question-words.js'
import { sentenceOf, whatOf } from './sentence.js'

export { plain } from './named.js'
export type { QuestionRequest } from './question-request.js'
export type { QuestionWords } from './question-words.js'
export { questionWords } from './question-words.js'
export type { TextRun } from './invisible.js'

/**
 * `sentence`, `tool` (where the sentence does not name it), `counts` and `effect` belong into the head of a question.
 * An `argument` line is a name; the `value` lines behind it, with the same `of`, are its value. `hidden` says what is
 * left out of it.
 */
export interface Line {
  kind: 'sentence' | 'tool' | 'counts' | 'effect' | 'about' | 'notice' | 'argument' | 'value' | 'hidden'
  runs: TextRun[]
  /** Which argument, and of what: `arguments.path`, `reserved.maid`, `preview`. */
  of?: string
  /** Of a `sentence` line: what would be done, without who does it. */
  brief?: TextRun[]
  /** Of an `argument` line: what people call it, beside its name. */
  label?: TextRun[]
  /** Of a `value` line in its value, from 1 on. */
  number?: number
  /** Characters that are left out, */
  more?: number
  /** and what `whole` must hold to have them shown. Absent: there are too many to be read. */
  show?: string
}

/** Characters that are shown at once; of a longer text its beginning and its end. */
interface Shown {
  atOnce: number
  head: number
  tail: number
}
const VALUE: Shown = { atOnce: 20_000, head: 6_000, tail: 3_000 }
const ABOUT: Shown = { atOnce: 2_000, head: 1_400, tail: 400 }
/** Characters and lines that nobody reads: they are not shown on request either. */
const TOO_LONG = 200_000
const TOO_MANY_LINES = 10_000
/** What all values together may take; the arguments behind that are counted. */
const BUDGET = 600_000
const LINE_COST = BUDGET / TOO_MANY_LINES
/** So many names that were given twice are told, the others by number. */
const TWICE = 20
/** From so many empty lines in a row on their number is told. */
const EMPTY_LINES = 3

/** What a question is drawn with. */
export interface QuestionOptions {
  /** What a person wants to see whole, as `Line.show` names it. */
  whole?: ReadonlySet<string>
  /** Can this picture be shown? Default: none can. */
  draws?: (picture: Picture) => boolean
  /** Language of the words of the app. Default `en`. */
  lang?: string
  /** Who asks. Default: the assistant. */
  name?: string | undefined
}

/** A picture of a result, with its data. */
export type Picture = Extract<ResultPart, { type: 'image'; data: string }>

/** Is all there that the question is about? Where not, nobody can approve it. */
export function isWhole({ stage, name, arguments: args, preview }: QuestionRequest): boolean {
  return Boolean(name) && (stage === 'result' ? preview : args) !== undefined
}

/** The lines of a question. */
export function questionLines(
  request: QuestionRequest,
  words: QuestionWords,
  { whole = new Set(), draws = () => false, lang = 'en', name: who }: QuestionOptions = {},
): Line[] {
  const { stage, name, askedName } = request
  const body =
    stage === 'result' ? previewLines(request, words, whole, draws) : argumentLines(request, words, whole, lang)
  return [
    {
      kind: 'sentence',
      runs: sentenceOf(request, words, lang, who),
      ...(stage === 'execution' ? { brief: whatOf(request, words, lang) } : {}),
    },
    ...(saysName(request)
      ? []
      : [
          {
            kind: 'tool',
            runs: nameRuns(name || askedName || '?', words).map((run) => ({ mark: 'strong', ...run })),
          } satisfies Line,
        ]),
    { kind: 'counts', runs: [{ text: isWhole(request) ? countsOf(request, words) : words.notWhole }] },
    ...effectsOf(request, words).map((text): Line => ({ kind: 'effect', runs: [{ text }] })),
    ...aboutLines(request, words, whole, lang),
    ...wholeName(name, words.wholeName, 'name', words, whole),
    ...(renamed(askedName, name)
      ? [
          {
            kind: 'notice',
            runs: [{ text: words.askedAs('') }, ...nameRuns(askedName as string, words)],
          } satisfies Line,
        ]
      : []),
    ...(renamed(askedName, name) ? wholeName(askedName, words.wholeName, 'askedName', words, whole) : []),
    ...body,
  ]
}

/** Does this line tell what the tool says of itself? */
export const isAbout = ({ kind, of }: Line): boolean =>
  kind === 'about' || of === 'says' || of === 'title' || of === 'description'

/** The sentence has the true name of the tool already. */
const saysName = ({ words: own, title, name }: QuestionRequest): boolean =>
  Boolean(name) && !title && own?.title === undefined && own?.sentence === undefined

/** What the tool is: in the app's words, else in its own. Those of a stranger are told as such. */
function aboutLines(
  { words: own, title, description }: QuestionRequest,
  words: QuestionWords,
  whole: ReadonlySet<string>,
  lang: string,
): Line[] {
  const about = own?.about === undefined ? description : inLanguage(own.about, lang)
  const texts = { ...(own?.title === undefined ? { title } : {}), description: about }
  const lines = Object.entries(texts).flatMap(([of, text]) => (text ? cutLines(text, words, of, whole, ABOUT) : []))
  const says: Line[] =
    own?.from !== undefined && lines.length > 0
      ? [{ kind: 'notice', of: 'says', runs: [...nameRuns(own.from, words), { text: words.says }] }]
      : []
  return [...says, ...lines.map((line): Line => (line.kind === 'value' ? { kind: 'about', runs: line.runs } : line))]
}

/** A name that the head of the question has no room for, as the values are shown. */
function wholeName(
  name: string | undefined,
  title: string,
  of: string,
  words: QuestionWords,
  whole: ReadonlySet<string>,
): Line[] {
  return (name?.length ?? 0) > NAME
    ? [{ kind: 'notice', runs: [{ text: title }] }, ...cutLines(name as string, words, of, whole, VALUE)]
    : []
}

/**
 * What a tool may do, in words; what it does not say of itself counts as the worst. What a stranger says of its own
 * tool is told as such.
 */
function effectsOf({ stage, policy, annotations, words: own }: QuestionRequest, words: QuestionWords): string[] {
  if (stage === 'result') return [words.toModel]
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations ?? {}
  const mild = readOnlyHint === true ? words.reads : destructiveHint === false ? words.changes : undefined
  return [
    mild === undefined ? words.deletes : own?.from === undefined ? mild : words.claims(mild),
    ...(openWorldHint === true ? [words.leaves] : []),
    ...(policy === 'ask_always' ? [words.always] : []),
  ]
}

function countsOf({ stage, arguments: args, protocolFields, preview }: QuestionRequest, words: QuestionWords): string {
  if (stage === 'result')
    return words.resultCounts(preview?.text.length ?? 0, countLines(shownText(preview?.text ?? '')))
  const values = [...Object.values(args ?? {}), ...Object.values(protocolFields ?? {})].map(plain)
  if (values.length === 0) return words.noArguments
  return words.counts(
    values.length,
    values.reduce((sum, text) => sum + text.length, 0),
    values.reduce((sum, text) => sum + countLines(text), 0),
  )
}

function argumentLines(
  request: QuestionRequest,
  words: QuestionWords,
  whole: ReadonlySet<string>,
  lang: string,
): Line[] {
  const { arguments: args = {}, protocolFields = {}, editedArguments, twice = [], words: own } = request
  const lines: Line[] = []
  let left = BUDGET
  const section = (prefix: string, values: JsonObject): void => {
    const entries = Object.entries(values)
    for (const [at, [name, value]] of entries.entries()) {
      if (left <= 0) {
        const rest = entries.slice(at)
        const more = rest.reduce((sum, [key, one]) => sum + key.length + plain(one).length, 0)
        lines.push({
          kind: 'hidden',
          runs: [{ text: words.moreArguments(rest.length, more), mark: 'cut' }],
          of: prefix,
          more,
        })
        return
      }
      const of = `${prefix}.${name}`
      const show = `name.${of}`
      const cut = name.length > NAME && !whole.has(show)
      const pointer = pointerOf(name)
      const label =
        prefix === 'arguments' && own?.labels && Object.hasOwn(own.labels, pointer)
          ? nameRuns(inLanguage(own.labels[pointer] as LocalizedText, lang), words)
          : undefined
      lines.push({
        kind: 'argument',
        runs: nameRuns(name, words, cut ? NAME : Infinity),
        of,
        ...(label ? { label } : {}),
        ...(cut ? { more: name.length - NAME, show } : {}),
      })
      const shown = valueLines(value, words, of, whole)
      left -=
        name.length +
        LINE_COST +
        shown.reduce((sum, { runs }) => sum + LINE_COST + runs.reduce((all, { text }) => all + text.length, 0), 0)
      lines.push(...shown)
    }
  }
  if (editedArguments) lines.push({ kind: 'notice', runs: [{ text: words.edited }] })
  else {
    for (const one of twice.slice(0, TWICE))
      lines.push({ kind: 'notice', runs: [...nameRuns(one, words), { text: words.twice }] })
    if (twice.length > TWICE) lines.push({ kind: 'notice', runs: [{ text: words.moreTwice(twice.length - TWICE) }] })
  }
  if (request.arguments && Object.keys(args).length === 0 && Object.keys(protocolFields).length === 0)
    lines.push({ kind: 'notice', runs: [{ text: words.noArguments }] })
  section('arguments', args)
  const written = editedArguments
    ? []
    : Object.entries(request.written ?? {}).filter(([name, value]) => !same(value, args[name]))
  if (written.length > 0) {
    lines.push({ kind: 'notice', runs: [{ text: words.written }] })
    section('written', Object.fromEntries(written))
  }
  if (Object.keys(protocolFields).length > 0) lines.push({ kind: 'notice', runs: [{ text: words.reserved }] })
  section('reserved', protocolFields)
  return lines
}

const same = (one: Json, other: Json | undefined): boolean => JSON.stringify(one) === JSON.stringify(other)

function previewLines(
  { preview }: QuestionRequest,
  words: QuestionWords,
  whole: ReadonlySet<string>,
  draws: (picture: Picture) => boolean,
): Line[] {
  if (!preview) return []
  const { text, isError, parts = [] } = preview
  const lines: Line[] = [
    { kind: 'notice', runs: [{ text: isError ? words.previewError : words.preview }] },
    ...resultLines(text, words, 'preview', whole),
  ]
  for (const [at, part] of parts.entries()) {
    if (part.type === 'text')
      lines.push(...(part.text === text ? [] : resultLines(part.text, words, `preview.${at}`, whole)))
    else if ('url' in part)
      lines.push({ kind: 'notice', runs: [{ text: `${words.imageAt}: ` }, ...markText(part.url, words)] })
    else if (draws(part)) lines.push({ kind: 'notice', runs: [{ text: words.image }] })
    else
      lines.push({
        kind: 'hidden',
        runs: [
          { text: words.notDrawn(part.data.length), mark: 'cut' },
          { text: ' ' },
          ...nameRuns(part.mediaType, words),
        ],
        of: `preview.${at}`,
        more: part.data.length,
      })
  }
  return lines
}

/** The lines of a result's text. */
function resultLines(text: string, words: QuestionWords, of: string, whole: ReadonlySet<string>): Line[] {
  const shown = shownText(text)
  return cutLines(shown, words, of, whole, VALUE, shown !== text)
}

const shownText = (text: string): string => jsonLines(text) ?? text

/** The lines of one value. */
function valueLines(value: Json, words: QuestionWords, of: string, whole: ReadonlySet<string>): Line[] {
  return cutLines(plain(value), words, of, whole, VALUE, typeof value !== 'string')
}

/** The lines of a text, or of its beginning and its end. */
function cutLines(
  text: string,
  words: QuestionWords,
  of: string,
  whole: ReadonlySet<string>,
  shown: Shown,
  indented = false,
): Line[] {
  const tooLong = text.length > TOO_LONG || countLines(text) > TOO_MANY_LINES
  const line = ({ runs, number }: { runs: TextRun[]; number: number }): Line => ({ kind: 'value', runs, of, number })
  if (!tooLong && (text.length <= shown.atOnce || whole.has(of))) return textLines(text, words, indented).map(line)
  const end = charactersEnd(text, shown.head)
  const start = charactersEnd(text, text.length - shown.tail)
  const between = text.slice(end, start)
  const behind = countLines(text.slice(0, start)) - 1
  return [
    ...textLines(text.slice(0, end), words, indented).map(line),
    {
      kind: 'hidden',
      runs: [{ text: words.leftOut(between.length, countLines(between)), mark: 'cut' }],
      of,
      more: between.length,
      ...(tooLong ? {} : { show: of }),
    },
    ...textLines(text.slice(start), words, indented).map(({ runs, number }) => line({ runs, number: number + behind })),
  ]
}

/** `indented`: blanks at the beginning of a line are ours. */
function textLines(text: string, words: QuestionWords, indented = false): { runs: TextRun[]; number: number }[] {
  const all = text.split('\n')
  const lines: { runs: TextRun[]; number: number }[] = []
  for (let at = 0; at < all.length; at++) {
    let end = at
    while (end < all.length && /^[ \t\u3000]*$/.test(all[end] as string)) end++
    if (end - at >= EMPTY_LINES) {
      lines.push({ runs: [{ text: `⟨${words.emptyLines(end - at)}⟩`, mark: 'blank' }], number: at + 1 })
      at = end - 1
      continue
    }
    const line = all[at] as string
    const ours = indented ? (/^ */.exec(line) as RegExpExecArray)[0].length : 0
    lines.push({
      runs: [...(ours ? [{ text: line.slice(0, ours) }] : []), ...markText(line.slice(ours), words)],
      number: at + 1,
    })
  }
  return lines
}

const countLines = (text: string): number => text.split('\n').length
