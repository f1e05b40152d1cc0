/** Tells the developer: as a warning of the process, or on the console of a page. */
export function warn(text: string): void {
  if (typeof process === 'object' && typeof process.emitWarning === 'function') process.emitWarning(text, 'SluiceWarning')
  else console.warn(`SluiceWarning: ${text}`)
}
