// What gets somebody in, and what servers say with it taken out. Every text of a server passes `hideSecrets` before it
// becomes an event, an error, a message or a log.
import { toBase64 } from './base64.js'

/** @internal A header or a member of a query by whose name somebody gets in. */
export const credential = /key|token|secret|auth|cookie|password|signature/i
/** Shorter ones are words (`none`, `ollama`), and may occur in any sentence. */
const MIN_SECRET = 8

/** @internal The values of those that are credentials by their name. */
export const namedSecrets = (entries: Iterable<[string, string]>): string[] =>
  [...entries].filter(([name]) => credential.test(name)).map(([, value]) => value)

/**
 * @internal Each in every spelling that a server may repeat: as it is, decoded, without its scheme, and these
 * percent-encoded, in base64 and base64url. The longest first.
 */
export function secretTexts(secrets: readonly (string | undefined)[]): string[] {
  const given = secrets.flatMap((secret) => (secret ? [secret, secret.replace(/^(?:Bearer|Basic) /i, '')] : []))
  const plain = given.flatMap((secret) => [secret, safeDecode(secret)]).filter((secret) => secret.length >= MIN_SECRET)
  return [...new Set(plain.flatMap((secret) => [secret, ...encoded(secret)]))].sort((a, b) => b.length - a.length)
}

/** @internal A text without the secrets. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, '[secret]'), text)
}

/** @internal Headers of a response without the secrets. */
export function hideSecretsIn(
  headers: Iterable<[string, string]>,
  secrets: readonly string[],
): { [name: string]: string } {
  return Object.fromEntries([...headers].map(([name, value]) => [name, hideSecrets(value, secrets)]))
}

/** Base64 without the padding, which a server may leave out. */
function encoded(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret)
  const base64 = toBase64(bytes).replace(/=+$/, '')
  return [encodeURIComponent(new TextDecoder().decode(bytes)), base64, base64.replaceAll('+', '-').replaceAll('/', '_')]
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
