// Draws the lines of a question. Plain DOM, text nodes only. A value that did not change keeps its elements, so that
// what the person saw of it stays seen.
import type { Line, TextRun } from '../../../app/bridge/question.js'

/** How many lines, or characters of one line, count as seen together. */
const LINES = 4
const CHARACTERS = 160

/** A part of the question that has to be in view as a whole. `data-lines` holds its number of lines. */
const PIECE = 'piece'

export class QuestionView {
  readonly element = document.createElement('div')
  readonly #show: (what: string) => void
  #groups = new Map<string, { key: string; element: HTMLElement }>()

  /** `show` is called when the person wants to see something whole. */
  constructor(show: (what: string) => void) {
    this.#show = show
    this.element.className = 'lines'
  }

  /** The parts that have to be seen. */
  get pieces(): HTMLElement[] {
    return [...this.element.querySelectorAll<HTMLElement>(`.${PIECE}`)]
  }

  /** Starts a new question and keeps nothing of the last one. */
  clear(): void {
    this.#groups.clear()
    this.element.replaceChildren()
  }

  /** `showAll` is the label of the button that shows what is left out. */
  update(lines: readonly Line[], showAll: (line: Line) => string): void {
    const groups = new Map<string, Line[]>()
    for (const line of lines) {
      const name = line.of ?? `${line.kind}.${groups.size}`
      const group = groups.get(name)
      if (group) group.push(line)
      else groups.set(name, [line])
    }
    const before = this.#groups
    this.#groups = new Map()
    for (const [name, of] of groups) {
      const key = JSON.stringify([of, of.some((line) => line.show) ? showAll(of[0] as Line) : ''])
      const old = before.get(name)
      this.#groups.set(name, old?.key === key ? old : { key, element: this.#draw(of, showAll) })
    }
    const elements = [...this.#groups.values()].map(({ element }) => element)
    const same =
      elements.length === this.element.childElementCount &&
      elements.every((element, at) => element === this.element.children[at])
    if (!same) this.element.replaceChildren(...elements)
  }

  #draw(lines: readonly Line[], showAll: (line: Line) => string): HTMLElement {
    const [head] = lines as [Line]
    if (head.kind !== 'argument') {
      const values = lines.filter(({ kind }) => kind === 'value' || kind === 'hidden')
      if (values.length > 0) return this.#value(lines, showAll)
      const whole = length(head) <= CHARACTERS
      return make('p', whole ? `${head.kind} ${PIECE}` : head.kind, ...(whole ? drawRuns(head.runs) : inPieces(head)))
    }
    const element = make('dl', 'argument')
    element.setAttribute('part', 'argument')
    const name = make('bdi', 'argument-name', ...drawRuns(head.runs))
    const term = make(
      'dt',
      PIECE,
      ...(head.label ? [make('bdi', 'argument-label', ...drawRuns(head.label)), ' '] : []),
      name,
    )
    if (head.show) term.append(this.#more(head, showAll))
    element.append(term, make('dd', '', this.#value(lines.slice(1), showAll)))
    return element
  }

  #value(lines: readonly Line[], showAll: (line: Line) => string): HTMLElement {
    const box = make('div', 'value')
    box.dir = 'auto'
    const numbered = lines.length > 1
    let piece: HTMLElement | undefined
    for (const line of lines) {
      if (line.kind === 'hidden') {
        piece = undefined
        box.append(
          make(
            'div',
            `hidden ${PIECE}`,
            ...drawRuns(line.runs),
            ...(line.show ? [' ', this.#more(line, showAll)] : []),
          ),
        )
        continue
      }
      const element = make('div', 'line')
      if (numbered) element.dataset['n'] = String(line.number)
      if (length(line) > CHARACTERS) {
        piece = undefined
        element.append(...inPieces(line))
        box.append(element)
        continue
      }
      element.append(...drawRuns(line.runs))
      if (!piece || piece.childElementCount === LINES) box.append((piece = make('div', PIECE)))
      piece.append(element)
      piece.dataset['lines'] = String(piece.childElementCount)
    }
    if (lines.length === 1 && length(lines[0] as Line) === 0) box.classList.add('empty')
    return box
  }

  #more(line: Line, showAll: (line: Line) => string): HTMLElement {
    const button = make('button', 'more', showAll(line)) as HTMLButtonElement
    button.type = 'button'
    button.addEventListener('click', () => this.#show(line.show as string))
    return button
  }
}

/** Turns runs into nodes. A marked run is an element whose class is the mark. */
export function drawRuns(runs: readonly TextRun[]): (Node | string)[] {
  return runs.map(({ text, mark }) => {
    if (!mark) return text
    const element = make(mark === 'strong' ? 'bdi' : 'span', mark, text)
    element.setAttribute('part', mark)
    return element
  })
}

const length = ({ runs }: Line): number => runs.reduce((sum, { text }) => sum + text.length, 0)

/** Cuts a long line into parts that are seen one by one. */
const inPieces = ({ runs }: Line): HTMLElement[] => pieces(runs).map((part) => make('span', PIECE, ...drawRuns(part)))

function pieces(runs: readonly TextRun[]): TextRun[][] {
  const parts: TextRun[][] = [[]]
  let left = CHARACTERS
  for (const { text, mark } of runs) {
    for (let at = 0; at < text.length; ) {
      if (left <= 0) {
        parts.push([])
        left = CHARACTERS
      }
      let end = Math.min(text.length, at + left)
      if (/[\uDC00-\uDFFF]/.test(text[end] ?? '')) end++
      const part = text.slice(at, end)
      ;(parts.at(-1) as TextRun[]).push(mark ? { text: part, mark } : { text: part })
      left -= end - at
      at = end
    }
  }
  return parts
}

function make(tag: string, className: string, ...children: (Node | string)[]): HTMLElement {
  const element = document.createElement(tag)
  if (className) element.className = className
  element.append(...children)
  return element
}
