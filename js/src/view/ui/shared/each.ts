// A list of templates by key: what stays keeps its nodes. Not lit's `repeat`, which leaves a comment in the page for
// every item that goes.
import { noChange, type ChildPart } from 'lit'
import { Directive, directive, type DirectiveResult } from 'lit/directive.js'
import {
  getCommittedValue,
  insertPart,
  removePart,
  setChildPartValue,
  setCommittedValue,
} from 'lit/directive-helpers.js'

type Given = [items: readonly unknown[], keyOf: (item: never) => unknown, draw: (item: never, at: number) => unknown]

class Each extends Directive {
  #keys: unknown[] = []

  override render(...[items, keyOf, draw]: Given): unknown {
    this.#keys = items.map((item) => keyOf(item as never))
    return items.map((item, at) => draw(item as never, at))
  }

  override update(list: ChildPart, given: Given): unknown {
    const before = getCommittedValue(list)
    const known = this.#keys
    const drawn = this.render(...given) as unknown[]
    if (!Array.isArray(before)) return drawn // the first time lit makes the parts
    const now = new Set(this.#keys)
    const stay = new Map<unknown, ChildPart>()
    before.forEach((part: ChildPart, at) => {
      if (now.has(known[at]) && !stay.has(known[at])) stay.set(known[at], part)
      else remove(part)
    })
    const parts = drawn.map((value, at) => {
      const key = this.#keys[at]
      const [[first, next] = []] = stay
      const part = stay.get(key)
      stay.delete(key)
      return setChildPartValue(part && first === key ? part : insertPart(list, next, part), value)
    })
    setCommittedValue(list, parts)
    return noChange
  }
}

function remove(part: ChildPart): void {
  const { endNode } = part
  removePart(part)
  endNode?.parentNode?.removeChild(endNode)
}

/** Draws each item of a list. `keyOf` tells items apart: no two have the same key. */
export const each = directive(Each) as <Item>(
  items: readonly Item[],
  keyOf: (item: Item) => unknown,
  draw: (item: Item, at: number) => unknown,
) => DirectiveResult
