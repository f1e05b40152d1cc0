// Loaded before an example (`node --import`): its `ai` is that of $SLUICE_AI, and what it asks of the usual port the
// scripted server answers.
import { register } from 'node:module'

const { SLUICE_AI: ai, SLUICE_EXAMPLE_SERVER: server } = process.env
const names = {
  ai: ai && import.meta.resolve(ai),
  openai: import.meta.resolve('openai-6'),
  '@ai-sdk/openai-compatible': ai && import.meta.resolve(ai.replace('ai', 'compatible')),
}
register(
  `data:text/javascript,${encodeURIComponent(`const names = ${JSON.stringify(names)}
export const resolve = (name, context, next) => (names[name] ? { url: names[name], shortCircuit: true } : next(name, context))`)}`,
)
const real = globalThis.fetch
globalThis.fetch = (url, init) => {
  const { pathname, port } = new URL(url)
  return real(port === '11434' ? server + pathname : url, init)
}
