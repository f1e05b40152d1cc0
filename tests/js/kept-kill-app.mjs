// A host, or a handler, with a store of conversations: it is killed where it is told to, the n-th time that it comes to
// a step. `node kept-kill-app.mjs JSON`.
import { appendFileSync } from 'node:fs'
import { Engine, tool } from 'sluice'
import { agUIHandler } from 'sluice/ag-ui'
import { chatHandler } from 'sluice/ai-sdk'
import { fileConversations } from 'sluice/conversations'
import { createHost } from 'sluice/host'

const { folder, baseURL, kind, through, stopAt } = JSON.parse(process.argv[2])
const steps = []
const point = (what) => {
  steps.push(what)
  if (what !== stopAt?.what || steps.filter((one) => one === what).length !== stopAt.time) return
  process.kill(process.pid, 'SIGKILL')
  for (;;);
}
const kept = fileConversations(`${folder}/conversations`)
const store = new Proxy(kept, {
  get: (target, name) => {
    const value = target[name]
    if (typeof value !== 'function') return value
    if (!['load', 'save'].includes(name)) return value.bind(target)
    return async (...given) => {
      point(`in front of ${name}`)
      const got = await value.apply(target, given)
      point(`behind ${name}`)
      return got
    }
  },
})
const pay = tool({
  name: 'pay',
  agentCallable: true,
  permission: kind === 'approved' ? 'sensitive' : 'public',
  idempotent: kind === 'idempotent',
  identity: '1',
  parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
  execute: ({ to }, { key }) => {
    appendFileSync(`${folder}/ran`, `${to} ${key}\n`)
    point('in the tool')
    return 'paid'
  },
})
const transport = async ({ url, method, headers, body }, signal) => {
  point('in front of the request')
  const response = await fetch(url, { method, headers, body, signal })
  point('behind the request')
  return response
}
const engine = new Engine({ tools: [pay] })
const run = () => ({ model: { baseURL, name: 'm', apiKey: 'secret' }, transport })

async function overHost() {
  const host = createHost(engine, { conversations: store, run })
  const window = host.connect({ id: 'w', rights: { read: true, chat: true, approve: true }, frame: () => {} })
  await window.call('open', { conversation: 'k' })
  const {
    value: { message },
  } = await window.call('send', { text: 'Pay.', conversation: 'k' })
  for (;;) {
    const { value: view } = await window.call('subscribe', { message })
    for (const ask of view.questions) await window.call('approve', { message, token: ask.token, digest: ask.digest })
    if (view.outcome !== undefined) break
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await host.close()
}

/** Posts to a handler, and reads its answer to the end. */
async function chunksOf(handler, body) {
  const response = await handler(new Request('http://app.test/api', { method: 'POST', body: JSON.stringify(body) }))
  return (await response.text())
    .split('\n\n')
    .filter((part) => part.startsWith('data: {'))
    .map((part) => JSON.parse(part.slice(6)))
}

async function overChat() {
  const handler = chatHandler(engine, { store, run, authorize: () => true })
  const hello = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Pay.' }] }
  const chunks = await chunksOf(handler, { id: 'k', messages: [hello] })
  const asked = chunks.find(({ type }) => type === 'tool-approval-request')
  if (!asked) return
  const { messageId } = chunks.find(({ type }) => type === 'start')
  const parts = [
    {
      type: 'tool-pay',
      toolCallId: asked.toolCallId,
      state: 'approval-responded',
      approval: { id: asked.approvalId, approved: true },
    },
  ]
  await chunksOf(handler, { id: 'k', messages: [hello, { id: messageId, role: 'assistant', parts }] })
}

async function overAGUI() {
  const handler = agUIHandler(engine, { store, run, authorize: () => true })
  const input = {
    threadId: 'k',
    protocolVersion: '1.0',
    state: {},
    tools: [],
    context: [],
    forwardedProps: {},
    messages: [{ id: 'm1', role: 'user', content: 'Pay.' }],
  }
  const {
    outcome: { interrupts = [] },
  } = (await chunksOf(handler, { ...input, runId: '1' })).at(-1)
  if (interrupts.length > 0)
    await chunksOf(handler, {
      ...input,
      runId: '2',
      resume: interrupts.map(({ id }) => ({ interruptId: id, status: 'resolved', payload: { approved: true } })),
    })
}

await { host: overHost, chatHandler: overChat, agUIHandler: overAGUI }[through]()
console.log(JSON.stringify(steps))
process.exit()
