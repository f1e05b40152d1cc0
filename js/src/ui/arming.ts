// Buttons that decide wait a moment: from when they can be seen, in a window that has the focus of the system. A click that was
// meant for what stood there before, or only to bring the window to the front, decides nothing.
import type { ReactiveController, ReactiveControllerHost } from 'lit'

export const ARM_MS = 600

export class Arming implements ReactiveController {
  armed = false
  #observer: IntersectionObserver | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #target: Element | undefined
  #seen = false

  constructor(
    private readonly host: ReactiveControllerHost & HTMLElement,
    private readonly delay: () => number,
  ) {
    host.addController(this)
  }

  /** The buttons. */
  watch(target: Element | undefined): void {
    if (target === this.#target) return
    this.#observer?.disconnect()
    this.#target = target
    this.#seen = false
    this.restart()
    if (!target) return
    this.#observer = new IntersectionObserver((entries) => {
      this.#seen = entries.at(-1)?.isIntersecting ?? false
      this.restart()
    }, { threshold: 0.5 })
    this.#observer.observe(target)
  }

  readonly restart = (): void => {
    clearTimeout(this.#timer)
    this.#set(false)
    if (this.#seen && document.visibilityState === 'visible') this.#timer = setTimeout(() => this.#set(true), this.delay())
  }

  #set(armed: boolean): void {
    if (armed === this.armed) return
    this.armed = armed
    this.host.requestUpdate()
  }

  hostConnected(): void {
    document.addEventListener('visibilitychange', this.restart)
    addEventListener('focus', this.#focused)
  }

  hostDisconnected(): void {
    document.removeEventListener('visibilitychange', this.restart)
    removeEventListener('focus', this.#focused)
    this.watch(undefined)
    clearTimeout(this.#timer)
    this.armed = false
  }

  readonly #focused = (event: Event): void => {
    if (event.target === window) this.restart()
  }
}
