// What the AI SDK asks of a language model and gets from it, its specifications v3 (version 6) and v4 (version 7): what
// is used here of both. Nothing of the package is imported.
import type { Json } from '../../engine/core/events.js'

/** A message of a prompt. */
export interface PromptMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  /** A text where the role is `system`, else parts. */
  content:
    | string
    | readonly {
        /** `text`, `file`, `reasoning`, `tool-call`, `tool-result`, … */
        type: string
      }[]
  /** Options that only the provider reads. */
  providerOptions?: ProviderData | undefined
}

/** By the name of a provider, what only that one understands. */
export interface ProviderData {
  [provider: string]: { [member: string]: unknown }
}

/** A tool, as a model is told of it: a function, or one of the provider's own. */
export interface PromptTool {
  /** `function`, or another kind that the provider runs itself. */
  type: string
  name: string
}

/** One request to a model. */
export interface ModelCallOptions {
  prompt: readonly PromptMessage[]
  /** The tools that the model may call. */
  tools?: readonly PromptTool[] | undefined
  /** What the model is to do with them. */
  toolChoice?:
    | {
        type: 'auto' | 'none' | 'required' | 'tool'
        /** Where `type` is `tool`. */
        toolName?: string
      }
    | undefined
  /** Tokens of the answer, at most. */
  maxOutputTokens?: number | undefined
  /** How much chance there is in the answer. */
  temperature?: number | undefined
  /** Texts at which the answer ends. */
  stopSequences?: string[] | undefined
  /** The share of likely tokens that are drawn from: 0 to 1. */
  topP?: number | undefined
  /** Only so many tokens are looked at for the next one. */
  topK?: number | undefined
  /** Against saying the same again. */
  presencePenalty?: number | undefined
  /** Against using the same words. */
  frequencyPenalty?: number | undefined
  /** Text, or JSON by a schema. */
  responseFormat?:
    | {
        /** Which of the two. */
        type: 'text' | 'json'
        /** The JSON Schema of the answer. */
        schema?: object
        /** The name of the schema. */
        name?: string
        /** The description of the schema. */
        description?: string
      }
    | undefined
  /** For answers that can be repeated. */
  seed?: number | undefined
  /** How much the model is to think; version 7. */
  reasoning?: string | undefined
  /** Aborted, it ends the request. */
  abortSignal?: AbortSignal | undefined
  /** Further headers of the request. */
  headers?: { [name: string]: string | undefined } | undefined
  /** Options that only the provider reads. */
  providerOptions?: ProviderData | undefined
}

/** Tokens, as the AI SDK counts them. */
export interface ModelUsage {
  inputTokens: {
    /** All tokens of this kind. */
    total: number | undefined
    /** Not from a cache. */
    noCache: number | undefined
    /** Tokens that a cache held. */
    cacheRead: number | undefined
    /** Put into a cache. */
    cacheWrite: number | undefined
  }
  outputTokens: {
    /** All tokens of this kind. */
    total: number | undefined
    /** Tokens of the text. */
    text: number | undefined
    /** Tokens of the reasoning. */
    reasoning: number | undefined
  }
}

/** Why an answer ended. */
export interface ModelFinishReason {
  /** In the AI SDK's words. */
  unified: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'
  raw: string | undefined
}

/** A setting that has no effect. */
export interface ModelWarning {
  type: 'unsupported'
  feature: string
  /** What to do instead. */
  details?: string
}

/** A call that a model makes. */
export interface ModelToolCall {
  type: 'tool-call'
  /** Random, and unique in every conversation. */
  toolCallId: string
  toolName: string
  /** JSON; of a call that is reported as broken what is wrong with it, which is none. */
  input: string
}

/** A piece of an answer. */
export type ModelStreamPart =
  | {
      type: 'stream-start'
      /** Settings that have no effect. */
      warnings: ModelWarning[]
    }
  | {
      type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'
      id: string
    }
  | {
      type: 'text-delta' | 'reasoning-delta'
      id: string
      /** Behind what came before. */
      delta: string
    }
  | {
      type: 'tool-input-start'
      id: string
      toolName: string
    }
  | {
      type: 'tool-input-delta'
      id: string
      delta: string
    }
  | {
      type: 'tool-input-end'
      id: string
    }
  | ModelToolCall
  | {
      type: 'error'
      error: unknown
    }
  | {
      type: 'finish'
      finishReason: ModelFinishReason
      usage: ModelUsage
      /** `sluice.broken`: the calls that lost something. */
      providerMetadata?: { [provider: string]: { [member: string]: Json } }
    }

/** A part of a whole answer. */
export type ModelContent =
  | ModelToolCall
  | {
      type: 'text' | 'reasoning'
      text: string
    }

/** A language model of the AI SDK, specification v3: versions 6 and 7 take it. */
export interface SluiceLanguageModel {
  /** Both versions know it. */
  readonly specificationVersion: 'v3'
  readonly provider: string
  /** The name of the model. */
  readonly modelId: string
  /** None: what stands at a URL goes to the server with the request. */
  readonly supportedUrls: Record<string, RegExp[]>
  doGenerate(options: ModelCallOptions): Promise<{
    content: ModelContent[]
    finishReason: ModelFinishReason
    usage: ModelUsage
    /** `sluice.broken`: the calls that lost something. */
    providerMetadata?: Extract<ModelStreamPart, { type: 'finish' }>['providerMetadata']
    /** Settings that have no effect. */
    warnings: ModelWarning[]
    request: {
      body: string
    }
    response: {
      headers: Record<string, string>
    }
  }>
  /** An answer as it comes. */
  doStream(options: ModelCallOptions): Promise<{
    stream: ReadableStream<ModelStreamPart>
    request: {
      body: string
    }
    response: {
      headers: Record<string, string>
    }
  }>
}
