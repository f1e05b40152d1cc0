// A server of OpenAI's chat completions as a provider of the AI SDK, whose models may write their calls as text.
import { SluiceError } from '../../engine/core/errors.js'
import { checkHeaders, serverOf } from '../../engine/core/model.js'
import { is, members, oneOf, text } from '../../engine/core/options.js'
import { settingChecks, type TextToolCallOptions } from '../openai/openai-options.js'
import type { MalformedCalls } from './model-answer.js'
import type { SluiceLanguageModel } from './model-types.js'
import { SluiceModel } from './sluice-model.js'

/** What `createSluice` takes. */
export interface CreateSluiceOptions extends TextToolCallOptions {
  /** Where the server is, up to and without `/chat/completions`: `http://127.0.0.1:11434/v1`. */
  baseURL: string
  /** Sent as `Authorization: Bearer …`. Default none. */
  apiKey?: string
  /** Further headers of every request. Default none. */
  headers?: Record<string, string>
  /** What becomes of a call that lost something, as for `toolCallMiddleware`. Default `text`. */
  malformed?: MalformedCalls
}

/** A provider of the AI SDK: call it with the name of a model. */
export interface SluiceProvider {
  /** The model of this name. */
  (modelId: string): SluiceLanguageModel
  /** For `createProviderRegistry` and `customProvider`. */
  readonly specificationVersion: 'v3'
  /** The model of this name. */
  languageModel(modelId: string): SluiceLanguageModel
  /** There are none: throws. */
  embeddingModel(modelId: string): never
  /** There are none: throws. */
  imageModel(modelId: string): never
}

const check = members({
  members: {
    ...settingChecks,
    headers: checkHeaders,
    apiKey: text,
    malformed: oneOf('text', 'report'),
    baseURL: is(
      'an http or https URL such as http://127.0.0.1:11434/v1',
      (value) => typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
    ),
  } satisfies { [member in keyof Required<CreateSluiceOptions>]: unknown },
  needs: ['baseURL'],
})

const isName = is('the name of a model', (value) => typeof value === 'string' && value !== '')

/**
 * A provider for `generateText({ model: sluice('qwen3:8b') })` and all that takes a model, of the AI SDK 6 and 7: the
 * engine tells the model of its tools in the model's own format, and reads its answer. What a server refuses is an
 * `APICallError` of the AI SDK, which tries again what may pass.
 * @throws SluiceError `option` where an option is wrong.
 */
export function createSluice(options: CreateSluiceOptions): SluiceProvider {
  check(options, 'options')
  const { baseURL, apiKey, headers, malformed = 'text', ...settings } = options
  const server = serverOf({ baseURL, ...(apiKey === undefined ? {} : { apiKey }), ...(headers ? { headers } : {}) }, '')
  const shared = SluiceModel.shared(server, settings, malformed)
  const languageModel = (modelId: string): SluiceLanguageModel => {
    isName(modelId, 'modelId')
    return new SluiceModel(modelId, shared)
  }
  const none = (modelId: string): never => {
    throw new SluiceError({
      code: 'unsupported',
      detail: `found ${modelId}, expected a language model: sluice has no others`,
    })
  }
  return Object.assign((modelId: string) => languageModel(modelId), {
    specificationVersion: 'v3' as const,
    languageModel,
    embeddingModel: none,
    imageModel: none,
  })
}
