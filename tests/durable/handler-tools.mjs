// The tools of the handlers' tests, as every process has them: what they do stands in the journal.
import { appendFileSync, existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { built } from '../js/dist.mjs'

const { tool } = await built('sluice')

export const leaseMs = 1500

export function handlerTools(journal) {
  const shared = {
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    agentCallable: true,
    permission: 'public',
    identity: '1',
  }
  const run =
    (name) =>
    ({ text }, { key }) => {
      appendFileSync(journal, `${name} ${key}\n`)
      return `${name} did ${text}`
    }
  return [
    tool({ ...shared, name: 'asked', permission: 'sensitive', execute: run('asked') }),
    tool({ ...shared, name: 'page', external: true }),
    // Runs until the test lets it: the file is there.
    tool({
      ...shared,
      name: 'slow',
      execute: async (args, context) => {
        while (!existsSync(`${journal}.go`)) await delay(20)
        return run('slow')(args, context)
      },
    }),
  ]
}
