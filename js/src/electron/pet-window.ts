// The window of a pet: it stands on the edge of the screen, is carried, lets clicks through where nothing is drawn, keeps its place, and has a
// tray, a menu and a bubble. What each system can do of that is `pet-platform.ts`.
import { PET_HEARS, PET_SAYS, type PetWindowMessage, type PetWindowOrder } from '../bridge/pet-window.js'
import { messageOf } from '../core/errors.js'
import { func, is, isObject, members, oneOf, orNull, text, withMethods } from '../core/options.js'
import { menuItems } from './pet-menu.js'
import { boundsAt, bubbleAt, landed, LEAST_SCALE, MOST_SCALE, placeOf, readPlace, sizeOf, type Place, type Rectangle } from './pet-place.js'
import { platformOf, rowOf, type PlatformRow } from './pet-platform.js'
import { ClickThrough } from './pet-through.js'
import type { PetBrowserWindowLike, PetElectron, PetMenuItem, PetSaysEvent, PetTrayLike } from './pet-types.js'

/** What `petWindow` takes. */
export interface PetWindowOptions {
  /** The page of the pet: one with `companion` and `petBody` of sluice/pet. */
  url: string
  /** Of `hostEngine`. */
  preload: string
  /** How wide it is, in the system's pixels. Default 260; it is 1.2 times as high. */
  size?: number
  /**
   * `window`: the bubble is a window of its own; the pages are then `url#body` and `url#bubble`. Default `inside`, also where a system cannot
   * put a window beside another: the page is `url` and draws both.
   */
  bubble?: 'window' | 'inside'
  /** Keys that show and hide it everywhere: `CommandOrControl+Shift+L`. Default none. */
  hotkey?: string | null
  /** Its sign in the bar of the system; null: none. Default none. `menu` may change what it shows, also on the body. */
  tray?: {
    /** What Electron's `Tray` takes: a path or a `nativeImage`; on macOS a template image. */
    icon: unknown
    /** Gets the lines of the menu and gives those that are shown. */
    menu?(items: PetMenuItem[]): PetMenuItem[]
  } | null
  /** Keeps where it stands. Default: it is forgotten. */
  place?: {
    /** What was kept. */
    load(): Place | undefined
    /** It stands somewhere else, or has another size. */
    save(place: Place): void
  }
  /** Shows the chat. */
  openChat(): void
  /** Whether somebody shows slides, or another program fills the screen: Electron cannot tell. Asked every 5 s; the pet is quiet meanwhile. */
  presenting?(): boolean
  /** Something could not be done: a hotkey that is taken, a system without tray. Default: a warning of the process. */
  onProblem?(what: string): void
}

/** The window of a pet. */
export interface PetWindow {
  /** For the rights of its page: `window.webContents.id`. */
  readonly window: PetBrowserWindowLike
  /** That of the bubble, where it has one of its own. */
  readonly bubble: PetBrowserWindowLike | undefined
  /** Shows it. */
  show(): void
  /** Hides it; tray and hotkey bring it back. */
  hide(): void
  /** No bubble, no sound: until then, or until `quiet(null)`. Without a time: until that. */
  quiet(until?: Date | null): void
  /** Times its usual size, from 0.4 to 3. */
  scale(factor: number): void
  /** Ends its windows, tray and hotkey. */
  close(): void
}

const SIZE = 260
const BUBBLE = { width: 320, height: 230 }
const CARRY_MS = 16
const PRESENTING_MS = 5000
const HOUR_MS = 3_600_000
/** setTimeout takes no more. */
const MOST_MS = 2 ** 31 - 1

const checkOptions = members({
  members: {
    url: text, preload: text, size: is('a width from 40 to 2000', (value) => typeof value === 'number' && value >= 40 && value <= 2000),
    bubble: oneOf('window', 'inside'), hotkey: orNull(text), tray: orNull(is('an object with an icon', (value) => isObject(value) && value['icon'] !== undefined)),
    place: withMethods('an object with load and save', 'load', 'save'), openChat: func('() => void'), presenting: func('() => boolean'), onProblem: func('(what) => void'),
  },
  needs: ['url', 'preload', 'openChat'],
})
const parts = ['app', 'BrowserWindow', 'screen', 'Tray', 'Menu', 'globalShortcut', 'powerMonitor', 'ipcMain'] as const
const checkElectron = members({ members: Object.fromEntries(parts.map((part) => [part, is('a part of Electron', (value) => ['object', 'function'].includes(typeof value))])), needs: [...parts], open: true })

/**
 * Opens the window of a pet, once the app is ready: `petWindow(electron, { url, preload, openChat })` with `import * as electron from 'electron'`.
 * @throws SluiceError `option` for an option that is wrong, and for a part of Electron that is missing.
 */
export function petWindow(electron: PetElectron, options: PetWindowOptions): PetWindow {
  checkElectron(electron, 'electron')
  checkOptions(options, 'options')
  return new Pet(electron, options)
}

class Pet implements PetWindow {
  readonly window: PetBrowserWindowLike
  readonly bubble: PetBrowserWindowLike | undefined
  readonly #electron: PetElectron
  readonly #options: PetWindowOptions
  readonly #row: PlatformRow
  readonly #size: number
  readonly #through: ClickThrough
  readonly #bubbleThrough: ClickThrough | undefined
  readonly #offs: (() => void)[] = []
  #tray: PetTrayLike | undefined
  #place: Place
  #carry: ReturnType<typeof setInterval> | undefined
  /** By hand; the others pass by themselves. */
  #quiet = false
  #presenting = false
  #away = false
  #told = false
  #quietEnds: ReturnType<typeof setTimeout> | undefined
  #says = false
  #wanted = true
  #closed = false

  constructor(electron: PetElectron, options: PetWindowOptions) {
    const { app, screen, powerMonitor, ipcMain } = electron
    this.#electron = electron
    this.#options = options
    this.#size = options.size ?? SIZE
    this.#row = rowOf(platformOf(process.platform, process.env, app.commandLine.getSwitchValue('ozone-platform')), process.versions['electron'])
    this.#place = this.#kept() ?? { display: screen.getPrimaryDisplay().id, x: 0.86, y: 1, scale: 1 }
    this.window = this.#open(this.#bounds())
    this.#through = new ClickThrough(this.window, screen, this.#row)
    if (options.bubble === 'window' && this.#row.free) {
      this.bubble = this.#open({ ...BUBBLE, x: 0, y: 0 })
      this.#bubbleThrough = new ClickThrough(this.bubble, screen, this.#row)
      this.#stand()
    }
    const says = (event: PetSaysEvent, message: unknown): void => this.#hear(event, message)
    ipcMain.on(PET_SAYS, says)
    this.#offs.push(() => ipcMain.removeListener(PET_SAYS, says))
    const moved = (): void => this.#move(this.#bounds())
    for (const event of ['display-added', 'display-removed', 'display-metrics-changed'] as const) {
      screen.on(event, moved)
      this.#offs.push(() => screen.removeListener(event, moved))
    }
    for (const [event, away] of [['lock-screen', true], ['suspend', true], ['unlock-screen', false], ['resume', false]] as const) {
      const listener = (): void => this.#leave(away)
      powerMonitor.on(event, listener)
      this.#offs.push(() => powerMonitor.removeListener(event, listener))
    }
    this.#hotkey()
    this.#watch()
    this.#makeTray()
    this.window.on('closed', () => this.close())
    this.show()
    const page = options.url.replace(/#.*$/, '')
    void this.#load(this.window, this.bubble ? `${page}#body` : options.url)
    if (this.bubble) void this.#load(this.bubble, `${page}#bubble`)
  }

  show(): void {
    this.#wanted = true
    if (this.#closed || this.#away) return
    this.window.showInactive()
    this.#says && this.bubble?.showInactive()
    this.#menu()
  }

  hide(): void {
    this.#wanted = false
    if (this.#closed) return
    this.#drop()
    this.window.hide()
    this.bubble?.hide()
    this.#menu()
  }

  quiet(until?: Date | null): void {
    if (this.#closed) return
    clearTimeout(this.#quietEnds)
    const left = until === undefined ? Infinity : until === null ? 0 : until.getTime() - Date.now()
    this.#quiet = left > 0
    if (left > 0 && left < Infinity) {
      this.#quietEnds = setTimeout(() => this.quiet(left > MOST_MS ? until : null), Math.min(left, MOST_MS))
      this.#quietEnds.unref?.()
    }
    this.#hush()
    this.#menu()
  }

  scale(factor: number): void {
    if (!Number.isFinite(factor) || this.#closed) return
    const scale = Math.max(LEAST_SCALE, Math.min(MOST_SCALE, factor))
    this.#place = { ...this.#place, scale }
    this.#move(this.#bounds())
    this.#save()
    this.#menu()
  }

  close(): void {
    if (this.#closed) return
    this.#drop()
    this.#closed = true
    clearTimeout(this.#quietEnds)
    this.#through.close()
    this.#bubbleThrough?.close()
    for (const off of this.#offs) off()
    this.#tray?.destroy()
    for (const window of [this.bubble, this.window]) if (window && !window.isDestroyed()) window.destroy()
  }

  // -- its windows ----------------------------------------------------------------------------------------------------------------

  #open(bounds: Rectangle): PetBrowserWindowLike {
    const { free, level, type, everywhere } = this.#row
    const webPreferences = { preload: this.#options.preload, contextIsolation: true, sandbox: true, nodeIntegration: false, spellcheck: false, backgroundThrottling: true }
    const plain = { width: bounds.width, height: bounds.height, resizable: true, show: false, webPreferences }
    const window = new this.#electron.BrowserWindow(free
      ? {
        ...bounds, transparent: true, frame: false, hasShadow: false, resizable: false, maximizable: false, minimizable: false, fullscreenable: false, alwaysOnTop: true,
        skipTaskbar: true, acceptFirstMouse: true, show: false, ...(type ? { type } : {}), webPreferences,
      }
      : plain)
    window.webContents.on('will-navigate', (event) => event.preventDefault())
    window.webContents.setWindowOpenHandler(() => ({ action: 'deny' }))
    window.webContents.on('did-finish-load', () => this.#tell(window, { quiet: this.#told }))
    window.webContents.on('render-process-gone', () => this.#drop())
    if (!free) return window
    window.setAlwaysOnTop(true, ...(level ? [level] : []))
    if (everywhere) window.setVisibleOnAllWorkspaces(true, { visibleOnFullScreen: true })
    return window
  }

  async #load(window: PetBrowserWindowLike, url: string): Promise<void> {
    try {
      await window.loadURL(url)
    } catch (error) {
      if (!this.#closed) this.#problem(`${url} could not be loaded: ${messageOf(error)}`)
    }
  }

  #bounds(): Rectangle {
    const { screen } = this.#electron
    return boundsAt(this.#place, screen.getAllDisplays(), screen.getPrimaryDisplay(), this.#size)
  }

  #move(bounds: Rectangle): void {
    if (this.#closed || this.#carry) return
    if (this.#row.free) this.window.setBounds(bounds)
    this.#stand()
  }

  /** The bubble goes with the head. */
  #stand(): void {
    if (!this.bubble) return
    const pet = this.window.getBounds()
    const { bounds, side } = bubbleAt(pet, this.#electron.screen.getDisplayMatching(pet), BUBBLE)
    this.bubble.setBounds(bounds)
    this.#tell(this.bubble, { side })
  }

  #tell(window: PetBrowserWindowLike, order: PetWindowOrder): void {
    if (!window.isDestroyed()) window.webContents.send(PET_HEARS, order)
  }

  // -- what its pages say ---------------------------------------------------------------------------------------------------------

  #hear({ sender, senderFrame }: PetSaysEvent, message: unknown): void {
    if (this.#closed || !senderFrame || senderFrame.parent !== null || !isObject(message)) return
    const pet = sender.id === this.window.webContents.id
    if (!pet && sender.id !== this.bubble?.webContents.id) return
    const { over, probe, carry, open, bubble } = message as PetWindowMessage
    if (typeof over === 'boolean' && typeof probe === 'number') (pet ? this.#through : this.#bubbleThrough)?.over(over, probe)
    if (pet && carry === true) this.#lift()
    if (pet && carry === false) this.#drop()
    if (open === 'chat') this.#options.openChat()
    if (open === 'menu') this.#electron.Menu.buildFromTemplate(this.#items()).popup({ window: this.window as never })
    if (!pet && typeof bubble === 'boolean') this.#bubble(bubble)
  }

  #bubble(says: boolean): void {
    this.#says = says
    if (!says || !this.window.isVisible()) return this.bubble?.hide()
    this.#stand()
    this.bubble?.showInactive()
  }

  /** The window follows the cursor: its page would chase what it moves itself. */
  #lift(): void {
    if (this.#carry || !this.#row.free || !this.window.isVisible()) return
    const { screen } = this.#electron
    const from = screen.getCursorScreenPoint()
    const { x, y } = this.window.getBounds()
    const size = sizeOf(this.#size, this.#place.scale) // fixed: with fractions of a scale bounds that are read and set again grow
    this.#through.held = true
    this.bubble?.hide()
    this.#carry = setInterval(() => {
      const now = screen.getCursorScreenPoint()
      this.window.setBounds({ x: x + now.x - from.x, y: y + now.y - from.y, ...size })
    }, CARRY_MS)
    this.#carry.unref?.()
  }

  #drop(): void {
    if (!this.#carry) return
    clearInterval(this.#carry)
    this.#carry = undefined
    this.#through.held = false
    if (this.window.isDestroyed()) return
    const { screen } = this.#electron
    const found = this.window.getBounds()
    const display = screen.getDisplayMatching(found)
    const bounds = landed({ ...found, ...sizeOf(this.#size, this.#place.scale) }, display)
    this.#place = placeOf(bounds, display, this.#place.scale)
    this.#move(bounds)
    this.#tell(this.window, { landed: true })
    if (this.#says && this.window.isVisible()) this.bubble?.showInactive()
    this.#save()
  }

  // -- its place ------------------------------------------------------------------------------------------------------------------

  #kept(): Place | undefined {
    try {
      return readPlace(this.#options.place?.load())
    } catch (error) {
      this.#problem(`the place was not read: ${messageOf(error)}`)
      return undefined
    }
  }

  #save(): void {
    try {
      this.#options.place?.save({ ...this.#place })
    } catch (error) {
      this.#problem(`the place was not kept: ${messageOf(error)}`)
    }
  }

  // -- quiet ----------------------------------------------------------------------------------------------------------------------

  /** Nobody is there: it is not even drawn. */
  #leave(away: boolean): void {
    if (this.#closed || away === this.#away) return
    this.#away = away
    this.#hush()
    if (away) {
      this.#drop()
      this.window.hide()
      this.bubble?.hide()
    } else if (this.#wanted) this.show()
  }

  #hush(): void {
    const quiet = this.#quiet || this.#presenting || this.#away
    if (quiet === this.#told || this.#closed) return
    this.#told = quiet
    for (const window of [this.window, this.bubble]) if (window) this.#tell(window, { quiet })
  }

  #watch(): void {
    const { presenting } = this.#options
    if (!presenting) return
    const timer = setInterval(() => {
      try {
        this.#presenting = presenting() === true
      } catch (error) {
        clearInterval(timer)
        this.#problem(`presenting() threw: ${messageOf(error)}`)
      }
      this.#hush()
    }, PRESENTING_MS)
    timer.unref?.()
    this.#offs.push(() => clearInterval(timer))
  }

  // -- tray, menu, hotkey ---------------------------------------------------------------------------------------------------------

  #items(): PetMenuItem[] {
    const { app } = this.#electron
    const items = menuItems({
      locale: app.getLocale(), shown: this.window.isVisible(), quiet: this.#quiet, scale: this.#place.scale,
      ...(this.#row.starts ? { starts: app.getLoginItemSettings().openAtLogin } : {}),
      show: (on) => (on ? this.show() : this.hide()),
      silence: (on) => this.quiet(on ? new Date(Date.now() + HOUR_MS) : null),
      chat: () => this.#options.openChat(),
      size: (scale) => this.scale(scale),
      start: (openAtLogin) => {
        app.setLoginItemSettings({ openAtLogin })
        this.#menu()
      },
      quit: () => app.quit(),
    })
    return this.#options.tray?.menu?.(items) ?? items
  }

  #makeTray(): void {
    const { tray } = this.#options
    if (!tray) return
    try {
      this.#tray = new this.#electron.Tray(tray.icon as never)
      this.#tray.on('click', () => (this.window.isVisible() ? this.hide() : this.show()))
    } catch (error) {
      this.#problem(`this system has no tray: ${messageOf(error)}`)
    }
  }

  #menu(): void {
    if (this.#closed) return
    this.#tray?.setContextMenu(this.#electron.Menu.buildFromTemplate(this.#items()) as never)
  }

  #hotkey(): void {
    const { hotkey } = this.#options
    if (!hotkey) return
    const { globalShortcut } = this.#electron
    let taken = true
    try {
      taken = !globalShortcut.register(hotkey, () => (this.window.isVisible() ? this.hide() : this.show()))
    } catch {
      // no such keys
    }
    if (taken) this.#problem(`the hotkey ${hotkey} cannot be had`)
    else this.#offs.push(() => globalShortcut.unregister(hotkey))
  }

  #problem(what: string): void {
    if (this.#options.onProblem) this.#options.onProblem(what)
    else process.emitWarning(what, 'SluiceWarning')
  }
}
