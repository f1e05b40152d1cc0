// An address in running text becomes a link: `https://example.com/a`, and nothing that is less clearly an address.
import type { StateInline } from '../markdown-it.js'
import { beginRule, placeLink, type InlineRule } from './inline-places.js'

const COLON = 0x3a
const SCHEME = /(?:^|[^a-z0-9+.-])(https?|mailto)$/i
/** Punctuation of Chinese and Japanese ends an address; so do the markers of Markdown that addresses rarely have. */
const REST =
  /:(?:\/\/)?[^\s<>"`*|\\\u2018-\u201f\u2026\u3000-\u3011\u3014-\u301f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\ufdd0\u0000-\u001f]+/y
/** A name in Latin letters ends where another script begins: people write `见https://example.com这里`. */
const LATIN_HOST = /^:\/\/[\x21-\x7e]*?(?=[/?#]|[^\x21-\x7e]|$)/
const LONGEST = 2000
const AT_END = /[.,:;!?'~_]+$/

export const bareLink: InlineRule = (state, silent) => {
  const { src, pos } = state
  if (src.charCodeAt(pos) !== COLON || state.linkLevel > 0) return false
  const scheme = SCHEME.exec(src.slice(Math.max(0, pos - 8), pos))?.[1]
  if (!scheme || (!silent && !state.pending.endsWith(scheme))) return false
  if (src.startsWith('//', pos + 1) === (scheme.toLowerCase() === 'mailto')) return false
  REST.lastIndex = pos
  let rest = REST.exec(src.slice(0, Math.min(state.posMax, pos + LONGEST)))?.[0]
  if (!rest) return false
  const host = LATIN_HOST.exec(rest)?.[0]
  if (host && host.length > 3 && /[^\x21-\x7e]/.test(rest.charAt(host.length))) rest = host
  rest = withoutEnd(rest)
  const href = addressOf(scheme + rest)
  if (!href) return false
  if (!silent) {
    state.pending = state.pending.slice(0, -scheme.length)
    state.pos -= scheme.length
    beginRule(state)
    state.push('link_open', 'a', 1).attrs = [['href', href]]
    state.push('text', '', 0).content = scheme + rest
    state.push('link_close', 'a', -1)
    const place = { from: state.pos, to: pos + rest.length }
    placeLink(state, place, place)
  }
  state.pos = pos + rest.length
  return true
}

/** Where an address begins whose end may not be there yet; undefined: none does. The state is at its colon. */
export function bareStart({ src, pos, pending, linkLevel }: StateInline): number | undefined {
  const scheme = SCHEME.exec(src.slice(Math.max(0, pos - 8), pos))?.[1]
  if (!scheme || linkLevel > 0 || !pending.endsWith(scheme)) return undefined
  const start = pos - scheme.length
  if (/^:\/{0,2}$/.test(src.slice(pos, pos + 4))) return start
  REST.lastIndex = pos
  const rest = REST.exec(src.slice(0, pos + LONGEST + 1))?.[0]
  if (!rest || rest.length > LONGEST || pos + rest.length < src.length) return undefined
  const host = LATIN_HOST.exec(rest)?.[0]
  return host && host.length > 3 && host.length < rest.length && /[^\x21-\x7e]/.test(rest.charAt(host.length))
    ? undefined
    : start
}

/** Without the punctuation of the sentence, and without brackets that were opened before the address. */
function withoutEnd(address: string): string {
  let open = 0
  let end = address.length
  for (let at = 0; at < address.length; at++) {
    const character = address[at] as string
    if ('([{'.includes(character)) open++
    else if (')]}'.includes(character) && --open < 0) {
      end = at
      break
    }
  }
  return address.slice(0, end).replace(AT_END, '')
}

function addressOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url) return undefined
  if (url.protocol === 'mailto:') return /^[^@\s]+@[^@\s]+$/.test(url.pathname) ? url.href : undefined
  return url.hostname ? url.href : undefined
}
