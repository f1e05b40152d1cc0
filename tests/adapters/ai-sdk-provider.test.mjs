// `createSluice` behind `generateText` and `streamText` of both majors, in front of a real server: requests, answers,
// and whatever a server does wrong.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { built } from '../js/dist.mjs'
import { chunk, done, event, hermes, streamOf, upstream, wholeOf } from '../js/openai-support.mjs'
import { ask, majors } from './sdk-models.mjs'

const { createSluice } = await built('sluice/ai-sdk')

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const calling = `I look. ${hermes({ city: 'Köln ☔' })}\n${hermes({ city: 'Rome' })}`
const answered = 'It is sunny in both.'
const textFor = ({ messages }) => (messages.at(-1).content.includes('sunny in') ? answered : calling)
const answer = ({ body }) => (body.stream ? streamOf(textFor(body)) : wholeOf(textFor(body)))

for (const [name, { sdk, skip }] of Object.entries(majors)) {
  describe(name, { skip: skip || false }, () => {
    const { jsonSchema, tool, APICallError } = sdk ?? {}
    const weather = (cities = []) => ({
      get_weather: tool({
        description: 'The weather.',
        inputSchema: jsonSchema(schema),
        execute: ({ city }) => {
          cities.push(city)
          return `sunny in ${city}`
        },
      }),
    })
    const provided = async (t, answers, options = {}) => {
      const server = await upstream(t, answers)
      return { ...server, sluice: createSluice({ baseURL: server.baseURL, protocol: 'hermes', ...options }) }
    }

    for (const stream of [true, false]) {
      const way = stream ? 'streamed' : 'whole'

      test(`${way}: runs the calls, and reads the answer behind them`, async (t) => {
        const { sluice, requests } = await provided(t, answer, {
          apiKey: 'of-the-server',
          headers: { 'x-app': 'mine' },
        })
        const cities = []
        const { text, finish, steps } = await ask(sdk, {
          model: sluice('qwen3:8b'),
          tools: weather(cities),
          stream,
          temperature: 0.5,
          maxOutputTokens: 99,
          headers: { 'x-call': 'one' },
          providerOptions: { sluice: { top_k: 3, n: 4 } },
        })
        assert.deepEqual(
          [text, finish, cities, steps[0].finishReason],
          [answered, 'stop', ['Köln ☔', 'Rome'], 'tool-calls'],
        )
        const { usage: used } = steps[0]
        assert.deepEqual([used.inputTokens, used.outputTokens, used.totalTokens], [5, 7, 12])
        const [{ body, headers, path }, { body: second }] = requests
        assert.deepEqual(
          { ...body, messages: undefined },
          {
            model: 'qwen3:8b',
            temperature: 0.5,
            max_tokens: 99,
            top_k: 3,
            stream,
            ...(stream ? { stream_options: { include_usage: true } } : {}),
            messages: undefined,
          },
        )
        assert.deepEqual(
          [path, headers.authorization, headers['x-app'], headers['x-call']],
          ['/v1/chat/completions', 'Bearer of-the-server', 'mine', 'one'],
        )
        assert.deepEqual(
          second.messages.map(({ role }) => role),
          ['system', 'user', 'assistant', 'user'],
        )
      })

      test(`${way}: without tools too, reasoning is reasoning`, async (t) => {
        const said = '<think>Hm.</think>Yes. <tool_call> is a tag.'
        const { sluice, requests } = await provided(t, () => (stream ? streamOf(said, { size: 1 }) : wholeOf(said)))
        const { text, reasoning } = await ask(sdk, { model: sluice('m'), stream })
        assert.deepEqual([text, reasoning], ['Yes. <tool_call> is a tag.', 'Hm.'])
        assert.deepEqual(requests[0].body, {
          model: 'm',
          messages: [{ role: 'user', content: 'Weather?' }],
          stream,
          ...(stream ? { stream_options: { include_usage: true } } : {}),
        })
      })

      test(`${way}: calls that the server reads itself run too, with ids of their own`, async (t) => {
        const native = [
          { index: 0, id: 'call_0', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
        ]
        const said = stream
          ? chunk({ content: 'Well. ', tool_calls: native }) + chunk({}, 'tool_calls') + done
          : JSON.stringify({
              choices: [{ index: 0, message: { content: 'Well. ', tool_calls: native }, finish_reason: 'tool_calls' }],
            })
        const { sluice } = await provided(t, () => said)
        const cities = []
        const { steps } = await ask(sdk, { model: sluice('m'), tools: weather(cities), stream, steps: 2 })
        const ids = steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolCallId }) => toolCallId))
        assert.deepEqual(
          [cities, new Set(ids).size, ids.includes('call_0'), steps[0].text],
          [['Oslo', 'Oslo'], 2, false, 'Well. '],
        )
      })

      test(`${way}: a call that was cut never runs`, async (t) => {
        const broken = 'Well <tool_call>\n{"name": "get_weather", "arguments": {"city": "Ro'
        const given = () => (stream ? streamOf(broken, { finish: 'length' }) : wholeOf(broken, 'length'))
        const cities = []
        const { sluice } = await provided(t, given)
        const { text, finish, metadata } = await ask(sdk, { model: sluice('m'), tools: weather(cities), stream })
        assert.deepEqual([text, finish, metadata.sluice.broken[0].reason], [broken, 'length', 'unterminated_block'])
        const reporting = await provided(
          t,
          (request) =>
            request.body.messages.length > 2
              ? answer({ body: { ...request.body, messages: [{ content: 'sunny in' }] } })
              : given(),
          { malformed: 'report' },
        )
        assert.equal((await ask(sdk, { model: reporting.sluice('m'), tools: weather(cities), stream })).text, answered)
        assert.deepEqual(cities, [])
      })

      test(`${way}: a server that is busy is asked again, and one that refuses says why, without the key`, async (t) => {
        let tries = 0
        const busy = await provided(t, (request, response) => {
          if (tries++ === 0)
            return void response
              .writeHead(429, { 'content-type': 'application/json', 'retry-after-ms': '10' })
              .end('{"error":{"message":"slow down"}}')
          response.setHeader('content-encoding', 'gzip')
          return gzipSync(answer(request))
        })
        assert.equal(
          (await ask(sdk, { model: busy.sluice('m'), tools: weather(), stream, maxRetries: 1 })).text,
          answered,
        )
        const apiKey = 'sk-secret-0123456789'
        const { sluice, requests } = await provided(
          t,
          (_, response) =>
            void response
              .writeHead(401, { 'content-type': 'application/json' })
              .end(JSON.stringify({ error: { message: `no such key ${apiKey}` } })),
          { apiKey },
        )
        await assert.rejects(ask(sdk, { model: sluice('m'), stream, maxRetries: 2 }), (error) => {
          assert.ok(APICallError.isInstance(error))
          assert.match(
            error.message,
            /^http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions: HTTP 401: no such key \[secret\]$/,
          )
          assert.deepEqual(
            [error.statusCode, error.isRetryable, error.code, JSON.stringify(error).includes(apiKey)],
            [401, false, 'http', false],
          )
          return true
        })
        assert.equal(requests.length, 1)
      })

      test(`${way}: what goes wrong within an answer is told, and nothing runs`, async (t) => {
        const whole = stream ? streamOf(calling) : wholeOf(calling)
        const broken = {
          'broke off': stream
            ? [
                /broke off/,
                (_, response) => {
                  response
                    .writeHead(200, { 'content-type': 'text/event-stream' })
                    .end(whole.slice(0, whole.indexOf('"finish_reason":"stop"') - 200))
                },
              ]
            : [
                /is not a chat completion|broke|cannot be read|no JSON/,
                () => '{"choices": [{"message": {"content": "I lo',
              ],
          'connection breaks': [
            /connection to the model's server broke/,
            (_, response) => {
              response.writeHead(200, { 'content-length': '9999999' })
              response.write(whole.slice(0, 100), () => response.destroy())
            },
          ],
          'an error in it': [
            /out of memory/,
            () => (stream ? event({ error: { message: 'out of memory' } }) : '{"error":{"message":"out of memory"}}'),
          ],
          'a page': [/not a chat completion/, () => '<html><title>Login</title></html>'],
          nothing: [/broke off|nothing/, () => ''],
        }
        for (const [what, [words, answers]] of Object.entries(broken)) {
          const cities = []
          const { sluice } = await provided(t, answers)
          await assert.rejects(ask(sdk, { model: sluice('m'), tools: weather(cities), stream }), words, what)
          assert.deepEqual(cities, [], what)
        }
      })

      test(`${way}: silence has an end`, async (t) => {
        const { sluice } = await provided(
          t,
          (_, response) =>
            void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk({ content: 'I' })),
          { idleTimeoutMs: 50 },
        )
        await assert.rejects(ask(sdk, { model: sluice('m'), stream }), /sent nothing for 50 ms/)
        const late = await provided(t, () => new Promise(() => {}), { firstByteTimeoutMs: 50 })
        await assert.rejects(
          ask(sdk, { model: late.sluice('m'), stream }),
          (error) =>
            APICallError.isInstance(error) && error.isRetryable && /sent nothing for 50 ms/.test(error.message),
        )
      })

      test(`${way}: an abort ends the request`, async (t) => {
        let gone
        const left = new Promise((resolve) => (gone = resolve))
        const { sluice } = await provided(t, (_, response) => {
          response.on('close', gone)
          response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk({ content: 'I' }))
        })
        const controller = new AbortController()
        setTimeout(() => controller.abort(), 50)
        const model = sluice('m')
        const params = {
          prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
          abortSignal: controller.signal,
        }
        await assert.rejects(
          async () => {
            if (!stream) return await model.doGenerate(params)
            for await (const _ of (await model.doStream(params)).stream);
          },
          { name: 'AbortError' },
        )
        await left
      })
    }

    test('a server that does not know the count of tokens is asked again without', async (t) => {
      const { sluice, requests } = await provided(t, ({ body }, response) => {
        if (body.stream_options)
          return void response
            .writeHead(400, { 'content-type': 'application/json' })
            .end('{"error":{"message":"unknown field: stream_options"}}')
        return streamOf(answered)
      })
      assert.equal((await ask(sdk, { model: sluice('m'), stream: true })).text, answered)
      assert.deepEqual(
        requests.map(({ body }) => 'stream_options' in body),
        [true, false],
      )
    })

    test('a server that keeps the connection behind its end is not waited for', async (t) => {
      const { sluice } = await provided(
        t,
        (_, response) =>
          void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(streamOf(answered)),
      )
      assert.equal((await ask(sdk, { model: sluice('m'), stream: true })).text, answered)
    })

    test('pictures, sound, papers and text go along; another file is refused', async (t) => {
      const { sluice, requests } = await provided(t, () => streamOf(answered))
      const png = new Uint8Array([137, 80, 78, 71])
      const file = (mediaType, data = png, more = {}) => ({ type: 'file', mediaType, data, ...more })
      const bytes = (text) => new TextEncoder().encode(text)
      const content = [
        { type: 'text', text: 'Look' },
        file('image/png'),
        file('audio/wav', bytes('RIFF')),
        file('application/pdf', bytes('%PDF-1'), { filename: 'a.pdf' }),
        file('text/plain', bytes('Grüße')),
      ]
      await ask(sdk, { model: sluice('m'), prompt: undefined, messages: [{ role: 'user', content }], stream: true })
      assert.deepEqual(requests[0].body.messages[0].content, [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } },
        { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0x' } },
        { type: 'text', text: 'Grüße' },
      ])
      await assert.rejects(
        ask(sdk, {
          model: sluice('m'),
          prompt: undefined,
          messages: [{ role: 'user', content: [file('application/zip', bytes('PK'))] }],
          stream: true,
        }),
        /found a file of type "application\/zip"/,
      )
    })

    test('settings that have no effect are told, JSON is asked for by its schema', async (t) => {
      const { sluice, requests } = await provided(t, ({ body }) =>
        body.stream ? streamOf('{"a":1}') : wholeOf('{"a":1}'),
      )
      const { warnings } = await ask(sdk, {
        model: sluice('m'),
        topK: 5,
        topP: 0.9,
        seed: 1,
        stopSequences: ['x'],
        presencePenalty: 0.1,
        frequencyPenalty: 0.2,
        stream: false,
      })
      assert.deepEqual(
        warnings.map(({ feature }) => feature),
        ['topK'],
      )
      const { messages: _, ...sent } = requests[0].body
      assert.deepEqual(sent, {
        top_p: 0.9,
        seed: 1,
        stop: ['x'],
        presence_penalty: 0.1,
        frequency_penalty: 0.2,
        model: 'm',
        stream: false,
      })
      const output = sdk.Output.object({
        schema: jsonSchema({ type: 'object', properties: { a: { type: 'number' } } }),
      })
      await ask(sdk, { model: sluice('m'), output, stream: false })
      assert.equal(requests[1].body.response_format.type, 'json_schema')
      assert.deepEqual(requests[1].body.response_format.json_schema.schema.properties, { a: { type: 'number' } })
    })

    test('the SDK knows it as a provider', async (t) => {
      const { sluice } = await provided(t, () => wholeOf(answered))
      const registry = sdk.createProviderRegistry({ sluice })
      assert.equal((await ask(sdk, { model: registry.languageModel('sluice:qwen3:8b'), stream: false })).text, answered)
      assert.equal(sluice.languageModel('m').provider, 'sluice')
      assert.throws(() => sluice.embeddingModel('m'), /expected a language model/)
      assert.throws(() => sluice(''), /modelId/)
      assert.throws(() => createSluice({}), /baseURL: found undefined, expected an http or https URL/)
      assert.throws(() => createSluice({ baseURL: 'x', apikey: 1 }), /apikey: unknown member/)
    })

    test("a fetch of one's own does the requests; redirects to elsewhere are not followed by ours", async (t) => {
      const other = await upstream(t, answer)
      const { sluice, baseURL } = await provided(
        t,
        (_, response) => void response.writeHead(307, { location: `${other.baseURL}/chat/completions` }).end(),
        { apiKey: 'of-the-server' },
      )
      await assert.rejects(ask(sdk, { model: sluice('m'), stream: true }), /redirects/)
      assert.equal(other.requests.length, 0)
      const asked = []
      const own = createSluice({
        baseURL,
        protocol: 'hermes',
        fetch: async (url, init) => {
          asked.push([url, init.method])
          return new Response(streamOf(answered) + done)
        },
      })
      assert.equal((await ask(sdk, { model: own('m'), stream: true })).text, answered)
      assert.deepEqual(asked, [[`${baseURL}/chat/completions`, 'POST']])
    })
  })
}
