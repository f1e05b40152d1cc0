// What a picture is, by its first bytes: names and types of files are what somebody says. SVG is none: it can hold
// scripts and addresses.

/** Pictures that people attach. */
export type PictureType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/avif'

const latin = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to))

const beginnings: { readonly [type in PictureType]: (bytes: Uint8Array) => boolean } = {
  'image/png': (bytes) => latin(bytes, 0, 8) === '\x89PNG\r\n\x1a\n',
  'image/jpeg': (bytes) => latin(bytes, 0, 3) === '\xff\xd8\xff',
  'image/gif': (bytes) => /^GIF8[79]a$/.test(latin(bytes, 0, 6)),
  'image/webp': (bytes) => latin(bytes, 0, 4) === 'RIFF' && latin(bytes, 8, 12) === 'WEBP',
  'image/avif': (bytes) => /^ftypavi[fs]$/.test(latin(bytes, 4, 12)),
}

/** By the first 32 bytes; undefined for what is no picture of these types. */
export function pictureType(bytes: Uint8Array): PictureType | undefined {
  return (Object.keys(beginnings) as PictureType[]).find((type) => beginnings[type](bytes))
}
