// Every recorded text of the model families (../shared/texts) through the proxy to the official client: the calls
// arrive as `tool_calls`, the text without markers, however the bytes are cut, streamed and whole. Skipped where they
// are absent.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { built, builtFile } from '../js/dist.mjs'
import OpenAI from 'openai-6'
import { answering, ask, readStream, streamOf, upstream, wholeOf } from '../js/openai-support.mjs'
import { pythonWith } from './clients.mjs'
import { callsOf, compare, families, skip, textsOf } from './recorded-texts.mjs'

const { Engine } = await built('sluice')
const { openAIHandler, textToolCalls } = await built('sluice/openai')
const { nodeListener } = await built('sluice/web')

/** Calls `act` with each, `most` at a time. */
async function inTurns(all, most, act) {
  const left = [...all]
  await Promise.all(
    Array.from({ length: most }, async () => {
      while (left.length > 0) await act(left.shift())
    }),
  )
}

describe('recorded texts', { skip }, () => {
  let url
  let baseURL // of the model's server
  const handlers = new Map()
  const texts = new Map()

  const closers = []
  after(() => {
    for (const close of closers) close()
  })

  before(async () => {
    const model = await upstream({ after: (close) => closers.push(close) }, async ({ body }, response) => {
      const text = texts.get(body.model)
      if (!body.stream) return wholeOf(text)
      const bytes = Buffer.from(streamOf(text, { size: 9 }))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let at = 0, step = 1; at < bytes.length; at += step, step = ((step * 31 + 7) % 401) + 1) {
        response.write(bytes.subarray(at, at + step))
        await new Promise(setImmediate)
      }
      response.end()
    })
    baseURL = model.baseURL
    // A handler for each way to write calls: the path's first part says which.
    const server = createServer(
      nodeListener((request) => {
        const way = decodeURIComponent(new URL(request.url).pathname.split('/')[1])
        if (!handlers.has(way)) handlers.set(way, openAIHandler({ baseURL: model.baseURL, ...JSON.parse(way) }))
        return handlers.get(way)(request)
      }),
    )
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    closers.push(() => {
      server.close()
      server.closeAllConnections()
    })
    url = `http://127.0.0.1:${server.address().port}`
  })

  for (const family of families) {
    test(`${family} reaches the official client`, async () => {
      for (const recorded of textsOf(family)) {
        texts.set(recorded.name, recorded.input)
        const options = { protocol: family, startsInReasoning: recorded.starts_in_reasoning ?? false }
        const client = new OpenAI({
          baseURL: `${url}/${encodeURIComponent(JSON.stringify(options))}/v1`,
          apiKey: 'key',
          maxRetries: 0,
        })
        const asked = { model: recorded.name, messages: [{ role: 'user', content: 'Hi' }], tools: recorded.tools }
        const stream = client.chat.completions.stream(asked)
        let reasoning = ''
        for await (const {
          choices: [choice],
        } of stream)
          reasoning += choice?.delta.reasoning_content ?? ''
        const { message, finish_reason } = (await stream.finalChatCompletion()).choices[0]
        compare(recorded, family, {
          content: message.content ?? '',
          reasoning,
          calls: callsOf(message.tool_calls),
          finish: finish_reason,
        })
        const whole = (await client.chat.completions.create(asked)).choices[0]
        compare(recorded, family, {
          content: whole.message.content ?? '',
          reasoning: whole.message.reasoning_content ?? '',
          calls: callsOf(whole.message.tool_calls),
          finish: whole.finish_reason,
        })
      }
    })
  }

  /** `npx sluice serve`, while `use` runs with its address. */
  async function serving(protocol, use) {
    const command = spawn(
      process.execPath,
      [builtFile('main'), 'serve', '--upstream', baseURL, '--protocol', protocol, '--listen', '127.0.0.1:0'],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    )
    try {
      const [line] = await once(command.stdout.setEncoding('utf8'), 'data')
      return await use(/http:\S+/.exec(line)[0])
    } finally {
      command.kill('SIGINT')
    }
  }

  /** The first text of a family that has calls, under a model's name; its clients are told to ask for it. */
  function noted(family, name, startsInReasoning = false) {
    const all = [...textsOf(family), ...textsOf(family, true)].filter(
      (one) => (one.starts_in_reasoning ?? false) === startsInReasoning,
    )
    const recorded = all.find((one) => one.expected_calls.length > 0) ?? all[0]
    if (recorded) texts.set(name, recorded.input)
    return recorded && { family, name, recorded: { ...recorded, expected_reasoning: undefined } }
  }

  /** The server is not told that the prompt opened the reasoning: it is text then, and the calls are the same. */
  const untold = ({ recorded, ...asked }) => ({
    ...asked,
    recorded: { ...recorded, starts_in_reasoning: false, excepted: true },
  })

  const ways = {
    'the official client': async (baseURL, asked) => {
      const client = new OpenAI({ baseURL, apiKey: 'key', maxRetries: 0 })
      const answers = []
      for (const { name, recorded } of asked) {
        const {
          choices: [{ message, finish_reason }],
        } = await client.chat.completions
          .stream({ model: name, messages: [{ role: 'user', content: 'Hi' }], tools: recorded.tools })
          .finalChatCompletion()
        answers.push({ content: message.content ?? '', calls: callsOf(message.tool_calls), finish: finish_reason })
      }
      return answers
    },
    'the official client of Python': async (baseURL, asked) => {
      const script = spawn(pythonWith(), [fileURLToPath(new URL('texts.py', import.meta.url)), baseURL], {
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      script.stdin.end(JSON.stringify(asked.map(({ name, recorded }) => ({ model: name, tools: recorded.tools }))))
      let out = ''
      for await (const piece of script.stdout.setEncoding('utf8')) out += piece
      return JSON.parse(out).map(({ content, calls, finish }) => ({
        content,
        calls: calls.map(([name, args]) => [name, JSON.parse(args)]),
        finish,
      }))
    },
  }
  const skips = {
    'the official client of Python': !pythonWith() && 'pip cannot install the openai client of Python here',
  }

  for (const [way, read] of Object.entries(ways)) {
    const held = async (baseURL, asked) => {
      const answers = await read(baseURL, asked)
      assert.equal(answers.length, asked.length)
      for (const [at, { recorded, family }] of asked.entries())
        compare(recorded, family, { reasoning: '', ...answers[at] })
    }

    test(`every family reaches ${way} through \`npx sluice serve\`, by its model's name or by --protocol`, {
      skip: skips[way] || false,
    }, async () => {
      const engine = new Engine({ mode: 'text', protocol: 'auto' })
      const { profiles } = engine.describe()
      const known = (model) =>
        engine.describe({ request: { model, messages: [{ role: 'user', content: 'Hi' }] } }).protocols
      const byName = new Map()
      for (const { match, protocol: family, startsInReasoning } of profiles) {
        if (!families.includes(family) || byName.has(family)) continue
        const name = match.replaceAll('*', '-').replace(/\.$/, '.1')
        assert.deepEqual(known(name), [family], name)
        const asked = noted(family, name, startsInReasoning)
        if (asked?.recorded.expected_calls.length > 0) byName.set(family, asked)
      }
      engine.close()
      assert.ok(byName.size >= 30, `${byName.size} by their models' names`)
      await serving('auto', (baseURL) => held(baseURL, [...byName.values()]))
      const others = families.filter((family) => !byName.has(family))
      await inTurns(others, 3, (family) =>
        serving(family, (baseURL) =>
          held(baseURL, [noted(family, `of ${family}`) ?? untold(noted(family, `of ${family}`, true))]),
        ),
      )
      console.log(`${byName.size} families by the names of their models, ${others.length} by --protocol`)
    })
  }

  test('the same comes out where the stream is cut at every byte', async () => {
    let count = 0
    for (const family of families) {
      for (const recorded of textsOf(family)) {
        const bytes = Buffer.from(streamOf(recorded.input, { size: 40 }))
        const send = textToolCalls({
          protocol: family,
          startsInReasoning: recorded.starts_in_reasoning ?? false,
          fetch: answering(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))),
        })
        const { content, reasoning, calls, finish } = readStream(
          await (await ask(send, { stream: true, tools: recorded.tools })).text(),
        )
        compare(recorded, family, {
          content,
          reasoning,
          calls: calls.map(({ name, arguments: args }) => [name, JSON.parse(args)]),
          finish: finish[0],
        })
        count++
      }
    }
    console.log(`${count} texts of ${families.length} families`)
  })
})
