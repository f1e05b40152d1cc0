// Text of a model as a person must see it before deciding: what has no glyph of its own, or turns others around, by its code point.

// Controls but tab and newline, formats (bidi, zero-width, tags), separators, private use, lone surrogates, fillers and selectors
// that draw nothing, the blank of braille, and spaces that pass for the ordinary one.
const hidden =
  /(?![\t\n])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?![ \u3000])\p{Zs}/gu
// In an emoji, joiners and selectors belong to the picture.
const before = /(?:\p{Emoji}|\p{Emoji_Modifier})\u{FE0F}?$/u
const after = /^\p{Extended_Pictographic}/u

/** Runs of text, and between them code points: strings at even places, `U+202E` at odd ones. */
export function reveal(text: string): string[] {
  const runs: string[] = []
  let from = 0
  for (const match of text.matchAll(hidden)) {
    const [character] = match
    const at = match.index
    if (inEmoji(text, at, character)) continue
    runs.push(text.slice(from, at), codePoint(character))
    from = at + character.length
  }
  runs.push(text.slice(from))
  return runs
}

/** The same as one string, for places that take no markup. */
export function revealed(text: string): string {
  return reveal(text).map((run, at) => (at % 2 ? `⟨${run}⟩` : run)).join('')
}

function inEmoji(text: string, at: number, character: string): boolean {
  if (character !== '\u200D' && character !== '\uFE0F') return false
  const head = text.slice(Math.max(0, at - 4), at)
  if (!before.test(head) || /[\d#*]\uFE0F?$/.test(head)) return false
  return character === '\uFE0F' || after.test(text.slice(at + 1, at + 3))
}

const codePoint = (character: string): string => 'U+' + (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
