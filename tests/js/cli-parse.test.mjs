// `npx sluice parse`: texts and recorded answers as events.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { Engine } from 'sluice'
import { built } from './dist.mjs'
import { answerText } from '../../js/pages/tester/answer-text.js'
import { inOrder, parsed, path, scripted, sluice, sluiceHere, texts } from './cli-support.mjs'
import { main } from './on-terminal.mjs'

const { guessWire } = await built('guess-wire')

const chunk = (delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`
const stream = [
  chunk({ role: 'assistant', content: 'Let me look. ' }),
  chunk({
    tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'weather_now', arguments: '{"city":' } }],
  }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '"杭州"}' } }] }),
  'data: [DONE]\n\n',
].join('')

test('parse --mode native looks for no calls in the text, and says so', async () => {
  writeFileSync(path('native'), texts.vcp)
  const { message } = await parsed('native', ['--mode', 'native'])
  assert.deepEqual(
    message.blocks.map(({ type, text }) => [type, text]),
    [['text', texts.vcp]],
  )
  const { out } = await sluice(['parse', path('native'), '--mode', 'native'])
  assert.match(out, /looked for native calls only/)
})

for (const [protocol, text] of Object.entries(texts)) {
  test(`parse ${protocol}: --chunks changes nothing but how text is cut`, async () => {
    writeFileSync(path(protocol), text)
    const whole = await parsed(protocol, ['--protocol', protocol])
    assert.match(whole.err, /^wire: text, because it has no events of a provider\n$/)
    const calls = whole.message.blocks.filter((block) => block.type === 'tool_use' && block.name === 'weather.now')
    assert.deepEqual(
      calls.map((one) => one.arguments),
      [{ city: '杭州' }],
    )
    assert.ok(whole.message.blocks.length >= 3)
    assert.ok(!whole.events.some((event) => event.type === 'execute' || event.type === 'approval'), 'nothing is run')
    for (const chunks of ['byte', '3', 'seed:1', 'seed:2', 'whole']) {
      const { message, events } = await parsed(protocol, ['--protocol', protocol, '--chunks', chunks], sluiceHere)
      assert.deepEqual(message, whole.message, chunks)
      const told = (list) => list.filter((event) => event.type === 'diagnostic').map(({ seq: _, ...rest }) => rest)
      assert.deepEqual(told(events), told(whole.events), chunks)
    }
  })
}

test('parse a recorded stream: the wire is guessed, said, and may be told', async () => {
  writeFileSync(path('stream'), stream)
  const { message, err } = await parsed('stream', ['--chunks', 'byte'])
  assert.match(err, /^wire: openai-chat, because it reads as openai-chat/)
  assert.deepEqual(
    message.blocks.map((block) => block.text ?? [block.name, block.arguments, block.source]),
    ['Let me look. ', ['weather_now', { city: '杭州' }, 'native']],
  )
  const told = await parsed('stream', ['--wire', 'openai-chat'])
  assert.equal(told.err, '')
  assert.deepEqual(told.message, message)
  const asText = await parsed('stream', ['--wire', 'text'])
  assert.deepEqual(
    asText.message.blocks.map((block) => block.type),
    ['text'],
  )
  writeFileSync(
    path('body'),
    JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }] }),
  )
  const body = await parsed('body', [])
  assert.match(body.err, /openai-chat, because it reads as openai-chat/)
  assert.equal(body.message.blocks[0].text, 'Hi.')
})

test('the wire of a recorded answer is guessed from its bytes, and its text is found', (t) => {
  const engine = new Engine()
  t.after(() => engine.close())
  const sse = (...events) =>
    events
      .map((event) => `${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\r\n\r\n`)
      .join('')
  const lines = (...events) => events.map((event) => `${JSON.stringify(event)}\n`).join('')
  const part = (...parts) => ({ candidates: [{ content: { parts, role: 'model' } }] })
  for (const [wire, text, words = 'Hi 你'] of [
    [
      'openai-chat',
      `: hello\n\n${sse({ choices: [{ delta: { content: 'Hi ' } }] }, { choices: [{ delta: { content: '你' } }] })}data: [DONE]\n\n`,
    ],
    ['openai-chat', JSON.stringify({ choices: [{ message: { content: 'Hi 你' } }] }, null, 2)],
    ['openai-chat', sse({ id: 1 }), ''],
    ['openai-chat', '{"error":{"message":"no"}}', ''],
    [
      'openai-responses',
      sse(
        { type: 'response.created', response: {} },
        { type: 'response.output_text.delta', delta: 'Hi ' },
        { type: 'response.reasoning_text.delta', delta: 'hm' },
        { type: 'response.output_text.delta', delta: '你' },
      ),
    ],
    [
      'openai-responses',
      JSON.stringify({
        object: 'response',
        output: [{ type: 'reasoning' }, { type: 'message', content: [{ type: 'output_text', text: 'Hi 你' }] }],
      }),
    ],
    [
      'anthropic',
      sse(
        { type: 'message_start', message: {} },
        { type: 'ping' },
        { type: 'content_block_start', content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hi 你' } },
      ),
    ],
    [
      'anthropic',
      JSON.stringify({
        type: 'message',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'Hi 你' },
        ],
      }),
    ],
    ['openai-chat', sse({ type: 'error', error: { type: 'overloaded_error', message: 'no' } }), ''],
    ['gemini', sse(part({ text: 'hm', thought: true }), part({ text: 'Hi ' }, { text: '你' }))],
    ['gemini', JSON.stringify([part({ text: 'Hi ' }), part({ text: '你' })], null, 2)],
    [
      'gemini-interactions',
      sse({
        event_type: 'step.start',
        index: 0,
        step: { type: 'model_output', content: [{ type: 'text', text: 'Hi 你' }] },
      }),
    ],
    ['gemini', JSON.stringify({ promptFeedback: { blockReason: 'SAFETY' } }), ''],
    [
      'ollama',
      lines(
        { model: 'm', message: { role: 'assistant', content: 'Hi ' }, done: false },
        { message: { content: '你' }, done: true },
      ),
    ],
    ['ollama', JSON.stringify({ message: { content: 'Hi 你' }, done: true })],
    ['text', 'data is what I have: {"choices": 1}', 'data is what I have: {"choices": 1}'],
    ['text', '{"tool": 1}\n{"choices": 2}', '{"tool": 1}\n{"choices": 2}'],
    ['text', '', ''],
  ]) {
    const guess = guessWire(engine, Buffer.from(text))
    assert.equal(guess.wire, wire, text)
    assert.match(guess.why, /^it (has|reads) /)
    assert.equal(answerText(text, wire), words, text)
  }
})

test('parse for people: one event per line, the reason of what is no call, nothing hidden', async () => {
  const { code, out } = await sluice(
    ['parse', '-'],
    'a\u202eb\x1b[31m <<<[TOOL_REQUEST]>>> x\n<<<[TOOL_REQUEST]>>>\ntool_name:「始」w「末」\n<<<[END_TOOL_REQUEST]>>>',
  )
  assert.equal(code, 0)
  inOrder(
    out,
    'text',
    '⟨U+202E⟩',
    'diagnostic nested_opener at byte',
    'no call: shown as text',
    'card       call 1  w  streaming  as vcp',
    'card       call 1  pending  {}',
    'one message, completed',
    'looked for vcp',
    '1 diagnostic: nested_opener',
  )
  assert.doesNotMatch(out, /\u202e|\x1b/)
})

test('a call without a name is called one, and what comes in a row is told once', async () => {
  const { code, out } = await sluice(
    ['parse', '--protocol', 'hermes', '-'],
    '<tool_call>{"name": x}</tool_call>\n'.repeat(3),
  )
  assert.equal(code, 0)
  inOrder(out, 'one message, completed, 1 round: a call invalid ×3', '3 diagnostics: invalid_json ×3')
  assert.doesNotMatch(out, /undefined/)
})

test('a call in another format than the one that was looked for is told with the words that read it', async (t) => {
  const parsing = await sluice(['parse', '-'], texts.hermes)
  inOrder(parsing.out, 'diagnostic other_format', 'hermes', 'this looks like hermes: --protocol hermes reads it')
  const { args } = await scripted(t, {
    text: 'Ok <tool_call>{"name": "file.list", "arguments": {"path": "/"}}</tool_call>',
  })
  inOrder(
    (await sluice(['chat', ...args, '--prompt', 'x'])).out,
    '(other_format: a call as hermes writes it; --mode text --protocol hermes reads it)',
  )
})

test('parse with the protocol of a model, and with tools', async () => {
  writeFileSync(
    path('auto'),
    '<tool_call>\n<function=count>\n<parameter=n>\n7\n</parameter>\n</function>\n</tool_call>',
  )
  writeFileSync(
    path('tools.json'),
    JSON.stringify([
      {
        type: 'function',
        function: { name: 'count', parameters: { type: 'object', properties: { n: { type: 'integer' } } } },
      },
    ]),
  )
  const auto = ['--protocol', 'auto', '--model', 'Qwen3-Coder-30B']
  assert.deepEqual((await parsed('auto', auto)).message.blocks[0].arguments, { n: '7' })
  assert.deepEqual((await parsed('auto', [...auto, '--tools', path('tools.json')])).message.blocks[0].arguments, {
    n: 7,
  })
  const nameless = await sluice(['parse', path('auto'), '--protocol', 'auto'])
  assert.equal(nameless.code, 1)
  assert.match(nameless.err, /model: protocol auto needs the name of a model/)
  writeFileSync(path('wrong.json'), '{"a": 1}')
  assert.match(
    (await sluice(['parse', '-', '--tools', path('wrong.json')])).err,
    /found object, expected an array of tools/,
  )
  writeFileSync(path('wrong.json'), '[{"description": "no name"}]')
  assert.match((await sluice(['parse', '-', '--tools', path('wrong.json')])).err, /\[0\]: expected a tool with a name/)
})

test('parse: an answer that was cut or is empty is told, and a failure', async () => {
  const body = (finish, content) =>
    JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finish }] })
  for (const [text, told] of [
    [body('length', 'I am'), 'The answer was cut at its length limit.'],
    [body('stop', ''), 'No answer came.'],
    [`${chunk({ content: 'I am' })}`, 'unfinished'],
  ]) {
    const { code, out } = await sluice(['parse', '-'], text)
    assert.match(out, new RegExp(told))
    assert.equal(code, 1, told)
  }
  assert.equal((await sluice(['parse', '-'], body('stop', 'Hi.'))).code, 0)
})

test('parse: a full disk is told, and a pipe that closes is an end', {
  skip: !existsSync('/dev/full') && 'there is no /dev/full',
}, async () => {
  writeFileSync(path('long'), 'A line.\n'.repeat(2000))
  const child = spawn(process.execPath, [main, 'parse', path('long')], {
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  })
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (err += text))
  const [code] = await once(child, 'close')
  assert.equal(code, 1)
  assert.match(err, /the output cannot be written: .*ENOSPC/)
  const closed = spawn(process.execPath, [main, 'parse', path('long'), '--json'])
  closed.stdout.once('data', () => closed.stdout.destroy())
  closed.stderr.setEncoding('utf8').on('data', (text) => assert.match(text, /^wire: /))
  assert.deepEqual(await once(closed, 'close'), [0, null])
})

test('parse: sources and pictures are printed without their data', async () => {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(40_000)}` } }
  const citation = { type: 'url_citation', url_citation: { url: 'https://weather.example/oslo', title: 'Oslo' } }
  writeFileSync(
    path('made'),
    `${chunk({ content: 'Rain.' })}${chunk({ annotations: [citation] })}${chunk({ images: [image] })}data: [DONE]\n\n`,
  )
  const { out } = await sluice(['parse', path('made'), '--wire', 'openai-chat'])
  assert.match(out, /sources +block 0 {2}Oslo https:\/\/weather\.example\/oslo\n/)
  assert.match(out, /media +block 1 {2}image\/png, 30 kB\n/)
  assert.ok(out.length < 2000)
})
