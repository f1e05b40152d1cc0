// A call in a text that nobody waits for, such as an expression: a small picture in the margin of its line, so that it
// cuts no sentence.
import { render } from 'lit'
import { icon, iconFor } from '../shared/icons.js'
import { escapeInvisible } from '../shared/mark-invisible.js'
import { plain } from '../../../app/bridge/question.js'
import type { Strings } from '../shared/ui-strings.js'
import type { CardView } from '../ui-types.js'
import type { OwnView } from './patch.js'
import type { Own } from './text-tree.js'

export class CueView implements OwnView {
  readonly element = document.createElement('span')
  #index = 0

  constructor(
    private readonly cards: () => readonly CardView[],
    private readonly words: Strings,
  ) {
    this.element.className = 'cue'
    this.element.setAttribute('part', 'cue')
    this.element.setAttribute('role', 'img')
  }

  update(own: Own): void {
    this.#index = (own as Extract<Own, { own: 'cue' }>).index
    this.draw()
  }

  /** Draws the call as it now is. */
  draw(): void {
    const card = this.cards()[this.#index]
    if (!card) return
    const name = card.name ?? card.askedName ?? this.words.aCall
    const values = Object.values(card.arguments ?? {})
      .map((value) => plain(value))
      .join(', ')
    const failed = card.status !== undefined && !['success', 'executing', 'pending', 'streaming'].includes(card.status)
    const why = card.error ?? card.notice
    const text =
      escapeInvisible(`${values || name}`.slice(0, 100)) +
      (failed ? `: ${this.words.status[card.status as 'error'] ?? card.status}` : '') +
      (why ? `: ${escapeInvisible(why.slice(0, 200))}` : '')
    this.element.classList.toggle('failed', failed)
    this.element.setAttribute('aria-label', `${escapeInvisible(name.slice(0, 100))}: ${text}`)
    this.element.title = text
    render(icon(iconFor(name, card.tags)), this.element)
  }
}
