const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const LENGTH = 24
/** Bytes beyond the last whole multiple of the letters would make some letters likelier than others. */
const FAIR = 256 - (256 % letters.length)

/** An id as OpenAI's servers give them, unique in every conversation. */
export function callId(): string {
  let id = ''
  while (id.length < LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH)))
      if (byte < FAIR && id.length < LENGTH) id += letters[byte % letters.length]
  }
  return `call_${id}`
}
