// What the examples for Electron's main process use of `electron`. It notes what was asked of it and prints that at the end.
import { EventEmitter } from 'node:events'

const noted = []

class WebContents extends EventEmitter {
  isDestroyed() { return false }
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
  static getAllWindows() { return [] }
  static fromWebContents() { return null }
}

export const ipcMain = Object.assign(new EventEmitter(), {
  handle(channel) { noted.push({ channel }) },
  removeHandler() {},
})

export const app = Object.assign(new EventEmitter(), {
  isPackaged: true,
  getAppPath: () => process.cwd(),
  getPath: () => process.cwd(),
  exit() {},
  whenReady: () => Promise.resolve(),
})

setTimeout(() => {
  app.emit('will-quit', { preventDefault() {} })
  console.log(JSON.stringify(noted))
  process.exit() // an app goes on; an example is over
}, 200)
