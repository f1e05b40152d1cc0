// Editing the arguments of a question: in fields where the question has a schema, else as JSON.
import { html, type LitElement, type TemplateResult } from 'lit'
import type { JsonObject } from '../../../engine/core/events.js'
import { focusAfterUpdate } from '../shared/focus.js'
import { argumentForm, FormProblem, type ArgumentForm } from './form.js'
import { printArguments, readArguments } from './json-editor.js'
import type { Strings } from '../shared/ui-strings.js'

/** What is edited. */
export interface Editable {
  /** The arguments as they were asked about. */
  arguments: JsonObject | undefined
  parameters: unknown
  words: Strings
  /** What people call an argument. */
  label: (name: string) => string | undefined
}

export class ArgumentsEdit {
  /** The fields, or the JSON, are there. */
  open = false
  /** What a person made of the arguments; undefined while they are those that were asked about. */
  values: JsonObject | undefined
  #draft: string | undefined
  #form: ArgumentForm | undefined
  /** What stood in the fields at first, and the words around them. */
  #began: { values: JsonObject; words: Strings } | undefined
  #problem = ''

  constructor(
    private readonly host: LitElement,
    private readonly given: () => Editable,
  ) {}

  forget(): void {
    this.#close()
    this.values = undefined
  }

  /** What was begun in another element. */
  take(other: ArgumentsEdit): void {
    this.open = other.open
    this.values = other.values
    this.#draft = other.#draft
    this.#form = other.#form
    this.#began = other.#began
    this.#problem = other.#problem
    this.#listen()
  }

  #close(): void {
    this.open = false
    this.#problem = ''
    this.#draft = this.#form = undefined
  }

  readonly begin = (): void => {
    const { arguments: asked, parameters, words, label } = this.given()
    const values = this.values ?? asked ?? {}
    this.#form = argumentForm(parameters, values, words, label)
    this.#began = { values, words }
    this.#listen()
    if (!this.#form) this.#draft = printArguments(values)
    this.open = true
    focusAfterUpdate(this.host, ':is(.form :is(input, textarea, select), #editor)')
  }

  #listen(): void {
    this.#form?.element.addEventListener('input', () => this.host.requestUpdate())
  }

  /** The same fields with what stands in them, in another language. */
  #reword(words: Strings): void {
    if (!this.#form || !this.#began || this.#began.words === words) return
    const before = controlsOf(this.#form)
    const at = before.indexOf((this.#form.element.getRootNode() as ShadowRoot).activeElement as Control)
    const { parameters, label } = this.given()
    this.#began = { ...this.#began, words }
    this.#form = argumentForm(parameters, this.#began.values, words, label)
    this.#listen()
    if (!this.#form) return
    const now = controlsOf(this.#form)
    now.forEach((control, n) => (control.value = before[n]?.value ?? control.value))
    if (at >= 0) void this.host.updateComplete.then(() => now[at]?.focus({ preventScroll: true }))
  }

  /** Leaves it; what was taken before stays. */
  end(): void {
    this.#close()
    focusAfterUpdate(this.host, '.edit')
  }

  /** Takes what was written, where it can be run. */
  readonly done = (): void => {
    if (this.#take()) this.end()
  }

  readonly undo = (): void => {
    this.values = undefined
    this.end()
  }

  draw(words: Strings): TemplateResult {
    this.#reword(words)
    const problem = html`<p class="problem" id="problem" aria-live="polite">${this.#problem}</p>`
    if (this.#form) {
      return html`<div class="editor" part="editor">${this.#form.element}
        ${problem}
        <button type="button" class="more" @click=${this.#asJson}>${words.allAsJson}</button></div>`
    }
    return html`<div class="editor" part="editor">
      <label for="editor">${words.editLabel}</label>
      <textarea id="editor" spellcheck="false" autocapitalize="off" autocomplete="off" dir="ltr" .value=${this.#draft ?? ''} @input=${this.#changed}
        aria-invalid=${this.#problem ? 'true' : 'false'} aria-describedby="problem"></textarea>
      ${problem}
    </div>`
  }

  /** Everything as JSON, with what stands in the fields. */
  readonly #asJson = (): void => {
    const values = this.#readForm()
    if (!values) return
    this.#form = undefined
    this.#draft = printArguments(values)
    focusAfterUpdate(this.host, '#editor')
  }

  #readForm(): JsonObject | undefined {
    try {
      return this.#form?.read()
    } catch (error) {
      if (!(error instanceof FormProblem)) throw error
      error.control.focus({ preventScroll: false })
      return undefined
    }
  }

  readonly #changed = ({ target }: Event): void => {
    this.#draft = (target as HTMLTextAreaElement).value
    const read = readArguments(this.#draft, this.given().words)
    this.#problem = 'problem' in read ? read.problem : ''
    this.host.requestUpdate()
  }

  /** Returns false where what was written cannot be run. */
  #take(): boolean {
    const fields = this.#form && this.#readForm()
    if (this.#form && !fields) return false
    const { arguments: asked = {}, words } = this.given()
    const read = readArguments(fields ? JSON.stringify(fields) : (this.#draft ?? ''), words)
    if ('problem' in read) {
      this.#problem = read.problem
      focusAfterUpdate(this.host, '#editor')
      return false
    }
    this.values = JSON.stringify(read.value) === JSON.stringify(asked) ? undefined : read.value
    return true
  }
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement
const controlsOf = ({ element }: ArgumentForm): Control[] => [
  ...element.querySelectorAll<Control>('input, textarea, select'),
]
