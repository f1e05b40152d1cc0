/**
 * Tells the developer: as a warning of the process, or on the console of a page.
 * @param code for filters
 * @param error its stack is printed below the text
 */
export function warn(text: string, code?: string, error?: unknown): void {
  const stack = stackOf(error)
  if (typeof process === 'object' && typeof process.emitWarning === 'function')
    process.emitWarning(text, {
      type: 'SluiceWarning',
      ...(code === undefined ? {} : { code }),
      ...(stack === undefined ? {} : { detail: stack }),
    })
  else console.warn(`SluiceWarning: ${text}`, ...(error === undefined ? [] : [error]))
}

function stackOf(error: unknown): string | undefined {
  try {
    return error instanceof Error && typeof error.stack === 'string' ? error.stack : undefined
  } catch {
    return undefined // of an error that cannot be read
  }
}

const warned = new Set<string>()
const MOST_WARNED = 1000

/** Warns the first time only: what every turn of an app would repeat. */
export function warnOnce(text: string): void {
  if (warned.has(text) || warned.size >= MOST_WARNED) return
  warned.add(text)
  warn(text)
}
