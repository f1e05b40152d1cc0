// The drawer: which model answers, how the page looks, which tools there are.
import { post } from '/sluice/renderer/web-bridge.js'
import { look, onLook, word } from './words.js'

const $ = (selector) => document.querySelector(selector)

export function startSettings({ client, demo, chat }) {
  const drawer = $('#drawer')
  const form = $('#server')
  let { server } = demo
  const { provider } = form.elements
  provider.append(...demo.providers.map(({ name, title }) => new Option(title, name)))

  const open = () => {
    if (!$('#configuration').firstChild) {
      const element = document.createElement('sluice-configuration')
      element.client = client
      $('#configuration').append(element)
    }
    fill()
    drawer.showModal()
  }
  $('#settings').addEventListener('click', open)
  $('#model').addEventListener('click', open)
  $('#drawer-close').addEventListener('click', () => drawer.close())
  drawer.addEventListener('click', (event) => event.target === drawer && outside(drawer, event) && drawer.close())
  drawer.addEventListener('close', () => void chat.refresh())

  // -- the model ------------------------------------------------------------------------------------------------------------

  function fill() {
    form.elements.kind.value = server ? 'real' : 'scripted'
    provider.value = server?.provider ?? ''
    form.elements.baseURL.value = server?.baseURL ?? ''
    form.elements.model.value = server?.model ?? ''
    form.elements.apiKey.value = ''
    said('')
    show()
  }

  function show() {
    $('#real').hidden = form.elements.kind.value !== 'real'
    const known = demo.providers.find(({ name }) => name === provider.value)
    form.elements.baseURL.placeholder = known?.baseURL ?? 'http://127.0.0.1:11434/v1'
    form.elements.model.placeholder = known?.example ?? 'qwen3:8b'
    $('#key-hint').textContent = word(server?.hasKey ? 'keyKept' : 'keyHint')
    $('#model').textContent = server?.model ?? word('scripted')
    $('#model').title = server ? server.baseURL || (demo.providers.find(({ name }) => name === server.provider)?.baseURL ?? '') : word('serverText')
    for (const [name, value] of [['theme', look.theme], ['language', look.language], ['voice', look.voice]]) {
      for (const radio of document.querySelectorAll(`input[name=${name}]`)) radio.checked = radio.value === value
    }
    $('#no-voice').hidden = look.voice === 'off' || speechSynthesis.getVoices().length > 0
  }

  function said(text, bad = false) {
    $('#server-said').textContent = text
    $('#server-said').classList.toggle('bad', bad)
  }

  async function use(input) {
    try {
      ;({ server } = await post('/api/server', input))
      form.elements.apiKey.value = ''
      said(word('saved'))
    } catch (error) {
      said(word('failed') + (error.path ? `${error.path}: ` : '') + (error.detail ?? error.message), true)
      form.elements[error.path]?.focus?.()
    }
    show()
  }

  form.addEventListener('change', ({ target }) => {
    if (target === provider) {
      form.elements.baseURL.value = '' // the provider knows its own
      return show()
    }
    if (target.name !== 'kind') return
    said('')
    if (target.value === 'scripted' && server) void use({ scripted: true })
    else show()
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (form.elements.kind.value !== 'real') return
    const { baseURL, model, apiKey } = form.elements
    void use({ provider: provider.value, baseURL: baseURL.value.trim(), model: model.value, ...(apiKey.value === '' ? {} : { apiKey: apiKey.value.trim() }) })
  })

  // -- how it looks ---------------------------------------------------------------------------------------------------------

  $('#theme').addEventListener('click', () => (look.theme = look.dark ? 'light' : 'dark'))
  $('#language').addEventListener('click', () => (look.language = look.language === 'zh' ? 'en' : 'zh'))
  $('#themes').addEventListener('change', ({ target }) => (look.theme = target.value))
  $('#languages').addEventListener('change', ({ target }) => (look.language = target.value))
  $('#voices').addEventListener('change', ({ target }) => (look.voice = target.value))
  speechSynthesis.addEventListener('voiceschanged', show)
  onLook(show)
}

const outside = (element, { clientX }) => clientX < element.getBoundingClientRect().left
