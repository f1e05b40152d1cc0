// What apps do around a model that had a loop of their own before: each in a few lines on the public names.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Engine, tool } from 'sluice'
import { callsEcho, cards, collect, echo, ofType, stage } from './support.mjs'

const page = (name, more) =>
  tool({
    name,
    agentCallable: true,
    permission: 'public',
    parameters: { type: 'object', properties: { url: { type: 'string' }, input: { type: 'string' } } },
    execute: () => 'ok',
    ...more,
  })

test("an empty 503 is asked again after waits of the app's own, and each is shown", async (t) => {
  const { server, run } = await stage(t, {
    answers: [{ status: 503, error: {} }, { status: 503, error: {} }, { text: 'Here I am.' }],
  })
  const shown = []
  const own = run({
    retries: ({ attempt, status }) => (status === 503 && attempt <= 3 ? attempt * 10 : null),
    onEvent: (event) =>
      event.type === 'retry' &&
      shown.push(`${event.detail.split(':')[0]}, try ${event.attempt} in ${event.delayMs} ms`),
  })
  assert.equal(await own.text, 'Here I am.')
  assert.deepEqual(shown, ['HTTP 503, try 1 in 10 ms', 'HTTP 503, try 2 in 20 ms'])
  assert.equal(server.requests.length, 3)
})

test('which failures may pass is told with each: by delayMs', async (t) => {
  let status
  const { run } = await stage(t, { answers: () => ({ status, error: 'no' }) })
  const passes = []
  const retries = ({ delayMs }) => {
    passes.push(delayMs !== null)
    return null
  }
  const statuses = {
    400: false,
    401: false,
    403: false,
    404: false,
    408: true,
    409: true,
    422: false,
    425: true,
    429: true,
    500: true,
    502: true,
    503: true,
    504: true,
    529: true,
  }
  for (status of Object.keys(statuses).map(Number)) assert.equal((await run({ retries }).done).error.status, status)
  assert.deepEqual(passes, Object.values(statuses))
  passes.length = 0
  const { error } = await run({
    retries,
    transport: async () => {
      throw new TypeError('fetch failed')
    },
  }).done
  assert.deepEqual([error.code, error.status, passes], ['network', undefined, [true]])
})

test('a model that takes no images is asked again without them', async (t) => {
  const { server, run } = await stage(t, {
    answers: ({ body }) =>
      JSON.stringify(body.messages).includes('image_url')
        ? { status: 400, error: 'image input is not supported' }
        : { text: 'I see nothing.' },
  })
  const withoutImages = (message) =>
    Array.isArray(message.content)
      ? { ...message, content: message.content.filter(({ type }) => type !== 'image_url') }
      : message
  const result = await run({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ],
    retries: ({ status, detail, delayMs }) => (status === 400 && /image/.test(detail) ? 0 : delayMs),
    beforeRequest: ({ attempt, messages }) => (attempt > 1 ? { messages: messages.map(withoutImages) } : undefined),
  }).done
  assert.deepEqual([result.outcome, result.text, server.requests.length], ['completed', 'I see nothing.', 2])
  assert.deepEqual(server.requests[1].body.messages[0].content, [{ type: 'text', text: 'What is this?' }])
})

test('a name is looked up, and a wrong one has neighbours, without a turn', (t) => {
  const engine = new Engine({
    tools: [
      page('page.fetch', { aliases: ['fetch_page'], vcpCommand: 'FetchPage' }),
      page('page.open'),
      page('skill.read'),
      page('mail.send', { enabled: false }),
    ],
  })
  t.after(() => engine.close())
  for (const name of ['page.fetch', 'page_fetch', 'fetch_page', 'FetchPage'])
    assert.deepEqual([engine.resolve(name).tool?.name, engine.resolve(name).suggestions], ['page.fetch', []], name)
  const { tool: none, suggestions: near } = engine.resolve('page')
  assert.deepEqual([none, near], [undefined, ['page.fetch', 'page.open']], 'nothing in common with skill.read')
  assert.equal(engine.resolve('mail.send').tool, undefined, 'no model may call it')
  assert.deepEqual(engine.resolve(''), { suggestions: [] })
  assert.throws(() => engine.resolve(), { code: 'option', path: 'name' })
})

test('a name in another case or between brackets is looked up where the call or the engine says so', (t) => {
  const tools = [page('page.fetch', { vcpCommand: 'FetchPage' }), page('page.open')]
  const engine = new Engine({ tools })
  const lenient = new Engine({ tools, names: { lenient: true } })
  t.after(() => [engine, lenient].forEach((one) => one.close()))
  const found = (of, name, options) => of.resolve(name, options).tool?.name
  assert.equal(found(engine, 'PAGE.FETCH'), undefined)
  assert.equal(found(engine, 'PAGE.FETCH', { anyCase: true }), 'page.fetch')
  assert.equal(found(engine, 'fetchpage', { anyCase: true }), 'page.fetch')
  assert.equal(found(engine, '`「page.fetch」始`', { anyCase: true }), undefined)
  assert.equal(found(engine, '`「page.fetch」始`', { lenient: true }), 'page.fetch')
  assert.equal(found(lenient, '`「page.fetch」始`'), 'page.fetch')
  assert.equal(found(lenient, '`「PAGE.FETCH」始`', { anyCase: true }), 'page.fetch')
  assert.equal(found(lenient, '`「page.fetch」始`', { lenient: false }), undefined)
  assert.throws(() => engine.resolve('page', { anycase: true }), { code: 'option', path: 'anycase' })
  assert.throws(() => engine.resolve('page', { anyCase: 1 }), { code: 'option', path: 'anyCase' })
})

test('a text that goes on is parsed as far as it is known', (t) => {
  const engine = new Engine({ tools: [page('page.fetch')] })
  t.after(() => engine.close())
  const { text, calls, held } = engine.parse('A <<<[TOOL_RE', { open: true })
  assert.deepEqual([text, calls, held], ['A ', [], '<<<[TOOL_RE'])
  const call = '<<<[TOOL_REQUEST]>>>\ntool_name:「始」page.fetch「末」,\nurl:「始」http://x'
  const open = engine.parse(call, { open: true })
  assert.deepEqual([open.calls[0].status, open.held, open.diagnostics], ['streaming', '', []])
  const over = engine.parse(call)
  assert.deepEqual([over.calls[0].reason, 'held' in over], ['unterminated_argument', false])
  assert.throws(() => engine.parse(call, { open: 'yes' }), { code: 'option', path: 'open' })
})

test('a whole text is parsed in one call', (t) => {
  const engine = new Engine({ tools: [page('page.fetch')] })
  t.after(() => engine.close())
  const call =
    '<<<[TOOL_REQUEST]>>>\ntool_name:「始」page.fetch「末」,\nurl:「始」http://x「末」\n<<<[END_TOOL_REQUEST]>>>'
  const { text, calls, blocks, diagnostics } = engine.parse(`One moment. ${call} And now?`)
  assert.equal(text, 'One moment.  And now?')
  assert.deepEqual(
    calls.map(({ name, status, arguments: args }) => [name, status, args]),
    [['page.fetch', 'pending', { url: 'http://x' }]],
  )
  assert.deepEqual([blocks.map(({ type }) => type), diagnostics], [['text', 'tool_use', 'text'], []])
  const broken = engine.parse(call.slice(0, -10))
  assert.deepEqual([broken.calls[0].status, broken.calls[0].reason], ['invalid', 'unterminated_block'])
  const hermes = '<tool_call>{"name":"page.fetch","arguments":{"url":"http://x"}}</tool_call>'
  assert.deepEqual(engine.parse(hermes, { protocol: 'hermes' }).calls[0].arguments, { url: 'http://x' })
  assert.deepEqual(
    engine.parse(hermes).diagnostics.map(({ code, detail }) => [code, detail]),
    [['other_format', 'hermes']],
  )
  assert.deepEqual(engine.parse(''), { text: '', calls: [], blocks: [], diagnostics: [] })
  assert.throws(() => engine.parse(5), { code: 'option', path: 'text' })
  assert.throws(() => engine.parse('', { protocl: 'vcp' }), { code: 'option', path: 'protocl' })
})

test('a pause between rounds: a hook that waits, and the clock of the turn with it', async (t) => {
  const { run } = await stage(t, { answers: [callsEcho, { text: 'Done.' }], tools: [echo()] })
  let resume
  const paused = new Promise((resolve) => (resume = resolve))
  const own = run({ hookTimeoutMs: 0, beforeRequest: ({ round }) => (round === 2 ? paused : undefined) })
  for await (const event of own) if (event.type === 'request' && event.round === 2) setTimeout(resume, 30)
  assert.equal((await own.done).outcome, 'completed')
})

test('the card of an app names the call as the provider does', async (t) => {
  const ids = []
  const { run } = await stage(t, {
    answers: [callsEcho, { text: 'Done.' }],
    tools: [echo({ execute: (_, { id, round, source }) => void ids.push([id, round, source]) })],
  })
  const own = run()
  const events = await collect(own)
  assert.deepEqual(ids, [['call_a', 1, 'native']])
  assert.deepEqual([cards(await own.done)[0].wireId, ofType(events, 'execute')[0].wireId], ['call_a', 'call_a'])
})
