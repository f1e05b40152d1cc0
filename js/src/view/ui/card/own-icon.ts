// A picture of the app's own, drawn in the colour of the text. Where the page's policy does not load it, the picture of
// the kit stays.
import { render } from 'lit'
import { icon, type IconName } from '../shared/icons.js'

const loaded = new Map<string, Promise<boolean>>()

/** An element with the picture, or with that of the kit until it is there. */
export function ownIcon(source: string, otherwise: IconName): HTMLElement {
  const element = document.createElement('span')
  element.className = 'own'
  render(icon(otherwise), element)
  void isLoaded(source).then((good) => {
    if (!good) return
    element.replaceChildren()
    // Nothing in it may end the address.
    const address = source.replace(/["'()\\\s<>]/g, (one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`)
    element.style.setProperty('mask-image', `url("${address}")`)
    element.classList.add('drawn')
  })
  return element
}

function isLoaded(source: string): Promise<boolean> {
  const known = loaded.get(source)
  if (known) return known
  const image = new Image()
  const promise = new Promise<boolean>((resolve) => {
    image.addEventListener('load', () => resolve(true))
    image.addEventListener('error', () => resolve(false))
  })
  image.src = source
  loaded.set(source, promise)
  return promise
}
