// What the tests of the host share: windows without a transport, that keep what they are sent and show it as a renderer
// would.
import { built } from './dist.mjs'
import { Engine, tool } from 'sluice'
import { startScriptedServer } from 'sluice/testing'
import { createHost } from 'sluice/host'

const { applyDeltas } = await built('view')
export { until } from './until.mjs'

export const everything = { read: true, chat: true, approve: true, configure: true, server: true, pet: true }

/** A server, an engine and a host, closed when the test ends. */
export async function hostStage(
  t,
  { answers, server: serverOptions = {}, host: hostOptions = {}, ...engineOptions } = {},
) {
  const server = await startScriptedServer({ answers: answers ?? [{ text: 'Hello.' }], ...serverOptions })
  const engine = new Engine(engineOptions)
  const host = createHost(engine, {
    run: () => ({ model: { baseURL: server.baseURL, name: 'scripted' } }),
    frameMs: 0,
    ...hostOptions,
  })
  t.after(async () => {
    await host.close()
    engine.close()
    await server.close()
  })
  let count = 0
  const open = (rights = everything) => new FakeWindow(host, `window ${++count}`, rights)
  return { server, engine, host, open }
}

export class FakeWindow {
  constructor(host, id, rights) {
    this.frames = []
    this.orders = []
    this.executed = []
    this.aborted = []
    this.views = new Map()
    this.conversations = new Map()
    this.mismatches = 0
    this.rights = rights
    const take = (frame) => this.#take(structuredClone(frame))
    this.connection = host.connect({
      id,
      rights: this.rights,
      frame: take,
      pet: (order) => this.orders.push(structuredClone(order)),
      busy: () => this.blocked === true,
    })
  }

  /** The reply as it comes. */
  async call(method, input) {
    return structuredClone(await this.connection.call(method, input))
  }

  /** The value of a reply that must be one. */
  async get(method, input) {
    const reply = await this.call(method, input)
    if (!reply.ok) throw Object.assign(new Error(`${method}: ${reply.error.code}: ${reply.error.detail}`), reply.error)
    return reply.value
  }

  async send(text, conversation) {
    const { message } = await this.get('send', { text, conversation })
    return await this.watch(message)
  }

  async watch(message) {
    this.views.set(message, await this.get('subscribe', { message }))
    return message
  }

  view(message) {
    return this.views.get(message)
  }

  asks(message) {
    return this.view(message).questions
  }

  cards(message) {
    return this.view(message).blocks.filter((block) => block.type === 'tool_use')
  }

  text(message) {
    return this.view(message)
      .blocks.map((block) => (block.type === 'text' ? block.text : ''))
      .join('')
  }

  close() {
    this.connection.close()
  }

  #take(frame) {
    this.frames.push({ at: performance.now(), ...frame })
    for (const { id, after, seq, deltas } of frame.messages ?? []) {
      const view = this.views.get(id)
      if (!view) continue
      if (view.seq !== after) {
        this.mismatches++
        this.watch(id).catch(() => {}) // of a host that was closed meanwhile
      } else {
        this.views.set(id, applyDeltas(view, deltas, seq))
      }
    }
    for (const conversation of frame.conversations ?? []) this.conversations.set(conversation.id, conversation)
    this.executed.push(...(frame.execute ?? []))
    this.aborted.push(...(frame.abort ?? []))
  }
}

/** A tool that asks and counts how often it ran. */
export function guarded(more = {}) {
  const ran = []
  const made = tool({
    name: 'file.delete',
    description: 'Deletes a file.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    permission: 'sensitive',
    agentCallable: true,
    execute: (args) => {
      ran.push(args)
      return 'deleted'
    },
    ...more,
  })
  return { tool: made, ran }
}

export const callsDelete = {
  text: 'I will. ',
  calls: [{ id: 'call_d', name: 'file_delete', arguments: { path: '/tmp/x' } }],
}
