// A host that is killed where it is told to: the n-th time that it comes to a step. `node host-kill-app.mjs JSON`.
import { appendFileSync } from 'node:fs'
import { Engine, tool } from 'sluice'
import { files } from 'sluice/conversations'
import { createHost } from 'sluice/host'

const { folder, baseURL, kind, stopAt } = JSON.parse(process.argv[2])
const steps = []
const point = (what) => {
  steps.push(what)
  if (what !== stopAt?.what || steps.filter((one) => one === what).length !== stopAt.time) return
  process.kill(process.pid, 'SIGKILL')
  for (;;);
}
const kept = files(`${folder}/conversations`)
const store = new Proxy(kept, { get: (target, name) => {
  const value = target[name]
  if (typeof value !== 'function') return value
  if (!['load', 'save'].includes(name)) return value.bind(target)
  return async (...given) => {
    point(`in front of ${name}`)
    const got = await value.apply(target, given)
    point(`behind ${name}`)
    return got
  }
} })
const pay = tool({
  name: 'pay', agentCallable: true, permission: kind === 'approved' ? 'sensitive' : 'public', idempotent: kind === 'idempotent', identity: '1',
  parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
  execute: ({ to }, { key }) => { appendFileSync(`${folder}/ran`, `${to} ${key}\n`); point('in the tool'); return 'paid' },
})
const transport = async ({ url, method, headers, body }, signal) => {
  point('in front of the request')
  const response = await fetch(url, { method, headers, body, signal })
  point('behind the request')
  return response
}
const host = createHost(new Engine({ tools: [pay] }), { conversations: store, run: () => ({ model: { baseURL, name: 'm', apiKey: 'secret' }, transport }) })
const window = host.connect({ id: 'w', rights: { read: true, chat: true, approve: true }, frame: () => {} })
await window.call('open', { conversation: 'k' })
const { value: { message } } = await window.call('send', { text: 'Pay.', conversation: 'k' })
for (;;) {
  const { value: view } = await window.call('subscribe', { message })
  for (const ask of view.asks) await window.call('approve', { message, token: ask.token, digest: ask.digest })
  if (view.outcome !== undefined) break
  await new Promise((resolve) => setTimeout(resolve, 5))
}
await host.close()
console.log(JSON.stringify(steps))
process.exit()
