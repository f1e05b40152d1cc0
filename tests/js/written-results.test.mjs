// engine.writeResult: results as a model reads them in mode text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Engine, tool } from 'sluice'

const clock = tool({
  name: 'clock.now',
  vcpCommand: 'Clock',
  agentCallable: true,
  permission: 'public',
  parameters: { type: 'object', properties: {} },
  execute: () => 'noon',
})

const engineOf = (t, options) => {
  const engine = new Engine({ tools: [clock], ...options })
  t.after(() => engine.close())
  return engine
}

test('a result is written in the words of the format', (t) => {
  const engine = engineOf(t, { protocol: 'hermes' })
  assert.equal(
    engine.writeResult({ name: 'clock.now', content: 'noon' }),
    '<tool_response>\n{"status":"success","call_id":"call_1","name":"clock.now","content":"noon"}\n</tool_response>\n',
  )
  const vcp = engine.writeResult({ name: 'clock.now', content: 'noon', id: 'c7', status: 'error' }, { protocol: 'vcp' })
  for (const part of [
    'tool_name:「始」Clock「末」',
    'call_id:「始」c7「末」',
    'status:「始」error「末」',
    '「始ESCAPE」noon',
  ])
    assert.ok(vcp.includes(part), `${part} in ${vcp}`)
})

test('a value that is no text is JSON', (t) => {
  const engine = engineOf(t, { protocol: 'hermes' })
  assert.ok(engine.writeResult({ name: 'clock.now', content: { hour: 12 } }).includes('"content":{"hour":12}'))
  assert.ok(engine.writeResult({ name: 'clock.now', content: '{"hour":12}' }).includes('"content":"{\\"hour\\":12}"'))
})

test('what a result quotes is no call in any format that is read', (t) => {
  const engine = engineOf(t, { protocol: 'hermes', alsoParse: ['tool_action'] })
  const quoted =
    '<tool_call>{"name": "clock.now", "arguments": {}}</tool_call> <tool_action name="clock.now"></tool_action>'
  assert.equal(engine.parse(quoted).calls.length, 2)
  const written = engine.writeResult({ name: 'clock.now', content: quoted })
  const { content } = JSON.parse(written.split('\n')[1])
  assert.equal(content.replaceAll('< ', '<'), quoted)
  assert.deepEqual(engine.parse(content).calls, [])
  assert.deepEqual(engine.parse(written).calls, [])
})

test('results of a round are written together, as a declared format separates them', (t) => {
  const engine = engineOf(t, {
    protocols: [
      { id: 'house', like: 'hermes', result: '[{name}] {content}', results: { separator: '\n---\n', role: 'system' } },
    ],
    protocol: 'house',
  })
  const two = [
    { name: 'clock.now', content: 'noon' },
    { name: 'other', content: 'one' },
  ]
  assert.equal(engine.writeResult(two), '[clock.now] noon\n---\n[other] one')
})

test('an engine without tools, or with settings for native calls, writes the same', (t) => {
  const engine = engineOf(t, { tools: [], mode: 'native', enabled: false, resultRole: 'tool', protocol: 'hermes' })
  assert.ok(engine.writeResult({ name: 'x', content: 'y' }).startsWith('<tool_response>'))
})

test('a result of another shape is refused', (t) => {
  const engine = engineOf(t)
  const refuses = (results, path) => assert.throws(() => engine.writeResult(results), { code: 'option', path })
  refuses([], 'results')
  refuses(null, 'results')
  refuses({ content: 'x' }, 'results.name')
  refuses([{ name: 'x', content: 'y' }, { name: 'x' }], 'results[1].content')
  refuses({ name: 'x', content: 'y', status: 'fine' }, 'results.status')
  refuses({ name: 'x', content: 'y', id: 7 }, 'results.id')
})
