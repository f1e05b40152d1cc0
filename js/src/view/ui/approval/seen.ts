// Tracks which parts of a question were seen. A part counts as seen once all of it was in view for a moment, in a
// focused window: one that is higher than its room bit by bit.
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import { onAttention, watched } from './attention.js'
import { noteDoubt, observing, viewsOf } from './in-view.js'
import { SeenParts } from './seen-parts.js'

/** How long a part has to be in view, in milliseconds. */
export const SEEN_MS = 300
/** How often what is in view is looked at meanwhile: something may lie over it. */
const LOOK_MS = 100

export class Seen implements ReactiveController {
  #pieces: HTMLElement[] = []
  #seen = new WeakSet<Element>()
  #parts = new WeakMap<Element, SeenParts>()
  /** What is in view, since when, and what of it was all the time, in pixels from its top. */
  readonly #since = new Map<Element, { from: number; top: number; bottom: number }>()
  readonly #observer = new IntersectionObserver((entries) => this.#look(entries), { ...observing, threshold: 0 })
  #timer: ReturnType<typeof setTimeout> | undefined
  /** How long the last look took, in milliseconds: with thousands of lines in the question long. */
  #took = 0
  #off: (() => void) | undefined

  constructor(private readonly host: ReactiveControllerHost & HTMLElement) {
    host.addController(this)
  }

  /** Sets the parts to watch. Parts that were watched before stay seen. */
  watch(pieces: HTMLElement[]): void {
    if (pieces.length === this.#pieces.length && pieces.every((piece, at) => piece === this.#pieces[at])) return
    this.#pieces = pieces
    this.#begin()
  }

  /** Forgets what was seen. */
  forget(): void {
    this.#seen = new WeakSet()
    this.#parts = new WeakMap()
    this.#begin()
  }

  get complete(): boolean {
    return this.#pieces.length > 0 && this.#pieces.every((piece) => this.#seen.has(piece))
  }

  /** True if no part was seen yet. */
  get fresh(): boolean {
    return !this.#pieces.some((piece) => this.#seen.has(piece))
  }

  /** How many lines were not seen. */
  get missing(): number {
    return this.#unseen.reduce((sum, piece) => sum + Number(piece.dataset['lines'] ?? 1), 0)
  }

  /** The first part that was not seen. */
  get next(): HTMLElement | undefined {
    return this.#unseen[0]
  }

  /** How far below its top what was not seen of it begins, in pixels. */
  get nextTop(): number {
    const { next } = this
    if (!next) return 0
    const end = this.#parts.get(next)?.end(next.getBoundingClientRect()) ?? 0
    return Number.isFinite(end) ? end : 0
  }

  get #unseen(): HTMLElement[] {
    return this.#pieces.filter((piece) => !this.#seen.has(piece))
  }

  #begin(): void {
    this.#observer.disconnect()
    this.#since.clear()
    clearTimeout(this.#timer)
    if (!watched()) return
    for (const piece of this.#unseen) this.#observer.observe(piece)
  }

  #look(entries: IntersectionObserverEntry[]): void {
    const from = performance.now()
    for (const entry of entries) {
      const { target } = entry
      noteDoubt(entry)
      if (!entry.isIntersecting) this.#since.delete(target)
      else if (!this.#since.has(target)) this.#since.set(target, { from, top: 0, bottom: Infinity })
    }
    this.#wait()
  }

  #wait(): void {
    clearTimeout(this.#timer)
    if (this.#since.size > 0) this.#timer = setTimeout(() => this.#settle(), Math.max(LOOK_MS, 5 * this.#took))
  }

  #settle(): void {
    const now = performance.now()
    const views = viewsOf([...this.#since.keys()])
    this.#took = performance.now() - now
    let more = false
    for (const [piece, { from, ...held }] of this.#since) {
      const view = views.get(piece)
      const box = piece.getBoundingClientRect()
      const seen = view ? { top: view.top - box.top, bottom: view.bottom - box.top } : { top: 0, bottom: 0 }
      const both = { top: Math.max(held.top, seen.top), bottom: Math.min(held.bottom, seen.bottom) }
      if (!view || both.bottom < both.top) this.#since.set(piece, { from: now, ...seen })
      else if (now - from < SEEN_MS) this.#since.set(piece, { from, ...both })
      else {
        const parts = this.#parts.get(piece) ?? new SeenParts()
        this.#parts.set(piece, parts)
        parts.add(both, box)
        if (parts.end(box) === Infinity) {
          this.#since.delete(piece)
          this.#seen.add(piece)
          this.#observer.unobserve(piece)
        } else this.#since.set(piece, { from: now, ...seen })
        more = true
      }
    }
    this.#wait()
    if (more) this.host.requestUpdate()
  }

  hostConnected(): void {
    this.#off ??= onAttention(() => this.#begin())
    this.#begin()
  }

  hostDisconnected(): void {
    this.#off?.()
    this.#off = undefined
    this.#observer.disconnect()
    this.#since.clear()
    clearTimeout(this.#timer)
  }
}
