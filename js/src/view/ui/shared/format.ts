import type { Strings } from './ui-strings.js'

export function duration(ms: number, words: Strings): string {
  if (ms < 1000) return words.milliseconds(String(Math.max(0, Math.round(ms))))
  if (ms < 9950) return words.seconds((ms / 1000).toFixed(1))
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return words.seconds(String(seconds))
  return words.minutes(Math.floor(seconds / 60), String(seconds % 60).padStart(2, '0'))
}

/** Minutes and seconds: 4:07. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

export const count = (value: number, lang: string): string => value.toLocaleString(safeLocale(lang))

export const clock = (at: number, lang: string): string =>
  new Date(at).toLocaleTimeString(safeLocale(lang), { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** A locale that can be used, whatever the page's `lang` says. */
export function safeLocale(lang: string): string {
  try {
    return Intl.getCanonicalLocales(lang)[0] ?? 'en'
  } catch {
    return 'en' // an invalid tag such as `lang="xx_YY"`
  }
}
