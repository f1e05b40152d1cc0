// Which parts of an element's height were seen, in pixels from its top.

/** Of a line so much may be missing above or below: there is no ink. */
const SLACK = 4

export class SeenParts {
  #parts: { top: number; bottom: number }[] = []
  #size = ''

  /** Adds a part that was seen. `size`: that of the element; with another one it is laid out anew, and nothing of it was seen. */
  add(part: { top: number; bottom: number }, size: string): void {
    if (size !== this.#size) this.#parts = []
    this.#size = size
    this.#parts.push(part)
    this.#parts.sort((a, b) => a.top - b.top)
  }

  /** Where what was not seen begins. Infinity where all was seen. */
  end(height: number, size: string): number {
    let end = 0
    for (const { top, bottom } of size === this.#size ? this.#parts : []) if (top <= end + SLACK) end = Math.max(end, bottom)
    return end >= height - SLACK ? Infinity : end
  }
}
