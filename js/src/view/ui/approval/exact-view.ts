// What a question shows of what would be done, line by line, and what of it is left out or can be seen by nobody.
import { html, nothing, type LitElement, type TemplateResult } from 'lit'
import { isAbout, questionLines, type Line, type Picture, type QuestionRequest } from '../../../app/bridge/question.js'
import type { ResultPart } from '../../../engine/core/events.js'
import { count } from '../shared/format.js'
import { imageSource } from '../shared/images.js'
import { QuestionView } from './question-view.js'
import type { Strings } from '../shared/ui-strings.js'

/** What the lines depend on beside the question. */
interface Look {
  words: Strings
  lang: string
  name: string | undefined
  /** Without what the tool says about itself. */
  folded: boolean
}

export class ExactView {
  /** How many characters nobody can see, */
  unseen = 0
  /** and what is left out until the person asks for it. */
  cut: readonly string[] = []
  readonly #lines = new QuestionView((what) => this.#showWhole(what))
  #whole: ReadonlySet<string> = new Set()
  /** Pictures that the browser cannot draw. */
  #broken: ReadonlySet<string> = new Set()
  #drawn: { from: readonly unknown[]; lines: readonly Line[] } | undefined

  constructor(private readonly host: LitElement) {}

  /** The lines between head and buttons. */
  get element(): HTMLElement {
    return this.#lines.element
  }

  /** What has to be in view before anything is allowed. */
  get pieces(): HTMLElement[] {
    return [...this.#lines.pieces, ...this.#images.filter(isLoaded)]
  }

  /** Every picture is drawn. */
  get loaded(): boolean {
    return this.#images.every(isLoaded)
  }

  get #images(): HTMLImageElement[] {
    return [...this.host.renderRoot.querySelectorAll('img')]
  }

  /** Keeps nothing: another question comes. */
  forget(): void {
    this.#whole = new Set()
    this.#broken = new Set()
    this.#lines.clear()
  }

  /** Draws what changed. Returns all lines, those of the head, too. */
  draw(request: QuestionRequest, { words, lang, name, folded }: Look): readonly Line[] {
    const from = [...Object.entries(request).flat(), words, lang, name, folded, this.#whole, this.#broken]
    if (this.#drawn?.from.length === from.length && from.every((one, at) => one === this.#drawn?.from[at]))
      return this.#drawn.lines
    const all = questionLines(request, words, {
      lang,
      name,
      whole: this.#whole,
      draws: (picture) => this.#source(picture) !== undefined,
    })
    const lines = folded ? all.filter((line) => !isAbout(line)) : all
    this.unseen = lines.reduce((sum, { more = 0, show }) => sum + (show ? 0 : more), 0)
    this.cut = lines.flatMap(({ show }) => show ?? [])
    this.#lines.update(
      lines.filter(({ kind }) => !inHead.has(kind)),
      ({ more = 0 }) => words.showAll(count(more, lang)),
    )
    this.#drawn = { from, lines }
    return lines
  }

  pictures(parts: readonly ResultPart[] = [], alt: string): (TemplateResult | typeof nothing)[] {
    return parts.map((part) => {
      const source = part.type === 'image' && 'data' in part ? this.#source(part) : undefined
      return source
        ? html`<img class="picture-result" alt=${alt} src=${source} @load=${() => this.host.requestUpdate()} @error=${() => this.#breaks(source)}>`
        : nothing
    })
  }

  /** Shows what is left out. */
  showAll(): void {
    for (const what of this.cut) this.#showWhole(what)
  }

  #showWhole(what: string): void {
    this.#whole = new Set([...this.#whole, what])
    this.host.requestUpdate()
  }

  #source(picture: Picture): string | undefined {
    const source = imageSource(picture)
    return source === undefined || this.#broken.has(source) ? undefined : source
  }

  #breaks(source: string): void {
    this.#broken = new Set([...this.#broken, source])
    this.host.requestUpdate()
  }
}

const inHead = new Set<Line['kind']>(['sentence', 'tool', 'counts', 'effect'])

/** Only a picture that is drawn has a size and can be seen. */
const isLoaded = (image: HTMLImageElement): boolean => image.complete && image.naturalWidth > 0
