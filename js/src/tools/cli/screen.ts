// Says the events of a turn. A card is printed whole when it settles, or when a person is asked about it; until then
// one line, which is redrawn, says what is running.
import { isCommentary } from '../../app/bridge/commentary.js'
import { endingOf, endingWords } from '../../app/bridge/ending.js'
import { escapeInvisible } from '../../app/bridge/invisible.js'
import { messageOf } from '../../engine/core/errors.js'
import type {
  AssistantMessage,
  CardEvent,
  CardStatus,
  DiagnosticEvent,
  ErrorEvent,
  FilePart,
  MediaPart,
  ProgressEvent,
  ReasoningEvent,
  ResultPart,
  RetryEvent,
  SluiceEvent,
  Source,
  TextEvent,
} from '../../engine/core/events.js'
import { widthOf, wrapped } from './flow.js'
import { partWords, sourceLines, type MediaFolder } from './made-words.js'
import { Paper, type Colour, type Output } from './paper.js'
import { Prose } from './prose.js'
import { fit } from './rows.js'

const final: { [status in CardStatus]?: [sign: string, colour: Colour] } = {
  success: ['✔', 'green'],
  error: ['✖', 'red'],
  denied: ['✋', 'yellow'],
  result_rejected: ['✋', 'yellow'],
  not_found: ['?', 'red'],
  invalid: ['✖', 'red'],
  timeout: ['⏱', 'red'],
  expired: ['⏱', 'yellow'],
  cancelled: ['■', 'yellow'],
  unknown: ['?', 'yellow'],
}

/** Events that do not end the text in front of them. */
const within: ReadonlySet<SluiceEvent['type']> = new Set(['text', 'reasoning', 'sources', 'usage', 'diagnostic'])

/** Columns for what a person answers, */
const ANSWER = 10
/** and for the name of a tool in front of what is asked: the whole name stands above it. */
const NAME = 60
const plainSide = '│ '

interface DrawnCard extends Partial<CardEvent> {
  /** Its head is printed. */
  shown: boolean
  /** The end of its arguments, while the model writes them. */
  written: string
  progress: string
  /** What its box will hold. */
  lines: string[]
}

export class Screen {
  readonly #paper: Paper
  readonly paint: (colour: Colour, text: string) => string
  readonly #cards = new Map<number, DrawnCard>()
  /** The text that is being written. */
  #prose: { kind: 'text' | 'aside'; block: number; text: boolean; prose: Prose | undefined } | undefined
  #lastText = -1
  #held = '' // the start of a character whose rest has not come yet
  /** Printed with the next event. */
  #diagnostic: DiagnosticEvent | undefined
  #retrying = ''
  /** Sources of a text, which are printed after it. */
  #sources: { block: number; list: readonly Source[] } | undefined
  /** How many lines of sources are printed, by block. */
  readonly #cited = new Map<number, number>()
  /** Events that came while a person typed. */
  #late: SluiceEvent[] | undefined

  /** @param folder gets the pictures and files of answers */
  constructor(
    out: Output = process.stdout,
    env: NodeJS.ProcessEnv = process.env,
    private readonly folder?: MediaFolder,
  ) {
    this.#paper = new Paper(out, env)
    this.paint = this.#paper.paint
  }

  get columns(): number {
    return this.#paper.columns
  }

  get rows(): number {
    return this.#paper.rows
  }

  /** `hang`: rows behind the first begin so many columns further. */
  line(text = '', hang = 0): void {
    this.#settleText()
    this.#paper.line(text, '', ' '.repeat(hang))
  }

  /** While a person types nothing is printed: what comes meanwhile is said afterwards. */
  still(on: boolean): void {
    this.#paper.quiet(on)
    const late = this.#late ?? []
    this.#late = on ? late : undefined
    if (!on) for (const event of late) this.show(event)
  }

  /** A new turn: call numbers start again from 1. */
  begin(): void {
    this.#cards.clear()
    this.#cited.clear()
  }

  show(event: SluiceEvent): void {
    if (this.#late) return void this.#late.push(event)
    this.#paper.came(event.type === 'done')
    if (event.type !== 'diagnostic') this.#retrying = ''
    const said = this.#diagnostic
    if (said && event.type !== 'round' && event.type !== 'usage') {
      this.#diagnostic = undefined
      // the error repeats its text
      if (!(event.type === 'error' && event.detail.startsWith(said.detail ?? ''))) this.#tell(said)
    }
    if (!within.has(event.type) || (event.type === 'text' && event.block !== this.#sources?.block)) this.#cite()
    this.#say(event)
    if (event.type === 'done') this.#settleText()
    if (!this.#prose) this.#paper.tail(event.type === 'done' ? '' : this.#status())
  }

  #say(event: SluiceEvent): void {
    switch (event.type) {
      case 'text':
      case 'reasoning':
        return this.#text(event)
      case 'sources':
        if (event.block !== this.#sources?.block) this.#cite()
        this.#sources = { block: event.block, list: event.sources }
        return
      case 'media':
        return this.#media([event.part])
      case 'card':
        return this.#card(event)
      case 'args': {
        const card = this.#cards.get(event.call)
        if (card) card.written = (card.written + event.text).slice(-2000)
        return this.#settleText()
      }
      case 'progress':
        return this.#progress(event)
      case 'ipc':
        return this.note(
          event.call,
          this.paint('magenta', escapeInvisible(`↯ ipc ${event.channel} ${JSON.stringify(event.payload)}`)),
        )
      case 'retracted':
        return this.line(
          this.paint(
            'dim',
            event.blocks.includes(this.#lastText)
              ? '  (taken back: the text above is not part of the answer)'
              : '  (said twice: the last message repeats an earlier one)',
          ),
        )
      case 'retry':
        return this.#retry(event)
      case 'error':
        return this.#error(event)
      case 'diagnostic':
        this.#diagnostic = event
        return
    }
  }

  #retry({ attempt, maxAttempts, delayMs, detail }: RetryEvent): void {
    const tries = maxAttempts === undefined ? String(attempt) : `${attempt} of ${maxAttempts}`
    const said = `  (trying again in ${(delayMs / 1000).toFixed(1)} s, ${tries}: ${oneLine(detail)})`
    this.#settleText()
    if (this.#paper.live)
      this.#retrying = said // the error repeats it where no try succeeds
    else this.line(this.paint('dim', said))
  }

  #tell({ code, detail = '' }: DiagnosticEvent): void {
    const said =
      code === 'other_format' ? `a call as ${detail} writes it; --mode text --protocol ${detail} reads it` : detail
    this.line(this.paint('dim', `  (${code}${said ? `: ${oneLine(said)}` : ''})`))
  }

  #error({ code, detail, hint }: ErrorEvent): void {
    this.line(this.paint('red', `✖ ${code}: ${oneLine(detail)}`))
    // the engine's hint names its own option, not the command's
    const advice = code === 'tools_unsupported' ? '--mode text describes the tools in the prompt instead.' : hint
    if (advice) this.line(this.paint('yellow', `  ${oneLine(advice)}`))
  }

  // -- text -----------------------------------------------------------------------------------------------------------

  /** Thoughts and comments are dimmed. Each message begins behind an empty line. */
  #text(event: TextEvent | ReasoningEvent): void {
    const { block, text: given } = event
    if (given === '')
      return isCommentary(event)
        ? this.line(this.paint('dim', '  (the text above is a comment on the work, not the answer)'))
        : undefined
    const kind = event.type === 'reasoning' || isCommentary(event) ? 'aside' : 'text'
    if (this.#prose && (this.#prose.kind !== kind || (event.type === 'text' && this.#prose.block !== block))) {
      const message = this.#prose.text && event.type === 'text' && this.#prose.block !== block
      this.#settleText()
      if (message) this.line()
    }
    let text = this.#whole(given)
    if (!this.#prose) text = text.replace(/^[\n ]*\n|^\n+/, '') // empty lines at the beginning
    if (text === '') return
    if (event.type === 'text') this.#lastText = block
    const aside = kind === 'aside'
    const begins = !this.#prose
    this.#prose ??= {
      kind,
      block,
      text: event.type === 'text',
      prose: this.#paper.tty
        ? new Prose(
            this.#paper,
            aside
              ? { plain: this.#paper.styled ? '2' : '', first: { text: '⋯ ', sgr: this.#paper.styled ? '2' : '' } }
              : {},
          )
        : undefined,
    }
    const { prose } = this.#prose
    if (prose) prose.push(text)
    else this.#paper.raw(begins && aside ? `⋯ ${text}` : text)
  }

  /** The part of a text that can be printed now: a joiner or half a character waits for the rest. */
  #whole(given: string): string {
    const text = this.#held + given
    this.#held = /(?:\r|[\uD800-\uDBFF]|\u200D|\uFE0F)+$/.exec(text)?.[0] ?? ''
    return escapeInvisible(text.slice(0, text.length - this.#held.length).replaceAll('\r\n', '\n'))
  }

  #settleText(): void {
    const rest = escapeInvisible(this.#held.replace(/\r$/, ''))
    this.#held = ''
    if (rest && this.#prose?.prose) this.#prose.prose.push(rest)
    else if (rest && this.#prose) this.#paper.raw(rest)
    if (this.#prose?.prose) this.#prose.prose.end()
    else if (this.#prose) this.#paper.print([]) // ends its line
    this.#prose = undefined
  }

  // -- sources, pictures, files ---------------------------------------------------------------------------------------

  /** Prints the sources that are not printed yet. */
  #cite(): void {
    if (!this.#sources) return
    const { block, list } = this.#sources
    this.#sources = undefined
    const lines = sourceLines(list)
    for (const [at, words] of lines.entries())
      if (at >= (this.#cited.get(block) ?? 0)) this.line(this.paint('dim', `  [${at + 1}] ${words}`), 6)
    this.#cited.set(block, Math.max(lines.length, this.#cited.get(block) ?? 0))
  }

  #media(parts: readonly (ResultPart | FilePart)[]): void {
    for (const part of parts) if (part.type !== 'text') this.line(`${this.paint('cyan', '▣')} ${this.#saved(part)}`, 2)
  }

  #saved(part: MediaPart): string {
    try {
      const path = this.folder?.save(part)
      return path === undefined ? partWords(part) : `${partWords(part)} → ${escapeInvisible(path)}`
    } catch (error) {
      return `${partWords(part)} ${this.paint('yellow', `(not saved: ${oneLine(messageOf(error))})`)}`
    }
  }

  // -- cards ----------------------------------------------------------------------------------------------------------

  #card(event: CardEvent): void {
    this.#settleText()
    const { call } = event
    const card = Object.assign(this.#cards.get(call) ?? { shown: false, written: '', progress: '', lines: [] }, event)
    this.#cards.set(call, card)
    // Without a terminal a tool that runs alone has the paper for itself.
    if (event.status === 'executing' && !this.#paper.live && this.#open().length === 1) this.#header(call, card)
    const last = event.status && final[event.status]
    if (!last) return
    this.#header(call, card)
    const [sign, colour] = last
    const took = card.durationMs === undefined ? '' : ` · ${card.durationMs} ms`
    const said = card.error ?? (card.status === 'success' ? card.output : card.modelOutput) ?? card.reason ?? ''
    const end = this.paint(colour, `${sign} ${event.status}`)
    this.#paper.line(`${end} ${this.#name(call)}${took}${this.#brief(said)}`, this.paint('blue', '╰─ '), '   ')
    if (card.source === 'provider') this.#media(card.parts ?? [])
  }

  #progress({ call, text }: ProgressEvent): void {
    const card = this.#cards.get(call)
    if (card) card.progress = oneLine(text)
    if (!this.#paper.live) this.note(call, escapeInvisible(text))
  }

  /** Cards that have not settled. */
  #open(): [number, DrawnCard][] {
    return [...this.#cards].filter(([, { status }]) => status && !final[status])
  }

  /** What runs or is written, in one line; '' where nothing does. */
  #status(): string {
    if (this.#retrying) return this.paint('dim', fit(this.#retrying, this.#paper.width))
    const open = this.#open()
    const writing = open.filter(([, { status }]) => status === 'streaming').at(-1)
    if (writing)
      return this.paint('blue', fit(`╭─ ✎ ${this.#name(writing[0])} ${oneLine(writing[1].written)}`, this.#paper.width))
    const running = open.filter(([, { status }]) => status === 'executing')
    if (running.length === 0) return ''
    const said = running.map(([call, { progress }]) => [this.#name(call), progress].filter(Boolean).join(' '))
    return this.paint(
      'dim',
      fit(`⋯ ${running.length > 1 ? `${running.length} running · ` : ''}${said.join(' · ')}`, this.#paper.width),
    )
  }

  /**
   * The prompt of a question about a card, with the card's name in front. `live`: one that leaves no room for an answer
   * is printed above it.
   */
  question(call: number, text: string, live: boolean): string {
    const asked = this.#asked(call, text)
    if (!live || this.promptRows(call, text) === 1) return `${this.#side} ${asked}`
    this.inCard(call, asked.trimEnd())
    return `${this.#side} > `
  }

  /** How many rows that prompt has on a terminal. */
  promptRows(call: number, text: string): number {
    const first = [{ text: `${plainSide} `, sgr: '' }]
    const asked = this.#asked(call, text)
    return widthOf(asked) + widthOf(`${plainSide} `) + ANSWER <= this.columns
      ? 1
      : wrapped(asked.trimEnd(), { width: this.#paper.width, first }).length + 1
  }

  #asked(call: number, text: string): string {
    return this.paint('yellow', `${fit(this.#name(call), NAME)}: ${text}`)
  }

  /** Prints lines in a card's box, now. */
  inCard(call: number, text: string): void {
    const card = this.#cards.get(call)
    this.#settleText()
    if (card) this.#header(call, card)
    this.#boxed(text)
  }

  /** Prints lines in a card's box when its turn comes. */
  note(call: number, text: string): void {
    const card = this.#cards.get(call)
    if (card && !card.shown) card.lines.push(text)
    else this.inCard(call, text)
  }

  #header(call: number, card: DrawnCard): void {
    if (card.shown) return
    card.shown = true
    const members = Object.entries(card.arguments ?? {}).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    const given = card.arguments ? members.join(', ') : (card.rawArguments ?? '')
    const head = `${this.paint('bold', this.#name(call))} ${this.paint('cyan', fit(oneLine(given), 200))}`
    this.#paper.line(head, this.paint('blue', '╭─ '), `${this.#side}  `)
    for (const line of card.lines.splice(0)) this.#boxed(line)
  }

  #boxed(text: string): void {
    for (const line of text.split('\n')) this.#paper.line(line, `${this.#side} `)
  }

  get #side(): string {
    return this.paint('blue', plainSide)
  }

  #name(call: number): string {
    const card = this.#cards.get(call)
    return oneLine(card?.name ?? card?.askedName ?? `call ${call}`)
  }

  #brief(text: string): string {
    return text ? ` · ${this.paint('dim', fit(oneLine(text), 160))}` : ''
  }
}

/** A sentence about an answer that was cut, withheld or empty; undefined for a whole one. */
export function ending(message: AssistantMessage): string | undefined {
  const found = endingOf(message)
  return found && endingWords.en[found]
}

/** What an answer took: `8 s · 1.2k tokens`. */
export function cost({ outcome, usage }: AssistantMessage, ms: number): string {
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
  const took =
    ms < 950
      ? `${(ms / 1000).toFixed(1)} s`
      : ms < 59_500
        ? `${Math.round(ms / 1000)} s`
        : `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`
  return [
    ...(outcome === 'cancelled' ? ['stopped'] : []),
    took,
    ...(tokens > 0 ? [`${brief(tokens)} tokens`] : []),
  ].join(' · ')
}

/** The tokens of a message: `12,000 tokens in, of these 9,800 from the cache, 18 out`. */
export function used({ usage }: AssistantMessage): string {
  if (!usage) return 'the provider did not say how many tokens'
  const count = (tokens: number | undefined): string => tokens?.toLocaleString('en') ?? '?'
  const { inputTokens, cachedTokens, cacheWriteTokens, outputTokens } = usage
  return [
    `${count(inputTokens)} tokens in`,
    ...(cachedTokens === undefined ? [] : [`of these ${count(cachedTokens)} from the cache`]),
    ...(cacheWriteTokens === undefined ? [] : [`${count(cacheWriteTokens)} written to it`]),
    `${count(outputTokens)} out`,
  ].join(', ')
}

/** 812, 1.2k, 34k, 1.5M. */
function brief(count: number): string {
  const [size, unit] = count < 1000 ? [count, ''] : count < 999_500 ? [count / 1000, 'k'] : [count / 1_000_000, 'M']
  return (unit === '' || size >= 99.95 ? String(Math.round(size)) : size.toFixed(1).replace(/\.0$/, '')) + unit
}

/** `x`, `x`, `y` as `x ×2`, `y`: what comes in a row is told once. */
export function runs(names: readonly string[]): string[] {
  const all: { name: string; count: number }[] = []
  for (const name of names) {
    const last = all.at(-1)
    if (last?.name === name) last.count++
    else all.push({ name, count: 1 })
  }
  return all.map(({ name, count }) => (count > 1 ? `${name} ×${count}` : name))
}

/** The outcome of a message in one line. */
export function summary({ blocks, outcome, rounds, usage }: AssistantMessage): string {
  const shape = runs(
    blocks.map((block) =>
      block.type === 'tool_use' ? oneLine(`${block.name ?? block.askedName ?? 'a call'} ${block.status}`) : block.type,
    ),
  ).join(' → ')
  const tokens = usage ? `, ${usage.inputTokens ?? '?'} tokens in, ${usage.outputTokens ?? '?'} out` : ''
  return `one message, ${outcome}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}${tokens}${shape && `: ${shape}`}`
}

/** A model's or tool's text on one line, without control characters and with invisible characters marked. */
const oneLine = (text: string): string => escapeInvisible(text.replace(/\s+/g, ' '))
