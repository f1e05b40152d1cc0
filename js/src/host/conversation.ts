// One conversation as the host holds it: the tree of its entries, the answer that goes on, and what the store has not taken yet. What was said
// is never lost for the store's sake: an entry stays here until it is saved.
import { randomUUID } from 'node:crypto'
import type { ConversationView, EntryView, MessageView } from '../bridge/messages.js'
import { withoutPictures, withPictures } from '../conversations/blobs.js'
import { messagesOf, type MessagesOptions } from '../conversations/for-model.js'
import { heardOf } from '../conversations/heard.js'
import { titleOf } from '../conversations/words.js'
import type { Conversations, Entry, StoredBlob, HeardPlace } from '../conversations/types.js'
import type { ChatMessage, Part } from '../core/events.js'
import { refuse } from './check.js'
import { readWaiting, writeWaiting, type Waiting } from './interrupted.js'
import { Keeper } from './keeper.js'
import type { Message } from './message.js'

/** Of a long conversation a window is told the end, with every change; it asks for the rest. */
const MAX_SHOWN = 500
/** When a save that failed is tried again: at first, then in twice the time, */
const AGAIN_MS = 1000
/** but at least so often. */
const AGAIN_MOST_MS = 60_000

interface Node {
  entry: Entry
  /** How many entries stand before it on its branch, forgotten ones included. */
  depth: number
  /** Set while the answer goes on, or may still get a notice. */
  live?: Message
  /** The turn is over: the entry holds what it added. */
  over: boolean
  /** What the model was told before, where it goes on with this answer. */
  told?: ChatMessage[] | undefined
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
  forModel: Pick<MessagesOptions, 'heard' | 'maxTokens'>
  /** Windows are to be told. */
  onChange: (conversation: HostConversation) => void
  /** The store did not take what was said. */
  onUnsaved: (conversation: string, error: unknown) => void
}

export class HostConversation {
  readonly id: string
  readonly #options: ConversationOptions
  readonly #nodes = new Map<string, Node>()
  #head: string | null = null
  #title = ''
  /** Depth of the next entry where all before it were forgotten. */
  #forgotten = 0

  // -- what is held of the store
  #loading: Promise<void> | undefined
  /** False: entries hold only what `view` shows, and their contents must be loaded. */
  #whole = false
  /** Ids of entries to save. */
  readonly #unsaved = new Set<string>()
  #headUnsaved = false
  readonly #blobs = new Map<string, Uint8Array>()
  #saving: Promise<void> | undefined
  /** Why the last save failed, in words for people. */
  #trouble: string | undefined
  #failures = 0
  #again: NodeJS.Timeout | undefined
  #closed = false

  /** A turn goes on, or begins. */
  busy = false

  constructor(id: string, options: ConversationOptions) {
    this.id = id
    this.#options = options
  }

  /** Everything is saved and nothing goes on: it can be dropped and loaded again. */
  get idle(): boolean {
    return !this.busy && !this.#loading && !this.#saving && this.#unsaved.size === 0 && !this.#headUnsaved && ![...this.#nodes.values()].some(({ live }) => live)
  }

  /** Somebody gave it its title. */
  get titled(): boolean {
    return this.#title !== this.#firstLine
  }

  get #firstLine(): string {
    return titleOf([...this.#nodes.values()].map(({ entry }) => entry))
  }

  get entries(): IterableIterator<string> {
    return this.#nodes.keys()
  }

  // -- from the store -------------------------------------------------------------------------------------------------------

  /** Loads the entries. `anew`: reads the store again, unless something waits to be saved. */
  async load(anew = false): Promise<void> {
    if (anew && this.idle) this.#whole = false
    if (!this.#whole) await (this.#loading ??= this.#read().finally(() => (this.#loading = undefined)))
  }

  async #read(): Promise<void> {
    const stored = (await this.#options.store.load(this.id)) ?? { entries: [], title: '', head: null }
    this.#whole = true
    const own = new Set([...this.#nodes].filter(([id, { live }]) => live || this.#unsaved.has(id)).map(([id]) => id))
    const before = new Map(this.#nodes)
    this.#nodes.clear()
    for (const entry of stored.entries) {
      const known = before.get(entry.id)
      if (known && own.has(entry.id)) this.#nodes.set(entry.id, known)
      else this.#nodes.set(entry.id, { entry, depth: known?.depth ?? this.#depthOf(entry.parent), over: true, seq: known?.seq ?? 0 })
    }
    for (const id of own) this.#nodes.set(id, before.get(id) as Node)
    this.#title = stored.title
    if (!this.#headUnsaved && this.#unsaved.size === 0) this.#head = stored.head
  }

  /** Drops the contents of the entries; `load` brings them back. */
  release(): void {
    if (!this.idle || !this.#whole) return
    this.#whole = false
    for (const node of this.#nodes.values()) {
      const { message: _, history: __, state: ___, ...rest } = node.entry
      node.entry = rest
    }
  }

  // -- what people see ------------------------------------------------------------------------------------------------------

  get view(): ConversationView {
    const path = this.#path(this.#head)
    const shown = path.slice(-MAX_SHOWN)
    return {
      id: this.id,
      ...(this.#title === '' ? {} : { title: this.#title }),
      forgotten: shown[0]?.depth ?? this.#forgotten,
      entries: this.#entryViews(shown),
      ...(this.#trouble === undefined ? {} : { unsaved: this.#trouble }),
    }
  }

  /** Up to `limit` entries in front of one that is shown. */
  async earlier(before: string, limit: number): Promise<EntryView[]> {
    await this.load()
    return this.#entryViews(limit === 0 ? [] : this.#path(this.#node(before).entry.parent).slice(-limit))
  }

  #entryViews(nodes: readonly Node[]): EntryView[] {
    const beside = new Map<string, Node[]>()
    const place = ({ entry: { parent, role } }: Node): string => `${role} ${parent}`
    for (const node of this.#nodes.values()) {
      const siblings = beside.get(place(node))
      if (siblings) siblings.push(node)
      else beside.set(place(node), [node])
    }
    return nodes.filter(({ entry }) => !entry.first).map((node) => {
      const { id, role, at, text = '', parts, parent, heard } = node.entry
      const siblings = beside.get(place(node)) ?? []
      const more = { at, ...(siblings.length > 1 ? { branch: { index: siblings.indexOf(node), count: siblings.length } } : {}) }
      return role === 'user' ? { id, role, text, ...(parts ? { parts } : {}), ...more } : { id, role, message: id, ...more, ...(heard ? { heard: heard.text } : {}), ...(this.#nodes.get(parent ?? '')?.entry.first ? { first: true } : {}) }
    })
  }

  /** The message of an answer that goes on, or may still change. */
  live(id: string): Message | undefined {
    return this.#nodes.get(id)?.live
  }

  /** The message of an answer as it was saved. */
  async message(id: string): Promise<MessageView> {
    await this.load()
    const { entry, seq } = this.#node(id)
    if (!entry.message) throw refuse('not_found', 'there is no such message')
    const { message } = await withPictures({ message: entry.message }, (ref) => this.bytes(ref))
    return { ...message, id, seq, asks: [] }
  }

  async bytes(ref: string): Promise<Uint8Array | null> {
    return this.#blobs.get(ref) ?? (await this.#options.store.bytes(this.id, ref))
  }

  // -- turns ----------------------------------------------------------------------------------------------------------------

  /** A question behind an entry; without `behind`, at the end of what is shown. */
  ask(text: string, parts: Part[] | undefined, behind: string | null = this.#head): Entry {
    if (behind !== null && behind !== this.#head) this.#node(behind)
    return { id: randomUUID(), parent: behind, at: Date.now(), role: 'user', text, ...(parts?.length ? { parts } : {}) }
  }

  /** A person interrupted the voice that said this answer. */
  heard(id: string, place: HeardPlace): void {
    const node = this.#node(id)
    const message = node.live?.view ?? node.entry.message
    if (!message) throw refuse('argument', 'expected an answer', { path: 'message' })
    const heard = heardOf(message, place)
    const { heard: before, ...entry } = node.entry
    if (!heard && !before) return
    node.entry = heard ? { ...entry, heard } : entry
    if (node.over) {
      this.#unsaved.add(id)
      this.#save()
    }
    this.#options.onChange(this)
  }

  /** The question that has the pet speak first: nobody wrote it, and nobody sees it. */
  first(text: string): Entry {
    return { ...this.ask(text, undefined), first: true }
  }

  /** A person asks for the first time on this branch. */
  begins({ parent, first }: Entry): boolean {
    return !first && !this.#path(parent).some(({ entry }) => entry.role === 'user' && !entry.first)
  }

  /** How often the pet spoke first since then. */
  firstSince(time: number): number {
    return [...this.#nodes.values()].filter(({ entry }) => entry.first && entry.at >= time).length
  }

  /** The question of an entry: itself, or what an answer answers. */
  questionOf(id: string): Entry {
    const { entry } = this.#node(id)
    if (entry.role === 'user') return entry
    const question = entry.parent === null ? undefined : this.#nodes.get(entry.parent)?.entry
    if (question?.role === 'user') return question
    throw refuse('not_found', 'the question of this answer is no longer kept')
  }

  /** Another question in the place of this one, with its pictures. */
  editOf(id: string, text: string): Entry {
    const { entry } = this.#node(id)
    if (entry.role !== 'user') throw refuse('argument', 'expected a question: an answer cannot be edited', { path: 'entry' })
    return { ...entry, id: randomUUID(), at: Date.now(), text }
  }

  /** What the model is sent for a question, which need not be part of the conversation yet. */
  async messages(question: Entry, system: string | undefined): Promise<ChatMessage[]> {
    const path = this.#path(question.parent).map(({ entry }) => entry)
    return await messagesOf([...path, question], { system, bytes: (ref) => this.bytes(ref), ...this.#options.forModel })
  }

  /** What the model is sent so that it goes on with an answer, and that answer as people saw it. `said`: what it is told. */
  async goOnWith(id: string, said: ChatMessage, system: string | undefined): Promise<{ question: Entry; messages: ChatMessage[]; before: MessageView }> {
    const { entry } = this.#node(id)
    const { message } = entry
    if (!message) throw refuse('argument', 'expected an answer that is over', { path: 'entry' })
    if (message.outcome === 'awaiting_user') throw refuse('state', 'this answer waits for a person')
    if (this.#children(id).length > 0) throw refuse('state', 'something was said behind this answer: ask again, or go on with the last one')
    const question = this.questionOf(id)
    const history = historyOf(entry)
    if (history.length === 0) throw refuse('state', 'there is nothing to go on with: ask again')
    const path = [...this.#path(question.id).map((node) => node.entry), { ...entry, history }]
    const messages = await messagesOf(path, { system, bytes: (ref) => this.bytes(ref), ...this.#options.forModel })
    return { question, messages: [...messages, said], before: await this.message(id) }
  }

  /** The model goes on with an answer that was over. */
  resume(id: string, said: ChatMessage, message: Message): void {
    const node = this.#node(id)
    node.told = [...historyOf(node.entry), said]
    this.#goesOn(node, message)
    this.#head = id
    this.#headUnsaved = true
    this.#options.onChange(this)
  }

  /** The answer to a question began. Returns the question as it is kept. */
  begin(given: Entry, message: Message): Entry {
    const id = message.id
    const { entry: question, blobs } = withoutPictures(given)
    this.#keepBlobs(blobs)
    if (!this.#nodes.has(question.id)) this.#add(question)
    const node: Node = { entry: { id, parent: question.id, at: Date.now(), role: 'assistant' }, depth: this.#depthOf(question.id), over: false, seq: 0 }
    this.#nodes.set(id, node)
    this.#goesOn(node, message)
    this.#head = id
    this.#title ||= this.#firstLine
    this.#options.onChange(this)
    this.#save()
    return question
  }

  #goesOn(node: Node, message: Message): void {
    node.live = message
    node.over = false
    node.keeper = this.#options.lasting ? new Keeper(() => this.#keep(node)) : undefined
  }

  /** The answer is over, with what it adds for the model. */
  finish(id: string, history: ChatMessage[]): void {
    const node = this.#nodes.get(id)
    if (!node?.live) return
    this.#ends(node)
    const all = node.told && (history.length > 0 ? [...node.told, ...history] : node.told.slice(0, -1))
    node.told = undefined
    this.#take(node, node.live, all ?? history)
    if (node.live.settled) delete node.live
    this.#save()
  }

  /** The message cannot change any more. Saves what changed after its end: notices of the pet. */
  settle(id: string): void {
    const node = this.#nodes.get(id)
    if (!node?.live || !node.over) return
    if (node.live.seq !== node.seq) {
      this.#take(node, node.live, node.entry.history ?? [])
      this.#save()
    }
    delete node.live
  }

  #ends(node: Node): void {
    node.over = true
    node.keeper?.close()
    node.keeper = undefined
  }

  #take(node: Node, live: Message, history: ChatMessage[]): void {
    const { id: _, seq, asks: __, retry: ___, ...message } = live.view
    node.seq = seq
    this.#put(node, { message, history })
  }

  #put(node: Node, now: Pick<Entry, 'message' | 'history' | 'state'>): void {
    const { state: _, ...before } = node.entry
    const { entry, blobs } = withoutPictures({ ...before, ...now })
    this.#keepBlobs(blobs)
    node.entry = entry
    this.#unsaved.add(entry.id)
  }

  // -- answers that go on, for the case that the app ends ---------------------------------------------------------------------

  /** The answer changed. */
  changed(id: string, soon: boolean): void {
    this.#nodes.get(id)?.keeper?.changed(soon)
  }

  #keep(node: Node): void {
    const { live, told = [] } = node
    if (!live || node.over) return
    const { message, history, waiting } = live.kept(told)
    const state = waiting && writeWaiting(waiting)
    this.#put(node, { message, history: history.length > told.length ? history : told.slice(0, -1), ...(state === undefined ? {} : { state }) })
    this.#save()
    if (live.asks.size > 0 && !waiting) node.keeper?.changed(true) // its run had told what is not in the view yet
  }

  /** Saves the answer now, with all that is not saved before it. Resolves to false if the store failed. */
  async keepNow(id: string): Promise<boolean> {
    const node = this.#nodes.get(id)
    if (!node?.keeper) return true
    node.keeper.kept()
    this.#keep(node)
    await this.#saving
    return !this.#unsaved.has(id)
  }

  /** The store holds a state from which the answer goes on. */
  keepsState(id: string): boolean {
    return this.#nodes.get(id)?.entry.state !== undefined
  }

  /** The answer ends here, and goes on from what was kept. */
  leave(id: string): void {
    const node = this.#nodes.get(id)
    if (node) this.#ends(node)
  }

  /** The answer at the end that waits for a person, of a process that ended. */
  get waiting(): { id: string; waiting: Waiting } | undefined {
    const { entry, live } = this.#nodes.get(this.#head ?? '') ?? {}
    const waiting = entry?.state === undefined || live || this.busy ? undefined : readWaiting(entry.state)
    return entry && waiting ? { id: entry.id, waiting } : undefined
  }

  /** What a turn that waits needs to go on. */
  async goOnWaiting(id: string, { told }: Waiting, system: string | undefined): Promise<{ question: Entry; messages: ChatMessage[]; before: MessageView }> {
    const question = this.questionOf(id)
    return { question, messages: [...(await this.messages(question, system)), ...told], before: await this.message(id) }
  }

  /** The turn that waited goes on. */
  wakes(id: string, { told }: Waiting, message: Message): void {
    const node = this.#node(id)
    node.told = told.length > 0 ? told : undefined
    this.#goesOn(node, message)
    this.#options.onChange(this)
  }

  #keepBlobs(blobs: readonly StoredBlob[]): void {
    for (const { ref, bytes } of blobs) this.#blobs.set(ref, bytes)
  }

  #add(entry: Entry): void {
    this.#nodes.set(entry.id, { entry, depth: this.#depthOf(entry.parent), over: true, seq: 0 })
    this.#head = entry.id
    this.#unsaved.add(entry.id)
  }

  // -- branches -------------------------------------------------------------------------------------------------------------

  /** Shows the branch of another one of the entries that stand side by side with this one: what was said last on it. */
  choose(id: string, index: number): void {
    const siblings = this.#siblings(this.#node(id))
    const chosen = siblings[index]
    if (!chosen) throw refuse('argument', `found ${index}, expected a branch from 0 to ${siblings.length - 1}`, { path: 'index' })
    const beneath = new Set([chosen.entry.id])
    for (const { entry } of this.#nodes.values()) if (entry.parent !== null && beneath.has(entry.parent)) beneath.add(entry.id) // parents stand before
    this.#head = [...beneath].at(-1) as string // nothing follows the newest
    this.#headUnsaved = true
    this.#options.onChange(this)
    this.#save()
  }

  #siblings({ entry }: Node): Node[] {
    return this.#children(entry.parent).filter((other) => other.entry.role === entry.role)
  }

  #children(parent: string | null): Node[] {
    return [...this.#nodes.values()].filter(({ entry }) => entry.parent === parent)
  }

  #path(to: string | null): Node[] {
    const path: Node[] = []
    for (let node = this.#nodes.get(to ?? ''); node; node = this.#nodes.get(node.entry.parent ?? '')) path.push(node)
    return path.reverse()
  }

  #depthOf(parent: string | null): number {
    if (parent === null) return this.#forgotten
    const depth = this.#nodes.get(parent)?.depth
    return depth === undefined ? this.#forgotten : depth + 1
  }

  #node(id: string): Node {
    const node = this.#nodes.get(id)
    if (!node) throw refuse('not_found', 'there is no such entry; it may be too old')
    return node
  }

  // -- what goes away -------------------------------------------------------------------------------------------------------

  /** Drops an answer, and its question where nothing else answers it. Returns their ids. */
  forget(id: string): string[] {
    const node = this.#nodes.get(id)
    if (!node) return []
    const question = node.entry.parent ?? ''
    const gone = this.#children(question).length === 1 && this.#nodes.has(question) ? [question, id] : [id]
    this.#forgotten = node.depth + 1
    this.#drop(gone)
    if (this.#head !== null && gone.includes(this.#head)) this.#head = [...this.#nodes.keys()].at(-1) ?? null
    if (this.#head === null) this.#title = ''
    this.#options.onChange(this)
    return gone
  }

  /** The store deleted all of it, or an entry with what follows. */
  deleted(id?: string): void {
    const parent = id === undefined ? null : (this.#nodes.get(id)?.entry.parent ?? null)
    const gone = new Set(id === undefined ? this.#nodes.keys() : [id])
    for (const { entry } of this.#nodes.values()) if (entry.parent !== null && gone.has(entry.parent)) gone.add(entry.id) // parents stand before
    if (this.#head !== null && gone.has(this.#head)) this.#head = parent
    this.#drop([...gone])
    if (id === undefined) this.#forgetAll()
    this.#options.onChange(this)
  }

  /** Nothing of it is left to be saved: a save would make the conversation again. */
  #forgetAll(): void {
    this.#title = ''
    this.#headUnsaved = false
    this.#blobs.clear()
    this.#failures = 0
    this.#trouble = undefined
    clearTimeout(this.#again)
  }

  #drop(ids: readonly string[]): void {
    for (const id of ids) {
      this.#nodes.delete(id)
      this.#unsaved.delete(id)
    }
  }

  /** The store gave it another title. */
  renamed(title: string): void {
    this.#title = title || this.#firstLine
    this.#options.onChange(this)
  }

  // -- to the store ---------------------------------------------------------------------------------------------------------

  /** Saves what is not saved. Resolves when the store took it, or failed. */
  async saved(): Promise<void> {
    if (this.#unsaved.size > 0 || this.#headUnsaved) this.#save()
    await this.#saving
  }

  /** Nothing is saved any more. */
  close(): void {
    this.#closed = true
    clearTimeout(this.#again)
  }

  #save(): void {
    clearTimeout(this.#again)
    this.#saving ??= this.#write()
  }

  /** The disk may have room again, the server may be back: nobody has to say something for it. */
  #saveLater(): void {
    if (this.#closed) return
    const wait = Math.min(AGAIN_MS * 2 ** this.#failures++, AGAIN_MOST_MS)
    this.#again = setTimeout(() => this.#save(), wait).unref()
  }

  async #write(): Promise<void> {
    await null // with everything else that happens in this moment
    try {
      while (this.#unsaved.size > 0 || this.#headUnsaved) if (!(await this.#writeOnce())) return this.#saveLater()
    } finally {
      this.#saving = undefined
    }
  }

  async #writeOnce(): Promise<boolean> {
    const ids = [...this.#unsaved]
    const entries = ids.flatMap((id) => this.#nodes.get(id)?.entry ?? [])
    const head = this.#savedHead()
    const blobs = [...this.#blobs].map(([ref, bytes]) => ({ ref, bytes }))
    this.#unsaved.clear()
    this.#headUnsaved = false
    try {
      await this.#options.store.save(this.id, { entries, blobs, ...(head === null ? {} : { head }) })
      for (const { ref } of blobs) this.#blobs.delete(ref)
      this.#failures = 0
      this.#tell(undefined)
      return true
    } catch (error) {
      const since = [...this.#unsaved]
      this.#unsaved.clear()
      for (const id of [...ids, ...since]) if (this.#nodes.has(id)) this.#unsaved.add(id) // in their order: parents first
      this.#headUnsaved = true
      this.#options.onUnsaved(this.id, error)
      this.#tell(error)
      return false
    }
  }

  /** The store does not know an answer that goes on: its question is the head there. */
  #savedHead(): string | null {
    const head = this.#head === null ? undefined : this.#nodes.get(this.#head)
    return head && !head.over && !head.entry.message ? head.entry.parent : this.#head
  }

  #tell(error: unknown): void {
    const trouble = error === undefined ? undefined : troubleOf(error)
    if (trouble === this.#trouble) return
    this.#trouble = trouble
    this.#options.onChange(this)
  }
}

/** What an answer added for the model: of one that broke off at least the text that people saw. */
function historyOf({ history, message }: Entry): ChatMessage[] {
  if (history?.length) return history
  const content = message?.blocks.flatMap((block) => (block.type === 'text' && !block.retracted ? block.text : [])).join('\n\n') ?? ''
  return content.trim() === '' ? [] : [{ role: 'assistant', content }]
}

/** Leaves out the path: that is for the developer. */
function troubleOf(error: unknown): string {
  const { code, detail } = (error ?? {}) as { code?: unknown; detail?: unknown }
  return code === 'storage' && typeof detail === 'string' ? detail : 'the conversation could not be saved; the log of the app says why'
}
