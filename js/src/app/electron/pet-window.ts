// The window of a pet: it stands on the edge of the screen, is carried, lets clicks through where nothing is drawn,
// keeps its place, and has a tray, a menu and a bubble. What each system can do of that is `pet-platform.ts`.
import { PET_SAYS, petNotes, type PetNote, type PetWindowMessage } from '../bridge/pet-window-messages.js'
import { messageOf, SluiceError } from '../../engine/core/errors.js'
import { isObject } from '../../engine/core/options.js'
import { Carry } from './pet-carry.js'
import type { MenuState } from './pet-menu.js'
import {
  changed,
  checkElectron,
  checkOptions,
  settingsOf,
  type PetSettings,
  type PetSettingsChange,
  type PetWindow,
  type PetWindowOptions,
} from './pet-options.js'
import {
  boundsAt,
  bubbleAt,
  landed,
  LEAST_SCALE,
  MOST_SCALE,
  placeOf,
  readPlace,
  sizeOf,
  type PetPlace,
  type Rectangle,
} from './pet-place.js'
import { platformOf, rowOf, type PlatformRow } from './pet-platform.js'
import { Quiet } from './pet-quiet.js'
import { Shown } from './pet-shown.js'
import { PetTray } from './pet-tray.js'
import type { PetBrowserWindowLike, PetElectron, PetSaysEvent } from './pet-types.js'

const SIZE = 260
const BUBBLE = { width: 320, height: 230 }
const HOUR_MS = 3_600_000
/** Nobody opens menus or chats faster, and says no longer sentences: a page that does is broken or hostile. */
const [OPEN_MS, MOST_HEARD, MOST_ASKS] = [300, 2000, 99]
/** Of the tray. */
const TELL_MS = 100

/**
 * Opens the window of a pet, once the app is ready: `petWindow(electron, { url, preload, openChat })` with `import * as
 * electron from 'electron'`.
 * @throws SluiceError `option` for an option that is wrong, and for a part of Electron that is missing.
 */
export function petWindow(electron: PetElectron, options: PetWindowOptions): PetWindow {
  checkElectron(electron, 'electron')
  checkOptions(options, 'options')
  return new Pet(electron, options)
}

class Pet implements PetWindow {
  readonly window: PetBrowserWindowLike
  readonly #electron: PetElectron
  readonly #options: PetWindowOptions
  readonly #row: PlatformRow
  readonly #size: number
  readonly #body: Shown
  #bubble: Shown | undefined
  readonly #quiet: Quiet
  readonly #tray: PetTray
  readonly #offs: (() => void)[] = []
  #settings: PetSettings
  /** The keys that it has: another program may have those of the settings. */
  #keys: string | null = null
  #place: PetPlace
  readonly #carry: Carry
  /** What its pages know. */
  #known = { quiet: false, away: false }
  #asks = 0
  #asksTimer: ReturnType<typeof setTimeout> | undefined
  #heard = ''
  #openedAt = -Infinity
  #gone = false
  #says = false
  #wanted = true
  #closed = false

  constructor(electron: PetElectron, options: PetWindowOptions) {
    const { app, screen, powerMonitor, ipcMain } = electron
    this.#electron = electron
    this.#options = options
    this.#size = options.size ?? SIZE
    this.#row = rowOf(
      platformOf(process.platform, process.env, app.commandLine.getSwitchValue('ozone-platform')),
      process.versions['electron'],
    )
    const place = this.#guard('the place was not read', () => readPlace(options.place?.load()))
    this.#settings = settingsOf(
      this.#guard('the settings were not read', () => options.settings?.load()),
      place,
      options.hotkey,
    )
    this.#place = place ?? { display: screen.getPrimaryDisplay().id, x: 0.86, y: 1, scale: this.#settings.scale }
    this.#body = this.#open(this.#bounds())
    this.window = this.#body.window
    this.#carry = new Carry(this.window, screen)
    if (options.bubble === 'window' && this.#row.free) {
      this.#bubble = this.#open({ ...this.#bubbleSize, x: 0, y: 0 })
      this.#bubble.window.on('closed', () => this.#lose())
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
    this.#tray = new PetTray(
      electron,
      options.tray,
      () => this.#menuState(),
      (what) => this.#problem(what),
    )
    this.#quiet = new Quiet({
      powerMonitor,
      hours: this.#settings.quietHours,
      presenting: options.presenting && (() => options.presenting?.() === true),
      onChange: () => this.#hush(),
      onProblem: (what) => this.#problem(what),
    })
    const { hotkey } = this.#settings
    if (hotkey !== null && !this.#take(hotkey)) this.#problem(`the hotkey ${hotkey} cannot be had`)
    this.window.on('closed', () => this.close())
    this.#hush()
    this.show()
    const page = options.url.replace(/#.*$/, '')
    void this.#body.load(this.#bubble ? `${page}#body` : options.url)
    void this.#bubble?.load(`${page}#bubble`)
  }

  get bubble(): PetBrowserWindowLike | undefined {
    return this.#bubble?.window
  }

  get settings(): PetSettings {
    return structuredClone(this.#settings)
  }

  change(change: PetSettingsChange): void {
    const next = changed(this.#settings, change)
    if (this.#closed) return
    const before = this.#settings
    if (change.hotkey !== undefined && !this.#take(next.hotkey)) {
      throw new SluiceError({
        code: 'option',
        path: 'hotkey',
        detail: `${next.hotkey} cannot be had: another program has it, or there are no such keys`,
      })
    }
    this.#settings = next
    this.#quiet.hours(next.quietHours)
    if (next.scale !== before.scale) this.#grow(next.scale)
    this.#stand()
    for (const shown of this.#all) shown.tell({ look: next.bubble })
    this.#guard('the settings were not kept', () => this.#options.settings?.save(this.settings))
    this.#tray.update()
  }

  show(): void {
    this.#wanted = true
    if (this.#closed || this.#gone) return
    this.window.showInactive()
    if (this.#says) this.#bubble?.window.showInactive()
    this.#tray.update()
  }

  hide(): void {
    this.#wanted = false
    if (this.#closed) return
    this.#drop()
    this.window.hide()
    this.#bubble?.window.hide()
    this.#tray.update()
  }

  quiet(until?: Date | null): void {
    if (this.#closed) return
    this.#quiet.until(until)
    this.#tray.update()
  }

  scale(factor: number): void {
    if (Number.isFinite(factor)) this.change({ scale: Math.max(LEAST_SCALE, Math.min(MOST_SCALE, factor)) })
  }

  asking(count: number): void {
    const asks = Math.max(0, Math.min(MOST_ASKS, Math.trunc(count) || 0))
    if (asks === this.#asks || this.#closed) return
    this.#asks = asks
    if (this.#asksTimer) return
    this.#asksTimer = setTimeout(() => {
      // a page that tells it a thousand times a second makes no thousand menus
      this.#asksTimer = undefined
      this.#tray.update()
    }, TELL_MS)
    this.#asksTimer.unref?.()
  }

  close(): void {
    if (this.#closed) return
    this.#drop()
    this.#closed = true
    clearTimeout(this.#asksTimer)
    this.#quiet.close()
    this.#take(null)
    for (const off of this.#offs) off()
    this.#tray.close()
    for (const shown of this.#all.reverse()) shown.close()
  }

  // -- its windows ----------------------------------------------------------------------------------------------------

  get #all(): Shown[] {
    return this.#bubble ? [this.#body, this.#bubble] : [this.#body]
  }

  get #bubbleSize(): { width: number; height: number } {
    const { size } = this.#settings.bubble
    return { width: Math.round(BUBBLE.width * size), height: Math.round(BUBBLE.height * size) }
  }

  #open(bounds: Rectangle): Shown {
    return new Shown({
      electron: this.#electron,
      row: this.#row,
      preload: this.#options.preload,
      bounds,
      onLoad: (shown) => this.#greet(shown),
      onGone: (shown) => this.#forget(shown),
      onProblem: (what) => this.#problem(what),
    })
  }

  /** A page that was loaded, or listens only now, knows nothing. */
  #greet(shown: Shown): void {
    if (this.#closed) return
    shown.tell({ ...this.#known })
    shown.tell({ look: this.#settings.bubble })
    if (shown !== this.#bubble) return
    this.#stand()
    shown.tell({ heard: this.#heard })
  }

  /** What a page said that is gone, or hangs, holds no more: it would never let go of what it carries. */
  #forget(shown: Shown): void {
    if (shown === this.#bubble) return this.#speak(false)
    this.#drop()
    this.#relay('')
    this.#bubble?.tell({ note: '' })
    this.asking(0)
  }

  /** The window of the bubble was closed by itself. */
  #lose(): void {
    this.#bubble?.leave()
    this.#bubble = undefined
  }

  #bounds(): Rectangle {
    const { screen } = this.#electron
    return boundsAt(this.#place, screen.getAllDisplays(), screen.getPrimaryDisplay(), this.#size)
  }

  #move(bounds: Rectangle): void {
    if (this.#closed || this.#carry.on) return
    if (this.#row.free) this.window.setBounds(bounds)
    this.#stand()
  }

  #grow(scale: number): void {
    this.#drop()
    this.#place = { ...this.#place, scale }
    if (this.#row.free) this.#move(this.#bounds())
    // where it stands is the system's business
    else this.window.setBounds({ ...this.window.getBounds(), ...sizeOf(this.#size, scale) })
    this.#keep()
  }

  /** The bubble goes with the head. */
  #stand(): void {
    if (!this.#bubble) return
    const pet = this.window.getBounds()
    const { bounds, side, points } = bubbleAt(pet, this.#electron.screen.getDisplayMatching(pet), this.#bubbleSize)
    this.#bubble.window.setBounds(bounds)
    this.#bubble.tell({ side, points })
  }

  // -- what its pages say ---------------------------------------------------------------------------------------------

  #hear({ sender, senderFrame }: PetSaysEvent, message: unknown): void {
    if (this.#closed || !senderFrame || senderFrame.parent !== null || !isObject(message)) return
    const shown = this.#all.find(({ id }) => id === sender.id)
    if (!shown) return
    const { over, probe, carry, open, bubble, asks, heard, note, ready } = message as PetWindowMessage
    if (ready === true) this.#greet(shown)
    if (typeof over === 'boolean' && typeof probe === 'number') shown.through.over(over, probe)
    if (open === 'chat' || open === 'menu') this.#act(open)
    if (shown === this.#bubble) {
      if (typeof bubble === 'boolean') this.#speak(bubble)
      return
    }
    if (carry === true) this.#lift()
    if (carry === false) this.#drop()
    if (typeof asks === 'number') this.asking(asks)
    if (typeof heard === 'string') this.#relay(heard.slice(0, MOST_HEARD))
    if (note === '' || petNotes.includes(note as PetNote)) this.#bubble?.tell({ note: note as PetNote | '' })
  }

  #act(open: 'chat' | 'menu'): void {
    const now = performance.now()
    if (now - this.#openedAt < OPEN_MS) return
    this.#openedAt = now
    if (open === 'chat') this.#options.openChat()
    else this.#electron.Menu.buildFromTemplate(this.#tray.items).popup({ window: this.window as never })
  }

  /** Eye and ear agree: the page that speaks is not that of the bubble. */
  #relay(heard: string): void {
    if (heard === this.#heard) return
    this.#heard = heard
    if (this.#bubble) this.#bubble.tell({ heard })
  }

  #speak(says: boolean): void {
    if (says === this.#says) return
    this.#says = says
    if (!says || !this.window.isVisible()) return this.#bubble?.window.hide()
    if (this.#carry.on) return // it comes where the pet lands
    this.#stand()
    this.#bubble?.window.showInactive()
  }

  #lift(): void {
    if (this.#carry.on || !this.#row.free || !this.window.isVisible()) return
    this.#body.through.held = true
    this.#bubble?.window.hide()
    this.#carry.lift(sizeOf(this.#size, this.#place.scale))
  }

  #drop(): void {
    if (!this.#carry.on) return
    this.#carry.drop()
    this.#body.through.held = false
    if (this.window.isDestroyed()) return
    const { screen } = this.#electron
    const found = this.window.getBounds()
    const display = screen.getDisplayMatching(found)
    const bounds = landed({ ...found, ...sizeOf(this.#size, this.#place.scale) }, display)
    const before = this.#place
    this.#place = placeOf(bounds, display, before.scale)
    this.#move(bounds)
    this.#body.tell({ landed: true })
    if (this.#says && this.window.isVisible()) this.#bubble?.window.showInactive()
    if (before.x !== this.#place.x || before.y !== this.#place.y || before.display !== this.#place.display) this.#keep()
  }

  #keep(): void {
    this.#guard('the place was not kept', () => this.#options.place?.save({ ...this.#place }))
  }

  // -- quiet ----------------------------------------------------------------------------------------------------------

  /** While nobody can see it, it is not even drawn. */
  #hush(): void {
    if (this.#closed || !this.#quiet) return
    const { quiet, gone, away } = this.#quiet
    if (quiet !== this.#known.quiet || away !== this.#known.away) {
      this.#known = { quiet, away }
      for (const shown of this.#all) shown.tell({ ...this.#known })
    }
    if (gone !== this.#gone) {
      this.#gone = gone
      if (gone) {
        this.#drop()
        this.window.hide()
        this.#bubble?.window.hide()
      } else if (this.#wanted) this.show()
    }
    this.#tray.update()
  }

  // -- tray, menu, hotkey ---------------------------------------------------------------------------------------------

  #menuState(): MenuState {
    const { app } = this.#electron
    return {
      locale: app.getLocale(),
      name: this.#options.name ?? 'Lulu',
      asks: this.#asks,
      shown: this.window.isVisible(),
      quiet: this.#quiet?.byHand ?? false,
      scale: this.#place.scale,
      ...(this.#row.starts ? { starts: app.getLoginItemSettings().openAtLogin } : {}),
      show: (on) => (on ? this.show() : this.hide()),
      silence: (on) => this.quiet(on ? new Date(Date.now() + HOUR_MS) : null),
      chat: () => this.#options.openChat(),
      size: (scale) => this.scale(scale),
      start: (openAtLogin) => {
        app.setLoginItemSettings({ openAtLogin })
        this.#tray.update()
      },
      quit: () => app.quit(),
    }
  }

  /** Keys in place of those that it has. False: they cannot be had, and it keeps its own. */
  #take(keys: string | null): boolean {
    if (keys === this.#keys) return true
    const { globalShortcut } = this.#electron
    try {
      if (keys !== null && !globalShortcut.register(keys, () => (this.window.isVisible() ? this.hide() : this.show())))
        return false
    } catch {
      return false // no such keys
    }
    if (this.#keys !== null) globalShortcut.unregister(this.#keys)
    this.#keys = keys
    return true
  }

  #guard<T>(what: string, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.#problem(`${what}: ${messageOf(error)}`)
      return undefined
    }
  }

  #problem(what: string): void {
    if (this.#options.onProblem) this.#options.onProblem(what)
    else process.emitWarning(what, 'SluiceWarning')
  }
}
