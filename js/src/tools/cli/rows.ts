// Wraps the text of a question into rows that fit the terminal.
import type { TextRun } from '../../app/bridge/invisible.js'

export type Paint = (colour: 'dim' | 'bold' | 'red' | 'yellow', text: string) => string

const colours = { 'code-point': 'yellow', blank: 'yellow', cut: 'yellow', script: 'red', strong: 'bold' } as const

/** Draws a run in the colour of its mark. */
export const painter =
  (paint: Paint) =>
  ({ text, mark }: TextRun): string =>
    mark ? paint(colours[mark], text) : text

/** Wraps one line into rows that the terminal does not wrap again. */
export function rowsOf(runs: readonly TextRun[], width: number, paint: Paint): string[] {
  const draw = painter(paint)
  const rows: string[] = []
  let row = ''
  let used = 0
  for (const { text, mark } of runs) {
    let piece = ''
    const flush = (): void => {
      if (piece) row += draw({ text: piece, ...(mark ? { mark } : {}) })
      piece = ''
    }
    for (const point of text) {
      const wide = point === '\t' ? TAB : columns(point)
      if (used + wide > width) {
        flush()
        rows.push(row)
        row = ''
        used = 0
      }
      // fixed spaces: a tab stop would depend on the text before the row
      piece += point === '\t' ? ' '.repeat(TAB) : point
      used += wide
    }
    flush()
  }
  return [...rows, row]
}

const TAB = 4

// Characters that are wide in East Asian text, or that some terminals draw wide. Where terminals differ, count the
// larger width: a row that the terminal wraps would be one row more than was counted.
const double = new RegExp(
  `[${[
    // Hangul, Han, Kana, their forms
    '\\u1100-\\u115f\\u2329\\u232a\\u2e80-\\ua4cf\\ua960-\\ua97f\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe10-\\ufe1f\\ufe30-\\ufe6f\\uff00-\\uff60\\uffe0-\\uffe6',
    // Tangut, Khitan, Nushu, squared Han
    '\\u{16fe0}-\\u{18dff}\\u{1aff0}-\\u{1b2ff}\\u{1d300}-\\u{1d37f}\\u{1f200}-\\u{1f2ff}',
    '\\u{20000}-\\u{3fffd}\\p{Emoji_Presentation}\\p{Extended_Pictographic}',
  ].join('')}]`,
  'u',
)

/** Columns of one character: 2 for wide ones, 0 for marks drawn on the letter before them. */
export const columns = (point: string): number =>
  point < '\x7f' ? 1 : point !== '\ufe0f' && /[\p{Mn}\p{Me}]/u.test(point) ? 0 : double.test(point) ? 2 : 1

/** Cuts a text to this many columns. */
export function fit(text: string, width: number): string {
  let used = 0
  let out = ''
  for (const point of text) {
    used += columns(point)
    if (used >= width) return `${out}…`
    out += point
  }
  return out
}
