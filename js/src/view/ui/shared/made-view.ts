// Draws where a text comes from, and pictures and files that a model made. Plain DOM, text nodes only. A file of its
// own: few answers have them. What it draws may come from anywhere: no member is trusted to have its type.
import { fileExtension } from '../../../app/bridge/file-extension.js'
import { splitInvisible } from '../../../app/bridge/invisible.js'
import type { imageSource } from './images.js'
import type { Strings } from './ui-strings.js'

/** The engine reports no more sources of one text. */
const MOST_SOURCES = 256
const MOST_PARTS = 256
/** How many characters of a title and of a quotation are shown. */
const TITLE = 200
const QUOTED = 500

const css = String.raw
export const madeStyles = new CSSStyleSheet()
madeStyles.replaceSync(css`
  .sources {
    max-height: var(--_max-height); margin: 0; padding: 2px 0 2px 2em; overflow: auto; overscroll-behavior: contain;
    color: var(--_muted); font-size: .86em;
  }
  .group > .sources, .refusal > .sources { margin-top: 6px; }
  .sources:empty { display: none; }
  .sources li { overflow-wrap: anywhere; }
  .sources a { color: var(--_accent-ink); text-underline-offset: 2.5px; }
  .sources bdi { unicode-bidi: isolate; }
  .sources q { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: isolate; }
  .media { display: grid; gap: 10px; }
  .media:empty { display: none; }
  .media figure { display: grid; gap: 6px; justify-items: start; margin: 0; }
  .media img { display: block; max-width: 100%; max-height: 480px; border-radius: var(--_small-radius); }
  .media p { margin: 0; overflow-wrap: anywhere; }
  .media small { color: var(--_muted); }
`)

const filled = new WeakMap<Element, { words: Strings; items: readonly unknown[] }>()

/** Draws each item. The first ones that were drawn before stay: a link keeps the focus, a picture is decoded once. */
function fill<Item>(
  box: Element,
  items: readonly Item[],
  words: Strings,
  draw: (item: Item, at: number) => HTMLElement,
): void {
  const before = filled.get(box)
  let at = 0
  if (before?.words === words) while (at < items.length && items[at] === before.items[at]) at++
  for (const old of [...box.children].slice(at)) old.remove()
  box.append(...items.slice(at).map((item, more) => draw(item, at + more)))
  filled.set(box, { words, items })
}

type Given = { readonly [member: string]: unknown }

const textIn = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')
const listOf = (value: unknown, most: number): Given[] =>
  (Array.isArray(value) ? value.slice(0, most) : []).filter((one) => typeof one === 'object' && one !== null)

/** An address that a page may link to. */
function webAddress(value: unknown): URL | undefined {
  const url = textIn(value)
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined
  return new URL(url)
}

// -- sources ----------------------------------------------------------------------------------------------------------

/** Fills `list`, an `ol`: one numbered line for each page or file, however often the text comes from it. */
export function drawSources(list: Element, given: unknown, words: Strings): void {
  const lines = new Map<string, { address: URL | undefined; title: string; cited: string }>()
  for (const { url, title, id, cited } of listOf(given, MOST_SOURCES)) {
    const address = webAddress(url)
    const name = textIn(title) || textIn(id)
    const key = address?.href ?? name
    const line = lines.get(key) ?? { address, title: name, cited: '' }
    line.title ||= name
    line.cited ||= textIn(cited)
    if (key !== '') lines.set(key, line)
  }
  list.setAttribute('aria-label', words.sources)
  const shown = [...lines.values()].map(({ address, title, cited }) => JSON.stringify([address ?? '', title, cited]))
  fill(list, shown, words, lineOf)
}

/** @param shown address, title and quotation, as JSON */
function lineOf(shown: string): HTMLElement {
  const [url, title, cited] = JSON.parse(shown) as [string, string, string]
  const address = webAddress(url)
  const line = make('li')
  const name = make('bdi')
  name.append(...marked(title.slice(0, TITLE) || (address?.host ?? '')))
  if (address) line.append(linkTo(address, name))
  else line.append(name)
  if (address && title !== '') line.append(' ', make('bdi', `(${address.host})`))
  if (cited !== '') {
    const quote = make('q')
    quote.append(...marked(cited.slice(0, QUOTED)))
    quote.title = quote.textContent ?? ''
    line.append(quote)
  }
  return line
}

function linkTo({ href }: URL, ...content: (Node | string)[]): HTMLElement {
  const link = make('a')
  link.href = href
  link.target = '_blank'
  link.rel = 'noopener noreferrer'
  link.setAttribute('part', 'link')
  link.append(...content)
  return link
}

// -- pictures and files -----------------------------------------------------------------------------------------------

/** Fills `box` with the parts. */
export function drawMedia(box: Element, given: unknown, words: Strings, draw: typeof imageSource): void {
  fill(box, listOf(given, MOST_PARTS), words, (part, at) => figureOf(part, at + 1, words, draw))
}

function figureOf(part: Given, number: number, words: Strings, draw: typeof imageSource): HTMLElement {
  const figure = make('figure')
  const data = textIn(part['data']).replaceAll('-', '+').replaceAll('_', '/')
  const mediaType = textIn(part['mediaType'])
  const source = part['type'] === 'image' ? draw({ mediaType, data }) : undefined
  if (source !== undefined && data !== '') {
    const image = make('img')
    image.alt = words.pictureInText
    image.setAttribute('part', 'image')
    image.src = source
    image.addEventListener('error', () => image.replaceWith(nameOf(part, words)))
    figure.append(image)
  } else figure.append(nameOf(part, words))
  if (data !== '') figure.append(saveButton(part, data, number, words))
  return figure
}

/** What stands for a part that is not drawn. A picture elsewhere is not loaded: the request would tell its server. */
function nameOf(part: Given, words: Strings): HTMLElement {
  const line = make('p')
  const address = webAddress(part['url'])
  const kind = part['type'] === 'image' ? words.pictureInText : words.file
  const name = make('bdi')
  name.append(...marked((textIn(part['name']) || kind).slice(0, TITLE)))
  line.append(address ? linkTo(address, name) : name)
  const more = [textIn(part['mediaType']).slice(0, 100), address?.host].filter(Boolean).join(', ')
  if (more !== '') {
    const small = make('small')
    small.append(' ', ...marked(more))
    line.append(small)
  }
  return line
}

function saveButton(part: Given, data: string, number: number, words: Strings): HTMLElement {
  const button = make('button', words.savePicture)
  button.type = 'button'
  button.className = 'button quiet'
  button.setAttribute('part', 'save')
  const name = fileName(part, number, words)
  button.setAttribute('aria-label', `${words.savePicture}: ${name}`)
  button.addEventListener('click', () => {
    try {
      save(data, name)
    } catch {
      button.disabled = true // it is not base64
    }
  })
  return button
}

function fileName(part: Given, number: number, words: Strings): string {
  const given = textIn(part['name'])
    .slice(-100)
    .replace(/[\\/:*?"<>|\p{C}]/gu, '_')
    .replace(/^\.+/, '')
  if (given !== '') return given
  const stem = part['type'] === 'image' ? words.pictureName(number) : `${words.file}-${number}`
  return `${stem}.${fileExtension(part['mediaType'])}`
}

/** No browser opens these bytes by itself, whatever their media type says. */
function save(data: string, name: string): void {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
  const link = make('a')
  link.href = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

// -- text -------------------------------------------------------------------------------------------------------------

/** A text with its invisible characters marked. */
const marked = (text: string): (Node | string)[] =>
  splitInvisible(text).map((run, at) => {
    if (at % 2 === 0) return run
    const mark = make('span', `⟨${run}⟩`)
    mark.className = 'code-point'
    mark.setAttribute('part', 'code-point')
    return mark
  })

function make<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, text = ''): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  element.textContent = text
  return element
}
