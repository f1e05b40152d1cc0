// What chatHandler tells, in Redis or Postgres: a page that lost its connection reads the answer from another process
// than the one that writes it.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { built } from '../js/dist.mjs'
import { Redis } from 'ioredis'
import pg from 'pg'
import { callsEcho, echo, stage } from '../js/support.mjs'
import { noPostgres, noRedis, withServers } from './servers.mjs'
import { until } from '../js/until.mjs'

const { chatHandler } = await built('sluice/ai-sdk')
const { memoryConversations } = await built('sluice/conversations')
const { postgresLog, redisLog } = await built('sluice/durable')

const servers = withServers()

/** Each log over a connection of its own, as another process has. */
const logs = {
  Redis: [
    noRedis,
    (t, prefix) => {
      const client = new Redis({ host: '127.0.0.1', port: servers.redis.port })
      t.after(() => client.disconnect())
      return redisLog(client, { prefix: `${prefix}:`, pollMs: 10 })
    },
  ],
  Postgres: [
    noPostgres,
    (t, prefix) => {
      const pool = new pg.Pool({ ...servers.postgres.config, max: 4 })
      t.after(() => pool.end())
      return postgresLog(pool, { prefix: `${prefix}_` })
    },
  ],
}

for (const [name, [skip, open]] of Object.entries(logs))
  test(`an answer over two legs is told by a process that does not write it, by a log in ${name}`, {
    skip,
  }, async (t) => {
    let goOn
    const gate = new Promise((resolve) => (goOn = resolve))
    const { server: model, engine } = await stage(t, {
      answers: [callsEcho, { parts: [{ text: 'Do' }, { wait: gate }, { text: 'ne.' }] }],
      tools: [echo({ permission: 'sensitive' })],
    })
    const prefix = `t${randomUUID().replaceAll('-', '')}`
    const store = memoryConversations()
    const handler = () =>
      chatHandler(engine, {
        run: () => ({ model: { baseURL: model.baseURL, name: 'scripted' } }),
        store,
        authorize: () => true,
        onDisconnect: 'continue',
        log: open(t, prefix),
      })
    const [one, other] = [handler(), handler()]
    const post = async (...messages) =>
      await one(
        new Request('http://app.test/api/chat', { method: 'POST', body: JSON.stringify({ id: 'chat', messages }) }),
      )
    const replay = () => other(new Request('http://app.test/api/chat/chat/stream'))
    const asked = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }
    assert.equal((await replay()).status, 204)
    const first = await (await post(asked)).text()
    assert.equal((await replay()).status, 204, 'it waits for a person')
    const { approvalId, toolCallId } = JSON.parse(/\{"type":"tool-approval-request".*\}/.exec(first)[0])
    const { messageId } = JSON.parse(/\{"type":"start",.*\}/.exec(first)[0])
    const leg = await post(asked, {
      id: messageId,
      role: 'assistant',
      parts: [
        {
          type: 'tool-echo.back',
          toolCallId,
          state: 'approval-responded',
          approval: { id: approvalId, approved: true },
        },
      ],
    })
    const elsewhere = await replay()
    assert.equal(elsewhere.status, 200)
    goOn()
    const textOf = (body) => [...body.matchAll(/"delta":"([^"]*)"/g)].map(([, text]) => text).join('')
    const [own, whole] = (await Promise.all([leg.text(), elsewhere.text()])).map(textOf)
    assert.deepEqual([own, whole], ['Done.', 'Well, Done.'])
    assert.equal((await replay()).status, 204)
  })

for (const [name, [skip, open]] of Object.entries(logs))
  test(`a process whose clock is behind goes on with what another one began, and with what one left that died, by a log in ${name}`, {
    skip,
  }, async (t) => {
    const { server: model, engine } = await stage(t, {
      answers: [callsEcho, { text: 'Done.' }, { text: 'Again.' }],
      tools: [echo({ permission: 'sensitive' })],
    })
    const store = memoryConversations()
    const log = open(t, `t${randomUUID().replaceAll('-', '')}`)
    const handler = (use = log) =>
      chatHandler(engine, {
        run: () => ({ model: { baseURL: model.baseURL, name: 'scripted' } }),
        store,
        authorize: () => true,
        log: use,
      })
    const post = async (one, ...messages) =>
      await (
        await one(
          new Request('http://app.test/api/chat', { method: 'POST', body: JSON.stringify({ id: 'chat', messages }) }),
        )
      ).text()
    const asked = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }
    const first = await post(handler(), asked)
    const { approvalId, toolCallId } = JSON.parse(/\{"type":"tool-approval-request".*\}/.exec(first)[0])
    const { messageId } = JSON.parse(/\{"type":"start",.*\}/.exec(first)[0])
    const { now } = Date
    t.after(() => (Date.now = now))
    Date.now = () => now() - 3_600_000
    const answered = {
      id: messageId,
      role: 'assistant',
      parts: [
        {
          type: 'tool-echo.back',
          toolCallId,
          state: 'approval-responded',
          approval: { id: approvalId, approved: true },
        },
      ],
    }
    // It dies: nothing says that its leg is over.
    const dies = {
      begin: (...given) => log.begin(...given),
      append: (...given) => log.append(...given),
      read: (id) => log.read(id),
      end: async () => {},
    }
    Promise.resolve(post(handler(dies), asked, answered)).catch(() => {})
    await until(
      async () => (await store.load('chat')).entries[1].message.outcome === 'completed',
      'the answer that was approved',
    )
    assert.match(
      await post(
        handler(),
        asked,
        { ...answered, parts: [] },
        { id: 'm2', role: 'user', parts: [{ type: 'text', text: 'And?' }] },
      ),
      /"delta":"Again\."/,
    )
  })
