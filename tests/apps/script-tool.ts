// A tool that runs a script of the model, step by step: each step is a call of another tool, and is asked about as one.
import { SluiceError, tool } from 'sluice'

const step = {
  type: 'object',
  properties: { tool: { type: 'string' }, arguments: { type: 'object' } },
  required: ['tool'],
} as const

export const script = tool({
  name: 'script.run',
  description: 'Runs steps, one after the other. Stops at one that may not run.',
  permission: 'public',
  agentCallable: true,
  timeoutMs: 60_000,
  parameters: { type: 'object', properties: { steps: { type: 'array', items: step } }, required: ['steps'] },
  async execute({ steps }, { call }) {
    const done: unknown[] = []
    for (const { tool: name, arguments: given = {} } of steps)
      try {
        done.push(await call(name, given))
      } catch (error) {
        return [...done, `stopped: ${SluiceError.is(error) ? error.code : error}`]
      }
    return done
  },
})
