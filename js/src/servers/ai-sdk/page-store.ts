// A store of `chatHandler` for servers that keep nothing: the page keeps each conversation, encrypted.
import { checkEncryption, TextCipher, type Encryption } from '../../engine/core/encryption.js'
import { SluiceError } from '../../engine/core/errors.js'
import { func, members, whole } from '../../engine/core/options.js'
import { isReadOnly, type Tool } from '../../engine/core/tool.js'
import { EncryptedChat } from './encrypted-chat.js'
import { PageStore, type Keeping, type Running } from './keeping.js'
import type { Posted } from './posted-chat.js'
import type { Spend } from './spend.js'

/** What `pageStore` takes. */
export interface PageStoreOptions {
  /** Encrypts what the page keeps. All processes that answer requests need the same keys. */
  encryption: Encryption
  /**
   * Notes each approval that was used. A page that sends an old request again then gets 409, and the call does not run
   * twice. `memorySpend()` serves one process; several processes need a list of yours. Without `spend`, every tool of
   * the engine must be read-only (`annotations.readOnlyHint`) or `idempotent`.
   */
  spend?: Spend
  /**
   * Milliseconds in which a question, or a call of the page, can be answered, unless the run has an `approvalTimeoutMs`
   * of its own. Default 86,400,000: a day.
   */
  approvalTimeoutMs?: number
}

const checkOptions = members({
  members: {
    encryption: checkEncryption,
    spend: func('(key, expiresAt) => true | false'),
    approvalTimeoutMs: whole(1),
  } satisfies { [member in keyof Required<PageStoreOptions>]: unknown },
  needs: ['encryption'],
})

/**
 * A `store` of `chatHandler` for servers that keep nothing. The metadata of each answer has what the model reads of it,
 * or the state in which it waits, encrypted; the page sends it back with the next request. The page can neither read nor
 * change it, nor use it in another conversation. It can send an old request again: `spend` refuses that. Without
 * `spend`, a tool must do nothing a second time for the same `context.key`.
 * @throws SluiceError `option` if an option is wrong or a key is too short.
 */
export function pageStore(options: PageStoreOptions): PageStore {
  checkOptions(options, 'options')
  return new EncryptedStore(new TextCipher(options.encryption, 'page'), options)
}

class EncryptedStore extends PageStore {
  readonly #cipher: TextCipher
  readonly #options: PageStoreOptions

  constructor(cipher: TextCipher, options: PageStoreOptions) {
    super()
    this.#cipher = cipher
    this.#options = options
  }

  /** @internal */
  checkTools(tools: readonly Tool[]): void {
    const risky = this.#options.spend
      ? undefined
      : tools.find((tool) => !isReadOnly(tool) && tool.declaration['idempotent'] !== true)
    if (!risky) return
    throw new SluiceError({
      code: 'option',
      path: 'options.store',
      detail: `found pageStore({ encryption }) without \`spend\` and the tool ${risky.name}, expected pageStore({ encryption, spend }), or tools with \`idempotent: true\` or \`annotations.readOnlyHint: true\` alone`,
      hint: 'give `spend: memorySpend()` where one process answers all requests, else a list that the processes share',
    })
  }

  /** @internal */
  async open(posted: Posted, running: Running): Promise<Keeping> {
    this.checkTools(running.engine.tools) // one may have been added
    return await EncryptedChat.read(this.#cipher, this.#options, posted, running)
  }
}
