// The question before a link is opened: the whole address, the host in bold as computers write it. A host is asked
// about once. Imports nothing that runs: it is a file of its own, and what it shared with others would be one more.
import type { copyText } from '../shared/copy.js'
import type { clickOf, decides } from '../approval/presses.js'
import type { ActionOptions } from './action-options.js'
import type { OpenLink } from './text-types.js'

const css = String.raw
const styles = new CSSStyleSheet()
styles.replaceSync(css`
  .link-question {
    width: min(460px, calc(100vw - 24px)); padding: 18px; overflow-wrap: anywhere; border: 1px solid var(--_border);
    border-radius: calc(var(--_radius) + 4px); background: var(--_background); color: var(--_text); box-shadow: 0 20px 60px rgb(0 0 0 / .32);
  }
  .link-question::backdrop { background: rgb(10 12 20 / .42); }
  .link-question h2 { margin: 0 0 10px; font-size: 1.05em; }
  .link-question p { margin: 0 0 12px; }
  .link-question .address { max-height: 40vh; overflow: auto; padding: 8px 10px; border-radius: var(--_small-radius); background: var(--_inset); font: .88em / 1.5 var(--_mono); }
  .link-question .deciding { display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 8px; }
`)

/** What it shares with the text around it. */
interface Shared {
  copyText: typeof copyText
  clickOf: typeof clickOf
  decides: typeof decides
}

/** Hosts that a person agreed to on this page. A host of the app remembers them for all pages: see `OpenLink.known`. */
const agreed = new Set<string>()

const hostKey = ({ protocol, host, pathname }: URL): string => (host ? `${protocol}//${host}` : protocol + pathname)

/** Opens it where a person agreed to its host before; else asks beside `origin`, an element of the text. */
export function askLink(
  origin: HTMLElement,
  address: string,
  { words, openLink }: ActionOptions,
  shared: Shared,
): void {
  const url = new URL(address)
  const root = origin.getRootNode()
  const place = root instanceof ShadowRoot ? root : document.body
  if (place instanceof ShadowRoot && !place.adoptedStyleSheets.includes(styles)) place.adoptedStyleSheets.push(styles)
  const ask = (): void =>
    void (place.querySelector('.link-question') ?? question(origin, place, url, { words, openLink }, shared))
  if (openLink?.known)
    return void openLink
      .known(url.href)
      .catch(() => false)
      .then((opened) => opened || ask())
  if (openLink && agreed.has(hostKey(url))) return void opened(openLink, url)
  ask()
}

/** Returns false where it could not be opened. */
async function opened(openLink: OpenLink, url: URL): Promise<boolean> {
  try {
    await openLink(url.href)
    agreed.add(hostKey(url))
    return true
  } catch {
    return false
  }
}

function question(
  origin: HTMLElement,
  place: ParentNode,
  url: URL,
  { words, openLink }: ActionOptions,
  { copyText, clickOf, decides }: Shared,
): void {
  const dialog = make('dialog', { class: 'link-question', part: 'link-question' })
  const title = make('h2', { id: 'link-question' }, openLink ? words.linkQuestion : words.linkAddress)
  dialog.setAttribute('aria-labelledby', title.id)
  const note = make('p', { role: 'status' }, words.linkNotOpened)
  note.hidden = openLink !== undefined
  const say = (text: string): void => {
    note.textContent = text
    note.hidden = false
  }
  const close = (): void => dialog.close()
  const copy = button(
    words.copy,
    'button',
    () => void copyText(url.href).then((done) => done && (copy.textContent = words.copied)),
  )
  const buttons = [button(words.linkCancel, 'button quiet', close), copy]
  if (openLink) {
    const opener = button(words.linkOpen, 'button primary', async (event) => {
      if (clickOf(event) !== 'counts') return say(words.questionChanged) // its press was for what stood here before
      if (await opened(openLink, url)) return close()
      opener.remove()
      say(words.linkNotOpened)
    })
    decides(opener, () => ({ question: url.href, armed: true }))
    buttons.push(opener)
  }
  dialog.append(title, addressOf(url), note, make('div', { class: 'deciding' }, ...buttons))
  dialog.addEventListener('close', () => {
    dialog.remove()
    if (origin.isConnected) origin.focus()
  })
  place.append(dialog)
  dialog.showModal()
  buttons[0]?.focus()
}

function addressOf(url: URL): HTMLElement {
  const [before, after] = split(url)
  const element = make('p', { class: 'address', dir: 'ltr' }, before, make('b', {}, url.host || url.pathname), after)
  return element
}

function split({ href, host, pathname }: URL): [string, string] {
  const name = host || pathname
  const at = host ? href.indexOf(host, href.indexOf('//')) : href.indexOf(pathname)
  return [href.slice(0, at), href.slice(at + name.length)]
}

function button(label: string, className: string, act: (event: Event) => unknown): HTMLButtonElement {
  const element = make('button', { type: 'button', class: className }, label)
  element.addEventListener('click', act)
  return element
}

function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: { [name: string]: string },
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}
