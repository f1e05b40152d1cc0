// Runs of a question as rows of a terminal, none of them wider than it is.
import type { Run } from '../bridge/reveal.js'

export type Paint = (colour: 'dim' | 'bold' | 'red' | 'yellow', text: string) => string

const colours = { 'code-point': 'yellow', blank: 'yellow', cut: 'yellow', script: 'red', strong: 'bold' } as const

/** The rows of one line, which the terminal need not wrap. */
export function rowsOf(runs: readonly Run[], width: number, paint: Paint): string[] {
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
      const wide = point === '\t' ? 8 - (used % 8) : columns(point)
      if (used + wide > width) {
        flush()
        rows.push(row)
        row = ''
        used = 0
      }
      piece += point
      used += wide
    }
    flush()
  }
  return [...rows, row]
}

/** Of one character: wide ones take two. */
export const columns = (point: string): number =>
  /\p{M}/u.test(point) ? 0 : /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(point) ? 2 : 1

/** Cut to so many columns. */
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
