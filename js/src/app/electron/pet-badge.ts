// A dot on the icon of a tray: a question waits.
import type { PetNativeImage, PetNativeImageLike } from './pet-types.js'

/** Of the icon's smaller side. */
const RADIUS = 0.3
/** Blue, green, red: as bitmaps have them. */
const DOT = [0x3c, 0x45, 0xe5] as const

/** The icon with a dot in its lower right corner, or undefined where it cannot be read. */
export function withDot(icon: unknown, nativeImage: PetNativeImageLike): PetNativeImage | undefined {
  const image = typeof icon === 'string' ? nativeImage.createFromPath(icon) : (icon as PetNativeImage)
  if (typeof image?.toBitmap !== 'function' || image.isEmpty()) return undefined
  const { width, height } = image.getSize()
  const pixels = Buffer.from(image.toBitmap()) // a copy: it may be the image's own memory
  if (pixels.length !== width * height * 4) return undefined
  paintDot(pixels, width, height)
  return nativeImage.createFromBitmap(pixels, { width, height })
}

/** Paints it into premultiplied BGRA. */
export function paintDot(pixels: Uint8Array, width: number, height: number): void {
  const radius = RADIUS * Math.min(width, height)
  const [middleX, middleY] = [width - radius, height - radius]
  for (let y = Math.floor(middleY - radius); y < height; y++) {
    for (let x = Math.floor(middleX - radius); x < width; x++) {
      const covered = Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(x + 0.5 - middleX, y + 0.5 - middleY)))
      const at = (y * width + x) * 4
      for (const [channel, value] of [...DOT, 0xff].entries())
        pixels[at + channel] = Math.round(value * covered + (pixels[at + channel] as number) * (1 - covered))
    }
  }
}
