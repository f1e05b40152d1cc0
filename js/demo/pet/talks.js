// Yesterday's conversations: behind a button, or beside the chat where there is room.
import { open, watchCurrent } from './conversation.js'

const $ = (selector) => document.querySelector(selector)

export function startTalks({ client, talk }) {
  const list = $('#talks-list')
  const drawer = $('#talks-drawer')
  const roomy = matchMedia('(min-width: 1500px) and (min-height: 480px)')
  watchCurrent((id) => (list.current = id))

  function place() {
    const beside = roomy.matches && document.documentElement.dataset.view === 'both'
    if (beside) drawer.close()
    const home = beside ? $('#talks-side') : drawer
    if (list.parentElement !== home) home.append(list)
    $('#talks-side').hidden = !beside
    $('#talks').hidden = beside
    if (beside) read()
  }

  function read() {
    if (list.client) return void list.refresh()
    list.client = client
  }

  $('#talks').addEventListener('click', () => {
    read()
    drawer.showModal()
  })
  $('#talks-close').addEventListener('click', () => drawer.close())
  list.addEventListener('sluice-open', ({ detail }) => {
    open(detail.conversation)
    drawer.close()
    talk.focusComposer()
  })
  roomy.addEventListener('change', place)
  place()
  /** Something was said, or the conversation is another one. */
  return { changed: () => void (list.client && !$('#talks-side').hidden && list.refresh()) }
}
