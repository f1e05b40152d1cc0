// Conversations kept on this computer: their folder, the one that a command continues, and what the command adds to it.
import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { escapeInvisible } from '../bridge/invisible.js'
import { withoutPictures } from '../conversations/blobs.js'
import { messagesOf } from '../conversations/for-model.js'
import { pathOf } from '../conversations/tree.js'
import type { Conversations, Entry, StoredBlob } from '../conversations/types.js'
import { textOf } from '../conversations/words.js'
import type { ChatMessage } from '../core/events.js'
import type { RunResult } from '../core/run-options.js'
import { UsageError } from './command.js'

/** The folder in which this user's programs keep data. `what` names the command. */
export function dataFolder(what: string, { platform, env }: Pick<NodeJS.Process, 'platform' | 'env'> = process): string {
  const home = homedir()
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'sluice', what)
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'sluice', what)
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'sluice', what)
}

/** The lines of `--list`. */
export async function listed(store: Conversations): Promise<string[]> {
  const all = await store.list({ limit: 1000 })
  if (all.length === 0) return ['there is no conversation yet: --conversation NAME begins one']
  return all.map(({ id, title, updated, entries, damaged }) => {
    const when = new Date(updated).toISOString().slice(0, 16).replace('T', ' ')
    return escapeInvisible(damaged === undefined ? `${when}  ${id}  (${entries})  ${title}` : `${id}: ${damaged}`).replace(/\s*\n\s*/g, ' ')
  })
}

/** The id of the conversation that changed last. */
export async function lastOf(store: Conversations): Promise<string> {
  const last = (await store.list()).find(({ damaged }) => damaged === undefined)
  if (!last) throw new UsageError('--resume: there is no conversation yet; --conversation NAME begins one')
  return last.id
}

/** One conversation while a command adds to it. */
export class Kept {
  readonly #store: Conversations
  readonly #id: string
  #path: Entry[] = []
  /** Entries that could not be saved yet. */
  #left: Entry[] = []
  #blobs: StoredBlob[] = []

  private constructor(store: Conversations, id: string) {
    this.#store = store
    this.#id = id
  }

  static async open(store: Conversations, id: string): Promise<Kept> {
    const kept = new Kept(store, id)
    const loaded = await store.load(id)
    if (loaded) kept.#path = pathOf(loaded)
    return kept
  }

  /** The last exchange, printed at the start. Empty for a new conversation. */
  get lines(): string[] {
    if (this.#path.length === 0) return []
    const last = this.#path.slice(-2).map((entry) => `${entry.role === 'user' ? '> ' : ''}${textOf(entry).trim()}`)
    return [`This goes on with '${escapeInvisible(this.#id)}', where ${this.#path.length} messages are; the last:`, ...last.map((text) => escapeInvisible(clip(text)))]
  }

  messages(system: string | undefined): Promise<ChatMessage[]> {
    return messagesOf(this.#path, { system, bytes: (ref) => this.#store.bytes(this.#id, ref) })
  }

  /** Saves a question with its answer, along with entries that could not be saved before. */
  async add(text: string, { message, history }: Pick<RunResult, 'message' | 'history'>): Promise<void> {
    const question: Entry = { id: randomUUID(), parent: this.#path.at(-1)?.id ?? null, at: Date.now(), role: 'user', text }
    const answer = withoutPictures({ id: randomUUID(), parent: question.id, at: Date.now(), role: 'assistant', message, history })
    this.#path.push(question, answer.entry)
    this.#left.push(question, answer.entry)
    this.#blobs.push(...answer.blobs)
    await this.#store.save(this.#id, { entries: this.#left, blobs: this.#blobs })
    this.#left = []
    this.#blobs = []
  }
}

const MAX_SHOWN = 600
const clip = (text: string): string => (text.length > MAX_SHOWN ? `… ${text.slice(-MAX_SHOWN).replace(/^[\uDC00-\uDFFF]/, '')}` : text)
