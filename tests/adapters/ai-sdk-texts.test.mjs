// Every recorded text of the model families (../shared/texts) as the answer of the AI SDK's own mock models: the SDK
// gets the calls, the text without markers and the reasoning, however the text is cut. Skipped where they are absent.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { built } from '../js/dist.mjs'
import { compare, families, skip as absent, textsOf } from './recorded-texts.mjs'
import { ask, majors, scripted } from './sdk-models.mjs'

const { toolCallMiddleware } = await built('sluice/ai-sdk')

const reasons = { 'tool-calls': 'tool_calls', error: 'stop' } // a broken call is no reason of OpenAI's

for (const [name, { sdk, skip }] of Object.entries(majors)) {
  const elsewhere = name === 'ai 6' && majors['ai 7'].sdk && 'version 6 is tried in Node 20'
  describe(name, { skip: absent || skip || elsewhere || false }, () => {
    const { wrapLanguageModel, tool, jsonSchema } = sdk ?? {}

    const size = name === 'ai 6' ? 5 : 1
    const read = async (recorded, family, stream) => {
      const tools = Object.fromEntries(
        recorded.tools.map(({ function: { name, description, parameters = { type: 'object' } } }) => [
          name,
          tool({ description, inputSchema: jsonSchema(parameters) }),
        ]),
      )
      const middleware = toolCallMiddleware({
        protocol: family,
        startsInReasoning: recorded.starts_in_reasoning ?? false,
      })
      const {
        text,
        reasoning = '',
        calls,
        finish,
      } = await ask(sdk, {
        model: wrapLanguageModel({ model: scripted(sdk, [recorded.input], { size }), middleware }),
        tools,
        stream,
        steps: 1,
      })
      compare(recorded, family, {
        content: text,
        reasoning,
        calls: calls.map(({ toolName, input }) => [toolName, input]),
        finish: reasons[finish] ?? finish,
      })
    }

    for (const [way, stream] of [
      [`in pieces of ${size}`, true],
      ['whole', false],
    ]) {
      test(`every text, ${way}`, async () => {
        let count = 0
        for (const family of families) {
          for (const recorded of textsOf(family)) {
            await read(recorded, family, stream)
            count++
          }
        }
        console.log(`${count} texts of ${families.length} families`)
        assert.ok(count > 400)
      })
    }
  })
}
