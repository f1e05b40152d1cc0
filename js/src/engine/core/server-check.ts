// Whether a server can be used: each thing that must work is tried, in the order in which it can go wrong. Real
// requests, as a turn sends them.
import { Engine } from './engine.js'
import { messageOf } from './errors.js'
import type { ChatMessage, ErrorEvent, SluiceEvent } from './events.js'
import { checkKey, checkModel, serverOf, type Model, type Server, type ServerAddress } from './model.js'
import {
  checkAsk,
  Late,
  listed,
  listServer,
  within,
  withoutSecrets,
  type ServerRequestOptions,
  type Listed,
} from './models.js'
import { providerAt, providers, type ProviderName } from './providers.js'
import { words, type Said } from './server-check-words.js'
import type { CheckStep, ServerCheck } from './server-step.js'
import { tool } from './tool.js'
import { fetchTransport, shownUrl } from './transport.js'

/** A server with a model, or without one while people still choose. */
export type Endpoint = ServerAddress & {
  /** The name of the model. Default none: the check ends with the step `model`. */
  name?: string
}

const LIST_MS = 10_000
const ANSWER_MS = 60_000
const MAX_WORDS = 300
/**
 * A model that has written so much without the answer is stopped. It is that much because some servers put thoughts
 * into the text.
 */
const MOST_CHARACTERS = 20_000
/** 64 × 64 pixels, all red. Smaller ones are refused by some models. */
const RED =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQMAAACQp+OdAAAABlBMVEXgEBD///+DZERCAAAAD0lEQVR42mNgGAWjgHwAAAJAAAHgTR1EAAAAAElFTkSuQmCC'

/**
 * Tries what a chat needs, step by step: `reach`, `key`, `model`, `stream`, `tools`, `pictures`. A step without which
 * the rest cannot work ends it. Up to three short answers are asked for, which a provider may bill. Throws SluiceError
 * `option` where the server is described wrongly.
 */
export async function* checkServer(
  endpoint: Endpoint,
  options: ServerRequestOptions = {},
): AsyncGenerator<ServerCheck, void, undefined> {
  checkModel({ needsName: false })(endpoint, 'endpoint')
  checkAsk(options, 'options')
  const check = new Check(endpoint, options)
  try {
    yield* check.steps()
  } finally {
    check.close()
  }
}

/** What a short answer came to. */
interface Answer {
  text: string
  /** Milliseconds until the first word. */
  firstMs: number | undefined
  /** It came as a stream. */
  streamed: boolean
  error: ErrorEvent | undefined
  /** The format in which a call stood in the text. */
  otherFormat: string | undefined
  late: boolean
}

type Failure = 'network' | 'key' | 'credit' | 'model' | 'place' | 'other'

class Check {
  readonly #endpoint: Endpoint
  readonly #options: ServerRequestOptions
  readonly #list: Server
  readonly #server: Server
  readonly #who: string
  readonly #provider: ProviderName | undefined
  #engine: Engine | undefined
  #called = false
  #from = performance.now()

  constructor(endpoint: Endpoint, options: ServerRequestOptions) {
    this.#endpoint = endpoint
    this.#options = options
    this.#server = serverOf(endpoint, endpoint.name ?? '')
    this.#list = listServer(endpoint, this.#server.wire)
    this.#provider = endpoint.provider ?? providerAt(this.#server.url)
    this.#who = endpoint.provider
      ? providers[endpoint.provider].title
      : this.#provider === 'ollama'
        ? 'Ollama'
        : new URL(this.#server.url).host
  }

  close(): void {
    this.#engine?.close()
  }

  async *steps(): AsyncGenerator<ServerCheck, void, undefined> {
    const found = await this.#listed()
    if ('failed' in found) return yield this.#reported('reach', false, found.failed)
    // A server that lists nothing may still answer questions, so only these say that one is there.
    const sure = found.names !== undefined || found.status === 401 || found.status === 403
    const there = words.answers(this.#who, shownOrigin(this.#server.url))
    if (sure) yield this.#reported('reach', true, there)
    const missing = this.#keyMissing()
    if (missing) {
      if (!sure) yield this.#reported('reach', true, there)
      return yield this.#reported('key', false, missing)
    }
    const { name, apiKey } = this.#endpoint
    const key = apiKey ? words.keyTaken() : words.keyless()
    if (found.names?.length === 0 || name === undefined) {
      if (!sure)
        yield found.page
          ? this.#reported('reach', false, words.page(shownUrl(this.#list.url)))
          : this.#reported('reach', true, there)
      if (!sure && found.page) return
      const refused = found.status === 401 || found.status === 403
      yield refused
        ? this.#reported('key', false, this.#keyRefused(found.words))
        : this.#reported('key', true, apiKey ? words.keyUntested() : key)
      if (refused) return
      return yield this.#reported(
        'model',
        false,
        found.names?.length === 0
          ? words.noModel(this.#who, this.#provider)
          : found.names
            ? words.choose(found.names)
            : words.chooseUnlisted(),
      )
    }
    const answer = await this.#ask(
      [{ role: 'user', content: 'Answer with one word: ready' }],
      (event) => (event.type === 'text' || event.type === 'reasoning') && event.text.trim() !== '',
    )
    const failure = answer.error && failureOf(answer.error)
    const detail = answer.error ? this.#clean(answer.error.detail) : ''
    if (!sure) {
      if (failure === 'network' || failure === 'place')
        return yield this.#reported(
          'reach',
          false,
          failure === 'network'
            ? this.#nobody(detail)
            : found.page
              ? words.page(shownUrl(this.#server.url))
              : words.noApi(shownUrl(this.#server.url), detail),
        )
      yield this.#reported('reach', true, there)
    }
    if (failure === 'key')
      return yield this.#reported(
        'key',
        false,
        apiKey
          ? this.#keyRefused(detail)
          : words.keyMissing(this.#who, this.#provider && providers[this.#provider].keys),
      )
    if (failure === 'credit') return yield this.#reported('key', false, words.noCredit(detail))
    yield this.#reported('key', true, key, 0)
    if (failure === 'model')
      return yield this.#reported(
        'model',
        false,
        words.modelGone(name, detail, near(name, found.names ?? []), this.#provider),
        0,
      )
    if (failure === 'place')
      return yield this.#reported('stream', false, words.noApi(shownUrl(this.#server.url), detail))
    if (failure)
      return yield this.#reported(
        'stream',
        false,
        words.broke(detail, answer.error?.hint && this.#clean(answer.error.hint)),
      )
    if (answer.late)
      return yield this.#reported('stream', false, words.late(name, this.#options.timeoutMs ?? ANSWER_MS))
    yield this.#reported('model', true, words.modelThere(name), 0)
    if (answer.firstMs === undefined) return yield this.#reported('stream', false, words.silent(name))
    yield this.#reported(
      'stream',
      answer.streamed,
      answer.streamed ? words.streams(answer.firstMs) : words.atOnce(),
      answer.firstMs,
    )
    yield await this.#tools()
    yield await this.#pictures()
  }

  // -- the steps ------------------------------------------------------------------------------------------------------

  async #listed(): Promise<Listed | { failed: Said }> {
    const ms = Math.min(LIST_MS, this.#options.timeoutMs ?? LIST_MS)
    try {
      const found = await within(ms, this.#options.signal, (signal) => listed(this.#list, signal))
      return { ...found, words: this.#clean(found.words) }
    } catch (error) {
      this.#options.signal?.throwIfAborted()
      return {
        failed:
          error instanceof Late
            ? words.slow(shownOrigin(this.#list.url), ms)
            : this.#nobody(this.#clean(messageOf(error))),
      }
    }
  }

  #nobody(detail: string): Said {
    const why = detail
      .replace(`${shownUrl(this.#list.url)}: `, '')
      .replace(`${shownUrl(this.#server.url)}: `, '')
      .replace(/^fetch failed: /, '')
    return words.nobody(shownOrigin(this.#server.url), why, this.#provider)
  }

  #keyMissing(): Said | undefined {
    try {
      checkKey(this.#endpoint, this.#server)
      return undefined
    } catch {
      return words.keyMissing(this.#who, this.#provider && providers[this.#provider].keys)
    }
  }

  #keyRefused(detail: string): Said {
    return words.keyRefused(detail, Boolean(this.#provider && providers[this.#provider].elsewhere))
  }

  async #tools(): Promise<ServerCheck> {
    const answer = await this.#ask(
      [{ role: 'user', content: 'Call the tool note with the text "ready". Say nothing.' }],
      () => this.#called,
      true,
    )
    if (this.#called) return this.#reported('tools', true, words.calls())
    const { error, otherFormat, late } = answer
    if (otherFormat !== undefined) return this.#reported('tools', false, words.ownFormat(otherFormat))
    if (error)
      return this.#reported(
        'tools',
        false,
        error.code === 'tools_unsupported'
          ? words.noTools(this.#clean(error.detail))
          : words.broke(this.#clean(error.detail), error.hint && this.#clean(error.hint)),
      )
    return this.#reported(
      'tools',
      false,
      late ? words.late(this.#endpoint.name as string, this.#options.timeoutMs ?? ANSWER_MS) : words.noCall(),
    )
  }

  async #pictures(): Promise<ServerCheck> {
    const content = [
      { type: 'text', text: 'Which colour has this picture? Answer with one word.' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${RED}` } },
    ]
    const { text, error, late } = await this.#ask([{ role: 'user', content } as ChatMessage], (_, said) =>
      red.test(said),
    )
    if (red.test(text)) return this.#reported('pictures', true, words.sees())
    if (error) return this.#reported('pictures', false, words.blind(this.#clean(error.detail)))
    return this.#reported(
      'pictures',
      false,
      late ? words.late(this.#endpoint.name as string, this.#options.timeoutMs ?? ANSWER_MS) : words.sawNothing(),
    )
  }

  /** Asks the model; `enough`: nothing more is wanted of the answer. */
  async #ask(
    messages: ChatMessage[],
    enough: (event: SluiceEvent, text: string) => boolean,
    tools = false,
  ): Promise<Answer> {
    const answer: Answer = {
      text: '',
      firstMs: undefined,
      streamed: false,
      error: undefined,
      otherFormat: undefined,
      late: false,
    }
    const ms = this.#options.timeoutMs ?? ANSWER_MS
    const { signal } = this.#options
    const from = performance.now()
    const run = (this.#engine ??= this.#withTool()).run({
      model: this.#endpoint as Model,
      messages,
      mode: 'native',
      ...(tools ? {} : { enabled: false }),
      retries: 0,
      flushMs: 0,
      ...(signal ? { signal } : {}),
      transport: async (request, stop) => {
        const response = await fetchTransport(request, stop)
        answer.streamed = !/^\s*(?:application\/json|text\/plain)/i.test(response.headers.get('content-type') ?? '')
        return response
      },
    })
    const timer = setTimeout(() => {
      answer.late = true
      run.cancel('it took too long')
    }, ms)
    let done = false
    for await (const event of run) {
      if (event.type === 'error' && !done && !answer.late && !saidNothing(event)) answer.error ??= event
      if (event.type === 'diagnostic' && event.code === 'other_format') answer.otherFormat ??= event.detail
      if ((event.type === 'text' || event.type === 'reasoning') && event.text.trim() !== '')
        answer.firstMs ??= performance.now() - from
      if (event.type === 'text') answer.text += event.text
      if (done || (answer.text.length < MOST_CHARACTERS && !enough(event, answer.text))) continue
      done = true
      run.cancel('that is enough')
    }
    clearTimeout(timer)
    signal?.throwIfAborted()
    return answer
  }

  #withTool(): Engine {
    return new Engine({
      tools: [
        tool({
          name: 'note',
          description: 'Writes a note.',
          permission: 'public',
          agentCallable: true,
          parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
          execute: () => {
            this.#called = true
            return 'noted'
          },
        }),
      ],
    })
  }

  // -- what is said ---------------------------------------------------------------------------------------------------

  #reported(step: CheckStep, ok: boolean, { says, hint }: Said, ms = performance.now() - this.#from): ServerCheck {
    this.#from = performance.now()
    return { step, ok, ms: Math.round(ms), says, ...(hint === undefined || ok ? {} : { hint }) }
  }

  #clean(text: string): string {
    const clean = withoutSecrets(text, this.#server, this.#endpoint).replace(/\s+/g, ' ').trim()
    return clean.length > MAX_WORDS ? `${clean.slice(0, MAX_WORDS)}…` : clean
  }
}

/** A model without a word is no fault of its server, unless what it said stands where nobody reads it. */
const saidNothing = ({ code, detail }: ErrorEvent): boolean => code === 'empty_answer' && !detail.includes('not read: ')

const red = /\bred\b|红|紅|\brot\b|\brouge\b|\brojo\b|赤|crimson|scarlet/i

/** Servers say the same thing with several statuses, so their words count as well. */
function failureOf({ code, status, detail }: ErrorEvent): Failure {
  const said = detail.toLowerCase()
  if (code === 'network' || (code === 'timeout' && status === undefined)) return 'network'
  if (/api[ _-]?key|x-api-key|invalid_api_key|unauthorized|authentication/.test(said) && (status ?? 400) < 500)
    return 'key'
  if (
    status === 402 ||
    /insufficient[ _](?:quota|balance)|credit balance|exceeded your current quota|billing/.test(said)
  )
    return 'credit'
  if (status === 401 || status === 403 || status === 407) return 'key'
  if (/no such endpoint|unexpected endpoint|invalid url|cannot post/.test(said)) return 'place'
  if (
    /model/.test(said) &&
    (status === 404 ||
      /not found|does not exist|doesn't exist|not exist|unknown model|no such model|invalid model|not a valid model/.test(
        said,
      ))
  )
    return 'model'
  return status === 404 || status === 405 || /the answer is not /.test(said) ? 'place' : 'other'
}

const shownOrigin = (url: string): string => new URL(url).origin

/** Up to three names that may have been meant. */
function near(name: string, names: readonly string[]): string[] {
  const small = name.toLowerCase()
  const alike = names.filter(
    (one) =>
      one.toLowerCase().includes(small) ||
      small.includes(one.toLowerCase()) ||
      one.toLowerCase().split(/[^a-z0-9]/)[0] === small.split(/[^a-z0-9]/)[0],
  )
  return (alike.length > 0 ? alike : names).slice(0, 3)
}
