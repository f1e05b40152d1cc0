// What the tests of the package share.
import { Engine, tool } from 'sluice'
import { startScriptedServer } from 'sluice/testing'

/** A server with these answers and an engine with these tools, closed when the test ends. */
export async function stage(t, { answers, server: options = {}, ...engineOptions }) {
  const server = await startScriptedServer({ answers, ...options })
  const engine = new Engine(engineOptions)
  t.after(async () => {
    engine.close()
    await server.close()
  })
  const run = (more = {}) =>
    engine.run({
      model: { baseURL: server.baseURL, name: 'scripted', apiKey: 'secret' },
      messages: [{ role: 'user', content: 'Hello' }],
      ...more,
    })
  return { server, engine, run }
}

/** A public tool that says what it was given. */
export function echo(more = {}) {
  return tool({
    name: 'echo.back',
    description: 'Says it again.',
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    permission: 'public',
    agentCallable: true,
    execute: ({ text }) => `you said ${text}`,
    ...more,
  })
}

export const callsEcho = { text: 'Well, ', calls: [{ id: 'call_a', name: 'echo_back', arguments: { text: 'hi' } }] }

/** Reads a run to its end and returns its events. */
export async function collect(run, onEvent = () => {}) {
  const events = []
  for await (const event of run) {
    events.push(event)
    await onEvent(event)
  }
  return events
}

export const ofType = (events, type) => events.filter((event) => event.type === type)
export const cards = ({ message }) => message.blocks.filter((block) => block.type === 'tool_use')

/**
 * From now on a wait of 5000 ms takes 10, where `instead` is { 5000: 10 }. All else keeps its time, and whoever ends a
 * wait ends the real one: under the mock of all timers nobody can end those that connections began before it.
 */
export function shorten(t, instead) {
  const { setTimeout } = globalThis
  return t.mock.method(globalThis, 'setTimeout', (run, ms, ...rest) => setTimeout(run, instead[ms] ?? ms, ...rest)).mock
}

/** Waits of `ms` end from now on when the test says so: it calls what this returns. All else keeps its time. */
export function holdWaits(t, ms) {
  const { setTimeout, clearTimeout } = globalThis
  const held = new Map()
  t.mock.method(globalThis, 'setTimeout', (run, wait, ...rest) => {
    if (wait !== ms) return setTimeout(run, wait, ...rest)
    const timer = setTimeout(() => {}, 2 ** 31 - 1).unref()
    held.set(timer, () => run(...rest))
    return timer
  })
  t.mock.method(globalThis, 'clearTimeout', (timer) => {
    held.delete(timer)
    clearTimeout(timer)
  })
  return () => {
    for (const [timer, run] of [...held]) {
      // what runs may wait again
      globalThis.clearTimeout(timer)
      run()
    }
  }
}

/** An answer of openai-chat, for a scripted server: a text with a source, and a picture. */
export const madeAnswer = {
  url: 'https://weather.example/oslo',
  png: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  get parts() {
    const source = { url: this.url, title: 'Oslo', start_index: 0, end_index: 4 }
    const deltas = [
      { content: 'Rain.' },
      { annotations: [{ type: 'url_citation', url_citation: source }] },
      { images: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${this.png}` } }] },
    ]
    return [{ raw: deltas.map((delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`).join('') }]
  },
}
