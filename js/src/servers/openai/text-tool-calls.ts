// The `fetch`: which requests are translated, and what becomes of their answers.
import { DIAGNOSTICS_HEADER } from './diagnostics.js'
import { AnswerFault, errorResponse, refusal, unreadable } from './openai-errors.js'
import { checkTextToolCalls, type AnswerTimes, type TextToolCallOptions } from './openai-options.js'
import { streamedBody } from './streamed-answer.js'
import { Translator, type ReadTranslation, type Translation } from './translator.js'
import { wholeBody } from './whole-answer.js'

/**
 * A `fetch` for OpenAI's clients, and all that are built on them, in front of a model whose server knows no tools, or
 * half: requests tell the model of its tools in its own format, and the calls that it writes into its text come out as
 * `tool_calls`. Whatever is no chat completion with tools passes as it is. Throws SluiceError `option` for a wrong
 * option; a request that cannot be translated is answered with status 400.
 */
export function textToolCalls(options: TextToolCallOptions = {}): typeof fetch {
  checkTextToolCalls(options, 'options')
  const translator = new Translator(options)
  const { firstByteTimeoutMs = 300_000, idleTimeoutMs = 90_000 } = options
  const times: AnswerTimes = { firstByteTimeoutMs, idleTimeoutMs }
  return async (input, init) => {
    const send = options.fetch ?? fetch
    const text = await bodyOf(input, init)
    let translation: Translation | undefined
    try {
      translation = text === undefined ? undefined : translator.translate(text)
    } catch (error) {
      return refusal(error)
    }
    if (!translation) return send(input, init)
    const response = await send(input, { ...init, body: translation.body, headers: headersOf(input, init) })
    return await translated(response, translation, times)
  }
}

/** The text of a request for a chat completion; undefined for any other. */
async function bodyOf(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): Promise<string | undefined> {
  const request = input instanceof Request ? input : undefined
  const method = init?.method ?? request?.method ?? 'GET'
  const url = request?.url ?? String(input)
  if (method.toUpperCase() !== 'POST' || !isChat(url)) return undefined
  const body = init?.body ?? (request?.body ? await request.clone().arrayBuffer() : undefined)
  if (typeof body === 'string') return body
  if (!(body instanceof ArrayBuffer) && !ArrayBuffer.isView(body)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}

/** Whether this is where chat completions are asked for. */
export const isChat = (url: string): boolean => /\/chat\/completions\/?$/.test(url.replace(/[?#].*$/s, ''))

function headersOf(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): Headers {
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
  headers.delete('content-length')
  headers.set('accept-encoding', 'identity') // a compressed stream that breaks stalls fetch without a word
  return headers
}

const isRead = (translation: Translation): translation is ReadTranslation => translation.read !== undefined

async function translated(response: Response, translation: Translation, times: AnswerTimes): Promise<Response> {
  if (!response.ok || !response.body || !isRead(translation)) return response
  const headers = new Headers(response.headers)
  // of the body as it came
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) headers.delete(name)
  const { status, statusText } = response
  if (translation.streams) {
    headers.set('content-type', 'text/event-stream; charset=utf-8')
    return new Response(streamedBody(response.body, translation, times), { status, statusText, headers })
  }
  try {
    const { body, isJson } = await wholeBody(response.body, translation, times)
    const counts = translation.diagnostics.toString()
    if (counts !== '') headers.set(DIAGNOSTICS_HEADER, counts)
    if (isJson) headers.set('content-type', 'application/json') // whatever the server calls it
    return new Response(body, { status, statusText, headers })
  } catch (cause) {
    const error = cause instanceof RangeError ? unreadable(cause) : cause
    if (!(error instanceof AnswerFault)) throw error
    return errorResponse(error.code.endsWith('_timeout') ? 504 : 502, { message: error.message, code: error.code })
  }
}
