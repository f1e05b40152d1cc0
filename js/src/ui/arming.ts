// Buttons that decide become active only after they were visible for a moment, in a window with the system's focus. So a click that was meant
// for what was there before, or only to bring the window to the front, decides nothing. `presses.ts` judges each click.
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import { onAttention, watched } from './attention.js'
import { isInView, isSeen, noteDoubt, observing } from './in-view.js'

export const ARM_MS = 600
/** How often to check whether the buttons moved or something lies over them, in milliseconds. A check that takes long comes less often: a page of many questions must not stand still. */
const LOOK_MS = 100
/** How many pixels count as a move. */
const MOVED = 2

export class Arming implements ReactiveController {
  #armed = false
  #hidden = false
  #observer: IntersectionObserver | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #looking: ReturnType<typeof setTimeout> | undefined
  #targets: readonly Element[] = []
  readonly #inView = new Set<Element>()
  #place: string | undefined = ''
  #off: (() => void) | undefined

  /** `still`: what is watched must also not move, nor may anything lie over it. */
  constructor(
    private readonly host: ReactiveControllerHost & HTMLElement,
    private readonly delay: () => number,
    private readonly still = true,
  ) {
    host.addController(this)
  }

  get armed(): boolean {
    return this.#armed
  }

  /** True if all that is watched is in view. */
  get inView(): boolean {
    return this.#targets.length > 0 && this.#inView.size === this.#targets.length
  }

  /** True if all that is watched is in view, and a person cannot see it: a layer or a style hides it. */
  get hidden(): boolean {
    return this.#hidden
  }

  /** True if armed, and neither moved nor covered since the last check: for a click that comes before the next check. */
  get holds(): boolean {
    if (this.#armed && this.#where() !== this.#place) this.restart()
    return this.#armed
  }

  /** Sets the buttons, and what has to be in view with them. */
  watch(...targets: (Element | null | undefined)[]): void {
    const now = targets.filter((target) => target instanceof Element)
    if (now.length === this.#targets.length && now.every((target, at) => target === this.#targets[at])) return
    this.#observer?.disconnect()
    this.#targets = now
    this.#inView.clear()
    this.restart()
    this.#observer = new IntersectionObserver((entries) => {
      const before = this.inView
      for (const entry of entries) {
        noteDoubt(entry)
        if (isInView(entry)) this.#inView.add(entry.target)
        else this.#inView.delete(entry.target)
      }
      if (this.inView !== before) this.restart()
    }, observing)
    for (const target of now) this.#observer.observe(target)
  }

  readonly restart = (): void => {
    clearTimeout(this.#timer)
    this.#set(false)
    if (this.inView && watched()) {
      this.#place = this.#where()
      if (this.#place !== undefined) this.#set(false, false)
      this.#timer = setTimeout(() => {
        this.#set(this.#place !== undefined && this.#where() === this.#place, this.#place === undefined)
        if (!this.#armed) this.restart()
      }, Math.min(this.delay(), 2 ** 31 - 1))
      this.#looking ??= setTimeout(this.#look, LOOK_MS)
    } else {
      this.#set(false, false)
      this.#looking = void clearTimeout(this.#looking)
    }
  }

  readonly #look = (): void => {
    const from = performance.now()
    if (this.#where() !== this.#place) this.restart()
    this.#looking &&= setTimeout(this.#look, LOOK_MS + 9 * (performance.now() - from))
  }

  /** Where what is watched stands. undefined where a person cannot see it. */
  #where(): string | undefined {
    if (!this.still) return ''
    if (!this.#targets.every(isSeen)) return undefined
    return this.#targets.map((target) => {
      const { left, top } = target.getBoundingClientRect()
      return `${Math.round(left / MOVED)} ${Math.round(top / MOVED)}`
    }).join()
  }

  #set(armed: boolean, hidden = this.#hidden): void {
    if (armed === this.#armed && hidden === this.#hidden) return
    this.#armed = armed
    this.#hidden = hidden
    this.host.requestUpdate()
  }

  hostConnected(): void {
    this.#off ??= onAttention(this.restart)
  }

  hostDisconnected(): void {
    this.#off?.()
    this.#off = undefined
    this.watch()
  }
}
