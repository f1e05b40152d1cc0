// Draws a turn in the terminal, append-only: text as it streams, a card as a small box at its place. On a terminal the line of
// a card that is still being written is drawn over; everything else is written once.
const colours = { dim: 2, bold: 1, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 }

const final = {
  success: ['✔', 'green'], error: ['✖', 'red'], denied: ['✋', 'yellow'], result_rejected: ['✋', 'yellow'], not_found: ['?', 'red'],
  invalid: ['✖', 'red'], timeout: ['⏱', 'red'], expired: ['⏱', 'yellow'], cancelled: ['■', 'yellow'], unknown: ['?', 'yellow'],
}

/** What a model or a tool said, with nothing in it that a terminal would obey. */
export const safe = (text) => String(text).replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '�')

export class Screen {
  #out
  #live // a terminal: lines may be drawn over
  #paint
  #cards = new Map()
  #open = '' // what the line that is being drawn over belongs to
  #column = 0 // 0: at the start of a line
  #kind = ''

  constructor(out = process.stdout, env = process.env) {
    this.#out = out
    this.#live = Boolean(out.isTTY)
    const coloured = this.#live && !env.NO_COLOR && env.TERM !== 'dumb'
    this.#paint = (colour, text) => (coloured ? `\x1b[${colours[colour]}m${text}\x1b[0m` : text)
  }

  paint(colour, text) {
    return this.#paint(colour, text)
  }

  line(text = '') {
    this.#settleLine()
    this.#out.write(`${text}\n`)
    this.#column = 0
  }

  show(event) {
    switch (event.type) {
      case 'text':
      case 'reasoning':
        return this.#stream(event.type, event.text)
      case 'card':
        return this.#card(event)
      case 'args':
        return this.#args(event)
      case 'progress':
        return this.#inCard(event.call, safe(event.text))
      case 'ipc':
        return this.#inCard(event.call, this.#paint('magenta', `↯ ipc ${event.channel} ${JSON.stringify(event.payload)}`))
      case 'error':
        this.line(this.#paint('red', `✖ ${event.code}: ${safe(event.detail)}`))
        if (event.hint) this.line(this.#paint('yellow', `  ${event.hint}`))
        return
      case 'diagnostic':
        return this.line(this.#paint('dim', `  (${event.code}${event.detail ? `: ${safe(event.detail)}` : ''})`))
    }
  }

  /** What stands before a question about a card. */
  question(call, text) {
    return `${this.#side()} ${this.#paint('yellow', `${this.#name(call)}: ${text}`)}`
  }

  inCard(call, text) {
    this.#inCard(call, text)
  }

  #stream(kind, text) {
    text = safe(text)
    if (this.#open !== '' || (this.#column > 0 && this.#kind !== kind)) this.#settleLine()
    if (this.#column === 0 && kind === 'reasoning') this.#out.write(this.#paint('dim', '⋯ '))
    if (this.#column === 0) text = text.replace(/^[\n ]+/, '')
    if (text === '') return
    this.#kind = kind
    this.#out.write(kind === 'reasoning' ? this.#paint('dim', text) : text)
    this.#column = text.endsWith('\n') ? 0 : 1
  }

  #card(event) {
    const card = this.#cards.get(event.call) ?? { shown: false, written: '' }
    this.#cards.set(event.call, Object.assign(card, event))
    if (card.status === 'streaming') return this.#writing(card)
    if (!card.shown) this.#header(card)
    const last = final[card.status]
    if (event.status === 'executing') this.#inCard(event.call, this.#paint('dim', 'running …'))
    if (!last || event.status === undefined) return
    const [sign, colour] = last
    const took = card.durationMs === undefined ? '' : ` · ${card.durationMs} ms`
    const said = card.error ?? (card.status === 'success' ? card.output : card.told) ?? card.reason ?? ''
    this.line(`${this.#paint('blue', '╰─')} ${this.#paint(colour, `${sign} ${card.status}`)} ${this.#name(event.call)}${took}${this.#brief(said)}`)
  }

  #args(event) {
    const card = this.#cards.get(event.call)
    if (!card || card.shown) return
    card.written += event.text
    this.#writing(card)
  }

  #writing(card) {
    if (!this.#live || card.shown) return
    const key = `card ${card.call}`
    if (this.#open !== key) this.#settleLine()
    const line = `╭─ ✎ ${safe(card.name ?? card.askedName ?? '…')} ${oneLine(card.written)}`
    this.#out.write(`\r\x1b[K${this.#paint('blue', fit(line, (this.#out.columns || 80) - 1))}`)
    this.#open = key
    this.#column = 1
  }

  #header(card) {
    card.shown = true
    if (this.#open === `card ${card.call}`) {
      this.#out.write('\r\x1b[K')
      this.#open = ''
      this.#column = 0
    }
    const shown = card.arguments ?? card.rawArguments
    const given = typeof shown === 'string' ? oneLine(shown) : Object.entries(shown ?? {}).map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join(', ')
    this.line(`${this.#paint('blue', '╭─')} ${this.#paint('bold', safe(card.name ?? card.askedName ?? '(no name)'))} ${this.#paint('cyan', fit(given, 200))}`)
  }

  #inCard(call, text) {
    const card = this.#cards.get(call)
    if (card && !card.shown) this.#header(card)
    this.line(`${this.#side()} ${text}`)
  }

  #side() {
    return this.#paint('blue', '│ ')
  }

  #name(call) {
    const card = this.#cards.get(call)
    return safe(card?.name ?? card?.askedName ?? `call ${call}`)
  }

  #brief(text) {
    return text ? ` · ${this.#paint('dim', fit(oneLine(text), 160))}` : ''
  }

  #settleLine() {
    if (this.#column > 0) this.#out.write('\n')
    this.#column = 0
    this.#open = ''
  }
}

/** A model's or tool's text on one line, with nothing in it that a terminal would obey. */
function oneLine(text) {
  return String(text).replace(/\s+/g, ' ').replace(/[\x00-\x1f\x7f-\x9f]/g, '�')
}

/** Cut to so many columns; wide characters count twice. */
function fit(text, columns) {
  let width = 0
  let out = ''
  for (const point of text) {
    width += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(point) ? 2 : 1
    if (width >= columns) return `${out}…`
    out += point
  }
  return out
}
