// Pictures of a result at their full size: arrows lead from one to the next, Escape closes, and each can be saved.
// Imports nothing that runs: it is a file of its own, and what it shared with others would be one more.
import type { IconName } from './icons.js'
import type { Strings } from './ui-strings.js'

const css = String.raw
const styles = new CSSStyleSheet()
styles.replaceSync(css`
  .lightbox { max-width: 96vw; max-height: 96vh; padding: 10px; border: 1px solid var(--_border); border-radius: var(--_radius); background: var(--_background); color: inherit; }
  .lightbox::backdrop { background: rgb(0 0 0 / .6); }
  .lightbox > img { display: block; max-width: 90vw; max-height: 80vh; margin: 0 auto; }
  .bar-of-pictures { display: flex; gap: 8px; align-items: center; justify-content: center; padding-top: 8px; }
  .bar-of-pictures .told { font-size: .88em; color: var(--_muted); font-variant-numeric: tabular-nums; }
`)

/** Opens the pictures over the page; the focus comes back to where it was. `draw` puts an icon into a button. */
export function openLightbox(
  root: ShadowRoot,
  sources: readonly string[],
  from: number,
  words: Strings,
  draw: (icon: IconName, into: HTMLElement) => void,
): void {
  let at = from
  if (!root.adoptedStyleSheets.includes(styles)) root.adoptedStyleSheets.push(styles)
  const dialog = document.createElement('dialog')
  dialog.className = 'lightbox'
  dialog.setAttribute('part', 'lightbox')
  const image = document.createElement('img')
  const position = document.createElement('span')
  position.className = 'told'
  position.setAttribute('aria-live', 'polite')
  const save = document.createElement('a')
  save.className = 'button quiet'
  save.textContent = words.savePicture
  const show = (to: number): void => {
    at = (to + sources.length) % sources.length
    const source = sources[at] as string
    image.src = save.href = source
    image.alt = words.image
    save.download = `${words.pictureName(at + 1)}.${/^data:image\/(\w+)/.exec(source)?.[1] ?? 'png'}`
    position.textContent = sources.length > 1 ? words.pictureOf(at + 1, sources.length) : ''
  }
  const button = (name: IconName, label: string, act: () => void): HTMLButtonElement => {
    const made = document.createElement('button')
    made.type = 'button'
    made.className = `button quiet ${name}`
    made.setAttribute('aria-label', label)
    draw(name, made)
    made.addEventListener('click', act)
    return made
  }
  const bar = document.createElement('div')
  bar.className = 'bar-of-pictures'
  if (sources.length > 1)
    bar.append(
      button('before', words.previousPicture, () => show(at - 1)),
      position,
      button('chevron', words.nextPicture, () => show(at + 1)),
    )
  bar.append(
    save,
    button('cross', words.close, () => dialog.close()),
  )
  dialog.append(image, bar)
  dialog.setAttribute('aria-label', words.image)
  dialog.addEventListener('close', () => dialog.remove())
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close())
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowLeft') show(at - 1)
    else if (event.key === 'ArrowRight') show(at + 1)
  })
  show(from)
  root.append(dialog)
  dialog.showModal()
}
