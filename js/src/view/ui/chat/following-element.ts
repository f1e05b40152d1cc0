// An element that follows something of a client: from the moment it is in the page, anew when what it follows changes,
// until it leaves.
import type { PropertyDeclarations, PropertyValues } from 'lit'
import { SluiceElement } from '../shared/base-element.js'
import { chatText, type ChatStrings } from './chat-strings.js'
import type { ChatClient } from './chat-types.js'

export abstract class FollowingElement<Client = ChatClient> extends SluiceElement {
  static override properties: PropertyDeclarations = { client: { attribute: false } }

  declare client: Client | undefined

  #follows = false
  #off: (() => void) | undefined

  /** Properties that say what is followed. */
  protected readonly followed: readonly string[] = ['client', 'conversation']

  /** Begins. Returns what ends it; undefined where there is nothing to follow. */
  protected abstract enter(changed: PropertyValues): (() => void) | undefined

  /** Forgets what belongs to what was followed. Called at its end, and before each beginning. */
  protected leave(): void {}

  /** The strings of a chat, in the element's language. */
  protected get chat(): ChatStrings {
    return chatText(this.language)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#end()
  }

  #end(): void {
    this.#off?.()
    this.#off = undefined
    this.#follows = false
    this.leave()
  }

  override willUpdate(changed: PropertyValues): void {
    if (!this.isConnected || (this.#follows && !this.followed.some((name) => changed.has(name)))) return
    this.#end()
    this.#follows = true
    this.#off = this.enter(changed)
  }
}
