// A page of few lines on `sluice/renderer`: every message of the conversation, with buttons for what is asked.
import { connect } from '/sluice/renderer/index.js'

const client = connect()
const main = document.querySelector('main')
const conversation = client.open()
const shown = new Map()

conversation.subscribe(() => {
  for (const { message } of conversation.getSnapshot().entries)
    if (message && !shown.has(message)) show(client.message(message))
})

function show(message) {
  const article = document.createElement('article')
  main.append(article)
  shown.set(message.id, message)
  const draw = () => article.replaceChildren(...message.getSnapshot().blocks.map((block) => drawBlock(message, block)))
  message.subscribe(draw)
}

function drawBlock(message, block) {
  if (block.type !== 'tool_use') return element('p', block.text ?? block.detail)
  const card = element('section', `${block.name} ${block.status} ${block.output ?? block.error ?? block.reason ?? ''}`)
  const ask = message.getSnapshot().questions.find(({ call }) => call === block.call)
  if (ask) {
    const decide = (name, run) =>
      card.append(Object.assign(element('button', name), { onclick: async () => (window.decided = await run()) }))
    if (ask.stage === 'result') decide('Release', () => message.release(ask))
    else decide('Approve', () => message.approve(ask))
    decide('Deny', () => message.deny(ask, 'no'))
  }
  return card
}

function element(name, text) {
  const made = document.createElement(name)
  made.textContent = text
  return made
}

client.tools({
  'page.title': () => document.title,
  'page.wait': (_, { signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve((window.aborted = signal.reason.message)))),
})

Object.assign(window, { client, conversation, shown })
