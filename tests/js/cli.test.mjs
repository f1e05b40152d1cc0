// `npx sluice` as people start it: real processes, a real server behind them, and a pseudo-terminal where there is one. Where only the
// words and what is printed matter, the same function runs in this process: to start one costs more than all that it does.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startServer } from 'sluice/testing'
import { guessWire } from '../../js/dist/esm/cli/guess-wire.js'
import { keyFor } from '../../js/dist/esm/cli/model-options.js'
import { sluice as runWords } from '../../js/dist/esm/cli/sluice.js'
import { answerText } from '../../js/pages/tester/answer-text.js'
import { hiding } from './hiding.mjs'
import { main, noTerminal, onTerminal } from './on-terminal.mjs'
import { screenOf } from './terminal-screen.mjs'

const index = new URL('../../js/dist/esm/index.js', import.meta.url).href

let folder
const path = (name) => join(folder, name)
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'))
  writeFileSync(path('tools.mjs'), `
    import { tool } from ${JSON.stringify(index)}
    import { appendFileSync } from 'node:fs'
    const log = (text) => appendFileSync(${JSON.stringify(path('log'))}, text + '\\n')
    const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
    const common = { agentCallable: true, parameters }
    export default [
      tool({ ...common, name: 'file.delete', description: 'Deletes.', execute: ({ path }) => { log('delete ' + path); return 'deleted ' + path } }),
      tool({ ...common, name: 'file.read', description: 'Reads.', permission: 'public', resultApproval: 'always', execute: ({ path }) => { log('read ' + path); return 'secret\\u202e of ' + path } }),
      tool({ ...common, name: 'file.list', description: 'Lists.', permission: 'moderate', execute: ({ path }) => { log('list ' + path); return 'a b c' } }),
      tool({ ...common, name: 'file.watch', description: 'Watches.', permission: 'public', execute: (_, { signal, progress }) => new Promise((_, reject) => {
        signal.addEventListener('abort', () => { log('aborted'); reject(signal.reason) })
        log('watching')
        progress('watching')
      }) }),
    ]`)
})
after(() => rmSync(folder, { recursive: true, force: true }))

function sluice(args, input = '', { signalOn, env = {} } = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [main, ...args], { env: { ...process.env, ...env } })
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text
      if (signalOn && out.includes(signalOn)) {
        signalOn = undefined
        child.kill('SIGINT')
      }
    })
    child.stderr.setEncoding('utf8').on('data', (text) => (err += text))
    if (input !== null) child.stdin.end(input)
    child.on('close', (code, signal) => resolve({ code: code ?? signal, out, err }))
  })
}

/** The same without a process: only for what prints by `console`, and one after the other. */
async function sluiceHere(args) {
  const said = { log: '', error: '' }
  const { log, error } = console
  for (const name of ['log', 'error']) console[name] = (text) => (said[name] += `${text}\n`)
  try {
    return { code: await runWords(args), out: said.log, err: said.error }
  } finally {
    Object.assign(console, { log, error })
  }
}

async function log(run) {
  writeFileSync(path('log'), '')
  const result = await run()
  return { ...result, log: readFileSync(path('log'), 'utf8').trim().split('\n').filter(Boolean) }
}

async function scripted(t, ...answers) {
  const server = await startServer({ answers })
  t.after(server.close)
  return { server, args: ['--base-url', server.baseURL, '--model', 'm', '--tools', path('tools.mjs')] }
}

const call = (name, args) => ({ calls: [{ name, arguments: args }] })

function inOrder(text, ...parts) {
  let at = 0
  for (const part of parts) {
    const found = text.indexOf(part, at)
    assert.ok(found >= 0, `'${part}' is missing behind character ${at} of:\n${text}`)
    at = found + part.length
  }
}

// -- the commands ----------------------------------------------------------------------------------------------------------

const commands = ['demo', 'chat', 'check', 'parse', 'tester', 'gallery']

test('help: of everything, of each command, both ways', async () => {
  const all = await sluice(['--help'])
  assert.equal(all.code, 0)
  assert.equal((await sluiceHere([])).out, all.out)
  for (const command of commands) {
    assert.match(all.out, new RegExp(`^  ${command} `, 'm'))
    const help = await sluiceHere([command, '--help'])
    assert.deepEqual([help.code, help.err], [0, ''])
    assert.match(help.out, new RegExp(`^npx sluice ${command} `))
    assert.equal((await sluiceHere(['help', command])).out, help.out)
    assert.ok(help.out.split('\n').every((line) => line.length <= 140), command)
  }
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  assert.equal((await sluice(['--version'])).out, `${version}\n`)
})

test('wrong words end with 2, and say what was found and what there is', async () => {
  const wrong = [
    [['dmeo'], /found 'dmeo', expected one of the commands demo, chat, check, parse, tester, gallery/],
    [['help', 'x'], /found 'x', expected one of the commands/],
    [['__proto__'], /found '__proto__', expected one of the commands/],
    [['parse', 'a', '--colour'], /found --colour, expected one of --.*--json/],
    [['parse'], /FILE is missing/],
    [['parse', 'a', 'b'], /found 'b', expected FILE only/],
    [['parse', 'a', '--chunks', 'some'], /--chunks: found 'some', expected whole, byte, a number of bytes or seed:NUMBER/],
    [['parse', 'a', '--chunks', '0'], /--chunks: found '0'/],
    [['parse', 'a', '--wire', 'tcp'], /--wire: found 'tcp', expected one of openai-chat, openai-responses, anthropic, gemini, ollama, text/],
    [['parse', 'a', '--json=1'], /--json: found '1', expected no value/],
    [['parse', 'a', '--wire'], /--wire: expected a value behind it/],
    [['parse', '/no/such/file'], /ENOENT.*\/no\/such\/file/],
    [['parse', '-', '--tools', '/no/such.json'], /--tools \/no\/such\.json: ENOENT/],
    [['chat'], /--base-url URL and --model NAME are missing/],
    [['chat', '--provider', 'claude'], /--provider: found 'claude', expected one of openai, anthropic, .* \(did you mean anthropic\?\)/],
    [['chat', '--provider', 'gemini'], /--provider needs --model NAME beside it: one of Google Gemini is gemini-/],
    [['chat', '--provider', 'kimi', '--model', 'm'], /Kimi wants a key: set \$MOONSHOT_API_KEY, or name another variable by --key-env/],
    [['chat', '--provider', 'kimi', '--model', 'm', '--key-env', 'NO_SUCH_KEY'], /--key-env: found no environment variable NO_SUCH_KEY/],
    [['chat', '--provider', 'kimi', '--model', 'm', '--key-env', 'A', '--api-key', 'B'], /--key-env NAME and --api-key KEY: expected one of them/],
    [['chat', '--provider', 'ollama', '--model', 'm', '--wire', 'tcp'], /--wire: found 'tcp', expected one of openai-chat, openai-responses, anthropic, gemini, ollama/],
    [['chat', '--wire', 'gemini'], /--wire needs --base-url URL or --provider NAME beside it/],
    [['check'], /--provider NAME or --base-url URL is missing/],
    [['check', '--base-url', 'http://127.0.0.1:1', '--mode', 'text'], /found --mode, expected one of/],
    [['chat', 'hello'], /found 'hello', expected options only/],
    [['chat', '--model', '--yes'], /--model: found '--yes', expected a value/],
    [['chat', '--base-url', 'localhost:1', '--model', 'm'], /found 'localhost:1', expected an http or https URL/],
    [['chat', '--base-url', 'http://127.0.0.1:1', '--model', 'm', '--mode', 'loud'], /--mode: found 'loud', expected one of native, text, auto/],
    [['chat', '--base-url', 'http://127.0.0.1:1', '--model', 'm', '--system', '/no/such'], /--system: ENOENT/],
    [['tester', '--port', 'x'], /--port: found 'x', expected a whole number from 0 to 65535/],
    [['demo', '--port', '70000'], /--port: found '70000'/],
  ]
  for (const [at, [args, message]] of wrong.entries()) {
    const { code, out, err } = await (at % 7 === 0 ? sluice : sluiceHere)(args)
    assert.equal(code, 2, args.join(' '))
    assert.equal(out, '', args.join(' '))
    assert.match(err, message)
    assert.match(err, /npx sluice.* --help tells more\.\n$/)
  }
})

// -- parse -----------------------------------------------------------------------------------------------------------------

const chunk = (delta) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`
const stream = [
  chunk({ role: 'assistant', content: 'Let me look. ' }),
  chunk({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'weather_now', arguments: '{"city":' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '"杭州"}' } }] }),
  'data: [DONE]\n\n',
].join('')

const texts = {
  vcp: 'Sure 🌧 <<<[TOOL_REQUEST]>>>\ntool_name:「始」weather.now「末」,\ncity:「始」杭州「末」\n<<<[END_TOOL_REQUEST]>>> and <<<[TOOL_REQUEST]>>> nothing',
  hermes: 'Ok <tool_call>\n{"name": "weather.now", "arguments": {"city": "杭州"}}\n</tool_call> done <tool_call> {"broken": </tool_call>',
  tool_action: 'Ok <tool_action name="weather.now"><city value="杭州"/></tool_action> done <tool_action name=>',
  json_strict: 'Ok {"tool_calls":[{"id":"1","type":"function","function":{"name":"weather.now","arguments":"{\\"city\\":\\"杭州\\"}"}}]} {"a": 1}',
  xml_tag: 'Ok <tool_code>weather.now(city="杭州")</tool_code> and <tool_code>what?</tool_code>',
  'qwen3-coder': 'Ok <tool_call>\n<function=weather.now>\n<parameter=city>\n杭州\n</parameter>\n</function>\n</tool_call> done <function=',
}

async function parsed(name, args, run = sluice) {
  const { code, out, err } = await run(['parse', path(name), '--json', ...args])
  assert.equal(code, 0, err)
  const lines = out.trim().split('\n').map((line) => JSON.parse(line))
  return { events: lines.slice(0, -1), message: lines.at(-1).message, err }
}

test('parse --mode native looks for no calls in the text, and says so', async () => {
  writeFileSync(path('native'), texts.vcp)
  const { message } = await parsed('native', ['--mode', 'native'])
  assert.deepEqual(message.blocks.map(({ type, text }) => [type, text]), [['text', texts.vcp]])
  const { out } = await sluice(['parse', path('native'), '--mode', 'native'])
  assert.match(out, /looked for native calls only/)
})

for (const [protocol, text] of Object.entries(texts)) {
  test(`parse ${protocol}: --chunks changes nothing but how text is cut`, async () => {
    writeFileSync(path(protocol), text)
    const whole = await parsed(protocol, ['--protocol', protocol])
    assert.match(whole.err, /^wire: text, because it has no `data:` lines\n$/)
    const calls = whole.message.blocks.filter((block) => block.type === 'tool_use' && block.name === 'weather.now')
    assert.deepEqual(calls.map((one) => one.arguments), [{ city: '杭州' }])
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
  assert.match(err, /^wire: openai-chat, because it has `data:` lines/)
  assert.deepEqual(message.blocks.map((block) => block.text ?? [block.name, block.arguments, block.source]), ['Let me look. ', ['weather_now', { city: '杭州' }, 'native']])
  const told = await parsed('stream', ['--wire', 'openai-chat'])
  assert.equal(told.err, '')
  assert.deepEqual(told.message, message)
  const asText = await parsed('stream', ['--wire', 'text'])
  assert.deepEqual(asText.message.blocks.map((block) => block.type), ['text'])
  writeFileSync(path('body'), JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }] }))
  const body = await parsed('body', [])
  assert.match(body.err, /openai-chat, because it is JSON/)
  assert.equal(body.message.blocks[0].text, 'Hi.')
})

test('the wire of a recorded answer is guessed from its bytes, and its text is found', () => {
  const sse = (...events) => events.map((event) => `${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\r\n\r\n`).join('')
  const lines = (...events) => events.map((event) => `${JSON.stringify(event)}\n`).join('')
  const part = (...parts) => ({ candidates: [{ content: { parts, role: 'model' } }] })
  for (const [wire, text, words = 'Hi 你'] of [
    ['openai-chat', `: hello\n\n${sse({ choices: [{ delta: { content: 'Hi ' } }] }, { choices: [{ delta: { content: '你' } }] })}data: [DONE]\n\n`],
    ['openai-chat', JSON.stringify({ choices: [{ message: { content: 'Hi 你' } }] }, null, 2)],
    ['openai-chat', sse({ id: 1 }), ''],
    ['openai-chat', '{"error":{"message":"no"}}', ''],
    ['openai-responses', sse({ type: 'response.created', response: {} }, { type: 'response.output_text.delta', delta: 'Hi ' }, { type: 'response.reasoning_text.delta', delta: 'hm' }, { type: 'response.output_text.delta', delta: '你' })],
    ['openai-responses', JSON.stringify({ object: 'response', output: [{ type: 'reasoning' }, { type: 'message', content: [{ type: 'output_text', text: 'Hi 你' }] }] })],
    ['anthropic', sse({ type: 'message_start', message: {} }, { type: 'ping' }, { type: 'content_block_start', content_block: { type: 'text', text: '' } }, { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hi 你' } })],
    ['anthropic', JSON.stringify({ type: 'message', content: [{ type: 'thinking', thinking: 'hm' }, { type: 'text', text: 'Hi 你' }] })],
    ['anthropic', sse({ type: 'error', error: { type: 'overloaded_error', message: 'no' } }), ''],
    ['gemini', sse(part({ text: 'hm', thought: true }), part({ text: 'Hi ' }, { text: '你' }))],
    ['gemini', JSON.stringify([part({ text: 'Hi ' }), part({ text: '你' })], null, 2)],
    ['gemini', JSON.stringify({ promptFeedback: { blockReason: 'SAFETY' } }), ''],
    ['ollama', lines({ model: 'm', message: { role: 'assistant', content: 'Hi ' }, done: false }, { message: { content: '你' }, done: true })],
    ['ollama', JSON.stringify({ message: { content: 'Hi 你' }, done: true })],
    ['text', 'data is what I have: {"choices": 1}', 'data is what I have: {"choices": 1}'],
    ['text', '{"tool": 1}\n{"choices": 2}', '{"tool": 1}\n{"choices": 2}'],
    ['text', '', ''],
  ]) {
    const guess = guessWire(Buffer.from(text))
    assert.equal(guess.wire, wire, text)
    assert.match(guess.why, /^it(s| has| is) /)
    assert.equal(answerText(text, wire), words, text)
  }
})

test('parse for people: one event per line, the reason of what is no call, nothing hidden', async () => {
  const { code, out } = await sluice(['parse', '-'], 'a\u202eb\x1b[31m <<<[TOOL_REQUEST]>>> x\n<<<[TOOL_REQUEST]>>>\ntool_name:「始」w「末」\n<<<[END_TOOL_REQUEST]>>>')
  assert.equal(code, 0)
  inOrder(out, 'text', '⟨U+202E⟩', 'diagnostic nested_opener at byte', 'no call: shown as text', 'card       call 1  w  streaming  as vcp', 'card       call 1  pending  {}', 'one message, completed', 'looked for vcp', '1 diagnostic: nested_opener')
  assert.doesNotMatch(out, /\u202e|\x1b/)
})

test('a call in another format than the one that was looked for is told with the words that read it', async (t) => {
  const parsing = await sluice(['parse', '-'], texts.hermes)
  inOrder(parsing.out, 'diagnostic other_format', 'hermes', 'this looks like hermes: --protocol hermes reads it')
  const { args } = await scripted(t, { text: 'Ok <tool_call>{"name": "file.list", "arguments": {"path": "/"}}</tool_call>' })
  inOrder((await sluice(['chat', ...args, '--prompt', 'x'])).out, '(other_format: a call as hermes writes it; --mode text --protocol hermes reads it)')
})

test('parse with the protocol of a model, and with tools', async () => {
  writeFileSync(path('auto'), '<tool_call>\n<function=count>\n<parameter=n>\n7\n</parameter>\n</function>\n</tool_call>')
  writeFileSync(path('tools.json'), JSON.stringify([{ type: 'function', function: { name: 'count', parameters: { type: 'object', properties: { n: { type: 'integer' } } } } }]))
  const auto = ['--protocol', 'auto', '--model', 'Qwen3-Coder-30B']
  assert.deepEqual((await parsed('auto', auto)).message.blocks[0].arguments, { n: '7' })
  assert.deepEqual((await parsed('auto', [...auto, '--tools', path('tools.json')])).message.blocks[0].arguments, { n: 7 })
  const nameless = await sluice(['parse', path('auto'), '--protocol', 'auto'])
  assert.equal(nameless.code, 1)
  assert.match(nameless.err, /model: protocol auto needs the name of a model/)
  writeFileSync(path('wrong.json'), '{"a": 1}')
  assert.match((await sluice(['parse', '-', '--tools', path('wrong.json')])).err, /found object, expected an array of tools/)
  writeFileSync(path('wrong.json'), '[{"description": "no name"}]')
  assert.match((await sluice(['parse', '-', '--tools', path('wrong.json')])).err, /\[0\]: expected a tool with a name/)
})

// -- chat ------------------------------------------------------------------------------------------------------------------

test('chat: piped lines are what is said, and answer what is asked', async (t) => {
  const { args, server } = await scripted(t,
    { text: 'Hello.' }, call('file_delete', { path: '/a\u202etxt\x1b[2J' }), { text: 'Gone.' }, call('file_delete', { path: '/b' }), { text: 'Kept.' })
  const result = await log(() => sluice(['chat', ...args], 'Hi\nDelete a\ny\nDelete b\nn not that one\n'))
  assert.deepEqual([result.code, result.err], [0, ''])
  assert.deepEqual(result.log, ['delete /a\u202etxt\x1b[2J'])
  inOrder(result.out, '> Hi', 'Hello.', '> Delete a', 'The assistant wants to use file.delete.', '1 argument · 10 characters in 1 line', 'can change or delete · asks every time', 'path', '│ /a⟨U+202E⟩txt⟨U+001B⟩[2J', 'run it? [y]es [n]o, why [e]dit [?]', 'success', 'Gone.', '> Delete b', 'denied', 'not that one', 'Kept.')
  assert.doesNotMatch(result.out, /\u202e|\x1b/)
  assert.deepEqual(server.requests[1].body.messages.map(({ role }) => role), ['user', 'assistant', 'user'])
  assert.match(JSON.stringify(server.requests[4].body.messages), /not that one/)
})

test('chat: when there is nobody left to answer, nothing is run', async (t) => {
  const { args } = await scripted(t, call('file_delete', { path: '/a' }), { text: 'As you like.' })
  const result = await log(() => sluice(['chat', ...args, '--prompt', 'Delete a']))
  assert.equal(result.code, 0)
  assert.deepEqual(result.log, [])
  inOrder(result.out, '> Delete a', 'denied: there is nobody to ask', 'As you like.')
})

test('chat: a script is told that an answer failed, also where the next went well', async (t) => {
  const { args } = await scripted(t, { text: 'One.' }, { status: 400, error: 'not today' }, { text: 'Three.' })
  const { code, out } = await sluice(['chat', ...args], '1\n2\n3\n')
  inOrder(out, 'One.', '> 2', 'not today', '> 3', 'Three.')
  assert.equal(code, 1)
})

test('chat: what is no answer is asked again; arguments can be changed', async (t) => {
  const { args } = await scripted(t, call('file_delete', { path: '/a' }), { text: 'Done.' })
  const lines = ['Delete', 'maybe', '', 'a', '?', 'e', '{"path":', 'e', '[1]', 'e', '{"path":7}', 'y', 'e', '{"path":"/tmp/x"}', 'y']
  const result = await log(() => sluice(['chat', ...args], `${lines.join('\n')}\n`))
  assert.deepEqual(result.log, ['delete /tmp/x'])
  inOrder(result.out, "found 'maybe', expected y yes", "found '', expected", "found 'a', expected y yes, n no (and why), e other arguments", 'n, no      do not run it', 'JSON', 'expected a JSON object', 'Arguments as changed by you', 'expected string', '│ /tmp/x', 'run it?', 'Done.')
})

test('chat: always is remembered for the tools that can be remembered', async (t) => {
  const { args } = await scripted(t, call('file_list', { path: '/a' }), { text: 'One.' }, call('file_list', { path: '/b' }), { text: 'Two.' })
  const result = await log(() => sluice(['chat', ...args], 'List a\na\nList b\n'))
  assert.deepEqual(result.log, ['list /a', 'list /b'])
  inOrder(result.out, 'can change or delete', 'run it? [y]es [n]o, why [e]dit [a]lways [?]', 'One.', 'Two.')
  assert.equal(result.out.split('run it?').length, 2)
})

test('chat: a result is shown before the model reads it', async (t) => {
  const { args, server } = await scripted(t, call('file_read', { path: '/a' }), { text: 'Never mind.' }, call('file_read', { path: '/b' }), { text: 'I see.' })
  const { out } = await sluice(['chat', ...args], 'Read a\nx\nno\nRead b\nyes\n')
  inOrder(out, 'The model will see', '│ secret⟨U+202E⟩ of /a', 'let the model read this? [y]es [n]o, why [?]', "found 'x', expected y yes, or n no", 'result_rejected', 'Never mind.', 'of /b', 'I see.')
  assert.doesNotMatch(JSON.stringify(server.requests[1].body.messages), /secret/)
  assert.match(JSON.stringify(server.requests[3].body.messages), /secret/)
})

test('chat: a model that takes no tools is told with the option of the command', async (t) => {
  const { args } = await scripted(t, { status: 400, error: 'm does not support tools' })
  const { code, out } = await sluice(['chat', ...args, '--prompt', 'x'])
  assert.equal(code, 1)
  inOrder(out, 'tools_unsupported', '--mode text describes the tools in the prompt instead')
  assert.doesNotMatch(out, /"mode"/)
})

test('chat: --yes, --system, --mode text, the key', async (t) => {
  const { args, server } = await scripted(t, { text: texts.vcp.replaceAll('weather.now', 'file.delete').replaceAll('city', 'path') }, { text: 'Fine.' })
  writeFileSync(path('system.txt'), 'You are terse. {{tools}}')
  const result = await log(() => sluice(['chat', ...args, '--prompt', 'Go', '--yes', '--mode', 'text', '--system', path('system.txt'), '--api-key', 'k'], '', { env: { OPENAI_API_KEY: 'of-another' } }))
  assert.equal(result.code, 0, result.out)
  assert.deepEqual(result.log, ['delete 杭州'])
  inOrder(result.out, 'approved automatically: --yes', 'Fine.')
  assert.doesNotMatch(result.out, /one message/, 'only with --verbose')
  assert.equal(server.requests[0].headers.authorization, 'Bearer k')
  assert.match(server.requests[0].body.messages[0].content, /^You are terse\. .*TOOL_REQUEST/s)
  assert.equal(server.requests[0].body.tools, undefined)
})

test('chat: a key of the environment goes to its own provider only, or where --key-env says', async (t) => {
  const { server, args } = await scripted(t, { text: 'One.' }, { text: 'Two.' }, { text: 'Three.' })
  const env = { DEEPSEEK_API_KEY: 'key-of-deepseek', MY_KEY: 'key-of-mine' }
  const at = [...args, '--prompt', 'Go']
  await sluice(['chat', '--provider', 'deepseek', ...at], '', { env })
  await sluice(['chat', ...at, '--key-env', 'MY_KEY'], '', { env })
  await sluice(['chat', ...at, '--path', '/chat/completions', '--wire', 'openai-chat'], '', { env })
  assert.deepEqual(server.requests.map(({ headers }) => headers.authorization), [undefined, 'Bearer key-of-mine', undefined])
})

test('chat: a provider of another wire, and its recorded answer in parse', async (t) => {
  const { server } = await scripted(t, { text: 'Let me see. ', ...call('file_read', { path: 'a' }) }, { text: 'Done.' })
  const at = ['--provider', 'anthropic', '--base-url', server.baseURL, '--model', 'm', '--key-env', 'MY_KEY']
  const { code, out } = await sluice(['chat', ...at, '--tools', path('tools.mjs'), '--prompt', 'Go', '--yes'], '', { env: { MY_KEY: 'key-of-mine' } })
  assert.equal(code, 0, out)
  inOrder(out, 'Let me see.', 'Done.')
  assert.deepEqual(server.requests.map(({ path, headers }) => [path, headers['x-api-key']]), Array(2).fill(['/v1/messages', 'key-of-mine']))
  const { server: again } = await scripted(t, { text: 'Let me see. ', ...call('file_read', { path: 'a' }) })
  const { path: url, text } = server.requests[0]
  writeFileSync(path('recorded'), await (await fetch(again.url + url, { method: 'POST', headers: { 'anthropic-version': '2023-06-01' }, body: text })).text())
  const { message, err } = await parsed('recorded', ['--chunks', 'byte'])
  assert.equal(err, 'wire: anthropic, because it has `data:` lines with messages and content blocks\n')
  assert.deepEqual(message.blocks.map((block) => block.text ?? [block.name, block.arguments, block.source]), ['Let me see. ', ['file_read', { path: 'a' }, 'native']])
})

test('keys of the environment are found by the address', () => {
  const before = { ...process.env }
  Object.assign(process.env, { OPENAI_API_KEY: 'o', MOONSHOT_API_KEY: 'k', GOOGLE_API_KEY: 'g' })
  delete process.env.GEMINI_API_KEY
  try {
    assert.equal(keyFor('https://api.openai.com/v1'), 'o')
    assert.equal(keyFor('https://api.moonshot.cn/v1'), 'k')
    assert.equal(keyFor('https://generativelanguage.googleapis.com/v1beta/openai'), 'g', 'the second name, where the first is not set')
    for (const other of ['http://api.openai.com/v1', 'https://api.openai.com.evil.example/v1', 'http://127.0.0.1:11434', 'nonsense']) assert.equal(keyFor(other), undefined, other)
  } finally {
    process.env = before
  }
})

test('chat: --verbose says the shape of a message', async (t) => {
  const { args } = await scripted(t, call('file_list', { path: '/' }), { text: 'Three files.' })
  const { out } = await sluice(['chat', ...args, '--prompt', 'What is there?', '--yes', '--verbose'])
  assert.match(out, /\d s · one message, completed, 2 rounds.*: file\.list success → text\n/)
})

test('chat: a conversation is kept by name, and goes on', async (t) => {
  const { server, args } = await scripted(t, { text: 'One.' }, { text: 'Two.' }, { status: 400, error: 'no' }, { text: 'Three.' }, { text: 'Four.' })
  const store = ['--store', path('kept')]
  assert.match((await sluice(['chat', '--list', ...store])).out, /there is no conversation yet/)
  const first = await sluice(['chat', ...args, '--conversation', 'rain', ...store], 'Will it rain?\n')
  assert.doesNotMatch(first.out, /goes on/)
  const second = await sluice(['chat', ...args, '--conversation', 'rain', ...store], 'Sure?\nlost\n')
  inOrder(second.out, "This goes on with 'rain', where 2 messages are; the last:", '> Will it rain?', 'One.', '> Sure?', 'Two.')
  const messages = (at) => server.requests[at].body.messages.map(({ content }) => content)
  assert.deepEqual(messages(1), ['Will it rain?', 'One.', 'Sure?'])
  await sluice(['chat', ...args, '--resume', ...store, '--prompt', 'Really?'])
  assert.deepEqual(messages(3), ['Will it rain?', 'One.', 'Sure?', 'Two.', 'Really?'], 'what failed is not kept')
  await sluice(['chat', ...args, '--conversation', 'sun', ...store, '--prompt', 'And the sun?'])
  const { out } = await sluice(['chat', '--list', ...store])
  assert.match(out, /^20\d\d-\d\d-\d\d \d\d:\d\d  sun  \(2\)  And the sun\?\n20.* rain  \(6\)  Will it rain\?\n$/)
})

test('chat: where nothing is to be kept nothing is, and what cannot be kept is told', async (t) => {
  const { args } = await scripted(t, { text: 'One.' }, { text: 'Two.' })
  const env = { XDG_DATA_HOME: path('data'), LOCALAPPDATA: path('data') }
  await sluice(['chat', ...args, '--prompt', 'Hi'], '', { env })
  assert.ok(!existsSync(path('data')))
  const none = await sluice(['chat', ...args, '--resume', '--prompt', 'Hi'], '', { env })
  assert.deepEqual([none.code, /there is no conversation yet/.test(none.err)], [2, true])
  for (const words of [['--store', path('x')], ['--conversation', 'a', '--resume']]) assert.equal((await sluice(['chat', ...args, ...words], '', { env })).code, 2)
  writeFileSync(path('file'), 'x')
  const damaged = await sluice(['chat', ...args, '--conversation', 'a', '--store', path('file'), '--prompt', 'Hi'])
  assert.deepEqual([damaged.code, /expected a folder/.test(damaged.err)], [1, true], 'what cannot be read is not gone on with')
  const full = spawn('bash', ['-c', `trap '' XFSZ; ulimit -f 0; exec "$0" "$@"`, process.execPath, main, 'chat', ...args, '--conversation', 'a', '--store', path('full'), '--prompt', 'Hi'])
  let out = ''
  full.stdout.setEncoding('utf8').on('data', (text) => (out += text))
  const [code] = await once(full, 'close')
  assert.equal(code, 0)
  inOrder(out, 'Two.', '⚠ not saved: ')
})

test('chat: the key of the environment goes to no other server than the one that it is for', async (t) => {
  const { args, server } = await scripted(t, { text: 'Hi.' })
  await sluice(['chat', ...args, '--prompt', 'Go'], '', { env: { OPENAI_API_KEY: 'k' } })
  assert.equal(server.requests[0].headers.authorization, undefined)
})

test('chat: what a server, a model and a tool write is marked where it hides, and an error is told once', async (t) => {
  const { args } = await scripted(t, { status: 400, error: 'bad\u202e\x1b[2J words' }, { reasoning: 'hm\u200b', text: 'see \u202egpj.exe\r\n👩‍💻 \x9b2J' })
  const { out } = await sluice(['chat', ...args], '1\n2\n')
  inOrder(out, 'bad⟨U+202E⟩⟨U+001B⟩[2J words', 'hm⟨U+200B⟩', 'see ⟨U+202E⟩gpj.exe\n👩‍💻 ⟨U+009B⟩2J')
  assert.equal(out.split('bad⟨').length, 2, out)
  assert.doesNotMatch(out, /[\u202e\u200b\x1b\x9b]/)
})

test('chat: nothing hides in what is asked', async (t) => {
  const ways = hiding.filter(({ cut }) => !cut)
  const { args: words } = await scripted(t, ...ways.flatMap(({ arguments: args }) => [call('file_list', { path: '/', ...args }), { text: 'Kept as it was.' }]))
  const { out } = await sluice(['chat', ...words], 'Go\nn\n'.repeat(ways.length))
  const answers = out.split('Kept as it was.')
  assert.equal(answers.length, ways.length + 1, out)
  for (const [i, { way, shown, long }] of ways.entries()) {
    const rows = answers[i].replaceAll(/\n│ {2} {8}│ /g, '') // what was wrapped
    for (const part of shown) assert.ok(rows.includes(part), `${way}: ${part} in ${answers[i]}`)
    inOrder(answers[i], 'The assistant wants to use file.list.', 'run it?', 'denied')
    if (!long) assert.ok(answers[i].split('\n').length < 40, `${way}: ${answers[i]}`)
  }
})

test('chat: what is too long is shown on request, and what nobody reads wants another word', async (t) => {
  const { args } = await scripted(t, call('file_delete', { path: 'x'.repeat(25_000) }), { text: 'One.' }, call('file_delete', { path: 'y'.repeat(300_000) }), { text: 'Two.' })
  const result = await log(() => sluice(['chat', ...args], 'Delete\ny\ns\ny\nDelete\ny\nunseen\n'))
  inOrder(result.out, '16,000 characters in 1 line are not shown here', 'run it? [y]es [n]o, why [e]dit [s]how all [?]', 'not all of it was shown: s shows it', 'run it? [y]es [n]o, why [e]dit [?]', 'One.',
    '291,000 characters in 1 line are not shown here', 'run it? unseen [n]o', 'the word unseen approves them all the same', 'Two.')
  assert.deepEqual(result.log.map((line) => line.length), [25_007, 300_007])
})

test('chat: an answer that was cut, withheld, broken off or empty is told, and a failure', async (t) => {
  for (const [answer, told] of [
    [{ text: 'I am', finish: 'length' }, 'The answer was cut at its length limit.'], [{ text: 'I am', finish: 'content_filter' }, 'The provider withheld the rest.'],
    [{ text: '' }, 'No answer came.'],
  ]) {
    const { args } = await scripted(t, answer, { text: 'Whole.' })
    const { code, out } = await sluice(['chat', ...args], 'Hi\nAgain\n')
    inOrder(out, '> Hi', told, '> Again', 'Whole.', ' s\n')
    assert.equal(code, 1, told)
  }
})

test('parse: an answer that was cut or is empty is told, and a failure', async () => {
  const body = (finish, content) => JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finish }] })
  for (const [text, told] of [[body('length', 'I am'), 'The answer was cut at its length limit.'], [body('stop', ''), 'No answer came.'], [`${chunk({ content: 'I am' })}`, 'unfinished']]) {
    const { code, out } = await sluice(['parse', '-'], text)
    assert.match(out, new RegExp(told))
    assert.equal(code, 1, told)
  }
  assert.equal((await sluice(['parse', '-'], body('stop', 'Hi.'))).code, 0)
})

test('chat: tools that nothing runs, and files that hold none, are told', async (t) => {
  const { args } = await scripted(t)
  const base = args.slice(0, 4)
  writeFileSync(path('idle.mjs'), 'export const tools = [{ name: "x", description: "d" }]')
  assert.match((await sluice(['chat', ...base, '--tools', path('idle.mjs')])).err, /x cannot be run: expected execute/)
  writeFileSync(path('none.mjs'), 'export const nothing = 1')
  assert.match((await sluice(['chat', ...base, '--tools', path('none.mjs')])).err, /found no such export, expected an array of tools as default export/)
  writeFileSync(path('throws.mjs'), 'throw new Error("my own fault")')
  assert.match((await sluice(['chat', ...base, '--tools', path('throws.mjs')])).err, /my own fault/)
})

test('chat: Ctrl-C stops an answer and its tool', { skip: process.platform === 'win32' && 'no signals there' }, async (t) => {
  const { args } = await scripted(t, call('file_watch', { path: '/a' }))
  const result = await log(() => sluice(['chat', ...args, '--prompt', 'Watch'], '', { signalOn: 'watching' }))
  assert.equal(result.code, 130)
  assert.deepEqual(result.log, ['watching', 'aborted'])
  inOrder(result.out, 'watching', '╰─ ', 'stopped')
})

test('chat: a server that is not there is an error in a sentence, and a failure', async () => {
  const server = await startServer({ answers: [] })
  await server.close()
  const { code, out } = await sluice(['chat', '--base-url', server.baseURL, '--model', 'm', '--prompt', 'x'])
  assert.equal(code, 1)
  assert.match(out, /trying again in \d\.\d s, 1 of \d: .*ECONNREFUSED/)
  assert.match(out, /network: .*ECONNREFUSED/)
})

// -- check -----------------------------------------------------------------------------------------------------------------

test('check: every step with its time, one thing to do about what fails, and the models', async (t) => {
  const key = 'sk-secret-of-mine-12345'
  const answers = ({ body }) => (body.tools ? { text: 'No.' } : { text: 'ready\u202e' })
  const server = await startServer({ answers, models: ['qwen3:8b', 'odd\u202e'] })
  t.after(server.close)
  const at = ['check', '--base-url', server.baseURL, '--api-key', key]
  const named = await sluice([...at, '--model', 'qwen3:8b'])
  assert.deepEqual([named.code, named.err], [0, ''])
  inOrder(named.out, '✔ reach', ' ms ', '✔ key', 'The key is accepted.', '✔ model', '✔ stream', '✖ tools', "Use mode 'text'", '✖ pictures')
  const open = await sluice(at)
  assert.equal(open.code, 0)
  inOrder(open.out, '✔ reach', '✖ model', '2 models; none is chosen', 'qwen3:8b\n', 'odd⟨U+202E⟩')
  const none = await sluice(['check', '--provider', 'ollama', '--base-url', 'http://127.0.0.1:1', '--model', 'm'])
  assert.equal(none.code, 1)
  inOrder(none.out, '✖ reach', 'Nothing answers at http://127.0.0.1:1', 'ollama serve')
  const missing = await sluice(['check', '--provider', 'qwen', '--base-url', server.baseURL])
  assert.equal(missing.code, 0)
  for (const { out, err } of [named, open, none]) assert.doesNotMatch(out + err, new RegExp(`${key}|\u202e|\x1b`))
})

test('check: on a narrow terminal what it says wraps below itself', noTerminal, async (t) => {
  const server = await startServer({ answers: [{ status: 401, error: `the key is not known here \x1b[2J${'and so on '.repeat(10)}` }] })
  t.after(server.close)
  const { out, code } = await onTerminal(['check', '--base-url', server.baseURL, '--model', 'm', '--api-key', 'k'], [], { columns: 60 })
  assert.equal(code, 1)
  const rows = screenOf(out, 60)
  assert.ok(rows.every((row) => row.length < 60), rows.join('\n'))
  assert.ok(rows.some((row) => /^ {21}\S/.test(row)))
  assert.match(rows.join(' '), /✖ key .*⟨U\+001B⟩/)
})

// -- on a terminal -----------------------------------------------------------------------------------------------------------

test('on a terminal: a question, an edit of what stands there, the end', noTerminal, async (t) => {
  const { args } = await scripted(t, call('file_delete', { path: '/a' }), { text: 'Done.' })
  const result = await log(() => onTerminal(['chat', ...args], [
    ['> ', 'Delete\r'], ['run it? [y]es [n]o, why [e]dit [?] ', 'e\r'], ['{"path":"/a"}', '\x7f\x7f\x7fb"}\r'], ['│ /b', ''], ['run it? [y]es [n]o, why [e]dit [?] ', 'y\r'], [' s\r\n', ''], ['> ', '\x04'],
  ]))
  assert.deepEqual(result.left, [])
  assert.equal(result.code, 0)
  assert.deepEqual(result.log, ['delete /b'])
})

test('on a terminal: what was typed before the question does not answer it', noTerminal, async (t) => {
  const server = await startServer({ answers: [{ parts: [{ text: 'Wait for it' }, { wait: 400 }, ...[{ call: { name: 'file_delete', arguments: { path: '/a' } } }]] }, { text: 'Kept.' }] })
  t.after(server.close)
  const args = ['--base-url', server.baseURL, '--model', 'm', '--tools', path('tools.mjs')]
  const result = await log(() => onTerminal(['chat', ...args], [
    ['> ', 'Delete\r'], ['Wait for it', 'y\ry'], ['run it? [y]es [n]o, why [e]dit [?] ', 'n\r'], ['Kept.', ''], ['> ', '\x04'],
  ]))
  assert.deepEqual(result.left, [])
  assert.deepEqual(result.log, [])
})

test('on a terminal: more than a screen comes page by page, and yes counts on the last one', noTerminal, async (t) => {
  const { args } = await scripted(t, call('file_delete', { path: `${'line\n'.repeat(45)}/end` }), { text: 'Gone.' })
  const result = await log(() => onTerminal(['chat', ...args], [
    ['> ', 'Delete\r'], ['page 1 of 3: Enter shows the next, n refuses ', 'y\r'], ['an answer counts when the last page was shown', ''],
    ['page 2 of 3: Enter shows the next, n refuses ', '\r'], ['46 │ /end', ''], ['run it? [y]es [n]o, why [e]dit [?] ', 'y\r'], ['Gone.', ''], ['> ', '\x04'],
  ]))
  assert.deepEqual(result.left, [])
  assert.deepEqual(result.log.length, 46)
})

test('on a terminal: while nothing comes the seconds are counted', noTerminal, async (t) => {
  const server = await startServer({ answers: [{ parts: [{ text: 'Wait for it' }, { wait: 4000 }, { text: ': done.' }] }] })
  t.after(server.close)
  const result = await onTerminal(['chat', '--base-url', server.baseURL, '--model', 'm'], [['> ', 'Go\r'], ['Wait for it', ''], ['… 2 s', ''], [': done.', ''], ['> ', '\x04']])
  assert.deepEqual(result.left, [])
})

test('on a terminal: Ctrl-C stops the answer, then leaves', noTerminal, async (t) => {
  const { args } = await scripted(t, call('file_watch', { path: '/a' }), { text: 'Here again.' })
  const result = await log(() => onTerminal(['chat', ...args], [
    ['> ', 'Watch\r'], ['watching', '\x03'], ['stopped · ', ''], ['> ', 'Still there?\r'], ['Here again.', ''], ['> ', '\x03'],
    ['Ctrl-C again leaves.', '\x03'],
  ]))
  assert.deepEqual(result.left, [])
  assert.equal(result.code, 130)
  assert.deepEqual(result.log, ['watching', 'aborted'])
})

test('on a terminal: a question that is stopped goes away', noTerminal, async (t) => {
  const { args } = await scripted(t, call('file_delete', { path: '/a' }))
  const result = await log(() => onTerminal(['chat', ...args], [['> ', 'Delete\r'], ['run it? [y]es [n]o, why [e]dit [?] ', '\x03'], ['stopped · ', ''], ['> ', '\r'], ['> ', '\x04']]))
  assert.deepEqual(result.left, [])
  assert.equal(result.code, 0)
  assert.deepEqual(result.log, [])
})

// -- pages -------------------------------------------------------------------------------------------------------------------

/** Starts a page, does something with it, and ends it with Ctrl-C. */
async function page(args, use) {
  const child = spawn(process.execPath, [main, ...args, '--no-open'])
  let out = ''
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (err += text))
  const ended = new Promise((resolve) => child.on('close', (code) => resolve(code)))
  try {
    const url = await new Promise((resolve, reject) => {
      child.stdout.setEncoding('utf8').on('data', (text) => {
        out += text
        const found = /http:\/\/[\w.]+:\d+\/\?token=[\w-]{32,}/.exec(out)
        if (found) resolve(found[0])
      })
      void ended.then((code) => reject(new Error(`ended with ${code}: ${err}`)))
    })
    const { origin } = new URL(url)
    const opened = await fetch(url, { redirect: 'manual' })
    const [cookie] = opened.headers.get('set-cookie').split(';')
    const headers = { cookie, origin, 'content-type': 'application/json' }
    await use({
      url,
      get: (path) => fetch(origin + path, { headers: { cookie } }),
      post: async (path, value, signal) => (await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(value), signal })).json(),
    })
  } finally {
    child.kill('SIGINT')
  }
  return { code: await ended, out, err }
}

test('demo: serves the pet, says where, and ends with Ctrl-C', async () => {
  const { code, out } = await page(['demo'], async ({ get }) => {
    const answer = await get('/')
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('content-security-policy'), /default-src 'none'/)
  })
  assert.equal(code, 0)
  assert.match(out, /^The pet is on: http/)
})

test('demo --terminal: the scripted turn', async () => {
  const { code, out, err } = await sluice(['demo', '--terminal', '--mode', 'text'])
  assert.deepEqual([code, err], [0, ''])
  inOrder(out, 'A scripted server answers', 'weather.now', 'approved automatically: there is no terminal', ' tokens\n')
})

test('demo: a protocol that does not exist, and options of the other half, end it with a sentence', async () => {
  for (const [args, exit, message] of [
    [['--no-open', '--protocol', 'smoke-signals'], 1, /protocol: found "smoke-signals"/],
    [['--no-open', '--prompt', 'Hi'], 2, /--prompt needs --terminal/],
    [['--no-open', '--yes'], 2, /--yes needs --terminal/],
    [['--terminal', '--port', '0'], 2, /--port is for the page/],
  ]) {
    const { code, err } = await sluice(['demo', ...args])
    assert.equal(code, exit, args.join(' '))
    assert.match(err, message)
  }
})

test('a port that is taken is told in a sentence', async () => {
  const other = createServer().listen(0, '0.0.0.0')
  await once(other, 'listening')
  const { code, err } = await sluice(['tester', '--no-open', '--port', String(other.address().port)])
  other.close()
  assert.equal(code, 1)
  assert.match(err, /^port: .*EADDRINUSE.*\nanother program already uses this port/)
})

test('gallery: serves its page, and leads to the tester', async () => {
  const { code, out } = await page(['gallery'], async ({ get, post }) => {
    assert.match(await (await get('/')).text(), /Sluice gallery/)
    assert.match((await post('/api/tester', {})).value.url, /^http.*token=/)
  })
  assert.equal(code, 0)
  assert.match(out, /^The gallery is on: http/)
})

test('tester: tools, what is parsed, and tools by hand', async () => {
  const { code } = await page(['tester', '--tools', path('tools.mjs'), '--protocol', 'hermes'], async ({ post }) => {
    const { value } = await post('/api/tools', { settings: { toolToggles: { 'file.list': false } } })
    const seen = Object.fromEntries(value.tools.map(({ name, exposed, reason }) => [name, exposed || reason]))
    assert.deepEqual(seen, { 'file.delete': true, 'file.read': true, 'file.list': 'disabled', 'file.watch': true })
    assert.match(value.prompt, /<tool_call>/)
    assert.ok(value.protocols.includes('vcp') && value.protocols.includes('auto'))
    assert.ok(value.tokens.native > 0 && value.tokens.text > 0)
    assert.equal(value.estimatedTokens, value.tokens.native)
    assert.equal((await post('/api/tools', { settings: { toolToggles: { 'file.list': false }, mode: 'text' } })).value.estimatedTokens, value.tokens.text)
    assert.deepEqual(value.runnable, ['file.delete', 'file.read', 'file.list', 'file.watch'])
    const wrong = await post('/api/tools', { settings: { mode: 'quark' } })
    assert.deepEqual([wrong.ok, wrong.error.path], [false, 'settings.mode'])
    assert.match(wrong.error.detail, /found "quark"/)
    const auto = await post('/api/tools', { settings: { protocol: 'auto' }, model: 'qwen3-coder' })
    assert.match(auto.value.prompt, /<function=/)

    const { value: read } = await post('/api/parse', { text: texts.hermes, chunks: 'byte' })
    assert.deepEqual([read.wire, read.protocols, read.pieces], ['text', ['hermes'], Buffer.byteLength(texts.hermes)])
    assert.deepEqual(read.message.blocks.find(({ type }) => type === 'tool_use').arguments, { city: '杭州' })
    const rejected = await post('/api/parse', { text: texts.vcp, protocol: 'vcp' })
    assert.ok(rejected.value.diagnostics.length > 0 && rejected.value.diagnostics.every(({ code }) => code))
    for (const [input, at] of [[{ text: 1 }, 'text'], [{ text: '', wire: 'x' }, 'wire'], [{ text: '', chunks: '-1' }, 'chunks'], [{ text: '', extra: 1 }, 'extra'], [{ text: '', protocol: 'x' }, 'protocol']]) {
      assert.equal((await post('/api/parse', input)).error.path, at)
    }

    const run = await log(() => post('/api/run', { name: 'file.delete', arguments: { path: '/x' } }))
    assert.deepEqual(run.log, ['delete /x'], 'the person asked for it: no further question')
    assert.deepEqual([run.value.status, run.value.output], ['success', 'deleted /x'])
    assert.equal(typeof run.value.durationMs, 'number')
    const misfit = await log(() => post('/api/run', { name: 'file.delete', arguments: { path: 7 } }))
    assert.deepEqual([misfit.value.status, misfit.log], ['invalid', []])
    assert.match(misfit.value.error, /expected string/)
    const slow = await log(() => post('/api/run', { name: 'file.watch', arguments: { path: '/' }, timeoutMs: 100 }))
    assert.deepEqual([slow.value.status, slow.value.progress, slow.log], ['timeout', ['watching'], ['watching', 'aborted']])
    assert.equal((await post('/api/run', { name: 'file.none', arguments: {} })).error.code, 'not_found')
    assert.equal((await post('/api/run', { name: '__proto__', arguments: {} })).error.code, 'not_found')
    assert.equal((await post('/api/run', { name: 'file.read', arguments: [] })).error.path, 'arguments')

    writeFileSync(path('log'), '')
    const leave = new AbortController()
    const left = post('/api/run', { name: 'file.watch', arguments: { path: '/' } }, leave.signal)
    const logged = async (text) => {
      for (const end = Date.now() + 20_000; !readFileSync(path('log'), 'utf8').includes(text);) {
        assert.ok(Date.now() < end, `${text}: waited 20 s`)
        await new Promise((resolve) => setTimeout(resolve, 15))
      }
    }
    await logged('watching')
    leave.abort()
    await assert.rejects(left)
    await logged('aborted')
  })
  assert.equal(code, 0)
})
