// A puppet in a window that is played by the test: `window.said` is what its page told it, `window.order` tells the
// page something.
import { companion, petBody, petBubble } from '/sluice/pet/index.js'
import '/sluice/ui/index.js'
import { createPuppet } from '/pet/puppet.js'
import { fakeClient } from '/support/pet-support.mjs'

const listeners = new Set()
window.said = []
window.chats = 0
const side = {
  send: (message) => void window.said.push(message),
  on: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
}
window.order = (order) => listeners.forEach((listener) => listener(order))
window.client = fakeClient()
const element = document.querySelector('#pet')
window.model = createPuppet(element)
window.pet = companion({ client: window.client, model: window.model })
window.client.opened('main')
const openChat = () => void window.chats++
window.bubble = petBubble({
  pet: window.pet,
  openChat,
  questions: new URLSearchParams(location.search).has('questions'),
  lingerMs: 1500,
  window: side,
})
document.querySelector('#bubble').append(window.bubble.element)
const solid = () => (window.bubble.element.hidden ? [] : [window.bubble.box])
petBody({ pet: window.pet, element, window: side, openChat, solid })
window.hello = window.said.splice(0)
window.ready = true
