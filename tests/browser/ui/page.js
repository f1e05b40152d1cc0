// What a test says with `page.evaluate`: a message whose deltas it writes itself, reduced as in every window.
import '/sluice/ui/index.js'
import { applyDeltas, emptyView } from '/sluice/app/bridge/view.js'

class Live {
  #view
  #listeners = new Set()
  /** What was answered: [method, token or call, options]. */
  answers = []
  /** What answering gives: a value, or an error to throw. */
  gives = true

  constructor(id = 'm1') {
    this.id = id
    this.#view = emptyView(id)
  }

  subscribe(listener) {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get listeners() {
    return this.#listeners.size
  }

  getSnapshot() {
    return this.#view
  }

  push(...deltas) {
    this.#view = applyDeltas(this.#view, deltas, this.#view.seq + 1)
    for (const listener of this.#listeners) listener()
  }

  async #answer(method, ask, more) {
    this.answers.push(more === undefined ? [method, ask.token] : [method, ask.token, more])
    if (this.gives instanceof Error) throw this.gives
    if (this.gives && this.settles) {
      const approved = {
        approve: 'executing',
        release: 'success',
        deny: ask.stage === 'result' ? 'result_rejected' : 'denied',
      }[method]
      const block = this.#view.blocks.findIndex((one) => one.call === ask.call)
      this.push({ type: 'card', block, call: ask.call, status: approved })
    }
    return this.gives
  }

  /** An answer changes the card, as the engine would. */
  settles = true

  approve(ask, options) {
    return this.#answer('approve', ask, options && Object.keys(options).length > 0 ? options : undefined)
  }

  release(ask) {
    return this.#answer('release', ask)
  }

  deny(ask, reason) {
    return this.#answer('deny', ask, reason)
  }

  async cancel(call) {
    this.answers.push(['cancel', call])
  }
}

/** A call that waits for a person, with its question. */
function asking(block, name, args, ask = {}) {
  const call = ask.call ?? block + 1
  const stage = ask.stage ?? 'execution'
  return [
    {
      type: 'card',
      block,
      call,
      name,
      source: 'native',
      round: 1,
      status: stage === 'result' ? 'awaiting_result_approval' : 'awaiting_approval',
      arguments: args,
      ...ask.card,
    },
    {
      type: 'ask',
      ask: {
        call,
        stage,
        name,
        description: '',
        arguments: args,
        level: 'sensitive',
        policy: 'ask_once',
        digest: `d ${name} ${JSON.stringify(args)}`,
        token: `t${call}`,
        ...ask.ask,
      },
    },
  ]
}

function show(live, properties = {}) {
  const element = Object.assign(document.createElement('sluice-message'), { message: live, ...properties })
  document.querySelector('#stage').append(element)
  return element
}

/**
 * One frame is over, whatever it shows; behind several all that was said is typeset too: on a busy machine text waits
 * for its reading.
 */
const frames = (count = 1) =>
  new Promise((resolve) => {
    let more = count > 1 ? 300 : 0
    const waits = () => more-- > 0 && roots().some((root) => root.querySelector('.coming'))
    const next = () => (count-- > 0 || waits() ? requestAnimationFrame(next) : resolve())
    next()
  })

/** The document and every shadow root in it. */
function roots() {
  const all = [document]
  for (const root of all) for (const one of root.querySelectorAll('*')) if (one.shadowRoot) all.push(one.shadowRoot)
  return all
}

/** The text of an element as it is drawn, through shadow roots: a line for every box. */
function seen(element) {
  let text = ''
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) text += node.data
    if (node.localName === 'br') text += '\n'
    if (node.nodeType !== Node.ELEMENT_NODE || !node.checkVisibility() || node.matches('style, select, .hidden-text'))
      return
    const box =
      !getComputedStyle(node).display.startsWith('inline') ||
      getComputedStyle(node.parentElement ?? node).display.includes('flex')
    if (box) text += '\n'
    for (const child of node.shadowRoot?.childNodes ?? node.childNodes) walk(child)
    if (box) text += '\n'
  }
  walk(element)
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .join('\n')
}

/** Animations that go on for ever, through shadow roots. */
function moving() {
  const all = new Set(roots().flatMap((root) => root.getAnimations()))
  return [...all].filter((one) => one.effect.getComputedTiming().iterations === Infinity).length
}

Object.assign(window, { Live, moving, asking, show, frames, seen, ready: true })
