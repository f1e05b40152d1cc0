// An app in a page, as people write it: `sluice` comes from the import map or a bundler.
import { backend, Engine, memoryRules, loadEngine, SluiceError, tool } from 'sluice'
import { memoryConversations as conversations } from 'sluice/conversations'

export async function app(baseURL, before) {
  const started = performance.now()
  let early
  try {
    new Engine()
  } catch (error) {
    early = SluiceError.is(error) ? [error.code, error.detail, error.hint] : String(error)
  }
  await loadEngine(before)
  const engine = new Engine({
    rules: memoryRules(),
    tools: [
      tool({
        name: 'sky.look',
        description: 'Looks.',
        parameters: { type: 'object', properties: { at: { type: 'string' } } },
        permission: 'moderate',
        agentCallable: true,
        execute: ({ at }) => `clear at ${at}`,
      }),
    ],
  })
  let first
  const run = engine.run({
    model: { baseURL, name: 'scripted' },
    messages: [{ role: 'user', content: 'How is the sky?' }],
  })
  for await (const event of run) {
    first ??= performance.now() - started
    if (event.type === 'approval') run.approve(event.call)
  }
  const { outcome, message, history } = await run.done
  const store = conversations()
  await store.save('one', {
    entries: [{ id: 'a', parent: null, at: 1, role: 'user', text: 'How is the sky?' }],
    head: 'a',
  })
  return {
    early,
    backend: backend(),
    first,
    outcome,
    results: history.filter(({ role }) => role === 'tool').length,
    text: message.blocks.map(({ text = '' }) => text).join(''),
    cards: message.blocks.filter(({ type }) => type === 'tool_use').map(({ name, status }) => `${name} ${status}`),
    kept: (await store.load('one')).title,
  }
}

/** The error of `loadEngine`, or what it gave. */
export const failure = async (options) => {
  try {
    return await loadEngine(options)
  } catch ({ code, detail, hint }) {
    return { code, detail, hint }
  }
}
