// Messages of one answer of the Responses API, from the server to the app: blocks, `run.text`, `run.textStream`, and
// what the host shows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'
import { Engine } from 'sluice'
import { createHost } from 'sluice/host'
import { connect } from 'sluice/renderer'
import { echo as echoTool } from './support.mjs'

const { textOf } = await built('words')

/** The events of a message item. `late`: its phase is told with its end. `size`: of the pieces of its text. */
function message(index, text, phase, { late = false, size = 4 } = {}) {
  const item = { type: 'message', id: `m${index}`, role: 'assistant', ...(phase && !late ? { phase } : {}) }
  const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  )
  return [
    { type: 'response.output_item.added', output_index: index, item: { ...item, status: 'in_progress', content: [] } },
    ...pieces.map((delta) => ({
      type: 'response.output_text.delta',
      output_index: index,
      content_index: 0,
      item_id: item.id,
      delta,
    })),
    {
      type: 'response.output_item.done',
      output_index: index,
      item: {
        ...item,
        ...(phase ? { phase } : {}),
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    },
  ]
}
function call(index) {
  const item = {
    type: 'function_call',
    id: `f${index}`,
    call_id: `c${index}`,
    name: 'echo.back',
    arguments: '{"text":"1"}',
    status: 'completed',
  }
  return [
    {
      type: 'response.output_item.added',
      output_index: index,
      item: { ...item, arguments: '', status: 'in_progress' },
    },
    { type: 'response.output_item.done', output_index: index, item },
  ]
}
const body = (events) =>
  [
    { type: 'response.created', response: { id: 'r', model: 'm' } },
    ...events,
    { type: 'response.completed', response: { id: 'r', status: 'completed', model: 'm', output: [] } },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')

const echo = echoTool()
const server = (answers) => {
  const left = [...answers]
  return async () => new Response(left.shift(), { headers: { 'content-type': 'text/event-stream' } })
}
const model = { wire: 'openai-responses', baseURL: 'http://server.test/v1', name: 'm', apiKey: 'secret' }

async function run(answers, more) {
  const engine = new Engine({ tools: [echo] })
  try {
    const run = engine.run({
      model,
      messages: [{ role: 'user', content: 'Hello' }],
      transport: server(answers.map(body)),
      ...more,
    })
    const pieces = []
    for await (const piece of run.textStream) pieces.push(piece)
    return { ...(await run.done), streamed: pieces.join(''), pieces }
  } finally {
    engine.close()
  }
}
const blocksOf = ({ message }) =>
  message.blocks.map(({ type, text, phase, retracted }) => [type === 'text' ? text : type, phase, retracted])

const rows = {
  'early phase': [
    [[message(0, 'One moment.', 'commentary'), message(1, 'It rains.', 'final_answer')]],
    'One moment.\n\nIt rains.',
  ],
  'late phase': [
    [
      [
        message(0, 'One moment.', 'commentary', { late: true }),
        message(1, 'It rains.', 'final_answer', { late: true }),
      ],
    ],
    'One moment.\n\nIt rains.',
  ],
  'no phase': [[[message(0, 'One moment.'), message(1, 'It rains.')]], 'One moment.\n\nIt rains.'],
  'commentary alone': [[[message(0, 'One moment.', 'commentary')]], 'One moment.'],
  'a call between': [
    [[message(0, 'One moment.', 'commentary'), call(1)], [message(0, 'It rains.', 'final_answer')]],
    'One moment.\n\nIt rains.',
  ],
  'a call between, late': [
    [
      [message(0, 'One moment.', 'commentary', { late: true }), call(1)],
      [message(0, 'It rains.', 'final_answer', { late: true })],
    ],
    'One moment.\n\nIt rains.',
  ],
}
for (const [name, [answers, expected]] of Object.entries(rows)) {
  test(`${name}: run.text and run.textStream are the messages with an empty line between`, async () => {
    const result = await run(answers.map((items) => items.flat()))
    assert.deepEqual([result.outcome, result.text, result.streamed], ['completed', expected, expected])
    assert.ok(!result.pieces.includes(''), 'a phase is no piece of text')
    const phases = name === 'no phase' ? [undefined, undefined] : ['commentary', 'final_answer']
    assert.deepEqual(
      blocksOf(result).filter(([text]) => text !== 'tool_use'),
      expected.split('\n\n').map((text, at) => [text, phases[at], undefined]),
    )
  })
}

test('two equal messages: the later one counts', async () => {
  const result = await run([[message(0, 'It rains.'), message(1, 'It rains.')].flat()])
  assert.equal(result.text, 'It rains.')
  assert.deepEqual(blocksOf(result), [
    ['It rains.', undefined, true],
    ['It rains.', undefined, undefined],
  ])
})

test('text mode: a model that comments, calls and answers gets its own text back', async () => {
  const written = 'I look. <tool_call>\n{"name":"echo.back","arguments":{"text":"1"}}\n</tool_call>'
  const result = await run(
    [
      [message(0, 'One moment.', 'commentary'), message(1, written, 'commentary')].flat(),
      message(0, 'It rains.', 'final_answer'),
    ],
    { mode: 'text', protocol: 'hermes' },
  )
  assert.equal(result.outcome, 'completed')
  assert.equal(result.text.replace('I look. ', 'I look.'), 'One moment.\n\nI look.\n\nIt rains.')
  assert.deepEqual(
    result.message.blocks.filter(({ type }) => type === 'tool_use').map(({ status, output }) => [status, output]),
    [['success', 'you said 1']],
  )
})

test('windows get the phases, and a search finds each message by itself', async () => {
  for (const late of [false, true]) {
    const engine = new Engine({ tools: [echo] })
    const answers = [
      [message(0, 'One moment.', 'commentary', { late }), message(1, 'It rains.', 'final_answer', { late })].flat(),
    ]
    const host = createHost(engine, { run: () => ({ model, transport: server(answers.map(body)) }) })
    const client = connect(host.bridge())
    try {
      const live = await client.send('Hello')
      await live.done
      const { blocks } = live.getSnapshot()
      assert.deepEqual(
        blocks.map(({ text, phase }) => [text, phase]),
        [
          ['One moment.', 'commentary'],
          ['It rains.', 'final_answer'],
        ],
      )
      assert.equal(textOf({ message: { blocks } }), 'One moment.\n\nIt rains.')
    } finally {
      client.close()
      await host.close()
      engine.close()
    }
  }
})
