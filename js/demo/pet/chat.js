// The chat is the kit's; around it stand what Lulu is up to, what one can begin with, and the conversations that are
// kept.
import { petStates } from '/sluice/pet/index.js'
import '/sluice/ui/index.js'
import { begin, current, watchAnswer, watchCurrent } from './conversation.js'
import { startScenes } from './scenes.js'
import { startTalks } from './talks.js'
import { look, onLook, word } from './words.js'

const $ = (selector) => document.querySelector(selector)

export function startChat({ client, demo, who }) {
  const talk = $('#talk')
  const talks = startTalks({ client, talk })
  let view // of the last answer

  // -- the conversation -----------------------------------------------------------------------------------------------

  talk.client = client
  watchCurrent((id) => {
    talk.conversation = id
    talks.changed()
  })

  const scenes = startScenes({
    demo,
    talk,
    say: async (text) => {
      if (talk.state === 'idle' && (await attempt(() => client.send({ text, conversation: current() }))))
        talk.focusThread() // where a question may take it
    },
  })

  function showState() {
    const state = talk.getAttribute('state') ?? 'idle'
    $('#chat').dataset.state = state
    $('#status').textContent = petStates[state].words[look.language]
    scenes.show({ scripted: who.model === undefined, busy: state !== 'idle' })
  }
  new MutationObserver(showState).observe(talk, { attributeFilter: ['state'] })
  watchAnswer(client, (now) => {
    const before = view?.outcome
    view = now
    showState()
    if (now?.outcome === before && now) return
    offer()
    if (now?.outcome) talks.changed()
  })
  who.watch(showState)

  // What is dropped on Lulu is dropped on her chat; the browser would show it in place of the page.
  for (const type of ['dragover', 'dragleave', 'drop']) {
    $('#stage').addEventListener(type, (event) => {
      if (!talk.dispatchEvent(new DragEvent(type, { dataTransfer: event.dataTransfer, cancelable: true })))
        event.preventDefault()
    })
  }

  $('#new').addEventListener('click', () => {
    begin()
    talk.focusComposer()
  })
  onLook(() => {
    talk.name = word('title')
    showState()
  })

  // -- what goes wrong ------------------------------------------------------------------------------------------------

  /** After a provider refused the tools: the way on is one button, and it is the person's. */
  function offer() {
    const refused =
      view?.outcome === 'failed' &&
      view.blocks.some((block) => block?.type === 'error' && block.code === 'tools_unsupported')
    $('#switch')?.remove()
    if (!refused) return
    const button = Object.assign(document.createElement('button'), {
      id: 'switch',
      type: 'button',
      className: 'primary',
      slot: 'ways',
      textContent: word('switchToText'),
    })
    button.dataset.t = 'switchToText'
    button.addEventListener('click', async () => {
      button.disabled = true
      button.disabled =
        (await attempt(() => client.configure({ settings: { mode: 'text' } }))) &&
        (await attempt(() => client.regenerate(view.id)))
    })
    talk.append(button)
  }

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

  talk.focusComposer()
}
