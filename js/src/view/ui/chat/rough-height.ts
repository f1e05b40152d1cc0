// About how high an entry will be: enough to tell how many fill the view.
import type { MessageSource } from '../ui-types.js'
import type { EntryView } from './chat-types.js'

/** Pixels of a line, of a call or something else in an answer, and of what stands around an entry. */
const LINE = 24
const PART = 48
const AROUND = 50
/** About so many characters are a line, since many end before the right edge. */
const WIDTH = 60
/** A person's own text is folded behind so many lines. */
const FOLDED = 12
/** Not fewer entries than this fill a view. */
const FEWEST = 4

const lines = (text: string): number => Math.ceil(text.length / WIDTH)

/** In pixels. */
export function roughHeight(entry: EntryView, message: MessageSource | undefined): number {
  if (entry.role === 'user') return AROUND + LINE * Math.min(FOLDED, lines(entry.text))
  const parts = message?.getSnapshot().blocks ?? []
  return AROUND + parts.reduce((height, part) => height + (part?.type === 'text' ? LINE * lines(part.text) : PART), 0)
}

/** How many of the last entries fill a view of so many pixels, and a little more. `heights`: the last one's first. */
export function fillingView(view: number, heights: Iterable<number>): number {
  let [count, height] = [0, 0]
  for (const one of heights) {
    if (count >= FEWEST && height > view * 1.25) break
    count++
    height += one
  }
  return count
}
