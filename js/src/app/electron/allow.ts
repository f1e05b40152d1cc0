// Who a message of Electron comes from, and what that window may.
import { isAbsolute, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { is, members, wrong } from '../../engine/core/options.js'
import { checkRights } from '../host/host-options.js'
import type { WindowRights } from '../host/host-types.js'
import type { AppLike, FrameLike } from './electron-types.js'

/** The page that sent a message. Read again for every message. */
export interface Sender {
  /** Which window it is shown in. */
  webContentsId: number
  /** `https://example.org`, `app://main`, `file://`. */
  origin: string
  /** The whole address of the page. */
  url: string
}

/** A window that may something. At least one of the first two; without `origin` the app's own pages. */
export interface AllowedWindow {
  /** Allows only the window with this id. */
  webContentsId?: number
  /**
   * Exactly, but for the port: `http://localhost:*`; or a scheme: `app://`. Of `file://` only pages below
   * `app.getAppPath()` count.
   */
  origin?: string
  /** Default: `read` and `chat`. */
  rights?: WindowRights
}

/** Says what the sender of a message may; null: nothing. */
export type AllowSender = (sender: Sender) => WindowRights | null

const usual: WindowRights = { read: true, chat: true }
const packaged = ['file://', 'app://']
const development = [...packaged, 'http://localhost:*', 'http://127.0.0.1:*']

export function allowList(
  windows: readonly AllowedWindow[] | AllowSender | undefined,
  app: AppLike | undefined,
): AllowSender {
  if (typeof windows === 'function') return (sender) => rightsOf(windows(sender))
  const own = app?.isPackaged === false ? development : packaged
  const fits = (pattern: string, { origin, url }: Sender): boolean =>
    matches(pattern, origin) && (origin !== 'file://' || isBelow(app?.getAppPath?.(), url))
  const isOwn = (sender: Sender): boolean => own.some((pattern) => fits(pattern, sender))
  if (windows === undefined) return (sender) => (isOwn(sender) ? usual : null)
  if (!Array.isArray(windows)) throw wrong('windows', windows, 'an array, or a function that gives rights or null')
  windows.forEach((window, index) => check(window, index, app))
  return (sender) => {
    const found = (windows as readonly AllowedWindow[]).find(
      ({ webContentsId, origin }) =>
        (webContentsId === undefined || webContentsId === sender.webContentsId) &&
        (origin === undefined ? isOwn(sender) : fits(origin, sender)),
    )
    return found ? (found.rights ?? usual) : null
  }
}

/** Any other file of the disk is a stranger's: what was dropped on a window is opened in it, a download too. */
function isBelow(folder: string | undefined, url: string): boolean {
  if (folder === undefined) return false
  try {
    const path = relative(folder, fileURLToPath(url))
    return path !== '' && path.split(/[\\/]/)[0] !== '..' && !isAbsolute(path)
  } catch {
    return false // of another machine, or a path that no file has
  }
}

/** Returns null for a page without an origin: `data:`, a sandbox, a scheme that was not registered as standard. */
export function originOf(frame: FrameLike): string | null {
  const { origin, url } = frame
  if (typeof origin === 'string') return origin === '' || origin === 'null' ? null : origin
  if (typeof url !== 'string' || !URL.canParse(url)) return null
  const { protocol, host } = new URL(url)
  return protocol === 'file:' ? 'file://' : host === '' ? null : `${protocol}//${host}`
}

/** A promise is no answer. */
function rightsOf(given: WindowRights | null): WindowRights | null {
  if (typeof given !== 'object' || given === null || given instanceof Promise) return null
  checkRights(given, 'windows()')
  return given
}

function matches(pattern: string, origin: string): boolean {
  if (pattern.endsWith('://')) return origin.startsWith(pattern)
  if (!pattern.endsWith(':*')) return origin === pattern
  const base = pattern.slice(0, -2)
  return origin === base || (origin.startsWith(`${base}:`) && /^\d+$/.test(origin.slice(base.length + 1)))
}

const originCheck = is(
  "an origin such as 'app://main', 'http://localhost:*' or 'app://'",
  (value) => typeof value === 'string' && /^[a-z][a-z0-9+.-]*:\/\/[^/*?#@]*(:\*)?$/.test(value),
)
const checkWindow = members({
  members: { webContentsId: is('the id of a WebContents', Number.isInteger), origin: originCheck, rights: checkRights },
})

function check(window: AllowedWindow, index: number, app: AppLike | undefined): void {
  const path = `windows[${index}]`
  checkWindow(window, path)
  const { webContentsId, origin } = window
  if (webContentsId === undefined && origin === undefined) throw wrong(path, window, 'a webContentsId or an origin')
  if (origin?.startsWith('file://') && typeof app?.getAppPath !== 'function') {
    throw wrong('app', app, "Electron's app beside it: its getAppPath() tells which pages of file:// are the app's own")
  }
}
