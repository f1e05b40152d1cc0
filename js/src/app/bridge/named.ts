// Names and values as a person must see them, on one line.
import type { Json } from '../../engine/core/events.js'
import { markLine, type TextRun } from './invisible.js'
import type { QuestionWords } from './question-words.js'

/** Not between the halves of a character. */
export const charactersEnd = (text: string, at: number): number =>
  /[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at + 1 : at

/** How long a name in a head may be. */
export const NAME = 80

/** A name on one line, cut where it is long. */
export function nameRuns(name: string, words: QuestionWords, limit = NAME): TextRun[] {
  const lines = name.slice(0, charactersEnd(name, Math.min(limit, name.length))).split('\n')
  const runs = lines.flatMap((line, at): TextRun[] => [
    ...(at ? [{ text: '⟨U+000A⟩', mark: 'code-point' } as const] : []),
    ...markText(line, words),
  ])
  return name.length > limit ? [...runs, { text: `… (${name.length.toLocaleString('en')})`, mark: 'cut' }] : runs
}

/**
 * Did the model ask for another name than the tool's? With `_` for what no provider takes in a name it is the same one.
 */
export function renamed(asked: string | undefined, name: string | undefined): boolean {
  return asked !== undefined && asked !== name && asked !== name?.replace(/[^a-zA-Z0-9_-]/g, '_')
}

/** One line of a text, marked. */
export const markText = (text: string, words: QuestionWords): TextRun[] =>
  markLine(text, (count, kind) => words[kind](count))
/** A value as text: strings as they are, anything else as JSON. */
export function plain(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
