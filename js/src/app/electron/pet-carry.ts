// Carries a window with the cursor: its page would chase what it moves itself.
import type { PetBrowserWindowLike, PetElectron } from './pet-types.js'

const CARRY_MS = 16

export class Carry {
  readonly #window: PetBrowserWindowLike
  readonly #screen: PetElectron['screen']
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(window: PetBrowserWindowLike, screen: PetElectron['screen']) {
    this.#window = window
    this.#screen = screen
  }

  /** It hangs from the cursor. */
  get on(): boolean {
    return this.#timer !== undefined
  }

  /** `size` stays: with fractions of a scale bounds that are read and set again grow. */
  lift(size: { width: number; height: number }): void {
    const from = this.#screen.getCursorScreenPoint()
    const { x, y } = this.#window.getBounds()
    this.#timer = setInterval(() => {
      const now = this.#screen.getCursorScreenPoint()
      this.#window.setBounds({ x: x + now.x - from.x, y: y + now.y - from.y, ...size })
    }, CARRY_MS)
    this.#timer.unref?.()
  }

  drop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
