// What the page of a pet and its window say to each other: plain data. No Node, no DOM.
import type { BubbleLook } from './pet-settings.js'

/**
 * What became of files that a person dropped on the pet: they lie in the chat; no chat is open; they are too large or
 * too many; they did not come.
 */
export const petNotes = ['taken', 'noChat', 'tooLarge', 'notTaken'] as const

/** One of them. */
export type PetNote = (typeof petNotes)[number]

/** The page to its window; each member is a message of its own. */
export interface PetWindowMessage {
  /** The page listens now: what it must know is told again. Orders that came before that were lost. */
  ready?: boolean
  /** The answer to a probe: something is drawn there. */
  over?: boolean
  /** Which probe that is. */
  probe?: number
  /** It hangs from the pointer (true), or was let go. */
  carry?: boolean
  /** Shows the context menu, or the chat. */
  open?: 'menu' | 'chat'
  /** The bubble's page: there is something in it. */
  bubble?: boolean
  /** How many questions wait for a person. */
  asks?: number
  /** The sentence that the voice says now; empty: it stands still. For the bubble in a window of its own. */
  heard?: string
  /** What it tells of a drop; empty: nothing any more. For the bubble in a window of its own. */
  note?: PetNote | ''
}

/** The window to its page; each member is an order of its own. */
export interface PetWindowOrder {
  /** Asks whether something is drawn at `x`, `y`; the number is for the answer. */
  probe?: number
  /** From the left of the page, in CSS pixels. */
  x?: number
  /** Pixels from the top of it. */
  y?: number
  /** Leave people alone, or not any more. */
  quiet?: boolean
  /** Where of the pet's head the bubble stands. */
  side?: 'above' | 'below' | 'left' | 'right'
  /** How far from the left (or, beside the head, from the top) of its window the head is: there the bubble points. */
  points?: number
  /** How the bubble is to be. */
  look?: BubbleLook
  /** The sentence that is heard now, as the page of the body told. */
  heard?: string
  /** What the page of the body tells of a drop; empty: nothing any more. */
  note?: PetNote | ''
  /** Nobody is at the computer, or somebody is again. */
  away?: boolean
  /** It was let go where the page did not see it. */
  landed?: boolean
}

/** How a page talks to the window it is in: `window.sluice.petWindow` of the preload. */
export interface PetWindowSide {
  /** Tells the window. One that is not of a `petWindow` hears nothing. */
  send(message: PetWindowMessage): void
  /** Listens to it. Returns what ends that. */
  on(listener: (order: PetWindowOrder) => void): () => void
}

/** From the page to its window. */
export const PET_SAYS = 'sluice:pet-says'
/** From the window to its page. */
export const PET_HEARS = 'sluice:pet-hears'
