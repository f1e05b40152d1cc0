// Durations and sizes as people write them: 30 s, 1 min 30 s, 64 KiB. A number alone is read only where it is 0:
// whoever types 30 for a duration means seconds, and the engine counts milliseconds.

/** What a number counts. */
export type Unit = 'ms' | 'bytes'

/** The names of the units of time in a language. */
export interface UnitNames {
  ms: string
  s: string
  min: string
  h: string
}

const sizes = {
  ms: { ms: 1, s: 1000, min: 60_000, h: 3_600_000 },
  bytes: { B: 1, kB: 1000, KiB: 1024, MB: 1_000_000, MiB: 1_048_576, GB: 1_000_000_000, GiB: 1_073_741_824 },
} as const satisfies { [unit in Unit]: { [name: string]: number } }

const others: { [unit in Unit]: { [name: string]: number } } = {
  ms: {
    msec: 1,
    millisecond: 1,
    milliseconds: 1,
    毫秒: 1,
    sec: 1000,
    second: 1000,
    seconds: 1000,
    秒: 1000,
    秒钟: 1000,
    m: 60_000,
    minute: 60_000,
    minutes: 60_000,
    分: 60_000,
    分钟: 60_000,
    hour: 3_600_000,
    hours: 3_600_000,
    时: 3_600_000,
    小时: 3_600_000,
  },
  bytes: { byte: 1, bytes: 1, 字节: 1, k: 1024, m: 1_048_576, g: 1_073_741_824 },
}

const known = (unit: Unit): Map<string, number> =>
  new Map(Object.entries({ ...others[unit], ...sizes[unit] }).map(([name, size]) => [name.toLowerCase(), size]))
const byName = { ms: known('ms'), bytes: known('bytes') }

/** Reads a text as milliseconds or bytes. Undefined: it is none. */
export function quantityOf(text: string, unit: Unit): number | undefined {
  const given = text.normalize('NFKC').trim().toLowerCase()
  if (/^0+$/.test(given)) return 0
  const part = /\s*(\d{1,15}(?:\.\d{1,9})?)\s*([a-z]+|[\u4e00-\u9fff]+)/y
  let sum = 0
  let at = 0
  while (at < given.length) {
    part.lastIndex = at
    const [all = '', number, name = ''] = part.exec(given) ?? []
    const size = byName[unit].get(name)
    if (number === undefined || size === undefined) return undefined
    sum += Number(number) * size
    at += all.length
  }
  const whole = Math.round(sum)
  // 0 means no limit: nothing is rounded to it
  return at === 0 || (whole === 0 && sum > 0) || !Number.isSafeInteger(whole) ? undefined : whole
}

/** A number in the largest unit of which it is so many, or so many and a half: 1.5 min, but 1234 ms. */
export function quantityText(value: number, unit: Unit, names?: UnitNames): string {
  if (value === 0 || !Number.isSafeInteger(value) || value < 0) return String(value)
  const binary = (name: string): number => Number(name.endsWith('iB'))
  const units = Object.entries(sizes[unit]).sort(([a, one], [b, other]) => binary(b) - binary(a) || other - one)
  const [name, size] = units.find(([, size]) => value >= size && (value * 2) % size === 0) as [string, number]
  return `${value / size} ${(names as { [unit: string]: string } | undefined)?.[name] ?? name}`
}
