// Text of a model as a person must see it before deciding: what has no glyph of its own, turns others around or piles
// up on a letter, by its code point; in a question also long blanks by their length, and words that mix scripts to look
// like another word.

/** A piece of a text. With a mark it says something about the text, or is a part that wants a second look. */
export interface TextRun {
  text: string
  /**
   * `code-point` `⟨U+202E⟩`, `blank` `⟨380 empty lines⟩` and `cut` `… (312)` stand for what the text holds there;
   * `script` is a word that mixes scripts, or an address as the network spells it; `strong` is a name.
   */
  mark?: 'strong' | 'code-point' | 'blank' | 'cut' | 'script'
}

// Controls but tab and newline, formats (bidi, zero-width, tags), separators, private use, lone surrogates, fillers and
// selectors that draw nothing, the blanks of braille, music, hieroglyphs and Khitan, the character that marks the place
// of an object, spaces that pass for the ordinary one, marks that strike a letter out or stand around it, and marks by
// the pile: accents, and more marks of a script than any of its words has on a letter.
const hidden =
  /(?![\t\n])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}\u{13441}\u{13442}\u{16fe4}\ufffc\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb\p{Me}]|(?![ \u3000])\p{Zs}|(?:(?=\p{M})\p{Script=Inherited}){3,}|\p{M}{8,}/gu
// In an emoji, joiners and selectors belong to the picture.
const before = /(?:\p{Emoji}|\p{Emoji_Modifier})\u{FE0F}?$/u
const after = /^\p{Extended_Pictographic}/u
/** So many of the same code point in a row are told as one, with their number. */
const REPEATED = 3

/** Runs of text, and between them code points: strings at even places, `U+202E` (or `U+200B ×400`) at odd ones. */
export function splitInvisible(text: string): string[] {
  const runs: string[] = []
  let from = 0
  for (const match of text.matchAll(hidden)) {
    const [found] = match
    const at = match.index
    if (at < from || inEmoji(text, at, found)) continue
    let end = at + found.length
    if (isOne(found)) while (text.startsWith(found, end)) end += found.length // of the same
    for (const [character, times] of repeated(text.slice(at, end))) {
      runs.push(
        text.slice(from, at),
        codePoint(character) + (times >= REPEATED ? ` ×${times.toLocaleString('en')}` : ''),
      )
      from = at
      if (times < REPEATED) for (let more = 1; more < times; more++) runs.push('', codePoint(character))
    }
    from = end
  }
  runs.push(text.slice(from))
  return runs
}

/** The same as one string, for places that take no markup. */
export function escapeInvisible(text: string): string {
  return splitInvisible(text)
    .map((run, at) => (at % 2 ? `⟨${run}⟩` : run))
    .join('')
}

/** The same as escapes of JSON, for text that is edited. */
export function escapeInvisibleInJson(text: string): string {
  const unit = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`
  return text.replace(hidden, (found: string, at: number) =>
    inEmoji(text, at, found)
      ? found
      : Array.from({ length: found.length }, (_, index) => unit(found.charCodeAt(index))).join(''),
  )
}

const isOne = (text: string): boolean => text.length === ((text.codePointAt(0) as number) > 0xffff ? 2 : 1)

function repeated(text: string): [character: string, times: number][] {
  const groups: [string, number][] = []
  for (const character of text) {
    const last = groups.at(-1)
    if (last?.[0] === character) last[1]++
    else groups.push([character, 1])
  }
  return groups
}

function inEmoji(text: string, at: number, character: string): boolean {
  if (character === '\u20E3') return /[\d#*]\uFE0F$/.test(text.slice(Math.max(0, at - 2), at))
  if (character !== '\u200D' && character !== '\uFE0F') return false
  if (character === '\uFE0F' && text[at + 1] === '\u20E3') return /[\d#*]/.test(text[at - 1] ?? '')
  const head = text.slice(Math.max(0, at - 4), at)
  if (!before.test(head) || /[\d#*]\uFE0F?$/.test(head)) return false
  return character === '\uFE0F' || after.test(text.slice(at + 1, at + 3))
}

const codePoint = (character: string): string =>
  'U+' + (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')

// -- in a question

/** From so many blanks in a row on their number is told. */
const BLANKS = 8
const blanks = new RegExp(`[ \\t\\u3000]{${BLANKS},}`, 'g')
/** Letters of the scripts whose letters look like each other's. */
const alike = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu'].map(
  (script) => `\\p{Script=${script}}`,
)
const word = new RegExp(`(?:[${alike.join('')}]\\p{M}*)+`, 'gu')
const scripts = alike.map((script) => new RegExp(script, 'u'))
/** Letters of Cyrillic and Greek that look like one of a to z. */
const twins =
  '\u0430\u0441\u0435\u0456\u0458\u043e\u0440\u0455\u0443\u0445\u04bb\u04cf\u0501\u051b\u051d\u0475\u03bf\u03bd\u03b1\u03b9\u03ba\u03c1\u03c5'
/**
 * A name of a host without an address around it, such as `example.com` in a sentence. Only its first label begins a
 * match: one from every label would be quadratic.
 */
const bare =
  /(?<![\p{L}\p{N}\p{M}@/-][.\u3002\uff0e\uff61]?)(?:[\p{L}\p{N}-]+[.\u3002\uff0e\uff61])+[a-z]{2,}(?![\p{L}\p{N}\p{M}-])/giu
/** A label of such a name that has no other letters than `twins`: it passes for a Latin word. */
const twin = new RegExp(`(?:^|[.\u3002\uff0e\uff61])[${twins}]{2,}[.\u3002\uff0e\uff61]`, 'iu')
const host = /(?:\/\/|@)([^\s/?#:@"'<>\\]*[^\x00-\x7f\s/?#:@"'<>\\][^\s/?#:@"'<>\\]*)/gu

/** What is said of blanks: `⟨4,000 spaces⟩`. */
export type TellBlanks = (count: number, kind: 'spaces' | 'tabs' | 'blanks') => string

/** One line of a text, with everything in it that hides or misleads marked. */
export function markLine(line: string, tellBlanks: TellBlanks): TextRun[] {
  const runs: TextRun[] = []
  for (const [at, text] of splitInvisible(line).entries()) {
    if (at % 2) runs.push({ text: `⟨${text}⟩`, mark: 'code-point' })
    else if (text) markText(text, tellBlanks, runs)
  }
  return runs
}

function markText(text: string, tellBlanks: TellBlanks, runs: TextRun[]): void {
  const found = [...text.matchAll(host), ...[...text.matchAll(bare)].filter(([name]) => twin.test(name))].sort(
    (a, b) => a.index - b.index,
  )
  let from = 0
  for (const match of found) {
    const spelled = spelling(match[1] ?? match[0])
    if (!spelled || match.index < from) continue
    const end = match.index + match[0].length
    markWords(text.slice(from, end), tellBlanks, runs)
    runs.push({ text: `⟨${spelled}⟩`, mark: 'script' })
    from = end
  }
  markWords(text.slice(from), tellBlanks, runs)
}

function markWords(text: string, tellBlanks: TellBlanks, runs: TextRun[]): void {
  const marks: { at: number; length: number; run: TextRun }[] = []
  for (const { 0: found, index: at } of text.matchAll(blanks)) {
    const kind = /^ +$/.test(found) ? 'spaces' : /^\t+$/.test(found) ? 'tabs' : 'blanks'
    marks.push({ at, length: found.length, run: { text: `⟨${tellBlanks(found.length, kind)}⟩`, mark: 'blank' } })
  }
  for (const { 0: found, index: at } of text.matchAll(word)) {
    if (scripts.filter((script) => script.test(found)).length > 1)
      marks.push({ at, length: found.length, run: { text: found, mark: 'script' } })
  }
  let from = 0
  for (const { at, length, run } of marks.sort((a, b) => a.at - b.at)) {
    if (at > from) runs.push({ text: text.slice(from, at) })
    runs.push(run)
    from = at + length
  }
  if (from < text.length) runs.push({ text: text.slice(from) })
}

/** A host as the network spells it, where that is another way. */
function spelling(name: string): string | undefined {
  // the full stop of Chinese is a dot, too, but it also ends a sentence
  if (!/\.|[\u3002\uff0e\uff61][a-z]{2,}$/i.test(name)) return undefined
  try {
    const { hostname } = new URL(`http://${name}`)
    return hostname === name ? undefined : hostname
  } catch {
    return undefined // no host
  }
}
