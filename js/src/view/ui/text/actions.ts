// What a person can do with typeset text: copy code and tables, wrap lines, follow a link after a question, load a
// picture.
import { copyText } from '../shared/copy.js'
import { clickOf, decides } from '../approval/presses.js'
import type { Strings } from '../shared/ui-strings.js'
import type { ActionOptions } from './action-options.js'
import { csvOf } from './csv.js'
import { LateFile } from '../shared/late-file.js'

const MIDDLE = 1 // MouseEvent.button
const COPIED_MS = 1600

/** Listens on `root`. */
export function actions(root: HTMLElement, options: () => ActionOptions): void {
  const act = (event: Event): void => {
    const target = event.target as Element
    if (event.type === 'auxclick' && (event as MouseEvent).button !== MIDDLE) return // a right click asks for a menu
    const link = target.closest<HTMLAnchorElement>('a[href]')
    if (link && root.contains(link)) {
      event.preventDefault() // nothing is opened by the page itself
      return follow(link, options())
    }
    const button = target.closest<HTMLButtonElement>('button[data-act]')
    if (!button || event.type !== 'click') return
    switch (button.dataset['act']) {
      case 'wrap':
        return wrap(button)
      case 'copy':
        return void copy(
          button,
          button.closest('.code')?.querySelector('code')?.textContent ?? '',
          'code',
          options().words,
        )
      case 'csv':
        return void copy(button, csvOf(button.closest('.table')?.querySelector('table')), 'table', options().words)
      case 'picture':
        return picture(button, options())
    }
  }
  root.addEventListener('click', act)
  root.addEventListener('auxclick', act)
}

function follow(link: HTMLAnchorElement, options: ActionOptions): void {
  const detail = { url: link.href, text: link.textContent ?? '' }
  if (fire(link, 'sluice-link', detail, true)) void askLink(link, detail.url, options)
}

/** Few links are followed, and few pictures of a text are loaded: the first click loads the files that do it. */
const linkFile = new LateFile(() => import('./link-question.js'))
const pictureFile = new LateFile(() => import('./pictures.js'))

async function askLink(origin: HTMLElement, address: string, options: ActionOptions): Promise<void> {
  await linkFile.load()
  linkFile.file?.askLink(origin, address, options, { copyText, clickOf, decides })
}

async function loadPicture(chip: HTMLElement, source: string, options: ActionOptions): Promise<void> {
  await pictureFile.load()
  await pictureFile.file?.loadPicture(chip, source, options)
}

function wrap(button: HTMLButtonElement): void {
  const wrapped = button.closest('.code')?.classList.toggle('wrapped') === true
  button.setAttribute('aria-pressed', String(wrapped))
}

async function copy(button: HTMLButtonElement, text: string, what: 'code' | 'table', words: Strings): Promise<void> {
  if (!(await copyText(text))) return
  fire(button, 'sluice-copy', { text, what })
  const label = button.textContent
  if (label === words.copied) return
  button.textContent = words.copied
  setTimeout(() => (button.textContent = label), COPIED_MS)
}

function picture(button: HTMLButtonElement, options: ActionOptions): void {
  const chip = button.closest<HTMLElement>('.picture')
  const source = chip?.dataset['source']
  if (!chip || !source) return
  if (options.loadImage || source.startsWith('data:')) return void loadPicture(chip, source, options)
  if (fire(button, 'sluice-link', { url: source, text: button.textContent ?? '' }, true))
    void askLink(button, source, options)
}

function fire(element: Element, name: string, detail: object, cancelable = false): boolean {
  return element.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable }))
}
