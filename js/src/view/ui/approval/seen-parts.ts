// Which parts of an element's height were seen, in pixels from its top.

/** Of a line so much may be missing above or below: there is no ink. */
const SLACK = 4
/**
 * Sizes that differ by less are one: on a page that a style scales, the same box measures a little differently at each
 * place.
 */
const SAME = 1

interface Part {
  readonly top: number
  readonly bottom: number
}
interface Size {
  readonly width: number
  readonly height: number
}

export class SeenParts {
  /** In the order of their places; no two of them touch. */
  #parts: Part[] = []
  #size: Size = { width: 0, height: 0 }

  /**
   * Adds a part that was seen of an element of this size. With another size it is laid out anew, and nothing of it was
   * seen before.
   */
  add(part: Part, size: Size): void {
    if (!this.#has(size)) {
      this.#parts = []
      this.#size = size
    }
    const apart = this.#parts.filter((other) => other.bottom < part.top || part.bottom < other.top)
    const joined = this.#parts.filter((other) => !apart.includes(other)).reduce(join, part)
    this.#parts = [...apart, joined].sort((a, b) => a.top - b.top)
  }

  /** Where what was not seen begins. Infinity where all was seen. */
  end(size: Size): number {
    let end = 0
    for (const { top, bottom } of this.#has(size) ? this.#parts : [])
      if (top <= end + SLACK) end = Math.max(end, bottom)
    return end >= size.height - SLACK ? Infinity : end
  }

  #has({ width, height }: Size): boolean {
    return Math.abs(width - this.#size.width) < SAME && Math.abs(height - this.#size.height) < SAME
  }
}

const join = (a: Part, b: Part): Part => ({ top: Math.min(a.top, b.top), bottom: Math.max(a.bottom, b.bottom) })
