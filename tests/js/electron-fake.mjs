// Electron as far as the window of a pet uses it: windows with bounds and a page that hears, displays, a cursor, a
// tray, menus, keys, a lock. As there: what is done with a window that is destroyed throws, and bounds are whole
// numbers.
import { EventEmitter } from 'node:events'
import { built } from './dist.mjs'

const { PET_HEARS, PET_SAYS } = await built('pet-window-messages')

export const display = (id, x = 0, y = 0, width = 1920, height = 1040) => ({ id, workArea: { x, y, width, height } })

const picture = (pixels, size) => ({ pixels, isEmpty: () => false, getSize: () => size, toBitmap: () => pixels })

export function fakeElectron({
  displays = [display(1)],
  ozone = '',
  tray: hasTray = true,
  taken = [],
  idle = () => 0,
} = {}) {
  const calls = []
  const windows = []
  const trays = []
  const menus = []
  let cursor = { x: 0, y: 0 }
  let ids = 0
  let login = { openAtLogin: false }
  const keys = new Map()

  class WebContents extends EventEmitter {
    id = ++ids
    heard = []
    sent(order) {
      return this.heard.filter((one) => order in one)
    }
    send(channel, order) {
      if (channel !== PET_HEARS) throw new Error(channel)
      this.heard.push(structuredClone(order))
    }
    reloads = 0
    reload() {
      this.reloads++
      this.emit('did-navigate')
      this.emit('did-finish-load')
    }
    setWindowOpenHandler(handler) {
      this.opens = handler().action
    }
  }

  class BrowserWindow extends EventEmitter {
    #contents = new WebContents()
    get webContents() {
      this.#here()
      return this.#contents
    }
    #bounds
    #visible
    #gone = false
    constructor(settings) {
      super()
      this.settings = settings
      const { x = 0, y = 0, width = 800, height = 600, show = true } = settings
      this.#bounds = { x, y, width, height }
      this.#visible = show
      windows.push(this)
    }
    #here() {
      if (this.#gone) throw new TypeError('Object has been destroyed')
    }
    getBounds() {
      this.#here()
      return { ...this.#bounds }
    }
    setBounds(bounds) {
      this.#here()
      for (const [name, value] of Object.entries(bounds))
        if (!Number.isInteger(value)) throw new TypeError(`Error processing argument: ${name} ${value}`)
      this.#bounds = { ...this.#bounds, ...bounds }
    }
    showInactive() {
      this.#here()
      this.#visible = true
    }
    hide() {
      this.#here()
      this.#visible = false
    }
    isVisible() {
      this.#here()
      return this.#visible
    }
    isDestroyed() {
      return this.#gone
    }
    destroy() {
      if (this.#gone) return
      this.#gone = true
      this.emit('closed')
    }
    setIgnoreMouseEvents(ignore, options) {
      this.#here()
      this.ignores = ignore
      this.forwards = options?.forward === true
      this.ignored = (this.ignored ?? 0) + 1
    }
    setAlwaysOnTop(...args) {
      this.top = args
    }
    setVisibleOnAllWorkspaces(...args) {
      this.everywhere = args
    }
    async loadURL(url) {
      this.url = url
      this.webContents.emit('did-navigate')
      this.webContents.emit('did-finish-load')
    }
    // -- of the test: what its page says
    says(message, { parent = null, sender = this.#contents } = {}) {
      ipcMain.emit(PET_SAYS, { sender, senderFrame: { url: this.url, parent } }, structuredClone(message))
    }
  }

  class Tray extends EventEmitter {
    constructor(icon) {
      super()
      if (!hasTray) throw new Error('no StatusNotifierWatcher')
      this.icon = this.image = icon
      trays.push(this)
    }
    changed = 0
    setToolTip(tip) {
      this.tip = tip
    }
    setTitle(title) {
      this.title = title
    }
    setImage(image) {
      this.image = image
    }
    setContextMenu(menu) {
      this.menu = menu
      this.changed++
    }
    destroy() {
      this.gone = true
    }
  }

  const ipcMain = new EventEmitter()
  const screen = Object.assign(new EventEmitter(), {
    getCursorScreenPoint: () => ({ ...cursor }),
    getAllDisplays: () => displays,
    getPrimaryDisplay: () => displays[0],
    getDisplayMatching: ({ x, width }) =>
      displays.find(({ workArea: area }) => x + width / 2 >= area.x && x + width / 2 < area.x + area.width) ??
      displays[0],
  })
  const electron = {
    app: {
      quit: () => calls.push('quit'),
      getLocale: () => 'en-US',
      commandLine: { getSwitchValue: (name) => (name === 'ozone-platform' ? ozone : '') },
      getLoginItemSettings: () => login,
      setLoginItemSettings: (settings) => (login = settings),
    },
    BrowserWindow,
    screen,
    Tray,
    ipcMain,
    Menu: { buildFromTemplate: (items) => ({ items, popup: (options) => menus.push({ items, options }) }) },
    globalShortcut: {
      register: (key, run) => !taken.includes(key) && (keys.set(key, run), true),
      unregister: (key) => keys.delete(key),
    },
    powerMonitor: Object.assign(new EventEmitter(), { getSystemIdleTime: () => idle() }),
    nativeImage: {
      createFromPath: () =>
        picture(
          new Uint8Array(16 * 16 * 4).map((_, at) => (at % 4 === 3 ? 255 : 9)),
          { width: 16, height: 16 },
        ),
      createFromBitmap: (pixels, size) => picture(pixels, size),
    },
  }
  return {
    electron,
    windows,
    trays,
    menus,
    keys,
    calls,
    cursor: (x, y) => (cursor = { x, y }),
    displays(next, event) {
      displays = next
      screen.emit(event)
    },
    /** Everything that still listens. */
    get listening() {
      return [ipcMain, screen, electron.powerMonitor].reduce(
        (sum, one) => sum + one.eventNames().reduce((count, name) => count + one.listenerCount(name), 0),
        0,
      )
    },
  }
}
