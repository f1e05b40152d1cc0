// A host, or a handler, with a store is killed at every step, and its store fails: what happened outside is always in
// the conversation.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fileConversations, memoryConversations } from 'sluice/conversations'
import { hostStage, until } from './host-support.mjs'
import { serverOf } from './durable-support.mjs'
import { callsEcho, echo } from './support.mjs'

const app = fileURLToPath(new URL('kept-kill-app.mjs', import.meta.url))

async function run(options) {
  const child = spawn(process.execPath, [app, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (data) => (out += data))
  const [code, signal] = await once(child, 'close')
  return { out, code, signal }
}

for (const through of ['host', 'chatHandler', 'agUIHandler'])
  for (const kind of ['public', 'approved', 'idempotent']) {
    test(`${through}, killed at every step: what a ${kind} tool did is on a card of the conversation`, {
      timeout: 300_000,
    }, async (t) => {
      let asked = 0
      const server = await serverOf(t, ({ body }) =>
        body.messages.some(({ role }) => role === 'tool')
          ? { text: 'Done.' }
          : { calls: [{ id: 'a', name: 'pay', arguments: { to: `number ${++asked}` } }] },
      )
      const place = () => {
        const folder = mkdtempSync(join(tmpdir(), 'sluice-host-kill-'))
        t.after(() => rmSync(folder, { recursive: true, force: true }))
        return folder
      }
      const whole = await run({ folder: place(), baseURL: server.baseURL, through, kind })
      assert.equal(whole.code, 0)
      const times = new Map()
      const steps = JSON.parse(whole.out).map((what) => {
        times.set(what, (times.get(what) ?? 0) + 1)
        return { what, time: times.get(what) }
      })
      let ran = 0
      const states = new Set()
      for (const stopAt of steps) {
        const folder = place()
        const { signal } = await run({ folder, baseURL: server.baseURL, through, kind, stopAt })
        if (signal !== 'SIGKILL') continue // it saved less often this time
        const { entries = [] } = (await fileConversations(join(folder, 'conversations')).load('k')) ?? {}
        const where = JSON.stringify(stopAt)
        if (/request|tool/.test(stopAt.what))
          assert.ok(
            entries.some(({ role }) => role === 'user'),
            `${where}: what the person wrote is kept`,
          )
        if (!existsSync(join(folder, 'ran'))) continue
        ran++
        const lines = readFileSync(join(folder, 'ran'), 'utf8').trim().split('\n')
        assert.equal(lines.length, 1, where)
        const cards = entries.flatMap(({ message }) => message?.blocks ?? []).filter(({ type }) => type === 'tool_use')
        assert.equal(cards.length, 1, where)
        const [
          {
            arguments: { to },
            status,
            key,
          },
        ] = cards
        states.add(status)
        assert.ok(
          lines[0].startsWith(`${to} `) && lines[0].endsWith(`:${key}`),
          `${where}: ${lines[0]}, the card: ${to} ${key}`,
        )
        assert.ok(['unknown', 'success'].includes(status), `${where}: ${status}`)
      }
      assert.ok(ran > 0 && states.has('unknown'), `${ran} ran: ${[...states]}`)
      t.diagnostic(`${steps.length} steps, ${ran} after the tool had begun`)
    })
  }

const failing = (save) => {
  const kept = memoryConversations()
  return new Proxy(kept, {
    get: (target, name) =>
      name === 'save'
        ? (...given) => save(() => target.save(...given))
        : typeof target[name] === 'function'
          ? target[name].bind(target)
          : target[name],
  })
}

for (const [what, tool, ran] of [
  ['a public tool', {}, 0],
  ['an idempotent tool', { idempotent: true }, 0],
  ['a read-only tool', { annotations: { readOnlyHint: true } }, 1],
]) {
  test(`a store that fails: ${what} runs ${ran === 0 ? 'not' : 'all the same'}, the model reads why, and the app knows`, async (t) => {
    let [count, told] = [0, '']
    const unsaved = []
    const answers = ({ body }) => {
      const result = body.messages.find(({ role }) => role === 'tool')
      if (result) told = result.content
      return result ? { text: 'Pity.' } : callsEcho
    }
    const { open } = await hostStage(t, {
      answers,
      tools: [echo({ ...tool, execute: () => `${++count}` })],
      host: {
        conversations: failing(async () => {
          throw new Error('the disk is full')
        }),
        onUnsaved: ({ error }) => unsaved.push(error.message),
      },
    })
    const window = open()
    await window.get('open')
    const message = await window.send('Hello')
    await until(() => window.view(message).outcome !== undefined)
    assert.deepEqual([count, unsaved.length > 0], [ran, true])
    if (ran === 0) assert.match(told, /this could not be saved/)
  })
}
