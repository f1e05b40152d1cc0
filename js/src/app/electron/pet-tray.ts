// The sign of a pet in the bar of the system, and its menu. It shows that a question waits, also while the pet is
// quiet.
import { messageOf } from '../../engine/core/errors.js'
import { withDot } from './pet-badge.js'
import { menuItems, trayWords, type MenuState } from './pet-menu.js'
import type { PetElectron, PetMenuItem, PetTrayLike } from './pet-types.js'

/** `tray` of `petWindow`. */
export interface PetTrayOptions {
  /** What Electron's `Tray` takes: a path or a `nativeImage`; on macOS a template image. */
  icon: unknown
  /** The same while a question waits. Default: `icon` with a dot; on macOS the number stands beside it. */
  asks?: unknown
  /** Gets the lines of the menu and gives those that are shown. */
  menu?(items: PetMenuItem[]): PetMenuItem[]
}

export class PetTray {
  readonly #electron: PetElectron
  readonly #options: PetTrayOptions | null | undefined
  readonly #state: () => MenuState
  readonly #onProblem: (what: string) => void
  #tray: PetTrayLike | undefined
  #asks = 0

  constructor(
    electron: PetElectron,
    options: PetTrayOptions | null | undefined,
    state: () => MenuState,
    onProblem: (what: string) => void,
  ) {
    this.#electron = electron
    this.#options = options
    this.#state = state
    this.#onProblem = onProblem
    if (!options) return
    try {
      this.#tray = new electron.Tray(options.icon as never)
      this.#tray.on('click', () => {
        const { asks, shown, show, chat } = this.#state()
        if (asks > 0) chat()
        else show(!shown)
      })
    } catch (error) {
      onProblem(`this system has no tray: ${messageOf(error)}`)
    }
  }

  /** The lines of the menu, as they are now. */
  get items(): PetMenuItem[] {
    const items = menuItems(this.#state())
    try {
      return this.#options?.menu?.(items) ?? items
    } catch (error) {
      this.#onProblem(`menu() threw: ${messageOf(error)}`)
      return items
    }
  }

  update(): void {
    if (!this.#tray) return
    const state = this.#state()
    this.#tray.setContextMenu(this.#electron.Menu.buildFromTemplate(this.items) as never)
    this.#tray.setToolTip(trayWords(state))
    if (state.asks !== this.#asks) this.#show(this.#tray, state.asks)
    this.#asks = state.asks
  }

  close(): void {
    this.#tray?.destroy()
    this.#tray = undefined
  }

  #show(tray: PetTrayLike, asks: number): void {
    const { icon, asks: other } = this.#options as PetTrayOptions
    if (other !== undefined) tray.setImage((asks > 0 ? other : icon) as never)
    else if (process.platform === 'darwin') tray.setTitle(asks > 0 ? ` ${asks}` : '')
    else if (asks > 0 !== this.#asks > 0) tray.setImage((asks > 0 ? (this.#dotted ?? icon) : icon) as never)
  }

  get #dotted(): unknown {
    const { nativeImage } = this.#electron
    try {
      return nativeImage && withDot(this.#options?.icon, nativeImage)
    } catch {
      return undefined // the words over it tell as well
    }
  }
}
