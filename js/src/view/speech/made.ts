// What a voice makes of a segment: it plays by itself, or gives the sounds to be played. Of those a few are made ready.
import { wanted } from './pieces.js'
import type { Item, Made, Queue } from './queue.js'
import type { SpeechSegment } from './segmenter.js'
import type { Sound } from './sound.js'
import type { Voice } from './voice.js'

export class Maker {
  readonly #voice: Voice
  readonly #sound: Sound
  readonly #ahead: number
  /** The voice gives sounds: the next ones can be made ready. */
  #gives = false

  constructor(voice: Voice, sound: Sound, ahead: number) {
    this.#voice = voice
    this.#sound = sound
    this.#ahead = ahead
  }

  make(item: Item): Made {
    item.made ??= makeSound(this.#voice, item.segment, item.abort.signal, (bytes) => this.#sound.decode(bytes))
    if ('sounds' in item.made) this.#gives = true
    return item.made
  }

  /** The next ones of the queue. */
  prepare(queue: Queue): void {
    if (this.#gives) for (const item of queue.ahead(this.#ahead)) this.make(item)
  }
}

/** What fails here is heard of when it is its turn. */
function makeSound(
  voice: Voice,
  segment: SpeechSegment,
  signal: AbortSignal,
  decode: (bytes: Uint8Array[]) => Promise<AudioBuffer>,
): Made {
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

async function collect(
  pieces: AsyncIterable<Uint8Array | AudioBuffer>,
  signal: AbortSignal,
  decode: (bytes: Uint8Array[]) => Promise<AudioBuffer>,
): Promise<AudioBuffer[]> {
  const bytes: Uint8Array[] = []
  const buffers: AudioBuffer[] = []
  for await (const piece of wanted(pieces, signal)) {
    if (piece instanceof Uint8Array) bytes.push(piece)
    else buffers.push(piece)
  }
  if (bytes.length > 0) buffers.unshift(await decode(bytes))
  return buffers
}
