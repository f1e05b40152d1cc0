// @ts-check
// The demo pet in Electron: the pet in a window without a frame, the chat in another one, the engine in the main
// process. This folder is a package of its own for Electron: `sluice` by name would not be the checkout.
import * as electron from 'electron'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fileConversations } from '../../dist/esm/app/conversations/index.js'
import { hostEngine, petWindow } from '../../dist/esm/app/electron/index.js'
import { createApp } from '../app.mjs'
import { keptIn } from '../kept.mjs'
import { origin, servePages } from './pages.mjs'
import { encryptionBy } from './system-encryption.mjs'

const { app, BrowserWindow, ipcMain, Menu, nativeImage, safeStorage, session, shell } = electron

app.on('web-contents-created', (_, contents) => {
  contents.on('will-navigate', (event) => event.preventDefault())
  contents.on('will-redirect', (event) => event.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
})

/**
 * Options: those of `createApp`. Resolves when the page of the chat is loaded.
 * @param {import('../app.mjs').AppOptions} [options]
 */
export async function start(options = {}) {
  await app.whenReady()
  denyPermissions()
  if (app.isPackaged) Menu.setApplicationMenu(null)
  const folder = app.getPath('userData')
  const encryption = encryptionBy(safeStorage)
  const demo = await createApp({
    kept: keptIn(folder, { encryption }),
    ask: true,
    conversations: fileConversations(join(folder, 'conversations'), { encryption }),
    openExternal: (url) => shell.openExternal(url),
    ...options,
  })
  /** @type {Map<number, import('../../dist/esm/app/host/index.js').WindowRights>} */
  const rights = new Map()
  /** @type {{ [action: string]: () => void }} */
  const actions = { chat: () => chat.show(), quit: () => app.quit() }
  servePages(demo.roots, {
    'POST /api/demo': () => ({ ...demo.routes['POST /api/demo'](), desktop: true }),
    'POST /api/window': ({ action }) => actions[Object.hasOwn(actions, action) ? action : '']?.() ?? null,
    'POST /api/pet': (change) => (pet.change(change), pet.settings),
  })

  // The host before the windows: its preload is theirs. Who a window is, it is asked for with every message.
  const host = demo.host((options) =>
    hostEngine(demo.engine, {
      ...options,
      ipcMain,
      app,
      windows: ({ webContentsId, origin: from }) => (from === origin ? (rights.get(webContentsId) ?? null) : null),
    }),
  )
  const chat = openWindow(host.preloadPath, {
    width: 560,
    height: 780,
    minWidth: 360,
    minHeight: 420,
    autoHideMenuBar: true,
  })
  const [standsAt, likes] = [join(folder, 'place.json'), join(folder, 'pet.json')]
  const pet = petWindow(electron, {
    url: `${origin}/?view=pet`,
    preload: host.preloadPath,
    bubble: 'window',
    openChat: () => chat.show(),
    tray: { icon: nativeImage.createFromPath(fileURLToPath(new URL('../pet/tray.png', import.meta.url))) },
    settings: { load: () => readJson(likes), save: (settings) => writeFileSync(likes, JSON.stringify(settings)) },
    place: { load: () => readJson(standsAt), save: (place) => writeFileSync(standsAt, JSON.stringify(place)) },
  })
  rights.set(pet.window.webContents.id, { read: true, pet: true })
  if (pet.bubble) rights.set(pet.bubble.webContents.id, { read: true, approve: true })
  rights.set(chat.webContents.id, { read: true, chat: true, approve: true, configure: true, server: true })

  let quitting = false
  chat.on('close', (event) => {
    if (quitting || pet.window.isDestroyed()) return
    event.preventDefault() // Lulu goes on; the pet opens it again
    chat.hide()
  })
  pet.window.on('closed', () => app.quit())
  app.on('before-quit', () => (quitting = true))
  app.once('will-quit', (event) => {
    event.preventDefault()
    void host
      .close()
      .then(() => demo.close())
      .finally(() => app.exit())
  })
  await chat.loadURL(`${origin}/?view=chat`)
  return { pet, chat, host }
}

/** @param {string} preload @param {electron.BrowserWindowConstructorOptions} options */
function openWindow(preload, options) {
  return new BrowserWindow({
    ...options,
    webPreferences: {
      preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
    },
  })
}

function denyPermissions() {
  const { defaultSession } = session
  defaultSession.setPermissionRequestHandler((_, __, decide) => decide(false))
  defaultSession.setPermissionCheckHandler(() => false)
  defaultSession.setDevicePermissionHandler(() => false)
  defaultSession.on('will-download', (event) => event.preventDefault())
}

/** @param {string} file */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined // nothing was configured yet
  }
}
