// Addresses of texts, opened outside of the page. What a person agreed to holds for every window, as long as the app
// runs. That they did is the window's word: it spares later questions, and gives no right. A window that may have
// addresses opened needs nobody's word for it.
import { refuse } from './checks.js'

/** Of more hosts than this the one that was agreed to first is asked about again. */
const MAX_AGREED = 1000

export class Links {
  readonly #openExternal: ((url: string) => unknown) | undefined
  readonly #agreed = new Set<string>()

  constructor(openExternal: ((url: string) => unknown) | undefined) {
    this.#openExternal = openExternal
  }

  /** Opens it. `agreed`: a person was asked about it. */
  async open(address: string, agreed = false): Promise<void> {
    const url = this.#check(address)
    await this.#openExternal?.(url.href)
    if (!agreed) return
    this.#agreed.add(keyOf(url))
    const [oldest] = this.#agreed
    if (this.#agreed.size > MAX_AGREED && oldest !== undefined) this.#agreed.delete(oldest)
  }

  /** Opens it where a person agreed to its host before. */
  async openKnown(address: string): Promise<boolean> {
    const url = this.#check(address)
    if (!this.#agreed.has(keyOf(url))) return false
    await this.#openExternal?.(url.href)
    return true
  }

  /**
   * Addresses that a browser or a mail program opens, and no others: what the page asks for may be the model's words.
   */
  #check(address: string): URL {
    if (!this.#openExternal) throw refuse('unsupported', 'this app opens no addresses')
    if (!URL.canParse(address) || !['http:', 'https:', 'mailto:'].includes(new URL(address).protocol)) {
      throw refuse('argument', 'expected an address with http, https or mailto', { path: 'url' })
    }
    return new URL(address)
  }
}

/** What is agreed to: a host with its port, or whom a mail goes to. */
const keyOf = ({ protocol, host, pathname }: URL): string => (host ? `${protocol}//${host}` : protocol + pathname)
