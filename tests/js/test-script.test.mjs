// What the tester copies as a test is a script of tests/vectors: every language's runner replays it. Those of
// vectors/tester are such copies; `SLUICE_ACCEPT=1` writes them again.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { built } from './dist.mjs'
import { Engine, tool } from 'sluice'
import { examples } from '../../js/pages/tester/examples.js'
import { canRestore, runScript, tests } from './script-runner.mjs'

const { scriptOf } = await built('test-script')

const tools = () => [
  tool({
    name: 'weather.now',
    description: 'The weather.',
    agentCallable: true,
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
    execute: () => 'rain',
  }),
  tool({ name: 'notes.add', description: 'Writes a note.', agentCallable: true, execute: () => 'noted' }),
]
const folder = join(tests, 'vectors', 'tester')
const restorable = canRestore()

for (const [name, { text, protocol }] of Object.entries(examples)) {
  test(`the example ${name} copied as a test is vectors/tester/${name}.json, and holds`, (t) => {
    const engine = new Engine({ tools: tools() })
    t.after(() => engine.close())
    const script = scriptOf(engine, { bytes: Buffer.from(text), ...(protocol ? { protocol } : {}) })
    const file = join(folder, `${name}.json`)
    if (process.env.SLUICE_ACCEPT) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(file, script)
    }
    assert.deepEqual(JSON.parse(script), JSON.parse(readFileSync(file, 'utf8')))
    assert.equal(runScript(JSON.parse(script), restorable), '')
  })
}

test('a script holds whatever stands in the answer, and under the settings of the page', (t) => {
  const engine = new Engine({ tools: tools(), protocol: 'hermes' })
  t.after(() => engine.close())
  const call = (args) => `<tool_call>{"name": "notes.add", "arguments": ${args}}</tool_call>`
  for (const [text, input] of [
    [call('{"$has": "x"}')], // an object that a pattern would read as a test
    [call('{"a": {"$any": false}, "b": [{"$not": 1}]}')],
    [call('{"n": 12345678901234567890, "d": 0.1, "list": [9007199254740993], "e": 1e300, "deep": {"n": 1e400}}')],
    [call('{"__proto__": {"x": 1}, "constructor": 2}')],
    ['', {}],
    ['\u0000\u202e \ufeff\r\n tail', {}],
    ['<think>hm</think> yes', {}],
    [call('{"a": 1}'), { settings: { mode: 'native' } }],
    [call('{"a": 1}'), { settings: { toolToggles: { 'notes.add': false } } }],
    [call('{"a": 1}'), { protocol: 'auto', model: 'hermes-3' }],
    ['data: {"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":3}}\n\n', { wire: 'openai-chat' }],
    [
      '{"type":"message","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","usage":{"output_tokens":2}}',
      { wire: 'anthropic' },
    ],
  ]) {
    const script = scriptOf(engine, { bytes: Buffer.from(text), ...input })
    assert.equal(runScript(JSON.parse(script), restorable), '', `${text} ${JSON.stringify(input)}`)
  }
})

test('a script that was changed by a word does not hold', (t) => {
  const engine = new Engine({ tools: tools() })
  t.after(() => engine.close())
  const script = scriptOf(engine, { bytes: Buffer.from(examples.mixed.text), protocol: 'vcp' })
  for (const [from, to] of [
    ['"city": "杭州"', '"city": "苏州"'],
    ['"opener_in_value",\n            "modelOutput"', '"schema",\n            "modelOutput"'],
    ['"outcome": "completed"', '"outcome": "failed"'],
    ['"offset": 214', '"offset": 215'],
  ]) {
    assert.ok(script.includes(from), from)
    assert.notEqual(runScript(JSON.parse(script.replace(from, to)), restorable), '', from)
  }
})
