// Prints a turn: text as it streams, each card as a small box in its place. On a terminal the line of a call that the model is still
// writing is redrawn; everything else is printed once.
import { endingOf, endingWords } from '../bridge/ending.js'
import { escapeInvisible } from '../bridge/invisible.js'
import type { AssistantMessage, ArgsEvent, CardEvent, CardStatus, DiagnosticEvent, ErrorEvent, RetryEvent, SluiceEvent } from '../core/events.js'
import { fit } from './rows.js'

const colours = { dim: 2, bold: 1, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 } as const
type Colour = keyof typeof colours

const final: { [status in CardStatus]?: [sign: string, colour: Colour] } = {
  success: ['✔', 'green'], error: ['✖', 'red'], denied: ['✋', 'yellow'], result_rejected: ['✋', 'yellow'], not_found: ['?', 'red'],
  invalid: ['✖', 'red'], timeout: ['⏱', 'red'], expired: ['⏱', 'yellow'], cancelled: ['■', 'yellow'], unknown: ['?', 'yellow'],
}

interface Output {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
  rows?: number
}

/** After this long without an event the seconds are counted on the screen. */
const WAIT_MS = 2000

interface DrawnCard extends Partial<CardEvent> {
  shown: boolean
  written: string
}

export class Screen {
  readonly #out: Output
  /** The output is a terminal, so lines can be redrawn. */
  readonly #live: boolean
  readonly paint: (colour: Colour, text: string) => string
  readonly #cards = new Map<number, DrawnCard>()
  #open = '' // what the line that can be redrawn belongs to
  #column = 0 // 0: at the start of a line
  #kind = ''
  #held = '' // the start of a character whose rest has not come yet
  /** Printed with the next event. */
  #diagnostic: DiagnosticEvent | undefined
  // -- the seconds counted while nothing comes
  #since = 0
  #counted = false
  #still = false
  #clock: NodeJS.Timeout | undefined

  constructor(out: Output = process.stdout, env: NodeJS.ProcessEnv = process.env) {
    this.#out = out
    this.#live = Boolean(out.isTTY)
    const coloured = this.#live && !env.NO_COLOR && env.TERM !== 'dumb'
    this.paint = (colour, text) => (coloured ? `\x1b[${colours[colour]}m${text}\x1b[0m` : text)
  }

  get columns(): number {
    return this.#out.columns || 80
  }

  get rows(): number {
    return this.#out.rows || 24
  }

  line(text = ''): void {
    this.#settleLine()
    this.#out.write(`${text}\n`)
    this.#column = 0
  }

  /** While a person types nothing is redrawn. */
  still(on: boolean): void {
    this.#still = on
    this.#since = Date.now()
  }

  /** A new turn: call numbers start again from 1. */
  begin(): void {
    this.#cards.clear()
  }

  show(event: SluiceEvent): void {
    this.#came(event.type)
    const said = this.#diagnostic
    if (said && event.type !== 'round' && event.type !== 'usage') {
      this.#diagnostic = undefined
      if (!(event.type === 'error' && event.detail.startsWith(said.detail ?? ''))) this.#tell(said) // the error repeats its text
    }
    switch (event.type) {
      case 'text':
      case 'reasoning':
        return this.#stream(event.type, event.text)
      case 'card':
        return this.#card(event)
      case 'args':
        return this.#args(event)
      case 'progress':
        return this.inCard(event.call, escapeInvisible(event.text))
      case 'ipc':
        return this.inCard(event.call, this.paint('magenta', escapeInvisible(`↯ ipc ${event.channel} ${JSON.stringify(event.payload)}`)))
      case 'retracted':
        return this.line(this.paint('dim', '  (taken back: what stands above counts no more)'))
      case 'retry':
        return this.#retry(event)
      case 'error':
        return this.#error(event)
      case 'diagnostic':
        this.#diagnostic = event
        return
    }
  }

  #retry({ attempt, of, delayMs, detail }: RetryEvent): void {
    const tries = of === undefined ? String(attempt) : `${attempt} of ${of}`
    this.line(this.paint('dim', `  (trying again in ${(delayMs / 1000).toFixed(1)} s, ${tries}: ${escapeInvisible(detail)})`))
  }

  #tell({ code, detail = '' }: DiagnosticEvent): void {
    const said = code === 'other_format' ? `a call as ${detail} writes it; --mode text --protocol ${detail} reads it` : detail
    this.line(this.paint('dim', `  (${code}${said ? `: ${escapeInvisible(said)}` : ''})`))
  }

  #error({ code, detail, hint }: ErrorEvent): void {
    this.line(this.paint('red', `✖ ${code}: ${escapeInvisible(detail)}`))
    const advice = code === 'tools_unsupported' ? '--mode text describes the tools in the prompt instead.' : hint // the engine's hint names its own option, not the command's
    if (advice) this.line(this.paint('yellow', `  ${escapeInvisible(advice)}`))
  }

  // -- waiting --------------------------------------------------------------------------------------------------------------

  /** An event came: removes the counted seconds and counts from 0 again. */
  #came(type: SluiceEvent['type']): void {
    if (!this.#live) return
    this.#since = Date.now()
    if (this.#counted) this.#out.write('\x1b[J')
    this.#counted = false
    if (type === 'done') this.#clock = void clearInterval(this.#clock)
    else this.#clock ??= setInterval(() => this.#count(), 1000).unref()
  }

  #count(): void {
    const waited = Date.now() - this.#since
    if (this.#still || waited < WAIT_MS) return
    this.#counted = true
    this.#out.write(`\x1b7\x1b[J${this.paint('dim', ` … ${Math.floor(waited / 1000)} s`)}\x1b8`)
  }

  /** A question about a card, with the card's name in front. */
  question(call: number, text: string): string {
    return `${this.#side()} ${this.paint('yellow', `${this.#name(call)}: ${text}`)}`
  }

  inCard(call: number, text: string): void {
    const card = this.#cards.get(call)
    if (card && !card.shown) this.#header(call, card)
    for (const line of text.split('\n')) this.line(`${this.#side()} ${line}`)
  }

  #stream(kind: string, given: string): void {
    let text = this.#whole(given)
    if (this.#open !== '' || (this.#column > 0 && this.#kind !== kind)) this.#settleLine()
    if (this.#column === 0 && kind === 'reasoning') this.#out.write(this.paint('dim', '⋯ '))
    if (this.#column === 0) text = text.replace(/^[\n ]+/, '')
    if (text === '') return
    this.#kind = kind
    this.#out.write(kind === 'reasoning' ? this.paint('dim', text) : text)
    this.#column = text.endsWith('\n') ? 0 : 1
  }

  /** The part of a text that can be printed now: a joiner or half a character waits for the rest. */
  #whole(given: string): string {
    const text = this.#held + given
    this.#held = /(?:\r|[\uD800-\uDBFF]|\u200D|\uFE0F)+$/.exec(text)?.[0] ?? ''
    return escapeInvisible(text.slice(0, text.length - this.#held.length).replaceAll('\r\n', '\n'))
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

/** A sentence about an answer that was cut, withheld or empty; undefined for a whole one. */
export function ending(message: AssistantMessage): string | undefined {
  const found = endingOf(message)
  return found && endingWords.en[found]
}

/** The outcome of a message in one line. */
export function summary({ blocks, outcome, rounds, usage }: AssistantMessage): string {
  const shape = blocks
    .map((block) => (block.type === 'tool_use' ? oneLine(`${block.name ?? block.askedName} ${block.status}`) : block.type))
    .join(' → ')
  const tokens = usage ? `, ${usage.inputTokens ?? '?'} tokens in, ${usage.outputTokens ?? '?'} out` : ''
  return `one message, ${outcome}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}${tokens}${shape && `: ${shape}`}`
}

/** A model's or tool's text on one line, without control characters and with invisible characters marked. */
const oneLine = (text: string): string => escapeInvisible(text.replace(/\s+/g, ' '))
