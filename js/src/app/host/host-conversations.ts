// All conversations of a host: those that are loaded, whose entry is whose, and what is forgotten where no store keeps
// it.
import type { ConversationItem, ConversationView, EntryView, MessageView } from '../bridge/messages.js'
import type { MessagesOptions } from '../conversations/for-model.js'
import type { MemoryConversations } from '../conversations/memory-conversations.js'
import type {
  Conversations,
  ConversationEntry,
  FoundInStore,
  HeardPosition,
} from '../conversations/conversation-types.js'
import type { ChatMessage } from '../../engine/core/events.js'
import { setImmediate } from '../../engine/core/set-immediate.js'
import { refuse } from './checks.js'
import { HostConversation } from './conversation.js'
import { guard } from './guard.js'
import type { Waiting } from './interrupted.js'
import type { Message } from './host-message.js'
import type { HostOptions } from './host-types.js'

/** How many idle conversations keep their contents in memory. */
const MAX_WHOLE = 8
/** How many conversations without a store stay known while no window has them open. */
const MAX_KNOWN = 1000

export interface ConversationsOptions {
  store: Conversations
  /** What the model is told of a branch. */
  forModel: Pick<MessagesOptions, 'heard' | 'maxTokens' | 'toModel'>
  /** Set where the app gave no store: at most `keep` answers stay. */
  forgetful: { store: MemoryConversations; keep: number } | undefined
  /** What windows may have of what the app keeps with it. */
  appView: HostOptions['appView']
  /** Some window has it open. */
  isOpen: (conversation: string) => boolean
  onChange: (conversation: string) => void
  /** Something began, ended or was asked in it: a list shows it otherwise. */
  onActivity: (conversation: string) => void
  onUnsaved: (conversation: string, error: unknown) => void
  /** An answer waits for a person since another process: has its turn go on. May throw. */
  onWaiting: (conversation: HostConversation, found: { id: string; waiting: Waiting }) => Promise<void>
}

export class HostConversations {
  readonly #options: ConversationsOptions
  /** In the order of their last use. */
  readonly #byId = new Map<string, HostConversation>()
  readonly #owners = new Map<string, HostConversation>()
  /** Answers in the order in which they began. */
  readonly #turns = new Map<string, HostConversation>()
  readonly #running = new Map<string, Message>()
  /** Conversations whose turns are being woken. */
  readonly #waking = new Map<string, Promise<void>>()

  constructor(options: ConversationsOptions) {
    this.#options = options
  }

  /** Messages that go on. */
  get running(): Message[] {
    return [...this.#running.values()]
  }

  isBusy(id: string): boolean {
    return this.#byId.get(id)?.busy === true
  }

  settle(id: string): void {
    this.#owners.get(id)?.settle(id)
  }

  /** Turns that go on or begin. */
  get busy(): number {
    return [...this.#byId.values()].filter(({ busy }) => busy).length
  }

  /** As it is held now: empty where it was never asked for. */
  view(id: string): ConversationView {
    return this.#get(id).view
  }

  /** The view, read from the store anew where nothing waits to be saved. */
  async open(id: string): Promise<ConversationView> {
    const conversation = this.#use(id)
    await conversation.load(true)
    this.#own(conversation)
    conversation.describe({ seen: true })
    await this.#wake(conversation)
    return conversation.view
  }

  async #wake(conversation: HostConversation): Promise<void> {
    const { id, waiting } = conversation
    if (waiting && !this.#waking.has(id)) {
      conversation.busy = true
      this.#waking.set(
        id,
        this.#options
          .onWaiting(conversation, waiting)
          .catch((error: unknown) => {
            conversation.busy = false // it stays an answer that was interrupted
            guard('the host', () => {
              throw error
            })
          })
          .finally(() => this.#waking.delete(id)),
      )
    }
    await this.#waking.get(id)
  }

  // -- turns ----------------------------------------------------------------------------------------------------------

  /** Reserves the conversation for one turn. Returns it with a function that releases it again if no turn begins. */
  async claim(id: string): Promise<[HostConversation, () => void]> {
    const conversation = this.#use(id)
    this.#mustRest(conversation)
    conversation.busy = true
    try {
      await conversation.load()
      this.#own(conversation)
    } catch (error) {
      conversation.busy = false
      throw error
    }
    return [conversation, () => (conversation.busy = false)]
  }

  /** Returns the question as it is kept. */
  begin(conversation: HostConversation, question: ConversationEntry, message: Message): ConversationEntry {
    this.#running.set(message.id, message)
    this.#turns.set(message.id, conversation)
    const asked = conversation.begin(question, message)
    this.#own(conversation)
    this.#forgetOldest()
    return asked
  }

  /** The model goes on with an answer. */
  resume(conversation: HostConversation, said: ChatMessage, message: Message): void {
    this.#running.set(message.id, message)
    conversation.resume(message.id, said, message)
  }

  /** A turn that waited goes on. */
  wakes(conversation: HostConversation, waiting: Waiting, message: Message): void {
    this.#running.set(message.id, message)
    conversation.wakes(message.id, waiting, message)
  }

  changed(id: string, soon: boolean): void {
    this.#owners.get(id)?.changed(id, soon)
  }

  /**
   * Called before something happens that must not happen twice: saves the question, and the answer with the calls that
   * are about to begin. Resolves to false if the store failed.
   */
  async keep(message: Message): Promise<boolean> {
    await message.caughtUp()
    return (await this.#owners.get(message.id)?.keepNow(message.id)) ?? true
  }

  /** A turn that waits for a person is left, for another process. */
  async leave(message: Message): Promise<void> {
    const owner = this.#owners.get(message.id)
    if (message.preparing) await owner?.keepNow(message.id)
    for (let tries = 0; tries < 5 && !message.preparing && !owner?.keepsState(message.id); tries++) {
      await new Promise<void>((resolve) => setImmediate(resolve)) // what its run told comes into the view
      await owner?.keepNow(message.id)
    }
    if (!owner || (!owner.keepsState(message.id) && !message.preparing)) return
    owner.leave(message.id)
    this.#running.delete(message.id)
    await message.leave()
  }

  finish(conversation: HostConversation, message: Message, history: ChatMessage[]): void {
    this.#running.delete(message.id)
    conversation.busy = false
    conversation.finish(message.id, history)
    this.#options.onActivity(conversation.id)
    this.#release()
  }

  /** The answer stays as it was kept: a turn that waits for a person could not be resumed now. */
  putBack(conversation: HostConversation, message: Message): void {
    this.#running.delete(message.id)
    conversation.busy = false
    conversation.leave(message.id)
    this.#release()
  }

  /** Resolves when everything is saved, or cannot be. */
  async saved(): Promise<void> {
    await Promise.all([...this.#byId.values()].map((conversation) => conversation.saved()))
  }

  /** Nothing is saved any more. */
  close(): void {
    for (const conversation of this.#byId.values()) conversation.close()
  }

  // -- entries --------------------------------------------------------------------------------------------------------

  /** The message of an answer that goes on, or may still change. */
  live(id: string): Message | undefined {
    return this.#owners.get(id)?.live(id)
  }

  /** The message of an answer as it was saved. */
  async message(id: string): Promise<MessageView> {
    const owner = this.#owners.get(id)
    if (!owner) throw refuse('not_found', 'there is no such message; it may be too old')
    this.#use(owner.id)
    return await owner.message(id)
  }

  knows(id: string): boolean {
    return this.#owners.has(id)
  }

  /** The conversation of an entry. Throws `not_found` for entries that are not loaded. */
  ownerOf(entry: string): HostConversation {
    const owner = this.#owners.get(entry)
    if (!owner) throw refuse('not_found', 'there is no such entry; it may be too old', { path: 'entry' })
    return owner
  }

  earlier(before: string, limit: number): Promise<EntryView[]> {
    const owner = this.ownerOf(before)
    this.#use(owner.id)
    return owner.earlier(before, limit)
  }

  async bytes(id: string, ref: string): Promise<Uint8Array | null> {
    return (await this.#byId.get(id)?.bytes(ref)) ?? (await this.#options.store.bytes(id, ref))
  }

  choose(entry: string, index: number): void {
    const conversation = this.ownerOf(entry)
    this.#mustRest(conversation)
    conversation.choose(entry, index)
  }

  /** A person interrupted the voice that said this answer. */
  async heard(message: string, place: HeardPosition): Promise<void> {
    const owner = this.#owners.get(message)
    if (!owner) throw refuse('not_found', 'there is no such message; it may be too old', { path: 'message' })
    await this.#use(owner.id).load()
    owner.heard(message, place)
  }

  // -- what is done to whole conversations ----------------------------------------------------------------------------

  async list(options: { query?: string; tags?: string[]; skip?: number; limit?: number }): Promise<ConversationItem[]> {
    const infos = await this.#options.store.list(options)
    return infos.map(({ seen, ...info }) => ({
      ...info,
      ...this.#byId.get(info.id)?.activity,
      ...(seen === false ? { unread: true as const } : {}),
    }))
  }

  /** As a list shows it. */
  itemOf(id: string): ConversationItem {
    return this.#get(id).item
  }

  /** A conversation with what the app keeps with it. */
  async loaded(id: string): Promise<HostConversation> {
    const conversation = this.#use(id)
    await conversation.load()
    this.#own(conversation)
    return conversation
  }

  /** A question came. */
  asked(message: string): void {
    const owner = this.#owners.get(message)
    if (!owner) return
    this.#unseen(owner)
    this.#options.onActivity(owner.id)
  }

  /** Something to read came: where nobody has it open, a list says so. */
  #unseen(conversation: HostConversation): void {
    if (!this.#options.isOpen(conversation.id)) conversation.describe({ seen: false })
  }

  search(query: string, limit?: number): Promise<FoundInStore[]> {
    return this.#options.store.search(query, limit === undefined ? {} : { limit })
  }

  async export(id: string, as: 'json' | 'markdown'): Promise<string> {
    const text = await this.#options.store.export(id, as)
    if (text === null) throw refuse('not_found', 'there is no such conversation', { path: 'conversation' })
    return text
  }

  async rename(id: string, title: string): Promise<boolean> {
    await this.#byId.get(id)?.saved()
    const known = await this.#options.store.rename(id, title)
    if (known) this.#byId.get(id)?.renamed(title)
    return known
  }

  async delete(id: string, entry: string | undefined): Promise<boolean> {
    const conversation = this.#use(id)
    this.#mustRest(conversation)
    conversation.busy = true // what began meanwhile would go on unseen
    try {
      // one that is being read would come back; one that is damaged can be deleted
      await conversation.load().catch(() => {})
      await conversation.saved()
      const known = await this.#options.store.delete(id, entry)
      conversation.deleted(entry)
      this.#own(conversation)
      return known
    } finally {
      conversation.busy = false
    }
  }

  // -- what is held ---------------------------------------------------------------------------------------------------

  #mustRest({ busy }: HostConversation): void {
    if (busy) throw refuse('state', 'a message of this conversation is still running: wait for its end, or cancel it')
  }

  #get(id: string): HostConversation {
    let conversation = this.#byId.get(id)
    if (!conversation) {
      const { store, forModel, appView, onUnsaved, onChange } = this.#options
      conversation = new HostConversation(id, {
        store,
        forModel,
        appView,
        lasting: !this.#options.forgetful,
        onUnsaved,
        onEnd: (changed) => this.#unseen(changed),
        onChange: (changed) => onChange(changed.id),
      })
      this.#byId.set(id, conversation)
    }
    return conversation
  }

  #use(id: string): HostConversation {
    const conversation = this.#get(id)
    this.#byId.delete(id)
    this.#byId.set(id, conversation)
    return conversation
  }

  #own(conversation: HostConversation): void {
    for (const entry of conversation.entries) this.#owners.set(entry, conversation)
    this.#release()
  }

  /** Conversations that were not used lately drop their contents, or are dropped. */
  #release(): void {
    let [whole, known] = [0, 0]
    for (const conversation of [...this.#byId.values()].reverse()) {
      if (++whole > MAX_WHOLE) conversation.release()
      if (this.#options.isOpen(conversation.id) || !conversation.idle) continue
      if (++known <= (this.#options.forgetful ? MAX_KNOWN : MAX_WHOLE)) continue
      this.#byId.delete(conversation.id)
      for (const [entry, owner] of this.#owners) if (owner === conversation) this.#owners.delete(entry)
    }
  }

  #forgetOldest(): void {
    const { forgetful } = this.#options
    if (!forgetful) return this.#turns.clear()
    for (const [id, conversation] of this.#turns) {
      if (this.#turns.size <= forgetful.keep) return
      if (this.#running.has(id)) continue
      this.#turns.delete(id)
      const gone = conversation.forget(id)
      for (const entry of gone) this.#owners.delete(entry)
      // pending saves name them as parents
      void conversation.saved().then(() => forgetful.store.forget(conversation.id, gone))
    }
  }
}
