// Conversations that change their provider at every turn, in orders that a seed draws: with calls, pictures, thoughts
// and a call that is refused. Every server refuses what the real one would, and takes every request.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Engine } from 'sluice'
import { startScriptedServer } from 'sluice/testing'
import { dice } from './dice.mjs'
import { ask, ended, kept, pixel, tools, wires } from './wires-support.mjs'

/** Who serves the turns. `server`: as which one the scripted server refuses. */
const places = {
  DeepSeek: { wire: 'openai-chat', provider: 'deepseek', name: 'deepseek-v4', server: { dialect: 'deepseek' } },
  Kimi: { wire: 'openai-chat', provider: 'kimi', name: 'kimi-k2.6', server: { dialect: 'kimi' } },
  Mistral: { wire: 'openai-chat', name: 'mistral-large', server: { dialect: 'mistral', template: 'mistral' } },
  OpenRouter: {
    wire: 'openai-chat',
    provider: 'openrouter',
    name: 'anthropic/claude-sonnet-4.6',
    server: { dialect: 'openrouter' },
    thoughts: 'reasoning_details',
  },
  LiteLLM: { wire: 'openai-chat', name: 'claude-4', server: { dialect: 'litellm' }, thoughts: 'thinking_blocks' },
  'OpenAI chat': { wire: 'openai-chat', provider: 'openai', name: 'gpt-5.1' },
  'OpenAI Responses': { wire: 'openai-responses', provider: 'openai', name: 'gpt-5.1' },
  Claude: { wire: 'anthropic', provider: 'anthropic', name: 'claude-4' },
  'DeepSeek, as Claude': { wire: 'anthropic', provider: 'deepseek', name: 'deepseek-v4', signed: false },
  Gemini: { wire: 'gemini', provider: 'gemini', name: 'gemini-3-pro' },
  'Gemini Interactions': { wire: 'gemini-interactions', provider: 'gemini', name: 'gemini-3-pro' },
  Ollama: { wire: 'ollama', provider: 'ollama', name: 'qwen3:8b' },
}

const calls = [
  { name: 'camera_look', arguments: {} },
  { name: 'weather_now', arguments: { city: 'Paris' } },
  { name: 'weather_now', arguments: { city: 'Atlantis' } },
  { name: 'files_delete', arguments: { path: 'a.txt' } },
]
const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } }

/** What the model says in the turn: thoughts, text, up to three calls in up to two rounds, and at last a text. */
function script(next, { wire, signed = true }, turn) {
  let number = 0
  // Servers that number their calls from 0 give one id twice: `wires-history.test.mjs`. Gemini sends some calls without.
  const id = () => (wire === 'gemini' && next(2) > 0 ? {} : { id: `t${turn}_${++number}` })
  const rounds = Array.from({ length: next(3) }, () => ({
    ...(next(4) > 0 ? { reasoning: next(5) > 0 ? 'Hm, let me see.' : '' } : {}),
    ...(next(2) > 0 ? { text: 'One moment. ' } : {}),
    calls: Array.from({ length: 1 + next(3) }, () => ({ ...calls[next(calls.length)], ...id() })),
  }))
  const last = { ...(next(3) > 0 ? { reasoning: 'Now I know.' } : {}), text: `So it is, ${turn}.` }
  return [...rounds, last].map((answer) => ({ ...answer, signed }))
}

/** Ten turns, no two in a row by the same provider. */
async function wander(t, seed) {
  const next = dice(seed)
  const refusals = []
  const transport = async ({ url, ...request }, signal) => {
    const response = await fetch(url, { ...request, signal })
    if (response.status >= 400) refusals.push(await response.clone().text())
    return response
  }
  const engine = new Engine({ transport, retries: 0, tools: tools(), approvals: { execution: () => 'deny' } })
  t.after(() => engine.close())
  let answers = []
  const servers = {}
  for (const [place, { server = {}, thoughts }] of Object.entries(places)) {
    servers[place] = await startScriptedServer({
      answers: () => answers.shift(),
      server,
      ...(thoughts ? { thoughts } : {}),
    })
    t.after(servers[place].close)
  }
  const names = Object.keys(places)
  const way = []
  let messages = [{ role: 'system', content: 'Be brief.' }]
  for (let turn = 0; turn < 10; turn++) {
    const others = names.filter((name) => name !== way.at(-1))
    const place = others[next(others.length)]
    way.push(place)
    const { wire, provider, name } = places[place]
    const server = servers[place]
    const question = `Question ${turn} of ${seed}?`
    messages = ask(messages, next(3) > 0 ? question : [{ type: 'text', text: question }, picture])
    answers = script(next, places[place], turn)
    const result = await engine.run({
      model: { wire, ...(provider ? { provider } : {}), baseURL: server.baseURLs[wire], apiKey: 'k', name },
      messages,
      request: wires[wire],
    }).done
    const where = `seed ${seed}: ${way.join(', ')}`
    assert.deepEqual(refusals, [], where)
    assert.ok(ended(result, server).text.endsWith(`So it is, ${turn}.`), where)
    assert.deepEqual(answers, [], where)
    messages = kept(messages, result)
  }
}

const [from, count] = (process.env['SLUICE_RANDOM_SEED'] ?? '1,24').split(',').map(Number)
for (let seed = from; seed < from + (count ?? 1); seed++)
  test(`ten turns by twelve providers, each request is taken: seed ${seed}`, (t) => wander(t, seed))
