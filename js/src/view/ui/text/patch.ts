// Makes the page's nodes equal to a tree. Equal nodes stay, texts grow; nothing in front of a change is touched, so a
// selection survives.
import type { Drawn, Leaf, Own } from './text-tree.js'

/** A part that looks after its own nodes. */
export interface OwnView {
  readonly element: Element
  update(own: Own): void
}

interface Mounted {
  drawn: Drawn
  node: ChildNode
  children: Mounted[]
  view?: OwnView
}

export type MakeOwn = (own: Own) => OwnView

/** Nodes that were made from a tree. */
export class Patch {
  #mounted: Mounted | undefined

  constructor(private readonly makeOwn: MakeOwn) {}

  get node(): ChildNode | undefined {
    return this.#mounted?.node
  }

  /** Shows `drawn`. Returns the node, which may be another one than before. */
  show(drawn: Drawn): ChildNode {
    if (this.#mounted && fits(this.#mounted.drawn, drawn)) this.#update(this.#mounted, drawn)
    else {
      const made = this.#make(drawn)
      this.#mounted?.node.replaceWith(made.node)
      this.#mounted = made
    }
    return (this.#mounted as Mounted).node
  }

  #make(drawn: Drawn): Mounted {
    if (typeof drawn === 'string') return { drawn, node: document.createTextNode(drawn), children: [] }
    if ('own' in drawn) {
      const view = this.makeOwn(drawn)
      view.update(drawn)
      return { drawn, node: view.element, children: [], view }
    }
    const element = document.createElement(drawn.tag)
    for (const [name, value] of Object.entries(drawn.attributes)) element.setAttribute(name, value)
    const children = drawn.children.map((child) => this.#make(child))
    element.append(...children.map(({ node }) => node))
    return { drawn, node: element, children }
  }

  #update(mounted: Mounted, drawn: Drawn): void {
    const before = mounted.drawn
    mounted.drawn = drawn
    if (before === drawn) return
    if (typeof drawn === 'string') return grow(mounted.node as Text, before as string, drawn)
    if ('own' in drawn) return mounted.view?.update(drawn)
    const element = mounted.node as Element
    attributes(element, (before as Leaf).attributes, drawn.attributes)
    const { children } = mounted
    drawn.children.forEach((child, at) => {
      const there = children[at]
      if (there && fits(there.drawn, child)) return this.#update(there, child)
      const made = this.#make(child)
      if (there) there.node.replaceWith(made.node)
      else element.append(made.node)
      children[at] = made
    })
    for (const { node } of children.splice(drawn.children.length)) node.remove()
  }
}

function fits(before: Drawn, now: Drawn): boolean {
  if (typeof before === 'string' || typeof now === 'string') return typeof before === typeof now
  if ('own' in before || 'own' in now) return 'own' in before && 'own' in now && before.own === now.own
  return before.tag === now.tag
}

function grow(node: Text, before: string, now: string): void {
  if (now === before) return
  if (now.startsWith(before)) return node.appendData(now.slice(before.length))
  let same = 0
  while (same < before.length && before[same] === now[same]) same++
  node.replaceData(same, before.length - same, now.slice(same))
}

function attributes(element: Element, before: Leaf['attributes'], now: Leaf['attributes']): void {
  for (const name of Object.keys(before)) if (!Object.hasOwn(now, name)) element.removeAttribute(name)
  for (const [name, value] of Object.entries(now)) if (before[name] !== value) element.setAttribute(name, value)
}
