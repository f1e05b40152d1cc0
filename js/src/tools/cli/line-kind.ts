// What a line of Markdown is, by its beginning.

export interface LineKind {
  kind: 'text' | 'heading' | 'rule' | 'fence' | 'table'
  /** `> ` so often. */
  quotes: number
  /** Blanks in front of a list's sign, or of the text. */
  indent: string
  /** The sign of a list as it is shown. */
  sign: string
  /** How much of the line is read. */
  length: number
  /** The markers that open a fence. */
  marker?: string
}

/** Longer beginnings are text: nobody waits for the end of a line that is all dashes. */
const MAX_BEGINNING = 200
/** Longer lines of a table are text. */
const MAX_ROW = 4000

/** Undefined: more of the line must come. `whole`: all of it is there. */
export function kindOf(line: string, whole: boolean): LineKind | undefined {
  const quoted = /^(?:[ \t]{0,3}>[ \t]?)*/.exec(line)?.[0] ?? ''
  const quotes = quoted.split('>').length - 1
  let at = quoted.length
  let indent = ''
  let sign = ''
  const found = (kind: LineKind['kind'], length: number, more: Partial<LineKind> = {}): LineKind => ({
    kind,
    quotes,
    indent,
    sign,
    length,
    ...more,
  })
  const open = (pattern: RegExp, rest: string): boolean => !whole && line.length < MAX_BEGINNING && pattern.test(rest)
  for (let lists = 0; ; lists++) {
    const blanks = /^[ \t]*/.exec(line.slice(at))?.[0] ?? ''
    if (lists === 0) indent = blanks.replaceAll('\t', '    ')
    const rest = line.slice(at + blanks.length)
    if (rest === '' && !whole && line.length < MAX_BEGINNING) return undefined
    at += blanks.length
    if (rest.startsWith('|')) {
      if (whole) return found(rest.length <= MAX_ROW ? 'table' : 'text', at)
      return rest.length <= MAX_ROW ? undefined : found('text', at)
    }
    if (/^(?:`{3,}[^`]*|~{3,}.*)$/s.test(rest)) {
      if (whole) return found('fence', at, { marker: /^[`~]+/.exec(rest)?.[0] ?? '' })
      if (line.length < MAX_BEGINNING) return undefined
    }
    if (whole && /^([-*_])[ \t]*(?:\1[ \t]*){2,}$/.test(rest)) return found('rule', line.length)
    if (open(/^(?:`{1,2}|~{1,2}|#{1,6}[ \t]*|[-+*][ \t]*|\d{1,9}[.)]?[ \t]*|([-*_])(?:[ \t]*\1)*[ \t]*)$/, rest))
      return undefined
    const heading = /^(#{1,6})[ \t]+(?=\S)/.exec(rest)
    if (heading) return found('heading', at + heading[0].length)
    if (lists > 0 && sign.endsWith('• ')) {
      const task = /^\[([ xX])\][ \t]+(?=\S)/.exec(rest)
      if (open(/^\[(?:[ xX](?:\][ \t]*)?)?$/, rest)) return undefined
      if (task) {
        sign = `${sign.slice(0, -2)}${task[1] === ' ' ? '☐ ' : '☑ '}`
        at += task[0].length
        return found('text', at)
      }
    }
    const list = /^(?:[-+*]|\d{1,9}[.)])[ \t]+(?=\S)/.exec(rest)
    if (!list || lists === 3) return found('text', at)
    sign += /^\d/.test(rest) ? `${list[0].trimEnd()} ` : '• '
    at += list[0].length
  }
}
