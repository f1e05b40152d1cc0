// A stored conversation as the messages of a page, for its first load.
import { Turn } from '../../engine/core/turn.js'
import type { Durable } from '../durable/durable-types.js'
import type { Engine } from '../../engine/core/engine.js'
import { withMethods } from '../../engine/core/options.js'
import type { EntryPart } from '../../app/bridge/messages.js'
import { shownSize } from '../../app/bridge/shown-size.js'
import type { AssistantMessage } from '../../engine/core/events.js'
import type { RunResult } from '../../engine/core/run-options.js'
import { withPictures } from '../../app/conversations/blobs.js'
import { pathToEntry } from '../../app/conversations/entry-tree.js'
import type { ConversationEntry } from '../../app/conversations/conversation-types.js'
import { askedBy } from '../durable/saved-answer.js'
import { isBegun, isDurable, statusOf } from '../durable/durable-answers.js'
import { MessageWriter, type WriterOptions } from './message-writer.js'
import { messageFrom } from './read-chunks.js'
import { isChatStore, type ChatStore } from './stored-chat.js'
import { checkWriter } from './to-ui-message-stream.js'
import type { UIMessage, UIMessageChunk } from './ai-sdk-types.js'

/**
 * The shown branch of a conversation as `useChat({ messages })` takes it, or `Chat`: with the questions that are open
 * now, which its page can answer. Empty where there is no such conversation. An answer that is being written is not in
 * it: `resume` brings that.
 * @param runner the engine of the handler, or its durable turns: a question is asked as it is with the tools of today
 * @param options the handler's `sendReasoning` and `dynamic`
 * `Message` is the app's type of messages: `const messages: UIMessage[] = await toUIMessages(…)`.
 * @throws SluiceError `option` where an option is wrong, `json` for a saved state that cannot be read; what the store
 * throws.
 */
export async function toUIMessages<Message = UIMessage>(
  runner: Engine | Durable,
  store: ChatStore,
  id: string,
  options: Omit<WriterOptions, 'messageId' | 'sendDiagnostics'> = {},
): Promise<Message[]> {
  if (!isDurable(runner)) withMethods('an Engine', 'run', 'resume')(runner, 'engine')
  const { tools } = runner
  isChatStore(store, 'store')
  checkWriter(options, 'options')
  const kept = await store.load(id)
  const path = kept ? pathToEntry(kept) : []
  return (await Promise.all(path.flatMap((entry) => (entry.first ? [] : [messageOf(entry)])))).flat() as Message[]

  async function messageOf(entry: ConversationEntry): Promise<UIMessage | UIMessage[]> {
    if (isDurable(runner) && isBegun(entry)) return await begun(runner, entry)
    const whole = await withPictures(entry, (ref) => store.bytes(id, ref))
    if (whole.role === 'user') return asked(whole)
    return messageFrom(whole.id, whole.state === undefined ? answered(whole) : waiting(whole, whole.state))
  }

  /** What its turn has of it. */
  async function begun(turns: Durable, { id: own }: ConversationEntry): Promise<UIMessage[]> {
    const status = await statusOf(turns, own)
    if (!status || status.phase === 'running') return []
    const writer = new MessageWriter(own, tools, options)
    const chunks = [
      ...writer.retell(status.message),
      ...status.questions.flatMap((question) => writer.take(askedBy(question))),
    ]
    return [
      messageFrom(own, [
        ...chunks,
        ...writer.end(status.outcome === undefined ? 'waiting' : { ...status, outcome: status.outcome }),
      ]),
    ]
  }

  function answered({ id: own, message }: ConversationEntry): UIMessageChunk[] {
    const writer = new MessageWriter(own, tools, options)
    if (!message) return []
    return [
      ...writer.retell(message as AssistantMessage),
      ...writer.end({
        outcome: message.outcome ?? 'cancelled',
        ...(message.usage ? { usage: message.usage } : {}),
      } as RunResult),
    ]
  }

  function waiting({ id: own }: ConversationEntry, state: string): UIMessageChunk[] {
    const writer = new MessageWriter(own, tools, options)
    const turn = Turn.restore(runner as Engine, state)
    try {
      const chunks = writer.retell(turn.message)
      turn.tick()
      for (const event of turn.events())
        if (event.type === 'approval' || event.type === 'card') chunks.push(...writer.take(event))
      return [...chunks, ...writer.end('waiting')]
    } finally {
      turn.close()
    }
  }
}

const asked = ({ id, text = '', parts = [] }: ConversationEntry): UIMessage => ({
  id,
  role: 'user',
  parts: [...(text === '' ? [] : [textOf(text)]), ...parts].map(partOf),
})

const textOf = (text: string): { type: 'text'; text: string } => ({ type: 'text', text })

function partOf(part: EntryPart): { type: string } {
  if (part.type === 'text') return part
  if (part.type === 'file') return textOf(`[${part.name}, ${part.mediaType}, ${shownSize(part.bytes)}]`) // its address is the store's
  return {
    type: 'file',
    ...('data' in part
      ? { mediaType: part.mediaType, url: `data:${part.mediaType};base64,${part.data}` }
      : { mediaType: 'image/*', url: part.url }),
  }
}
