// Node aborts the signal of a request only while something has the request itself: a handler that waits with the signal
// alone would not see that its client has gone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { agUIHandler } from 'sluice/ag-ui'
import { chatHandler } from 'sluice/ai-sdk'
import { memoryConversations } from 'sluice/conversations'
import { memoryLog } from 'sluice/durable'
import { openAIHandler } from 'sluice/openai'
import { memoryStore, turnsOf } from './durable-support.mjs'
import { stage } from './support.mjs'
import { until } from './until.mjs'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

const forever = new Promise(() => {})
const answers = [{ parts: [{ text: 'Never ' }, { wait: forever }] }]
const store = () => ({ store: memoryConversations(), authorize: () => true })
const model = ({ baseURL }) => ({ model: { baseURL, name: 'scripted', apiKey: 'secret' } })
const said = { id: 'm1', role: 'user', content: 'Hi' }
const run = { threadId: 'thread', runId: 'r', protocolVersion: '1.0', messages: [said] }
const chat = {
  id: 'chat',
  trigger: 'submit-message',
  messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
}
const durable = (t, server) => {
  const turns = turnsOf(t, server, { store: memoryStore(), log: memoryLog() })
  turns.work()
  return turns
}

const handlers = {
  agUIHandler: [({ engine, server }) => agUIHandler(engine, { run: () => model(server), ...store() }), run],
  'agUIHandler, durable': [({ server }, t) => agUIHandler(durable(t, server), store()), run],
  chatHandler: [({ engine, server }) => chatHandler(engine, { run: () => model(server), ...store() }), chat],
  'chatHandler, durable': [({ server }, t) => chatHandler(durable(t, server), store()), chat],
  openAIHandler: [
    ({ server: { baseURL } }) => openAIHandler({ baseURL, protocol: 'hermes' }),
    { model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] },
  ],
}

for (const [name, [handlerOf, body]] of Object.entries(handlers)) {
  test(`${name}: the client goes away after its request was collected → the answer ends`, async (t) => {
    const parts = await stage(t, { answers })
    const handler = await handlerOf(parts, t)
    const client = new AbortController()
    const ask = () =>
      handler(
        new Request('http://app.test/v1/chat/completions', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
          signal: client.signal,
        }),
      )
    const response = await ask()
    assert.equal(response.status, 200)
    const reader = response.body.getReader()
    let text = ''
    while (!text.includes('Never')) text += Buffer.from((await reader.read()).value).toString()
    for (let times = 0; times < 5; times++) {
      await turn()
      collect()
    }
    const rest = (async () => {
      while (!(await reader.read()).done);
    })()
    const ended = rest.then(
      () => 'read',
      () => 'broken off',
    )
    client.abort()
    assert.equal(await Promise.race([ended, until(() => false, 'the end', 5000).catch(() => 'nothing')]), 'broken off')
    if (!name.includes('durable')) await until(() => parts.server.requests[0].aborted, 'the end of the model’s stream')
  })
}
