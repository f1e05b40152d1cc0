/** A size for people and models: `812 B`, `3.1 kB`, `3.1 MB`, in steps of 1,000. */
export function shownSize(bytes: number): string {
  let [size, unit] = [bytes, 'B']
  for (const next of ['kB', 'MB', 'GB', 'TB']) {
    if (size < 999.5) break
    ;[size, unit] = [size / 1000, next]
  }
  return `${unit === 'B' || size >= 99.95 ? Math.round(size) : Number(size.toFixed(1))} ${unit}`
}
