// The bubble of a pet: one sentence at a time, never more than four lines, and a small question in it. It stands where
// the page puts it and changes the size of nothing around it.
import { escapeInvisible } from '../../app/bridge/invisible.js'
import type { QuestionView, CardView } from '../../app/bridge/messages.js'
import { findCard } from '../../engine/core/cards.js'
import { renamed } from '../../app/bridge/named.js'
import { withoutOverrides } from '../../app/bridge/overrides.js'
import { checkLook, readLook, usualLook, type BubbleLook } from '../../app/bridge/pet-settings.js'
import type { PetNote, PetWindowSide } from '../../app/bridge/pet-window-messages.js'
import { inLanguage } from '../../engine/core/in-language.js'
import { MOST_MS } from '../../engine/core/options.js'
import { BubblePages } from './bubble-pages.js'
import { bubbleStyles } from './bubble-styles.js'
import type { Companion, PetView } from './companion-options.js'
import { readingMs, Sayings } from './sayings.js'

/** What `petBubble` takes. */
export interface PetBubbleOptions extends Partial<BubbleLook> {
  /** What it says: of `companion`. It may be one without a model, in a window of the bubble's own. */
  pet: Pick<Companion, 'getSnapshot' | 'subscribe' | 'message'> & Partial<Pick<Companion, 'notToday'>>
  /** The name of the pet. Default `Lulu`. */
  name?: string
  /** The language of its own words: `en` or `zh`. Default: that of the page, at any time. */
  lang?: string
  openChat: () => void
  /**
   * Small questions are asked in it: the window needs the right `approve`, and the page `sluice/ui`. Default false: it
   * leads to the chat.
   */
  questions?: boolean
  /** How long the last sentence stays, in milliseconds. Default 9,000. */
  lingerMs?: number
  /** It came or went. */
  onShow?: (shown: boolean) => void
  /**
   * The window that it is in, of `petWindow`: it then knows where the head is, what a person set, and what the page of
   * the body says aloud.
   */
  window?: PetWindowSide | undefined
}

/** The bubble. */
export interface PetBubble {
  /**
   * For the page to put somewhere. Its attribute `data-side` (`left`, `right`, `below`) says where of the head it
   * stands; without it above.
   */
  readonly element: HTMLElement
  /** What takes clicks of it: for the option `solid` of `petBody`. */
  readonly box: HTMLElement
  /**
   * Shows a sentence at once, for a voice that is not the companion's: the bubble keeps to it until the voice stands
   * still (`''`).
   */
  say(text: string): void
  readonly look: BubbleLook
  /** Changes how it is. Throws where a value is wrong. */
  change(look: Partial<BubbleLook>): void
  /** It shows nothing any more. */
  close(): void
}

const words = {
  en: {
    asks: '{} has a question',
    show: 'Show me',
    back: 'Back',
    on: 'On',
    error: 'That did not work.',
    offline: 'Not connected.',
    works: 'Using {} …',
    does: '{} …',
    first: 'Nobody asked',
    notToday: 'Not today',
    taken: 'It lies in the chat, ready to send.',
    noChat: 'Open the chat, then drop it on me again.',
    tooLarge: 'That is too much: 8 files at most, and 10 MB.',
    notTaken: 'I could not take that. Put it into the chat itself.',
  },
  zh: {
    asks: '{}有事问你',
    show: '去看看',
    back: '上一句',
    on: '下一句',
    error: '没有成功。',
    offline: '连接断开了。',
    works: '正在使用 {} ……',
    does: '{} ……',
    first: '主动说的',
    notToday: '今天别说了',
    taken: '已经放到聊天里了，随时可以发送。',
    noChat: '先打开聊天窗口，再拖给我一次。',
    tooLarge: '太多了：最多 8 个文件，一共 10 MB。',
    notTaken: '我没能接住。请直接放到聊天窗口里。',
  },
}
/** Somebody who thinks longer than this shows it. */
const THINKS_MS = 2000
const LINGER_MS = 9000
/** What a person can take in beside the pet. */
const [MOST_ARGUMENTS, MOST_CHARACTERS, MOST_LINES] = [2, 120, 3]

/**
 * Makes the bubble; the page puts `element` somewhere. Colours are the `--sluice-*` of sluice/ui, parts `bubble`,
 * `text` and `pages`.
 */
export function petBubble({
  pet,
  name = 'Lulu',
  lang,
  openChat,
  questions = false,
  lingerMs = LINGER_MS,
  onShow,
  window: side,
  ...given
}: PetBubbleOptions): PetBubble {
  const element = document.createElement('div')
  const root = element.attachShadow({ mode: 'open' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(bubbleStyles)
  root.adoptedStyleSheets = [sheet]
  const make = <Tag extends keyof HTMLElementTagNameMap>(
    tag: Tag,
    parent: Node,
    set: Partial<HTMLElementTagNameMap[Tag]> = {},
  ): HTMLElementTagNameMap[Tag] => parent.appendChild(Object.assign(document.createElement(tag), set))
  const box = make('div', root, { className: 'bubble' })
  const line = make('p', box, { dir: 'auto' })
  const nav = make('nav', box)
  const back = make('button', nav, { type: 'button', textContent: '‹' })
  const count = make('span', nav)
  const on = make('button', nav, { type: 'button', textContent: '›' })
  const mark = make('div', box, { className: 'first' })
  const marked = make('span', mark)
  const notToday = make('button', mark, { type: 'button' })
  const question = make('div', box)
  const show = make('button', box, { type: 'button', className: 'show' })
  for (const [node, part] of [
    [box, 'bubble'],
    [line, 'text'],
    [nav, 'pages'],
    [mark, 'first'],
  ] as const)
    node.setAttribute('part', part)
  element.hidden = true

  let look: BubbleLook = usualLook
  let sayings = new Sayings()
  const said = new BubblePages()
  let heard: string | undefined // of a voice that is not the companion's
  let of: string | undefined
  let noted: PetNote | undefined // by the page of the body
  let asked: string | undefined
  let declined: string | undefined // a person wants no more of that
  let points: number | undefined
  let hushed = false // by its window
  let since = 0 // when the state began
  let state: PetView['state'] | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let closed = false
  const text = (): typeof words.en => words[(lang ?? document.documentElement.lang).startsWith('zh') ? 'zh' : 'en']

  function fits(piece: string): boolean {
    const [before, hidden] = [line.textContent, line.hidden]
    line.hidden = false
    line.textContent = piece
    const good = line.scrollHeight <= line.clientHeight + 1
    line.textContent = before
    line.hidden = hidden
    return good
  }

  function update(): void {
    if (closed) return
    clearTimeout(timer)
    const now = performance.now()
    const view = pet.getSnapshot()
    if (view.state !== state) {
      state = view.state
      since = now
    }
    if (view.answer?.id !== of) {
      of = view.answer?.id
      sayings = new Sayings()
      said.restart(now)
    }
    if (view.answer) sayings.take(view.answer, now)
    sayings.wait(now)
    draw(view, now)
  }

  function draw(view: PetView, now: number): void {
    const [ask] = view.questions
    const asking = ask !== undefined || view.waiting > 0
    const note = look.off ? undefined : (noted ?? view.note) // a person waits to be told that, also while it is quiet
    const silent = view.quiet || hushed || look.off || (!asking && of !== undefined && of === declined)
    if (!silent && element.isConnected) {
      const before = element.hidden
      element.hidden = false // what is not shown has no lines
      said.add(sayings.sentences.slice(said.fitted), fits)
      said.hear(heard ?? view.heard ?? '', now, fits)
      element.hidden = before
    }
    let next = asking ? Infinity : said.advance(now, look.duration, view.answer?.outcome !== 'cancelled')
    const lasts = Math.max(lingerMs, readingMs(said.text ?? '')) * look.duration
    const over = !sayings.open && said.atEnd && !said.heard && view.state !== 'speaking' && now >= said.since + lasts
    if (said.at >= 0 && !over && !sayings.open) next = Math.min(next, Math.max(said.since + lasts - now, 16))
    const shown = note
      ? text()[note]
      : silent
        ? ''
        : asking
          ? text().asks.replace('{}', () => name)
          : !over && said.text !== undefined
            ? said.text
            : (own(view, now) ?? '')
    if (shown === '' && view.state === 'thinking') next = Math.min(next, since + THINKS_MS - now)
    if ((sayings.open && view.answer) || (!silent && said.fitted < sayings.sentences.length)) next = Math.min(next, 150)

    const card = ask && cardOf(pet, ask)
    const small =
      ask !== undefined && questions && isSmall(ask, card) && customElements.get('sluice-approval') !== undefined
    const written = withoutOverrides(shown)
    if (line.textContent !== written) line.textContent = written
    line.hidden = small && !note
    box.classList.toggle('asks', asking)
    box.classList.toggle('small', small)
    const paged = !asking && !note && said.at >= 0 && !over && said.count > 1
    nav.hidden = !paged
    if (paged) {
      count.textContent = `${said.at + 1} / ${said.count}`
      back.setAttribute('aria-disabled', String(said.at === 0))
      on.setAttribute('aria-disabled', String(said.at === said.count - 1))
      back.setAttribute('aria-label', text().back)
      on.setAttribute('aria-label', text().on)
    }
    mark.hidden = asking || note !== undefined || !view.first || said.text === undefined || over
    if (!mark.hidden) [marked.textContent, notToday.textContent] = [text().first, text().notToday]
    show.hidden = !asking || small
    if (show.textContent !== text().show) show.textContent = text().show
    put(small ? ask : undefined, card)
    const hidden = shown === ''
    if (hidden !== element.hidden) {
      element.hidden = hidden
      side?.send({ bubble: !hidden })
      onShow?.(!hidden)
    }
    if (!hidden) point()
    if (next < Infinity) timer = setTimeout(update, Math.min(Math.max(16, next), MOST_MS))
  }

  /** What it says of itself. */
  function own(view: PetView, now: number): string | undefined {
    if (view.state === 'thinking' && now >= since + THINKS_MS) return '…'
    if (view.state === 'busy') {
      const named = escapeInvisible(
        view.title === undefined ? (view.tool ?? '') : inLanguage(view.title, lang ?? document.documentElement.lang),
      )
      return text()[view.title === undefined ? 'works' : 'does'].replace('{}', () => named)
    }
    if (view.state === 'error') return text().error
    return view.state === 'offline' ? text().offline : undefined
  }

  /** The question, in the element of sluice/ui: its buttons wait until it was seen. */
  function put(ask: QuestionView | undefined, card: CardView | undefined): void {
    question.hidden = ask === undefined
    if (ask?.token === asked) return
    asked = ask?.token
    question.replaceChildren()
    if (ask)
      question.append(
        Object.assign(document.createElement('sluice-approval'), {
          ask,
          card,
          message: pet.message,
          compact: true,
          name,
        }),
      )
  }

  /** To the head. */
  function point(): void {
    if (points === undefined) return
    const beside = element.dataset['side'] === 'left' || element.dataset['side'] === 'right'
    const room = element.getBoundingClientRect()
    const { width } = box.getBoundingClientRect()
    // Not in the middle where the edge of the screen moved the window away from the head.
    box.style.marginInlineStart = beside
      ? ''
      : `${Math.max(0, Math.min(room.width - width, points - room.left - width / 2))}px`
    const { left, top } = box.getBoundingClientRect()
    element.style.setProperty('--bubble-points', `${points - (beside ? top : left)}px`)
  }

  function change(changed: Partial<BubbleLook>): void {
    const next = { ...look, ...changed }
    checkLook(next, 'look')
    const resized = next.size !== look.size
    look = next
    element.style.setProperty('--bubble-size', String(look.size))
    if (resized && said.fitted > 0) said.refit(fits)
    update()
  }

  function turn(by: number): void {
    said.turn(by, performance.now(), sayings.open)
    update()
  }
  back.addEventListener('click', () => turn(-1))
  on.addEventListener('click', () => turn(1))
  notToday.addEventListener('click', () => {
    said.restart(performance.now())
    declined = of
    update()
    void pet.notToday?.().catch((error: unknown) => console.warn(error))
  })
  show.addEventListener('click', openChat)
  line.addEventListener('dblclick', openChat)
  const leave = side?.on((order) => {
    if (order.side) element.dataset['side'] = order.side
    if (typeof order.points === 'number') points = order.points
    if (order.quiet !== undefined) hushed = order.quiet
    if (order.heard !== undefined) heard = order.heard === '' ? undefined : order.heard
    if (order.note !== undefined) noted = order.note || undefined
    if (order.look) change(readLook(order.look))
    else update()
  })
  const off = pet.subscribe(update)
  change(given)
  side?.send({ ready: true })
  return {
    element,
    box,
    get look() {
      return look
    },
    change,
    say(sentence) {
      heard = sentence === '' ? undefined : sentence
      update()
    },
    close() {
      closed = true
      clearTimeout(timer)
      off()
      leave?.()
      element.remove()
    },
  }
}

/** The card of a question: it has what the call holds beside its arguments. */
const cardOf = ({ message }: PetBubbleOptions['pet'], { call }: QuestionView): CardView | undefined =>
  findCard(message?.getSnapshot()?.blocks ?? [], call)

/** A question that a person can take in beside the pet: nothing is to be said of it but a few short arguments. */
export function isSmall(
  ask: Pick<QuestionView, 'stage' | 'name' | 'arguments'>,
  card?: Pick<CardView, 'askedName' | 'twice' | 'protocolFields'>,
): boolean {
  if (ask.stage !== 'execution' || card?.twice || card?.protocolFields || renamed(card?.askedName, ask.name))
    return false
  const given = Object.entries(ask.arguments ?? {})
  if (given.length > MOST_ARGUMENTS || given.some(([, value]) => typeof value === 'object' && value !== null))
    return false
  const all = given.map(([name, value]) => `${name} ${String(value)}`).join('\n')
  return all.length <= MOST_CHARACTERS && all.split(/[\n\r\u2028\u2029]/).length <= MOST_LINES
}
