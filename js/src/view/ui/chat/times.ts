// When something was said, for people.
import { safeLocale } from '../shared/format.js'

/** 14:02. */
export const hourOf = (at: number, lang: string): string => hours(lang).format(at)

/** One formatter for all entries: to make one costs more than the rest of an entry's line. */
let made: { lang: string; format: Intl.DateTimeFormat } | undefined
function hours(lang: string): Intl.DateTimeFormat {
  if (made?.lang !== lang)
    made = { lang, format: new Intl.DateTimeFormat(safeLocale(lang), { hour: '2-digit', minute: '2-digit' }) }
  return made.format
}

/** Two moments of the same day, where this device is. */
export const sameDay = (one: number, other: number): boolean =>
  new Date(one).toDateString() === new Date(other).toDateString()

/** The day of a moment: one of the two words, or the date. */
export function dayOf(
  at: number,
  now: number,
  { today, yesterday }: { today: string; yesterday: string },
  lang: string,
): string {
  if (sameDay(at, now)) return today
  const before = new Date(now)
  before.setDate(before.getDate() - 1)
  if (sameDay(at, before.getTime())) return yesterday
  const year = new Date(at).getFullYear() === new Date(now).getFullYear() ? {} : { year: 'numeric' as const }
  return new Date(at).toLocaleDateString(safeLocale(lang), { weekday: 'long', day: 'numeric', month: 'long', ...year })
}
