// Base64, by Node where it runs.

const node = typeof Buffer === 'function' ? Buffer : undefined
const PIECE = 0x3000 // a multiple of three

export function toBase64(bytes: Uint8Array): string {
  if (node) return node.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  let out = ''
  for (let at = 0; at < bytes.length; at += PIECE) out += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)))
  return out
}

/** How many bytes a text of base64 holds. White space may end it. */
export function base64Size(text: string): number {
  const end = /=*\s*$/.exec(text.slice(-100))?.[0].length ?? 0
  return Math.floor(((text.length - end) * 3) / 4)
}

/** As Node reads it: what is no base64 is passed over. */
export function fromBase64(text: string): Uint8Array {
  if (node) return node.from(text, 'base64')
  const clean = text
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/=[^]*$/, '')
    .replace(/[^A-Za-z0-9+/]/g, '')
  return Uint8Array.from(atob(clean.length % 4 === 1 ? clean.slice(0, -1) : clean), (character) =>
    character.charCodeAt(0),
  )
}
