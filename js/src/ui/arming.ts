// Buttons that decide become active only after they were visible for a moment, in a window with the system's focus. So a click that was meant
// for what was there before, or only to bring the window to the front, decides nothing. `presses.ts` judges each click.
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import { onAttention, watched } from './attention.js'
import { isInView, isSeen, noteDoubt, observing } from './in-view.js'

export const ARM_MS = 600
/** How often to check whether the buttons moved or something lies over them, in milliseconds, */
const LOOK_MS = 100
/** and how many pixels count as a move. */
const MOVED = 2

export class Arming implements ReactiveController {
  #armed = false
  #hidden = false
  #observer: IntersectionObserver | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #looking: ReturnType<typeof setInterval> | undefined
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
    if (now.length === 0) return
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
      if (this.#place !== undefined) this.#hide(false)
      this.#timer = setTimeout(() => {
        this.#hide(this.#place === undefined)
        if (this.#place !== undefined && this.#where() === this.#place) this.#set(true)
        else this.restart()
      }, Math.min(this.delay(), 2 ** 31 - 1))
      this.#looking ??= setInterval(() => this.#where() !== this.#place && this.restart(), LOOK_MS)
    } else {
      this.#hide(false)
      this.#looking = void clearInterval(this.#looking)
    }
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

  #set(armed: boolean): void {
    if (armed === this.#armed) return
    this.#armed = armed
    this.host.requestUpdate()
  }

  #hide(hidden: boolean): void {
    if (hidden === this.#hidden) return
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
    clearTimeout(this.#timer)
    this.#looking = void clearInterval(this.#looking)
    this.#armed = false
  }
}
