/// <reference lib="esnext.disposable" preserve="true" />
// A server on 127.0.0.1 that says what a script tells it, on every wire: real HTTP, real streams, cut as asked.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { listen } from '../core/listen.js'
import { array, flag, is, members, milliseconds, oneOf, text, whole } from '../core/options.js'
import type { ScriptedAnswer, Step, ScriptedWire, Writer } from '../wire/scripted-answer.js'
import { openaiChat } from '../wire/openai-chat.js'
import { sizes } from '../wire/sizes.js'
import { splitter } from '../wire/splitter.js'
import { signThoughts, type ThoughtMember } from './chat-thoughts.js'
import { textOf } from './request-text.js'
import { defaultStrict, type ScriptedProvider } from './rules/rule.js'
import { Memory } from './server-memory.js'
import { wireOf, wires } from './wires.js'

/** A request as it came. */
export interface RecordedRequest {
  /** The wire that its path belongs to. */
  wire: ScriptedWire
  /** With its query: `/v1/chat/completions`. */
  path: string
  /** Names in lower case. */
  headers: { readonly [name: string]: string | string[] | undefined }
  /** The body as it came. */
  text: string
  /** The body as JSON. */
  body: any
  /** The client went away before the answer ended. */
  aborted: boolean
}

/** What the server says, and how it is cut. */
export interface ScriptedServerOptions {
  /** One after another; a function answers every request by itself. */
  answers: ScriptedAnswer[] | ((request: RecordedRequest, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>)
  /** How text and arguments become deltas: words (`token`, the default), `whole`, or so many characters. */
  deltas?: 'token' | 'whole' | number
  /** How the body is cut into writes: one event each (the default), `byte`, so many bytes, or at random. */
  chunks?:
    | 'event'
    | 'byte'
    | number
    | {
        /** The same number gives the same cuts. */
        seed: number
        /** The largest piece in bytes. Default 64. */
        max?: number
      }
  /** Milliseconds between two writes. Default 0. */
  delayMs?: number
  /**
   * Default true: a request that a provider would refuse gets status 400, in that provider's words. `documented`: only
   * what its documentation says, without the rules of `enforcedRules`. false: every request is taken.
   */
  strict?: boolean | 'documented'
  /** Default: the provider that each wire is named after. Which server this one stands for. */
  server?: ScriptedProvider
  /**
   * How thoughts are sent on `openai-chat`. Default `reasoning_content`, a text. The two others are lists in pieces, of
   * which the last has the signature of the whole: OpenRouter's `reasoning_details` and LiteLLM's `thinking_blocks`.
   */
  thoughts?: ThoughtMember
  /**
   * Default true, unless `strict` is false: a request must begin with the one before it, word for word, `system` and `tools`
   * included. Requests with the same first user message, wire and model are one conversation; that message alone asks
   * anew. false where a test edits what was said.
   */
  appendOnly?: boolean
  /**
   * The models that it lists, on every wire (`GET /v1/models`, `/v1beta/models`, `/api/tags`). Default none: it knows
   * no such list (404).
   */
  models?: readonly string[]
  /** Default 0: any that is free. */
  port?: number
}

/** A server that listens on 127.0.0.1. */
export interface ScriptedServer {
  /** Without a path: `http://127.0.0.1:1234`. */
  url: string
  /** For `model.baseURL` on `openai-chat`. */
  baseURL: string
  /** For `model.baseURL` on each wire. The clients of Anthropic, Google and Ollama take `url`. */
  baseURLs: { readonly [wire in ScriptedWire]: string }
  /** What came, in order. */
  requests: RecordedRequest[]
  close(): Promise<void>
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

const orMore = (words: readonly string[], value: unknown): boolean =>
  words.includes(value as string) || (Number.isInteger(value) && (value as number) > 0)

const check = members({
  members: {
    answers: is(
      'an array of answers, or a function (request, index) => answer',
      (value) => Array.isArray(value) || typeof value === 'function',
    ),
    deltas: is('token | whole | a number of characters', (value) => orMore(['token', 'whole'], value)),
    chunks: is(
      'event | byte | a number of bytes | { seed, max }',
      (value) => orMore(['event', 'byte'], value) || Number.isInteger((value as { seed?: unknown } | null)?.seed),
    ),
    delayMs: milliseconds,
    strict: is('true | false | documented', (value) => typeof value === 'boolean' || value === 'documented'),
    server: members({
      members: {
        dialect: text,
        template: oneOf('mistral', 'gemma'),
      } satisfies { [member in keyof Required<ScriptedProvider>]: unknown },
    }),
    thoughts: oneOf('reasoning_content', 'reasoning_details', 'thinking_blocks'),
    appendOnly: flag,
    models: array,
    port: whole(0, 65_535),
  } satisfies { [member in keyof Required<ScriptedServerOptions>]: unknown },
  needs: ['answers'],
})

/** Starts a scripted server. Rejects with SluiceError `option` where an option is wrong. */
export async function startScriptedServer(options: ScriptedServerOptions): Promise<ScriptedServer> {
  check(options, 'options')
  const requests: RecordedRequest[] = []
  const memory = new Memory(options.appendOnly !== false, {
    strict: options.strict ?? defaultStrict,
    server: options.server ?? {},
  })
  const server = createServer((request, response) => {
    handle(request, response, { requests, memory }, options).catch((error: unknown) => {
      if (!response.headersSent)
        sendError(response, wireOf(request.url ?? '')?.writer, 500, `the script failed: ${String(error)}`)
      else response.destroy()
    })
  })
  const place = { host: '127.0.0.1', port: options.port ?? 0 }
  await listen(server, place, 'port', 'leave the port out to get a free one')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  const baseURLs = Object.fromEntries(
    Object.entries(wires).map(([wire, { base }]) => [wire, url + base]),
  ) as ScriptedServer['baseURLs']
  return { url, baseURL: baseURLs['openai-chat'], baseURLs, requests, close, [Symbol.asyncDispose]: close }
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  { requests, memory }: { requests: RecordedRequest[]; memory: Memory },
  options: ScriptedServerOptions,
): Promise<void> {
  const path = request.url ?? ''
  const asked = request.method === 'POST' ? wireOf(path) : undefined
  if (options.models && request.method === 'GET' && sendModels(request, response, options.models)) return
  if (!asked) {
    return sendError(
      response,
      undefined,
      404,
      `no such endpoint: ${request.method} ${path}; expected POST /v1/chat/completions, /v1/messages, /v1/responses, /v1beta/models/{model}:streamGenerateContent, /v1beta/interactions or /api/chat`,
    )
  }
  const { wire, writer } = asked
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const text = textOf(Buffer.concat(pieces))
  const record: RecordedRequest = { wire, path, headers: request.headers, text, body: undefined, aborted: false }
  const gone = new AbortController()
  response.on('close', () => {
    record.aborted = !response.writableFinished
    gone.abort()
  })
  const left = new Promise<void>((resolve) => gone.signal.addEventListener('abort', () => resolve()))
  const pause = (time: number | Promise<unknown>): Promise<unknown> =>
    Promise.race([left, typeof time === 'number' ? delay(time, undefined, { signal: gone.signal }) : time]).catch(
      () => {},
    )
  const index = requests.push(record) - 1
  try {
    record.body = JSON.parse(text)
  } catch (error) {
    return sendError(response, writer, 400, `the body is no JSON: ${(error as Error).message}`)
  }
  const asking = {
    wire,
    model: asked.model ?? String(record.body?.model ?? ''),
    body: record.body,
    headers: record.headers,
  }
  const refused = options.strict === false ? null : memory.check(asking)
  if (refused) {
    memory.refused(asking)
    return sendError(response, writer, 400, refused)
  }

  const { answers } = options
  const answer = typeof answers === 'function' ? await answers(record, index) : answers[index]
  if (!answer) return sendError(response, writer, 500, `the script has no answer for request ${index + 1}`)
  if (answer.delayMs) await pause(answer.delayMs)
  const status = answer.status ?? 200
  if (status >= 400) {
    if (status < 429) memory.refused(asking)
    return sendError(response, writer, status, answer.error ?? `status ${status}`, answer.headers)
  }

  const id = String(index + 1)
  const head = { id, model: asking.model, request: record.body, seal: sealer(id) }
  const { thoughts = 'reasoning_content' } = options
  const signed =
    wire === 'openai-chat' && thoughts !== 'reasoning_content' && answer.signed !== false
      ? signThoughts(answer, thoughts, head, splitter(options.deltas))
      : { answer, members: {} }
  const written = writer.write(signed.answer, head)
  Object.assign(written.items[0] ?? {}, signed.members)
  memory.answered(asking, { id: `resp_${id}`, items: written.items, finish: answer.finish ?? null })
  if (answer.json || !asked.streams(record.body)) {
    response.writeHead(status, { 'content-type': 'application/json', ...answer.headers })
    response.end(JSON.stringify(written.whole()))
    return
  }
  response.writeHead(status, { 'content-type': writer.type, 'cache-control': 'no-cache', ...answer.headers })
  for (const step of cut(written.stream(splitter(options.deltas)), options.chunks)) {
    if (response.destroyed) return
    if ('wait' in step) await pause(step.wait)
    else if ('cut' in step) return void response.destroy()
    else {
      response.write(step.bytes)
      // Also without a delay each write is to leave on its own.
      await (options.delayMs ? pause(options.delayMs) : new Promise(setImmediate))
    }
  }
  response.end()
}

/** The list of models as each provider writes it. Returns false where it is not asked for. */
function sendModels(
  { url = '', headers }: IncomingMessage,
  response: ServerResponse,
  names: readonly string[],
): boolean {
  const [path = ''] = url.split('?')
  const list = path.endsWith('/api/tags')
    ? { models: names.map((name) => ({ name, model: name })) }
    : path.endsWith('/v1beta/models')
      ? { models: names.map((name) => ({ name: `models/${name}`, supportedGenerationMethods: ['generateContent'] })) }
      : !path.endsWith('/models')
        ? undefined
        : 'anthropic-version' in headers
          ? { data: names.map((id) => ({ type: 'model', id, display_name: id })), has_more: false }
          : { object: 'list', data: names.map((id) => ({ id, object: 'model' })) }
  if (list) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list))
  return list !== undefined
}

/** Makes up signatures: the same for the same request of a script, and unlike any other. */
function sealer(id: string): (kind: string) => string {
  let count = 0
  return (kind) => Buffer.from(`${kind} ${id}.${++count} sealed by the scripted server`).toString('base64')
}

function sendError(
  response: ServerResponse,
  writer: Writer = openaiChat,
  status: number,
  error: string | object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(writer.error(status, error, headers)))
}

/** Cuts the bytes between two other steps anew. */
function* cut(steps: Iterable<Step>, chunks: ScriptedServerOptions['chunks'] = 'event'): Generator<Step> {
  if (chunks === 'event') return yield* steps
  const size = sizes(chunks)
  let held: Uint8Array[] = []
  function* release(): Generator<Step> {
    const bytes = Buffer.concat(held)
    held = []
    for (let at = 0; at < bytes.length; ) {
      const next = at + size()
      yield { bytes: bytes.subarray(at, next) }
      at = next
    }
  }
  for (const step of steps) {
    if ('bytes' in step) {
      held.push(step.bytes)
    } else {
      yield* release()
      yield step
    }
  }
  yield* release()
}
