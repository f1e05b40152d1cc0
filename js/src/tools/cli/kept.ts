// Conversations kept on this computer: their folder, the one that a command continues, and what the command adds to it.
import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { escapeInvisible } from '../../app/bridge/invisible.js'
import { refsOf, withoutPictures } from '../../app/conversations/blobs.js'
import { messagesForModel } from '../../app/conversations/for-model.js'
import { pathToEntry } from '../../app/conversations/entry-tree.js'
import type { Conversations, ConversationEntry, StoredBlob } from '../../app/conversations/conversation-types.js'
import { textOf } from '../../app/conversations/words.js'
import type { ChatMessage } from '../../engine/core/events.js'
import type { RunResult } from '../../engine/core/run-options.js'
import { UsageError } from './command.js'

/** The folder in which this user's programs keep data. `what` names the command. */
export function dataFolder(
  what: string,
  { platform, env }: Pick<NodeJS.Process, 'platform' | 'env'> = process,
): string {
  const home = homedir()
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'sluice', what)
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'sluice', what)
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'sluice', what)
}

/** The lines of `--list`. */
export async function listed(store: Conversations): Promise<string[]> {
  const all = await store.list({ limit: 1000 })
  if (all.length === 0) return ['there is no conversation yet: --conversation NAME, or /save NAME in a chat, keeps one']
  return all.map(({ id, title, updated, entries, damaged }) => {
    const when = new Date(updated).toISOString().slice(0, 16).replace('T', ' ')
    return escapeInvisible(
      damaged === undefined ? `${when}  ${id}  (${entries})  ${title}` : `${id}: ${damaged}`,
    ).replace(/\s*\n\s*/g, ' ')
  })
}

/** The id of the conversation that changed last. */
export async function lastOf(store: Conversations): Promise<string> {
  const last = (await store.list()).find(({ damaged }) => damaged === undefined)
  if (!last) throw new UsageError('--resume: there is no conversation yet; --conversation NAME begins one')
  return last.id
}

/** The part of a result that the store keeps. */
type Answer = Pick<RunResult, 'message' | 'history'>

/**
 * One conversation while a command adds to it. A question or an answer in another version is a branch: the store keeps
 * both.
 */
export class Kept {
  readonly #store: Conversations
  /** Its name in the store. */
  readonly id: string
  #path: ConversationEntry[] = []
  /** Entries that could not be saved yet. */
  #left: ConversationEntry[] = []
  #blobs: StoredBlob[] = []
  #saving: Promise<unknown> = Promise.resolve()

  private constructor(store: Conversations, id: string) {
    this.#store = store
    this.id = id
  }

  static async open(store: Conversations, id: string): Promise<Kept> {
    const kept = new Kept(store, id)
    const loaded = await store.load(id)
    if (loaded) kept.#path = pathToEntry(loaded)
    return kept
  }

  /** The last exchange, printed at the start. Empty for a new conversation. */
  get lines(): string[] {
    if (this.#path.length === 0) return []
    const last = this.#path.slice(-2).map((entry) => `${entry.role === 'user' ? '> ' : ''}${textOf(entry).trim()}`)
    return [
      `This goes on with '${escapeInvisible(this.id)}', where ${this.#path.length} messages are; the last:`,
      ...last.map((text) => escapeInvisible(clip(text))),
    ]
  }

  get empty(): boolean {
    return this.#path.length === 0
  }

  /** A question behind all that was said. */
  ask(text: string): ConversationEntry {
    return { id: randomUUID(), parent: this.#path.at(-1)?.id ?? null, at: Date.now(), role: 'user', text }
  }

  /** The last question. Undefined: nothing was asked yet. */
  get last(): ConversationEntry | undefined {
    return this.#path.findLast(({ role }) => role === 'user')
  }

  /** The last question with another text. */
  instead(text: string): ConversationEntry {
    return { ...this.ask(text), parent: this.last?.parent ?? null }
  }

  /** The messages that ask a question: all that was said before it, and the question. */
  messages(question: ConversationEntry, system: string | undefined): Promise<ChatMessage[]> {
    return messagesForModel([...this.#before(question), question], {
      system,
      bytes: (ref) => this.#store.bytes(this.id, ref),
    })
  }

  /**
   * Saves a question with its answer, along with entries that could not be saved before. What is asked next follows it.
   * `id`: of the answer.
   */
  async add(question: ConversationEntry, id: string, answer: Answer): Promise<void> {
    const { known, entry, blobs } = this.#answered(question, id, answer)
    this.#path = [...this.#before(question), question, entry]
    this.#left.push(...(known ? [] : [question]), entry)
    this.#blobs.push(...blobs)
    await this.#save(async () => {
      await this.#store.save(this.id, { entries: this.#left, blobs: this.#blobs, head: id })
      this.#left = []
      this.#blobs = []
    })
  }

  /**
   * Saves a question with the answer so far. The next question does not follow it, and if `failed`, none of another
   * process does.
   */
  async soFar(question: ConversationEntry, id: string, answer: Answer, failed = false): Promise<void> {
    const { known, entry, blobs } = this.#answered(question, id, answer)
    await this.#save(() =>
      this.#store.save(this.id, {
        entries: [...this.#left, ...(known ? [] : [question]), entry],
        blobs: [...this.#blobs, ...blobs],
        head: (failed && this.#path.at(-1)?.id) || id,
      }),
    )
  }

  #answered(
    question: ConversationEntry,
    id: string,
    { message, history }: Answer,
  ): { known: boolean; entry: ConversationEntry; blobs: StoredBlob[] } {
    const known = this.#path.some((one) => one.id === question.id)
    return {
      known,
      ...withoutPictures({ id, parent: question.id, at: Date.now(), role: 'assistant', message, history }),
    }
  }

  /** Saves in order: a slow save must not overwrite a later one. */
  #save(act: () => Promise<void>): Promise<void> {
    const saving = this.#saving.then(act)
    this.#saving = saving.catch(() => {})
    return saving
  }

  /** Saves all of it under another name, and goes on there. Throws a UsageError if the name is taken. */
  async saveAs(store: Conversations, id: string): Promise<Kept> {
    if (await store.load(id)) throw new UsageError(`there is a conversation '${id}' already`)
    const copy = new Kept(store, id)
    copy.#path = [...this.#path]
    const blobs: StoredBlob[] = []
    for (const ref of refsOf(this.#path)) {
      const bytes = await this.#store.bytes(this.id, ref)
      if (bytes) blobs.push({ ref, bytes })
    }
    if (!this.empty) await store.save(id, { entries: copy.#path, blobs })
    return copy
  }

  #before({ parent }: ConversationEntry): ConversationEntry[] {
    return this.#path.slice(0, this.#path.findIndex(({ id }) => id === parent) + 1)
  }
}

const MAX_SHOWN = 600
const clip = (text: string): string =>
  text.length > MAX_SHOWN ? `… ${text.slice(-MAX_SHOWN).replace(/^[\uDC00-\uDFFF]/, '')}` : text
