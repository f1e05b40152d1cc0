// What a person may change of a pet: plain data, for its window, its page, and an app's page of settings. No Node, no
// DOM.
import { flag, is, isObject, members, orNull, text, type Check } from '../../engine/core/options.js'

/** How a pet's bubble is. */
export interface BubbleLook {
  /** How large its letters are, times the usual size: from 0.7 to 2. */
  size: number
  /** How long its sentences stay, times the time that one needs to read them: from 0.5 to 5. */
  duration: number
  /** It never shows. Questions are then asked in the chat alone. */
  off: boolean
}

/**
 * The hours of every day in which a pet leaves people alone, in local time, such as `{ from: '22:00', to: '07:30' }`.
 */
export interface QuietHours {
  from: string
  /** When they end: later, or on the next day. The same as `from`: the whole day. */
  to: string
}

export const usualLook: BubbleLook = { size: 1, duration: 1, off: false }

const clock = /^(?:[01]\d|2[0-3]):[0-5]\d$/
const factor = (least: number, most: number): Check =>
  is(`a number from ${least} to ${most}`, (value) => typeof value === 'number' && value >= least && value <= most)

export const lookMembers: { readonly [member in keyof BubbleLook]: Check } = {
  size: factor(0.7, 2),
  duration: factor(0.5, 5),
  off: flag,
}
export const checkLook = members({ members: lookMembers })
const hour = is('a time of day: HH:MM', (value) => typeof value === 'string' && clock.test(value))
export const checkQuietHours = orNull(members({ members: { from: hour, to: hour }, needs: ['from', 'to'] }))
export const checkHotkey = orNull(text)
export const checkScale = factor(0.4, 3)

/** What is right of something that was kept, or sent by a page. */
export function readLook(value: unknown): Partial<BubbleLook> {
  return readMembers<BubbleLook>(value, lookMembers)
}

/** The members whose values are right; the others are left out. */
export function readMembers<T>(value: unknown, checks: { readonly [member in keyof T]-?: Check }): Partial<T> {
  const found: Partial<T> = {}
  for (const name of Object.keys(checks) as (keyof T & string)[]) {
    const one = isObject(value) ? value[name] : undefined
    if (one === undefined) continue
    try {
      checks[name](one, name)
      found[name] = one as T[typeof name]
    } catch {
      // nonsense in a file
    }
  }
  return found
}

const minutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** Whether it is one of the hours. */
export function isQuietAt({ from, to }: QuietHours, date: Date): boolean {
  const [begin, end, now] = [minutes(from), minutes(to), date.getHours() * 60 + date.getMinutes()]
  return begin < end ? now >= begin && now < end : now >= begin || now < end
}

/**
 * How long until hours can begin or end: they do with a minute. Asked anew each time, a clock that was set or a laptop
 * that slept changes nothing.
 */
export const toNextMinute = (date: Date): number => 60_000 - (date.getTime() % 60_000)
