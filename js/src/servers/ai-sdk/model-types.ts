// What the AI SDK asks of a language model and gets from it, its specifications v3 (version 6) and v4 (version 7): what is used here of both. Nothing of the
// package is imported.
import type { Json } from '../../engine/core/events.js'

/** A message of a prompt. */
export interface PromptMessage {
  /** Who said it. */
  role: 'system' | 'user' | 'assistant' | 'tool'
  /** A text where the role is `system`, else parts. */
  content: string | readonly {
    /** `text`, `file`, `reasoning`, `tool-call`, `tool-result`, … */
    type: string
  }[]
  /** For the provider. */
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
  /** Its name. */
  name: string
}

/** One request to a model. */
export interface ModelCallOptions {
  /** The conversation. */
  prompt: readonly PromptMessage[]
  /** The tools. */
  tools?: readonly PromptTool[] | undefined
  /** What the model is to do with them. */
  toolChoice?: {
    /** `tool`: this one. */
    type: 'auto' | 'none' | 'required' | 'tool'
    /** Where `type` is `tool`. */
    toolName?: string
  } | undefined
  /** Tokens of the answer, at most. */
  maxOutputTokens?: number | undefined
  /** How much chance there is in the answer. */
  temperature?: number | undefined
  /** Texts at which the answer ends. */
  stopSequences?: string[] | undefined
  /** Nucleus sampling. */
  topP?: number | undefined
  /** Only so many tokens are looked at for the next one. */
  topK?: number | undefined
  /** Against saying the same again. */
  presencePenalty?: number | undefined
  /** Against using the same words. */
  frequencyPenalty?: number | undefined
  /** Text, or JSON by a schema. */
  responseFormat?: {
    /** Which of the two. */
    type: 'text' | 'json'
    /** JSON Schema. */
    schema?: object
    /** Of the schema. */
    name?: string
    /** Of the schema. */
    description?: string
  } | undefined
  /** For answers that can be repeated. */
  seed?: number | undefined
  /** How much the model is to think; version 7. */
  reasoning?: string | undefined
  /** Ends the request. */
  abortSignal?: AbortSignal | undefined
  /** Further headers. */
  headers?: { [name: string]: string | undefined } | undefined
  /** For the provider. */
  providerOptions?: ProviderData | undefined
}

/** Tokens, as the AI SDK counts them. */
export interface ModelUsage {
  /** Of the prompt. */
  inputTokens: {
    /** All. */
    total: number | undefined
    /** Not from a cache. */
    noCache: number | undefined
    /** From a cache. */
    cacheRead: number | undefined
    /** Put into a cache. */
    cacheWrite: number | undefined
  }
  /** Of the answer. */
  outputTokens: {
    /** All. */
    total: number | undefined
    /** What was said. */
    text: number | undefined
    /** What was thought. */
    reasoning: number | undefined
  }
}

/** Why an answer ended. */
export interface ModelFinishReason {
  /** In the AI SDK's words. */
  unified: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'
  /** In the server's. */
  raw: string | undefined
}

/** A setting that has no effect. */
export interface ModelWarning {
  type: 'unsupported'
  /** The setting. */
  feature: string
  /** What to do instead. */
  details?: string
}

/** A call that a model makes. */
export interface ModelToolCall {
  type: 'tool-call'
  /** Random, and unique in every conversation. */
  toolCallId: string
  /** The tool. */
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
    /** Of the part. */
    id: string
  }
  | {
    type: 'text-delta' | 'reasoning-delta'
    /** Of the part. */
    id: string
    /** Behind what came before. */
    delta: string
  }
  | {
    type: 'tool-input-start'
    /** Of the call. */
    id: string
    /** The tool. */
    toolName: string
  }
  | {
    type: 'tool-input-delta'
    /** Of the call. */
    id: string
    /** JSON. */
    delta: string
  }
  | {
    type: 'tool-input-end'
    /** Of the call. */
    id: string
  }
  | ModelToolCall
  | {
    type: 'error'
    /** What went wrong. */
    error: unknown
  }
  | {
    type: 'finish'
    /** Why it ended. */
    finishReason: ModelFinishReason
    /** What it cost. */
    usage: ModelUsage
    /** `sluice.broken`: the calls that lost something. */
    providerMetadata?: { [provider: string]: { [member: string]: Json } }
  }

/** A part of a whole answer. */
export type ModelContent = ModelToolCall | {
  type: 'text' | 'reasoning'
  /** What is said. */
  text: string
}

/** A language model of the AI SDK, specification v3: versions 6 and 7 take it. */
export interface SluiceLanguageModel {
  /** Both versions know it. */
  readonly specificationVersion: 'v3'
  /** `sluice`. */
  readonly provider: string
  /** The name of the model. */
  readonly modelId: string
  /** None: what stands at a URL goes to the server with the request. */
  readonly supportedUrls: Record<string, RegExp[]>
  /** A whole answer. */
  doGenerate(options: ModelCallOptions): Promise<{
    /** What it says. */
    content: ModelContent[]
    /** Why it ended. */
    finishReason: ModelFinishReason
    /** What it cost. */
    usage: ModelUsage
    /** `sluice.broken`: the calls that lost something. */
    providerMetadata?: Extract<ModelStreamPart, { type: 'finish' }>['providerMetadata']
    /** Settings that have no effect. */
    warnings: ModelWarning[]
    /** What was sent. */
    request: {
      /** JSON. */
      body: string
    }
    /** What came back. */
    response: {
      /** Of the response. */
      headers: Record<string, string>
    }
  }>
  /** An answer as it comes. */
  doStream(options: ModelCallOptions): Promise<{
    /** What it says. */
    stream: ReadableStream<ModelStreamPart>
    /** What was sent. */
    request: {
      /** JSON. */
      body: string
    }
    /** What came back. */
    response: {
      /** Of the response. */
      headers: Record<string, string>
    }
  }>
}
