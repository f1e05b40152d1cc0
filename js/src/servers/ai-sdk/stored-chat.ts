// A conversation in a store. Of a client's messages only the last one counts, and of that what the store does not have.
import type { ChatMessage } from '../../engine/core/events.js'
import { withMethods } from '../../engine/core/options.js'
import type { Run } from '../../engine/core/run.js'
import { pathToEntry } from '../../app/conversations/entry-tree.js'
import type { Conversation, Conversations } from '../../app/conversations/conversation-types.js'
import type { Answer, ChatRun, WaitingAnswer } from '../leg/legs.js'
import { Refusal } from '../leg/leg-refusal.js'
import type { Next, Written } from '../leg/leg-requests.js'
import { refuseStale, refuseUnrelated, type Keeping, type Running, type Waiting } from './keeping.js'
import type { Again } from './posted-chat.js'

/** What is used of a store. */
export type ChatStore = Pick<Conversations, 'load' | 'save' | 'bytes'>
export const isChatStore = withMethods(
  'a store of conversations such as memoryConversations()',
  'load',
  'save',
  'bytes',
)

export class StoredChat implements Keeping {
  readonly #store: ChatStore
  readonly #id: string
  readonly #legs: Running['legs']

  constructor(store: ChatStore, id: string, { legs }: Running) {
    this.#store = store
    this.#id = id
    this.#legs = legs
  }

  async refuseRepeated(written: Written, again: Again): Promise<void> {
    if (again === 'new') nextOf(written, again, await this.#store.load(this.#id))
  }

  async begin(
    written: Written,
    again: Again,
    given: (messages: ChatMessage[]) => Promise<ChatRun>,
  ): Promise<{ run: Run; answer: Answer }> {
    const kept = await this.#store.load(this.#id)
    return await this.#legs.begin(this.#id, await this.#legs.keep(this.#id, kept, nextOf(written, again, kept)), given)
  }

  async waiting(): Promise<(WaitingAnswer & Waiting) | undefined> {
    const entry = await this.#legs.waiting(this.#id)
    return (
      entry && {
        ...entry,
        accept: async (answered) => {
          const message = entry.message ?? { blocks: [] }
          refuseStale(answered, message)
          refuseUnrelated(answered, message)
          return answered
        },
        resume: (given: ChatRun): Run => this.#legs.goOn(this.#id, entry, given),
      }
    )
  }

  async close(waiting: WaitingAnswer & Waiting, run: Run, reason: string): Promise<void> {
    await this.#legs.close(this.#id, waiting, run, reason)
  }
}

/**
 * A message that was edited is another entry, and has the same id for the client. Throws Refusal if a new message was
 * said before.
 */
export function nextOf(written: Written, again: Again, kept: Conversation | null): Next {
  const { id } = written
  const path = kept ? pathToEntry(kept) : []
  const known = path.findIndex((entry) => entry.role === 'user' && (entry.id === id || entry.id.startsWith(`${id}~`)))
  if (known < 0) return { fresh: [written], branch: path }
  if (again === 'new') throw new Refusal(409, 'this message was sent before')
  return again === 'regenerate'
    ? { fresh: [], branch: path.slice(0, known + 1) }
    : { fresh: [written], branch: path.slice(0, known) }
}
