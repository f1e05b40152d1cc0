// A stream log whose chunks only the app can read, for a log that others can read too: in Redis, in Postgres.
import { checkEncryption, TextCipher, type Encryption } from '../../engine/core/encryption.js'
import { withMethods } from '../../engine/core/options.js'
import type { LoggedChunks, StreamLog } from './stream-log.js'

/**
 * Encrypts the chunks of answers before `log` gets them. A chunk is decrypted in its answer and at its index alone:
 * whoever can write the log, but has no key, can only end it early. `read` throws SluiceError `storage` for a chunk that
 * cannot be decrypted.
 *
 * @throws SluiceError `option` if an argument is wrong, `unsupported` for a key in a page
 */
export function encryptedLog(log: StreamLog, encryption: Encryption): StreamLog {
  withMethods('a stream log such as redisLog(client)', 'append', 'end', 'read')(log, 'log')
  checkEncryption(encryption, 'encryption')
  return logWith(log, encryption)
}

/** The same of checked arguments. Without an encryption, encrypted chunks are refused and all others pass. */
export const logWith = (log: StreamLog, encryption: Encryption | undefined): StreamLog =>
  new EncryptedLog(log, new TextCipher(encryption, 'log'))

/** A log that is written here. */
interface Written {
  logNumber: number
  /** How many chunks it has. */
  count: number
  /** The last append: chunks reach the log in their order, however long each encryption takes. */
  last: Promise<void>
}

class EncryptedLog implements StreamLog {
  readonly begin?: StreamLog['begin']
  readonly #log: StreamLog
  readonly #cipher: TextCipher
  readonly #written = new Map<string, Written>()

  constructor(log: StreamLog, cipher: TextCipher) {
    this.#log = log
    this.#cipher = cipher
    if (log.begin) this.begin = (id, least) => log.begin?.(id, least) ?? least
  }

  async append(id: string, logNumber: number, chunks: readonly string[]): Promise<void> {
    let written = this.#written.get(id)
    if (written?.logNumber !== logNumber)
      this.#written.set(id, (written = { logNumber, count: 0, last: Promise.resolve() }))
    const from = written.count
    written.count += chunks.length
    const encrypted = Promise.all(
      chunks.map((chunk, at) => this.#cipher.encrypt(chunk, [id, logNumber, from + at], 'a chunk of the answer')),
    )
    encrypted.catch(() => {}) // the append before it may fail first
    written.last = written.last.then(async () => await this.#log.append(id, logNumber, await encrypted))
    try {
      await written.last
    } catch (error) {
      this.#forget(id, logNumber)
      throw error
    }
  }

  async end(id: string, logNumber: number): Promise<void> {
    await this.#forget(id, logNumber)?.last.catch(() => {})
    await this.#log.end(id, logNumber)
  }

  /** Not a generator: one that waits could not leave. */
  read(id: string): AsyncIterableIterator<LoggedChunks, void, undefined> {
    const items = this.#log.read(id)[Symbol.asyncIterator]()
    let [now, next] = [-1, 0]
    return {
      next: async () => {
        const { done, value } = await items.next()
        if (done) return { done, value: undefined }
        const { logNumber, chunks } = value
        if (logNumber !== now) [now, next] = [logNumber, 0]
        const from = next
        next += chunks.length
        const decrypted = chunks.map((chunk, at) =>
          this.#cipher.decrypt(chunk, [id, logNumber, from + at], 'a chunk of the answer'),
        )
        return { value: { logNumber, chunks: await Promise.all(decrypted) } }
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

  #forget(id: string, logNumber: number): Written | undefined {
    const written = this.#written.get(id)
    if (written?.logNumber !== logNumber) return undefined
    this.#written.delete(id)
    return written
  }
}
