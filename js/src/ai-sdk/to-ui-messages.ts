// A stored conversation as the messages of a page, for its first load.
import { Turn } from '../core/turn.js'
import type { Engine } from '../core/engine.js'
import { withMethods } from '../core/options.js'
import type { AssistantMessage, Part } from '../core/events.js'
import type { RunResult } from '../core/run-options.js'
import { withPictures } from '../conversations/blobs.js'
import { pathOf } from '../conversations/tree.js'
import type { Entry } from '../conversations/types.js'
import { MessageWriter, type WriterOptions } from './message-writer.js'
import { messageFrom } from './read-chunks.js'
import { isChatStore, type ChatStore } from './stored-chat.js'
import { checkWriter } from './to-ui-message-stream.js'
import type { UIMessage, UIMessageChunk } from './types.js'

/**
 * The shown branch of a conversation as `useChat({ messages })` takes it, or `Chat`: with the questions that are open now, which its page can answer. Empty
 * where there is no such conversation. An answer that is being written is not in it: `resume` brings that.
 * @param engine that of the handler: a question is asked as it is with its tools of today
 * @param options the handler's `sendReasoning` and `dynamic`
 * `Message` is the app's type of messages: `const messages: UIMessage[] = await toUIMessages(…)`.
 * @throws SluiceError `option` where an option is wrong, `json` for a saved state that cannot be read; what the store throws.
 */
export async function toUIMessages<Message = UIMessage>(engine: Engine, store: ChatStore, id: string, options: Omit<WriterOptions, 'messageId' | 'sendDiagnostics'> = {}): Promise<Message[]> {
  withMethods('an Engine', 'run', 'resume')(engine, 'engine')
  isChatStore(store, 'store')
  checkWriter(options, 'options')
  const kept = await store.load(id)
  const path = kept ? pathOf(kept) : []
  return (await Promise.all(path.flatMap((entry) => (entry.first ? [] : [messageOf(entry)])))) as Message[]

  async function messageOf(entry: Entry): Promise<UIMessage> {
    const whole = await withPictures(entry, (ref) => store.bytes(id, ref))
    if (whole.role === 'user') return asked(whole)
    return messageFrom(whole.id, whole.state === undefined ? answered(whole) : waiting(whole, whole.state))
  }

  function answered({ id: own, message }: Entry): UIMessageChunk[] {
    const writer = new MessageWriter(own, engine.tools, options)
    if (!message) return []
    return [...writer.retell(message as AssistantMessage), ...writer.end({ outcome: message.outcome ?? 'cancelled', ...(message.usage ? { usage: message.usage } : {}) } as RunResult)]
  }

  function waiting({ id: own }: Entry, state: string): UIMessageChunk[] {
    const writer = new MessageWriter(own, engine.tools, options)
    const turn = Turn.restore(engine, state)
    try {
      const chunks = writer.retell(turn.message)
      turn.tick()
      for (const event of turn.events()) if (event.type === 'approval' || event.type === 'card') chunks.push(...writer.take(event))
      return [...chunks, ...writer.end('waiting')]
    } finally {
      turn.close()
    }
  }
}

const asked = ({ id, text = '', parts = [] }: Entry): UIMessage => ({ id, role: 'user', parts: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...parts].map(partOf) })

function partOf(part: Part): { type: string } {
  if (part.type === 'text') return part
  return { type: 'file', ...('data' in part ? { mediaType: part.mediaType, url: `data:${part.mediaType};base64,${part.data}` } : { mediaType: 'image/*', url: part.url }) }
}
