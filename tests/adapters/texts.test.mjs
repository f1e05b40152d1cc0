// Every recorded text of the model families (../shared/texts) through the proxy to the official client: the calls arrive as `tool_calls`, the text without markers, however the
// bytes are cut, streamed and whole. Skipped where they are absent.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import OpenAI from 'openai-6'
import { Engine, tool } from '../../js/dist/esm/index.js'
import { openAIHandler, textToolCalls } from '../../js/dist/esm/openai/index.js'
import { nodeListener } from '../../js/dist/esm/web/index.js'
import { answering, ask, readStream, streamOf, upstream, wholeOf } from '../js/openai-support.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(process.env.SLUICE_SHARED || join(root, '../shared'), 'texts')
const exceptions = JSON.parse(readFileSync(join(root, 'tests/conformance_exceptions.json'), 'utf8'))
const families = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory()).map(({ name }) => name) : []

/** The texts of a family, with tools for those that came without. */
const textsOf = (family) => readdirSync(join(folder, family)).filter((name) => !(`${family}/${name}` in exceptions)).map((name) => {
  const recorded = JSON.parse(readFileSync(join(folder, family, name), 'utf8'))
  const declared = (recorded.tools ?? []).map((one) => one.function ?? one).map(({ name, description, parameters }) => ({ name, ...(description ? { description } : {}), ...(parameters ? { parameters } : {}) }))
  const called = [...new Set(recorded.expected_calls.map((call) => call.name))].map((name) => ({ name, parameters: { type: 'object' } }))
  const functions = declared.length > 0 ? declared : called.length > 0 ? called : [{ name: 'nothing_of_this_name' }]
  return { ...recorded, name: `${family}/${name}`, declared: declared.length > 0, tools: functions.map((one) => ({ type: 'function', function: one })) }
})

/** Is `said` these texts, with any white space between and around them? */
function isSaid(said, texts) {
  let left = said.trimStart()
  for (const text of texts.map((one) => one.trim())) {
    if (!left.startsWith(text)) return false
    left = left.slice(text.length).trimStart()
  }
  return left === ''
}

/** What the engine makes of a text: the calls, and what is shown. What lost something is shown as it was written. */
function expected({ input, protocol: _, tools, starts_in_reasoning: startsInReasoning = false }, family) {
  const declared = ({ function: { name, description = '', parameters = { type: 'object' } } }) => {
    const made = tool({ name, description, agentCallable: true })
    return { ...made, declaration: { ...made.declaration, parameters } } // `tool()` refuses what some recordings have
  }
  const engine = new Engine({ tools: tools.map(declared) })
  const { blocks } = engine.parse(input, { protocol: family, startsInReasoning })
  engine.close()
  const isWhole = ({ status, reason }) => status === 'pending' || reason === 'schema'
  const seen = new Set()
  const shown = blocks.flatMap((block) => {
    if (block.type === 'text') return [block.text]
    if (block.type !== 'tool_use' || isWhole(block) || seen.has(block.start)) return []
    seen.add(block.start)
    return [block.raw]
  })
  return { shown, lost: seen.size > 0, calls: blocks.filter((block) => block.type === 'tool_use' && isWhole(block)).map((block) => [block.name, block.arguments]) }
}

/** Holds what a client read against the recording. */
function compare(recorded, family, { content, reasoning, calls, finish }) {
  const { shown, lost, calls: read } = expected(recorded, family)
  assert.deepEqual(calls, read, recorded.name)
  assert.equal(finish, calls.length > 0 ? 'tool_calls' : 'stop', recorded.name)
  assert.ok(isSaid(content, shown), `${recorded.name}: ${JSON.stringify(content)} is not ${JSON.stringify(shown)}`)
  const known = new Set(recorded.tools.map(({ function: { name } }) => name))
  const counted = recorded.expected_calls.length === 0 && recorded.declared ? calls.filter(([name]) => known.has(name)) : calls
  assert.deepEqual(counted, recorded.expected_calls.map(({ name, arguments: args }) => [name, args]), recorded.name)
  if (!lost) assert.ok([recorded.expected_text, ...(recorded.text_variants ?? [])].some((text) => isSaid(text, shown)), `${recorded.name}: ${JSON.stringify(content)}`)
  if (recorded.expected_reasoning !== undefined) assert.equal(reasoning.replaceAll(/\s+/g, ''), recorded.expected_reasoning.replaceAll(/\s+/g, ''), recorded.name)
}

const callsOf = (calls = []) => calls.map(({ function: { name, arguments: args } }) => [name, JSON.parse(args)])

describe('recorded texts', { skip: families.length === 0 && 'no recorded texts at ../shared or $SLUICE_SHARED' }, () => {
  let url
  let baseURL // of the model's server
  const handlers = new Map()
  const texts = new Map()

  before(async (t) => {
    const held = { after: (close) => process.once('beforeExit', close) }
    const model = await upstream(held, async ({ body }, response) => {
      const text = texts.get(body.model)
      if (!body.stream) return wholeOf(text)
      const bytes = Buffer.from(streamOf(text, { size: 9 }))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let at = 0, step = 1; at < bytes.length; at += step, step = (step * 31 + 7) % 401 + 1) {
        response.write(bytes.subarray(at, at + step))
        await new Promise(setImmediate)
      }
      response.end()
    })
    baseURL = model.baseURL
    // A handler for each way to write calls: the path's first part says which.
    const server = createServer(nodeListener((request) => {
      const way = decodeURIComponent(new URL(request.url).pathname.split('/')[1])
      if (!handlers.has(way)) handlers.set(way, openAIHandler({ baseURL: model.baseURL, ...JSON.parse(way) }))
      return handlers.get(way)(request)
    }))
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    server.unref()
    url = `http://127.0.0.1:${server.address().port}`
  })

  for (const family of families) {
    test(`${family} reaches the official client`, async () => {
      for (const recorded of textsOf(family)) {
        texts.set(recorded.name, recorded.input)
        const options = { protocol: family, startsInReasoning: recorded.starts_in_reasoning ?? false }
        const client = new OpenAI({ baseURL: `${url}/${encodeURIComponent(JSON.stringify(options))}/v1`, apiKey: 'key', maxRetries: 0 })
        const asked = { model: recorded.name, messages: [{ role: 'user', content: 'Hi' }], tools: recorded.tools }
        const stream = client.chat.completions.stream(asked)
        let reasoning = ''
        for await (const { choices: [choice] } of stream) reasoning += choice?.delta.reasoning_content ?? ''
        const { message, finish_reason } = (await stream.finalChatCompletion()).choices[0]
        compare(recorded, family, { content: message.content ?? '', reasoning, calls: callsOf(message.tool_calls), finish: finish_reason })
        const whole = (await client.chat.completions.create(asked)).choices[0]
        compare(recorded, family, { content: whole.message.content ?? '', reasoning: whole.message.reasoning_content ?? '', calls: callsOf(whole.message.tool_calls), finish: whole.finish_reason })
      }
    })
  }

  test('a model is known by its name: families reach the official client through `npx sluice serve --protocol auto`', async () => {
    const command = spawn(process.execPath, [join(root, 'js/dist/esm/cli/main.js'), 'serve', '--upstream', baseURL, '--protocol', 'auto', '--listen', '127.0.0.1:0'])
    try {
      const [line] = await once(command.stdout.setEncoding('utf8'), 'data')
      const client = new OpenAI({ baseURL: /http:\S+/.exec(line)[0], apiKey: 'key', maxRetries: 0 })
      const engine = new Engine({ mode: 'text', protocol: 'auto' })
      const { profiles } = engine.describe()
      const known = (model) => engine.describe({ request: { model, messages: [{ role: 'user', content: 'Hi' }] } }).protocols
      const tried = new Set()
      for (const { match, protocol: family, startsInReasoning } of profiles) {
        const recorded = families.includes(family) && !tried.has(family) && textsOf(family).find((one) => one.expected_calls.length > 0 && (one.starts_in_reasoning ?? false) === startsInReasoning)
        if (!recorded) continue
        tried.add(family)
        const name = match.replaceAll('*', '-').replace(/\.$/, '.1')
        assert.deepEqual(known(name), [family], name)
        texts.set(name, recorded.input)
        const { choices: [{ message, finish_reason }] } = await client.chat.completions.stream({ model: name, messages: [{ role: 'user', content: 'Hi' }], tools: recorded.tools }).finalChatCompletion()
        compare({ ...recorded, expected_reasoning: undefined }, family, { content: message.content ?? '', reasoning: '', calls: callsOf(message.tool_calls), finish: finish_reason })
      }
      engine.close()
      console.log(`${tried.size} families by the names of their models`)
      assert.ok(tried.size >= 30)
    } finally {
      command.kill('SIGINT')
    }
  })

  test('the same comes out where the stream is cut at every byte', async () => {
    let count = 0
    for (const family of families) {
      for (const recorded of textsOf(family)) {
        const bytes = Buffer.from(streamOf(recorded.input, { size: 40 }))
        const send = textToolCalls({ protocol: family, startsInReasoning: recorded.starts_in_reasoning ?? false, fetch: answering(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))) })
        const { content, reasoning, calls, finish } = readStream(await (await ask(send, { stream: true, tools: recorded.tools })).text())
        compare(recorded, family, { content, reasoning, calls: calls.map(({ name, arguments: args }) => [name, JSON.parse(args)]), finish: finish[0] })
        count++
      }
    }
    console.log(`${count} texts of ${families.length} families`)
  })
})
