// JSON of one line on lines of its own, for people. Only blanks between its tokens change: a member given twice, a
// large number and the order stay as they are.

const MOST_CHARACTERS = 20_000
/** Deeper than this, blanks would outgrow the text. */
const MOST_DEPTH = 32
const token = /"(?:[^"\\]|\\.)*"|[^ "{}[\]:,]+|[{}[\]:,]| +/g

/**
 * The lines of an object or array that stands on one line; undefined for everything else, such as text that its writer
 * laid out.
 */
export function jsonLines(text: string): string | undefined {
  if (text.length > MOST_CHARACTERS || !/^[{[]/.test(text) || /[\t\r\n]|^.[}\]]$/.test(text) || !isJson(text))
    return undefined
  let out = ''
  let depth = 0
  let before = ''
  const line = (): string => `\n${'  '.repeat(depth)}`
  for (const [part] of text.matchAll(token)) {
    if (part.startsWith(' ')) {
      if (part.length > 1) return undefined // somebody placed it there: it is shown
      continue
    }
    const closes = part === '}' || part === ']'
    if (closes) depth--
    if (depth > MOST_DEPTH) return undefined
    const opened = before === '{' || before === '['
    if (closes ? !opened : opened || before === ',') out += line()
    else if (before === ':') out += ' '
    out += part
    if (part === '{' || part === '[') depth++
    before = part
  }
  return out
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
