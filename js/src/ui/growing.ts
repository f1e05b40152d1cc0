// What grows: texts, and blocks one behind the other.

/** How many characters at the end are compared to tell that a text only grew. */
const COMPARED = 64

/** `now` is `before` with more at its end, or the same. */
export function onlyGrew(before: string, now: string): boolean {
  return now.length >= before.length && now.slice(Math.max(0, before.length - COMPARED), before.length) === before.slice(-COMPARED)
}

/**
 * The group for the block at an index, made where it is the next one. The browser's layout visits every sibling of a block that grows, so at
 * most `size` blocks are siblings.
 */
export function groupAt(parent: Element, index: number, size: number): Element {
  const group = parent.children[Math.floor(index / size)]
  if (group) return group
  const made = document.createElement('div')
  made.className = 'group'
  parent.append(made)
  return made
}
