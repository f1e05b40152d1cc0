// How a body is cut into pieces.

/** Sizes of pieces, one after another. */
export function sizes(chunks: 'byte' | number | { seed: number; max?: number }): () => number {
  if (typeof chunks !== 'object') return () => (chunks === 'byte' ? 1 : Math.max(1, Math.floor(chunks)))
  let state = chunks.seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0 // the same sizes for the same seed, everywhere
    return 1 + ((state >>> 8) % (chunks.max ?? 64))
  }
}
