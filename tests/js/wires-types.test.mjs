// What the engine sends, as literals of TypeScript, compiled against the types of the official clients: members and their types, not order.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import ts from 'typescript'
import { root } from '../examples.mjs'
import { ask, ended, kept, looking, modelOf, stage, wires } from './wires-support.mjs'

/** The client's type of a request, and the body as that type has it where the client itself writes another one. */
const types = {
  'openai-chat': {
    type: 'ChatCompletionCreateParamsStreaming', from: 'openai/resources/chat/completions',
    // Members of other servers that speak this wire: thoughts, and the name beside a result.
    literal: ({ messages, ...body }) => ({ ...body, messages: messages.map(({ reasoning_content: _, name, ...message }) => ({ ...message, ...(name && message.role !== 'tool' ? { name } : {}) })) }),
  },
  anthropic: { type: 'MessageCreateParamsStreaming', from: '@anthropic-ai/sdk/resources/messages' },
  gemini: {
    // The client's enums are words in a body, and its unions take shorter forms than the wire.
    before: `type Plain<T> = unknown extends T ? T : T extends string ? \`\${T}\` : T extends (infer One)[] ? Plain<One>[] : T extends object ? { [Member in keyof T]: Plain<T[Member]> } : T
      type Config = Omit<GenerateContentConfig, 'tools' | 'systemInstruction'> & { tools?: Tool[]; systemInstruction?: Content }`,
    type: 'Plain<{ model: string; contents: Content[]; config: Config }>', names: 'Content, GenerateContentConfig, Tool', from: '@google/genai',
    literal: ({ contents, generationConfig, ...config }, model) => ({ model, contents, config: { ...config, ...generationConfig } }),
  },
  'openai-responses': { type: 'ResponseCreateParamsStreaming', from: 'openai/resources/responses/responses' },
  ollama: {
    type: 'ChatRequest & { stream: true }', names: 'ChatRequest', from: 'ollama',
    // The client's types are behind its server: ids of calls and their place.
    literal: ({ messages, ...body }) => ({ ...body, messages: messages.map(({ tool_call_id: _, tool_calls: calls, ...message }) => ({ ...message, ...(calls ? { tool_calls: calls.map(({ function: { name, arguments: given } }) => ({ function: { name, arguments: given } })) } : {}) })) }),
  },
}

const options = {
  module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, target: ts.ScriptTarget.ES2022, strict: true, noEmit: true, skipLibCheck: true,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'], types: ['node'],
}

/** What the compiler says about these values of a type. */
function compile(t, { before = '', type, names = type, from }, values) {
  const folder = mkdtempSync(join(root, 'build', 'types-')) // of the checkout, so that the clients are found
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'requests.mts')
  writeFileSync(file, [`import type { ${names} } from '${from}'`, before, ...values.map((value, index) => `export const request${index}: ${type} = ${JSON.stringify(value, null, 2)}`), ''].join('\n'))
  const program = ts.createProgram([file], options)
  return ts.getPreEmitDiagnostics(program).map(({ messageText, start, file: where }) => {
    const line = where && start !== undefined ? where.text.slice(0, start).split('\n').length : 0
    return `${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}\n${where?.text.split('\n').slice(Math.max(0, line - 4), line + 2).join('\n') ?? ''}`
  })
}

for (const [wire, request] of Object.entries(wires)) {
  test(`${wire}: what the engine sends is what the official client's types allow`, async (t) => {
    const { server, engine } = await stage(t, {
      answers: [
        { reasoning: 'I look.', text: 'Let me look. ', calls: looking },
        { parts: [{ reasoning: 'dark', redacted: true }, { provider: { name: 'code_execution', arguments: { code: '1' }, result: '1' } }, { text: 'A dot.' }] },
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
    assert.deepEqual(compile(t, types[wire], bodies), [])
    assert.notDeepEqual(compile(t, types[wire], [{ ...bodies[0], made_up: 1 }]), [], 'the types do refuse')
  })
}
