// The host of an engine in the main process of Electron. Who sent a message is looked at for every message.
import type { Reply } from '../bridge/messages.js'
import type { Engine } from '../engine.js'
import { SluiceError } from '../errors.js'
import { createHost } from '../host/host.js'
import type { Host, HostOptions } from '../host/types.js'
import { allowList, originOf, type Allow, type AllowedWindow } from './allow.js'
import { Page } from './page.js'
import { preloadPath } from './preload-path.cjs'
import type { AppLike, InvokeEventLike, IpcMainLike, WebContentsLike } from './types.js'

export type { Allow, AllowedWindow, Sender } from './allow.js'
export type { AppLike, FrameLike, InvokeEventLike, IpcMainLike, WebContentsLike } from './types.js'
export type { Host, HostOptions, Rights } from '../host/types.js'

const CHANNEL = 'sluice:call'
const MAX_WARNED = 20

export interface ElectronOptions extends HostOptions {
  ipcMain: IpcMainLike
  /** Tells whether the app is packaged. Without it the allow-list is the one of a packaged app. */
  app?: AppLike
  /**
   * Who may what; the first that fits counts. Default: every right for pages of `file://` and `app://`, and while the app is not
   * packaged of `http://localhost` and `http://127.0.0.1`. Frames within a page may nothing.
   */
  windows?: readonly AllowedWindow[] | Allow
}

export interface ElectronHost extends Host {
  /** For `webPreferences.preload`. In a bundle use `require.resolve('sluice/preload')`. */
  readonly preloadPath: string
}

export function hostEngine(engine: Engine, { ipcMain, app, windows, ...options }: ElectronOptions): ElectronHost {
  if (typeof ipcMain?.handle !== 'function') {
    throw new SluiceError({ code: 'option', path: 'ipcMain', detail: "expected Electron's ipcMain" })
  }
  const gate = new Gate(createHost(engine, options), allowList(windows, app))
  ipcMain.handle(CHANNEL, (event, method, input) => gate.call(event, method, input))
  const { host } = gate
  return {
    preloadPath,
    connect: (peer) => host.connect(peer),
    send: (text, conversation) => host.send(text, conversation),
    bridge: (rights) => host.bridge(rights),
    close: async () => {
      ipcMain.removeHandler(CHANNEL)
      gate.close()
      await host.close()
    },
  }
}

class Gate {
  readonly host: Host
  readonly #allow: Allow
  readonly #pages = new Map<WebContentsLike, Page>()
  readonly #warned = new Set<string>()

  constructor(host: Host, allow: Allow) {
    this.host = host
    this.#allow = allow
  }

  async call(event: InvokeEventLike, method: unknown, input: unknown): Promise<unknown> {
    let page: Page | string
    try {
      page = this.#page(event)
    } catch {
      page = 'the page is gone' // Electron throws where something of a frame is read that went meanwhile
    }
    if (typeof page !== 'string') return await page.call(method, input)
    const error = { code: 'forbidden', detail: page, hint: 'the option `windows` of hostEngine says who may what' }
    return { ok: false, error } satisfies Reply
  }

  close(): void {
    for (const page of [...this.#pages.values()]) page.close()
  }

  /** The page that sent it, or why it may nothing. */
  #page({ sender, senderFrame: frame }: InvokeEventLike): Page | string {
    if (!frame) return 'the page is gone'
    if (frame.parent !== null) return this.#refuse('frames within a page may nothing')
    const origin = originOf(frame)
    const rights = origin === null ? null : this.#allow({ webContentsId: sender.id, origin, url: frame.url })
    const page = this.#pages.get(sender)
    if (origin === null || !rights) {
      page?.close()
      return this.#refuse(`the origin ${origin ?? 'null'} of window ${sender.id} may nothing`)
    }
    if (page?.origin === origin) {
      page.rights = rights
      return page
    }
    page?.close()
    const next = new Page(this.host, sender, frame, origin, rights, () => {
      if (this.#pages.get(sender) === next) this.#pages.delete(sender)
    })
    this.#pages.set(sender, next)
    return next
  }

  /** The developer is told too: an empty window explains nothing. */
  #refuse(why: string): string {
    if (!this.#warned.has(why) && this.#warned.size < MAX_WARNED) {
      this.#warned.add(why)
      process.emitWarning(`a call was refused: ${why}`, 'SluiceWarning')
    }
    return why
  }
}
