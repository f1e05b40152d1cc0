// What grows: texts, and blocks one behind the other.

/** `now` is `before` with more at its end, or the same. Faster than `startsWith`, which compares one by one. */
export const onlyGrew = (before: string, now: string): boolean => now.slice(0, before.length) === before

/**
 * The group for the block at an index, made where it is the next one. The browser's layout visits every sibling of a
 * block that grows, so at most `size` blocks are siblings.
 */
export function groupAt(parent: Element, index: number, size: number): Element {
  const group = parent.children[Math.floor(index / size)]
  if (group) return group
  const made = document.createElement('div')
  made.className = 'group'
  parent.append(made)
  return made
}

/** A group that has become empty goes, too. */
export function removeFromGroup(node: ChildNode | undefined): void {
  const parent = node?.parentElement
  node?.remove()
  if (parent?.className === 'group' && !parent.firstChild) parent.remove()
}
