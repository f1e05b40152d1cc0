// What the examples for Electron's main process use of `electron`. It notes what was asked of it and prints that at the
// end.
import { EventEmitter } from 'node:events'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

const noted = []

class WebContents extends EventEmitter {
  isDestroyed() {
    return false
  }
  send() {}
  setWindowOpenHandler() {}
}

export class BrowserWindow extends EventEmitter {
  webContents = new WebContents()
  constructor(options) {
    super()
    noted.push({ window: options.webPreferences })
  }
  loadURL(url) {
    noted.push({ url })
    return Promise.resolve()
  }
  getBounds() {
    return { x: 0, y: 0, width: 260, height: 312 }
  }
  isVisible() {
    return true
  }
  isDestroyed() {
    return false
  }
  static getAllWindows() {
    return []
  }
  static fromWebContents() {
    return null
  }
}

export const ipcMain = Object.assign(new EventEmitter(), {
  handle(channel) {
    noted.push({ channel })
  },
  removeHandler() {},
})

export const app = Object.assign(new EventEmitter(), {
  isPackaged: true,
  getAppPath: () => process.cwd(),
  getPath: () => process.cwd(),
  exit() {},
  whenReady: () => Promise.resolve(),
  getLocale: () => 'en-US',
  commandLine: { getSwitchValue: () => '' },
  getLoginItemSettings: () => ({ openAtLogin: false }),
})

// -- of the window of a pet
for (const name of [
  'setBounds',
  'showInactive',
  'hide',
  'destroy',
  'setIgnoreMouseEvents',
  'setAlwaysOnTop',
  'setVisibleOnAllWorkspaces',
])
  BrowserWindow.prototype[name] = () => {}
const display = { id: 1, workArea: { x: 0, y: 0, width: 1920, height: 1040 } }
export const screen = Object.assign(new EventEmitter(), {
  getCursorScreenPoint: () => ({ x: 0, y: 0 }),
  getAllDisplays: () => [display],
  getPrimaryDisplay: () => display,
  getDisplayMatching: () => display,
})
export class Tray extends EventEmitter {
  setToolTip() {}
  setTitle() {}
  setImage() {}
  setContextMenu() {}
  destroy() {}
}
export const Menu = { buildFromTemplate: () => ({ popup() {} }) }
export const globalShortcut = { register: () => true, unregister() {} }
export const powerMonitor = new EventEmitter()

export const protocol = {
  schemes: [],
  registerSchemesAsPrivileged(schemes) {
    this.schemes.push(...schemes)
  },
  handle(scheme, handler) {
    const { SLUICE_ASK: asked } = process.env
    if (!this.schemes.some((one) => one.scheme === scheme)) throw new Error(`${scheme} has no privileges`)
    for (const url of asked ? JSON.parse(asked) : [])
      void handler(new Request(url)).then(async ({ status, headers, body }) => {
        const length = body ? (await new Response(body).arrayBuffer()).byteLength : 0
        noted.push({ page: url, status, headers: Object.fromEntries(headers), length })
      })
  },
}
const types = { '.html': 'text/html', '.js': 'text/javascript' }
export const net = {
  fetch: async (url) =>
    new Response(await readFile(fileURLToPath(url)), { headers: { 'content-type': types[extname(url)] } }),
}

setTimeout(() => {
  app.emit('will-quit', { preventDefault() {} })
  console.log(JSON.stringify(noted))
  process.exit() // an app goes on; an example is over
}, 200)
