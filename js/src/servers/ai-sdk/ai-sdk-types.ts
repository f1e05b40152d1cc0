// The shapes of the AI SDK that are used here, versions 6 and 7. Their types are assignable to these and these to
// theirs: nothing of the package is imported.
import type { Json, JsonObject } from '../../engine/core/events.js'

/** What stands in every chunk about a call. */
interface OfCall {
  /** `<message id>:c<number of the call>`, and for a call that the page runs `-<16 digits of its digest>`. */
  toolCallId: string
}
interface OfTool extends OfCall {
  /** The name of the tool. */
  toolName: string
  /** The page's types do not know the tool: its part is `dynamic-tool`. */
  dynamic?: boolean
  /** `annotations.title` of the tool. */
  title?: string
  /** The call is no question to the client: a fire-and-forget tool. */
  providerExecuted?: boolean
}
interface OfPart {
  /** `<message id>:b<block>`. */
  id: string
}

interface OfSource {
  /** `<message id>:b<block>:s<number>`. */
  sourceId: string
  /** `sluice`: the part of the text that comes from it, what was quoted, and what kind of source it is. */
  providerMetadata: { [provider: string]: JsonObject }
}

/**
 * A piece of the stream that the AI SDK's `Chat` and `useChat` read. Only those kinds that versions 6 and 7 both know.
 */
export type UIMessageChunk =
  | {
      type: 'start'
      /** The same on every leg of a turn. */
      messageId: string
    }
  | { type: 'start-step' }
  | { type: 'finish-step' }
  | (OfPart & {
      type: 'text-start' | 'reasoning-start'
      /** `sluice`: what the text is, where it is not simply the answer. */
      providerMetadata?: { [provider: string]: JsonObject }
    })
  | (OfPart & {
      type: 'text-delta' | 'reasoning-delta'
      /** Behind what came before. */
      delta: string
      /** Of text whose phase became known late, in place of that of its start. */
      providerMetadata?: { [provider: string]: JsonObject }
    })
  | (OfPart & { type: 'text-end' | 'reasoning-end' })
  | (OfTool & { type: 'tool-input-start' })
  | (OfCall & {
      type: 'tool-input-delta'
      /** More of the JSON of the arguments. */
      inputTextDelta: string
    })
  | (OfTool & {
      type: 'tool-input-available'
      input: unknown
    })
  | (OfTool & {
      type: 'tool-input-error'
      /** The arguments as the model wrote them. */
      input: unknown
      errorText: string
    })
  | (OfCall & {
      type: 'tool-approval-request'
      /** Names the question: of which call, and about what exactly. */
      approvalId: string
      /** What the tool says about itself. Version 6 passes over it. */
      reason?: string
      /** For the page: `part.approval.descriptor`. */
      approvalDescriptor: {
        /** What Sluice knows of the question. */
        sluice: ApprovalDescriptor
      }
    })
  | (OfCall & {
      type: 'tool-output-available'
      /** An object or a list where the tool gave one, parts where it gave pictures, else the text. */
      output: unknown
      /** As in the chunks before. */
      providerExecuted?: boolean
    })
  | (OfCall & {
      type: 'tool-output-error'
      /** What the model is told. */
      errorText: string
      /** As in the chunks before. */
      providerExecuted?: boolean
    })
  | (OfCall & { type: 'tool-output-denied' })
  | {
      type: `data-${string}`
      /** Of a part that is replaced by the next with this id. */
      id?: string
      /** What the part holds: js/docs/ai-sdk.md. */
      data: unknown
      /** It becomes no part of the message: only `onData` sees it. */
      transient?: boolean
    }
  | (OfSource & {
      type: 'source-url'
      /** Of the page that the text in front of it comes from: `http:` or `https:`. */
      url: string
      /** What the page calls itself, where the provider says so. */
      title?: string
    })
  | (OfSource & {
      type: 'source-document'
      /** Where the provider does not say, `application/octet-stream`. */
      mediaType: string
      title: string
    })
  | {
      type: 'file'
      /** A `data:` URL of a picture or a file that the model made, or where it is. */
      url: string
      mediaType: string
    }
  | {
      type: 'message-metadata'
      /** Laid over what the message has. */
      messageMetadata: unknown
    }
  | {
      type: 'finish'
      /** `tool-calls`: the turn waits for people, or for tools of the client. */
      finishReason: 'stop' | 'tool-calls' | 'other'
      /** `sluice`: the outcome of the turn and its usage. */
      messageMetadata?: unknown
    }
  | {
      type: 'abort'
      /** Why it was cancelled. */
      reason?: string
    }
  | {
      type: 'error'
      errorText: string
    }

/** What a page knows of a question: `part.approval.descriptor.sluice`. */
export interface ApprovalDescriptor {
  /** May the call run, or may the model read its result? */
  stage: 'execution' | 'result'
  /** What the tool declares. */
  level: string
  /** Why it is asked. */
  policy: string
  /** SHA-256 of what is approved. */
  digest: string
  /** Stage `result`: what the model would read. */
  preview?: Json
  /** When it counts as refused, in Unix milliseconds. */
  expiresAt?: number
}

/** A part of a UI message, as a client sends it: none of its members is believed. */
export interface UIMessagePart {
  /** `text`, `file`, `tool-<name>`, … */
  type: string
}

/** A message as a client keeps it. */
export interface UIMessage {
  /** The client's id of the message, or the server's. */
  id: string
  role: 'system' | 'user' | 'assistant'
  /** `sluice`: what the server says about it. */
  metadata?: unknown
  /** What it is made of. */
  parts: readonly UIMessagePart[]
}
