// Runs of a question as rows of a terminal, none of them wider than it is.
import type { TextRun } from '../bridge/invisible.js'

export type Paint = (colour: 'dim' | 'bold' | 'red' | 'yellow', text: string) => string

const colours = { 'code-point': 'yellow', blank: 'yellow', cut: 'yellow', script: 'red', strong: 'bold' } as const

/** The rows of one line, which the terminal need not wrap. */
export function rowsOf(runs: readonly TextRun[], width: number, paint: Paint): string[] {
  const rows: string[] = []
  let row = ''
  let used = 0
  for (const { text, mark } of runs) {
    let piece = ''
    const flush = (): void => {
      if (piece) row += mark ? paint(colours[mark], piece) : piece
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
      piece += point === '\t' ? ' '.repeat(TAB) : point // the next stop depends on what stands in front of the row
      used += wide
    }
    flush()
  }
  return [...rows, row]
}

const TAB = 4

// Wide in East Asia, and what some terminals draw wide. Where they differ it is the larger: a row that is wrapped is one more than was counted.
const double = new RegExp(`[${[
  '\\u1100-\\u115f\\u2329\\u232a\\u2e80-\\ua4cf\\ua960-\\ua97f\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe10-\\ufe1f\\ufe30-\\ufe6f\\uff00-\\uff60\\uffe0-\\uffe6', // Hangul, Han, Kana, their forms
  '\\u{16fe0}-\\u{18dff}\\u{1aff0}-\\u{1b2ff}\\u{1d300}-\\u{1d37f}\\u{1f200}-\\u{1f2ff}', // Tangut, Khitan, Nushu, squared Han
  '\\u{20000}-\\u{3fffd}\\p{Emoji_Presentation}\\p{Extended_Pictographic}',
].join('')}]`, 'u')

/** Of one character: wide ones take two, marks that are drawn on the letter before them none. */
export const columns = (point: string): number => (point !== '\ufe0f' && /[\p{Mn}\p{Me}]/u.test(point) ? 0 : double.test(point) ? 2 : 1)

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
