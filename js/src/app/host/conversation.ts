// One conversation as the host holds it: its entries, and the answer that goes on.
import { randomUUID } from 'node:crypto'
import type {
  ConversationItem,
  ConversationView,
  EntryView,
  MessageView,
  Picture,
  SentFile,
} from '../bridge/messages.js'
import { withoutPictures, withPictures } from '../conversations/blobs.js'
import { branchFiles } from '../conversations/branch-files.js'
import { EntryTree } from '../conversations/entry-tree.js'
import { messagesForModel, type MessagesOptions } from '../conversations/for-model.js'
import { heardOf } from '../conversations/heard-text.js'
import { titleOf } from '../conversations/words.js'
import type {
  Conversations,
  ConversationEntry,
  HeardPosition,
  OwnMembers,
  StoredBlob,
} from '../conversations/conversation-types.js'
import { readOwn, withOwn, type OwnChange } from '../conversations/own-members.js'
import type { ChatMessage, JsonObject } from '../../engine/core/events.js'
import { refuse } from './checks.js'
import { storedParts } from './host-attachments.js'
import { ConversationSaver } from './conversation-saver.js'
import { guard } from './guard.js'
import type { HostOptions } from './host-types.js'
import { readWaiting, writeWaiting, type Waiting } from './interrupted.js'
import { Keeper } from './keeper.js'
import type { Message } from './host-message.js'
import { TurnFiles } from './turn-files.js'

/** Of a long conversation a window is told the end, with every change; it asks for the rest. */
const MAX_SHOWN = 500

/** What is known of an answer that began here. */
interface Answer {
  /** Set while the answer goes on, or may still get a notice. */
  live?: Message
  /** The turn is over: the entry holds what it added. */
  over: boolean
  /** What the model was told before, where it goes on with this answer. */
  sentBefore?: ChatMessage[] | undefined
  /** Saves it while it goes on. */
  keeper?: Keeper | undefined
  /** `seq` of the view that the entry was made from. */
  seq: number
}

export interface ConversationOptions {
  store: Conversations
  /** The store outlives this process: answers that go on are saved, too. */
  lasting: boolean
  /** What the model is told of a branch. */
  forModel: Pick<MessagesOptions, 'heard' | 'maxTokens' | 'toModel'>
  /** What windows may have of what the app keeps with it. */
  appView: HostOptions['appView']
  /** An answer is over. */
  onEnd: (conversation: HostConversation) => void
  /** Windows are to be told. */
  onChange: (conversation: HostConversation) => void
  /** The store did not take what was said. */
  onUnsaved: (conversation: string, error: unknown) => void
}

/** Makes what the model is sent, behind a system message. */
export type MakeMessages = (system: string | undefined) => Promise<ChatMessage[]>

/** An answer that goes on: behind which question, with what the model is sent, and as people saw it so far. */
export interface GoesOn {
  question: ConversationEntry
  messages: MakeMessages
  before: MessageView
}

export class HostConversation {
  readonly id: string
  readonly #options: ConversationOptions
  readonly #tree = new EntryTree()
  readonly #saver: ConversationSaver
  readonly #answers = new Map<string, Answer>()
  /** The bytes of what stands beside a question, until it begins. */
  readonly #blobs = new WeakMap<ConversationEntry, StoredBlob[]>()
  #title = ''
  #own: OwnMembers = {}
  /** When its entries last changed, in Unix milliseconds, as far as it is known. */
  #updated = 0
  #loading: Promise<void> | undefined
  /** False: entries hold only what `view` shows, and their contents must be loaded. */
  #whole = false

  /** A turn goes on, or begins. */
  busy = false

  constructor(id: string, options: ConversationOptions) {
    this.id = id
    this.#options = options
    const { store, onUnsaved, onChange } = options
    this.#saver = new ConversationSaver({
      store,
      conversation: id,
      onUnsaved,
      entry: (one) => this.#tree.get(one),
      head: () => this.#savedHead,
      onTrouble: () => onChange(this),
    })
  }

  /** Everything is saved and nothing goes on: it can be dropped and loaded again. */
  get idle(): boolean {
    const { saving, waits } = this.#saver
    return !this.busy && !this.#loading && !saving && !waits && ![...this.#answers.values()].some(({ live }) => live)
  }

  /** Somebody gave it its title. */
  get titled(): boolean {
    return this.#title !== this.#firstLine
  }

  get #firstLine(): string {
    return titleOf(this.#tree.entries)
  }

  get entries(): IterableIterator<string> {
    return this.#tree.ids
  }

  // -- from the store -------------------------------------------------------------------------------------------------

  /** Loads the entries. `anew`: reads the store again, unless something waits to be saved. */
  async load(anew = false): Promise<void> {
    if (anew && this.idle) this.#whole = false
    if (!this.#whole) await (this.#loading ??= this.#read().finally(() => (this.#loading = undefined)))
  }

  async #read(): Promise<void> {
    const stored = (await this.#options.store.load(this.id)) ?? { id: this.id, entries: [], title: '', head: null }
    this.#whole = true
    this.#tree.load(stored.entries, new Set([...this.#tree.ids].filter((id) => this.live(id) || this.#saver.has(id))))
    this.#forgetRemoved()
    this.#title = stored.title
    if (this.#saver.waits) return
    this.#tree.head = stored.head
    this.#own = readOwn(stored) ?? {}
  }

  #forgetRemoved(): void {
    for (const id of this.#answers.keys()) if (!this.#tree.has(id)) this.#answers.delete(id)
  }

  /** Drops the contents of the entries; `load` brings them back. */
  release(): void {
    if (!this.idle || !this.#whole) return
    this.#whole = false
    for (const { message: _, history: __, state: ___, ...rest } of this.#tree.entries) this.#tree.put(rest)
  }

  // -- what people see ------------------------------------------------------------------------------------------------

  get view(): ConversationView {
    const shown = this.#tree.path().slice(-MAX_SHOWN)
    const { trouble } = this.#saver
    return {
      id: this.id,
      ...(this.#title === '' ? {} : { title: this.#title }),
      ...shownApp(this.#options.appView, this.#own.app),
      ...(this.#own.tags ? { tags: this.#own.tags } : {}),
      forgotten: this.#tree.depth(shown[0]),
      entries: this.#entryViews(shown),
      ...(trouble === undefined ? {} : { unsaved: trouble }),
    }
  }

  /** What goes on in it, as a list shows it. */
  get activity(): Pick<ConversationItem, 'running' | 'asks' | 'waiting'> {
    let asks = 0
    for (const { live, over } of this.#answers.values()) if (live && !over) asks += live.asks.size
    return { ...(this.busy ? { running: true } : {}), ...(asks > 0 ? { asks, waiting: true } : {}) }
  }

  /** As a list shows it. */
  get item(): ConversationItem {
    const waits = this.#tree.get(this.#tree.head)?.state !== undefined
    const last = [...this.#tree.entries].reduce((time, { at }) => Math.max(time, at), this.#updated)
    return {
      id: this.id,
      title: this.#title,
      updated: last,
      entries: this.#tree.size,
      ...(this.#own.tags ? { tags: this.#own.tags } : {}),
      ...(waits ? { waiting: true } : {}),
      ...this.activity,
      ...(this.#own.seen === false ? { unread: true } : {}),
    }
  }

  /** Up to `limit` entries in front of one that is shown. */
  async earlier(before: string, limit: number): Promise<EntryView[]> {
    await this.load()
    return this.#entryViews(limit === 0 ? [] : this.#tree.path(this.#entry(before).parent).slice(-limit))
  }

  #entryViews(entries: readonly ConversationEntry[]): EntryView[] {
    const siblingsOf = this.#tree.siblings()
    return entries
      .filter(({ first }) => !first)
      .map((entry) => {
        const { id, role, at, text = '', parts, parent, heard, app } = entry
        const own = shownApp(this.#options.appView, app, entry)
        const siblings = siblingsOf(entry)
        const branch = siblings.length > 1 ? { branch: { index: siblings.indexOf(entry), count: siblings.length } } : {}
        if (role === 'user') return { id, role, text, ...(parts ? { parts } : {}), at, ...branch, ...own }
        const first = this.#tree.get(parent)?.first
        return {
          id,
          role,
          message: id,
          at,
          ...branch,
          ...(heard ? { heard: heard.text } : {}),
          ...(first ? { first } : {}),
          ...own,
        }
      })
  }

  /** The message of an answer that goes on, or may still change. */
  live(id: string): Message | undefined {
    return this.#answers.get(id)?.live
  }

  /** The message of an answer as it was saved. */
  async message(id: string): Promise<MessageView> {
    await this.load()
    const entry = this.#entry(id)
    const { seq } = this.#answer(id)
    if (!entry.message) throw refuse('not_found', 'there is no such message')
    const { message } = await withPictures({ message: entry.message }, (ref) => this.bytes(ref))
    return { ...message, id, seq, questions: [] }
  }

  async bytes(ref: string): Promise<Uint8Array | null> {
    return this.#saver.bytes(ref) ?? (await this.#options.store.bytes(this.id, ref))
  }

  /** The files of the branch of a question, for the tools of its answer. */
  files(question: ConversationEntry): TurnFiles {
    return new TurnFiles(branchFiles([...this.#tree.path(question.parent), question]), {
      bytes: (ref) => this.bytes(ref),
      path: async (ref) => (this.#saver.bytes(ref) ? null : ((await this.#options.store.path?.(this.id, ref)) ?? null)),
    })
  }

  // -- what the app keeps with it ---------------------------------------------------------------------------------------

  /** The app's own members. */
  get own(): OwnMembers {
    return this.#own
  }

  /** There is nothing in it yet. */
  get isEmpty(): boolean {
    return this.#tree.size === 0
  }

  /** Changes the app's own members. Nothing happens where that is what they are. */
  describe(change: OwnChange): void {
    const own = withOwn(this.#own, change)
    if (JSON.stringify(own) === JSON.stringify(this.#own)) return
    this.#own = own
    this.#saver.addOwn(change)
    this.#options.onChange(this)
    this.#saver.save()
  }

  /** Changes what the app keeps with an entry; null: nothing any more. */
  mark(id: string, app: JsonObject | null): void {
    const { app: _, ...entry } = this.#entry(id)
    this.#tree.put(app ? { ...entry, app } : entry)
    if (this.#answer(id).over || entry.message) {
      this.#saver.add(id)
      this.#saver.save()
    }
    this.#options.onChange(this)
  }

  // -- turns ----------------------------------------------------------------------------------------------------------

  /** A question behind an entry; without `behind`, at the end of what is shown. */
  ask(
    text: string,
    given: readonly (Picture | SentFile)[] = [],
    behind: string | null = this.#tree.head,
  ): ConversationEntry {
    if (behind !== null && behind !== this.#tree.head) this.#entry(behind)
    const { parts, blobs } = storedParts(given)
    const attached = parts.length > 0 ? { parts } : {}
    const question: ConversationEntry = {
      id: randomUUID(),
      parent: behind,
      at: Date.now(),
      role: 'user',
      text,
      ...attached,
    }
    this.#blobs.set(question, blobs)
    return question
  }

  /** A person interrupted the voice that said this answer. */
  heard(id: string, place: HeardPosition): void {
    const { heard: before, ...entry } = this.#entry(id)
    const { live, over } = this.#answer(id)
    const message = live?.view ?? entry.message
    if (!message) throw refuse('argument', 'expected an answer', { path: 'message' })
    const heard = heardOf(message, place)
    if (!heard && !before) return
    this.#tree.put(heard ? { ...entry, heard } : entry)
    if (over) {
      this.#saver.add(id)
      this.#saver.save()
    }
    this.#options.onChange(this)
  }

  /** The question that has the pet speak first: nobody wrote it, and nobody sees it. */
  first(text: string): ConversationEntry {
    return { ...this.ask(text, undefined), first: true }
  }

  /** A person asks for the first time on this branch. */
  begins({ parent, first }: ConversationEntry): boolean {
    return !first && !this.#tree.path(parent).some((entry) => entry.role === 'user' && !entry.first)
  }

  /** How often the pet spoke first since then. */
  firstSince(time: number): number {
    return [...this.#tree.entries].filter(({ first, at }) => first && at >= time).length
  }

  /** The question of an entry: itself, or what an answer answers. */
  questionOf(id: string): ConversationEntry {
    const entry = this.#entry(id)
    if (entry.role === 'user') return entry
    const question = this.#tree.get(entry.parent)
    if (question?.role === 'user') return question
    throw refuse('not_found', 'the question of this answer is no longer kept')
  }

  /** Another question in the place of this one, with its attachments. */
  editOf(id: string, text: string): ConversationEntry {
    const entry = this.#entry(id)
    if (entry.role !== 'user')
      throw refuse('argument', 'expected a question: an answer cannot be edited', { path: 'entry' })
    return { ...entry, id: randomUUID(), at: Date.now(), text }
  }

  /**
   * What the model is sent for a question, which need not be part of the conversation yet: of what is there now, whatever
   * becomes of the conversation before it is made.
   */
  messages(question: ConversationEntry): MakeMessages {
    return this.#messagesOf([...this.#tree.path(question.parent), question])
  }

  #messagesOf(branch: readonly ConversationEntry[], more: readonly ChatMessage[] = []): MakeMessages {
    const bytes = (ref: string): Promise<Uint8Array | null> => this.bytes(ref)
    return async (system) => [
      ...(await messagesForModel(branch, { system, bytes, ...this.#options.forModel })),
      ...more,
    ]
  }

  /** What an answer is asked for again, so that the model goes on with it. `said`: what the model is told. */
  async goOnWith(id: string, said: ChatMessage): Promise<GoesOn> {
    const entry = this.#entry(id)
    const { message } = entry
    if (!message) throw refuse('argument', 'expected an answer that is over', { path: 'entry' })
    if (message.outcome === 'awaiting_user') throw refuse('state', 'this answer waits for a person')
    if (this.#tree.children(id).length > 0)
      throw refuse('state', 'something was said behind this answer: ask again, or go on with the last one')
    const question = this.questionOf(id)
    const history = historyOf(entry)
    if (history.length === 0) throw refuse('state', 'there is nothing to go on with: ask again')
    const branch = [...this.#tree.path(question.id), { ...entry, history }]
    return { question, messages: this.#messagesOf(branch, [said]), before: await this.message(id) }
  }

  /** The model goes on with an answer that was over. */
  resume(id: string, said: ChatMessage, message: Message): void {
    this.#goesOn(id, message, [...historyOf(this.#entry(id)), said])
    this.#tree.head = id
    this.#saver.addHead()
    this.#options.onChange(this)
  }

  /** The answer to a question began. Returns the question as it is kept. */
  begin(question: ConversationEntry, message: Message): ConversationEntry {
    const id = message.id
    this.#saver.addBlobs(this.#blobs.get(question) ?? [])
    if (!this.#tree.has(question.id)) {
      this.#tree.put(question)
      this.#saver.add(question.id)
    }
    this.#tree.put({ id, parent: question.id, at: Date.now(), role: 'assistant' })
    this.#goesOn(id, message, undefined)
    this.#tree.head = id
    this.#title ||= this.#firstLine
    this.#options.onChange(this)
    this.#keep(id)
    return question
  }

  #goesOn(id: string, message: Message, sentBefore: ChatMessage[] | undefined): void {
    const { seq } = this.#answer(id)
    const keeper = this.#options.lasting ? new Keeper(() => this.#keep(id)) : undefined
    this.#answers.set(id, { live: message, over: false, sentBefore, keeper, seq })
  }

  /** The answer is over, with what it adds for the model. */
  finish(id: string, history: ChatMessage[]): void {
    const answer = this.#answers.get(id)
    if (!answer?.live) return
    endSaves(answer)
    const { sentBefore, live } = answer
    const all = sentBefore && (history.length > 0 ? [...sentBefore, ...history] : sentBefore.slice(0, -1))
    answer.sentBefore = undefined
    this.#take(id, answer, live, all ?? history)
    if (live.settled) delete answer.live
    this.#options.onEnd(this)
    this.#saver.save()
  }

  /** The message cannot change any more. Saves what changed after its end: notices of the pet. */
  settle(id: string): void {
    const answer = this.#answers.get(id)
    if (!answer?.live || !answer.over) return
    if (answer.live.seq !== answer.seq) {
      this.#take(id, answer, answer.live, this.#entry(id).history ?? [])
      this.#saver.save()
    }
    delete answer.live
  }

  #take(id: string, answer: Answer, live: Message, history: ChatMessage[]): void {
    this.#updated = Date.now()
    const { id: _, seq, questions: __, retry: ___, preparing: ____, ...message } = live.view
    answer.seq = seq
    this.#put(id, { message, history })
  }

  #put(id: string, now: Pick<ConversationEntry, 'message' | 'history' | 'state'>): void {
    const { state: _, ...before } = this.#entry(id)
    const { entry, blobs } = withoutPictures({ ...before, ...now })
    this.#saver.addBlobs(blobs)
    this.#tree.put(entry)
    this.#saver.add(id)
  }

  // -- answers that go on, for the case that the app ends -------------------------------------------------------------

  changed(id: string, soon: boolean): void {
    this.#answers.get(id)?.keeper?.changed(soon)
  }

  #keep(id: string): void {
    const { live, over, sentBefore = [], keeper } = this.#answer(id)
    if (!live || over) return
    if (!keeper) return this.#saver.save() // it ends with this process
    const { message, history, waiting } = live.kept(sentBefore)
    const state = waiting && writeWaiting(waiting)
    const all = history.length > sentBefore.length ? history : sentBefore.slice(0, -1)
    const { message: before } = this.#entry(id)
    const isNew = !before || message.blocks.length > 0 || before.blocks.length > 0 || message.rounds > before.rounds
    if (isNew) this.#put(id, { message, history: all, ...(state === undefined ? {} : { state }) })
    this.#saver.save()
    if (live.asks.size > 0 && !waiting) keeper?.changed(true) // its run had told what is not in the view yet
  }

  /** Saves the answer now, with all that is not saved before it. Resolves to false if the store failed. */
  async keepNow(id: string): Promise<boolean> {
    const { keeper } = this.#answer(id)
    if (!keeper) return true
    keeper.kept()
    this.#keep(id)
    await this.#saver.saving
    return !this.#saver.has(id)
  }

  /** The store holds a state from which the answer goes on. */
  keepsState(id: string): boolean {
    return this.#tree.get(id)?.state !== undefined
  }

  /** The answer ends here, and goes on from what was kept. */
  leave(id: string): void {
    const answer = this.#answers.get(id)
    if (!answer) return
    endSaves(answer)
    if (answer.live?.settled) delete answer.live
  }

  /** The answer at the end that waits for a person, of a process that ended. */
  get waiting(): { id: string; waiting: Waiting } | undefined {
    const entry = this.#tree.get(this.#tree.head)
    const waiting =
      entry?.state === undefined || this.live(entry.id) || this.busy ? undefined : readWaiting(entry.state)
    return entry && waiting ? { id: entry.id, waiting } : undefined
  }

  /** What a turn that waits needs to go on. */
  async goOnWaiting(id: string, { sentBefore }: Waiting): Promise<GoesOn> {
    const question = this.questionOf(id)
    const branch = [...this.#tree.path(question.parent), question]
    return { question, messages: this.#messagesOf(branch, sentBefore), before: await this.message(id) }
  }

  /** The turn that waited goes on. */
  wakes(id: string, { sentBefore }: Waiting, message: Message): void {
    this.#entry(id)
    this.#goesOn(id, message, sentBefore.length > 0 ? sentBefore : undefined)
    this.#options.onChange(this)
  }

  // -- branches -------------------------------------------------------------------------------------------------------

  /** Shows the branch of another one of the entries that stand side by side with this one: what was said last on it. */
  choose(id: string, index: number): void {
    const siblings = this.#tree.siblings()(this.#entry(id))
    const chosen = siblings[index]
    if (!chosen)
      throw refuse('argument', `found ${index}, expected a branch from 0 to ${siblings.length - 1}`, { path: 'index' })
    this.#tree.choose(chosen.id)
    this.#saver.addHead()
    this.#options.onChange(this)
    this.#saver.save()
  }

  #entry(id: string): ConversationEntry {
    const entry = this.#tree.get(id)
    if (!entry) throw refuse('not_found', 'there is no such entry; it may be too old')
    return entry
  }

  /** Of an answer of the store nothing more is known. */
  #answer(id: string): Answer {
    return this.#answers.get(id) ?? { over: true, seq: 0 }
  }

  // -- what goes away -------------------------------------------------------------------------------------------------

  /** Drops an answer, and its question where nothing else answers it. Returns their ids. */
  forget(id: string): string[] {
    const gone = this.#tree.forget(id)
    if (gone.length === 0) return []
    this.#drop(gone)
    if (this.#tree.head === null) this.#title = ''
    this.#options.onChange(this)
    return gone
  }

  /** The store deleted all of it, or an entry with what follows. */
  deleted(id?: string): void {
    this.#drop(id === undefined ? this.#tree.clear() : this.#tree.delete(id))
    if (id === undefined) {
      this.#title = ''
      this.#own = {}
      this.#saver.clear()
    }
    this.#options.onChange(this)
  }

  #drop(ids: readonly string[]): void {
    this.#saver.drop(ids)
    this.#forgetRemoved()
  }

  /** The store gave it another title. */
  renamed(title: string): void {
    this.#title = title || this.#firstLine
    this.#options.onChange(this)
  }

  // -- to the store ---------------------------------------------------------------------------------------------------

  /** Saves what is not saved. Resolves when the store took it, or failed. */
  saved(): Promise<void> {
    return this.#saver.saved()
  }

  /** Nothing is saved any more. */
  close(): void {
    this.#saver.close()
  }

  /** The store does not know an answer that goes on: its question is the head there. */
  get #savedHead(): string | null {
    const head = this.#tree.get(this.#tree.head)
    return head && !this.#answer(head.id).over && !head.message ? head.parent : this.#tree.head
  }
}

/** What a window may have of what the app keeps. Where the app's function throws, that is nothing. */
function shownApp(
  appView: HostOptions['appView'],
  app: JsonObject | undefined,
  entry?: ConversationEntry,
): { app?: JsonObject } {
  let shown: JsonObject | undefined
  if (app && appView) guard('appView', () => void (shown = appView(app, entry)))
  return shown ? { app: shown } : {}
}

/** The answer that goes on is no longer saved by itself. */
function endSaves(answer: Answer): void {
  answer.over = true
  answer.keeper?.close()
  answer.keeper = undefined
}

/** What an answer added for the model: of one that broke off at least the text that people saw. */
function historyOf({ history, message }: ConversationEntry): ChatMessage[] {
  if (history?.length) return history
  const content =
    message?.blocks.flatMap((block) => (block.type === 'text' && !block.retracted ? block.text : [])).join('\n\n') ?? ''
  return content.trim() === '' ? [] : [{ role: 'assistant', content }]
}
