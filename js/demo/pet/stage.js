// The pet: a real Live2D model where one is installed, the drawn puppet otherwise. In a window of its own it says what
// it says in a bubble.
import { companion, petBody, petBubble } from '/sluice/pet/index.js'
import { postJson } from '/sluice/renderer/web-bridge.js'
import { speaker, systemVoice } from '/sluice/speech/index.js'
import { current, watchConversation } from './conversation.js'
import { watchPet } from './pet-settings.js'
import { createPuppet } from './puppet.js'
import { look, onLook, word } from './words.js'

/** The window of the pet, in Electron; its page may be the body alone, or the bubble alone. */
const side = window.sluice?.petWindow
const part = location.hash.slice(1)

export async function startStage({ client, demo, alone }) {
  if (alone && (part === 'body' || part === 'bubble')) document.documentElement.dataset.part = part
  const container = document.querySelector('#pet')
  const model = part === 'bubble' ? null : (demo.live2d && (await realModel(container))) || createPuppet(container)
  const voice = part === 'bubble' ? undefined : startVoice() // one of the two speaks
  const pet = companion({
    client,
    model,
    ...(voice ? { speaker: voice } : {}),
    conversation: current(),
    onError: (reason) => console.warn(reason),
  })
  watchConversation(client, ({ id }) => pet.open(id))
  // In Electron the window of the pet has its settings, and tells them.
  if (!side) {
    watchPet(({ scale, quietHours }) => {
      container.style.setProperty('--scale', alone ? 1 : scale)
      pet.quietHours(quietHours)
    })
  }
  let how
  onLook(() => {
    const { first, language } = look
    const now = `${first?.after} ${first?.perDay} ${language}`
    if (part === 'bubble' || now === how) return // one of the two windows speaks
    how = now
    pet.proactive(
      first && { after: [first.after, 2 * first.after], perDay: first.perDay, prompt: demo.unasked[language] },
    )
  })
  document.addEventListener('input', ({ target }) => {
    const { left, width, top } = target.getBoundingClientRect()
    pet.typed({ x: left + width / 2, y: top })
  })
  if (!alone) {
    giveVoice(voice)
    return void petBody({ pet, element: container })
  }
  const openChat = demo.desktop
    ? () => void postJson('/api/window', { action: 'chat' })
    : () => void open('/?view=chat', 'chat') // a browser has tabs
  const bubble = part === 'body' ? undefined : await startBubble(pet, openChat)
  const solid = () => [
    ...document.querySelectorAll('.handles:not([hidden])'),
    ...(bubble && !bubble.element.hidden ? [bubble.box] : []),
  ]
  petBody({ pet, element: container, window: side, openChat, solid })
  if (part !== '') return
  document.querySelector('.handles').hidden = false
  // it neither moves nor ends a tab
  for (const one of document.querySelectorAll('.handle, #quit')) one.hidden = !demo.desktop
  document.querySelector('#open-chat').addEventListener('click', openChat)
  document.querySelector('#quit').addEventListener('click', () => postJson('/api/window', { action: 'quit' }))
}

/** Says the answers where a person wants that. */
function startVoice() {
  const voice = speaker({ voice: systemVoice() })
  onLook(() => voice.quiet(look.voice === 'off'))
  return voice
}

/**
 * To the chat of the same page, as long as it can be heard: who sends a message or stops an answer ends it, and answers
 * are read aloud with it.
 */
function giveVoice(voice) {
  const talk = document.querySelector('#talk')
  const give = () => (talk.voice = voice.state === 'off' ? undefined : voice)
  voice.subscribe(give)
  give()
}

async function startBubble(pet, openChat) {
  const questions = part === 'bubble' // a window that may approve
  if (questions) await import('/sluice/ui/index.js')
  const bubble = petBubble({ pet, name: word('title'), openChat, questions, window: side })
  document.querySelector('#words').append(bubble.element)
  if (!side) watchPet(({ bubble: given }) => bubble.change(given))
  return bubble
}

async function realModel(container) {
  try {
    const { createLive2dModel } = await import('./live2d-model.js')
    return await createLive2dModel(container)
  } catch (error) {
    console.warn('the Live2D model cannot be shown, the puppet stands in:', error)
    return undefined
  }
}
