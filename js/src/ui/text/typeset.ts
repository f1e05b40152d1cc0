// Text that is typeset while it grows. Finished blocks are never read, changed or measured again; the others are read once per frame at most.
import { groupAt, onlyGrew } from '../growing.js'
import type { Strings } from '../strings.js'
import type { CardView } from '../types.js'
import type { CodeView } from './code-view.js'
import type { CueView } from './cue-view.js'
import { Cutter } from './cut.js'
import { mathRenderer } from './math-renderer.js'
import { ownViews } from './own-views.js'
import { withoutOverrides } from './overrides.js'
import { Patch, type MakeOwn } from './patch.js'
import { drawn } from './tree.js'

/** So many blocks are siblings. */
const GROUP = 12
/** While text comes, the next reading waits this many times as long as the last one took. */
const REST = 5
/** Readings that take less than this, in milliseconds, do not wait. */
const QUICK = 4

export class Typeset {
  readonly element = document.createElement('div')
  #text = ''
  #open = true
  #words: Strings | undefined
  #cutter = new Cutter()
  #makeOwn: MakeOwn | undefined
  #math: unknown
  #tail: Patch[] = []
  #finished = 0 // blocks
  #left = 0 // groups
  // -- calls in the text
  #cues: CueView[] = []
  #cards: readonly CardView[] = []
  // -- waiting for the next reading
  #restUntil = 0
  #took = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly codeChanged: (view: CodeView) => void = () => {}) {
    this.element.className = 'text'
    this.element.setAttribute('part', 'text')
    this.element.hidden = true
  }

  /** Shows `text`, which usually is the shown text with more at its end. `open`: more may come. `cards`: the calls in it. */
  set(text: string, open: boolean, words: Strings, cards: readonly CardView[] = []): void {
    if (cards !== this.#cards) {
      this.#cards = cards
      for (const cue of this.#cues) cue.draw()
    }
    const grew = onlyGrew(this.#text, text)
    if (grew && text.length === this.#text.length && open === this.#open && words === this.#words && this.#math === mathRenderer()) return
    if (!grew || !this.#open || words !== this.#words || this.#math !== mathRenderer()) this.clear(words)
    this.#text = text
    this.#open = open
    if (!open) return this.#read(words)
    const wait = this.#restUntil - performance.now()
    if (wait <= 0) this.#read(words)
    else this.#timer ??= setTimeout(() => this.#read(words), wait)
  }

  /** Forgets what is shown. */
  clear(words = this.#words): void {
    this.#makeOwn = words && ownViews(words, this.codeChanged, (cue) => this.#cues.push(cue), () => this.#cards)
    this.#words = words
    this.#math = mathRenderer()
    this.#text = ''
    this.#open = true
    this.#cutter = new Cutter()
    this.#tail = []
    this.#cues = []
    this.#finished = this.#left = this.#restUntil = 0
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.element.replaceChildren()
    this.element.hidden = true
  }

  #read(words: Strings): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const begun = performance.now()
    const before = Math.floor(this.#finished / GROUP)
    const makeOwn = (this.#makeOwn ??= ownViews(words, this.codeChanged, (cue) => this.#cues.push(cue), () => this.#cards))
    const { finished, tail } = this.#cutter.read(withLineEnds(this.#text, this.#open), this.#open)
    const nodes = [...finished, ...tail].flatMap((block, at) => drawn(block, words).map((node) => ({ node, finished: at < finished.length })))
    nodes.forEach(({ node }, at) => {
      const patch = (this.#tail[at] ??= new Patch(makeOwn))
      const fresh = !patch.node
      const shown = patch.show(node)
      if (fresh) groupAt(this.element, this.#finished + at, GROUP).append(shown)
    })
    for (const patch of this.#tail.splice(nodes.length)) remove(patch.node)
    const done = nodes.filter((one) => one.finished).length
    this.#tail.splice(0, done)
    this.#finished += done
    this.element.hidden = this.element.childElementCount === 0
    this.#leave(before)
    const took = performance.now() - begun
    const slow = Math.min(took, this.#took) // one alone may have waited for the processor
    this.#took = took
    this.#restUntil = slow > QUICK ? begun + took + slow * REST : 0
  }

  /** Groups that were full before this reading were drawn with all that they hold: they need not be drawn out of view. */
  #leave(full: number): void {
    for (; this.#left < full; this.#left++) this.element.children[this.#left]?.classList.add('done')
  }
}

/** A group that has become empty goes, too. */
function remove(node: ChildNode | undefined): void {
  const group = node?.parentElement
  node?.remove()
  if (group && group.childNodes.length === 0) group.remove()
}

/** Line feeds only. A carriage return at the end may be half of a line's end. What turns text round is marked: see `overrides.ts`. */
function withLineEnds(text: string, open: boolean): string {
  if (!/[\r\0\u202d\u202e]/.test(text)) return text
  return withoutOverrides((open && text.endsWith('\r') ? text.slice(0, -1) : text).replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd'))
}
