// `fromToolSet`: tools as both majors of the AI SDK make them, in a real turn of the engine.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { built } from '../js/dist.mjs'
import { z } from 'zod'
import { cards, collect, ofType, stage } from '../js/support.mjs'
import { majors } from './sdk-models.mjs'

const { fromToolSet } = await built('sluice/ai-sdk')

const calls = (args = { city: 'Rome' }, name = 'get_weather') => ({ calls: [{ id: 'call_a', name, arguments: args }] })

for (const [name, { sdk, skip }] of Object.entries(majors)) {
  describe(name, { skip: skip || false }, () => {
    const { tool, dynamicTool, jsonSchema } = sdk ?? {}
    const city = z.object({ city: z.string().default('Oslo').describe('Which one') })
    const weather = (more = {}) =>
      tool({ description: 'The weather.', inputSchema: city, execute: ({ city }) => `sunny in ${city}`, ...more })
    /** A turn in which the model calls the tool; `yes` answers its questions. */
    const turn = async (
      t,
      tools,
      {
        args,
        options = { permission: 'public' },
        run = {},
        yes = true,
        answers = [calls(args), { text: 'Done.' }],
      } = {},
    ) => {
      const { server, run: begin } = await stage(t, { answers, tools: fromToolSet(tools, options) })
      const started = begin(run)
      const events = await collect(started, (event) => {
        if (event.type === 'approval') yes ? started.approve(event) : started.deny(event)
      })
      const result = await started.done
      return {
        server,
        result,
        asked: ofType(events, 'approval').length,
        events,
        card: cards(result)[0],
        read: server.requests.at(-1).body.messages.at(-1).content,
      }
    }

    test('a schema of zod, or jsonSchema(): the model sees it, and the tool gets what it makes of the arguments', async (t) => {
      const { card, server, result } = await turn(t, { get_weather: weather() }, { args: {} })
      assert.deepEqual([card.status, card.output, result.text], ['success', 'sunny in Oslo', 'Done.'])
      const [{ function: shown }] = server.requests[0].body.tools
      assert.deepEqual(
        [shown.name, shown.description, shown.parameters.properties.city.description],
        ['get_weather', 'The weather.', 'Which one'],
      )
      const validate = (value) =>
        value.city === 'Rome'
          ? { success: true, value: { city: 'ROME' } }
          : { success: false, error: new Error('no such city') }
      const schema = jsonSchema(
        {
          $schema: 'http://json-schema.org/draft-07/schema#',
          type: 'object',
          properties: { city: { type: 'string' } },
        },
        { validate },
      )
      const by = await turn(t, { get_weather: weather({ inputSchema: schema }) })
      assert.equal(by.card.output, 'sunny in ROME')
      assert.equal(by.server.requests[0].body.tools[0].function.parameters.$schema, undefined)
      const wrong = await turn(t, { get_weather: weather({ inputSchema: schema }) }, { args: { city: 'Rom' } })
      assert.deepEqual(
        [wrong.card.status, wrong.read.includes('the arguments do not fit: no such city')],
        ['error', true],
      )
    })

    test("execute gets the call's id, messages and a signal that ends with the turn", async (t) => {
      let given
      const execute = (_, options) => {
        given = options
        return new Promise((_, reject) =>
          options.abortSignal.addEventListener('abort', () => reject(options.abortSignal.reason)),
        )
      }
      const controller = new AbortController()
      const cancel = setInterval(() => given && controller.abort(), 5)
      const options = { permission: 'public', messages: (context) => context.messages }
      const { result } = await turn(
        t,
        { get_weather: weather({ execute }) },
        { options, run: { id: 'run-1', context: { messages: ['m'] }, signal: controller.signal } },
      )
      clearInterval(cancel)
      assert.equal(result.outcome, 'cancelled')
      assert.deepEqual(
        [given.messages, given.abortSignal.aborted, given.toolCallId.startsWith('run-1')],
        [['m'], true, true],
      )
    })

    test('nothing runs unasked but what the app allows; needsApproval only makes it stricter', async (t) => {
      for (const [needsApproval, permission, questions] of [
        [undefined, undefined, 1],
        [false, undefined, 1],
        [undefined, 'public', 0],
        [true, 'public', 1],
        [() => false, 'public', 1],
        [true, () => 'moderate', 1],
      ]) {
        const { asked, card } = await turn(
          t,
          { get_weather: weather({ needsApproval }) },
          { options: permission ? { permission } : {} },
        )
        assert.deepEqual(
          [needsApproval, permission, asked, card.status],
          [needsApproval, permission, questions, 'success'],
        )
      }
      const { card } = await turn(t, { get_weather: weather({ needsApproval: true }) }, { yes: false })
      assert.equal(card.status, 'denied')
    })

    test('results that come one after another are progress, and the last one counts', async (t) => {
      const execute = async function* () {
        yield 'looking'
        yield { sky: 'grey' }
        yield { sky: 'blue' }
      }
      const { card, events } = await turn(t, { get_weather: weather({ execute }) })
      assert.equal(card.output, '{"sky":"blue"}')
      assert.deepEqual(
        ofType(events, 'progress')
          .map(({ text }) => text)
          .slice(0, 2),
        ['looking', '{"sky":"grey"}'],
      )
    })

    test('toModelOutput says what the model reads: text, JSON, parts with pictures, failures', async (t) => {
      const outputs = [
        [{ type: 'text', value: 'blue' }, 'success', 'blue'],
        [{ type: 'json', value: { sky: 1 } }, 'success', '{"sky":1}'],
        [{ type: 'error-text', value: 'no sky' }, 'error', 'no sky'],
        [
          {
            type: 'content',
            value: [
              { type: 'text', text: 'See: ' },
              { type: 'file-url', url: 'https://a.test/b' },
            ],
          },
          'success',
          'See: ',
        ],
      ]
      for (const [output, status, text] of outputs) {
        const { card, read } = await turn(t, { get_weather: weather({ toModelOutput: () => output }) })
        assert.equal(card.status, status)
        assert.ok(JSON.stringify(read).includes(JSON.stringify(text).slice(1, -1)), JSON.stringify(read))
      }
      const picture = [
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw==' } },
        { type: 'image-data', mediaType: 'image/png', data: 'iVBORw==' },
      ]
      const { card } = await turn(t, {
        get_weather: weather({ toModelOutput: () => ({ type: 'content', value: picture }) }),
      })
      assert.deepEqual(
        card.parts,
        [0, 1].map(() => ({ type: 'image', mediaType: 'image/png', data: 'iVBORw==' })),
      )
    })

    test('without execute somebody else brings the result; a tool of a provider is refused', async (t) => {
      const { server, run } = await stage(t, {
        answers: [calls(), { text: 'Done.' }],
        tools: fromToolSet({ get_weather: tool({ inputSchema: city }) }, { permission: 'public' }),
      })
      const started = run()
      for await (const event of started) if (event.type === 'execute') started.succeed(event.call, 'rainy')
      assert.equal(server.requests[1].body.messages.at(-1).content, 'rainy')
      assert.throws(
        () => fromToolSet({ search: { type: 'provider', id: 'openai.search', args: {} } }),
        /tools\.search: found a tool that its provider runs/,
      )
      assert.throws(() => fromToolSet({ a: null }), /tools\.a: found null, expected what tool/)
      assert.throws(() => fromToolSet([]), /tools: found an empty array/)
      assert.throws(
        () => fromToolSet({ get_weather: weather() }, { permission: 'all' }),
        /permission: found "all", expected public \| moderate \| sensitive/,
      )
      assert.throws(
        () => fromToolSet({ get_weather: weather() }, { permission: () => 'all' }),
        /permission of get_weather: found "all"/,
      )
      assert.throws(
        () => fromToolSet({ get_weather: weather({ inputSchema: jsonSchema(Promise.resolve({})) }) }),
        /a JSON Schema that comes later/,
      )
    })

    test('a tool of an unknown shape, and one without a schema', async (t) => {
      const { card } = await turn(
        t,
        {
          get_weather: dynamicTool({
            description: 'The weather.',
            inputSchema: jsonSchema({ type: 'object' }),
            execute: (input) => Object.keys(input),
          }),
        },
        { args: { any: 1 } },
      )
      assert.equal(card.output, '["any"]')
    })
  })
}
