// alsoParse: 'auto', the default of mode auto, beside what tools bring, and in what a person configures.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Engine, tool } from 'sluice'
import { startScriptedServer } from 'sluice/testing'

const clock = tool({
  name: 'clock',
  agentCallable: true,
  permission: 'public',
  parameters: { type: 'object', properties: {} },
  execute: () => 'noon',
})
const wave = {
  ...tool({
    name: 'wave',
    agentCallable: true,
    permission: 'public',
    ipc: { channel: 'wave', payload: [] },
    parameters: { type: 'object', properties: { how: { type: 'string' } } },
  }),
  alsoParse: [{ id: 'inline_tags', rules: [{ open: '[wave:', close: ']', tool: 'wave', argument: 'how' }] }],
}
const call = '<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>'

async function run(t, options, settings = {}) {
  const server = await startScriptedServer({
    answers: (_, index) => ({ text: index === 0 ? `Hi ${call}` : 'Noon.' }),
  })
  const engine = new Engine(options)
  t.after(async () => {
    engine.close()
    await server.close()
  })
  const model = { baseURL: server.baseURL, name: 'hermes-4' }
  const { message } = await engine.run({ model, messages: [{ role: 'user', content: 'q' }], ...settings }).done
  return message.blocks.map((block) => (block.type === 'tool_use' ? block.name : block.text))
}

test('a call that the server of an open model left in the text runs', async (t) => {
  assert.deepEqual(await run(t, { tools: [clock] }), ['Hi ', 'clock', 'Noon.'])
  assert.deepEqual(await run(t, { tools: [clock], alsoParse: [] }), [`Hi ${call}`])
  assert.deepEqual(await run(t, { tools: [clock], mode: 'native', alsoParse: 'auto' }), ['Hi ', 'clock', 'Noon.'])
})

test('what tools bring takes nothing from the default', async (t) => {
  const tools = [clock, wave]
  assert.deepEqual(await run(t, { tools }), ['Hi ', 'clock', 'Noon.'])
  assert.deepEqual(await run(t, { tools }, { mode: 'native' }), [`Hi ${call}`])
  assert.deepEqual(await run(t, { tools, mode: 'native' }, { mode: 'auto' }), ['Hi ', 'clock', 'Noon.'])
})

test('the settings name it', (t) => {
  const settings = (options) => {
    const engine = new Engine(options)
    t.after(() => engine.close())
    return engine.describe().settings.alsoParse
  }
  assert.equal(settings({ tools: [clock] }), 'auto')
  assert.deepEqual(settings({ tools: [clock], mode: 'native' }), [])
  assert.deepEqual(settings({ tools: [wave] })[0], 'auto')
  assert.equal(settings({ tools: [wave] }).length, 2)
})
