// The pieces of a sound, for as long as they are wanted. Who makes them may never come to an end, and may not hear that
// nobody listens.

/**
 * A minute of two channels, as bare samples of the largest kind, has less; a piece of an answer is said in half of
 * that.
 */
const MOST_BYTES = 32_000_000

/**
 * Throws where they are not wanted any more, or come to more than any sentence has; whoever makes them is then told to
 * stop.
 */
export async function* wanted<Piece extends Uint8Array | AudioBuffer>(
  pieces: AsyncIterable<Piece>,
  signal: AbortSignal,
): AsyncGenerator<Piece, void, undefined> {
  let bytes = 0
  for await (const piece of pieces) {
    signal.throwIfAborted()
    bytes += piece instanceof Uint8Array ? piece.length : piece.length * piece.numberOfChannels * 4
    if (bytes > MOST_BYTES) throw new Error(`the sound of a sentence has more than ${MOST_BYTES} bytes`)
    yield piece
  }
}
