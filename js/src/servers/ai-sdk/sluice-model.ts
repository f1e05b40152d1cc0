// One model of a server: a request of the AI SDK in the model's own words, and its answer as a reader of the wire finds
// it.
import { messageOf } from '../../engine/core/errors.js'
import type { FinishReason, Json } from '../../engine/core/events.js'
import { lowerCase, type Server } from '../../engine/core/model.js'
import { readRefusal, refusalText } from '../../engine/core/provider-refusal.js'
import { hideSecrets, hideSecretsIn } from '../../engine/core/secrets.js'
import { fetchTransport, shownUrl } from '../../engine/core/transport.js'
import { utf8 } from '../../engine/core/bytes.js'
import { BodyReader } from '../openai/body-reader.js'
import type { ChoiceReader, Ending } from '../openai/choice-reader.js'
import { AnswerFault } from '../openai/openai-errors.js'
import type { AnswerTimes, TextToolCallOptions } from '../openai/openai-options.js'
import { patient } from '../openai/patient.js'
import { Translator, type ReadTranslation } from '../openai/translator.js'
import { AnswerWriter, usageOf, wholeOf, type MalformedCalls } from './model-answer.js'
import { ModelCallError } from './model-error.js'
import type {
  ModelCallOptions,
  ModelFinishReason,
  ModelStreamPart,
  ModelWarning,
  SluiceLanguageModel,
} from './model-types.js'
import { messagesOf, offerOf } from './prompt.js'
import { requestPart } from './request-parts.js'

/** What the models of a provider have in common. */
interface Shared {
  server: Server
  translator: Translator
  send: typeof fetch
  times: AnswerTimes
  malformed: MalformedCalls
}

/** A request that was answered. */
interface Asked {
  body: string
  response: Response
  translation: ReadTranslation
  warnings: ModelWarning[]
}

const reasons: { readonly [reason in FinishReason]: ModelFinishReason['unified'] } = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  content_filter: 'content-filter',
  pause: 'other',
  malformed: 'error',
  error: 'error',
  unknown: 'other',
}
/** What a server that knows no count of the tokens of a stream says of the member that asks for it. */
const refusesUsage = /stream_options|include_usage/
/** What may be otherwise with the same request. */
const lost = new Set(['network', 'unfinished', 'empty_answer', 'first_byte_timeout', 'idle_timeout'])
const mayPass = (status: number): boolean => status === 408 || status === 409 || status === 429 || status >= 500

export class SluiceModel implements SluiceLanguageModel {
  readonly specificationVersion = 'v3'
  readonly provider = 'sluice'
  readonly supportedUrls = {}
  readonly modelId: string
  readonly #shared: Shared

  constructor(modelId: string, shared: Shared) {
    this.modelId = modelId
    this.#shared = shared
  }

  static shared(server: Server, settings: TextToolCallOptions, malformed: MalformedCalls): Shared {
    const { firstByteTimeoutMs = 300_000, idleTimeoutMs = 90_000, fetch: own } = settings
    const careful = ((url: string, { method: _, headers, body, signal }: RequestInit) =>
      fetchTransport(
        { url, method: 'POST', headers: headers as Record<string, string>, body: body as string },
        signal as AbortSignal,
      )) as typeof fetch
    return {
      server,
      malformed,
      translator: new Translator(settings),
      send: patient({ fetch: own ?? careful, firstByteTimeoutMs }),
      times: { firstByteTimeoutMs, idleTimeoutMs },
    }
  }

  async doGenerate(options: ModelCallOptions): ReturnType<SluiceLanguageModel['doGenerate']> {
    const asked = await this.#ask(options, false)
    const { body, response, translation, warnings } = asked
    const { times, malformed } = this.#shared
    const reader = translation.read({ reports: malformed === 'report', renames: true })
    const writer = new AnswerWriter(malformed)
    try {
      const bytes = response.body ? await new BodyReader(response.body, times).all() : new Uint8Array()
      const before = writer.say(reader.take(bytes))
      const { content, finish } = wholeOf([...before, ...conclude(reader, writer)])
      const { finishReason, usage, providerMetadata } = finish as NonNullable<typeof finish>
      return {
        content,
        finishReason,
        usage,
        ...(providerMetadata ? { providerMetadata } : {}),
        warnings,
        request: { body },
        response: { headers: this.#headersOf(response) },
      }
    } catch (error) {
      throw this.#fault(error, options, asked, { again: true })
    } finally {
      reader.close()
    }
  }

  async doStream(options: ModelCallOptions): ReturnType<SluiceLanguageModel['doStream']> {
    const asked = await this.#ask(options, true)
    const { body, response, translation, warnings } = asked
    const { times, malformed } = this.#shared
    const reader = translation.read({ reports: malformed === 'report', renames: true })
    const writer = new AnswerWriter(malformed)
    const source = new BodyReader(response.body ?? new Blob([]).stream(), times)
    /** The next parts; `done` behind the last. */
    const next = async (): Promise<{ parts: ModelStreamPart[]; done: boolean }> => {
      let fault: AnswerFault | undefined
      try {
        const bytes = reader.over ? undefined : await source.next()
        if (bytes !== undefined) return { parts: writer.say(reader.take(bytes)), done: false }
      } catch (cause) {
        if (options.abortSignal?.aborted) throw options.abortSignal.reason
        fault = cause instanceof AnswerFault ? cause : new AnswerFault('internal', messageOf(cause))
      }
      return {
        parts: conclude(reader, writer, fault).map((part) =>
          part.type === 'error' ? { type: 'error', error: this.#fault(part.error, options, asked) } : part,
        ),
        done: true,
      }
    }
    const stop = (reason?: unknown): void => {
      reader.close()
      source.cancel(reason)
    }
    const stream = new ReadableStream<ModelStreamPart>(
      {
        start(controller) {
          controller.enqueue({ type: 'stream-start', warnings })
        },
        async pull(controller) {
          try {
            for (let parts: ModelStreamPart[] = [], done = false; parts.length === 0; ) {
              ;({ parts, done } = await next())
              for (const part of parts) controller.enqueue(part)
              if (!done) continue
              stop()
              return controller.close()
            }
          } catch (error) {
            stop(error)
            throw error
          }
        },
        cancel: stop,
      },
      { highWaterMark: 0 },
    )
    return { stream, request: { body }, response: { headers: this.#headersOf(response) } }
  }

  async #ask(options: ModelCallOptions, stream: boolean): Promise<Asked> {
    const { translator, server } = this.#shared
    const { body: wanted, warnings } = requestOf(this.modelId, options)
    const asked = async (more: object): Promise<Asked | string> => {
      const translation = translator.translate(JSON.stringify({ ...wanted, stream, ...more }), {
        always: true,
      }) as ReadTranslation
      const { body } = translation
      const response = await this.#send(body, options)
      if (response.ok) return { body, response, translation, warnings }
      const bytes = await readRefusal(response, options.abortSignal ?? new AbortController().signal)
      const responseBody = this.#withoutSecrets(utf8(bytes))
      if (
        'stream_options' in more &&
        (response.status === 400 || response.status === 422) &&
        refusesUsage.test(responseBody)
      )
        return responseBody
      const message = `${shownUrl(server.url)}: ${this.#withoutSecrets(refusalText(response.status, bytes))}`
      throw new ModelCallError({
        message,
        code: 'http',
        url: shownUrl(server.url),
        body,
        status: response.status,
        headers: this.#headersOf(response),
        responseBody,
        isRetryable: mayPass(response.status),
      })
    }
    const first = await asked(stream ? { stream_options: { include_usage: true } } : {})
    return typeof first === 'string' ? ((await asked({})) as Asked) : first
  }

  async #send(body: string, { headers = {}, abortSignal }: ModelCallOptions): Promise<Response> {
    const { send, server } = this.#shared
    const own = Object.fromEntries(
      Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
    try {
      return await send(server.url, {
        method: 'POST',
        headers: { ...server.headers, ...lowerCase(own) },
        body,
        ...(abortSignal ? { signal: abortSignal } : {}),
      })
    } catch (cause) {
      if (abortSignal?.aborted) throw cause
      const code = cause instanceof AnswerFault ? cause.code : 'network'
      throw new ModelCallError({
        message: this.#withoutSecrets(messageOf(cause)),
        code,
        url: shownUrl(server.url),
        body,
        isRetryable: true,
        cause,
      })
    }
  }

  /** What is thrown for what went wrong with an answer. `again`: nothing of it was shown. */
  #fault(
    error: unknown,
    { abortSignal }: ModelCallOptions,
    { body, response }: Asked,
    { again = false } = {},
  ): unknown {
    if (abortSignal?.aborted) return abortSignal.reason
    if (!(error instanceof AnswerFault)) return error
    return new ModelCallError({
      message: this.#withoutSecrets(error.message),
      code: error.code,
      url: shownUrl(this.#shared.server.url),
      body,
      status: response.status,
      headers: this.#headersOf(response),
      isRetryable: again && lost.has(error.code),
    })
  }

  #headersOf({ headers }: Response): Record<string, string> {
    return hideSecretsIn(headers, this.#shared.server.secrets)
  }

  #withoutSecrets(text: string): string {
    return hideSecrets(text, this.#shared.server.secrets)
  }
}

/** The last parts of an answer. `fault`: it goes no further. */
function conclude(reader: ChoiceReader, writer: AnswerWriter, fault?: AnswerFault): ModelStreamPart[] {
  const ending = reader.end(fault ? 'network' : 'complete')
  const { finishReason = 'unknown', usage } = ending
  return writer.end(withFault(ending, fault), {
    type: 'finish',
    finishReason: { unified: reasons[finishReason], raw: ending.finishReason },
    usage: usageOf(usage),
  })
}

function withFault(ending: Ending, fault = ending.fault): Ending {
  const unfinished = ending.unfinished
    ? new AnswerFault(
        'unfinished',
        "the answer broke off: the model's server closed the connection in the middle of it",
      )
    : undefined
  return { ...ending, fault: fault ?? unfinished }
}

/** The body of a request, but for what says how the answer comes. */
function requestOf(model: string, options: ModelCallOptions): { body: object; warnings: ModelWarning[] } {
  const { prompt, tools = [], responseFormat, reasoning, providerOptions } = options
  const warnings: ModelWarning[] = tools
    .filter(({ type }) => type !== 'function')
    .map(({ name }) => ({ type: 'unsupported', feature: `the provider's own tool ${name}` }))
  if (options.topK !== undefined)
    warnings.push({
      type: 'unsupported',
      feature: 'topK',
      details: 'for a server that knows it: providerOptions: { sluice: { top_k } }',
    })
  const { n: _, ...own } = providerOptions?.['sluice'] ?? {}
  const body = {
    max_tokens: options.maxOutputTokens,
    temperature: options.temperature,
    top_p: options.topP,
    stop: options.stopSequences,
    seed: options.seed,
    presence_penalty: options.presencePenalty,
    frequency_penalty: options.frequencyPenalty,
    response_format: formatOf(responseFormat),
    reasoning_effort: reasoning === 'provider-default' ? undefined : reasoning,
    ...own,
    model,
    messages: messagesOf(prompt, requestPart),
    ...offerOf(options),
  }
  return { body, warnings }
}

function formatOf(format: ModelCallOptions['responseFormat']): Json | undefined {
  if (format?.type !== 'json') return undefined
  const { schema, name = 'response', description } = format
  if (!schema) return { type: 'json_object' }
  return {
    type: 'json_schema',
    json_schema: { name, ...(description === undefined ? {} : { description }), schema: schema as Json },
  }
}
