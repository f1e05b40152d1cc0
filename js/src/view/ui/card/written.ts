// The arguments of a call while a model writes them: the members of a JSON object of which the rest has not come. Each
// character is read once, however the text comes; drawing looks at the end alone.

/** A member whose name or value may still grow. */
export interface Growing {
  name: string
  /** The end of its value, as a person reads it. */
  value: string
  /** More stands in front of that. */
  cut: boolean
}

interface Member {
  name: number
  value: number
  end: number
}

/** A longer name is cut: it is read whole in the complete arguments. */
const NAME = 200
/** Backslashes before a cut that are looked at. */
const SLASHES = 24

export class Written {
  #at = 0
  #members: Member[] = []
  // -- where it is
  #depth = 0
  #quoted = false
  #escaped = false
  #names = false

  /**
   * The last members of `text`, which usually is the text of the last time with more at its end: at most `most`, with
   * about `shown` characters of values together; and how many stand before them. Text that is no JSON object has none.
   */
  read(text: string, most: number, shown: number): { members: Growing[]; before: number } {
    if (text.length < this.#at) {
      this.#at = this.#depth = 0
      this.#members = []
      this.#quoted = this.#escaped = false
    }
    for (; this.#at < text.length; this.#at++) this.#see(text[this.#at] as string)
    const members: Growing[] = []
    let left = /^\s*\{/.test(text) ? shown : 0
    for (let at = this.#members.length; at-- && members.length < most && left > 0; ) {
      const one = growing(text, this.#members[at] as Member, left)
      left -= one.value.length
      members.unshift(one)
    }
    return { members, before: this.#members.length - members.length }
  }

  #see(character: string): void {
    const at = this.#at
    if (this.#quoted) {
      this.#quoted = this.#escaped || character !== '"'
      this.#escaped = !this.#escaped && character === '\\'
      return
    }
    const last = this.#members.at(-1)
    if (character === '"') {
      this.#quoted = true
      if (this.#depth === 1 && this.#names) this.#members.push({ name: at + 1, value: Infinity, end: Infinity })
      this.#names = false
    } else if (character === '{' || character === '[') this.#names = ++this.#depth === 1
    else if (character === '}' || character === ']') {
      if (this.#depth === 1 && last) last.end = at
      this.#depth--
    } else if (this.#depth === 1 && last && character === ':') last.value = at + 1
    else if (this.#depth === 1 && last && character === ',') {
      last.end = at
      this.#names = true
    }
  }
}

function growing(text: string, { name, value, end }: Member, shown: number): Growing {
  const stop = Math.min(end, text.length)
  const begins = Math.min(stop, value + (/^\s*"?/.exec(text.slice(value, value + SLASHES))?.[0].length ?? 0))
  let from = Math.max(begins, stop - shown)
  // Not in the middle of an escape.
  from -= /\\+(?:u[0-9a-f]{0,3})?$/i.exec(text.slice(Math.max(begins, from - SLASHES), from))?.[0].length ?? 0
  const part = text.slice(from, stop)
  return {
    name: unescaped(text.slice(name, Math.min(value, text.length, name + NAME)).replace(/"\s*:?$/, '')),
    value: text[begins - 1] === '"' ? unescaped(part.replace(/"\s*$/, '')) : part.trimEnd(),
    cut: from > begins,
  }
}

const simple: { [letter: string]: string } = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Text of JSON as it is read. An escape of which the rest has not come is left out. */
const unescaped = (text: string): string =>
  text.replace(/\\(?:u([0-9a-f]{4})|([^u])|u?[0-9a-f]{0,3}$)/gi, (_, code?: string, letter?: string) =>
    code ? String.fromCharCode(parseInt(code, 16)) : letter === undefined ? '' : (simple[letter] ?? letter),
  )
