// The bubble of a pet: one sentence at a time, never more than four lines, and a small question in it. It stands where the page puts it and
// changes the size of nothing around it.
import type { AskView } from '../bridge/messages.js'
import { bubbleStyles } from './bubble-styles.js'
import type { Companion, PetView } from './companion.js'
import { pages, readingMs, Sayings } from './sayings.js'

/** What `petBubble` takes. */
export interface BubbleOptions {
  /** What it says: of `companion`. It may be one without a model, in a window of the bubble's own. */
  pet: Pick<Companion, 'getSnapshot' | 'subscribe' | 'message'>
  /** The name of the pet. Default `Lulu`. */
  name?: string
  /** The language of its own words: `en` or `zh`. Default: that of the page, at any time. */
  lang?: string
  /** Shows the chat. */
  openChat: () => void
  /** Small questions are asked in it: the window needs the right `approve`, and the page `sluice/ui`. Default false: it leads to the chat. */
  questions?: boolean
  /** How long the last sentence stays, in milliseconds. Default 9,000. */
  lingerMs?: number
  /** It came or went. */
  onShow?: (shown: boolean) => void
}

/** The bubble. */
export interface PetBubble {
  /** For the page to put somewhere. Its attribute `data-side` (`left`, `right`, `below`) says where of the head it stands; without it above. */
  readonly element: HTMLElement
  /** What takes clicks of it: for the option `solid` of `petBody`. */
  readonly box: HTMLElement
  /** Shows a sentence at once, for a voice that says it now: the bubble keeps to it until the voice stands still (`''`). */
  say(text: string): void
  /** It shows nothing any more. */
  close(): void
}

const words = {
  en: { asks: '{} has a question', show: 'Show me', back: 'Back', on: 'On', error: 'That did not work.', offline: 'Not connected.', works: 'Using {} …' },
  zh: { asks: '{}有事问你', show: '去看看', back: '上一句', on: '下一句', error: '没有成功。', offline: '连接断开了。', works: '正在使用 {} ……' },
}
/** Somebody who thinks longer than this shows it. */
const THINKS_MS = 2000
const LINGER_MS = 9000
/** What a person can take in beside the pet. */
const [MOST_ARGUMENTS, MOST_CHARACTERS, MOST_LINES] = [2, 120, 3]

/** Makes the bubble; the page puts `element` somewhere. Colours are the `--sluice-*` of sluice/ui, parts `bubble`, `text` and `pages`. */
export function petBubble({ pet, name = 'Lulu', lang, openChat, questions = false, lingerMs = LINGER_MS, onShow }: BubbleOptions): PetBubble {
  const element = document.createElement('div')
  const root = element.attachShadow({ mode: 'open' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(bubbleStyles)
  root.adoptedStyleSheets = [sheet]
  const make = <Tag extends keyof HTMLElementTagNameMap>(tag: Tag, parent: Node, set: Partial<HTMLElementTagNameMap[Tag]> = {}): HTMLElementTagNameMap[Tag] =>
    parent.appendChild(Object.assign(document.createElement(tag), set))
  const box = make('div', root, { className: 'bubble' })
  const line = make('p', box, { dir: 'auto' })
  const nav = make('nav', box)
  const back = make('button', nav, { type: 'button', textContent: '‹' })
  const count = make('span', nav)
  const on = make('button', nav, { type: 'button', textContent: '›' })
  const question = make('div', box)
  const show = make('button', box, { type: 'button', className: 'show' })
  for (const [node, part] of [[box, 'bubble'], [line, 'text'], [nav, 'pages']] as const) node.setAttribute('part', part)
  element.hidden = true

  let sayings = new Sayings()
  let said: string[] = [] // the sentences in pieces that fit
  let fitted = 0 // sentences of which there are pieces
  let at = -1
  let byHand = false
  let heard: string | undefined
  let of: string | undefined
  let asked: string | undefined
  let since = 0 // when the piece, or the state, began
  let state: PetView['state'] | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let closed = false
  const text = (): typeof words.en => words[(lang ?? document.documentElement.lang).startsWith('zh') ? 'zh' : 'en']

  function fits(piece: string): boolean {
    const before = line.textContent
    line.textContent = piece
    const good = line.scrollHeight <= line.clientHeight + 1
    line.textContent = before
    return good
  }

  function update(): void {
    if (closed) return
    clearTimeout(timer)
    const now = performance.now()
    const view = pet.getSnapshot()
    if (view.state !== state) {
      state = view.state
      if (at < 0) since = now
    }
    if (view.answer?.id !== of) {
      of = view.answer?.id
      sayings = new Sayings()
      ;[said, fitted, at, byHand, since] = [[], 0, -1, false, now]
    }
    if (view.answer) sayings.take(view.answer, now)
    sayings.wait(now)
    draw(view, now)
  }

  function draw(view: PetView, now: number): void {
    let next = Infinity
    const [ask] = view.asks
    const asking = ask !== undefined
    if (!view.quiet && fitted < sayings.sentences.length && heard === undefined) {
      const before = element.hidden
      element.hidden = false // what is not shown has no lines
      for (const sentence of sayings.sentences.slice(fitted)) said.push(...pages(sentence, fits))
      element.hidden = before
      fitted = sayings.sentences.length
    }
    if (!asking && !byHand && heard === undefined) {
      while (at < said.length - 1 && (at < 0 || now >= since + readingMs(said[at] as string))) {
        since = at < 0 ? now : Math.max(since + readingMs(said[at] as string), now - 100)
        at++
      }
      if (at >= 0 && at < said.length - 1) next = since + readingMs(said[at] as string) - now
    }
    const lasts = Math.max(lingerMs, readingMs(said[at] ?? ''))
    const over = !sayings.open && at === said.length - 1 && view.state !== 'speaking' && !byHand && now >= since + lasts
    if (at >= 0 && !over && !sayings.open) next = Math.min(next, since + lasts - now)
    const shown = view.quiet ? '' : asking ? text().asks.replace('{}', name) : (heard ?? (at >= 0 && !over ? (said[at] as string) : (own(view, now) ?? '')))
    if (shown === '' && view.state === 'thinking') next = Math.min(next, since + THINKS_MS - now)
    if (sayings.open && view.answer) next = Math.min(next, 150)

    const small = asking && questions && isSmall(ask) && customElements.get('sluice-approval') !== undefined
    if (line.textContent !== shown) line.textContent = shown
    line.hidden = small
    box.classList.toggle('asks', asking)
    box.classList.toggle('small', small)
    const paged = !asking && heard === undefined && at >= 0 && !over && said.length > 1
    nav.hidden = !paged
    if (paged) {
      count.textContent = `${at + 1} / ${said.length}`
      back.setAttribute('aria-disabled', String(at === 0))
      on.setAttribute('aria-disabled', String(at === said.length - 1))
      back.setAttribute('aria-label', text().back)
      on.setAttribute('aria-label', text().on)
    }
    show.hidden = !asking || small
    if (show.textContent !== text().show) show.textContent = text().show
    put(small ? ask : undefined)
    const hidden = shown === ''
    if (hidden !== element.hidden) {
      element.hidden = hidden
      onShow?.(!hidden)
    }
    if (next < Infinity) timer = setTimeout(update, Math.max(16, next))
  }

  /** What it says of itself. */
  function own(view: PetView, now: number): string | undefined {
    if (view.state === 'thinking' && now >= since + THINKS_MS) return '…'
    if (view.state === 'busy') return text().works.replace('{}', view.tool ?? '')
    if (view.state === 'error') return text().error
    return view.state === 'offline' ? text().offline : undefined
  }

  /** The question, in the element of sluice/ui: its buttons wait until it was seen. */
  function put(ask: AskView | undefined): void {
    question.hidden = ask === undefined
    if (ask?.token === asked) return
    asked = ask?.token
    question.replaceChildren()
    if (ask) question.append(Object.assign(document.createElement('sluice-approval'), { ask, message: pet.message, compact: true, name }))
  }

  function turn(by: number): void {
    const to = Math.min(said.length - 1, Math.max(0, at + by))
    byHand = to < said.length - 1 || sayings.open // the last one fades again
    if (to !== at) since = performance.now()
    at = to
    update()
  }
  back.addEventListener('click', () => turn(-1))
  on.addEventListener('click', () => turn(1))
  show.addEventListener('click', openChat)
  line.addEventListener('dblclick', openChat)
  const off = pet.subscribe(update)
  update()
  return {
    element,
    box,
    say(sentence) {
      heard = sentence === '' ? undefined : sentence
      if (heard !== undefined) at = said.length - 1
      update()
    },
    close() {
      closed = true
      clearTimeout(timer)
      off()
      element.remove()
    },
  }
}

/** A question that a person can take in beside the pet. */
export function isSmall(ask: Pick<AskView, 'stage' | 'arguments'>): boolean {
  if (ask.stage !== 'execution') return false
  const values = Object.values(ask.arguments ?? {})
  if (values.length > MOST_ARGUMENTS || values.some((value) => typeof value === 'object' && value !== null)) return false
  const all = values.map(String).join('\n')
  return all.length <= MOST_CHARACTERS && all.split(/[\n\r\u2028\u2029]/).length <= MOST_LINES
}
