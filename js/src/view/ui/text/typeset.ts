// Text that is typeset while it grows. Finished blocks are never read, changed or measured again; the others are read
// once per frame at most, and less often where that takes long, or where more comes than anybody sees.
import { groupAt, onlyGrew, removeFromGroup } from './growing.js'
import type { Strings } from '../shared/ui-strings.js'
import type { CardView } from '../ui-types.js'
import { pageClock, type Clock } from './clock.js'
import type { CodeView } from './code-view.js'
import { Coming } from './coming.js'
import type { CueView } from './cue-view.js'
import { Cutter } from './cut.js'
import { withLineEnds } from './line-ends.js'
import { mathRenderer } from './math-renderer.js'
import { ownViews } from './own-views.js'
import { Patch, type MakeOwn } from './patch.js'
import { drawn } from './text-tree.js'

/** So many blocks are siblings. */
const GROUP = 12
/** While text comes, the next reading waits this many times as long as the last one took. */
const REST = 5
/** Readings that take less than this, in milliseconds, do not wait. */
const QUICK = 4
/** Of frames that bring this many characters each every other one is drawn, of twice as many every third, */
const FLOOD = 20
const MOST_HELD = 2
/** unless none comes for so many milliseconds. */
const FRAMES_MS = 50

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
  #readTo = 0
  #toHold = 0 // frames
  #held = 0
  #timer: unknown
  #coming = new Coming()

  constructor(
    private readonly codeChanged: (view: CodeView) => void = () => {},
    private readonly clock: Clock = pageClock,
  ) {
    this.element.className = 'text'
    this.element.setAttribute('part', 'text')
    this.element.hidden = true
  }

  /**
   * Shows `text`, which usually is the shown text with more at its end. `open`: more may come. `cards`: the calls in
   * it.
   */
  set(text: string, open: boolean, words: Strings, cards: readonly CardView[] = []): void {
    if (cards !== this.#cards) {
      this.#cards = cards
      for (const cue of this.#cues) cue.draw()
    }
    const grew = onlyGrew(this.#text, text)
    if (
      grew &&
      text.length === this.#text.length &&
      open === this.#open &&
      words === this.#words &&
      this.#math === mathRenderer()
    )
      return
    if (!grew || !this.#open || words !== this.#words || this.#math !== mathRenderer()) this.clear(words)
    this.#text = text
    this.#open = open
    if (!open) return this.#read(words)
    const wait = this.#cutter.onlyGrows ? 0 : this.#restUntil - this.clock.now()
    if (wait > 0) {
      this.#later(words, wait)
      this.#coming.show(text, () => this.#groupAt(this.#tail.length))
      this.element.hidden = this.element.childElementCount === 0
    } else if (this.#held < this.#toHold) {
      this.#held++
      this.#later(words, FRAMES_MS)
    } else this.#read(words)
  }

  #later(words: Strings, ms: number): void {
    this.#timer ??= this.clock.setTimeout(() => this.#read(words), ms)
  }

  /** The group of the block at an index of the tail. */
  #groupAt(index: number): Element {
    return groupAt(this.element, this.#finished + index, GROUP)
  }

  /** Forgets what is shown. */
  clear(words = this.#words): void {
    this.#makeOwn =
      words &&
      ownViews(
        words,
        this.codeChanged,
        (cue) => this.#cues.push(cue),
        () => this.#cards,
      )
    this.#words = words
    this.#math = mathRenderer()
    this.#text = ''
    this.#open = true
    this.#cutter = new Cutter()
    this.#tail = []
    this.#cues = []
    this.#finished = this.#left = this.#restUntil = this.#readTo = 0
    this.#toHold = this.#held = 0
    this.clock.clearTimeout(this.#timer)
    this.#timer = undefined
    this.#coming.remove()
    this.element.replaceChildren()
    this.element.hidden = true
  }

  #read(words: Strings): void {
    this.clock.clearTimeout(this.#timer)
    this.#timer = undefined
    this.#toHold = Math.min(MOST_HELD, Math.floor((this.#text.length - this.#readTo) / (this.#held + 1) / FLOOD))
    this.#held = 0
    this.#readTo = this.#text.length
    const begun = this.clock.now()
    const before = Math.floor(this.#finished / GROUP)
    this.#coming.remove()
    const makeOwn = (this.#makeOwn ??= ownViews(
      words,
      this.codeChanged,
      (cue) => this.#cues.push(cue),
      () => this.#cards,
    ))
    const { finished, tail } = this.#cutter.read(withLineEnds(this.#text, this.#open), this.#open)
    const nodes = [...finished, ...tail].flatMap((block, at) =>
      drawn(block, words).map((node) => ({ node, finished: at < finished.length })),
    )
    nodes.forEach(({ node }, at) => {
      const patch = (this.#tail[at] ??= new Patch(makeOwn))
      const fresh = !patch.node
      const shown = patch.show(node)
      if (fresh) this.#groupAt(at).append(shown)
    })
    for (const patch of this.#tail.splice(nodes.length)) removeFromGroup(patch.node)
    const last = this.#tail.at(-1)?.node
    const done = nodes.filter((one) => one.finished).length
    this.#tail.splice(0, done)
    this.#finished += done
    this.element.hidden = this.element.childElementCount === 0
    this.#leave(before)
    this.#coming.read(this.#text, this.#tail.length > 0 ? last : undefined)
    const took = this.clock.now() - begun
    const slow = Math.min(took, this.#took) // one alone may have waited for the processor
    this.#took = took
    this.#restUntil = slow > QUICK ? begun + took + slow * REST : 0
  }

  /**
   * Groups that were full before this reading were drawn with all that they hold: they need not be drawn out of view.
   */
  #leave(full: number): void {
    for (; this.#left < full; this.#left++) this.element.children[this.#left]?.classList.add('done')
  }
}
