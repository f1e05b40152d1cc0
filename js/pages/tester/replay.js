// Plays an answer as it would come: piece by piece, so many tokens a second.
import { applyDelta, emptyView } from '/sluice/app/bridge/view.js'
import { field, foreign, h, replace, select } from './dom.js'

const speeds = [5, 20, 60, 200, 1000]
/** A token has so many bytes: an estimate, as in the engine. */
const TOKEN_BYTES = 4
const MAX_EVENTS = 2000

/**
 * The row of controls. `load()` resolves to `{ reply, text }` of what is to be played, with `reply.steps`; `draw({
 * view, fed, events })` shows what has come: the message so far, and what the last pieces brought; `over()` is called
 * behind the last piece, and where it was stopped.
 */
export function replay(app, { load, draw, over }) {
  let playing // { reply, bytes, at, fed, events, view, decoder, timer, last, due }
  let speed = 60
  let parts

  function stop() {
    cancelAnimationFrame(playing?.timer)
    const was = playing
    playing = undefined
    show()
    return was
  }

  async function begin() {
    const mine = (playing = { timer: 0 })
    show()
    const { reply, text } = (await load()) ?? {}
    if (playing !== mine) return false
    if (!reply) return void stop()
    Object.assign(mine, {
      reply,
      bytes: new TextEncoder().encode(text),
      at: 0,
      fed: 0,
      events: 0,
      view: emptyView('parsed'),
      decoder: new TextDecoder(),
      due: 0,
    })
    draw({ view: snapshot(mine), fed: undefined, events: [] })
    return true
  }

  /** The next pieces, as many as are due. */
  function feed(count) {
    const { reply, bytes, view, decoder } = playing
    const { steps, events } = reply
    let text = ''
    const before = playing.events
    for (const end = Math.min(steps.length, playing.at + count); playing.at < end; playing.at++) {
      const [size, known] = steps[playing.at]
      text += decoder.decode(bytes.subarray(playing.fed, playing.fed + size), { stream: true })
      playing.fed += size
      playing.events = known
    }
    const done = playing.at === steps.length
    if (done) playing.events = events.length
    const came = events.slice(before, playing.events)
    for (const event of came) applyDelta(view, event)
    draw({ view: snapshot(playing), fed: text, events: came.slice(0, MAX_EVENTS) })
    if (done) over(stop().reply)
    else show()
  }

  const snapshot = ({ view, at }) => ({ ...view, seq: at, blocks: [...view.blocks] })

  function tick() {
    const mine = playing
    const now = performance.now()
    mine.due += ((now - mine.last) / 1000) * speed * TOKEN_BYTES
    mine.last = now
    let count = 0
    for (let at = mine.at; at < mine.reply.steps.length && mine.due >= mine.reply.steps[at][0]; at++, count++)
      mine.due -= mine.reply.steps[at][0]
    if (count > 0) feed(count)
    if (playing === mine && mine.timer) mine.timer = requestAnimationFrame(tick)
  }

  async function play() {
    if (playing?.timer) {
      cancelAnimationFrame(playing.timer)
      playing.timer = 0
      return show()
    }
    if (!playing && !(await begin())) return
    playing.last = performance.now()
    playing.timer = requestAnimationFrame(tick)
    show()
  }

  async function step() {
    if (!playing && !(await begin())) return
    cancelAnimationFrame(playing.timer)
    playing.timer = 0
    feed(1)
  }

  function show() {
    const { text } = app
    const runs = Boolean(playing?.timer)
    replace(parts.play, !playing ? text.replay : runs ? text.pause : text.goOn)
    parts.stop.hidden = !playing
    replace(parts.said, playing?.reply ? text.replayed(playing.at, playing.reply.steps.length, playing.events) : '')
  }

  function element() {
    const { text } = app
    const pace = select(
      speeds.map((one) => [String(one), text.speed(one)]),
      String(speed),
      (value) => (speed = Number(value)),
    )
    parts = {
      play: h('button', { onclick: play }),
      stop: h('button', { class: 'quiet', hidden: true, onclick: () => over(stop().reply) }, text.toEnd),
      said: h('span', { class: 'about', id: 'replayed' }),
    }
    show()
    return h(
      'div',
      { class: 'replay' },
      h('div', { class: 'line' }, parts.play, h('button', { onclick: step }, text.step), parts.stop, parts.said),
      field(text.pace, pace),
    )
  }

  return {
    element,
    stop,
    get on() {
      return Boolean(playing)
    },
  }
}

/** A line of the list of events. */
export function eventLine({ type, seq, ...rest }) {
  return h(
    'li',
    {},
    h('span', { class: 'seq' }, seq),
    h('b', { class: `event-${type}` }, type),
    h('code', {}, foreign(JSON.stringify(rest))),
  )
}
