// Pictures in few colours: small files that look the same, and the same file for the same pixels.
import { deflateSync } from 'node:zlib'
import gifenc from 'gifenc'
import { PNG } from 'pngjs'

/** `{ width, height, data }` of a PNG, four bytes a pixel. */
export const readPng = (bytes) => PNG.sync.read(bytes)

/** How often each colour is there. */
export function countColours(pictures) {
  const counts = new Map()
  for (const { data } of pictures) {
    const all = new Uint32Array(data.buffer, data.byteOffset, data.length / 4)
    for (let at = 0; at < all.length; ) {
      const colour = all[at]
      let end = at + 1
      while (end < all.length && all[end] === colour) end++
      counts.set(colour & 0xffffff, (counts.get(colour & 0xffffff) ?? 0) + end - at)
      at = end
    }
  }
  return counts
}

const parts = (colour) => [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255]

/** So many colours that stand for all: what is there most as it is, the rest by what is near it. */
export function choosePalette(counts, most) {
  const sorted = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0])
  const kept = sorted.slice(0, sorted.length <= most ? most : Math.floor(most * 0.6)).map(([colour]) => parts(colour))
  const rest = sorted.slice(kept.length)
  if (rest.length === 0) return kept
  const pixels = []
  for (const [colour, count] of rest)
    for (let left = Math.ceil(Math.sqrt(count)); left > 0; left--) pixels.push(...parts(colour), 255)
  return [...kept, ...gifenc.quantize(new Uint8Array(pixels), most - kept.length, { format: 'rgb565' })]
}

/** A function from a picture to the indices of its pixels in the palette. */
export function mapper(palette) {
  const known = new Map()
  const nearest = (colour) => {
    const [r, g, b] = parts(colour)
    let best = 0
    let least = Infinity
    for (let at = 0; at < palette.length; at++) {
      const [x, y, z] = palette[at]
      const far = 2 * (r - x) ** 2 + 4 * (g - y) ** 2 + 3 * (b - z) ** 2
      if (far < least) [best, least] = [at, far]
    }
    known.set(colour, best)
    return best
  }
  return ({ data }) => {
    const all = new Uint32Array(data.buffer, data.byteOffset, data.length / 4)
    return Uint8Array.from(all, (colour) => known.get(colour & 0xffffff) ?? nearest(colour & 0xffffff))
  }
}

const crcs = Int32Array.from({ length: 256 }, (_, at) => {
  let crc = at
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  let crc = -1
  for (const byte of body) crc = crcs[(crc ^ byte) & 255] ^ (crc >>> 8)
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeInt32BE(crc ^ -1)
  return Buffer.concat([length, body, sum])
}

/** A PNG with a palette of a picture. */
export function writePng(picture, most = 256) {
  const { width, height } = picture
  const palette = choosePalette(countColours([picture]), most)
  const indices = mapper(palette)(picture)
  const lines = Buffer.alloc((width + 1) * height) // each begins with 0: no filter
  for (let y = 0; y < height; y++) lines.set(indices.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(lines, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A GIF of `{ picture, ms }`: what did not change is left out of a frame, frames that are alike are one. */
export function writeGif(frames) {
  const palette = choosePalette(countColours(frames.map(({ picture }) => picture)), 255)
  const transparent = palette.length
  const indices = mapper(palette)
  const gif = gifenc.GIFEncoder()
  let before
  const shown = []
  for (const { picture, ms } of frames) {
    const now = indices(picture)
    if (before && Buffer.compare(now, before) === 0) shown.at(-1).ms += ms
    else shown.push({ now, ms, before, picture })
    before = now
  }
  for (const {
    now,
    ms,
    before,
    picture: { width, height },
  } of shown) {
    const changed = before ? now.map((colour, at) => (colour === before[at] ? transparent : colour)) : now
    gif.writeFrame(changed, width, height, {
      delay: ms,
      dispose: 1,
      ...(before ? { transparent: true, transparentIndex: transparent } : { palette: [...palette, [0, 0, 0]] }),
    })
  }
  gif.finish()
  return Buffer.from(gif.bytes())
}
