// A tool with typed arguments, progress in numbers, and a signal.
import { setTimeout as sleep } from 'node:timers/promises'
import { tool, type ToolContext } from 'sluice'

export const download = tool({
  name: 'file.download',
  permission: 'public',
  agentCallable: true,
  parameters: {
    type: 'object',
    properties: { url: { type: 'string' }, pieces: { type: 'integer' } },
    required: ['url'],
  },
  async execute({ url, pieces = 3 }, { signal, progress, context }: ToolContext<{ folder: string }>) {
    for (let done = 1; done <= pieces; done++, await sleep(5, undefined, { signal }))
      progress({ done, total: pieces, text: new URL(url).host })
    return `${context.folder}/${url.split('/').at(-1)}`
  },
})
