// What a file is called that a model made: the extension by its media type.

const known: { readonly [mediaType: string]: string } = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/javascript': 'js',
  'audio/mpeg': 'mp3',
  'application/gzip': 'gz',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
}

/** `png` for `image/png`; `bin` for a media type that says nothing. */
export function fileExtension(mediaType: unknown): string {
  const type = String(mediaType).toLowerCase().split(';', 1)[0]?.trim() ?? ''
  if (Object.hasOwn(known, type)) return known[type] as string
  return /^[a-z]+\/(?:x-)?([a-z0-9]{1,5})$/.exec(type)?.[1] ?? 'bin'
}
