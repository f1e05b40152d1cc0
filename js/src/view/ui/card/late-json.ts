// Loads the file that draws JSON when the first result that may need it is in a page: it is there before a person opens
// the card.
import type { jsonView } from './json-view.js'

let loading: Promise<void> | undefined
let draw: typeof jsonView | null | undefined

/**
 * Draws JSON. Undefined while the file is not there yet, null where it could not be loaded: JSON is shown as text then.
 */
export const jsonDrawer = (): typeof jsonView | null | undefined => draw

/** Loads the file, once. Never rejects. */
export const loadJsonView = (): Promise<void> => (loading ??= load())

async function load(): Promise<void> {
  try {
    draw = (await import('./json-view.js')).jsonView
  } catch (error) {
    console.warn('sluice: a file beside sluice/ui could not be loaded', error)
    draw = null
  }
}
