// What the tests of voices need in a page: sounds of known loudness, and a stand-in of the browser's speech.
import * as speech from '/sluice/speech/index.js'

/** Samples of a tone: `amplitude` by second, each for `seconds`. */
function tone(amplitudes, seconds, rate) {
  const length = Math.round(seconds * rate)
  const samples = new Float32Array(amplitudes.length * length)
  amplitudes.forEach((amplitude, part) => {
    for (let at = 0; at < length; at++)
      samples[part * length + at] = amplitude * Math.sin((2 * Math.PI * 440 * at) / rate)
  })
  return samples
}

function wav(samples, rate) {
  const view = new DataView(new ArrayBuffer(44 + samples.length * 2))
  const text = (at, letters) => [...letters].forEach((letter, index) => view.setUint8(at + index, letter.charCodeAt(0)))
  text(0, 'RIFF')
  view.setUint32(4, 36 + samples.length * 2, true)
  text(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  text(36, 'data')
  view.setUint32(40, samples.length * 2, true)
  samples.forEach((sample, at) => view.setInt16(44 + at * 2, Math.round(sample * 32767), true))
  return new Uint8Array(view.buffer)
}

/** In pieces, as a response comes. */
async function* pieces(bytes, size = 4000) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size)
}

/** The level of a speaker in every frame, until it is idle. */
function levels(speaker) {
  return new Promise((resolve) => {
    const all = []
    let begun
    const look = () => {
      const now = performance.now()
      const level = speaker.level()
      if (level > 0) begun ??= now
      if (begun !== undefined) all.push([now - begun, level])
      if (speaker.state === 'speaking') requestAnimationFrame(look)
      else resolve(all)
    }
    look()
  })
}

Object.assign(window, { ...speech, tone, wav, pieces, levels, ready: true })
