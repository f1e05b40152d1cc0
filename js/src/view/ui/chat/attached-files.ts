// The files of a question: a chip for each, with its name and size. One that can be saved is a button.
import { html, nothing, type TemplateResult } from 'lit'
import { withoutOverrides } from '../../../app/bridge/overrides.js'
import type { AttachedFile, EntryPart } from '../../../app/bridge/messages.js'
import { icon } from '../shared/icons.js'
import type { ChatStrings } from './chat-strings.js'
import type { ChatConversation } from './chat-types.js'

export class AttachedFiles {
  /** Addresses of files that are gone. */
  readonly #lost = new Set<string>()

  constructor(private readonly changed: () => void) {}

  draw(
    parts: readonly EntryPart[],
    chat: ChatStrings,
    conversation: ChatConversation | undefined,
  ): TemplateResult | typeof nothing {
    const files = parts.filter((part) => part.type === 'file')
    if (files.length === 0) return nothing
    return html`<ul class="files" aria-label=${chat.attached}>${files.map((file) => html`<li>${this.#chip(file, chat, conversation)}</li>`)}</ul>`
  }

  #chip(file: AttachedFile, chat: ChatStrings, conversation: ChatConversation | undefined): TemplateResult {
    const name = withoutOverrides(file.name)
    if (this.#lost.has(file.url)) return html`<span class="lost" role="alert">${chat.lostFile(name)}</span>`
    const size = chat.bytes(file.bytes)
    const shown = html`${icon('file')}<bdi class="name">${name}</bdi><span class="size">${size}</span>`
    if (!conversation?.file) return html`<span class="file" title=${name}>${shown}</span>`
    const label = chat.saveFile(name, size)
    return html`<button type="button" class="file" title=${label} aria-label=${label} @click=${() => void this.#save(file, conversation)}>${shown}</button>`
  }

  async #save(file: AttachedFile, conversation: ChatConversation): Promise<void> {
    try {
      const bytes = await conversation.file?.(file)
      // never shown by the page, whatever it is
      const url = URL.createObjectURL(new Blob([bytes as BlobPart], { type: 'application/octet-stream' }))
      Object.assign(document.createElement('a'), { href: url, download: file.name }).click()
      setTimeout(() => URL.revokeObjectURL(url), 60_000)
    } catch {
      this.#lost.add(file.url)
      this.changed()
    }
  }
}
