// Clicks pass a window where nothing is drawn. Its page is asked: Electron's own messages of a pointer that moves over
// such a window die in silence with a reload and below windows of an administrator, so that the cursor is looked for as
// well.
import { PET_HEARS } from '../bridge/pet-window-messages.js'
import type { PlatformRow } from './pet-platform.js'
import type { PetBrowserWindowLike, PetElectron } from './pet-types.js'

/** How often the cursor is looked for: above the window, and elsewhere. */
const [NEAR_MS, FAR_MS] = [80, 500]
/** What is drawn moves also below a cursor that stands. */
const AGAIN_MS = 400
/** A page that does not answer must not eat clicks. */
const LATE_MS = 400

export class ClickThrough {
  readonly #window: PetBrowserWindowLike
  readonly #screen: PetElectron['screen']
  readonly #row: PlatformRow
  #timer: ReturnType<typeof setTimeout> | undefined
  #ignores: boolean | undefined
  #probe = 0
  #answered = 0
  #askedAt = -Infinity
  #x = NaN
  #y = NaN
  /** It is carried: everything is its own. */
  held = false

  constructor(window: PetBrowserWindowLike, screen: PetElectron['screen'], row: PlatformRow) {
    this.#window = window
    this.#screen = screen
    this.#row = row
    if (!row.through) return
    window.webContents.on('did-finish-load', () => {
      this.#ignores = undefined // forwarding ends with the page that it was for
      this.#ignore(true)
    })
    this.#ignore(true)
    this.#look()
  }

  over(drawn: boolean, probe: number): void {
    if (probe !== this.#probe || !this.#row.through) return
    this.#answered = probe
    this.#ignore(!drawn && !this.held)
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #look(): void {
    if (this.#window.isDestroyed()) return
    let near = false
    if (this.#window.isVisible() && !this.held) {
      const { x, y } = this.#screen.getCursorScreenPoint()
      const bounds = this.#window.getBounds()
      near = x >= bounds.x && y >= bounds.y && x < bounds.x + bounds.width && y < bounds.y + bounds.height
      if (!near) this.#ignore(true)
      else this.#ask(x - bounds.x, y - bounds.y)
    }
    this.#timer = setTimeout(() => this.#look(), near || this.held ? NEAR_MS : FAR_MS)
    this.#timer.unref?.()
  }

  #ask(x: number, y: number): void {
    const now = performance.now()
    const waits = this.#answered !== this.#probe
    if (waits && now - this.#askedAt >= LATE_MS) this.#ignore(true)
    if (x === this.#x && y === this.#y && now - this.#askedAt < AGAIN_MS) return
    if (waits && now - this.#askedAt < LATE_MS) return
    ;[this.#x, this.#y, this.#askedAt] = [x, y, now]
    this.#window.webContents.send(PET_HEARS, { probe: ++this.#probe, x, y })
  }

  #ignore(ignore: boolean): void {
    if (ignore === this.#ignores || this.#window.isDestroyed()) return
    this.#ignores = ignore
    this.#window.setIgnoreMouseEvents(ignore, ...(ignore && this.#row.forwards ? [{ forward: true }] : []))
  }
}
