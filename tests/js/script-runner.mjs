// Replays the shared scripts of tests/vectors through the addon or WebAssembly; the format is described in
// tests/README.md.
import { Buffer } from 'node:buffer'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { built } from './dist.mjs'
import { checkAnthropic, checkGemini, checkGeminiInteractions, checkOllama, checkOpenAIResponses } from 'sluice/testing'

const { unpack } = await built('packed')

export const tests = resolve(dirname(fileURLToPath(import.meta.url)), '..')
/** The functions of sluice.h: those of the addon, or with SLUICE_BACKEND=wasm those of WebAssembly. */
export const native =
  process.env.SLUICE_BACKEND === 'wasm'
    ? (await built('backend')).native()
    : createRequire(import.meta.url)(process.env.SLUICE_ADDON ?? join(tests, '..', 'build', 'release', 'sluice.node'))

export function sharedFolder() {
  const folder = process.env.SLUICE_SHARED || join(tests, '..', '..', 'shared')
  return existsSync(join(folder, 'vectors')) ? folder : null
}

/** What each provider would refuse; `openai-chat` has `invalidMessages` below. */
const refusals = {
  anthropic: (body) => checkAnthropic(body),
  gemini: (body, model) => checkGemini(body, model),
  'gemini-interactions': (body) => checkGeminiInteractions(body),
  'openai-responses': (body) => {
    const words = checkOpenAIResponses(body)
    // Scripts have items and members that no version knows yet: those go back as well.
    return words && /^(Unknown parameter|Invalid value)|begins with/.test(words) ? null : words
  },
  ollama: (body) => checkOllama(body),
}

/** Of the random cuts: C++ has others, and Python. */
const randomSeed = 11
const bytewiseLimit = 65536
const finals = new Set([
  'success',
  'error',
  'denied',
  'result_rejected',
  'not_found',
  'invalid',
  'timeout',
  'expired',
  'cancelled',
  'unknown',
])
const codes = { ok: 0, argument: -1, state: -2, not_found: -3, json: -4, limit: -5, unsupported: -6 }
const ends = { complete: 0, network: 1, aborted: 2, retry: 3, hook: 4, fallback: 5 }
const conclusions = { accept: 0, retry: 1, replace: 2 }
const ways = { run: 0, ask: 1, deny: 2 }
const decisions = { once: 0, turn: 1, session: 2, always: 3, release: 4 }
const kinds = { result: 0, json: 1, parts: 2, failure: 3, progress: 4, rewritten: 5 }
export const documents = { request: 1, message: 2, history: 3, tools: 4, prompt: 5, state: 6, error: 7 }
const exact = 256

/** Events whose place between others is not promised. */
const asideTypes = ['diagnostic', 'usage', 'round']

class Failed extends Error {}

/** `data` in pieces. most 0: whole; 1: bytes; else at random, the same numbers in every language. */
export function* cuts(data, { seed = 0, most = 0 }) {
  let state = seed
  let at = 0
  do {
    const left = data.length - at
    let size = left
    if (most === 1 || (most > 1 && state === 0)) {
      size = Math.min(left, 1)
    } else if (most > 1) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      size = (state >>> 24) % 16 === 0 ? 0 : Math.min(left, 1 + ((state >>> 16) % most))
    }
    yield data.subarray(at, at + size)
    at += size
  } while (at < data.length)
}

export const randomCut = (seed) => ({ seed, most: 1 + ((seed * 7) % 64) })
/** Of a long script some hundred pieces: between them all of it is saved and read again. */
const restoredCut = (size) => ({ seed: 5, most: Math.max(36, Math.trunc(size / 64)) })

function brief(value) {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length <= 1200 ? text : `${text.slice(0, 1000)} ... (${text.length} characters)`
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

export function equal(a, b) {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((value, i) => equal(value, b[i]))
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a)
    return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]))
  }
  return a === b
}

const notAs = (where, expected, actual) => `${where || 'value'}: expected ${expected}, got ${brief(actual)}`

function firstOf(list, why) {
  for (let i = 0; i < list.length; i++) {
    const found = why(list[i], i)
    if (found) return found
  }
  return ''
}

/** Greedy: each pattern meets an element behind the one that the pattern before it met. */
function subsequence(patterns, elements, where) {
  let at = 0
  return firstOf(patterns, (pattern, i) => {
    while (at < elements.length && mismatch(pattern, elements[at])) at++
    return at++ < elements.length ? '' : `${where}[${i}]: nothing matches ${brief(pattern)}`
  })
}

/** Empty, or where and how `actual` differs from the pattern. */
export function mismatch(pattern, actual, where = '') {
  if (Array.isArray(pattern)) {
    if (!Array.isArray(actual) || actual.length !== pattern.length)
      return notAs(where, `${pattern.length} elements like ${brief(pattern)}`, actual)
    return firstOf(pattern, (value, i) => mismatch(value, actual[i], `${where}[${i}]`))
  }
  if (isObject(pattern)) {
    const keys = Object.keys(pattern)
    if (keys.length === 1 && keys[0].startsWith('$')) return testMismatch(keys[0], pattern[keys[0]], actual, where)
    if (!isObject(actual)) return notAs(where, `an object like ${brief(pattern)}`, actual)
    return firstOf(keys, (key) =>
      mismatch(pattern[key], Object.hasOwn(actual, key) ? actual[key] : undefined, `${where}.${key}`),
    )
  }
  return pattern === actual ? '' : notAs(where, brief(pattern), actual)
}

function testMismatch(test, operand, actual, where) {
  const unless = (holds, expected) => (holds ? '' : notAs(where, expected, actual))
  if (test === '$absent') return unless(actual === undefined, 'nothing')
  if (test === '$not') return unless(mismatch(operand, actual) !== '', `not ${brief(operand)}`)
  if (actual === undefined) return notAs(where, `${test} ${brief(operand)}`, actual)
  if (test === '$any') return ''
  if (test === '$equals') return unless(equal(operand, actual), `exactly ${brief(operand)}`)
  if (test === '$all') return firstOf(operand, (pattern) => mismatch(pattern, actual, where))
  if (test === '$some')
    return Array.isArray(actual) ? subsequence(operand, actual, where) : notAs(where, 'an array', actual)
  if (typeof actual !== 'string') return notAs(where, `a string: ${test} ${brief(operand)}`, actual)
  if (test === '$has') return unless(actual.includes(operand), `a text with ${brief(operand)}`)
  if (test === '$match') return unless(new RegExp(operand).test(actual), `a match of ${brief(operand)}`)
  if (test === '$bytes') {
    const size = Buffer.byteLength(actual)
    return unless(operand[0] <= size && size <= operand[1], `${brief(operand)} bytes, not ${size}`)
  }
  if (test === '$json') {
    try {
      return mismatch(operand, JSON.parse(actual), `${where}(json)`)
    } catch {
      return notAs(where, 'JSON text', actual)
    }
  }
  throw new Failed(`unknown test ${test}`)
}

/** Neighbouring deltas as one event and without `seq`; `cards`: neighbouring patches of a card, too. */
export function mergedEvents(events, cards) {
  const keyOf = { text: 'block', reasoning: 'block', args: 'call', card: 'call' }
  const out = []
  for (const { seq: _, ...event } of events) {
    const last = out.at(-1)
    const key = keyOf[event.type]
    if (key && (event.type !== 'card' || cards) && last?.type === event.type && last[key] === event[key])
      Object.assign(last, event.type === 'card' ? event : { text: last.text + event.text })
    else out.push(event)
  }
  return out
}

const isJson = (text) => {
  try {
    JSON.parse(text)
    return typeof text === 'string'
  } catch {
    return false
  }
}

/** Empty, or why these messages are no valid conversation. */
export function invalidMessages(messages) {
  const ids = new Set()
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i]
    const at = `message ${i}`
    // One that names no call is the text of all results (`results.role` of a declared format).
    if (message.role === 'tool' && 'tool_call_id' in message)
      return `${at}: a result without its call: ${brief(message)}`
    if (message.role !== 'assistant') continue
    const { content, tool_calls: calls } = message
    if (!calls && (!content || content.length === 0)) return `${at}: an empty assistant message`
    if (!calls) continue
    if (content === '') return `${at}: empty text beside calls`
    if (calls.length === 0) return `${at}: tool_calls is empty`
    const waiting = new Set()
    for (const call of calls) {
      if (!call.id || ids.has(call.id)) return `${at}: no id, or one that was used before: ${brief(call)}`
      ids.add(call.id)
      waiting.add(call.id)
      if (call.type === 'custom') {
        if (!call.custom?.name || typeof call.custom.input !== 'string')
          return `${at}: a custom call without a name and an input: ${brief(call)}`
        continue
      }
      if (!call.function?.name) return `${at}: a call without a name: ${brief(call)}`
      if (!isJson(call.function.arguments)) return `${at}: arguments that are not JSON: ${brief(call)}`
    }
    while (waiting.size > 0) {
      const result = messages[++i]
      if (result?.role !== 'tool' || !waiting.delete(result.tool_call_id))
        return `${at}: the result of ${[...waiting][0]} is not right behind its call`
      if (result.content == null) return `${at}: a result without content`
    }
  }
  return ''
}

/**
 * The ids of the calls at the end of these messages that have no result: the n-th result with an id belongs to the n-th
 * call with it.
 */
function openIds(messages) {
  let open = []
  for (const message of messages) {
    const { role, metadata, tool_calls: calls, tool_call_id: id } = message ?? {}
    if (role === 'tool') open = open.toSpliced(open.includes(id) ? open.indexOf(id) : open.length, 1)
    else if (role !== 'user' || !metadata?.imagesOf)
      open = role === 'assistant' && Array.isArray(calls) ? calls.map((call) => call?.id ?? '') : []
  }
  return open
}

/**
 * Empty, or why [...messages, ...history] is no valid conversation. The messages are the host's: only what the turn
 * adds is judged.
 */
export function invalidHistory(messages, history) {
  const open = openIds(messages)
  const added = [...history]
  while (added[0]?.role === 'tool') {
    const result = added.shift()
    const call = open.indexOf(result.tool_call_id)
    if (call < 0) return `a result of no open call of the messages: ${brief(result)}`
    if (result.content == null) return `a result without content: ${brief(result)}`
    open.splice(call, 1)
  }
  return open.length > 0 ? `an open call of the messages has no result: ${open[0]}` : invalidMessages(added)
}

export const documentText = (document) => (typeof document === 'string' ? document : JSON.stringify(document))

export function sseText(items) {
  return items
    .map((item) => {
      if (typeof item === 'string') return `data: ${item}\n\n`
      let chunk = { choices: [{ index: 0, delta: item }] }
      if ('choices' in item || 'error' in item || 'object' in item) chunk = item
      else if ('finish' in item) chunk = { choices: [{ index: 0, delta: {}, finish_reason: item.finish }] }
      else if ('usage' in item) chunk = { choices: [], usage: item.usage }
      return `data: ${JSON.stringify(chunk)}\n\n`
    })
    .join('')
}

/** What a feeding step hands over; undefined: it is another one. */
export function fed(step) {
  if ('feed' in step) return Buffer.from(step.feed.repeat(step.times ?? 1))
  if ('feedBase64' in step) return Buffer.from(step.feedBase64, 'base64')
  if ('sse' in step) return Buffer.from(sseText(step.sse))
  if ('events' in step)
    return Buffer.from(
      step.events
        .map((item) => `${item.type ? `event: ${item.type}\n` : ''}data: ${JSON.stringify(item)}\n\n`)
        .join(''),
    )
  if ('answer' in step) return Buffer.from(`${sseText(step.answer)}data: [DONE]\n\n`)
}

const number = (value, names) => (typeof value === 'string' ? names[value] : value)

export function pollAll(turn) {
  const events = []
  for (let text; (text = native.nextEvent(turn)) !== null; ) events.push(JSON.parse(text))
  return events
}

const taskTypes = ['request', 'approval', 'resolve', 'execute', 'ipc', 'final']
const waits = { none: 0, event: 5, task: 6 }

/** The same events, in steps of the addon with room for so many. `seq`: of the event that was polled last. */
export function pollPacked(turn, seq, size) {
  const out = new Uint32Array(4 + 3 * size)
  const events = []
  for (;;) {
    const given = native.step(turn, null, null, out)
    const some = given === undefined ? [] : unpack(out, given, seq, (text) => text)
    if (some.length !== out[0] || some.some(({ type }) => taskTypes.includes(type)))
      throw new Failed(`${out[0]} records, and ${brief(some)}`)
    if (out[1] === waits.event && some.length !== size)
      throw new Failed(`more waits, and there was room: ${brief(some)}`)
    events.push(...some)
    seq += some.length
    if (out[1] === waits.none) return events
    if (out[1] === waits.event) continue
    const task = JSON.parse(native.nextEvent(turn))
    if (out[1] !== waits.task || !taskTypes.includes(task.type)) throw new Failed(`${out[1]} waits: ${brief(task)}`)
    events.push(task)
    seq = task.seq
  }
}

/** What a `resolve` step gives; null: the arguments are as they are. */
const argumentsOf = (step) => (step.arguments === undefined ? null : documentText(step.arguments))

class Player {
  events = []
  pending = []
  seq = undefined
  done = undefined
  diagnosed = false
  messages = [] // of the host; none if the turn does not know tools, and so takes up no call
  running = new Set() // calls whose execute was polled and that are not over
  asked = []
  resolved = new Map() // call → the step that resolved its arguments
  engines = []
  polls = 0

  constructor(script, how, cut, poll) {
    Object.assign(this, { script, how, cut, polling: poll })
  }

  play() {
    const { script } = this
    this.makeEngine(script.engine ?? {})
    try {
      this.turn = script.turn === undefined ? null : native.turnNew(this.engine, documentText(script.turn))
      const turn =
        script.turn !== undefined && isJson(documentText(script.turn)) ? JSON.parse(documentText(script.turn)) : {}
      this.parser = !('request' in turn)
      if ((turn.enabled ?? script.engine?.enabled) !== false && Array.isArray(turn.request?.messages))
        this.messages = turn.request.messages
      script.steps.forEach((step, i) => {
        try {
          if (this.how === 'restored' && i > 0) this.saveAndRestore()
          this.run(step)
        } catch (failure) {
          throw new Failed(`step ${i} ${brief(step).slice(0, 200)}\n    ${failure.message}`)
        }
      })
      let message = null
      let history = null
      if (this.turn) {
        this.poll()
        message = this.read(documents.message)
        history = this.read(documents.history)
        this.checkEnd(message)
      }
      return { events: mergedEvents(this.events, false), message, history }
    } finally {
      if (this.turn) native.turnFree(this.turn)
      for (const engine of this.engines) native.engineFree(engine)
    }
  }

  makeEngine(config) {
    this.engine = native.engineNew(documentText(config))
    this.engines.push(this.engine)
  }

  read(what) {
    return JSON.parse(native.get(this.turn, what) ?? 'null')
  }

  restore() {
    const state = native.get(this.turn, documents.state)
    if (state === null) throw new Failed(`no state to save: ${native.get(this.turn, documents.error)}`)
    native.turnFree(this.turn)
    this.turn = native.turnRestore(this.engine, state)
  }

  /** Where nothing runs: what ran would be unknown afterwards. */
  saveAndRestore() {
    if (!this.turn || this.running.size > 0 || native.get(this.turn, documents.message) === null) return
    this.restore()
    if (this.resolved.size > 0) this.poll()
  }

  /**
   * A question that was asked before and still waits comes out again after a restore, and so does the question which
   * arguments a call has: it is answered as before.
   */
  askedAgain({ seq: _, ...question }) {
    if (this.how !== 'restored' || !['approval', 'final', 'resolve'].includes(question.type)) return false
    const again = this.asked.some((earlier) => equal(earlier, question))
    this.asked.push(question)
    return again
  }

  poll() {
    let answered = false
    const packed = this.polling === 'packed' || (this.polling === 'in turns' && this.polls++ % 2 === 0)
    for (const event of packed ? pollPacked(this.turn, this.seq ?? 0, 1 + (this.polls % 4)) : pollAll(this.turn)) {
      if (this.done !== undefined) throw new Failed(`an event after done: ${brief(event)}`)
      if (!Number.isInteger(event.seq) || (this.seq !== undefined && event.seq !== this.seq + 1))
        throw new Failed(`seq does not follow ${this.seq}: ${brief(event)}`)
      this.seq = event.seq
      if (event.type === 'done') this.done = event.outcome
      if (event.type === 'diagnostic') this.diagnosed = true
      if (event.type === 'request') this.checkRequest(event)
      if (event.type === 'execute' && !event.detached) this.running.add(event.call)
      if (event.type === 'card' && (event.status ?? 'executing') !== 'executing') this.running.delete(event.call)
      if (this.askedAgain(event)) {
        const answer = event.type === 'resolve' ? this.resolved.get(event.call) : undefined
        if (answer) native.resolve(this.turn, event.call, argumentsOf(answer))
        answered ||= answer !== undefined
        continue
      }
      this.events.push(event)
      this.pending.push(event)
    }
    if (answered) this.poll()
  }

  checkRequest(event) {
    const text = native.get(this.turn, documents.request)
    if (text === null) return // the answer came before the event was polled
    if (event.bytes !== Buffer.byteLength(text))
      throw new Failed(`the body has ${Buffer.byteLength(text)} bytes: ${brief(event)}`)
    const { wire, request } = JSON.parse(documentText(this.script.turn))
    const refused = refusals[wire]?.(JSON.parse(text), request.model)
    if (refused) throw new Failed(`request: ${refused}\n    in ${brief(text)}`)
    if (wire in refusals) return
    const messages = JSON.parse(text).messages ?? []
    const why = invalidMessages(messages)
    if (why) throw new Failed(`request: ${why}\n    in ${brief(messages)}`)
    for (const message of messages) if ('metadata' in message) throw new Failed(`metadata was sent: ${brief(message)}`)
  }

  checkHistory() {
    const history = this.read(documents.history)
    if (this.parser || history === null || this.done === 'awaiting_user') return
    const why = invalidHistory(this.messages, history)
    if (why) throw new Failed(`history: ${why}\n    in ${brief(history)}`)
  }

  returned(step, code) {
    const expected = codes[step.code ?? 'ok']
    if (Math.min(code, 0) !== expected)
      throw new Failed(`expected code ${expected}, got ${code} ${native.get(this.turn, documents.error)}`)
  }

  run(step) {
    if ('expect' in step) return this.expect(step)
    if ('get' in step) return this.get(step)
    const { turn } = this
    const bytes = fed(step)
    const before = 'code' in step ? native.get(turn, documents.state) : undefined
    const [verb, value] = Object.entries(step)[0]
    const text = (key) => (key in step ? documentText(step[key]) : null)
    if (bytes) {
      for (const piece of cuts(bytes, this.cut)) {
        this.returned(step, native.feed(this.turn, piece))
        if (this.how === 'polled') this.poll()
        if (this.how === 'restored') this.saveAndRestore()
      }
      if ('answer' in step) this.returned(step, native.finish(this.turn, ends.complete, null))
    } else if (verb === 'response') {
      this.returned(step, native.response(turn, value, text('headers')))
    } else if (verb === 'finish') {
      this.returned(step, native.finish(turn, number(value, ends), text('detail')))
    } else if (verb === 'approve') {
      this.returned(
        step,
        native.approve(
          turn,
          value,
          number(step.decision ?? 'once', decisions) + (step.exact ? exact : 0),
          text('edited'),
        ),
      )
    } else if (verb === 'refuse') {
      this.returned(step, native.refuse(turn, value, text('reason')))
    } else if (verb === 'deny') {
      this.returned(step, native.deny(turn, value, text('reason')))
    } else if (verb === 'cancel') {
      this.returned(step, native.cancel(turn, value, text('reason')))
    } else if (verb === 'conclude') {
      this.returned(step, native.conclude(turn, number(value, conclusions), text('text')))
    } else if (verb === 'resolve') {
      this.returned(step, native.resolve(turn, value, argumentsOf(step)))
      if (!step.code) this.resolved.set(value, step)
    } else if (verb === 'call') {
      const called = native.call(turn, value, JSON.stringify({ name: step.name, arguments: step.arguments ?? {} }))
      this.returned(step, called)
      if ('number' in step && called !== step.number) throw new Failed(`the number of the call is ${called}`)
    } else if (verb === 'judge') {
      const way = native.judge(turn, value, documentText(step.rules))
      this.returned(step, way)
      if ('way' in step && way !== number(step.way, ways)) throw new Failed(`the gate says ${way}`)
    } else if (verb === 'submit') {
      const name = Object.keys(kinds).find((key) => key in step)
      const data =
        name === undefined
          ? (step.data ?? '')
          : name === 'json' || name === 'parts' || name === 'rewritten'
            ? JSON.stringify(step[name])
            : step[name].repeat(step.times ?? 1)
      this.returned(step, native.submit(turn, value, name === undefined ? step.kind : kinds[name], data))
    } else if (verb === 'tick') {
      const next = native.tick(turn, value)
      this.returned(step, next)
      const expected = step.next === 'never' ? Infinity : step.next
      if ('next' in step && next !== expected) throw new Failed(`the next deadline is ${next}`)
    } else if (verb === 'restore') {
      if (isObject(value)) this.makeEngine(value)
      this.restore()
    } else {
      throw new Failed(`unknown verb ${verb}`)
    }
    if (before !== undefined && !bytes && verb !== 'restore' && native.get(this.turn, documents.state) !== before)
      throw new Failed('a verb that returns an error has changed something')
    if (this.how === 'polled') {
      this.poll()
      this.checkHistory()
    }
  }

  get(step) {
    const text =
      step.get === 'engineError'
        ? native.engineError(this.engine)
        : step.get === 'tool'
          ? native.findTool(this.turn, step.name)
          : native.get(this.turn, documents[step.get])
    const value = JSON.parse(text ?? 'null')
    let why = 'is' in step ? mismatch(step.is, value) : ''
    if (why) throw new Failed(`${why}\n    in ${brief(value)}`)
    why = 'text' in step ? mismatch(step.text, text) : ''
    if (why) throw new Failed(why)
  }

  expect(step) {
    this.poll()
    const events = this.pending
    this.pending = []
    const aside = (event) => asideTypes.includes(event.type)
    const beside = events.filter(aside)
    for (const type of asideTypes) {
      const why = subsequence(
        step.expect.filter((pattern) => pattern.type === type),
        beside,
        type,
      )
      if (why) throw new Failed(`${why}\n    in ${brief(beside)}`)
    }
    for (const pattern of step.no ?? [])
      for (const event of events) if (!mismatch(pattern, event)) throw new Failed(`this may not come: ${brief(event)}`)
    const ordered = step.expect.filter((pattern) => !aside(pattern))
    const withArguments = ordered.some((pattern) => pattern.type === 'args')
    const main = mergedEvents(
      events.filter((event) => !aside(event) && (withArguments || event.type !== 'args')),
      true,
    )
    const why = step.some
      ? subsequence(ordered, main, 'expect')
      : firstOf(Array.from({ length: Math.max(main.length, ordered.length) }), (_, i) =>
          i < ordered.length ? mismatch(ordered[i], main[i], `event ${i}`) : `unexpected event ${brief(main[i])}`,
        )
    if (why) throw new Failed(`${why}\n    in ${brief(main)}\n    beside ${brief(beside)}`)
  }

  checkEnd(message) {
    if (!message?.blocks) return
    const { blocks } = message
    if (this.done !== undefined && message.outcome !== this.done)
      throw new Failed("the message's outcome is not that of done")
    const texts = new Map()
    let newest = 0 // block
    const args = new Map()
    const cards = new Map()
    const told = new Set() // rounds
    const retracted = new Set()
    for (const event of this.events) {
      if (event.type === 'retracted') retracted.add(event.round) // another text may stand in its place
      const nested = event.type === 'card' && 'parent' in event
      if (nested && 'block' in event) throw new Failed(`a nested card has no block: ${brief(event)}`)
      if (nested) cards.set(event.call, { ...cards.get(event.call), ...event })
      if (['text', 'reasoning', 'error', 'card'].includes(event.type) && !nested) {
        const expected = event.type === 'card' ? 'tool_use' : event.type
        if (blocks[event.block]?.type !== expected)
          throw new Failed(`no ${expected} block for ${brief(event)}\n    in ${brief(message)}`)
        if (!(event.type === 'card' && cards.has(event.call)) && event.block < newest)
          throw new Failed(`block ${newest} came before ${brief(event)}`)
        newest = Math.max(newest, event.block)
        if (event.type === 'text' || event.type === 'reasoning') {
          texts.set(event.block, (texts.get(event.block) ?? '') + event.text)
          if (told.has(blocks[event.block].round) && !retracted.has(blocks[event.block].round))
            throw new Failed(`text behind its round: ${brief(event)}`)
        }
        if (event.type === 'card') cards.set(event.call, { ...cards.get(event.call), ...event })
      } else if (event.type === 'args') {
        args.set(event.call, (args.get(event.call) ?? '') + event.text)
      } else if (event.type === 'round') {
        told.add(event.round)
      } else if (event.type === 'request') {
        told.delete(event.round) // asked for again
      }
    }
    if ((this.done === 'completed' || this.done === 'limit') && told.size !== message.rounds)
      throw new Failed(`not every answer has its round: ${brief(this.events)}`)
    blocks.forEach((block, i) => {
      if ((block.type === 'text' || block.type === 'reasoning') && texts.get(i) !== block.text)
        throw new Failed(
          `joined ${block.type} events are not block ${i}: ${brief(texts.get(i))}\n    but ${brief(block)}`,
        )
      if (block.type === 'tool_use') this.checkCard(block, cards, args)
    })
    this.checkHistory()
  }

  /** Compares the events of a card, and of those within it, with the message. */
  checkCard(block, cards, args) {
    const { call, status } = block
    if (this.done !== undefined && !this.parser && this.done !== 'awaiting_user' && !finals.has(status))
      throw new Failed(`not final after done: ${brief(block)}`)
    const { type: _t, seq: _s, block: _b, progress: _p, ...laid } = cards.get(call) ?? {}
    const streamed = args.has(call) || !('rawArguments' in laid)
    if (status !== 'streaming' && streamed && !this.diagnosed && (args.get(call) ?? '') !== (block.rawArguments ?? ''))
      throw new Failed(`joined args are not rawArguments: ${brief(args.get(call))}\n    but ${brief(block)}`)
    const { type: _t2, progress: _p2, nested = [], ...rest } = block
    if (!('rawArguments' in laid)) delete rest.rawArguments
    if (!equal(laid, rest))
      throw new Failed(`patches laid over each other: ${brief(laid)}\n    but the block is ${brief(rest)}`)
    for (const card of nested) this.checkCard(card, cards, args)
  }
}

/** What went wrong; empty: nothing. */
export function runScript(script, restorable) {
  if (!restorable && script.steps.some((step) => 'restore' in step)) return ''
  // It says itself what comes again after a restore, and what is answered then.
  const has = (verb) => script.steps.some((step) => verb in step)
  const answersAgain = has('restore') && (has('resolve') || has('call'))
  const size = script.steps.reduce((sum, step) => sum + (fed(step)?.length ?? 0), 0)
  const small = size <= bytewiseLimit
  const replays = [
    ['as written', 'cut', {}],
    ['as written, packed', 'cut', {}, 'packed'],
  ]
  if (size > 0 && small) replays.push(['byte by byte', 'cut', { most: 1 }, 'in turns'])
  if (size > 0) replays.push([`random cuts, seed ${randomSeed}`, 'cut', randomCut(randomSeed), 'in turns'])
  if (script.polls !== 'as written')
    replays.push(['polled after every call', 'polled', small ? { most: 1 } : randomCut(1), 'in turns'])
  if (restorable && !answersAgain) replays.push(['saved and restored', 'restored', restoredCut(size), 'in turns'])
  let first
  for (const [name, how, cut, poll] of replays) {
    try {
      const outcome = new Player(script, how, cut, poll).play()
      first ??= outcome
      for (const what of ['message', 'history'])
        if (!equal(outcome[what], first[what]))
          throw new Failed(`another ${what} than as written: ${brief(outcome[what])}\n    not ${brief(first[what])}`)
      if (how === 'cut' && !equal(outcome.events, first.events))
        throw new Failed(`other events than as written: ${brief(outcome.events)}\n    not ${brief(first.events)}`)
    } catch (failure) {
      return `${name}: ${failure.message}`
    }
  }
  return ''
}

export function canRestore() {
  const engine = native.engineNew('{}')
  const turn = native.turnRestore(engine, '{}')
  const code = native.feed(turn, new Uint8Array())
  native.turnFree(turn)
  native.engineFree(engine)
  return code !== codes.unsupported
}

/** The events of a script as it is written, and the message at its end. */
export function eventsOf(script) {
  const player = new Player(script, 'cut', {})
  const { message } = player.play()
  return { events: player.events, message }
}
