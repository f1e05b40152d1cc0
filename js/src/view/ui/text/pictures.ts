// Pictures of a text. None is loaded by itself: its address can carry the conversation away. A file of its own, which
// the first click on a picture loads.
import type { ActionOptions } from './action-options.js'

const RASTER = /^image\/(?:png|jpeg|gif|webp|avif)$/
const MOST_BYTES = 2_000_000

export async function loadPicture(
  chip: HTMLElement,
  source: string,
  { words, loadImage }: Pick<ActionOptions, 'words' | 'loadImage'>,
): Promise<void> {
  if (chip.dataset['state']) return
  chip.dataset['state'] = 'loading'
  chip.setAttribute('aria-busy', 'true')
  try {
    const image = document.createElement('img')
    image.alt = chip.dataset['alt'] ?? ''
    image.src = source.startsWith('data:') ? own(source) : await loaded(source, loadImage)
    await image.decode()
    if (image.src.startsWith('blob:')) URL.revokeObjectURL(image.src)
    const button = chip.querySelector('button')
    const pressed = button !== null && (chip.getRootNode() as Document | ShadowRoot).activeElement === button
    chip.append(image)
    chip.dataset['state'] = 'shown'
    if (pressed) {
      // it disappears
      image.tabIndex = -1
      image.focus({ preventScroll: true })
    }
  } catch {
    const note = document.createElement('span')
    note.className = 'note'
    note.textContent = words.pictureFailed
    chip.querySelector('.note')?.remove()
    chip.append(note)
    delete chip.dataset['state'] // it can be tried again
  } finally {
    chip.removeAttribute('aria-busy')
  }
}

function own(source: string): string {
  const found = /^data:([^;,]+);base64,[A-Za-z0-9+/=\s]*$/.exec(decodeURI(source))
  if (!found || !RASTER.test(found[1] as string) || source.length * 0.75 > MOST_BYTES) throw new Error('no picture')
  return source
}

async function loaded(source: string, load: ActionOptions['loadImage']): Promise<string> {
  const blob = await load?.(source)
  if (!blob || !RASTER.test(blob.type)) throw new Error('no picture')
  return URL.createObjectURL(blob)
}
