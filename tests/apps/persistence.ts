// A chat that survives restarts, also in the middle of a question.
import { readFile, writeFile } from 'node:fs/promises'
import type { ChatMessage, Engine, Model, Run } from 'sluice'

export async function openChat(path: string, engine: Engine, model: Model) {
  const kept: { messages: ChatMessage[]; state?: string | undefined } = JSON.parse(
    await readFile(path, 'utf8').catch(() => '{"messages":[]}'),
  )
  const keep = (change: Partial<typeof kept>) => writeFile(path, JSON.stringify(Object.assign(kept, change)))
  const hooks = { model, checkpoint: (state: string) => keep({ state }) }
  const follow = (run: Run) => {
    const ended = run.done.then(async ({ outcome, history }) => {
      if (outcome !== 'suspended') await keep({ messages: [...kept.messages, ...history], state: undefined })
    })
    return Object.assign(run, { ended })
  }
  return {
    messages: kept.messages,
    unfinished: kept.state === undefined ? null : follow(engine.resume(kept.state, hooks)),
    async say(content: string) {
      await keep({ messages: [...kept.messages, { role: 'user', content }] })
      return follow(engine.run({ ...hooks, messages: kept.messages }))
    },
  }
}
