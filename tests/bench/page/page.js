// What the bench has a page do: the same texts, typeset and as bare text nodes.
import '/chat.js'
import { tokens } from './texts.js'

/**
 * Bare text nodes: what comes goes to the end of the last one; pieces with a layout of their own, about as long as a
 * paragraph.
 */
const shown = new WeakMap()
const PIECE = 200
function bare(text, { element }) {
  let state = shown.get(element)
  if (!state) {
    shown.set(element, (state = { length: 0, node: undefined }))
    element.classList.add('bare')
  }
  let more = text.slice(state.length)
  state.length = text.length
  while (more) {
    if (!state.node) {
      const piece = document.createElement('div')
      piece.className = 'piece'
      state.node = piece.appendChild(document.createTextNode(''))
      element.append(piece)
    }
    const end = more.indexOf('\n', Math.max(0, PIECE - state.node.length)) + 1
    state.node.appendData(end > 0 ? more.slice(0, end) : more)
    if (end > 0) state.node = undefined
    more = end > 0 ? more.slice(end) : ''
  }
}

const withText = (kind) => (kind === 'bare' ? { renderText: bare } : {})

/** An answer at the end of a few entries; gives what takes more of its text. */
async function answer(text, tag = 'sluice-thread') {
  start(tag, withText(text))
  client.open().set({ entries: many(client, 6) })
  const live = client.ask('Tell me', [])
  await frames(5)
  return (more) =>
    live.push(
      more ? { type: 'text', block: 0, text: more } : { type: 'done', outcome: 'completed', finishReason: 'stop' },
    )
}

/** The same in a whole chat, and its field has the focus. */
async function chat(text) {
  const take = await answer(text, 'sluice-chat')
  element.focusComposer()
  return take
}

/** How long the keys of the field take: from the press to the frame that shows it, in milliseconds. */
function watchKeys() {
  const all = []
  const observer = new PerformanceObserver((list) =>
    all.push(
      ...list
        .getEntries()
        .filter(({ name }) => name === 'keydown')
        .map(({ duration }) => duration),
    ),
  )
  observer.observe({ type: 'event', durationThreshold: 16 }) // the least that browsers tell
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, 300)) // they are told late
    observer.disconnect()
    return all
  }
}

/** Nothing but a text in a box that scrolls with it. */
async function alone(text) {
  document.body.classList.add('chat')
  const box = document.querySelector('#stage')
  box.classList.add('box')
  const element = document.createElement(text === 'bare' ? 'div' : 'sluice-text')
  box.append(element)
  if (text !== 'bare') element.open = true
  await frames(5)
  let [all, asked] = ['', false]
  const draw = () => {
    asked = false
    if (text === 'bare') bare(all, { element })
    box.scrollTop = box.scrollHeight
  }
  return (more) => {
    all += more ?? ''
    if (text !== 'bare') Object.assign(element, { text: all, open: more !== undefined })
    if (!asked) requestAnimationFrame(draw)
    asked = true
  }
}

/** Before it comes. */
window.ready = async ({ where, text }) => {
  window.take = await { answer, alone, chat }[where](text)
  await frames(30)
}

/** `rate` tokens a second of 60 frames, for some seconds: so many frames, however long they take. */
window.stream = async ({ kind, rate, seconds }) => {
  const all = tokens(kind, rate * seconds)
  const keys = watchKeys()
  const [begun, count] = [performance.now(), seconds * 60]
  for (let at = 0; at < count; at++) {
    take(all.slice(Math.round((at * all.length) / count), Math.round(((at + 1) * all.length) / count)).join(''))
    await frames(1)
    await new Promise((resolve) => setTimeout(resolve)) // between the frames, as text comes
  }
  const ms = performance.now() - begun
  take(undefined)
  await frames(5)
  return { frames: count, ms, characters: all.join('').length, keys: await keys() }
}

/** Before it is opened: 500 messages, of which 200 have a card. */
window.prepare = ({ messages, cards }) => {
  window.client = new FakeClient()
  const said = tokens('mixed', 24_000).join('')
  const entries = []
  for (let at = 0; at < messages / 2; at++) {
    const live = client.message(`a${at}`)
    const text = said.slice((at * 331) % (said.length - 900), ((at * 331) % (said.length - 900)) + 900)
    live.push({ type: 'text', block: 0, text })
    if (at % (messages / 2 / cards) < 1)
      live.push(
        {
          type: 'card',
          block: 1,
          call: 1,
          name: 'notes.add',
          round: 1,
          status: 'success',
          arguments: { text: `note ${at}` },
          output: 'noted',
          durationMs: 12,
        },
        { type: 'text', block: 2, text: 'Done.' },
      )
    live.push({ type: 'done', outcome: 'completed', finishReason: 'stop' })
    entries.push(
      { id: `q${at}`, role: 'user', text: `Question ${at}`, at: 1_700_000_000_000 + at * 60_000 },
      { id: `a${at}`, role: 'assistant', message: `a${at}`, at: 1_700_000_030_000 + at * 60_000 },
    )
  }
  client.open().set({ entries })
}

/** A page as it was before: each answer's raw text with its cards, and all entries at once. */
function drawBefore() {
  const log = Object.assign(document.createElement('div'), { className: 'log' })
  const entries = Object.assign(document.createElement('div'), { className: 'entries' })
  log.append(entries)
  document.querySelector('#stage').append(log)
  for (const { role, text, message } of client.open().getSnapshot().entries) {
    const bubble = Object.assign(document.createElement('div'), { className: role === 'user' ? 'mine' : 'theirs' })
    bubble.append(
      role === 'user'
        ? text
        : Object.assign(document.createElement('sluice-message'), {
            message: client.message(message),
            ...withText('bare'),
          }),
    )
    entries.append(bubble)
  }
  new ResizeObserver(() => (log.scrollTop = log.scrollHeight)).observe(entries)
}

/** Opens it. Gives the milliseconds until its end was drawn, and until nothing more came. */
window.show = async ({ text, whole }) => {
  const begun = performance.now()
  if (text === 'before') {
    document.body.classList.add('chat')
    drawBefore()
    await frames(2)
    const first = performance.now() - begun
    await frames(30) // until what moved in stands still
    return { first, ms: performance.now() - begun, atOnce: document.querySelectorAll('.entries > *').length }
  }
  const element = (window.element = Object.assign(document.createElement('sluice-thread'), {
    client,
    ...withText(text),
  }))
  element.classList.add('whole')
  document.body.classList.add('chat')
  document.querySelector('#stage').append(element)
  await frames(2)
  const first = performance.now() - begun
  const count = () => element.shadowRoot.querySelectorAll('sluice-entry').length
  const atOnce = count()
  while (count() < whole) await new Promise((resolve) => setTimeout(resolve, 20))
  await frames(10)
  return { first, ms: performance.now() - begun, atOnce, entries: count() }
}

window.benchReady = true
