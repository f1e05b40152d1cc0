// What the engine sends, as literals of TypeScript, compiled against the types of the official clients: members and
// their types, not order.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../examples.mjs'
import { ask, ended, kept, looking, modelOf, stage, wires } from './wires-support.mjs'

/** The client's type of a request, and the body as that type has it where the client itself writes another one. */
const types = {
  'openai-chat': {
    type: 'ChatCompletionCreateParamsStreaming',
    from: 'openai/resources/chat/completions',
    // Members of other servers that speak this wire: thoughts, and the name beside a result.
    literal: ({ messages, ...body }) => ({
      ...body,
      messages: messages.map(({ reasoning_content: _, name, ...message }) => ({
        ...message,
        ...(name && message.role !== 'tool' ? { name } : {}),
      })),
    }),
  },
  anthropic: { type: 'MessageCreateParamsStreaming', from: '@anthropic-ai/sdk/resources/messages' },
  gemini: {
    // The client's enums are words in a body, and its unions take shorter forms than the wire.
    before: `type Plain<T> = unknown extends T ? T : T extends string ? \`\${T}\` : T extends (infer One)[] ? Plain<One>[] : T extends object ? { [Member in keyof T]: Plain<T[Member]> } : T
      type Config = Omit<GenerateContentConfig, 'tools' | 'systemInstruction'> & { tools?: Tool[]; systemInstruction?: Content }`,
    type: 'Plain<{ model: string; contents: Content[]; config: Config }>',
    names: 'Content, GenerateContentConfig, Tool',
    from: '@google/genai',
    literal: ({ contents, generationConfig, ...config }, model) => ({
      model,
      contents,
      config: { ...config, ...generationConfig },
    }),
  },
  'gemini-interactions': {
    // A signature stands in steps of calls, though the client's type of them has none.
    before: 'type Request = Interactions.CreateModelInteractionParamsStreaming',
    type: 'Request',
    names: 'Interactions',
    from: '@google/genai',
    literal: ({ input, ...body }) => ({
      ...body,
      input: input.map(({ signature, ...step }) =>
        step.type === 'function_call' || signature === undefined ? step : { ...step, signature },
      ),
    }),
  },
  'openai-responses': { type: 'ResponseCreateParamsStreaming', from: 'openai/resources/responses/responses' },
  ollama: {
    type: 'ChatRequest & { stream: true }',
    names: 'ChatRequest',
    from: 'ollama',
    // The client's types are behind its server: ids of calls and their place.
    literal: ({ messages, ...body }) => ({
      ...body,
      messages: messages.map(({ tool_call_id: _, tool_calls: calls, ...message }) => ({
        ...message,
        ...(calls
          ? {
              tool_calls: calls.map(({ function: { name, arguments: given } }) => ({
                function: { name, arguments: given },
              })),
            }
          : {}),
      })),
    }),
  },
}

const options = {
  module: 'NodeNext',
  target: 'ES2022',
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
}

/** What the compiler says about the values of a type in each of these files. */
function compile(t, { before = '', type, names = type, from }, files) {
  const folder = mkdtempSync(join(root, 'build', 'types-')) // of the checkout, so that the clients are found
  t.after(() => rmSync(folder, { recursive: true }))
  for (const [name, values] of Object.entries(files)) {
    const constants = values.map(
      (value, index) => `export const request${index}: ${type} = ${JSON.stringify(value, null, 2)}`,
    )
    writeFileSync(
      join(folder, `${name}.mts`),
      [`import type { ${names} } from '${from}'`, before, ...constants, ''].join('\n'),
    )
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.mts'] }))
  const { stdout, stderr, error } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript7/bin/tsc'), '-p', folder, '--pretty', 'false'],
    { encoding: 'utf8' },
  )
  if (error || stderr) throw error ?? new Error(stderr)
  return (name) => stdout.split(/^(?=\S)/m).filter((said) => !/\.mts\(/.test(said) || said.includes(`${name}.mts(`))
}

for (const [wire, request] of Object.entries(wires)) {
  test(`${wire}: what the engine sends is what the official client's types allow`, async (t) => {
    const { server, engine } = await stage(t, {
      answers: [
        { reasoning: 'I look.', text: 'Let me look. ', calls: looking },
        {
          parts: [
            { reasoning: 'dark', redacted: true },
            { provider: { name: 'code_execution', arguments: { code: '1' }, result: '1' } },
            { text: 'A dot.' },
          ],
        },
        { text: 'Any time.' },
      ],
    })
    const model = modelOf(server, wire)
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }
    const messages = ask([{ role: 'system', content: 'Be brief.' }], [{ type: 'text', text: 'What is this?' }, image])
    const result = ended(await engine.run({ model, messages, request }).done, server)
    ended(await engine.run({ model, messages: ask(kept(messages, result), 'Thanks!'), request }).done, server)
    const { literal = (body) => body } = types[wire]
    const bodies = server.requests.map(({ body }) => literal(body, model.name))
    assert.equal(bodies.length, 3)
    const faults = compile(t, types[wire], { requests: bodies, wrong: [{ ...bodies[0], made_up: 1 }] })
    assert.deepEqual(faults('requests'), [])
    assert.match(faults('wrong').join(), /made_up/, 'the types do refuse')
  })
}
