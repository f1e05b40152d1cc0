// The events of every shared script as events of AG-UI: each is one that both eras know, their verifier finds nothing,
// and nothing that was said is lost.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { built } from '../js/dist.mjs'
import { scriptFiles } from '../js/script-files.mjs'
import { eventsOf } from '../js/script-runner.mjs'
import { eras, typesOf } from './agents.mjs'

const { EventWriter } = await built('event-writer')

const MOST = 60_000
const scripts = scriptFiles('')

/** What the server runs, or with `inPage` the page. */
function toolsOf({ engine = {} }, inPage) {
  const { tools = [] } = typeof engine === 'string' ? {} : engine
  return (Array.isArray(tools) ? tools : []).flatMap((tool) =>
    typeof tool?.name === 'string'
      ? [{ name: tool.name, declaration: tool, ...(inPage ? {} : { run: async () => {} }) }]
      : [],
  )
}

const textOf = (parts) => parts.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('')

function written({ events, message }, input, tools, options) {
  const writer = new EventWriter(input, 'm', tools, options)
  const error = events.findLast(({ type }) => type === 'error')
  return [
    writer.start,
    ...events.flatMap((event) => writer.take(event)),
    ...writer.end({ outcome: message.outcome ?? 'suspended', error, message }),
  ]
}

for (const [name, { load, current }] of Object.entries(eras)) {
  describe(name, async () => {
    const { HttpAgent } = await load()

    test('of every script', async () => {
      let [count, calls] = [0, 0]
      for (const { name: file, script } of scripts) {
        if (script.turn === undefined) continue
        const played = eventsOf(script)
        if (!played.message?.blocks) continue
        try {
          for (const inPage of played.message.blocks.some(({ type }) => type === 'tool_use')
            ? [false, true]
            : [false]) {
            const tools = toolsOf(script, inPage)
            const sent = written(
              played,
              { threadId: 't', runId: 'r', ...(current ? { protocolVersion: '1.0' } : {}) },
              tools,
              { activities: count % 2 === 0 },
            )
            if (JSON.stringify(sent).length > MOST) continue
            const agent = new HttpAgent({
              url: 'http://app.test/',
              threadId: 't',
              fetch: async () =>
                new Response(sent.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''), {
                  headers: { 'content-type': 'text/event-stream' },
                }),
            })
            const types = []
            agent.subscribe({
              onEvent: ({ event }) => {
                types.push(event.type)
              },
            })
            await quietly(() => agent.runAgent({ runId: 'r' }))
            assert.deepEqual(types, typesOf(sent), 'every event arrives')
            assert.equal(
              agent.messages
                .flatMap(({ role, content }) => (role === 'assistant' && content ? [content] : []))
                .join(''),
              textOf(played.message.blocks),
            )
            const named = played.message.blocks.filter(({ type, name }) => type === 'tool_use' && name !== undefined)
            const told = agent.messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ function: { name } }) => name))
            if (!inPage)
              assert.deepEqual(
                told,
                named.map(({ name }) => name),
              )
            assert.equal(types.at(-1), played.message.outcome === 'failed' ? 'RUN_ERROR' : 'RUN_FINISHED')
            calls += told.length
            count++
          }
        } catch (error) {
          throw new Error(`${file}: ${error.message}`, { cause: error })
        }
      }
      assert.ok(count > 1000 && calls > 1000, `only ${count}, ${calls} calls`)
    })
  })
}

/** The client prints what failed; and in 1.0 what it takes out, which must be nothing. */
async function quietly(act) {
  const { error, warn } = console
  const warned = []
  console.error = () => {}
  console.warn = (...words) => warned.push(words.join(' '))
  try {
    await act()
  } finally {
    Object.assign(console, { error, warn })
  }
  assert.deepEqual(warned, [])
}
