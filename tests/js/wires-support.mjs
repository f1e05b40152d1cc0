// A turn on any wire: tools, what each provider is asked beside, and a server that refuses what the provider would
// refuse.
import assert from 'node:assert/strict'
import { Engine, resultParts, tool } from 'sluice'
import { startScriptedServer } from 'sluice/testing'

/** What a host says beside the model: the members with which each provider thinks. */
export const wires = {
  'openai-chat': {},
  anthropic: { max_tokens: 8192, thinking: { type: 'enabled', budget_tokens: 2048 } },
  gemini: { generationConfig: { thinkingConfig: { includeThoughts: true } } },
  'gemini-interactions': { generation_config: { thinking_summaries: 'auto' } },
  'openai-responses': { store: false, include: ['reasoning.encrypted_content'] },
  ollama: { think: true },
}

export const names = { gemini: 'gemini-3-scripted', 'gemini-interactions': 'gemini-3-scripted' }
export const modelOf = (server, wire, name = names[wire] ?? `${wire}-scripted`) => ({
  wire,
  baseURL: server.baseURLs[wire],
  apiKey: 'secret-of-a-test',
  name,
})

export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
export const tools = (more = {}) => [
  tool({
    name: 'camera.look',
    description: 'Takes a picture.',
    agentCallable: true,
    permission: 'public',
    execute: () =>
      resultParts({ type: 'text', text: 'A red dot.' }, { type: 'image', mediaType: 'image/png', data: pixel }),
  }),
  tool({
    name: 'weather.now',
    description: 'The weather.',
    agentCallable: true,
    permission: 'public',
    parameters: city,
    execute: ({ city }) => (city === 'Atlantis' ? Promise.reject(new Error('no such city')) : { city, degrees: 21 }),
    ...more,
  }),
  tool({
    name: 'files.delete',
    description: 'Deletes a file.',
    agentCallable: true,
    permission: 'sensitive',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
    execute: () => assert.fail('it was refused'),
  }),
]

const refusing = { tools: tools(), approvals: { execution: () => 'deny' } }

export async function stage(t, options, engineOptions = refusing) {
  const server = await startScriptedServer(options)
  const engine = new Engine({ retries: 0, ...engineOptions })
  t.after(async () => {
    engine.close()
    await server.close()
  })
  return { server, engine }
}

/** The messages for the next request, as a store keeps them. */
export const kept = (messages, { history }) => JSON.parse(JSON.stringify([...messages, ...history]))
export const ask = (messages, content) => [...messages, { role: 'user', content }]

/** The result of a turn that nobody refused. */
export function ended(result, server, outcome = 'completed') {
  const errors = result.message.blocks.filter(({ type }) => type === 'error')
  assert.deepEqual(errors, [], `refused: ${server.requests.at(-1)?.text}`)
  assert.equal(result.outcome, outcome)
  return result
}

export const looking = [
  { name: 'camera_look', arguments: {}, id: 'call_look' },
  { name: 'files_delete', arguments: { path: 'a.txt' }, id: 'call_delete' },
]
