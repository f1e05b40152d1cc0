// The shapes of AG-UI that are used here, 1.0 and 0.0.x. They are our own: nothing of its packages is imported.
import type { Json, JsonObject, Usage } from '../../engine/core/events.js'

interface OfMessage {
  /** `<answer>:b<block>`. */
  messageId: string
}
interface OfCall {
  /** `<answer>:c<number of the call>`, and for a call that the client runs `-<16 digits of its digest>`. */
  toolCallId: string
}
interface OfRun {
  /** The conversation, as the client named it. */
  threadId: string
  /** The run, as the client named it. */
  runId: string
}
interface WithDelta {
  /** Behind what came before. */
  delta: string
}
interface WithUsage {
  /** The tokens of the requests that this run made, by model. */
  usage?: AGUITokenUsage[]
}

/** An event of the stream that `HttpAgent` reads. */
export type AGUIEvent =
  | (OfRun & {
      type: 'RUN_STARTED'
      /** 1.0: what the server speaks. */
      protocolVersion?: string
    })
  | (OfRun &
      WithUsage & {
        type: 'RUN_FINISHED'
        outcome: RunFinishedOutcome
        /** Of a turn that is over. */
        result?: {
          /** How the turn ended: `completed`, `limit` or `cancelled`. */
          outcome: string
        }
      })
  | (WithUsage & {
      type: 'RUN_ERROR'
      message: string
      /**
       * `interrupted`: a question waits, and the run has no answer. `stale`: nothing waits. Else those in
       * js/docs/codes.md.
       */
      code: string
    })
  | {
      type: 'STEP_STARTED' | 'STEP_FINISHED'
      stepName: string
    }
  | (OfMessage & {
      type: 'TEXT_MESSAGE_START'
      role: 'assistant'
      /** 1.0, `sluice`: what the text is, where it is not simply the answer. */
      metadata?: { [name: string]: JsonObject }
    })
  | (OfMessage & WithDelta & { type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT' })
  | (OfMessage & { type: 'TEXT_MESSAGE_END' | 'REASONING_START' | 'REASONING_MESSAGE_END' | 'REASONING_END' })
  | (OfMessage & {
      type: 'REASONING_MESSAGE_START'
      role: 'reasoning'
    })
  | (OfCall & {
      type: 'TOOL_CALL_START'
      /** Which tool it calls. */
      toolCallName: string
      /** The text in front of the call in its answer. */
      parentMessageId?: string
    })
  | (OfCall & WithDelta & { type: 'TOOL_CALL_ARGS' })
  | (OfCall & { type: 'TOOL_CALL_END' })
  | (OfCall & {
      type: 'TOOL_CALL_RESULT'
      /** The name of the call, and `:result`. */
      messageId: string
      role: 'tool'
      /** What the model is told; in 1.0 parts where the result has pictures. */
      content: string | AGUIContentPart[]
    })
  | {
      type: 'ACTIVITY_SNAPSHOT'
      /** The name of the call, and `:card`. */
      messageId: string
      /** What it is about. */
      activityType: 'sluice.card'
      /** What is known of the call, beside its arguments and its result. */
      content: JsonObject
    }
  | {
      type: 'ACTIVITY_DELTA'
      /** That of the snapshot. */
      messageId: string
      /** What it is about. */
      activityType: 'sluice.card'
      patch: {
        /** It replaces what stands there. */
        op: 'add'
        /** A member of the card. */
        path: string
        /** What it is now. */
        value: Json
      }[]
    }
  | {
      type: 'STATE_SNAPSHOT'
      /** The state that the app shares with its page, in the place of what the client has. */
      snapshot: Json
    }
  | {
      type: 'MESSAGES_SNAPSHOT'
      /** What the client has of the conversation, without the answer that is told anew behind it. */
      messages: JsonObject[]
    }
  | {
      type: 'CUSTOM'
      name: string
      /** js/docs/ag-ui.md says what each holds. */
      value: JsonObject
    }

/** How a run ended. */
export type RunFinishedOutcome =
  | {
      type: 'success'
      /** 1.0: calls of the client's own tools, which wait for its results. */
      pendingToolCallIds?: string[]
    }
  | {
      type: 'interrupt'
      /** What a person is asked. */
      interrupts: AGUIInterrupt[]
    }
  | { type: 'cancelled' }

/** A question for a person. */
export interface AGUIInterrupt {
  /** Names the question: of which call, and about what exactly. */
  id: string
  /** `sluice:approval`, or what the option says. */
  reason: string
  /** The question in words. */
  message: string
  /**
   * The call that it is about. Absent where the client does not know it yet: one of its own tools, which runs when it
   * was approved.
   */
  toolCallId?: string
  /** JSON Schema of the answer's `payload`. */
  responseSchema: JsonObject
  /** When it counts as refused, in ISO 8601. */
  expiresAt?: string
  /** What Sluice knows of the question. */
  metadata: {
    /** Everything that is approved. */
    sluice: AGUIInterruptDetails
  }
}

/** What a page knows of a question: `interrupt.metadata.sluice`. */
export interface AGUIInterruptDetails {
  /** May the call run, or may the model read its result? */
  stage: 'execution' | 'result'
  /** The name of the tool. */
  name: string
  /** What it runs with, or ran. */
  arguments: JsonObject
  /** What the tool declares. */
  level: string
  /** Why it is asked. */
  policy: string
  /** SHA-256 of what is approved. */
  digest: string
  /** Stage `result`: what the model would read. */
  preview?: Json
}

/** A piece of a result. */
export type AGUIContentPart =
  | {
      type: 'text'
      text: string
    }
  | {
      /** `document`: a file. */
      type: 'image' | 'document'
      /** The picture in base64, or where it is. */
      source:
        | {
            type: 'data'
            value: string
            mimeType: string
          }
        | {
            type: 'url'
            value: string
          }
    }

/** Tokens of a model. */
export interface AGUITokenUsage extends Pick<Usage, 'inputTokens' | 'outputTokens' | 'reasoningTokens'> {
  /** Who answered, as the provider says. */
  model?: string
  /** Input and output tokens together. */
  totalTokens?: number
  /** How many of the input's came from the provider's cache. */
  cachedInputTokens?: number
  /** How many of the input's were written to that cache. */
  cacheWriteInputTokens?: number
}

/** What a client sends. Nobody has checked more of it than its `threadId`, `runId` and that `messages` is a list. */
export interface RunAgentInput {
  /** The conversation, as the client names it. */
  threadId: string
  /** The run, as the client names it. */
  runId: string
  /** Of clients from 1.0 on. */
  protocolVersion?: string
  /** The client's copy of the conversation. The store's is the one that counts. */
  messages: unknown[]
  /** The tools that the agent has itself. */
  tools?: unknown
  /** What it tells about the page: pairs of `description` and `value`. They stand in the system message. */
  context?: unknown
  /** State that the app shares with its server. No model sees it unless `run` says so. */
  state?: unknown
  /** Whatever the app forwards. */
  forwardedProps?: unknown
  /** Answers to the questions of an interrupt. */
  resume?: unknown
  /** The run that began this one. */
  parentRunId?: string
}
