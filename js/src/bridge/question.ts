// The lines of a question: all that a person approves, so that nothing of it hides. Pages and the terminal draw these lines and add
// nothing. No DOM, no Node.
import type { ExecutionPolicy, Json, JsonObject, Part, ResultPolicy } from '../core/events.js'
import { markLine, type TextRun } from './invisible.js'
import type { QuestionWords } from './question-words.js'

export type { QuestionWords } from './question-words.js'
export { questionWords } from './question-words.js'
export type { TextRun } from './invisible.js'

/** What is asked: may this call run, may this result go to the model? See `isWhole`. */
export interface QuestionRequest {
  stage: 'execution' | 'result'
  /** The tool that would run, and the name that the model wrote. */
  name?: string | undefined
  askedName?: string | undefined
  /** What the tool calls itself, and says of itself. */
  title?: string | undefined
  description?: string | undefined
  policy?: ExecutionPolicy | ResultPolicy | undefined
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean; openWorldHint?: boolean } | undefined
  /** Stage `execution`: what it would run with; the edited ones, where a person edited them. */
  arguments?: JsonObject | undefined
  edited?: boolean | undefined
  reserved?: { [key: string]: string } | undefined
  /** Stage `result`: what the model would read. */
  preview?: { text: string; isError: boolean; parts?: Part[] } | undefined
}

/**
 * `tool`, `counts` and `effect` belong into the head of a question. An `argument` line is a name; the `value` lines behind it, with the
 * same `of`, are its value. `hidden` says what is left out of it.
 */
export interface Line {
  kind: 'tool' | 'counts' | 'effect' | 'about' | 'notice' | 'argument' | 'value' | 'hidden'
  runs: TextRun[]
  /** Which argument, and of what: `arguments.path`, `reserved.maid`, `preview`. */
  of?: string
  /** Of a `value` line in its value, from 1 on. */
  number?: number
  /** Characters that are left out, */
  more?: number
  /** and what `whole` must hold to have them shown. Absent: there are too many to be read. */
  show?: string
}

/** Characters that are shown at once; of a longer text its beginning and its end. */
interface Shown { atOnce: number; head: number; tail: number }
const VALUE: Shown = { atOnce: 20_000, head: 6_000, tail: 3_000 }
const ABOUT: Shown = { atOnce: 2_000, head: 1_400, tail: 400 }
/** Characters and lines that nobody reads: they are not shown on request either. */
const TOO_LONG = 200_000
const TOO_MANY_LINES = 10_000
/** What all values together may take; the arguments behind that are counted. */
const BUDGET = 600_000
const LINE_COST = BUDGET / TOO_MANY_LINES
const NAME = 80
/** From so many empty lines in a row on their number is told. */
const EMPTY_LINES = 3

/** What a question is drawn with. */
export interface QuestionOptions {
  /** What a person wants to see whole, as `Line.show` names it. */
  whole?: ReadonlySet<string>
  /** Can this picture be shown? Default: none can. */
  draws?: (picture: Picture) => boolean
}

/** A picture of a result, with its data. */
export type Picture = Extract<Part, { type: 'image'; data: string }>

/** Is all there that the question is about? Where not, nobody can approve it. */
export function isWhole({ stage, name, arguments: args, preview }: QuestionRequest): boolean {
  return Boolean(name) && (stage === 'result' ? preview : args) !== undefined
}

/** The lines of a question. */
export function questionLines(request: QuestionRequest, words: QuestionWords, { whole = new Set(), draws = () => false }: QuestionOptions = {}): Line[] {
  const { stage, name, askedName, title, description } = request
  const body = stage === 'result' ? previewLines(request, words, whole, draws) : argumentLines(request, words, whole)
  const about = Object.entries({ title, description }).flatMap(([of, text]) => (text ? cutLines(text, words, of, whole, ABOUT) : []))
  return [
    { kind: 'tool', runs: nameRuns(name || askedName || '?', words).map((run) => ({ mark: 'strong', ...run })) },
    { kind: 'counts', runs: [{ text: isWhole(request) ? countsOf(request, words) : words.notWhole }] },
    ...effectsOf(request, words).map((text): Line => ({ kind: 'effect', runs: [{ text }] })),
    ...about.map((line): Line => (line.kind === 'value' ? { kind: 'about', runs: line.runs } : line)),
    ...wholeName(name, words.wholeName, 'name', words, whole),
    ...(renamed(askedName, name) ? [{ kind: 'notice', runs: [{ text: words.askedAs('') }, ...nameRuns(askedName as string, words)] } satisfies Line] : []),
    ...(renamed(askedName, name) ? wholeName(askedName, words.wholeName, 'askedName', words, whole) : []),
    ...body,
  ]
}

/** A name that the head of the question has no room for, as the values are shown. */
function wholeName(name: string | undefined, title: string, of: string, words: QuestionWords, whole: ReadonlySet<string>): Line[] {
  return (name?.length ?? 0) > NAME ? [{ kind: 'notice', runs: [{ text: title }] }, ...cutLines(name as string, words, of, whole, VALUE)] : []
}

/** Did the model ask for another name than the tool's? With `_` for what no provider takes in a name it is the same one. */
export function renamed(asked: string | undefined, name: string | undefined): boolean {
  return asked !== undefined && asked !== name && asked !== name?.replace(/[^a-zA-Z0-9_-]/g, '_')
}

/** What a tool may do, in words; what it does not say of itself counts as the worst. */
function effectsOf({ stage, policy, annotations }: QuestionRequest, words: QuestionWords): string[] {
  if (stage === 'result') return [words.toModel]
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations ?? {}
  return [
    readOnlyHint === true ? words.reads : destructiveHint === false ? words.changes : words.deletes,
    ...(openWorldHint === true ? [words.leaves] : []),
    ...(policy === 'ask_always' ? [words.always] : []),
  ]
}

function countsOf({ stage, arguments: args, reserved, preview }: QuestionRequest, words: QuestionWords): string {
  if (stage === 'result') return words.resultCounts(preview?.text.length ?? 0, countLines(preview?.text ?? ''))
  const values = [...Object.values(args ?? {}), ...Object.values(reserved ?? {})].map(plain)
  if (values.length === 0) return words.noArguments
  return words.counts(values.length, values.reduce((sum, text) => sum + text.length, 0), values.reduce((sum, text) => sum + countLines(text), 0))
}

function argumentLines(request: QuestionRequest, words: QuestionWords, whole: ReadonlySet<string>): Line[] {
  const { arguments: args = {}, reserved = {}, edited } = request
  const lines: Line[] = []
  let left = BUDGET
  const section = (prefix: string, values: JsonObject): void => {
    const entries = Object.entries(values)
    for (const [at, [name, value]] of entries.entries()) {
      if (left <= 0) {
        const rest = entries.slice(at)
        const more = rest.reduce((sum, [key, one]) => sum + key.length + plain(one).length, 0)
        lines.push({ kind: 'hidden', runs: [{ text: words.moreArguments(rest.length, more), mark: 'cut' }], of: prefix, more })
        return
      }
      const of = `${prefix}.${name}`
      const show = `name.${of}`
      const cut = name.length > NAME && !whole.has(show)
      lines.push({ kind: 'argument', runs: nameRuns(name, words, cut ? NAME : Infinity), of, ...(cut ? { more: name.length - NAME, show } : {}) })
      const shown = valueLines(value, words, of, whole)
      left -= name.length + LINE_COST + shown.reduce((sum, { runs }) => sum + LINE_COST + runs.reduce((all, { text }) => all + text.length, 0), 0)
      lines.push(...shown)
    }
  }
  if (edited) lines.push({ kind: 'notice', runs: [{ text: words.edited }] })
  if (request.arguments && Object.keys(args).length === 0 && Object.keys(reserved).length === 0) lines.push({ kind: 'notice', runs: [{ text: words.noArguments }] })
  section('arguments', args)
  if (Object.keys(reserved).length > 0) lines.push({ kind: 'notice', runs: [{ text: words.reserved }] })
  section('reserved', reserved)
  return lines
}

function previewLines({ preview }: QuestionRequest, words: QuestionWords, whole: ReadonlySet<string>, draws: (picture: Picture) => boolean): Line[] {
  if (!preview) return []
  const { text, isError, parts = [] } = preview
  const lines: Line[] = [{ kind: 'notice', runs: [{ text: isError ? words.previewError : words.preview }] }, ...valueLines(text, words, 'preview', whole)]
  for (const [at, part] of parts.entries()) {
    if (part.type === 'text') lines.push(...(part.text === text ? [] : valueLines(part.text, words, `preview.${at}`, whole)))
    else if ('url' in part) lines.push({ kind: 'notice', runs: [{ text: `${words.imageAt}: ` }, ...markText(part.url, words)] })
    else if (draws(part)) lines.push({ kind: 'notice', runs: [{ text: words.image }] })
    else lines.push({ kind: 'hidden', runs: [{ text: words.notDrawn(part.data.length), mark: 'cut' }, { text: ' ' }, ...nameRuns(part.mediaType, words)], of: `preview.${at}`, more: part.data.length })
  }
  return lines
}

/** The lines of one value. */
function valueLines(value: Json, words: QuestionWords, of: string, whole: ReadonlySet<string>): Line[] {
  return cutLines(plain(value), words, of, whole, VALUE, typeof value !== 'string')
}

/** The lines of a text, or of its beginning and its end. */
function cutLines(text: string, words: QuestionWords, of: string, whole: ReadonlySet<string>, shown: Shown, indented = false): Line[] {
  const tooLong = text.length > TOO_LONG || countLines(text) > TOO_MANY_LINES
  const line = ({ runs, number }: { runs: TextRun[]; number: number }): Line => ({ kind: 'value', runs, of, number })
  if (!tooLong && (text.length <= shown.atOnce || whole.has(of))) return textLines(text, words, indented).map(line)
  const end = charactersEnd(text, shown.head)
  const start = charactersEnd(text, text.length - shown.tail)
  const between = text.slice(end, start)
  const behind = countLines(text.slice(0, start)) - 1
  return [
    ...textLines(text.slice(0, end), words, indented).map(line),
    { kind: 'hidden', runs: [{ text: words.leftOut(between.length, countLines(between)), mark: 'cut' }], of, more: between.length, ...(tooLong ? {} : { show: of }) },
    ...textLines(text.slice(start), words, indented).map(({ runs, number }) => line({ runs, number: number + behind })),
  ]
}

/** Not between the halves of a character. */
const charactersEnd = (text: string, at: number): number => (/[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at + 1 : at)

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
    lines.push({ runs: [...(ours ? [{ text: line.slice(0, ours) }] : []), ...markText(line.slice(ours), words)], number: at + 1 })
  }
  return lines
}

/** A name on one line, cut where it is long. */
function nameRuns(name: string, words: QuestionWords, limit = NAME): TextRun[] {
  const lines = name.slice(0, charactersEnd(name, Math.min(limit, name.length))).split('\n')
  const runs = lines.flatMap((line, at): TextRun[] => [...(at ? [{ text: '⟨U+000A⟩', mark: 'code-point' } as const] : []), ...markText(line, words)])
  return name.length > limit ? [...runs, { text: `… (${name.length.toLocaleString('en')})`, mark: 'cut' }] : runs
}

const markText = (text: string, words: QuestionWords): TextRun[] => markLine(text, (count, kind) => words[kind](count))
const countLines = (text: string): number => text.split('\n').length

/** A value as text: strings as they are, anything else as JSON. */
export function plain(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
