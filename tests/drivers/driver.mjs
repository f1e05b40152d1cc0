// The driver of the npm package, right above its addon or its WebAssembly build, whichever SLUICE_BACKEND names;
// README.md describes the lines.
import { built } from '../js/dist.mjs'
import { answerLines, bytes } from './lines.mjs'

const { DELTA, GET, native } = await built('native')

const [HEAD, RECORD] = [4, 3] // kHead and kRecord of bindings/step.h
const sluice = native()
const handles = new Map()
const ahead = new Map() // turn: an event that was polled to see that it is no piece of text
let saved = ''

class Refused extends Error {}

/** `error`: of an engine or a turn that is refused, else null. */
function made(number, handle, error) {
  if (error !== null) throw new Refused(error)
  handles.set(number, handle)
}

function madeTurn(asked, make, document) {
  const turn = sluice[make](handles.get(asked.engine), document)
  made(asked.turn, turn, sluice.get(turn, GET.error))
}

/** The elements of a JSON array, as they stand. */
function* elements(array) {
  let [depth, start] = [0, 0]
  for (const { 0: token, index } of array.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/g)) {
    if ('[{'.includes(token) && ++depth === 2) start = index
    if (']}'.includes(token) && --depth === 1) yield array.slice(start, index + 1)
  }
}

/** What one step polls, at most so many: events as they stand, pieces of text as [kind, index, text]. */
function step(turn, most) {
  const out = new Uint32Array(HEAD + RECORD * most)
  const [text = '', others = '[]'] = [sluice.step(turn, null, null, out) ?? ''].flat()
  const events = elements(others)
  let at = 0
  return Array.from({ length: out[0] }, (_, each) => {
    const [kind, index, units] = out.subarray(HEAD + RECORD * each)
    return kind === DELTA.event ? events.next().value : [kind, index, text.slice(at, (at += units))]
  })
}

/** The next event, in a list of one; an empty list: there is none. */
function next(turn) {
  const event = ahead.get(turn) ?? sluice.nextEvent(turn)
  ahead.delete(turn)
  return event === null ? [] : [event]
}

/** What a host of the package polls: many at once, and alone an event by which the host acts. */
function some(turn) {
  const polled = ahead.has(turn) ? [] : step(turn, 256)
  return polled.length > 0 ? polled : next(turn)
}

/** Polls until nothing is left. */
function all(turn, poll) {
  const told = []
  for (let polled; (polled = poll(turn)).length > 0; ) told.push(...polled)
  return told
}

const onHandles = {
  engine: (asked) => {
    const engine = sluice.engineNew(asked.document)
    made(asked.engine, engine, sluice.engineError(engine))
  },
  turn: (asked) => madeTurn(asked, 'turnNew', asked.document),
  restore: (asked) => madeTurn(asked, 'turnRestore', asked.document ?? saved),
  close: ({ engine, turn }) => {
    sluice[engine === undefined ? 'turnFree' : 'engineFree'](handles.get(engine ?? turn))
    handles.delete(engine ?? turn)
  },
}

/** Those that return a code. */
const changes = {
  response: ({ status, headers }) => [status, headers],
  feed: (asked) => [bytes(asked.bytes)],
  finish: ({ how, detail }) => [how, detail],
  approve: ({ call, decision, edited }) => [call, decision, edited],
  deny: ({ call, reason }) => [call, reason],
  refuse: ({ call, reason }) => [call, reason],
  cancel: ({ call, reason }) => [call, reason],
  conclude: ({ how, text }) => [how, text],
  submit: ({ call, kind, data }) => [call, kind, data],
  resolve: (asked) => [asked.call, asked.arguments],
  call: ({ call, document }) => [call, document],
  judge: ({ call, rules }) => [call, rules],
  tick: ({ now }) => [now],
}

const reads = {
  next: (turn) => ({ text: next(turn)[0] ?? null }),
  events: (turn) => ({ events: all(turn, next) }),
  next_delta: (turn) => {
    const [polled] = ahead.has(turn) ? [] : step(turn, 1)
    if (typeof polled === 'string') ahead.set(turn, polled)
    return { delta: Array.isArray(polled) ? polled : null }
  },
  pieces: (turn) => ({ pieces: all(turn, some) }),
  find_tool: (turn, { name }) => ({ text: sluice.findTool(turn, name) }),
  get: (turn, { what }) => {
    const text = sluice.get(turn, GET[what])
    if (what === 'state' && text !== null) saved = text
    return { text }
  },
}

function told(asked) {
  if (asked.do in onHandles) return onHandles[asked.do](asked)
  const turn = handles.get(asked.turn)
  if (asked.do in reads) return reads[asked.do](turn, asked)
  const code = sluice[asked.do](turn, ...changes[asked.do](asked))
  if (code < 0) throw new Refused(sluice.get(turn, GET.error))
  return { judge: { way: code }, call: { number: code }, tick: { next: code } }[asked.do] // JSON writes Infinity as null
}

answerLines((asked) => {
  try {
    return { code: 0, ...told(asked) }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const { code, name, message, path = '' } = JSON.parse(error.message)
    return { code, name, message, path }
  }
})
