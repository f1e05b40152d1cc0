// The host of an engine in the main process of Electron. Who sent a message is looked at for every message.
import { SEEN, type Reply } from '../bridge/messages.js'
import type { Engine } from '../../engine/core/engine.js'
import { messageOf } from '../../engine/core/errors.js'
import { anything, is, members, withMethods } from '../../engine/core/options.js'
import { createHost } from '../host/host.js'
import { hostMembers } from '../host/host-options.js'
import type { Host, HostOptions, WindowRights } from '../host/host-types.js'
import { allowList, originOf, type AllowSender, type AllowedWindow } from './allow.js'
import { Page } from './allowed-page.js'
import { preloadPath } from './preload-path.js'
import type { AppLike, FrameLike, InvokeEventLike, IpcMainLike, WebContentsLike } from './electron-types.js'

export type { AllowSender, AllowedWindow, Sender } from './allow.js'
export type { BubbleLook, QuietHours } from '../bridge/pet-settings.js'
export type { PetSettings, PetSettingsChange, PetWindow, PetWindowOptions } from './pet-options.js'
export type { PetDisplayLike, PetPlace, Rectangle } from './pet-place.js'
export type { PetTrayOptions } from './pet-tray.js'
export type {
  PetBrowserWindowLike,
  PetContentsLike,
  PetElectron,
  PetMenuItem,
  PetMenuLike,
  PetNativeImage,
  PetNativeImageLike,
  PetSaysEvent,
  PetTrayLike,
  PetWindowSettings,
} from './pet-types.js'
export { petWindow } from './pet-window.js'
export type { AppLike, FrameLike, InvokeEventLike, IpcMainLike, WebContentsLike } from './electron-types.js'
export { UserError } from '../host/user-error.js'
export type {
  ConversationDescription,
  HostConnection,
  FinishedTurn,
  Host,
  HostOptions,
  Prepare,
  WindowPeer,
  WindowRights,
  RunInput,
  RunningTool,
  ServerChoice,
  TurnOptions,
} from '../host/host-types.js'

const CHANNEL = 'sluice:call'
const MAX_WARNED = 20

/** What an app gives `hostEngine`. */
export interface ElectronOptions extends HostOptions {
  ipcMain: IpcMainLike
  /**
   * Electron's `app`: which pages of `file://` are its own, and whether it is packaged. Without it none of them, and it
   * is.
   */
  app?: AppLike
  /**
   * Who may what; the first that fits counts. Default: `read` and `chat` for the app's own pages: those of `app://`,
   * those of `file://` below `app.getAppPath()`, and while the app is not packaged those of `http://localhost` and
   * `http://127.0.0.1`. Whoever is to answer questions, configure or be the pet is named here: `[{ origin:
   * 'app://main', rights: { read: true, chat: true, approve: true }
   * }]`. Frames within a
   * page may nothing.
   */
  windows?: readonly AllowedWindow[] | AllowSender
}

/** A host whose windows are those of Electron. */
export interface ElectronHost extends Host {
  /** For `webPreferences.preload`. In a bundle use `require.resolve('sluice/preload')`. */
  readonly preloadPath: string
}

const checkOptions = members({
  members: {
    ...hostMembers,
    ipcMain: withMethods("Electron's ipcMain", 'handle', 'removeHandler'),
    app: is("Electron's app", (value) => typeof value === 'object' && value !== null),
    windows: anything,
  },
  needs: ['ipcMain', 'run'],
})

/**
 * Answers the windows of an Electron app: in the main process, once, before the first window. Throws where an option is
 * wrong.
 */
export function hostEngine(engine: Engine, given: ElectronOptions): ElectronHost {
  checkOptions(given, 'options')
  const { ipcMain, app, windows, ...options } = given
  const gate = new Gate(createHost(engine, options), allowList(windows, app))
  ipcMain.handle(CHANNEL, (event, method, input) => gate.call(event, method, input))
  const { host } = gate
  return {
    preloadPath,
    attachments: host.attachments,
    connect: (peer) => host.connect(peer),
    send: (text, conversation) => host.send(text, conversation),
    describe: (conversation, description) => host.describe(conversation, description),
    mark: (entry, app) => host.mark(entry, app),
    configure: (patch, conversation) => host.configure(patch, conversation),
    bridge: (rights) => host.bridge(rights),
    close: async () => {
      ipcMain.removeHandler(CHANNEL)
      const left = await host.close()
      gate.close()
      return left
    },
  }
}

class Gate {
  readonly host: Host
  readonly #allow: AllowSender
  readonly #pages = new Map<WebContentsLike, Page>()
  readonly #warned = new Set<string>()

  constructor(host: Host, allow: AllowSender) {
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
    if (typeof page !== 'string') return method === SEEN ? page.seen() : await page.call(method, input)
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
    const rights = this.#rights(sender, frame)
    const page = this.#pages.get(sender)
    if (origin === null || !rights) {
      page?.close()
      return this.#refuse(
        `${origin === 'file://' ? frame.url : `the origin ${origin ?? 'null'}`} of window ${sender.id} may nothing`,
      )
    }
    if (page?.origin === origin) return page
    page?.close()
    const next = new Page({
      host: this.host,
      sender,
      frame,
      origin,
      rightsOf: (shown) => (originOf(shown) === origin ? this.#rights(sender, shown) : null),
      onClose: () => {
        if (this.#pages.get(sender) === next) this.#pages.delete(sender)
      },
    })
    this.#pages.set(sender, next)
    return next
  }

  #rights(sender: WebContentsLike, frame: FrameLike): WindowRights | null {
    const origin = originOf(frame)
    if (origin === null) return null
    const { url } = frame
    try {
      return this.#allow({ webContentsId: sender.id, origin, url })
    } catch (error) {
      this.#warn(`the option \`windows\` threw: ${messageOf(error)}`)
      return null
    }
  }

  /** Warns the developer too, since the window only stays empty. */
  #refuse(why: string): string {
    this.#warn(`a call was refused: ${why}`)
    return why
  }

  #warn(what: string): void {
    if (this.#warned.has(what) || this.#warned.size >= MAX_WARNED) return
    this.#warned.add(what)
    process.emitWarning(what, 'SluiceWarning')
  }
}
