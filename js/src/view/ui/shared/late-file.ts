// A file beside sluice/ui that few pages need: it is loaded when something first needs it.
import { imageSource } from './images.js'
import type { Strings } from './ui-strings.js'

export class LateFile<File> {
  /** Undefined until the file is there, null if it could not be loaded. */
  file: File | null | undefined
  #loading: Promise<void> | undefined

  constructor(private readonly get: () => Promise<File>) {}

  /** Loads the file, and tries again if that failed before. Never rejects. */
  load(): Promise<void> {
    return (this.#loading ??= this.#load())
  }

  async #load(): Promise<void> {
    try {
      this.file = await this.get()
    } catch (error) {
      console.warn('sluice: a file beside sluice/ui could not be loaded', error)
      this.file = null
      this.#loading = undefined
    }
  }
}

/** Puts styles of such a file into the shadow root of an element that uses it. */
export function adopt(root: unknown, styles: CSSStyleSheet): void {
  const { adoptedStyleSheets } = root as ShadowRoot
  if (!adoptedStyleSheets.includes(styles)) adoptedStyleSheets.push(styles)
}

const made = new LateFile(() => import('./made-view.js'))

/** Draws sources, or pictures and files that a model made, into an element that will be in this shadow root. */
export async function drawMade(
  how: 'drawSources' | 'drawMedia',
  into: Element,
  root: unknown,
  given: unknown,
  words: Strings,
): Promise<void> {
  if (!made.file) await made.load()
  if (!made.file) return
  adopt(root, made.file.madeStyles)
  made.file[how](into, given, words, imageSource)
}
