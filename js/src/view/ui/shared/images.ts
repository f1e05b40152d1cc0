import type { Picture } from '../../../app/bridge/question.js'

/**
 * A result's picture as a `data:` URL; undefined if it is not clearly a picture. Remote pictures are not loaded: the
 * request would tell their server.
 */
export function imageSource({ mediaType, data }: Pick<Picture, 'mediaType' | 'data'>): string | undefined {
  return /^image\/(png|jpeg|gif|webp|avif)$/.test(mediaType) && /^[A-Za-z0-9+/=\s]*$/.test(data)
    ? `data:${mediaType};base64,${data}`
    : undefined
}
