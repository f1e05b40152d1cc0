// The members of a JSON object as they stand in its text. To parse and print it would change big integers, the order of
// keys and spacing.

/** Where a member stands in the text. */
export interface RawMember {
  name: string
  /** Behind the comma or bracket in front of it. */
  from: number
  /** Behind its colon. */
  value: number
  /** Behind its value and the white space after it. */
  end: number
}

/** Behind the string that begins at `at`. */
function behindString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); ; end = text.indexOf('"', end + 1)) {
    let first = end
    while (text[first - 1] === '\\') first--
    if ((end - first) % 2 === 0) return end + 1
  }
}

/** The members of an object. `text` must be valid JSON, and an object. */
export function rawMembers(text: string): RawMember[] {
  const found: RawMember[] = []
  const marks = /["{}[\],:]/g
  let depth = 0
  let from = 0
  let value = 0
  let name: string | undefined
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const at = mark.index
    const close = (): void => {
      if (name !== undefined) found.push({ name, from, value, end: at })
      name = undefined
      from = at + 1
    }
    switch (mark[0]) {
      case '"':
        marks.lastIndex = behindString(text, at)
        if (depth === 1 && name === undefined) name = JSON.parse(text.slice(at, marks.lastIndex)) as string
        break
      case '{':
      case '[':
        if (depth++ === 0) from = at + 1
        break
      case '}':
      case ']':
        if (--depth === 0) close()
        break
      case ',':
        if (depth === 1) close()
        break
      default:
        if (depth === 1) value = at + 1
    }
  }
  return found
}

/**
 * The text of a member's value; undefined where there is none. Of several with the same name the last counts, as for
 * `JSON.parse`.
 */
export function rawMember(text: string, name: string): string | undefined {
  const member = rawMembers(text).findLast((one) => one.name === name)
  return member && text.slice(member.value, member.end).trim()
}

/**
 * The object with other values for the members that `changed` names; null leaves a member out. Every other byte stays.
 */
export function withMembers(text: string, changed: { readonly [name: string]: string | null }): string {
  const all = rawMembers(text)
  const isChanged = (name: string): boolean => Object.hasOwn(changed, name)
  const last = new Map(all.map((one) => [one.name, one]))
  const kept = all.filter((one) => !isChanged(one.name) || (changed[one.name] !== null && last.get(one.name) === one))
  const written = kept.map(({ name, from, value, end }) => {
    const before = text.slice(value, end)
    return (
      text.slice(from, value) +
      (isChanged(name) ? before.replace(before.trim(), () => changed[name] as string) : before)
    )
  })
  return all.length === 0 ? text : `${text.slice(0, all[0]?.from)}${written.join(',')}${text.slice(all.at(-1)?.end)}`
}
