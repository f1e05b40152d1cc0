// A server asks the person something while a tool of it runs. The answer goes to the server; no model reads question or
// answer.
import { escapeInvisible } from '../../app/bridge/invisible.js'
import { messageOf } from '../../engine/core/errors.js'
import type { JsonObject } from '../../engine/core/events.js'
import { unlessAborted } from '../../engine/core/hooks.js'
import { isObject, shown } from '../../engine/core/options.js'
import { warn } from '../../engine/core/warning.js'
import type { Clean } from './clean.js'
import { onRequest, type McpClientLike } from './mcp-client.js'

/** What a server wants to know of the person. */
export interface McpQuestion {
  /** Who asks: `server` of the options. */
  readonly server: string
  /** What it says, in its words. What has no glyph or turns others around stands as its code point: `⟨U+202E⟩`. */
  readonly message: string
  /**
   * `form`: `schema` says what is asked for. `url`: the person is to open `url`, which begins with `https://` or
   * `http://`; only where the client declares it.
   */
  readonly mode: 'form' | 'url'
  /** JSON Schema of a flat object, in the server's words: titles and descriptions are marked as `message` is. */
  readonly schema?: JsonObject
  /** The page to open. */
  readonly url?: string
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** `accept` is for `url`: the person agreed to open it. `cancel`: the person gave no answer. */
export type McpAnswer =
  | 'accept'
  | 'decline'
  | 'cancel'
  | {
      /** What the person filled in: texts, numbers, yes or no, or lists of texts. */
      content: {
        /** By the names of the schema. */
        [field: string]: string | number | boolean | string[]
      }
    }

const LONGEST_MESSAGE = 4000
const LONGEST_SCHEMA = 50_000
/** So many questions of a server wait; further ones are cancelled. */
const MOST_WAITING = 8

/** Has the host answer the questions of a server, one after another. Returns what ends that. */
export function askPeople(
  client: McpClientLike,
  server: string,
  onElicit: (question: McpQuestion) => McpAnswer | Promise<McpAnswer>,
  clean: Clean,
): () => void {
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  return onRequest(client, 'elicitation/create', async (params, signal) => {
    const question = questionOf(clean.json(params), server, signal)
    if (!question || waiting >= MOST_WAITING) return { action: 'cancel' }
    waiting++
    const before = last
    const answer = (async (): Promise<object> => {
      await before
      if (signal.aborted) return { action: 'cancel' }
      return answerOf(await unlessAborted((async () => onElicit(question))(), signal))
    })()
      .catch((error: unknown) => {
        if (!signal.aborted)
          warn(`onElicit failed, which answers a question of ${server} with "cancel": ${messageOf(error)}`)
        return { action: 'cancel' }
      })
      .finally(() => waiting--)
    last = answer
    return answer
  })
}

/** Undefined: no person can be asked that. */
function questionOf(params: unknown, server: string, signal: AbortSignal): McpQuestion | undefined {
  if (!isObject(params) || typeof params['message'] !== 'string' || params['message'].length > LONGEST_MESSAGE)
    return undefined
  const message = escapeInvisible(params['message'])
  const asked = { server, message, signal }
  if (params['mode'] === 'url') {
    const { url } = params
    return typeof url === 'string' && /^https?:\/\//i.test(url) && URL.canParse(url)
      ? { ...asked, mode: 'url', url: new URL(url).href }
      : undefined
  }
  const schema = params['requestedSchema']
  const text = isObject(schema) ? JSON.stringify(schema) : undefined
  if (text === undefined || text.length > LONGEST_SCHEMA) return undefined
  return { ...asked, mode: 'form', schema: JSON.parse(text, marked) as JsonObject }
}

/** What people read of a schema; the values themselves go back to the server as they are. */
function marked(name: string, value: unknown): unknown {
  if (typeof value === 'string') return name === 'title' || name === 'description' ? escapeInvisible(value) : value
  return name === 'enumNames' && Array.isArray(value)
    ? value.map((one: unknown) => (typeof one === 'string' ? escapeInvisible(one) : one))
    : value
}

function answerOf(answer: unknown): object {
  if (answer === 'accept' || answer === 'decline' || answer === 'cancel') return { action: answer }
  const content = isObject(answer) ? answer['content'] : undefined
  const fits = (value: unknown): boolean =>
    ['string', 'number', 'boolean'].includes(typeof value) ||
    (Array.isArray(value) && value.every((one) => typeof one === 'string'))
  if (!isObject(content) || !Object.values(content).every(fits))
    throw new Error(
      `it gave back ${shown(answer)}, expected accept | decline | cancel, or { content } with texts, numbers, true or false, and lists of texts`,
    )
  return { action: 'accept', content }
}
