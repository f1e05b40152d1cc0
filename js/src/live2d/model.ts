// The interface of a pet: a Live2D model behind an adapter, the drawn puppet of the demo, or anything else with a face.
import type { PetCapabilities } from '../bridge/messages.js'

/** What shows expressions and plays motions. */
export interface PetModel {
  /** Read again for every order: it may change while the model is there. */
  capabilities(): PetCapabilities
  /** Shows it, until the next one. False: it cannot. */
  expression(name: string): boolean | Promise<boolean>
  /** Starts it, in place of what plays; without an index any of the group. Settles when it starts, not when it is over. */
  motion(group: string, index?: number): boolean | Promise<boolean>
}

/** Control characters, separators of lines, and halves of characters. */
export const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029]/u

/** Something that was thrown, or a name from a file: short enough for a card. */
export function clip(text: string, length = 300): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
