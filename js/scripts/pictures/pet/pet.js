// The pet of a picture: figure, bubble and a window that is carried, as in the pages of an app.
import { companion, petBody, petBubble } from '/sluice/pet/index.js'
import { connect } from '/sluice/renderer/index.js'
import { webBridge } from '/sluice/renderer/web-bridge.js'
import '/sluice/ui/index.js'
import { createPuppet } from '/demo/puppet.js'

const client = connect(webBridge())
const element = document.querySelector('#pet')
const pet = companion({ client, model: createPuppet(element), conversation: 'main' })
const bubble = petBubble({ pet, name: '露露', questions: true, openChat: () => {} })
document.querySelector('#words').append(bubble.element)
petBody({
  pet,
  element,
  window: { send: () => {}, on: () => () => {} },
  solid: () => (bubble.element.hidden ? [] : [bubble.box]),
})
window.ask = (text) => client.send({ text, conversation: 'main' })
document.documentElement.dataset.ready = ''
