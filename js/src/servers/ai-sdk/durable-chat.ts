// The server's side of the AI SDK's `Chat` in front of durable turns.
import type { ChatMessage } from '../../engine/core/events.js'
import { func, members } from '../../engine/core/options.js'
import { durableRequestChecks, type DurableRequestOptions, type DurableStart } from '../durable/durable-answers.js'
import { DurableHandler } from '../durable/durable-handler.js'
import type { Durable } from '../durable/durable-types.js'
import type { Answered } from '../leg/leg-answers.js'
import type { RequestReader } from '../leg/handler.js'
import { Refusal } from '../leg/leg-refusal.js'
import type { ChatRequest } from './chat-request.js'
import { refuseUnrelated } from './keeping.js'
import { MessageWriter, type WriterOptions } from './message-writer.js'
import type { Posted } from './posted-chat.js'
import { nextOf, type ChatStore } from './stored-chat.js'
import { writerChecks } from './to-ui-message-stream.js'
import type { UIMessageChunk } from './ai-sdk-types.js'

/** What `chatHandler` takes in front of durable turns. How a turn is run says the `run` of `durable`. */
export interface DurableChatOptions extends Omit<DurableRequestOptions, 'store'>, Omit<WriterOptions, 'messageId'> {
  /** Where conversations are kept. Processes that answer requests share it. */
  store: ChatStore
  /**
   * What a turn begins with, beside the conversation: asked when a message comes. `data` is for the `run` of `durable`.
   * Default: nothing.
   */
  start?: (request: ChatRequest) => DurableStart | Promise<DurableStart>
}

const checkOptions = members({
  members: { ...writerChecks, ...durableRequestChecks, start: func('(request) => { system, data }') } satisfies {
    [member in keyof Required<DurableChatOptions>]: unknown
  },
  needs: ['store', 'authorize'],
})

export class DurableChats extends DurableHandler<Posted, UIMessageChunk, DurableChatOptions> {
  constructor(turns: Durable, options: DurableChatOptions, reader: RequestReader<Posted>) {
    super(turns, options, reader, checkOptions)
  }

  protected async answer(request: Request, posted: Posted): Promise<Response> {
    const { id, user, again } = posted
    if (user) return await this.begin(request, posted, (kept) => nextOf(user, again, kept))
    const answered = posted.about as Answered
    const open = await this.answers.open(id)
    if (open?.entry.id !== answered.message) throw new Refusal(409, 'this answer does not wait for a decision')
    refuseUnrelated(answered, open.status.message)
    return await this.goOn(request, posted, open, answered)
  }

  protected async start({ id, body }: Posted, messages: ChatMessage[]): Promise<DurableStart> {
    return (await this.options.start?.({ id, messages, body })) ?? {}
  }

  protected writer(turn: string): MessageWriter {
    return new MessageWriter(turn, this.turns.tools, this.options)
  }
}
