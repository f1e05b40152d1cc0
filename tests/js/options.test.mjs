// Whatever a developer passes wrongly is one SluiceError `option` that says where, what was found, what is allowed, and
// where it belongs.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { type } from 'arktype'
import * as sluice from 'sluice'
import { agUIHandler } from 'sluice/ag-ui'
import { chatHandler, createSluice } from 'sluice/ai-sdk'
import { memoryConversations as conversations } from 'sluice/conversations'
import { bullmqQueue, durable, redisLog } from 'sluice/durable'
import * as electron from 'sluice/electron'
import * as host from 'sluice/host'
import * as live2d from 'sluice/live2d'
import { mcpTools } from 'sluice/mcp'
import { textToolCalls } from 'sluice/openai'
import { companion } from 'sluice/pet'
import * as renderer from 'sluice/renderer'
import { speaker } from 'sluice/speech'
import * as testing from 'sluice/testing'
import * as web from 'sluice/web'
import { z } from 'zod'
import { built } from './dist.mjs'
import { callsEcho, echo, stage } from './support.mjs'

const { Engine, memoryRules, SluiceError, tool, Turn } = sluice
const { live2dTools } = live2d
const { startScriptedServer } = testing
const { HttpRefusal } = await built('http-refusal')

const model = { baseURL: 'http://127.0.0.1:9/v1', name: 'm' }
const messages = [{ role: 'user', content: 'x' }]
const transport = () => new Promise(() => {})

/** Asserts one refusal: [what, code that must throw, path, words of the message in order]. */
function refuses(cases, { code = 'option' } = {}) {
  for (const [what, make, path, words] of cases) {
    assert.throws(
      make,
      (error) => {
        assert.ok(SluiceError.is(error), `${what}: ${error.name}: ${error.message}`)
        assert.equal(error.code, code, `${what}: ${error.message}`)
        assert.equal(error.path, path, `${what}: ${error.message}`)
        assert.match(error.message, words, what)
        return true
      },
      what,
    )
  }
}

test('options of run() that are wrong, forgotten or belong somewhere else', (t) => {
  const engine = new Engine({ tools: [echo()] })
  t.after(() => engine.close())
  const run = (more) => () => engine.run({ model, messages, transport, ...more })
  const cycle = { role: 'user', content: 'x' }
  cycle.again = cycle
  refuses([
    ['nothing', () => engine.run(), 'options', /found undefined, expected an object with model and messages/],
    ['temperature', run({ temperature: 0.7 }), 'temperature', /belongs into `request`.*temperature/],
    ['maxTokens', run({ maxTokens: 5 }), 'maxTokens', /`request`.*max_tokens/],
    ['system', run({ system: 'x' }), 'system', /`messages`/],
    ['tools', run({ tools: [] }), 'tools', /new Engine/],
    ['apiKey', run({ apiKey: 'x' }), 'apiKey', /`model`/],
    ['maxRound', run({ maxRound: 3 }), 'maxRound', /did you mean maxRounds\?/],
    ['retrys', run({ retrys: 3 }), 'retrys', /did you mean retries\?/],
    ['maxSteps', run({ maxSteps: 3 }), 'maxSteps', /maxRounds/],
    ['wirre', run({ wirre: 3 }), 'wirre', /^wirre: unknown member$/],
    [
      'a model by its name',
      run({ model: 'gpt-4o' }),
      'model',
      /found "gpt-4o", expected an object with baseURL and name/,
    ],
    ['no model', run({ model: undefined }), 'model', /found undefined/],
    ['model.model', run({ model: { baseURL: model.baseURL, model: 'x' } }), 'model.model', /did you mean name\?/],
    ['model.baseUrl', run({ model: { baseUrl: model.baseURL, name: 'x' } }), 'model.baseUrl', /did you mean baseURL\?/],
    ['model.apikey', run({ model: { ...model, apikey: 'x' } }), 'model.apikey', /did you mean apiKey\?/],
    ['model.temperature', run({ model: { ...model, temperature: 1 } }), 'model.temperature', /belongs into `request`/],
    ['model.headers', run({ model: { ...model, headers: { a: 5 } } }), 'model.headers.a', /found 5, expected a string/],
    [
      'headers that are no plain object',
      run({ model: { ...model, headers: new Headers({ a: 'b' }) } }),
      'model.headers',
      /expected an object of strings \(Object\.fromEntries\(\)/,
    ],
    [
      'an address without a scheme',
      run({ model: { baseURL: 'localhost:11434', name: 'm' } }),
      'model.baseURL',
      /^model\.baseURL: found another text, expected an http or https URL/,
    ],
    [
      "a header of no header's letters",
      run({ model: { ...model, headers: { 'x-a': 'key…' } } }),
      'model.headers.x-a',
      /^model\.headers\.x-a: found a character that no header can carry/,
    ],
    [
      "a header's name",
      run({ model: { ...model, headers: { 'x a': 'b' } } }),
      'model.headers.x a',
      /no header can carry/,
    ],
    ['no name', run({ model: { baseURL: model.baseURL } }), 'model.name', /the name of a model/],
    ['no messages', run({ messages: [] }), 'messages', /an empty array, expected an array of at least one message/],
    ['flushMs', run({ flushMs: 'x' }), 'flushMs', /found "x", expected milliseconds/],
    ['flushMs NaN', run({ flushMs: NaN }), 'flushMs', /found NaN/],
    ['retries', run({ retries: -1 }), 'retries', /found -1, expected a whole number of at least 0/],
    [
      'retries as a text',
      run({ retries: 'many' }),
      'retries',
      /found "many", expected how many further tries, or a function/,
    ],
    ['maxRetries', run({ maxRetries: 3 }), 'maxRetries', /Sluice calls it retries/],
    ['afterTool', run({ afterTool: 'x' }), 'afterTool', /found "x", expected a function \(call, result\)/],
    ['aftertool', run({ aftertool() {} }), 'aftertool', /did you mean afterTool\?/],
    ['checkpoint', run({ checkpoint: {} }), 'checkpoint', /found an object, expected a function \(state, why\)/],
    ['hookTimeoutMs', run({ hookTimeoutMs: '1s' }), 'hookTimeoutMs', /found "1s", expected milliseconds/],
    ['onEvent', run({ onEvent: true }), 'onEvent', /found true, expected a function \(event\)/],
    ['onFinish', run({ onFinish() {} }), 'onFinish', /run\.done/],
    ['id', run({ id: '' }), 'id', /found "", expected a text of 1 to 200 characters/],
    ['transport', run({ transport: 5 }), 'transport', /found 5, expected a function/],
    ['beforeRequest', run({ beforeRequest: {} }), 'beforeRequest', /found an object, expected a function/],
    ['approvals', run({ approvals: 5 }), 'approvals', /found 5, expected an object/],
    ['approvals.exec', run({ approvals: { exec: () => 'once' } }), 'approvals.exec', /did you mean execution\?/],
    [
      'approvals.execution',
      run({ approvals: { execution: 'once' } }),
      'approvals.execution',
      /found "once", expected a function/,
    ],
    ['rules', run({ rules: memoryRules() }), 'rules', /found an object, expected an array/],
    ['a controller', run({ signal: new AbortController() }), 'signal', /did you mean controller\.signal\?/],
    ['request', run({ request: 5 }), 'request', /found 5, expected an object/],
    ['request.messages', run({ request: { messages: [] } }), 'request.messages', /beside `request`/],
    ['request.model', run({ request: { model: 'other' } }), 'request.model', /belongs into `model`/],
    ['a BigInt', run({ request: { seed: 10n } }), 'request.seed', /found a BigInt/],
    ['NaN', run({ request: { temperature: NaN } }), 'request.temperature', /found NaN/],
    [
      'a date that is none',
      run({ messages: [{ role: 'user', content: 'x', metadata: { at: [new Date('x')] } }] }),
      'messages[0].metadata.at[0]',
      /an invalid Date/,
    ],
    ['nothing in a list', run({ messages: [undefined] }), 'messages[0]', /found undefined/],
    ['a cycle', run({ messages: [cycle] }), 'messages[0].again', /found a cycle/],
    ['a setting of the wrong type', run({ maxRounds: '3' }), 'maxRounds', /found "3", expected a whole number/],
    ['a setting that is a function', run({ maxRounds: () => 3 }), 'maxRounds', /found a function/],
    ['protocols of a run', run({ protocols: [] }), 'protocols', /new Engine/],
    ['a limit that does not exist', run({ limits: { dept: 3 } }), 'limits.dept', /did you mean depth\?/],
  ])
  engine
    .run({ model, messages, transport, 'x-mine': { anything: 1 }, request: { 'x-mine': 1, temperature: 0.3 } })
    .cancel()
})

test('options of an engine, a tool, Live2D and the scripted server', async () => {
  const make = (options) => () => new Engine(options)
  const declare = (options) => () => tool(options)
  refuses([
    ['null', make(null), 'options', /found null, expected an object/],
    ['rules', make({ rules: [] }), 'rules', /found an empty array, expected a store of rules such as memoryRules\(\)/],
    ['ipc', make({ ipc: 'x' }), 'ipc', /found "x", expected a function \(channel/],
    ['a model', make({ model }), 'model', /engine\.run\(\{ model \}\)/],
    ['tools', make({ tools: { a: 1 } }), 'tools', /found an object, expected an array/],
    [
      'protocols of an engine',
      make({ protocols: [{ id: 'house', like: 'hermes', openers: '' }] }),
      'protocols[0].openers[0]',
      /found "", expected a marker that is not empty/,
    ],
    ['onEvent of an engine', make({ onEvent() {} }), 'onEvent', /belongs into engine\.run/],
    ['context of an engine', make({ context: {} }), 'context', /belongs into engine\.run/],
    ['a tool as an object', make({ tools: [{ name: 'x', execute() {} }] }), 'tools[0]', /expected what tool\(/],
    ['an unknown protocol', make({ protocol: 'hermez' }), 'protocol', /hermez.*did you mean hermes\?/],
    ['tool()', declare(), 'options', /found undefined/],
    ['no name', declare({ parameters: { type: 'object' } }), 'name', /the name of the tool, or toolId and method/],
    ['execute', declare({ name: 'x', execute: 'x' }), 'execute', /found "x", expected a function/],
    ['handler', declare({ name: 'x', handler() {} }), 'handler', /did you mean execute\?/],
    ['inputSchema', declare({ name: 'x', inputSchema: {} }), 'inputSchema', /did you mean parameters\?/],
    ['agentcallable', declare({ name: 'x', agentcallable: true }), 'agentcallable', /did you mean agentCallable\?/],
    ['runsIn', declare({ name: 'x', runsIn: 'page' }), 'runsIn', /found "page", expected window/],
    [
      'two that run it',
      declare({ name: 'x', runsIn: 'window', execute() {} }),
      'x.runsIn',
      /found `execute` beside it, expected one of the two/,
    ],
    [
      'ipc beside execute',
      declare({ name: 'x', ipc: { channel: 'c', payload: [] }, execute() {} }),
      'x.ipc',
      /found `execute` beside it, expected one of the two/,
    ],
    [
      'external beside execute',
      declare({ name: 'x', external: true, execute() {} }),
      'x.external',
      /found `execute` beside it/,
    ],
    ['external', declare({ name: 'x', external: 'yes' }), 'external', /found "yes", expected true or false/],
    [
      'ipc beside a window',
      declare({ name: 'x', ipc: { channel: 'c', payload: [] }, runsIn: 'window' }),
      'x.ipc',
      /found `runsIn` beside it/,
    ],
    [
      'properties without schemas',
      declare({ name: 'x', parameters: { city: 'string', days: 'number' } }),
      'x.parameters',
      /properties without the object around them, expected \{ type: 'object'/,
    ],
    [
      'properties of zod',
      declare({ name: 'x', parameters: { city: z.string() } }),
      'x.parameters',
      /properties without the object around them, expected .*z\.object/,
    ],
    [
      'properties of arktype',
      declare({ name: 'x', parameters: { city: type('string') } }),
      'x.parameters',
      /properties without the object around them/,
    ],
    [
      'zod within a JSON Schema',
      declare({ name: 'x', parameters: { type: 'object', properties: { city: z.string() } } }),
      'x.parameters.properties.city',
      /found a schema of zod within a JSON Schema/,
    ],
    ['memoryRules', () => memoryRules(5), 'initial', /found 5, expected an array/],
    ['a rule of memoryRules', () => memoryRules(['shell.run']), 'initial[0]', /found "shell\.run", expected an object/],
    [
      'a rule with a BigInt',
      () => memoryRules([{ tool: 'x', effect: 'deny', arguments: { n: 1n } }]),
      'initial[0].arguments.n',
      /found a BigInt/,
    ],
    ['live2dTools()', () => live2dTools(), 'options', /found undefined/],
    ['live2d expression', () => live2dTools({ expression: ['smile'] }), 'expression', /did you mean expressions\?/],
    ['live2d channels', () => live2dTools({ channels: { motion: 5 } }), 'channels.motion', /a string/],
  ])
  await assert.rejects(startScriptedServer(), { code: 'option', path: 'options' })
  await assert.rejects(startScriptedServer({ answer: [] }), {
    code: 'option',
    path: 'answer',
    hint: 'did you mean answers?',
  })
  await assert.rejects(startScriptedServer({ answers: [], chunks: 'bytes' }), { code: 'option', path: 'chunks' })
  await assert.rejects(startScriptedServer({ answers: [], strict: 'very' }), { code: 'option', path: 'strict' })
  await assert.rejects(startScriptedServer({ answers: [], server: { template: 'llama' } }), {
    code: 'option',
    path: 'server.template',
  })
  await assert.rejects(startScriptedServer({ answers: [], thoughts: 'reasoning' }), {
    code: 'option',
    path: 'thoughts',
  })
})

test('how long a timer waits is at most what a timer can: with more it would fire at once', async (t) => {
  const engine = new Engine({ tools: [echo()] })
  t.after(() => engine.close())
  const handler = { store: conversations(), authorize: () => true, run: () => ({ model }) }
  const turns = durable(engine, { run: () => ({ model }) })
  const Queue = class {
    on() {}
  }
  const server = { baseURL: model.baseURL, apiKey: 'k' }
  const begun = () => {
    const run = engine.run({ model, messages, transport })
    t.after(() => run.cancel())
    return run
  }
  const making = {
    'run.deadlineMs': (deadlineMs) => engine.run({ model, messages, transport, deadlineMs }).cancel(),
    'run.flushMs': (flushMs) => engine.run({ model, messages, transport, flushMs }).cancel(),
    'run.hookTimeoutMs': (hookTimeoutMs) => engine.run({ model, messages, transport, hookTimeoutMs }).cancel(),
    'suspend.graceMs': (graceMs) => begun().suspend({ graceMs }),
    'cancel.graceMs': (graceMs) => begun().cancel('x', { graceMs }),
    'listModels.timeoutMs': (timeoutMs) =>
      sluice.listModels(server, { timeoutMs, signal: AbortSignal.abort(new Error('enough')) }),
    'checkServer.timeoutMs': (timeoutMs) =>
      sluice.checkServer(server, { timeoutMs, signal: AbortSignal.abort(new Error('enough')) }).next(),
    'host.frameMs': (frameMs) => host.createHost(engine, { run: () => ({ model }), frameMs }).close(),
    'host.approvalGraceMs': (approvalGraceMs) =>
      host.createHost(engine, { run: () => ({ model }), approvalGraceMs }).close(),
    'host.petReplyMs': (petReplyMs) => host.createHost(engine, { run: () => ({ model }), petReplyMs }).close(),
    'chatHandler.keepAliveMs': (keepAliveMs) => chatHandler(engine, { ...handler, keepAliveMs }),
    'agUIHandler.keepAliveMs': (keepAliveMs) => agUIHandler(engine, { ...handler, keepAliveMs }),
    'durable.leaseMs': (leaseMs) => durable(engine, { run: () => ({ model }), leaseMs }),
    'work.sweepMs': (sweepMs) => turns.work({ sweepMs }).close(),
    'bullmq.lockMs': (lockMs) => bullmqQueue({ Queue, Worker: Queue, connection: {}, lockMs }),
    'redisLog.pollMs': (pollMs) => redisLog({ sendCommand() {} }, { pollMs }),
    'textToolCalls.firstByteTimeoutMs': (firstByteTimeoutMs) => textToolCalls({ firstByteTimeoutMs }),
    'textToolCalls.idleTimeoutMs': (idleTimeoutMs) => textToolCalls({ idleTimeoutMs }),
    'createSluice.idleTimeoutMs': (idleTimeoutMs) => createSluice({ ...server, idleTimeoutMs }),
    'mcpTools.listTimeoutMs': (listTimeoutMs) =>
      mcpTools(
        { request() {}, callTool() {}, getServerCapabilities: () => ({}) },
        { server: 's', expose: 'all', listTimeoutMs },
      ),
    'receive.timeoutMs': (timeoutMs) => live2d.receivePetChannels({ on() {}, timeoutMs }),
    'speaker.timeoutMs': (timeoutMs) => speaker({ voice: { speak() {} }, timeoutMs }).close(),
    'speaker.holdMs': (holdMs) => speaker({ voice: { speak() {} }, holdMs }).close(),
    'companion.relaxMs': (relaxMs) => companion({ client: { open() {}, message() {} }, relaxMs }),
    'startScriptedServer.delayMs': async (delayMs) => (await startScriptedServer({ answers: [], delayMs })).close(),
  }
  const refused = {}
  for (const [what, make] of Object.entries(making)) {
    const said = async (ms) => {
      try {
        await make(ms)
      } catch (error) {
        return SluiceError.is(error) && error.code === 'option' && error.path.endsWith(what.split('.')[1])
          ? error.detail
          : ''
      }
      return ''
    }
    assert.equal(await said(2 ** 31 - 1), '', what)
    refused[what] = await said(2 ** 31)
  }
  for (const [what, words] of Object.entries(refused))
    assert.match(words, /^found 2147483648, expected (?:milliseconds|a whole number) from \d+ to 2147483647$/, what)
})

test('what is a time, or kept by others, may be longer than a timer waits', async (t) => {
  const engine = new Engine({ tools: [echo()] })
  t.after(() => engine.close())
  const turn = engine.turn({ wire: 'text' })
  assert.equal(turn.tick(Date.UTC(2100, 0)), Infinity)
  redisLog({ sendCommand() {} }, { keepMs: 60 * 86_400_000 })
  await mcpTools(
    { request() {}, callTool() {}, getServerCapabilities: () => ({}) },
    { server: 's', expose: 'all', timeoutMs: 60 * 86_400_000 },
  ).then((tools) => tools.close())
  refuses([['tick', () => turn.tick(-1), 'now', /found -1, expected a time in Unix milliseconds/]])
})

test('arguments of a run and of a turn name what was passed', (t) => {
  const engine = new Engine({ tools: [echo()] })
  t.after(() => engine.close())
  const run = engine.run({ model, messages, transport })
  const turn = engine.turn({ wire: 'text' })
  t.after(() => run.cancel())
  for (const target of [run, turn]) {
    refuses([
      [
        'approve()',
        () => target.approve(),
        'call',
        /found undefined, expected the number of a call, or an event of it/,
      ],
      ['approve("2")', () => target.approve('2'), 'call', /found "2".*event\.call/],
      ['approve(NaN)', () => target.approve(NaN), 'call', /found NaN/],
      ['an event without a call', () => target.approve({ type: 'text' }), 'call', /`call` is undefined/],
      [
        'remember',
        () => target.approve(1, { remember: 'forever' }),
        'remember',
        /found "forever", expected once \| turn \| session \| always/,
      ],
      ['remembr', () => target.approve(1, { remembr: 'once' }), 'remembr', /did you mean remember\?/],
      ['deny with an object', () => target.deny(1, { reason: 'x' }), 'reason', /found an object, expected a string/],
      ['fail without words', () => target.fail(1), 'message', /found undefined, expected a string/],
      [
        'progress',
        () => target.progress(1, 5),
        target === run ? 'report' : 'text',
        /found 5, expected a (?:string|text, or \{ done, total, text \})/,
      ],
      ['release(0)', () => target.release(0), 'call', /found 0/],
    ])
  }
  refuses([
    [
      'finish',
      () => turn.finish('bogus'),
      'how',
      /found "bogus", expected complete \| network \| aborted \| retry \| hook/,
    ],
    ['judge', () => turn.judge(1), 'rules', /found undefined, expected an array/],
    ['headers', () => turn.response(200, { 'retry-after': 5 }), 'headers.retry-after', /found 5, expected a string/],
    ['describe with a number', () => engine.describe(5), 'settings', /found 5, expected an object/],
    ['remove', () => engine.remove({ name: 'echo.back' }), 'name', /found an object, expected a string/],
    ['restore with a name', () => Turn.restore('engine', '{}'), 'engine', /found "engine", expected an Engine/],
    [
      'a turn of something else',
      () => new Turn({ tools: [] }, { wire: 'text' }),
      'engine',
      /found an object, expected an Engine/,
    ],
    ['feed', () => turn.feed([1, 2]), 'bytes', /found an array, expected bytes/],
    ['response', () => turn.response('200'), 'status', /found "200"/],
    ['tick', () => turn.tick('now'), 'now', /found "now"/],
    ['a turn with a wrong member', () => engine.turn({ wire: 'text', modus: 'text' }), 'modus', /did you mean mode\?/],
    ['a turn of nothing', () => new Turn(engine), 'config', /found undefined/],
    ['describe', () => engine.describe({ prtocol: 'vcp' }), 'prtocol', /did you mean protocol\?/],
  ])
  assert.throws(() => run.approve(99), { code: 'not_found' })
})

test('approve, deny and the others take the event itself', async (t) => {
  const { run } = await stage(t, {
    answers: [callsEcho, { text: 'Done.' }],
    tools: [echo({ permission: 'moderate', resultApproval: 'always' })],
  })
  const turn = run()
  for await (const event of turn) {
    if (event.type !== 'approval') continue
    assert.equal(event.stage === 'execution' ? turn.approve(event) : turn.release(event), true)
    assert.equal(turn.approve(event), false, 'it is decided already')
  }
  assert.equal((await turn.done).outcome, 'completed')
})

test('no exported function breaks at what it is given', async () => {
  const given = [[], [null], [5], ['x'], [[]], [{}], [{}, {}], [{}, null], ['x', 5]]
  // an app gets theirs, and makes none
  const classes = new Set([sluice.Run, SluiceError, renderer.ClientError, HttpRefusal, sluice.ResultParts])
  let refused = 0
  for (const [part, exported] of Object.entries({ sluice, electron, host, live2d, renderer, testing, web })) {
    for (const [name, make] of Object.entries(exported)) {
      if (typeof make !== 'function' || classes.has(make)) continue
      for (const args of given) {
        const call = `${part}: ${name}(${JSON.stringify(args).slice(1, -1)})`
        try {
          const made = await (/^[A-Z]/.test(name) ? new make(...args) : make(...args))
          await made?.close?.()
        } catch (error) {
          assert.ok(
            SluiceError.is(error) || error instanceof renderer.ClientError || error instanceof HttpRefusal,
            `${call}: ${error.stack}`,
          )
          refused++
        }
      }
    }
  }
  assert.ok(refused > 50, `${refused} refused`)
})

test('an error of either build is recognised', () => {
  const cjs = createRequire(import.meta.url)('sluice')
  for (const make of [Engine, cjs.Engine]) {
    try {
      new make({ maxRound: 3 })
      assert.fail('it was taken')
    } catch (error) {
      assert.equal(SluiceError.is(error), true)
      assert.equal(cjs.SluiceError.is(error), true)
      assert.equal(error instanceof SluiceError, make === Engine)
    }
  }
  for (const other of [new Error('x'), null, undefined, 'x', { name: 'SluiceError' }])
    assert.equal(SluiceError.is(other), false)
})

test('the settings that TypeScript names are those of the engine', () => {
  const source = readFileSync(new URL('../../native/src/turn/config.cpp', import.meta.url), 'utf8')
  const list = /kMembers\[\] = \{([^}]*)\}/.exec(source)[1]
  const native = [...list.matchAll(/"(\w+)"/g)].map(([, name]) => name)
  const types = readFileSync(new URL('../../js/src/engine/core/settings.ts', import.meta.url), 'utf8')
  const named = [.../const known[^{]*\{[^}]*\} = \{([^}]*)\}/.exec(types)[1].matchAll(/(\w+):/g)].map(
    ([, name]) => name,
  )
  const settings = native.filter((name) => name !== 'rules').sort() // they come from the store
  assert.deepEqual(named.sort(), settings)
  assert.deepEqual(Object.keys(new Engine().describe().settings).sort(), settings)
})

test('the defaults that comments and docs name are those of the engine', () => {
  const { limits, ...settings } = new Engine().describe().settings
  const units = { KiB: 1024, MiB: 1024 ** 2 }
  const valueOf = (word) => {
    const [, number, unit = ''] = /^([\d,]+)(?: (KiB|MiB))?$/.exec(word) ?? []
    if (number !== undefined) return Number(number.replaceAll(',', '')) * (units[unit] ?? 1)
    return ['true', 'false', 'null'].includes(word) ? JSON.parse(word) : word
  }
  const same = (value, word) => {
    const said = valueOf(word)
    return said === 'none' ? Object.keys(value ?? {}).length === 0 : said === value
  }
  const types = readFileSync(new URL('../../js/src/engine/core/settings.ts', import.meta.url), 'utf8')
  const [, body] = /interface Settings \{(.*?)\n\}/s.exec(types)
  const compared = new Set()
  for (const [, comment, name] of body.matchAll(/\/\*\*((?:(?!\*\/).)*)\*\/\s*(\w+)\?:/gs)) {
    const [, before, after] =
      /`([^`]+)` \(the\s+default\)|Default `?'?([^`'.:]+)/.exec(comment.replace(/\n\s*\* */g, ' ')) ?? []
    if (name === 'limits') continue
    assert.ok(before ?? after, `the comment of ${name} names its default`)
    const value = { ...settings, ...limits }[name]
    assert.ok(
      same(value, (before ?? after).replace(/^`|`$/g, '')),
      `${name}: the comment says ${before ?? after}, the engine ${JSON.stringify(value)}`,
    )
    compared.add(name)
  }
  for (const name of Object.keys({ ...settings, ...limits })) assert.ok(compared.has(name), `${name} is explained`)
  const docs = readFileSync(new URL('../../js/docs/options.md', import.meta.url), 'utf8')
  const [, table] = /\| of the engine, in every language \|[^\n]*\n[^\n]*\n(.*?)\n\n/s.exec(docs)
  for (const row of table.split('\n')) {
    const [, names, defaults, text] = row.split(' | ').length > 2 ? ['', ...row.replace(/^\| /, '').split(' | ')] : []
    const words = [...(names ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name)
    if (words[0] === 'limits') {
      for (const [, name, said] of text.matchAll(/`(\w+)` ([\d,]+(?: [KM]iB)?)/g))
        assert.ok(same(limits[name], said), `limits.${name}: the docs say ${said}`)
    } else if (words.length > 0 && defaults.split(', ').length === words.length) {
      for (const [at, said] of defaults.split(', ').entries()) {
        const word = said.replaceAll('`', '').replace(/;.*/, '')
        if (words[at] === 'rules' || !/^(?:\w+)$/.test(word)) continue
        assert.ok(
          same(settings[words[at]], word),
          `${words[at]}: the docs say ${said}, the engine ${JSON.stringify(settings[words[at]])}`,
        )
      }
    }
  }
})
