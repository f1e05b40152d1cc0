// Tools for models that write their calls as text, in front of any model of the AI SDK: the prompt in the model's own
// words, and the calls out of its text.
import { members, oneOf } from '../../engine/core/options.js'
import { settingChecks, type TextToolCallOptions } from '../openai/openai-options.js'
import { Translator, type Translation } from '../openai/translator.js'
import { wholeOf, type MalformedCalls } from './model-answer.js'
import { AnswerReader, readStream, type GivenPart } from './answer-reader.js'
import type { ModelCallOptions } from './model-types.js'
import { messagesOf, offerOf, promptOf, type WireMessage } from './prompt.js'

/** What `toolCallMiddleware` takes. */
export interface ToolCallMiddlewareOptions
  extends Omit<TextToolCallOptions, 'fetch' | 'firstByteTimeoutMs' | 'idleTimeoutMs'> {
  /**
   * What becomes of a call that lost something, which never runs. `text`: it is text, as the model wrote it, and the
   * answer's finish reason is `error`. `report`: it is a call whose input is no JSON: the AI SDK refuses it, and the
   * model reads why; the arguments of every call are streamed as they are written. Default `text`.
   */
  malformed?: MalformedCalls
}

/** A middleware of the AI SDK, for `wrapLanguageModel` of versions 6 and 7. */
export interface ToolCallMiddleware {
  /** Either version takes it, for models of either specification. */
  // Version 6 says 'v3', version 7 says 'v4', and neither checks it.
  readonly specificationVersion: any
  /** The request without tools: they stand in the prompt. */
  transformParams<P extends ModelCallOptions>(options: {
    params: P
    model: {
      /** Says its format where `protocol` is `auto`. */
      modelId: string
    }
  }): Promise<P>
  /** The calls of a whole answer. */
  wrapGenerate<R extends WholeModelAnswer>(options: {
    doGenerate: () => PromiseLike<R>
    params: ModelCallOptions
  }): Promise<R>
  /** The calls of a stream. */
  wrapStream<R extends StreamedModelAnswer>(options: {
    doStream: () => PromiseLike<R>
    params: ModelCallOptions
  }): Promise<R>
}

/** A whole answer of a model. */
export interface WholeModelAnswer {
  /** Text, reasoning, calls, files. */
  content: readonly {
    type: string
  }[]
  finishReason: {
    /** In the AI SDK's words. */
    unified: string
    raw: string | undefined
  }
  /** How many tokens it took. */
  usage?: unknown
  /** What only the provider's adapter reads. */
  providerMetadata?: unknown
}

/** An answer of a model, as a stream. */
export interface StreamedModelAnswer {
  stream: ReadableStream<unknown>
}

const { fetch: _fetch, firstByteTimeoutMs: _first, idleTimeoutMs: _idle, ...checks } = settingChecks
const check = members({
  members: { ...checks, malformed: oneOf('text', 'report') } satisfies {
    [member in keyof Required<ToolCallMiddlewareOptions>]: unknown
  },
})

/**
 * A middleware for `wrapLanguageModel({ model, middleware })`: the model is told of its tools in its own format, and
 * the calls that it writes into its text come out as calls, which the AI SDK runs. Calls that the provider reads itself
 * pass, and so do the provider's own tools.
 * @throws SluiceError `option` where an option is wrong; a request that cannot be told in words is rejected with it.
 */
export function toolCallMiddleware(options: ToolCallMiddlewareOptions = {}): ToolCallMiddleware {
  check(options, 'options')
  const { malformed = 'text', ...settings } = options
  const translator = new Translator(settings)
  const translations = new WeakMap<object, Translation>()
  const readerOf = (params: object): AnswerReader | undefined => {
    const reader = translations.get(params)?.read?.({ reports: malformed === 'report' })
    return reader && new AnswerReader(reader, malformed)
  }
  return {
    specificationVersion: 'v3',
    async transformParams({ params, model }) {
      const { prompt, tools = [], toolChoice } = params
      const offer = offerOf(params)
      if (!offer) return params
      const body = {
        model: model.modelId,
        messages: messagesOf(prompt, (_, index) => ({ type: 'part', index }), { numbered: true }),
        ...offer,
      }
      const translation = translator.translate(JSON.stringify(body), { always: true }) as Translation
      const translated = JSON.parse(translation.body) as { messages: WireMessage[] }
      const others = tools.filter(({ type }) => type !== 'function')
      const inWords = {
        ...params,
        prompt: promptOf(translated.messages, prompt),
        tools: others.length > 0 ? others : undefined,
        toolChoice: others.some(({ name }) => name === toolChoice?.toolName) ? toolChoice : undefined,
      }
      translations.set(inWords, translation)
      return inWords
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate()
      const reader = readerOf(params)
      if (!reader) return result
      const parts = result.content.flatMap((part) => reader.take(part as GivenPart))
      const { finishReason, usage, providerMetadata } = result
      const { content, finish } = wholeOf([
        ...parts,
        ...reader.take({ type: 'finish', finishReason, usage, providerMetadata }),
      ])
      return { ...result, content, finishReason: finish?.finishReason, providerMetadata: finish?.providerMetadata }
    },
    async wrapStream({ doStream, params }) {
      const result = await doStream()
      const reader = readerOf(params)
      return reader ? { ...result, stream: readStream(result.stream as ReadableStream<GivenPart>, reader) } : result
    },
  }
}
