// Names that stand twice in an object: JSON says nothing of which one counts, and a person must know that one of them
// does not.

/**
 * The names that JSON text gives twice in one object, at any depth; `JSON.parse` keeps the last. Text that is no JSON
 * gives none.
 */
export function givenTwice(text: string): string[] {
  if (text.trimStart()[0] !== '{') return []
  const twice = new Set<string>()
  // names of the objects around; undefined for one without a name so far, null for an array
  const open: (Set<string> | null | undefined)[] = []
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '{') open.push(undefined)
    else if (character === '[') open.push(null)
    else if (character === '}' || character === ']') open.pop()
    if (character !== '"') continue
    const end = endOfString(text, at)
    if (end < 0) return []
    if (open.length > 0 && open.at(-1) !== null && isNamed(text, end + 1)) {
      const names = (open[open.length - 1] ??= new Set())
      const name = read(text.slice(at, end + 1))
      if (name === undefined) return []
      if (names.has(name)) twice.add(name)
      names.add(name)
    }
    at = end
  }
  return [...twice]
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return -1
}

/** Does a colon follow? */
function isNamed(text: string, from: number): boolean {
  let at = from
  while (/\s/.test(text[at] ?? '')) at++
  return text[at] === ':'
}

function read(text: string): string | undefined {
  try {
    return JSON.parse(text) as string
  } catch {
    return undefined
  }
}
