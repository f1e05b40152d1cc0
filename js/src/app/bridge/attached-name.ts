// What a file is called that somebody attached: a name to be read, never a path.

const MAX_NAME = 120
/** A name that is cut keeps its ending, such as `.pdf`, of at most so many characters. */
const MAX_ENDING = 16

/**
 * The name on one line: without folders, without characters that nobody sees or that turn the order of others, and cut
 * to 120 characters with its ending. `file` if nothing is left.
 */
export function attachedName(given: string): string {
  const line = given
    .slice(-10_000)
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, (letter) => (/[\u200c\u200d]/.test(letter) ? letter : ''))
    .replace(/\p{Cs}/gu, '\ufffd')
    .replace(/\s+/g, ' ')
    .trim()
  if (/^\.*$/.test(line)) return 'file'
  if (line.length <= MAX_NAME) return line
  const ending = new RegExp(`\\.[^. ]{1,${MAX_ENDING}}$`).exec(line)?.[0] ?? ''
  return `${cut(line, MAX_NAME - 1 - ending.length)}…${ending}`
}

/** Not between the halves of a character. */
const cut = (text: string, length: number): string => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')
