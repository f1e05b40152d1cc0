import type { Strings } from '../shared/ui-strings.js'
import type { LoadImage, OpenLink } from './text-types.js'

/** What the app gives, as it is when a person acts. */
export interface ActionOptions {
  words: Strings
  openLink?: OpenLink | undefined
  loadImage?: LoadImage | undefined
}
