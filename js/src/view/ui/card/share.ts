// How far a tool is, by what it says: `12 / 40`, `12 of 40` or `30 %`.

/** From 0 to 1; undefined where the text does not say it. */
export function shareOf(text: string): number | undefined {
  const line = text.slice(-400)
  const [, percent] = /(?<![\d.,])(\d{1,3}(?:\.\d{1,4})?)\s?%/.exec(line) ?? []
  if (percent !== undefined && Number(percent) <= 100) return Number(percent) / 100
  for (const [, done, of] of line.matchAll(
    /(?<![\d./,-])(\d{1,9})\s{0,3}(?:\/|of)\s{0,3}(\d{1,9})(?![\d./-]*\/|\d)/g,
  )) {
    if (Number(of) > 0 && Number(done) <= Number(of)) return Number(done) / Number(of)
  }
  return undefined
}
