// Who a message of Electron comes from, and what that window may.
import { SluiceError } from '../errors.js'
import type { Rights } from '../host/types.js'
import type { AppLike, FrameLike } from './types.js'

/** What is known of the page that sent a message, asked anew for every message. */
export interface Sender {
  webContentsId: number
  /** `https://example.org`, `app://main`, `file://`. */
  origin: string
  url: string
}

/** A window that may something. At least one of the first two; without `origin` the default ones. */
export interface AllowedWindow {
  webContentsId?: number
  /** Exactly, but for the port: `http://localhost:*`; or a scheme: `app://`. */
  origin?: string
  /** Default: all of them. */
  rights?: Rights
}

export type Allow = (sender: Sender) => Rights | null

const everything: Rights = { chat: true, approve: true, configure: true, pet: true }
const packaged = ['file://', 'app://']
const development = [...packaged, 'http://localhost:*', 'http://127.0.0.1:*']

export function allowList(windows: readonly AllowedWindow[] | Allow | undefined, app: AppLike | undefined): Allow {
  if (typeof windows === 'function') return (sender) => rightsOf(windows(sender))
  const origins = app?.isPackaged === false ? development : packaged
  const isDefault = (origin: string): boolean => origins.some((pattern) => matches(pattern, origin))
  if (windows === undefined) return ({ origin }) => (isDefault(origin) ? everything : null)
  if (!Array.isArray(windows)) throw wrong('windows', 'an array, or a function that gives rights or null')
  windows.forEach(check)
  return (sender) => {
    const fits = ({ webContentsId, origin }: AllowedWindow): boolean =>
      (webContentsId === undefined || webContentsId === sender.webContentsId) &&
      (origin === undefined ? isDefault(sender.origin) : matches(origin, sender.origin))
    const found = (windows as readonly AllowedWindow[]).find(fits)
    return found ? (found.rights ?? everything) : null
  }
}

/** null: a page whose origin is nobody's (`data:`, a sandbox, a scheme that was not registered as standard). */
export function originOf(frame: FrameLike): string | null {
  const { origin, url } = frame
  if (typeof origin === 'string') return origin === '' || origin === 'null' ? null : origin
  if (typeof url !== 'string' || !URL.canParse(url)) return null
  const { protocol, host } = new URL(url)
  return protocol === 'file:' ? 'file://' : host === '' ? null : `${protocol}//${host}`
}

/** A promise is no answer: it would be an object without a single right, which still may look. */
function rightsOf(given: Rights | null): Rights | null {
  return typeof given === 'object' && !(given instanceof Promise) ? given : null
}

function matches(pattern: string, origin: string): boolean {
  if (pattern.endsWith('://')) return origin.startsWith(pattern)
  if (!pattern.endsWith(':*')) return origin === pattern
  const base = pattern.slice(0, -2)
  return origin === base || (origin.startsWith(`${base}:`) && /^\d+$/.test(origin.slice(base.length + 1)))
}

function check(window: AllowedWindow, index: number): void {
  const path = `windows[${index}]`
  if (typeof window !== 'object' || window === null) throw wrong(path, '{ webContentsId, origin, rights }')
  const { webContentsId, origin, rights } = window
  if (webContentsId === undefined && origin === undefined) throw wrong(path, 'a webContentsId or an origin')
  if (webContentsId !== undefined && !Number.isInteger(webContentsId)) throw wrong(`${path}.webContentsId`, 'the id of a WebContents')
  if (origin !== undefined && !/^[a-z][a-z0-9+.-]*:\/\/[^/*?#@]*(:\*)?$/.test(origin)) {
    throw wrong(`${path}.origin`, "an origin such as 'app://main', 'http://localhost:*' or 'app://'")
  }
  if (rights !== undefined && (typeof rights !== 'object' || rights === null)) {
    throw wrong(`${path}.rights`, '{ chat, approve, configure, pet }')
  }
}

const wrong = (path: string, expected: string): SluiceError => new SluiceError({ code: 'option', path, detail: `expected ${expected}` })
