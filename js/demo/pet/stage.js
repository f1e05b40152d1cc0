// The pet: a real Live2D model where one is installed, the drawn puppet otherwise. In a window of its own it says what it says in a bubble.
import { receive } from '/sluice/live2d/index.js'
import { post } from '/sluice/renderer/web-bridge.js'
import { doing, watchAnswer, watchConnection, watchConversation } from './conversation.js'
import { createPuppet } from './puppet.js'
import { onLook, word } from './words.js'

const shown = 160 // characters of a bubble; the chat has the rest
const lingers = 9000
/** A face that an answer made goes back to rest so long behind its end. */
const faceMs = 15_000

export async function startStage({ client, demo, alone }) {
  const container = document.querySelector('#pet')
  const model = (demo.live2d && (await realModel(container))) || createPuppet(container)
  receive({ client, model })
  live(client, model)
  if (!alone) return
  speak(client)
  document.querySelector('.handles').hidden = false
  document.querySelector('#open-chat').addEventListener('click', openChat)
  document.querySelector('#quit').addEventListener('click', () => post('/api/window', { action: 'quit' }))
}

/** The mouth moves while Lulu speaks; a thinking face ends when she goes on, any other with the next answer, the conversation, or after a while. */
function live(client, model) {
  let view
  let state = 'idle'
  let conversation
  let rest
  const show = () => {
    const before = state
    state = client.connection.state === 'connected' ? doing(view) : 'idle'
    model.talk?.(state === 'speaking')
    if (state === before) return
    clearTimeout(rest)
    if (before === 'idle') model.rest?.() // the last answer's
    if (state === 'speaking' || state === 'idle') model.rest?.('thinking')
    if (state === 'idle') rest = setTimeout(() => model.rest?.(), faceMs)
  }
  watchAnswer(client, (now) => {
    view = now
    show()
  })
  watchConnection(client, show)
  watchConversation(client, ({ id }) => {
    if (conversation !== undefined && id !== conversation) model.rest?.()
    conversation = id
  })
}

const openChat = () => post('/api/window', { action: 'chat' })

async function realModel(container) {
  try {
    const { createLive2dModel } = await import('./live2d-model.js')
    return await createLive2dModel(container)
  } catch (error) {
    console.warn('the Live2D model cannot be shown, the puppet stands in:', error)
    return undefined
  }
}

/** The end of what is being said, or that there is a question; it opens the chat. */
function speak(client) {
  const bubble = document.querySelector('#words')
  bubble.addEventListener('click', openChat)
  let view
  let hide
  const show = () => {
    const asks = doing(view) === 'waiting'
    const said = view?.blocks.findLast((block) => block?.type === 'text' && block.text.trim() !== '')?.text.trim() ?? ''
    bubble.classList.toggle('asks', asks)
    bubble.textContent = asks ? word('needsYou') : plain(said)
    bubble.hidden = bubble.textContent === ''
    clearTimeout(hide)
    if (view?.outcome !== undefined) hide = setTimeout(() => (bubble.hidden = true), lingers)
  }
  watchAnswer(client, (now) => {
    const over = view === undefined && now?.outcome !== undefined // what was said before this window was there
    view = now
    if (!over) show()
  })
  onLook(show)
}

function plain(text) {
  const words = text.replace(/[*_`#>]+/g, '').replace(/\s+/g, ' ')
  return words.length > shown ? `… ${words.slice(-shown)}` : words
}
