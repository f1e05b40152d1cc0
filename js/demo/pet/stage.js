// The pet: a real Live2D model where one is installed, the drawn puppet otherwise. In a window of its own it says what it says in a bubble.
import { companion } from '/sluice/pet/index.js'
import { post } from '/sluice/renderer/web-bridge.js'
import { current, watchConversation } from './conversation.js'
import { createPuppet } from './puppet.js'
import { onLook, word } from './words.js'

const shown = 160 // characters of a bubble; the chat has the rest
const lingers = 9000

export async function startStage({ client, demo, alone }) {
  const container = document.querySelector('#pet')
  const model = (demo.live2d && (await realModel(container))) || createPuppet(container)
  const pet = companion({ client, model, conversation: current(), onError: (reason) => console.warn(reason) })
  watchConversation(client, ({ id }) => pet.open(id))
  addEventListener('pointermove', () => pet.stir(), { passive: true })
  container.addEventListener('click', () => pet.pat())
  document.addEventListener('input', ({ target }) => {
    const { left, width, top } = target.getBoundingClientRect()
    pet.typed({ x: left + width / 2, y: top })
  })
  if (!alone) return
  speak(pet)
  document.querySelector('.handles').hidden = false
  document.querySelector('#open-chat').addEventListener('click', openChat)
  document.querySelector('#quit').addEventListener('click', () => post('/api/window', { action: 'quit' }))
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
function speak(pet) {
  const bubble = document.querySelector('#words')
  bubble.addEventListener('click', openChat)
  let hide
  const show = () => {
    const { answer, asks } = pet.getSnapshot()
    const said = answer?.blocks.findLast((block) => block?.type === 'text' && block.text.trim() !== '')?.text.trim() ?? ''
    bubble.classList.toggle('asks', asks.length > 0)
    bubble.textContent = asks.length > 0 ? word('needsYou') : plain(said)
    bubble.hidden = bubble.textContent === ''
    clearTimeout(hide)
    if (answer?.outcome !== undefined) hide = setTimeout(() => (bubble.hidden = true), lingers)
  }
  pet.subscribe(show)
  onLook(show)
}

function plain(text) {
  const words = text.replace(/[*_`#>]+/g, '').replace(/\s+/g, ' ')
  return words.length > shown ? `… ${words.slice(-shown)}` : words
}
