// Draws a turn in the terminal, append-only: text as it streams, a card as a small box at its place. On a terminal the line of
// a card that is still being written is drawn over; everything else is written once.
import { revealed } from '../bridge/reveal.js'
import type { AssistantMessage, ArgsEvent, CardEvent, CardStatus, SluiceEvent } from '../events.js'

const colours = { dim: 2, bold: 1, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 } as const
type Colour = keyof typeof colours

const final: { [status in CardStatus]?: [sign: string, colour: Colour] } = {
  success: ['✔', 'green'], error: ['✖', 'red'], denied: ['✋', 'yellow'], result_rejected: ['✋', 'yellow'], not_found: ['?', 'red'],
  invalid: ['✖', 'red'], timeout: ['⏱', 'red'], expired: ['⏱', 'yellow'], cancelled: ['■', 'yellow'], unknown: ['?', 'yellow'],
}

/** What a model or a tool said, with nothing in it that a terminal would obey. */
export const safe = (text: unknown): string => String(text).replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '�')

interface Output {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
}

interface DrawnCard extends Partial<CardEvent> {
  shown: boolean
  written: string
}

export class Screen {
  readonly #out: Output
  /** A terminal: lines may be drawn over. */
  readonly #live: boolean
  readonly paint: (colour: Colour, text: string) => string
  readonly #cards = new Map<number, DrawnCard>()
  #open = '' // what the line that is being drawn over belongs to
  #column = 0 // 0: at the start of a line
  #kind = ''

  constructor(out: Output = process.stdout, env: NodeJS.ProcessEnv = process.env) {
    this.#out = out
    this.#live = Boolean(out.isTTY)
    const coloured = this.#live && !env.NO_COLOR && env.TERM !== 'dumb'
    this.paint = (colour, text) => (coloured ? `\x1b[${colours[colour]}m${text}\x1b[0m` : text)
  }

  line(text = ''): void {
    this.#settleLine()
    this.#out.write(`${text}\n`)
    this.#column = 0
  }

  /** Numbers of calls begin anew. */
  begin(): void {
    this.#cards.clear()
  }

  show(event: SluiceEvent): void {
    switch (event.type) {
      case 'text':
      case 'reasoning':
        return this.#stream(event.type, event.text)
      case 'card':
        return this.#card(event)
      case 'args':
        return this.#args(event)
      case 'progress':
        return this.inCard(event.call, safe(event.text))
      case 'ipc':
        return this.inCard(event.call, this.paint('magenta', revealed(`↯ ipc ${event.channel} ${JSON.stringify(event.payload)}`)))
      case 'error':
        this.line(this.paint('red', `✖ ${event.code}: ${safe(event.detail)}`))
        if (event.hint) this.line(this.paint('yellow', `  ${safe(event.hint)}`))
        return
      case 'diagnostic':
        return this.line(this.paint('dim', `  (${event.code}${event.detail ? `: ${safe(event.detail)}` : ''})`))
    }
  }

  /** What stands before a question about a card. */
  question(call: number, text: string): string {
    return `${this.#side()} ${this.paint('yellow', `${this.#name(call)}: ${text}`)}`
  }

  inCard(call: number, text: string): void {
    const card = this.#cards.get(call)
    if (card && !card.shown) this.#header(call, card)
    for (const line of text.split('\n')) this.line(`${this.#side()} ${line}`)
  }

  #stream(kind: string, given: string): void {
    let text = safe(given)
    if (this.#open !== '' || (this.#column > 0 && this.#kind !== kind)) this.#settleLine()
    if (this.#column === 0 && kind === 'reasoning') this.#out.write(this.paint('dim', '⋯ '))
    if (this.#column === 0) text = text.replace(/^[\n ]+/, '')
    if (text === '') return
    this.#kind = kind
    this.#out.write(kind === 'reasoning' ? this.paint('dim', text) : text)
    this.#column = text.endsWith('\n') ? 0 : 1
  }

  #card(event: CardEvent): void {
    const { call } = event
    const card = Object.assign(this.#cards.get(call) ?? { shown: false, written: '' }, event)
    this.#cards.set(call, card)
    if (card.status === 'streaming') return this.#writing(call, card)
    if (!card.shown) this.#header(call, card)
    if (event.status === 'executing') this.inCard(call, this.paint('dim', 'running …'))
    const last = event.status && final[event.status]
    if (!last) return
    const [sign, colour] = last
    const took = card.durationMs === undefined ? '' : ` · ${card.durationMs} ms`
    const said = card.error ?? (card.status === 'success' ? card.output : card.told) ?? card.reason ?? ''
    const end = this.paint(colour, `${sign} ${event.status}`)
    this.line(`${this.paint('blue', '╰─')} ${end} ${this.#name(call)}${took}${this.#brief(said)}`)
  }

  #args({ call, text }: ArgsEvent): void {
    const card = this.#cards.get(call)
    if (!card || card.shown) return
    card.written += text
    this.#writing(call, card)
  }

  #writing(call: number, card: DrawnCard): void {
    if (!this.#live || card.shown) return
    const key = `card ${call}`
    if (this.#open !== key) this.#settleLine()
    const line = `╭─ ✎ ${this.#name(call)} ${oneLine(card.written.slice(-2000))}`
    this.#out.write(`\r\x1b[K${this.paint('blue', fit(line, (this.#out.columns || 80) - 1))}`)
    this.#open = key
    this.#column = 1
  }

  #header(call: number, card: DrawnCard): void {
    card.shown = true
    if (this.#open === `card ${call}`) {
      this.#out.write('\r\x1b[K')
      this.#open = ''
      this.#column = 0
    }
    const members = Object.entries(card.arguments ?? {}).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    const given = card.arguments ? members.join(', ') : (card.rawArguments ?? '')
    this.line(`${this.paint('blue', '╭─')} ${this.paint('bold', this.#name(call))} ${this.paint('cyan', fit(oneLine(given), 200))}`)
  }

  #side(): string {
    return this.paint('blue', '│ ')
  }

  #name(call: number): string {
    const card = this.#cards.get(call)
    return oneLine(card?.name ?? card?.askedName ?? `call ${call}`)
  }

  #brief(text: string): string {
    return text ? ` · ${this.paint('dim', fit(oneLine(text), 160))}` : ''
  }

  #settleLine(): void {
    if (this.#column > 0) this.#out.write('\n')
    this.#column = 0
    this.#open = ''
  }
}

/** What became of a message, in one line. */
export function summary({ blocks, outcome, rounds, usage }: AssistantMessage): string {
  const shape = blocks
    .map((block) => (block.type === 'tool_use' ? oneLine(`${block.name ?? block.askedName} ${block.status}`) : block.type))
    .join(' → ')
  const tokens = usage ? `, ${usage.inputTokens ?? '?'} tokens in, ${usage.outputTokens ?? '?'} out` : ''
  return `one message, ${outcome}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}${tokens}${shape && `: ${shape}`}`
}

/** A model's or tool's text on one line, with nothing in it that a terminal would obey or that hides. */
const oneLine = (text: string): string => revealed(text.replace(/\s+/g, ' '))

/** Cut to so many columns; wide characters count twice. */
function fit(text: string, columns: number): string {
  let width = 0
  let out = ''
  for (const point of text) {
    width += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(point) ? 2 : 1
    if (width >= columns) return `${out}…`
    out += point
  }
  return out
}
