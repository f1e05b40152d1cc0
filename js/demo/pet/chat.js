// The chat is the kit's; around it stand what Lulu is up to, the scenes, and how tools are called.
import { petStates } from '/sluice/pet/index.js'
import '/sluice/ui/index.js'
import { begin, current, open, watchAnswer, watchCurrent } from './conversation.js'
import { look, onLook, word } from './words.js'

const $ = (selector) => document.querySelector(selector)

export function startChat({ client, demo }) {
  const [talk, talks] = [$('#talk'), $('#talks-list')]
  let view // of the last answer
  let settings = {}
  let configured = Promise.resolve(true) // what is asked now is answered with what was chosen before
  let { protocols } = demo

  // -- the conversation -----------------------------------------------------------------------------------------------------

  /** What is asked waits for what was chosen just before. */
  const asking = Object.fromEntries([
    ...['open', 'message', 'choose', 'delete', 'openLink'].map((name) => [name, (...given) => client[name](...given)]),
    ...['send', 'regenerate', 'edit', 'goOn'].map((name) => [name, async (...given) => (await configured, client[name](...given))]),
    ['connection', client.connection],
  ])
  talk.client = asking
  watchCurrent((id) => {
    talk.conversation = id
    talks.current = id
  })

  const showState = () => {
    const state = talk.getAttribute('state') ?? 'idle'
    $('#chat').dataset.state = state
    $('#status').textContent = petStates[state].words[look.language]
    const busy = state !== 'idle'
    for (const button of document.querySelectorAll('.scene')) button.disabled = busy
    $('#strip').inert = busy
    $('#strip').hidden = client.open(current()).getSnapshot().entries.length === 0
  }
  new MutationObserver(showState).observe(talk, { attributeFilter: ['state'] })
  watchAnswer(client, (now) => {
    const before = view?.outcome
    view = now
    showState()
    if (now?.outcome !== before || !now) offer()
  })

  $('#new').addEventListener('click', () => {
    begin()
    talk.focusComposer()
  })

  // -- yesterday's ----------------------------------------------------------------------------------------------------------

  $('#talks').addEventListener('click', () => {
    talks.client = client
    void talks.refresh()
    $('#talks-drawer').showModal()
  })
  talks.addEventListener('sluice-open', ({ detail }) => {
    open(detail.conversation)
    $('#talks-drawer').close()
    talk.focusComposer()
  })
  $('#talks-close').addEventListener('click', () => $('#talks-drawer').close())

  /** After a provider refused the tools: the way on is one button, and it is the person's. */
  function offer() {
    const refused = view?.outcome === 'failed' && view.blocks.some((block) => block?.type === 'error' && block.code === 'tools_unsupported')
    $('#switch')?.remove()
    if (!refused) return
    const button = Object.assign(document.createElement('button'), { id: 'switch', type: 'button', className: 'primary', slot: 'ways', textContent: word('switchToText') })
    button.dataset.t = 'switchToText'
    button.addEventListener('click', async () => {
      button.disabled = true
      button.disabled = (await configure({ mode: 'text' })) && (await attempt(() => client.regenerate(view.id)))
    })
    talk.append(button)
  }

  const say = async (text) => talk.getAttribute('state') === 'idle' && attempt(() => asking.send({ text, conversation: current() }))

  /** False, and the reason on the page, where it fails. */
  async function attempt(act) {
    showTrouble('')
    try {
      await act()
      return true
    } catch (error) {
      showTrouble([word('failed') + (error.detail ?? error.message), error.hint].filter(Boolean).join(' '))
      return false
    }
  }

  function showTrouble(words) {
    $('#trouble').textContent = words
    $('#trouble').hidden = words === ''
  }

  // -- scenes ---------------------------------------------------------------------------------------------------------------

  $('#strip').addEventListener('wheel', (event) => {
    if (event.deltaX !== 0 || event.shiftKey) return // a wheel that goes sideways does so by itself
    event.preventDefault()
    $('#strip').scrollLeft += event.deltaY
  }, { passive: false })

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
    talk.name = word('title')
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
      if (await say(question[look.language])) talk.focusThread() // where a question may take it
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
    const others = protocols.filter((id) => !scripted.includes(id)).sort((a, b) => a.localeCompare(b, 'en'))
    $('#protocol').replaceChildren(group(word('inScript'), scripted), ...byLetter(others).map(([letters, ids]) => group(`${word('otherProtocols')} ${letters}`, ids)))
    if (![...scripted, ...others].includes(chosen)) $('#protocol').append(new Option(chosen))
    $('#protocol').value = chosen
  }

  function group(label, ids) {
    const element = document.createElement('optgroup')
    element.label = label
    element.append(...ids.map((id) => new Option(id)))
    return element
  }

  const refresh = () => attempt(async () => readSettings(await client.configuration()))
  $('#modes').addEventListener('change', ({ target }) => configure({ mode: target.value }))
  $('#protocol').addEventListener('change', ({ target }) => configure({ protocol: target.value }))
  addEventListener('focus', refresh) // another window may have changed them
  void refresh()

  talk.focusComposer()
  return { refresh }
}

const idOf = (protocol) => (Array.isArray(protocol) ? idOf(protocol[0]) : protocol?.id ?? protocol ?? 'vcp')

/** A long list in groups: typing the first letters of a name finds it in each. */
function byLetter(ids) {
  const groups = ['A–F', 'G–L', 'M–R', 'S–Z'].map((letters) => [letters, ids.filter((id) => {
    const first = id[0].toUpperCase()
    return letters[0] <= first && first <= letters[2]
  })])
  return groups.filter(([, of]) => of.length > 0)
}
