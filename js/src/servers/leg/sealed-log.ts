// A stream log whose chunks only the app can read, for one that lies where others can: in Redis, in Postgres.
import { SluiceError } from '../../engine/core/errors.js'
import { withMethods } from '../../engine/core/options.js'
import { checkKeys, Sealing } from './sealing.js'
import type { LoggedChunks, StreamLog } from './stream-log.js'

/**
 * Seals what is told of answers by AES-256-GCM before `log` gets it. A chunk opens in its answer and at its place
 * alone: who can write the log, but has no key, can at most end it early. `read` throws SluiceError `storage` where a
 * chunk cannot be opened.
 *
 * @param key 32 bytes; of several the first one seals, all of them open
 * @throws SluiceError `option` where an argument is wrong
 */
export function encryptedLog(log: StreamLog, key: Uint8Array | readonly Uint8Array[]): StreamLog {
  withMethods('a stream log such as redisLog(client)', 'append', 'end', 'read')(log, 'log')
  checkKeys(key, 'key')
  return new SealedLog(log, new Sealing(key))
}

class SealedLog implements StreamLog {
  readonly begin?: StreamLog['begin']
  readonly #log: StreamLog
  readonly #sealing: Sealing
  /** How many chunks the log that is written here has. */
  readonly #written = new Map<string, { logNumber: number; count: number }>()

  constructor(log: StreamLog, sealing: Sealing) {
    this.#log = log
    this.#sealing = sealing
    if (log.begin) this.begin = (id, least) => log.begin?.(id, least) ?? least
  }

  async append(id: string, logNumber: number, chunks: readonly string[]): Promise<void> {
    let written = this.#written.get(id)
    if (written?.logNumber !== logNumber) this.#written.set(id, (written = { logNumber, count: 0 }))
    const from = written.count
    written.count += chunks.length
    try {
      await this.#log.append(
        id,
        logNumber,
        chunks.map((chunk, at) => this.#sealing.seal(placeOf(id, logNumber, from + at), chunk)),
      )
    } catch (error) {
      this.#forget(id, logNumber)
      throw error
    }
  }

  async end(id: string, logNumber: number): Promise<void> {
    this.#forget(id, logNumber)
    await this.#log.end(id, logNumber)
  }

  /** No generator: one that waits could not leave. */
  read(id: string): AsyncIterableIterator<LoggedChunks, void, undefined> {
    const items = this.#log.read(id)[Symbol.asyncIterator]()
    let [now, at] = [-1, 0]
    return {
      next: async () => {
        const { done, value } = await items.next()
        if (done) return { done, value: undefined }
        const { logNumber, chunks } = value
        if (logNumber !== now) [now, at] = [logNumber, 0]
        return { value: { logNumber, chunks: chunks.map((chunk) => this.#open(id, logNumber, at++, chunk)) } }
      },
      return: async () => {
        await items.return?.()
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  #open(id: string, logNumber: number, at: number, chunk: string): string {
    const opened = this.#sealing.open(placeOf(id, logNumber, at), chunk)
    if ('text' in opened) return opened.text
    throw new SluiceError({
      code: 'storage',
      path: id,
      detail: `what was told of the answer cannot be read: ${opened.why}`,
      hint: opened.hint,
    })
  }

  #forget(id: string, logNumber: number): void {
    if (this.#written.get(id)?.logNumber === logNumber) this.#written.delete(id)
  }
}

const placeOf = (id: string, logNumber: number, at: number): string => `chunk ${at} of log ${logNumber}\n${id}`
