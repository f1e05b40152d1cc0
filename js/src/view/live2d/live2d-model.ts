// The interface of a pet: a Live2D model behind an adapter, the drawn puppet of the demo, or anything else with a face.
import type { PetCapabilities } from '../../app/bridge/messages.js'

/** What shows expressions and plays motions. What is optional, `companion` of sluice/pet uses where it is there. */
export interface PetModel {
  /** Read again for every order: it may change while the model is there. */
  capabilities(): PetCapabilities
  /** Shows it, until the next one. False: it cannot. */
  expression(name: string): boolean | Promise<boolean>
  /**
   * Starts it, in place of what plays; without an index any of the group. Settles when it starts, not when it is over.
   */
  motion(group: string, index?: number): boolean | Promise<boolean>
  /** Takes the expression away: its face at rest. */
  reset?(): void
  /**
   * Draws a state of `petStates` by itself, below an expression. Without it the state's expression and motion of the
   * table are used.
   */
  state?(name: string, detail: PetStateDetail): void
  /** Opens the mouth: 0 is closed, 1 wide open. `form` is -1 for a round mouth and 1 for a wide one. */
  mouth?(open: number, form?: number): void
  /** Looks at a point of the page; null: nowhere. */
  look?(point: PetPoint | null): void
  /**
   * The name of the part at a point of the page: `head`, `cheek`, `mouth`, `belly`, `hand`, or a hit area of the model.
   * null: none.
   */
  hit?(x: number, y: number): string | null
  /** Whether something is drawn at a point of the page: what is not lets clicks through. */
  opaque?(x: number, y: number): boolean
  /**
   * How often what moves by itself may be drawn in a second. A motion that plays may be smoother. 0: nothing is drawn.
   */
  fps?(limit: number): void
}

/** A point of the page, in CSS pixels. */
export interface PetPoint {
  /** Pixels from the left edge. */
  x: number
  /** Pixels from the top edge. */
  y: number
}

/** What belongs to a state. */
export interface PetStateDetail {
  /** What it has in its hand while a tool works. */
  prop?: 'search' | 'write' | 'letter' | 'tool'
  /** Where it was patted, as its `hit` says. */
  zone?: string
}

/** Something that was thrown, or a name from a file: short enough for a card. */
export function clip(text: string, length = 300): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
