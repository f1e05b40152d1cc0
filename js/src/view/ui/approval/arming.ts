// Buttons that decide become active only after they were visible for a moment, in a window with the system's focus. So
// a click that was meant for what was there before, or only to bring the window to the front, decides nothing.
// `presses.ts` judges each click.
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import { onAttention, watched } from './attention.js'
import { isInView, isSeen, noteDoubt, observing } from './in-view.js'

export const ARM_MS = 600
/** How often to check whether the buttons moved or something lies over them, in milliseconds. */
const LOOK_MS = 100
/**
 * The buttons of the page that are checked, one after another. All checks together take at most a tenth of the page's
 * time: of many questions each is checked less often. A click checks its own.
 */
const checked = new Set<Arming>()
let next: ReturnType<typeof setTimeout> | undefined

function checkNext(): void {
  const from = performance.now()
  const [one] = checked
  if (one) {
    checked.delete(one)
    checked.add(one) // behind the others
    void one.holds
  }
  next = one && setTimeout(checkNext, Math.max(LOOK_MS / checked.size, 9 * (performance.now() - from)))
}

export class Arming implements ReactiveController {
  #armed = false
  #hidden = false
  #observer: IntersectionObserver | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #targets: readonly Element[] = []
  readonly #inView = new Set<Element>()
  #place: string | undefined
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

  /**
   * True if armed, and neither moved nor covered since the last check. It checks: a click may come before the next one.
   */
  get holds(): boolean {
    if (this.#where() !== this.#place) this.restart()
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
    const looks = this.inView && watched()
    if (looks) this.#place = this.#where()
    this.#set(false, looks && this.#hidden && this.#place === undefined)
    if (!looks) return void checked.delete(this)
    this.#timer = setTimeout(
      () => {
        const place = this.#where()
        this.#set(place !== undefined && place === this.#place, place === undefined)
        if (place !== this.#place) this.restart()
      },
      Math.min(this.delay(), 2 ** 31 - 1),
    )
    checked.add(this)
    if (next === undefined) next = setTimeout(checkNext, LOOK_MS)
  }

  /** Where what is watched stands. undefined where a person cannot see it. */
  #where(): string | undefined {
    if (!this.still) return ''
    if (!this.#targets.every(isSeen)) return undefined
    return this.#targets
      .map((target) => {
        const { left, top } = target.getBoundingClientRect()
        return [left >> 1, top >> 1] // in steps of two pixels: less is no move
      })
      .join()
  }

  #set(armed: boolean, hidden: boolean): void {
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
