// What stands in requests: whole characters, whatever a host, a model or a tool wrote; and tools that a server refused
// once are not sent to it again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Engine, tool } from 'sluice'

const half = 'half \ud83d, whole 😀'
const lone = /\\u(d[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2})d[c-f][0-9a-f]{2})/i
const note = (more) =>
  tool({
    name: 'note',
    description: half,
    agentCallable: true,
    permission: 'public',
    parameters: { type: 'object', properties: { text: { type: 'string', description: half } } },
    execute: () => half,
    ...more,
  })
const messages = [
  { role: 'system', content: half },
  { role: 'user', content: [{ type: 'text', text: half }] },
  {
    role: 'assistant',
    content: half,
    tool_calls: [
      { id: 'c\ud83d', type: 'function', function: { name: 'note', arguments: JSON.stringify({ text: '\ude00' }) } },
    ],
  },
  { role: 'tool', tool_call_id: 'c\ud83d', content: half },
  { role: 'user', content: 'So?' },
]

for (const wire of ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'gemini-interactions', 'ollama'])
  for (const mode of ['native', 'text'])
    test(`half a character becomes U+FFFD in all that ${wire} gets in mode ${mode}; whole ones stay`, () => {
      const engine = new Engine({ tools: [note()] })
      const turn = engine.turn({ wire, mode, request: { model: 'm', user: half, messages } })
      const { request } = turn
      assert.doesNotMatch(request, lone)
      assert.match(request, /half (�|\\ufffd), whole (😀|\\ud83d\\ude00)/)
      JSON.parse(request)
      turn.close()
      engine.close()
    })

test('a name with half a character is refused where the tool declares it', () => {
  assert.throws(
    () => new Engine({ tools: [note({ parameters: { type: 'object', properties: { 'a\ud83d': {} } } })] }),
    /half a character in the name/,
  )
})

/** Runs turns against a server that refuses the tool `b`; what each request had of tools. */
async function refusing(engine, turns, model = {}) {
  const sent = []
  const transport = async ({ body }) => {
    const names = (JSON.parse(body).tools ?? []).map((one) => one.function.name)
    sent.push(names)
    if (names.includes('b'))
      return new Response(JSON.stringify({ error: { message: "Invalid schema for function 'b': it is odd" } }), {
        status: 400,
      })
    const chunk = { choices: [{ index: 0, delta: { content: 'Hi.' }, finish_reason: 'stop' }] }
    return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
  }
  for (let at = 0; at < turns; at++) {
    const { outcome } = await engine.run({
      transport,
      model: { baseURL: 'http://x.invalid/v1', name: 'm', ...model },
      messages: [{ role: 'user', content: 'q' }],
    }).done
    assert.equal(outcome, 'completed')
  }
  return sent
}

test('a tool that a server refused is not sent to it again, but to others, and after a change of the tools', async () => {
  const named = (name) => note({ name, description: name })
  const engine = new Engine({ tools: [named('a'), named('b')] })
  assert.deepEqual(await refusing(engine, 2), [['a', 'b'], ['a'], ['a']])
  assert.deepEqual(await refusing(engine, 1, { name: 'other' }), [['a', 'b'], ['a']])
  engine.add(named('c'))
  assert.deepEqual(await refusing(engine, 1), [
    ['a', 'b', 'c'],
    ['a', 'c'],
  ])
  engine.close()
})

test('more tools than a server takes are sent, and a diagnostic says so before the request', () => {
  const many = Array.from({ length: 129 }, (_, at) => note({ name: `t${at}`, description: 'd' }))
  const engine = new Engine({ tools: many })
  for (const [dialect, count] of [
    ['openai', 1],
    ['groq', 1],
    ['xai', 0],
    [null, 0],
  ]) {
    const turn = engine.turn({ dialect, request: { model: 'm', messages: [{ role: 'user', content: 'q' }] } })
    const told = [...turn.events()].filter(({ code }) => code === 'too_many_tools')
    assert.deepEqual(
      told.map(({ detail }) => detail),
      count ? ['129 tools; this server takes 128'] : [],
    )
    assert.equal(JSON.parse(turn.request).tools.length, 129)
    turn.close()
  }
  engine.close()
})
