// Compiled only: what Electron gives is what hostEngine and the preload take.
import * as electron from 'electron'
import { app, BrowserWindow, contextBridge, ipcMain, ipcRenderer } from 'electron'
import { Engine } from 'sluice'
import { hostEngine, petWindow, type ElectronHost, type PetWindow } from 'sluice/electron'
import { connect, type LiveMessage } from 'sluice/renderer'
import type { ElectronLike } from '../../js/dist/esm/app/preload/electron.js'

export const engine = new Engine()

export const host: ElectronHost = hostEngine(engine, {
  ipcMain,
  app,
  windows: [{ origin: 'app://main', rights: { chat: true, approve: true } }, { webContentsId: 2 }],
  run: ({ messages, conversation }) => ({
    model: { baseURL: 'http://127.0.0.1:11434/v1', name: conversation },
    messages: [...messages, { role: 'user', content: 'x' }],
    maxRounds: 3,
    approvals: { result: () => 'release' },
  }),
  onPetFailure: ({ reason, call }) => console.log(reason.length, call + 1),
})

export const window = new BrowserWindow({
  webPreferences: { preload: host.preloadPath, sandbox: true, contextIsolation: true },
})

hostEngine(engine, {
  ipcMain,
  windows: ({ webContentsId }) => (webContentsId === window.webContents.id ? { chat: true } : null),
  // @ts-expect-error: a model has a name
  run: () => ({ model: { baseURL: 'http://127.0.0.1' } }),
})

// @ts-expect-error: there is no engine without ipcMain
hostEngine(engine, { run: () => ({ model: { baseURL: '', name: '' } }) })

export const pet: PetWindow = petWindow(electron, {
  url: 'app://pet/index.html',
  preload: host.preloadPath,
  bubble: 'window',
  hotkey: 'Alt+L',
  tray: { icon: 'icon.png', menu: (items) => [...items, { label: 'x', click: () => {} }] },
  place: { load: () => undefined, save: ({ display, scale }) => console.log(display + scale) },
  openChat: () => window.show(),
})
pet.quiet(new Date())
pet.change({ scale: 1.2, hotkey: null, quietHours: { from: '22:00', to: '07:00' }, bubble: { off: true } })
export const letters: number = pet.settings.bubble.size

// @ts-expect-error: no such setting
pet.change({ colour: 'red' })

// @ts-expect-error: it needs all of Electron that it uses
petWindow({ app, BrowserWindow }, { url: '', preload: '', openChat() {} })

// -- the preload and the page

export const preload: ElectronLike = { contextBridge, ipcRenderer }

export const message: LiveMessage = connect(globalThis.window.sluice).message('m1')
export const name: string | undefined = message
  .getSnapshot()
  .blocks.map((block) => (block.type === 'tool_use' ? block.name : undefined))[0]

// @ts-expect-error: no such decision
message.approve({ token: 't' }, { remember: 'forever' })
