// Tracks which parts of a question were seen. A part counts as seen once it was wholly in view for a moment, in a focused window. What a
// scroller around it clips is not in view.
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import { onAttention, watched } from './attention.js'

/** How long a part has to be in view, in milliseconds. */
export const SEEN_MS = 300
/** Thresholds at which an observer has to report, for `isInView`. */
export const viewSteps = [0, 0.25, 0.5, 0.75, 0.9, 1]
/** Which share of a part has to be in view; for a part that is higher than its room, which share of the room. */
const ENOUGH = 0.9
const OF_ROOM = 0.8

export class Seen implements ReactiveController {
  #pieces: HTMLElement[] = []
  #seen = new WeakSet<Element>()
  readonly #since = new Map<Element, number>()
  readonly #observer = new IntersectionObserver((entries) => this.#look(entries), { threshold: viewSteps })
  #timer: ReturnType<typeof setTimeout> | undefined
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
    const now = performance.now()
    for (const entry of entries) {
      if (!isInView(entry)) this.#since.delete(entry.target)
      else if (!this.#since.has(entry.target)) this.#since.set(entry.target, now)
    }
    this.#wait()
  }

  #wait(): void {
    clearTimeout(this.#timer)
    if (this.#since.size === 0) return
    const first = Math.min(...this.#since.values())
    this.#timer = setTimeout(() => this.#settle(), Math.max(0, first + SEEN_MS - performance.now()))
  }

  #settle(): void {
    const now = performance.now()
    for (const [piece, since] of this.#since) {
      if (now - since < SEEN_MS) continue
      this.#since.delete(piece)
      this.#seen.add(piece)
      this.#observer.unobserve(piece)
    }
    this.#wait()
    this.host.requestUpdate()
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

/** Whether nearly all of a part is in view, or nearly all that there is room for. */
export function isInView({ target, isIntersecting, intersectionRect, boundingClientRect }: IntersectionObserverEntry): boolean {
  return isIntersecting && intersectionRect.height >= Math.min(ENOUGH * boundingClientRect.height, OF_ROOM * room(target))
}

/** The height available to an element: that of the window, or of the scroller around it. */
function room(element: Element): number {
  let height = innerHeight
  for (const around of scrollers(element)) height = Math.min(height, around.clientHeight)
  return height
}

/** The scrollers around an element, across shadow roots. */
export function* scrollers(element: Element): Generator<Element> {
  for (let node: Node | null = element.parentNode; node; node = (node as Element).assignedSlot ?? node.parentNode ?? (node as Partial<ShadowRoot>).host ?? null) {
    if (node instanceof Element && node !== document.documentElement && node !== document.body && /auto|scroll/.test(getComputedStyle(node).overflowY)) yield node
  }
}
