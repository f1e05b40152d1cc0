// sluice/mcp as far as it needs no server: what it takes, and the store of what was accepted. tests/adapters has it in
// front of real ones.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { inspect, promisify } from 'node:util'
import { Engine, tool } from 'sluice'
import { startScriptedServer } from 'sluice/testing'
import { filePins, mcpTools, memoryPins } from 'sluice/mcp'

const pin = (tool, description = tool) => ({
  tool,
  digest: 'a'.repeat(64),
  definition: { name: tool, description, inputSchema: {} },
})

function folderOf(t) {
  const made = mkdtempSync(join(tmpdir(), 'sluice-pins-'))
  t.after(() => rmSync(made, { recursive: true }))
  return made
}

test('wrong options are refused with their place, and what to write instead', async () => {
  const client = { request() {}, callTool() {}, getServerCapabilities() {} }
  for (const [given, options, path, message] of [
    [null, {}, 'client', /@modelcontextprotocol\/client/],
    [{}, {}, 'client', /found an object/],
    [client, {}, 'server', /expected a name/],
    [client, { server: 'a b', expose: 'all' }, 'server', /letters, digits/],
    [client, { server: 'x'.repeat(65), expose: 'all' }, 'server', /at most 64/],
    [client, { name: 'a', expose: 'all' }, 'server', /expected a name/],
    [client, { name: 'a', server: 'a', expose: 'all' }, 'name', /found "a".*did you mean server\?/s],
    [client, { server: 'a', expose: 'all', wireName: 'a' }, 'wireName', /function/],
    [client, { server: 'a' }, 'expose', /which tools a model may call/],
    [client, { server: 'a', expose: 'some' }, 'expose', /'all', an array/],
    [client, { server: 'a', expose: [1] }, 'expose', /./],
    [client, { server: 'a', expose: 'all', permission: 'open' }, 'permission', /public \| moderate/],
    [client, { server: 'a', expose: 'all', permission: { b: 'free' } }, 'permission.b', /public/],
    [client, { server: 'a', expose: 'all', pins: {} }, 'pins', /memoryPins\(\) or filePins\(path\)/],
    [client, { server: 'a', expose: 'all', onElicit: true }, 'onElicit', /function/],
    [client, { server: 'a', expose: 'all', secrets: [1] }, 'secrets', /a list of texts/],
    [client, { server: 'a', allow: 'all' }, 'allow', /did you mean expose/],
    [client, { server: 'a', expose: 'all', timeoutMs: -1 }, 'timeoutMs', /found -1, expected a whole number/],
  ])
    await assert.rejects(mcpTools(given, options), { code: 'option', path, message })
  await assert.rejects(mcpTools(client, { server: 'a', expose: 'all' }), { code: 'state', message: /not connected/ })
})

test('a server without tools was not seen yet: those that it has later are its first', async () => {
  const given = []
  let capabilities = {}
  const client = { request: async () => ({ tools: given }), callTool() {}, getServerCapabilities: () => capabilities }
  const tools = await mcpTools(client, { server: 'a', expose: 'all' })
  assert.deepEqual([tools.tools, tools.list], [[], []])
  capabilities = { tools: {} }
  await tools.refresh()
  given.push({
    name: 'x',
    title: `${'\u{1F600}'.repeat(200)}`,
    description: '\ud800',
    inputSchema: { type: 'object', $schema: 'http://json-schema.org/draft-07/schema#' },
  })
  await tools.refresh()
  given.push({ name: 'y', inputSchema: { type: 'object' } })
  assert.deepEqual(
    (await tools.refresh()).map(({ name, kind }) => [name, kind]),
    [['a.y', 'new']],
  )
  assert.deepEqual(
    tools.list.map(({ name, state, detail }) => [name, state, detail]),
    [
      ['a.x', 'ready', undefined],
      ['a.y', 'disabled', 'a has it since it was seen first'],
    ],
  )
  assert.deepEqual(tools.tools[0].declaration.parameters, { type: 'object' })
})

/** A client of a server with these tools; `definitions` may be changed. */
const clientOf = (definitions) => ({
  request: async () => ({
    tools: Object.entries(definitions).map(([name, description]) => ({
      name,
      description,
      inputSchema: { type: 'object' },
    })),
  }),
  callTool: async ({ name }) => ({ content: [{ type: 'text', text: `ran ${name}` }] }),
  getServerCapabilities: () => ({ tools: {} }),
})

test('the app calls a server and its tools as it likes; pins go by the names of the server', async (t) => {
  for (const server of ['mcp.local', '我的', 'मेरा', 'a_-.b'])
    assert.deepEqual(
      (await mcpTools(clientOf({ x: 'one' }), { server, expose: 'all' })).tools.map(({ name }) => name),
      [`${server}.x`],
    )
  const pins = memoryPins()
  const definitions = { read_file: 'one', write_file: 'one' }
  const client = clientOf(definitions)
  const names = { name: (one, server) => `${server}：${one.name}`, wireName: (one) => `fs__${one.name}` }
  const before = await mcpTools(client, { server: 'fs', expose: 'all', pins })
  await before.close()
  const tools = await mcpTools(client, { server: 'fs', expose: ['read_file'], permission: 'public', pins, ...names })
  assert.deepEqual(
    tools.list.map(({ name, state }) => [name, state]),
    [
      ['fs：read_file', 'ready'],
      ['fs：write_file', 'hidden'],
    ],
  )
  assert.deepEqual(
    tools.tools.map(({ name, declaration }) => [name, declaration.wireName]),
    [['fs：read_file', 'fs__read_file']],
  )
  definitions.read_file = 'two'
  assert.deepEqual(
    (await tools.refresh()).map(({ name, kind, before: pinned }) => [name, kind, pinned.description]),
    [['fs：read_file', 'changed', 'one']],
  )
  await tools.accept('fs：read_file')
  assert.equal(tools.tools[0].declaration.wireName, 'fs__read_file', 'an accepted tool keeps its name in requests')
  const server = await startScriptedServer({
    answers: [{ calls: [{ id: 'c1', name: 'fs__read_file', arguments: {} }] }, { text: 'Done.' }],
  })
  t.after(() => server.close())
  const engine = new Engine()
  tools.attach(engine)
  const model = { baseURL: server.baseURL, name: 'scripted', apiKey: 'secret' }
  const run = engine.run({ model, messages: [{ role: 'user', content: 'Read.' }] })
  const { message } = await run.done
  const [card] = message.blocks
  assert.deepEqual([card.name, card.status], ['fs：read_file', 'success'])
  const [, call, answer] = server.requests[1].body.messages
  assert.deepEqual([call.tool_calls[0].function.name, answer.content], ['fs__read_file', 'ran read_file'])
  assert.throws(() => tools.attach(new Engine({ tools: [tool({ name: 'own', wireName: 'fs__read_file' })] })), {
    code: 'option',
    detail: 'it has a tool with the wireName fs__read_file already',
  })
})

test('a name that cannot be used leaves out its tool, with the reason; the others go on', async (t) => {
  const warnings = []
  t.mock.method(process, 'emitWarning', (warning) => warnings.push(String(warning)))
  const definitions = { good: '1', empty: '2', number: '3', throws: '4', same: '5', wire: '6', sent: '7' }
  const result = await mcpTools(clientOf(definitions), {
    server: 'a',
    expose: 'all',
    name: ({ name }) => {
      if (name === 'throws') throw new Error('no name for it')
      return { empty: '', number: 7, same: 'good' }[name] ?? name
    },
    wireName: ({ name }) => ({ good: 'g', wire: 'not good', sent: 'g' })[name],
  })
  assert.deepEqual(
    result.list.map(({ name, state, reason, detail }) => [name, state, reason, detail]),
    [
      ['good', 'ready', undefined, undefined],
      [
        'a.empty',
        'left out',
        'name',
        'name: found "", expected a name: a string that is not empty, without control characters',
      ],
      ['a.number', 'left out', 'name', 'name(tool): found 7, expected a string'],
      ['a.throws', 'left out', 'name', 'no name for it'],
      ['a.same', 'left out', 'twice', 'another tool of the server is called good as well'],
      ['a.wire', 'left out', 'name', 'wireName: found "not good", expected letters, digits, _ and -, at most 64'],
      ['a.sent', 'left out', 'twice', 'requests call good g as well'],
    ],
  )
  assert.deepEqual(
    result.tools.map(({ name }) => name),
    ['good'],
  )
  assert.equal(warnings.length, 1)
  assert.match(warnings[0], /tools of a are left out: a\.empty: name: found ""/)
})

test('a list of nothing but faults is listed', async () => {
  const tools = Array.from({ length: 2000 }, (_, at) => (at % 2 ? 7 : { name: 'x', inputSchema: at ? {} : 1 }))
  const client = { request: async () => ({ tools }), callTool() {}, getServerCapabilities: () => ({ tools: {} }) }
  const { list, tools: usable } = await mcpTools(client, { server: 'a', expose: 'all' })
  assert.deepEqual(
    [list.length, usable.length, new Set(list.map(({ reason }) => reason))],
    [2000, 0, new Set(['definition', 'name', 'twice'])],
  )
})

test('engines have the tools as they are, and keep what the app made of them', async () => {
  const definitions = { x: 'one', y: 'one', z: 'one' }
  const client = {
    request: async () => ({
      tools: Object.entries(definitions).map(([name, description]) => ({
        name,
        description,
        inputSchema: { type: 'object' },
      })),
    }),
    callTool() {},
    getServerCapabilities: () => ({ tools: {} }),
  }
  const tools = await mcpTools(client, { server: 'a', expose: 'all' })
  const own = tool({ name: 'a.y' })
  const [engine, closed, left] = [new Engine({ tools: [tool({ name: 'b' })] }), new Engine(), new Engine()]
  const names = (of) => of.tools.map(({ name }) => name).sort()
  for (const one of [engine, closed]) tools.attach(one)
  tools.attach(engine)
  tools.attach(left)()
  assert.deepEqual([names(engine), names(left)], [['a.x', 'a.y', 'a.z', 'b'], []])
  closed.close()
  engine.add(own)
  engine.remove('a.z')
  Object.assign(definitions, { x: 'two', y: 'two', z: 'two', more: 'one' })
  await tools.refresh()
  assert.deepEqual(names(engine), ['a.more', 'a.x', 'a.y', 'b'], 'what the app took out or replaced stays so')
  assert.equal(
    engine.tools.find(({ name }) => name === 'a.y'),
    own,
  )
  assert.equal(engine.tools.find(({ name }) => name === 'a.x').declaration.agentCallable, false)
  await tools.accept('a.x')
  assert.equal(engine.tools.find(({ name }) => name === 'a.x').declaration.agentCallable, true)
  delete definitions.x
  await tools.refresh()
  assert.deepEqual(names(engine), ['a.more', 'a.y', 'b'])
  await tools.close()
  assert.deepEqual(names(engine), ['a.y', 'b'])
  await assert.rejects(tools.refresh(), { code: 'closed' })
  engine.close()
})

for (const [name, make] of [
  ['memory', () => memoryPins()],
  ['a file', (t) => filePins(join(folderOf(t), 'deep', 'pins.json'))],
]) {
  test(`${name} keeps pins by server and tool, whatever they are called`, async (t) => {
    const store = make(t)
    assert.equal(await store.get('a'), undefined)
    await store.set('a', [pin('x'), pin('__proto__')])
    await store.set('__proto__', [])
    await store.set('a', [pin('x', 'other'), pin('y')])
    assert.deepEqual(
      (await store.get('a')).map(({ tool, definition }) => [tool, definition.description]),
      [
        ['x', 'other'],
        ['__proto__', '__proto__'],
        ['y', 'y'],
      ],
    )
    assert.deepEqual([await store.get('__proto__'), await store.get('constructor')], [[], undefined])
  })
}

test('a file of pins that cannot be read is no first time', async (t) => {
  const path = join(folderOf(t), 'pins.json')
  assert.throws(() => filePins(''), { code: 'option' })
  const good = { servers: [{ server: 'a', pins: [pin('x')] }] }
  for (const [content, at] of [
    ['', ''],
    ['{"servers": [', ''],
    ['[]', '.servers'],
    ['{"servers": [{"pins": []}]}', '.servers[0].server'],
    ['{"servers": [{"server": "a"}]}', '.servers[0].pins'],
    [JSON.stringify(good).replace('"x"', '7'), '.servers[0].pins[0].tool'],
    [JSON.stringify(good).replace(/a{64}/, 'short'), '.servers[0].pins[0].digest'],
    [JSON.stringify(good).replace(/"definition":\{.*\}\]\}\]/, '"definition":1}]}]'), '.servers[0].pins[0].definition'],
  ]) {
    writeFileSync(path, content)
    await assert.rejects(async () => filePins(path).get('a'), {
      code: 'storage',
      path: path + at,
      hint: /mend or remove/,
    })
    await assert.rejects(async () => filePins(path).set('a', []), { code: 'storage' })
    assert.equal(readFileSync(path, 'utf8'), content, 'nothing is written over it')
  }
  const client = {
    request: async () => ({ tools: [{ name: 'x', inputSchema: {} }] }),
    callTool() {},
    getServerCapabilities: () => ({ tools: {} }),
  }
  await assert.rejects(mcpTools(client, { server: 'a', expose: 'all', pins: filePins(path) }), { code: 'storage' })
  await assert.rejects(
    mcpTools(client, { server: 'a', expose: 'all', pins: { get: () => [{ tool: 'x' }], set() {} } }),
    { code: 'storage', path: 'pins.get()[0].digest' },
  )
})

test('several processes share a file of pins', async (t) => {
  const folder = folderOf(t)
  const path = join(folder, 'pins.json')
  const code = `import { filePins } from 'sluice/mcp'
    for (let at = 0; at < 10; at++) await filePins(process.argv[1]).set('s' + at % 2, [{ tool: process.argv[2] + at, digest: '${'b'.repeat(64)}', definition: {} }])`
  await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', code, path, name], {
        cwd: fileURLToPath(new URL('.', import.meta.url)),
      }),
    ),
  )
  const store = filePins(path)
  assert.deepEqual([(await store.get('s0')).length, (await store.get('s1')).length], [15, 15])
  assert.deepEqual(readdirSync(folder), ['pins.json'])
  if (process.platform !== 'win32') assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('a store that cannot keep what was accepted accepts nothing', async () => {
  let full = false
  const kept = memoryPins()
  const pins = {
    get: kept.get,
    set: (...given) => {
      if (full) throw new Error('the disk is full')
      kept.set(...given)
    },
  }
  let description = 'one'
  const client = {
    request: async () => ({ tools: [{ name: 'x', description, inputSchema: { type: 'object' } }] }),
    callTool: async () => ({ content: [{ type: 'text', text: description }] }),
    getServerCapabilities: () => ({ tools: {} }),
  }
  const tools = await mcpTools(client, { server: 'a', expose: 'all', pins })
  const [before] = tools.tools
  description = 'two'
  await tools.refresh()
  full = true
  await assert.rejects(tools.accept('a.x'), /disk is full/)
  assert.equal(tools.list[0].state, 'disabled')
  const context = { signal: new AbortController().signal, progress() {} }
  for (const tool of [before, tools.tools[0]])
    await assert.rejects(tool.run({}, context), /changed it since it was offered/)
  full = false
  await tools.accept('a.x', tools.list[0].digest)
  assert.equal(await tools.tools[0].run({}, context), 'two')
  await assert.rejects(before.run({}, context), /changed it since it was offered/)
})

test('a clock that is set back does not delay the reading of a list that changed', async (t) => {
  let lists = 0
  const client = {
    request: async () => (lists++, { tools: [] }),
    callTool() {},
    getServerCapabilities: () => ({ tools: { listChanged: true } }),
  }
  let [passed, date] = [5000, 1_800_000_000_000]
  t.mock.method(performance, 'now', () => passed)
  t.mock.method(Date, 'now', () => date)
  const asked = []
  t.mock.method(
    globalThis,
    'setTimeout',
    (run, ms) => (
      asked.push({ run, ms }),
      {
        unref() {
          return this
        },
      }
    ),
  )
  const tools = await mcpTools(client, { server: 'a', expose: 'all' })
  const changes = async () => {
    asked.length = 0
    await client.fallbackNotificationHandler({ method: 'notifications/tools/list_changed' })
    const [{ run, ms }] = asked
    passed += ms
    run()
    await new Promise((resolve) => setImmediate(resolve))
    return ms
  }
  const usual = await changes()
  passed += 60_000
  date -= 3_600_000
  assert.equal(await changes(), usual)
  assert.equal(lists, 3)
  await tools.close()
})

test('a clock that is set leaves the time for a list of several pages as it is', async (t) => {
  let passed = 0
  t.mock.method(performance, 'now', () => passed)
  t.mock.method(Date, 'now', () => 1_800_000_000_000 - passed * 1000)
  const times = []
  const request = async (_request, _schema, { timeout }) => {
    times.push(timeout)
    passed += 400
    return { tools: [], ...(times.length < 3 ? { nextCursor: `${times.length}` } : {}) }
  }
  const client = { request, callTool() {}, getServerCapabilities: () => ({ tools: {} }) }
  await (await mcpTools(client, { server: 'a', expose: 'all', listTimeoutMs: 1000 })).close()
  assert.deepEqual(times, [1000, 600, 200])
})

test('a subscription to changes that comes when the tools were closed is ended', async () => {
  const open = new Set()
  let listens = 0
  let arrive
  const client = {
    request: async () => ({ tools: [] }),
    callTool() {},
    getServerCapabilities: () => ({ tools: { listChanged: true } }),
    getProtocolEra: () => 'modern',
    setRequestHandler() {},
    removeRequestHandler() {},
    listen: async () => {
      if (++listens === 1) throw new Error('not yet')
      await new Promise((resolve) => (arrive = resolve))
      const subscription = { close: async () => void open.delete(subscription), closed: new Promise(() => {}) }
      open.add(subscription)
      return subscription
    },
  }
  const tools = await mcpTools(client, { server: 'a', expose: 'all' })
  const refreshed = tools.refresh().catch(({ code }) => code)
  await new Promise((resolve) => setImmediate(resolve))
  await tools.close()
  arrive()
  await refreshed
  assert.deepEqual([listens, open.size], [2, 0])
})

test('a subscription that ends in an error is made again, and no rejection is left over', async (t) => {
  const unhandled = []
  const note = (error) => unhandled.push(error)
  process.on('unhandledRejection', note)
  t.after(() => process.off('unhandledRejection', note))
  let listens = 0
  const client = {
    request: async () => ({ tools: [] }),
    callTool() {},
    getServerCapabilities: () => ({ tools: { listChanged: true } }),
    getProtocolEra: () => 'modern',
    setRequestHandler() {},
    removeRequestHandler() {},
    listen: async () => ({
      close: async () => {},
      closed: listens++ === 0 ? Promise.reject(new Error('the connection broke')) : new Promise(() => {}),
    }),
  }
  const tools = await mcpTools(client, { server: 'a', expose: 'all' })
  await new Promise((resolve) => setImmediate(resolve))
  await tools.refresh()
  await tools.close()
  assert.deepEqual([listens, unhandled], [2, []])
})

test('a key that the server repeats comes out nowhere, in any spelling', async (t) => {
  const KEY = 'sk-secret/abcdef+0123456789'
  const spellings = [
    KEY,
    encodeURIComponent(KEY),
    `Bearer ${KEY}`,
    Buffer.from(KEY).toString('base64'),
    Buffer.from(KEY).toString('base64url'),
  ]
  const told = []
  t.mock.method(process, 'emitWarning', (warning) => told.push(String(warning)))
  for (const said of spellings) {
    let list = async () => ({
      tools: [
        {
          name: 'look',
          description: `for ${said}`,
          inputSchema: { type: 'object', properties: { [said]: { description: said } } },
        },
      ],
    })
    let call
    const client = {
      request: (request, ...rest) => (request.method === 'tools/list' ? list() : call(request, ...rest)),
      callTool: async (_params, _schema, { onprogress }) => call(onprogress),
      getServerCapabilities: () => ({ tools: {} }),
    }
    const asked = []
    const tools = await mcpTools(client, {
      server: 'a',
      expose: 'all',
      secrets: [`Bearer ${encodeURIComponent(KEY)}`],
      onElicit: (question) => {
        asked.push(question)
        return 'decline'
      },
    })
    told.push(tools.list, asked)
    for (const answer of [
      async (onprogress) => {
        onprogress({ progress: 1, message: said })
        return { content: [{ type: 'text', text: said }], structuredContent: { [said]: [said] } }
      },
      async () => ({ isError: true, content: [{ type: 'text', text: said }] }),
      async () => {
        throw new Error(`401: ${said}`, { cause: said })
      },
      async () => {
        throw Object.assign(new Error(said), { code: -32602, data: said })
      },
      async () => {
        throw Object.assign(new Error('fetch failed', { cause: new Error(said) }), { data: { said } })
      },
    ]) {
      call = answer
      const { run } = tools.tools[0]
      told.push(
        await run({}, { signal: new AbortController().signal, progress: (report) => told.push(report) }).catch(
          (error) => [error, error.cause, error.message],
        ),
      )
    }
    await client.fallbackRequestHandler(
      {
        method: 'elicitation/create',
        params: { message: said, requestedSchema: { type: 'object', properties: { [said]: { title: said } } } },
      },
      { signal: new AbortController().signal },
    )
    list = async () => {
      throw new Error(said)
    }
    told.push(await tools.refresh().catch((error) => [error, error.cause, error.message]))
    assert.equal(asked.length, 1)
    await tools.close()
  }
  const all = inspect(told, { depth: 20, showHidden: true, maxArrayLength: null, maxStringLength: null })
  assert.match(all, /\[secret\]/)
  for (const said of spellings) assert.ok(!all.includes(said.replace('Bearer ', '').replace(/=+$/, '')), said)
})
