// A button that acts only after being held by mouse, finger or key, for actions that must not happen by accident.
import type { ReactiveController, ReactiveControllerHost } from 'lit'

const HOLD_MS = 2000

export class Hold implements ReactiveController {
  #button: HTMLElement | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `question`: what the button decides. A hold that began for another question does nothing. */
  constructor(
    host: ReactiveControllerHost & HTMLElement,
    private readonly question: () => string,
    private readonly act: () => void,
  ) {
    host.addController(this)
  }

  /** Sets the button to be held. null sets none and cancels a hold. */
  watch(button: HTMLElement | null): void {
    if (button === this.#button) return
    this.#listen('removeEventListener')
    this.#button = button
    this.#listen('addEventListener')
  }

  hostDisconnected(): void {
    this.watch(null)
  }

  #listen(how: 'addEventListener' | 'removeEventListener'): void {
    this.#end()
    for (const type of ['pointerdown', 'keydown'] as const) this.#button?.[how](type, this.#begin)
    for (const type of ['pointerup', 'pointerleave', 'pointercancel', 'keyup', 'blur'] as const)
      this.#button?.[how](type, this.#end)
  }

  readonly #begin = (event: Event): void => {
    if (event instanceof KeyboardEvent ? !['Enter', ' '].includes(event.key) : (event as PointerEvent).button !== 0)
      return
    if (this.#timer !== undefined || (event as KeyboardEvent).repeat) return
    const question = this.question()
    this.#button?.classList.add('held')
    this.#timer = setTimeout(() => {
      this.#end()
      if (this.question() === question) this.act()
    }, HOLD_MS)
  }

  readonly #end = (): void => {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#button?.classList.remove('held')
  }
}
