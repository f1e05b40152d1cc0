// The servers of tests with odd schemas: who serves, by whose rules the request is written and checked.
import { checks } from './checks.mjs'

const chat = (dialect, name, server = { dialect }) => ({ wire: 'openai-chat', dialect, name, server })

/** By name: `wire`, `dialect` as the engine knows it, the model's `name`, and the `server` whose rules count. */
export const places = {
  OpenAI: chat('openai', 'gpt-5.1', {}),
  'nobody known': chat(undefined, 'm', {}),
  Azure: chat('azure', 'gpt-5.1'),
  Groq: chat('groq', 'llama-4'),
  xAI: chat('xai', 'grok-5'),
  DeepSeek: chat('deepseek', 'deepseek-v4'),
  Kimi: chat('kimi', 'kimi-k2.6'),
  Mistral: chat(undefined, 'mistral-large', { dialect: 'mistral', template: 'mistral' }),
  Gemma: chat(undefined, 'gemma-4', { dialect: 'vllm', template: 'gemma' }),
  'OpenRouter, Claude': chat('openrouter', 'anthropic/claude-4'),
  'OpenRouter, Gemini': chat('openrouter', 'google/gemini-3'),
  'LiteLLM, Claude': chat(undefined, 'claude-4', { dialect: 'litellm' }),
  Responses: { wire: 'openai-responses', dialect: 'openai', name: 'gpt-5.1', server: {} },
  'Responses of Azure': { wire: 'openai-responses', dialect: 'azure', name: 'gpt-5.1', server: { dialect: 'azure' } },
  Anthropic: { wire: 'anthropic', dialect: 'anthropic', name: 'claude-4', server: {} },
  'Anthropic, DeepSeek': { wire: 'anthropic', dialect: 'deepseek', name: 'deepseek-v4', server: {} },
  Gemini: { wire: 'gemini', dialect: 'gemini', name: 'gemini-3', server: {} },
  Interactions: { wire: 'gemini-interactions', dialect: 'gemini', name: 'gemini-3', server: {} },
  Ollama: { wire: 'ollama', dialect: 'ollama', name: 'qwen3:8b', server: {} },
}

/** Why the server of this place refuses a request, or null. */
export const refusalAt = ({ wire, name, server }, body) => checks[wire](body, [], { server }, name)

/** The settings of a turn at this place. */
export const settingsAt = ({ wire, dialect, name: model }) => ({
  wire,
  ...(dialect ? { dialect } : {}),
  mode: 'native',
  request: {
    model,
    ...(wire === 'anthropic' ? { max_tokens: 64 } : {}),
    messages: [{ role: 'user', content: 'Hi' }],
  },
})

/** The schema with which a request offers its first tool. */
export const sentSchema = ({ tools }) => {
  const [one] = tools
  const { parameters, parametersJsonSchema, input_schema } = one.function ?? one.functionDeclarations?.[0] ?? one
  return parameters ?? parametersJsonSchema ?? input_schema
}
