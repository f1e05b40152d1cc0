// What `petWindow` takes and gives, and what of it a person may change later.
import {
  checkHotkey,
  checkLook,
  checkQuietHours,
  checkScale,
  lookMembers,
  readLook,
  readMembers,
  usualLook,
  type BubbleLook,
  type QuietHours,
} from '../bridge/pet-settings.js'
import { func, is, isObject, members, oneOf, orNull, text, withMethods } from '../../engine/core/options.js'
import { readPlace, type PetPlace } from './pet-place.js'
import type { PetTrayOptions } from './pet-tray.js'
import type { PetBrowserWindowLike } from './pet-types.js'

/** What a person may change of a pet: for an app's page of settings. */
export interface PetSettings {
  /** Times its usual size, from 0.4 to 3. */
  scale: number
  /**
   * Keys that show and hide it everywhere, such as `CommandOrControl+Shift+L`; null: none. Where another program has
   * them at the start `onProblem` says so; they stay what was chosen, and `change` with the same keys tries again.
   */
  hotkey: string | null
  /** When it is quiet every day; null: never by itself. */
  quietHours: QuietHours | null
  /** How its bubble is. */
  bubble: BubbleLook
}

/** Some of the settings. */
export type PetSettingsChange = Partial<Omit<PetSettings, 'bubble'>> & {
  /** Some of how its bubble is. */
  bubble?: Partial<BubbleLook>
}

/** What `petWindow` takes. */
export interface PetWindowOptions {
  /** The page of the pet: one with `companion` and `petBody` of sluice/pet. */
  url: string
  preload: string
  /** What it is called, in its tray. Default `Lulu`. */
  name?: string
  /** How wide it is, in the system's pixels. Default 260; it is 1.2 times as high. */
  size?: number
  /**
   * `window`: the bubble is a window of its own; the pages are then `url#body` and `url#bubble`. Default `inside`, also
   * where a system cannot put a window beside another: the page is `url` and draws both.
   */
  bubble?: 'window' | 'inside'
  /** Keys that show and hide it everywhere, where `settings` keeps none: `CommandOrControl+Shift+L`. Default none. */
  hotkey?: string | null
  /** Its sign in the bar of the system; null: none. Default none. `menu` may change what it shows, also on the body. */
  tray?: PetTrayOptions | null
  /** Keeps where it stands. Default: it is forgotten. */
  place?: {
    load(): PetPlace | undefined
    /** It stands somewhere else, or has another size. */
    save(place: PetPlace): void
  }
  /** Keeps what a person changed of it. Default: it is forgotten. */
  settings?: {
    /** What was kept; what of it is nonsense counts as usual. */
    load(): PetSettingsChange | undefined
    save(settings: PetSettings): void
  }
  openChat(): void
  /**
   * Whether somebody shows slides, or another program fills the screen: Electron cannot tell. Asked every 5 s; the pet
   * is quiet meanwhile.
   */
  presenting?(): boolean
  /** Something could not be done: a hotkey that is taken, a system without tray. Default: a warning of the process. */
  onProblem?(what: string): void
}

/** The window of a pet. */
export interface PetWindow {
  /** For the rights of its page: `window.webContents.id`. */
  readonly window: PetBrowserWindowLike
  /** That of the bubble, where it has one of its own. */
  readonly bubble: PetBrowserWindowLike | undefined
  /** What a person may change, as it is now. */
  readonly settings: PetSettings
  /**
   * Changes some of it: all of the change, or nothing.
   * @throws SluiceError `option` with the `path` of what is wrong; also for a hotkey that another program has.
   */
  change(settings: PetSettingsChange): void
  show(): void
  /** Hides it; tray and hotkey bring it back. */
  hide(): void
  /** No bubble, no sound: until then, or until `quiet(null)`. Without a time: until that. */
  quiet(until?: Date | null): void
  /** Times its usual size, from 0.4 to 3. */
  scale(factor: number): void
  /** How many questions wait: its tray shows that. The page tells it by itself where `petBody` has the window. */
  asking(count: number): void
  /** Ends its windows, tray and hotkey. */
  close(): void
}

export const checkOptions = members({
  members: {
    url: text,
    preload: text,
    name: text,
    size: is('a width from 40 to 2000', (value) => typeof value === 'number' && value >= 40 && value <= 2000),
    bubble: oneOf('window', 'inside'),
    hotkey: checkHotkey,
    tray: orNull(is('an object with an icon', (value) => isObject(value) && value['icon'] !== undefined)),
    place: withMethods('an object with load and save', 'load', 'save'),
    settings: withMethods('an object with load and save', 'load', 'save'),
    openChat: func('() => void'),
    presenting: func('() => boolean'),
    onProblem: func('(what) => void'),
  },
  needs: ['url', 'preload', 'openChat'],
})
const parts = ['app', 'BrowserWindow', 'screen', 'Tray', 'Menu', 'globalShortcut', 'powerMonitor', 'ipcMain'] as const
export const checkElectron = members({
  members: Object.fromEntries(
    parts.map((part) => [part, is('a part of Electron', (value) => ['object', 'function'].includes(typeof value))]),
  ),
  needs: [...parts],
  open: true,
})

const own = { scale: checkScale, hotkey: checkHotkey, quietHours: checkQuietHours }
export const checkChange = members({ members: { ...own, bubble: members({ members: lookMembers }) } })

/** The settings as a change leaves them. Throws where it is wrong. */
export function changed(settings: PetSettings, change: PetSettingsChange): PetSettings {
  checkChange(change, 'settings')
  const bubble = { ...settings.bubble, ...withoutGaps(change.bubble ?? {}) }
  checkLook(bubble, 'bubble')
  return { ...settings, ...withoutGaps(change), bubble }
}

const withoutGaps = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T

/** The settings of a start: what was kept, else what the app wants, else the usual. */
export function settingsOf(kept: unknown, place: unknown, hotkey: string | null | undefined): PetSettings {
  const read = readMembers<Omit<PetSettings, 'bubble'>>(kept, own)
  const bubble = { ...usualLook, ...readLook(isObject(kept) ? kept['bubble'] : undefined) }
  return {
    scale: 1,
    hotkey: hotkey ?? null,
    quietHours: null,
    ...read,
    ...(readPlace(place) ? { scale: (readPlace(place) as PetPlace).scale } : {}),
    bubble,
  }
}
