// What goes with a message, and what waits: a chip for each, with a button that takes it away.
import { html, nothing, type TemplateResult } from 'lit'
import { icon } from '../shared/icons.js'
import type { Draft } from './draft-field.js'
import type { ChatStrings } from './chat-strings.js'
import type { Attachment } from './chat-types.js'

/** So much of a name stands on a chip. */
const NAME = 60

export function queueChips(
  queue: readonly Draft[],
  chat: ChatStrings,
  away: (draft: Draft) => void,
): TemplateResult | typeof nothing {
  if (queue.length === 0) return nothing
  return html`<ul class="chips" part="queue" aria-label=${chat.queued}>${queue.map((draft) => {
    const name = (draft.text.trim() || chat.attached).slice(0, NAME)
    return html`<li class="chip" part="chip">${icon('clock')}<bdi class="name">${name}</bdi>${awayButton(name, chat, () => away(draft))}</li>`
  })}</ul>`
}

export class AttachmentChips {
  /** Addresses of the pictures. */
  readonly #previews = new Map<Attachment, string>()

  /** Also lets go of what is no longer there. */
  draw(
    attachments: readonly Attachment[],
    chat: ChatStrings,
    away: (attachment: Attachment) => void,
  ): TemplateResult | typeof nothing {
    for (const one of this.#previews.keys()) if (!attachments.includes(one)) this.#forget(one)
    if (attachments.length === 0) return nothing
    return html`<ul class="chips" aria-label=${chat.attached}>${attachments.map((one) => {
      const size = chat.bytes(one.bytes.length)
      const name = one.name || (one.mediaType === 'text/plain' ? chat.pasted(size) : chat.picture)
      const picture = one.mediaType.startsWith('image/')
      return html`<li class=${picture ? 'picture' : 'chip'} part="chip">
        ${picture ? html`<img alt=${name} title=${name} src=${this.#preview(one)}>` : html`${icon('file')}<bdi class="name">${one.name ? `${name.slice(0, NAME)} · ${size}` : name}</bdi>`}
        ${awayButton(name.slice(0, NAME), chat, () => away(one))}</li>`
    })}</ul>`
  }

  clear(): void {
    for (const one of this.#previews.keys()) this.#forget(one)
  }

  #preview(attachment: Attachment): string {
    if (attachment.preview) return attachment.preview
    const known =
      this.#previews.get(attachment) ??
      URL.createObjectURL(new Blob([attachment.bytes as BlobPart], { type: attachment.mediaType }))
    this.#previews.set(attachment, known)
    return known
  }

  #forget(attachment: Attachment): void {
    URL.revokeObjectURL(this.#previews.get(attachment) as string)
    this.#previews.delete(attachment)
  }
}

function awayButton(name: string, chat: ChatStrings, act: () => void): TemplateResult {
  const label = chat.remove(name)
  return html`<button type="button" class="away" title=${label} aria-label=${label} @click=${act}>${icon('cross')}</button>`
}
