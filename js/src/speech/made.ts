// What a voice makes of a segment: it plays by itself, or gives the sounds to be played.
import type { Segment } from './segmenter.js'
import type { Voice } from './voice.js'

export type Made = { plays: Promise<void> } | { sounds: Promise<AudioBuffer[]> }

/** What fails here is heard of when it is its turn. */
export function makeSound(voice: Voice, segment: Segment, signal: AbortSignal, decode: (bytes: Uint8Array[]) => Promise<AudioBuffer>): Made {
  try {
    const made = voice.speak(segment, signal)
    if (!(Symbol.asyncIterator in made)) return { plays: made }
    const sounds = collect(made, signal, decode)
    sounds.catch(() => {})
    return { sounds }
  } catch (error) {
    const failed = Promise.reject<void>(error)
    failed.catch(() => {})
    return { plays: failed }
  }
}

async function collect(pieces: AsyncIterable<Uint8Array | AudioBuffer>, signal: AbortSignal, decode: (bytes: Uint8Array[]) => Promise<AudioBuffer>): Promise<AudioBuffer[]> {
  const bytes: Uint8Array[] = []
  const buffers: AudioBuffer[] = []
  for await (const piece of pieces) {
    signal.throwIfAborted()
    if (piece instanceof Uint8Array) bytes.push(piece)
    else buffers.push(piece)
  }
  if (bytes.length > 0) buffers.unshift(await decode(bytes))
  return buffers
}
