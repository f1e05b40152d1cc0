import type { Picture } from '../bridge/question.js'

/** A picture of a result as a `data:` URL; undefined for what is not plainly one. Pictures elsewhere are not loaded: it would tell. */
export function imageSource({ mediaType, data }: Pick<Picture, 'mediaType' | 'data'>): string | undefined {
  return /^image\/(png|jpeg|gif|webp|avif)$/.test(mediaType) && /^[A-Za-z0-9+/=\s]*$/.test(data) ? `data:${mediaType};base64,${data}` : undefined
}
