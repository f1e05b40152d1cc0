// What the tests of the package share.
import { Engine, tool } from 'sluice'
import { startServer } from 'sluice/testing'

/** A server with these answers and an engine with these tools, closed when the test ends. */
export async function stage(t, { answers, server: options = {}, ...engineOptions }) {
  const server = await startServer({ answers, ...options })
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
