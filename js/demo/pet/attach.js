// Pictures that go with the next message: chosen from files, pasted, or dropped on the chat.
import { onLook, word } from './words.js'

const types = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const most = 8

/** `onChange()` is called when a picture came or went; `refuse(words)` when one cannot be taken. */
export function startAttaching({ chat, text, button, input, tray }, { onChange, refuse }) {
  let pictures = [] // { file, url }

  function add(files) {
    const taken = files.filter(({ type }) => types.includes(type))
    const room = most - pictures.length
    pictures.push(...taken.slice(0, room).map((file) => ({ file, url: URL.createObjectURL(file) })))
    const odd = files.find((file) => !taken.includes(file))
    refuse(odd ? word('noPicture').replace('{}', odd.name) : taken.length > room ? word('manyPictures').replace('{}', most) : '')
    show()
  }

  function remove(picture) {
    const at = pictures.indexOf(picture)
    URL.revokeObjectURL(picture.url)
    pictures.splice(at, 1)
    show()
    const next = tray.querySelectorAll('button')[Math.min(at, pictures.length - 1)]
    ;(next ?? text).focus()
  }

  function show() {
    tray.hidden = pictures.length === 0
    tray.replaceChildren(...pictures.map((picture, at) => {
      const item = document.createElement('li')
      const image = Object.assign(document.createElement('img'), { src: picture.url, alt: picture.file.name || word('picture') })
      const button = Object.assign(document.createElement('button'), { type: 'button', textContent: '×' })
      const label = word('removePicture').replace('{}', picture.file.name || String(at + 1))
      button.setAttribute('aria-label', label)
      button.title = label
      button.addEventListener('click', () => remove(picture))
      item.append(image, button)
      return item
    }))
    onChange()
  }

  button.addEventListener('click', () => input.click())
  input.addEventListener('change', () => {
    add([...input.files])
    input.value = '' // the same file may be chosen again
    text.focus()
  })
  text.addEventListener('paste', (event) => {
    const files = [...event.clipboardData.files]
    if (files.length === 0) return
    event.preventDefault()
    add(files)
  })
  const brings = (event) => event.dataTransfer?.types.includes('Files')
  chat.addEventListener('dragover', (event) => {
    if (!brings(event)) return
    event.preventDefault()
    chat.classList.add('drop')
  })
  chat.addEventListener('dragleave', (event) => {
    if (!chat.contains(event.relatedTarget)) chat.classList.remove('drop')
  })
  chat.addEventListener('drop', (event) => {
    if (!brings(event)) return
    event.preventDefault() // the browser would show the file in place of the page
    chat.classList.remove('drop')
    add([...event.dataTransfer.files])
  })
  onLook(show)

  return {
    get files() { return pictures.map(({ file }) => file) },
    clear() {
      for (const { url } of pictures) URL.revokeObjectURL(url)
      pictures = []
      show()
    },
  }
}

/** The pictures of a question, fetched one after the other from where the conversation keeps them. */
export function picturesOf(conversation, parts) {
  const row = document.createElement('div')
  row.className = 'pictures'
  const images = parts.filter(({ type }) => type === 'image').map((part) => {
    const image = Object.assign(document.createElement('img'), { alt: word('picture') })
    image.dataset.alt = 'picture'
    row.append(image)
    return [part, image]
  })
  void (async () => {
    for (const [part, image] of images) {
      try {
        const { mediaType, data } = await conversation.picture(part)
        if (types.includes(mediaType)) image.src = `data:${mediaType};base64,${data}`
      } catch {
        image.replaceWith(word('lostPicture'))
      }
    }
  })()
  return row
}
