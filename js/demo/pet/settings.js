// The drawer: who answers, Lulu herself, how the page looks, and for engineers which tools there are and how they are
// called.
import { startPetPage } from './pet-page.js'
import { look, onLook, word } from './words.js'

const $ = (selector) => document.querySelector(selector)

/** `who`: what the chat knows of who answers; `who.changed()` is called when that changed here. */
export function startSettings({ client, demo, who }) {
  const drawer = $('#drawer')
  const tabs = [...$('#tabs').children]
  const pet = startPetPage({ desktop: demo.desktop })

  const open = (name) => {
    choose(tabs.find(({ id }) => id === `tab-${name}`))
    if (!drawer.open) drawer.showModal()
    void pet.open()
  }
  $('#settings').addEventListener('click', () => open('model'))
  $('#model').addEventListener('click', () => open('model'))
  $('#drawer-close').addEventListener('click', () => drawer.close())
  drawer.addEventListener('click', (event) => event.target === drawer && outside(drawer, event) && drawer.close())

  // -- its pages ------------------------------------------------------------------------------------------------------

  /** What few look at is made when somebody does. */
  const make = {
    'page-model': () => {
      const server = element('sluice-server')
      server.addEventListener('sluice-connected', () => who.changed())
      $('#server').append(server)
    },
    'page-tools': () => $('#page-tools').append(element('sluice-configuration')),
  }
  const element = (name) => Object.assign(document.createElement(name), { client })

  function choose(tab) {
    for (const one of tabs) {
      const page = $(`#${one.getAttribute('aria-controls')}`)
      one.setAttribute('aria-selected', one === tab)
      one.tabIndex = one === tab ? 0 : -1
      page.hidden = one !== tab
      if (one !== tab) continue
      make[page.id]?.()
      delete make[page.id]
      page.scrollTop = 0
    }
  }
  for (const tab of tabs) tab.addEventListener('click', () => choose(tab))
  $('#tabs').addEventListener('keydown', (event) => {
    const at = tabs.findIndex((tab) => tab.tabIndex === 0)
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    choose(tabs[next % tabs.length])
    tabs[next % tabs.length].focus()
  })

  // -- who answers ----------------------------------------------------------------------------------------------------

  $('#scripted').addEventListener('click', async () => {
    await client.server.use(null)
    void $('#server').firstChild?.refresh()
    await who.changed()
  })

  function show() {
    $('#model').textContent = who.model ?? word('scripted')
    $('#model').title = word('serverText')
    $('#who').textContent = word('answersNow') + (who.model ?? word('scripted'))
    $('#scripted').hidden = who.model === undefined
    for (const [name, value] of [
      ['theme', look.theme],
      ['language', look.language],
    ]) {
      for (const radio of document.querySelectorAll(`input[name=${name}]`)) radio.checked = radio.value === value
    }
  }
  who.watch(show)

  // -- how it looks ---------------------------------------------------------------------------------------------------

  $('#theme').addEventListener('click', () => (look.theme = look.dark ? 'light' : 'dark'))
  $('#language').addEventListener('click', () => (look.language = look.language === 'zh' ? 'en' : 'zh'))
  $('#themes').addEventListener('change', ({ target }) => (look.theme = target.value))
  $('#languages').addEventListener('change', ({ target }) => (look.language = target.value))
  onLook(show)
}

const outside = (element, { clientX }) => clientX < element.getBoundingClientRect().left
