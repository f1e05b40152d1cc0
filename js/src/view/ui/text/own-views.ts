// Makes the parts of a text that look after their own nodes.
import { StreamText } from './stream-text.js'
import type { Strings } from '../shared/ui-strings.js'
import { CodeView } from './code-view.js'
import { CueView } from './cue-view.js'
import { mathRenderer } from './math-renderer.js'
import type { CardView } from '../ui-types.js'
import type { MakeOwn, OwnView } from './patch.js'
import type { Own } from './text-tree.js'

export function ownViews(
  words: Strings,
  codeChanged: (view: CodeView) => void,
  made: (cue: CueView) => void,
  cards: () => readonly CardView[],
): MakeOwn {
  return (own) => {
    switch (own.own) {
      case 'code':
        return new CodeView(words, codeChanged)
      case 'plain':
        return new PlainView()
      case 'cue': {
        const view = new CueView(cards, words)
        made(view)
        return view
      }
      case 'math':
        return new MathView()
    }
  }
}

/** A block that is too large to be read as Markdown. */
class PlainView implements OwnView {
  readonly #text = new StreamText()
  readonly element = this.#text.element

  constructor() {
    this.element.className = 'plain'
    this.element.setAttribute('part', 'text')
  }

  update(own: Own): void {
    this.#text.set((own as Extract<Own, { own: 'plain' }>).text)
  }
}

/** Maths, or the text as it was written where it cannot be drawn. */
class MathView implements OwnView {
  readonly element = document.createElement('span')
  #shown = ''

  update(own: Own): void {
    const { tex, written, display } = own as Extract<Own, { own: 'math' }>
    if (written === this.#shown) return
    this.#shown = written
    this.element.className = display ? 'math display' : 'math'
    try {
      this.element.replaceChildren((mathRenderer() as NonNullable<ReturnType<typeof mathRenderer>>)(tex, display))
    } catch {
      this.element.replaceChildren(written)
    }
  }
}
