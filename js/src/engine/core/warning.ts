/** Tells the developer: as a warning of the process, or on the console of a page. `code`: for filters. */
export function warn(text: string, code?: string): void {
  if (typeof process === 'object' && typeof process.emitWarning === 'function')
    process.emitWarning(text, 'SluiceWarning', code)
  else console.warn(`SluiceWarning: ${text}`)
}

const warned = new Set<string>()
const MOST_WARNED = 1000

/** Warns the first time only: what every turn of an app would repeat. */
export function warnOnce(text: string): void {
  if (warned.has(text) || warned.size >= MOST_WARNED) return
  warned.add(text)
  warn(text)
}
