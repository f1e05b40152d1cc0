// How each block of a message is drawn: text, thoughts, refusals, what does not count, calls and errors.
import { html, nothing, render } from 'lit'
import { isCommentary } from '../../../app/bridge/commentary.js'
import '../card/card-element.js'
import { errorTitle } from '../shared/ends.js'
import { duration } from '../shared/format.js'
import { icon } from '../shared/icons.js'
import { drawMade } from '../shared/late-file.js'
import { markInvisible } from '../shared/mark-invisible.js'
import { exported } from '../shared/parts.js'
import type { ActionOptions } from '../text/action-options.js'
import { actions } from '../text/actions.js'
import { StreamText } from '../text/stream-text.js'
import type { Strings } from '../shared/ui-strings.js'
import type { TextRun } from './text-runs.js'
import { TextBox, type TextContext } from '../text/text-box.js'
import type { ApprovalsMode, QuestionView, BlockView, CardView, MessageSource } from '../ui-types.js'

/** What all blocks depend on. A new object means that all of them are checked. */
export interface BlockContext extends TextContext {
  message: MessageSource | undefined
  approvals: ApprovalsMode
  /** Open questions that cards show, by call. */
  asks: ReadonlyMap<number, QuestionView>
  /** Calls without text between them are one line. */
  folds: boolean
  /** There are many questions: draw them in rows. */
  compact: boolean
  /** `armMs` of the questions. */
  armMs: number
  name: string | undefined
  /** The message has ended. */
  still: boolean
  /** There was text when it ended: what failed broke it off. */
  begun: boolean
}

/** What tells one view from another: a block whose look changes gets another one. */
export type Look = BlockView['type'] | 'refusal' | 'fabricated' | 'retracted' | 'commentary'

export function lookOf(block: BlockView): Look {
  if (block.type !== 'text') return block.type
  return block.retracted
    ? 'retracted'
    : block.refusal
      ? 'refusal'
      : block.fabricated
        ? 'fabricated'
        : isCommentary(block)
          ? 'commentary'
          : 'text'
}

/** A block in the page. */
export interface View {
  readonly look: Look
  readonly element: HTMLElement
  update(block: BlockView, context: BlockContext, last: boolean): void
  /** Takes away what it put elsewhere. */
  remove?(): void
}

/** `at`: which block of the message it is. */
export function makeView(look: Look, at: number): View {
  switch (look) {
    case 'reasoning':
    case 'fabricated':
    case 'retracted':
    case 'commentary':
      return new FoldedView(look, at)
    case 'refusal':
      return new RefusalView(at)
    case 'tool_use':
      return new CallView()
    case 'error':
      return new ErrorView()
    case 'media':
      return new MediaView()
    default:
      return new TextView(at)
  }
}

type MediaBlockView = Extract<BlockView, { type: 'media' }>

/** Its links are followed after a question. */
function acting<E extends HTMLElement>(
  element: E,
  { part }: { part: string },
  options: () => ActionOptions | undefined,
): E {
  element.className = part
  element.setAttribute('part', part)
  actions(element, options as () => ActionOptions)
  return element
}

class TextView implements View {
  readonly look = 'text'
  readonly #text: TextBox
  readonly element: HTMLElement
  #sources: HTMLElement | undefined
  #context: BlockContext | undefined

  constructor(at: number) {
    this.#text = new TextBox(at)
    this.element = this.#text.element
  }

  update(block: BlockView, context: BlockContext, last: boolean): void {
    const { text, cues, sources } = block as TextRun
    this.#text.set(text, last && !context.still, context, cues)
    this.#context = context
    if (sources || this.#sources) this.#cite(sources, context)
  }

  /** The sources are a list after the text. */
  #cite(sources: unknown, { host, words }: BlockContext): void {
    const list = (this.#sources ??= acting(document.createElement('ol'), { part: 'sources' }, () => this.#context))
    if (this.element.nextSibling !== list) this.element.after(list)
    void drawMade('drawSources', list, host.shadowRoot, sources, words)
  }

  remove(): void {
    this.#text.remove()
    this.#sources?.remove()
  }
}

class RefusalView implements View {
  readonly look = 'refusal'
  readonly element = document.createElement('div')
  readonly #label = document.createElement('p')
  readonly #text: TextView

  constructor(at: number) {
    this.#text = new TextView(at)
    this.element.className = 'refusal'
    this.element.setAttribute('part', 'refusal')
    this.#label.className = 'label'
    this.element.append(this.#label, this.#text.element)
  }

  update(block: BlockView, context: BlockContext, last: boolean): void {
    this.#text.update(block, context, last)
    this.element.hidden = this.#text.element.hidden
    write(this.#label, context.words.refusal)
  }

  remove(): void {
    this.#text.remove()
  }
}

/**
 * Text beside the answer, drawn from when a person opens it: thoughts and comments typeset like an answer, text that
 * does not count as it came.
 */
class FoldedView implements View {
  readonly element = document.createElement('details')
  readonly #label = document.createElement('span')
  readonly #text: TextBox | StreamText
  #draw = (): void => {}

  constructor(
    readonly look: 'reasoning' | 'fabricated' | 'retracted' | 'commentary',
    at: number,
  ) {
    this.#text = look === 'reasoning' || look === 'commentary' ? new TextBox(at) : new StreamText()
    const { element } = this.#text
    element.classList.add('thoughts')
    element.setAttribute('part', `${look}-text`)
    this.element.className = `folded ${look}`
    this.element.setAttribute('part', look)
    const summary = document.createElement('summary')
    const picture = document.createElement('span')
    render(icon(look === 'reasoning' ? 'thought' : look === 'commentary' ? 'pencil' : 'warning'), picture)
    const chevron = document.createElement('span')
    chevron.className = 'chevron'
    render(icon('chevron'), chevron)
    summary.append(picture, this.#label, chevron)
    this.element.append(summary, element)
    this.element.addEventListener('toggle', () => this.#draw())
  }

  update(block: BlockView, context: BlockContext, last: boolean): void {
    const { text, ms } = block as Extract<BlockView, { text: string }>
    const { words, still } = context
    const going = last && !still && this.#text instanceof TextBox
    this.element.hidden = text.trim() === '' && !going
    this.element.classList.toggle('going', going)
    write(
      this.#label,
      this.look !== 'reasoning'
        ? words[this.look]
        : going
          ? words.thinking
          : ms !== undefined && ms >= 950
            ? words.thoughtFor(whole(ms, words))
            : words.thought,
    )
    this.#draw = () => this.element.open && this.#text.set(text, going, { ...context, renderText: undefined })
    this.#draw()
  }
}

const whole = (ms: number, words: Strings): string =>
  ms < 59_500 ? words.seconds(String(Math.round(ms / 1000))) : duration(ms, words)

function write(label: HTMLElement, text: string): void {
  if (label.textContent !== text) label.textContent = text
}

class CallView implements View {
  readonly look = 'tool_use'
  readonly element = document.createElement('sluice-card')

  constructor() {
    this.element.setAttribute('part', 'tool')
    this.element.setAttribute('exportparts', exported.card)
  }

  update(block: BlockView, { message, approvals, asks, compact, armMs, name, still }: BlockContext): void {
    const card = block as CardView
    Object.assign(this.element, {
      card,
      message,
      approvals,
      compact,
      armMs,
      name,
      still,
      asks,
      ask: asks.get(card.call),
    })
  }
}

class MediaView implements View {
  readonly look = 'media'
  readonly element = acting(document.createElement('div'), { part: 'media' }, () => this.#context)
  #context: BlockContext | undefined

  update(block: BlockView, context: BlockContext): void {
    this.#context = context
    void drawMade('drawMedia', this.element, context.host.shadowRoot, (block as MediaBlockView).parts, context.words)
  }
}

class ErrorView implements View {
  readonly look = 'error'
  readonly element = document.createElement('div')

  constructor() {
    this.element.className = 'error'
    this.element.setAttribute('part', 'error')
    this.element.setAttribute('role', 'group')
  }

  update(block: BlockView, { words, still, begun }: BlockContext): void {
    const { code, detail, hint: given } = block as Extract<BlockView, { type: 'error' }>
    const hint = Object.hasOwn(words.hints, code) ? words.hints[code] : given // words for people, if there are any
    const title = errorTitle(code, still && begun, words)
    this.element.setAttribute('aria-label', title)
    render(
      html`${icon('warning')}<div>
      <p class="title">${title} <code class="code">${markInvisible(code.slice(0, 100))}</code></p>
      <p class="detail" dir="auto">${markInvisible(detail.slice(0, 4000))}</p>
      ${hint ? html`<p class="hint" part="hint"><b>${words.hint}:</b> <bdi>${markInvisible(hint.slice(0, 2000))}</bdi></p>` : nothing}
    </div>`,
      this.element,
    )
  }
}
