// A voice from a server: whatever makes bytes of a text. The speaker plays them, and the mouth follows their loudness.
import { func, members, oneOf, whole } from '../../engine/core/options.js'
import { wanted } from './pieces.js'
import type { Voice } from './voice.js'

/** Bare samples, as many servers stream them: no file, so somebody must say what they are. */
export interface PcmFormat {
  /** Samples a second, such as 24000. */
  sampleRate: number
  /** How many channels. Default 1. */
  channels?: number
  /** 16-bit integers or 32-bit floats, the low byte first. Default `s16`. */
  samples?: 's16' | 'f32'
}

/** What `httpVoice` takes beside the function. */
export interface HttpVoiceOptions {
  /** The bytes are bare samples of this kind. Default: an audio file that the browser can read. */
  pcm?: PcmFormat
}

const checkOptions = members({
  members: {
    pcm: members({
      members: { sampleRate: whole(8000, 192_000), channels: whole(1, 2), samples: oneOf('s16', 'f32') },
      needs: ['sampleRate'],
    }),
  },
})
const checkFunction = func('(text, signal) => AsyncIterable<Uint8Array>')

/**
 * A voice by a function that gives the sound of a text in pieces, such as the body of a response. A key belongs into
 * the main process, and the function asks that. Throws where an option is wrong.
 */
export function httpVoice(
  synthesize: (text: string, signal: AbortSignal) => AsyncIterable<Uint8Array>,
  options: HttpVoiceOptions = {},
): Voice {
  checkFunction(synthesize, 'synthesize')
  checkOptions(options, 'options')
  const { pcm } = options
  return {
    speak: ({ text }, signal) =>
      pcm ? asFile(wanted(synthesize(text, signal), signal), pcm) : synthesize(text, signal),
  }
}

/** Samples become a WAV file: a browser reads nothing that does not say what it is. */
async function* asFile(
  pieces: AsyncIterable<Uint8Array>,
  { sampleRate, channels = 1, samples = 's16' }: PcmFormat,
): AsyncIterable<Uint8Array> {
  const all: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    all.push(piece)
    length += piece.length
  }
  const bits = samples === 's16' ? 16 : 32
  const frame = (channels * bits) / 8
  const cut = length % frame // of a stream that broke off
  const head = new DataView(new ArrayBuffer(44))
  const text = (at: number, letters: string): void =>
    [...letters].forEach((letter, index) => head.setUint8(at + index, letter.charCodeAt(0)))
  text(0, 'RIFF')
  head.setUint32(4, 36 + length - cut, true)
  text(8, 'WAVEfmt ')
  head.setUint32(16, 16, true)
  head.setUint16(20, samples === 's16' ? 1 : 3, true)
  head.setUint16(22, channels, true)
  head.setUint32(24, sampleRate, true)
  head.setUint32(28, sampleRate * frame, true)
  head.setUint16(32, frame, true)
  head.setUint16(34, bits, true)
  text(36, 'data')
  head.setUint32(40, length - cut, true)
  yield new Uint8Array(head.buffer)
  yield* all
}
