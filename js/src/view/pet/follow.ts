// What a pet follows of its client: the last answer of a conversation, and whether the host is there.
import { allCards } from '../../engine/core/cards.js'
import type {
  CardView,
  ConnectionState,
  ConversationView,
  HeardInput,
  MessageView,
  PetSide,
} from '../../app/bridge/messages.js'

/** A thing that changes, as the client has them. */
export interface LiveValue<View> {
  /** Called with every change. Returns what ends that. */
  subscribe(listener: () => void): () => void
  getSnapshot(): View
}

/** What is used of a client: that of `connect()`, or anything like it. */
export interface PetClient {
  /** Whether the host is there. */
  readonly connection: {
    readonly state: ConnectionState
    /** Called with every change. Returns what ends that. */
    subscribe(listener: () => void): () => void
  }
  open(conversation?: string): LiveValue<ConversationView> & {
    /** Settles when the conversation was read. */
    readonly opened?: Promise<unknown>
  }
  /** A message of the conversation, live. */
  message(id: string): LiveValue<MessageView>
  /** A person interrupted the voice. */
  heard?(input: HeardInput): Promise<void>
  /** Orders for the pet. */
  readonly pet?: PetSide
}

/** What changed: another answer (`undefined`: there is none), or the one that is followed. */
export interface Followed {
  view: MessageView | undefined
  /** It is another one than before. */
  other: boolean
  /** It was there before anybody looked: its end is no news. */
  old: boolean
  /** Nobody asked: the pet spoke first. */
  first: boolean
}

/** Calls `listener` with the last answer of the conversation, now and whenever it changes. Returns what ends that. */
export function followAnswer(
  client: Pick<PetClient, 'open' | 'message'>,
  conversation: string,
  listener: (followed: Followed) => void,
): () => void {
  const live = client.open(conversation)
  let known: string | undefined
  let off: (() => void) | undefined
  let begun = false // what comes now, came while somebody looked
  const look = (): void => {
    const { entries } = live.getSnapshot()
    const entry = entries.findLast((one) => one.role === 'assistant')
    const [id, first] = [entry?.message, entry?.first === true]
    if (id === known) return
    known = id
    off?.()
    off = undefined
    if (id === undefined) return listener({ view: undefined, other: true, old: false, first: false })
    const message = client.message(id)
    let [other, old, here] = [true, !begun, false]
    const show = (): void => {
      if (known !== id) return
      const view = message.getSnapshot()
      if (!here) {
        here = view.seq > 0 || view.outcome !== undefined
        if (!here && old) return // its snapshot is still to come
        old &&= view.outcome !== undefined
      }
      listener({ view, other, old, first })
      other = false
    }
    off = message.subscribe(show)
    show()
  }
  const end = live.subscribe(() => {
    look()
    begun = true
  })
  look()
  begun = known !== undefined
  // One that was read before may be empty: its first answer is news all the same.
  live.opened?.then(
    () => (begun = true),
    () => {},
  )
  return () => {
    known = undefined
    off?.()
    end()
  }
}

/** How many of its questions wait. A window that may not answer them sees them on their cards alone. */
export function waitingOf({ questions, blocks, outcome }: MessageView): number {
  if (outcome !== undefined) return 0
  return Math.max(questions.length, allCards(blocks).filter(({ status }) => waits.has(status)).length)
}

const waits: ReadonlySet<CardView['status']> = new Set<CardView['status']>([
  'awaiting_approval',
  'awaiting_result_approval',
])
