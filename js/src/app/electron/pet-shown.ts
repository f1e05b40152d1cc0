// A window of the pet and its page: it may nothing but draw and say what it wants, and is loaded again where it
// crashed.
import { PET_HEARS, type PetWindowOrder } from '../bridge/pet-window-messages.js'
import { messageOf } from '../../engine/core/errors.js'
import type { Rectangle } from './pet-place.js'
import type { PlatformRow } from './pet-platform.js'
import { ClickThrough } from './pet-through.js'
import type { PetBrowserWindowLike, PetElectron } from './pet-types.js'

/** A page whose process is gone is loaded again, but not over and over. */
const [RELOAD_MS, RELOAD_AGAIN_MS] = [1000, 60_000]

export interface ShownOptions {
  electron: PetElectron
  row: PlatformRow
  preload: string
  bounds: Rectangle
  /** It was loaded, and knows nothing. */
  onLoad(shown: Shown): void
  /** What it said is gone: it is another page, crashed, or hangs. */
  onGone(shown: Shown): void
  onProblem(what: string): void
}

export class Shown {
  readonly window: PetBrowserWindowLike
  /** Of its page. */
  readonly id: number
  readonly through: ClickThrough
  readonly #options: ShownOptions
  #reloadedAt = -Infinity
  #reload: ReturnType<typeof setTimeout> | undefined
  #closed = false

  constructor(options: ShownOptions) {
    const { electron, row, preload, bounds } = options
    const { free, level, type, everywhere } = row
    this.#options = options
    // It speaks, though nobody ever clicked on it.
    const webPreferences = {
      preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      spellcheck: false,
      backgroundThrottling: true,
      autoplayPolicy: 'no-user-gesture-required' as const,
    }
    const plain = { width: bounds.width, height: bounds.height, resizable: true, show: false, webPreferences }
    this.window = new electron.BrowserWindow(
      free
        ? {
            ...bounds,
            transparent: true,
            frame: false,
            hasShadow: false,
            resizable: false,
            maximizable: false,
            minimizable: false,
            fullscreenable: false,
            alwaysOnTop: true,
            skipTaskbar: true,
            acceptFirstMouse: true,
            show: false,
            ...(type ? { type } : {}),
            webPreferences,
          }
        : plain,
    )
    const { webContents } = this.window
    this.id = webContents.id
    this.through = new ClickThrough(this.window, electron.screen, row)
    webContents.on('will-navigate', (event) => event.preventDefault())
    webContents.setWindowOpenHandler(() => ({ action: 'deny' }))
    webContents.on('did-navigate', () => this.#gone())
    webContents.on('did-finish-load', () => this.#closed || options.onLoad(this))
    webContents.on('render-process-gone', () => this.#revive())
    this.window.on('unresponsive', () => this.#gone())
    if (!free) return
    this.window.setAlwaysOnTop(true, ...(level ? [level] : []))
    // Not as an app without a dock: the chat's window is one of the app's too.
    if (everywhere)
      this.window.setVisibleOnAllWorkspaces(true, { visibleOnFullScreen: true, skipTransformProcessType: true })
  }

  async load(url: string): Promise<void> {
    try {
      await this.window.loadURL(url)
    } catch (error) {
      if (!this.#closed) this.#options.onProblem(`${url} could not be loaded: ${messageOf(error)}`)
    }
  }

  tell(order: PetWindowOrder): void {
    if (!this.window.isDestroyed()) this.window.webContents.send(PET_HEARS, order)
  }

  /** Nothing of it is heard any more. */
  leave(): void {
    this.#closed = true
    clearTimeout(this.#reload)
    this.through.close()
  }

  close(): void {
    this.leave()
    if (!this.window.isDestroyed()) this.window.destroy()
  }

  #gone(): void {
    if (!this.#closed) this.#options.onGone(this)
  }

  #revive(): void {
    if (this.#closed) return
    this.#gone()
    const now = performance.now()
    if (now - this.#reloadedAt < RELOAD_AGAIN_MS)
      return this.#options.onProblem('the page of the pet crashed twice within a minute')
    this.#reloadedAt = now
    this.#reload = setTimeout(() => this.window.isDestroyed() || this.window.webContents.reload(), RELOAD_MS)
    this.#reload.unref?.()
  }
}
