// The conversation: what was said, what the last answer is up to, and what a person can say next.
import '/sluice/ui/index.js'
import { begin, current, doing, watchAnswer, watchConversation } from './conversation.js'
import { keepEnd } from './scroll.js'
import { look, onLook, word } from './words.js'

const $ = (selector) => document.querySelector(selector)

export function startChat({ client, demo }) {
  const [entries, text] = [$('#entries'), $('#text')]
  const { follow, jump } = keepEnd($('#log'), entries, $('#latest'))
  let answer // the last one, and what it looks like now
  let view
  let asked = '' // the last question
  let settings = {}
  let configured = Promise.resolve(true) // what is asked now is answered with what was chosen before
  let { protocols } = demo

  // -- what was said --------------------------------------------------------------------------------------------------------

  let shown = { id: undefined, count: 0 }
  watchConversation(client, ({ id, entries: list }) => {
    if (id !== shown.id || list.length < shown.count) {
      entries.replaceChildren()
      shown = { id, count: 0 }
    }
    for (const entry of list.slice(shown.count)) entries.append(entry.role === 'user' ? mine(entry.text) : theirs(client.message(entry.message)))
    const grew = list.length > shown.count
    shown.count = list.length
    asked = list.findLast(({ role }) => role === 'user')?.text ?? ''
    $('#welcome').hidden = list.length > 0
    $('#strip').hidden = list.length === 0
    if (grew) jump()
  })

  // -- what goes on ---------------------------------------------------------------------------------------------------------

  watchAnswer(client, (now, live) => {
    const before = view?.outcome
    view = now
    answer = live
    showState()
    if (now?.outcome !== before || !now) offer()
  })

  function showState() {
    const state = doing(view)
    $('#chat').dataset.state = state
    setText($('#status'), word(state))
    const busy = state !== 'idle'
    $('#stop').hidden = !busy
    $('#send').hidden = busy
    $('#send').disabled = text.value.trim() === ''
    for (const button of document.querySelectorAll('.scene, .strip button')) button.disabled = busy
  }

  /** After a provider refused the tools: the way on is one button, and it is the person's. */
  function offer() {
    const refused = view?.outcome === 'failed' && view.blocks.some((block) => block?.type === 'error' && block.code === 'tools_unsupported')
    const buttons = []
    if (refused) buttons.push(['switchToText', async () => { if (await configure({ mode: 'text' })) await say(asked) }])
    else if (view?.outcome === 'failed') buttons.push(['askAgain', () => say(asked)])
    $('#next').replaceChildren(...buttons.map(([name, act], index) => {
      const button = document.createElement('button')
      button.type = 'button'
      button.className = index === 0 && refused ? 'primary' : 'secondary'
      button.dataset.t = name
      button.textContent = word(name)
      button.addEventListener('click', () => {
        button.disabled = true
        void act()
      })
      return button
    }))
    follow()
  }

  // -- what a person says ---------------------------------------------------------------------------------------------------

  async function say(words) {
    if (words.trim() === '' || doing(view) !== 'idle') return false
    await configured
    return attempt(() => client.send(words, { conversation: current() }))
  }

  /** False, and the reason on the page, where it fails. */
  async function attempt(act) {
    const trouble = $('#trouble')
    trouble.hidden = true
    try {
      await act()
      return true
    } catch (error) {
      trouble.textContent = [word('failed') + error.message, error.hint].filter(Boolean).join(' ')
      trouble.hidden = false
      return false
    }
  }

  $('#compose').addEventListener('submit', async (event) => {
    event.preventDefault()
    const words = text.value
    if (await say(words)) {
      if (text.value === words) text.value = ''
      showState()
      text.focus()
    }
  })
  text.addEventListener('input', showState)
  text.addEventListener('keydown', (event) => {
    if (event.isComposing) return // Enter takes what an input method offers
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      $('#compose').requestSubmit()
    } else if (event.key === 'Escape' && doing(view) !== 'idle') stop()
  })
  const stop = () => attempt(() => answer.cancel())
  $('#stop').addEventListener('click', () => {
    void stop()
    text.focus()
  })
  $('#new').addEventListener('click', () => {
    begin()
    text.focus()
  })

  // -- scenes ---------------------------------------------------------------------------------------------------------------

  onLook(() => {
    const groups = ['talk', 'pet', 'approval', 'trouble'].map((group) => {
      const title = document.createElement('h3')
      title.textContent = word(group === 'pet' ? 'petGroup' : group)
      const cards = document.createElement('div')
      cards.className = 'cards'
      cards.append(...demo.scenarios.filter((scene) => scene.group === group).map((scene) => sceneButton(scene, true)))
      return [title, cards]
    })
    $('#scenes').replaceChildren(...groups.flat())
    $('#strip').replaceChildren(...demo.scenarios.map((scene) => sceneButton(scene, false)))
    showState()
    showHow()
  })

  function sceneButton({ id, title, question }, large) {
    const button = document.createElement('button')
    button.type = 'button'
    button.dataset.scene = id
    const name = document.createElement(large ? 'strong' : 'span')
    name.textContent = title[look.language]
    button.append(name)
    if (large) {
      button.className = 'scene'
      const quote = document.createElement('span')
      quote.textContent = question[look.language]
      button.append(quote)
    } else button.title = question[look.language]
    button.addEventListener('click', async () => {
      if (await say(question[look.language])) $('#log').focus({ preventScroll: true }) // where a question may take it
    })
    return button
  }

  // -- how tools are called -------------------------------------------------------------------------------------------------

  function configure(settings) {
    return (configured = attempt(async () => readSettings(await client.configure({ settings }))))
  }

  function readSettings(configuration) {
    settings = { ...configuration.defaults, ...configuration.settings }
    protocols = configuration.protocols
    showHow()
  }

  function showHow() {
    const mode = settings.mode ?? 'auto'
    for (const radio of document.querySelectorAll('#modes input')) radio.checked = radio.value === mode
    $('.protocol').classList.toggle('idle', mode !== 'text')
    const chosen = idOf(settings.protocol)
    const scripted = protocols.length > 0 ? demo.protocols.filter((id) => protocols.includes(id)) : demo.protocols
    const others = protocols.filter((id) => !scripted.includes(id))
    $('#protocol').replaceChildren(group('inScript', scripted), group('otherProtocols', others))
    if (![...scripted, ...others].includes(chosen)) $('#protocol').append(new Option(chosen))
    $('#protocol').value = chosen
  }

  function group(name, ids) {
    const element = document.createElement('optgroup')
    element.label = word(name)
    element.append(...ids.map((id) => new Option(id)))
    return element
  }

  const refresh = () => attempt(async () => readSettings(await client.configuration()))
  $('#modes').addEventListener('change', ({ target }) => configure({ mode: target.value }))
  $('#protocol').addEventListener('change', ({ target }) => configure({ protocol: target.value }))
  addEventListener('focus', refresh) // another window may have changed them
  void refresh()

  text.focus()
  return { refresh }
}

const idOf = (protocol) => (Array.isArray(protocol) ? idOf(protocol[0]) : protocol?.id ?? protocol ?? 'vcp')

function mine(text) {
  const bubble = document.createElement('div')
  bubble.className = 'mine'
  const who = document.createElement('span')
  who.className = 'quiet'
  who.dataset.t = 'you'
  who.textContent = word('you')
  bubble.append(who, text)
  return bubble
}

function theirs(message) {
  const bubble = document.createElement('div')
  bubble.className = 'theirs'
  const element = document.createElement('sluice-message')
  element.message = message
  bubble.append(element)
  return bubble
}

/** Nothing to do, and nothing to say for a screen reader, where it is there already. */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text
}
