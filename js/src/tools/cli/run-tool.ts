// Runs one tool by hand: a turn in which the person plays the model. Argument checks, timeouts and results are those of
// a real turn.
import type { Approvals } from '../../engine/core/approvals.js'
import { Engine } from '../../engine/core/engine.js'
import { SluiceError } from '../../engine/core/errors.js'
import type { Tool } from '../../engine/core/tool.js'
import { quantityOf } from '../../app/bridge/quantity.js'
import type { ScriptedAnswer } from '../../engine/wire/scripted-answer.js'
import { wholeAnswer } from '../../engine/wire/openai-chat.js'
import type { RunReply, RunRequest } from './tester-api.js'

const MOST_MS = 600_000

export const canRun = (tool: Tool): boolean => Boolean(tool.run ?? tool.declaration['ipc'])

export async function runByHand(tools: readonly Tool[], request: RunRequest, signal: AbortSignal): Promise<RunReply> {
  const { name, arguments: given, timeout } = request
  const timeoutMs = timeout === undefined ? undefined : quantityOf(timeout, 'ms')
  if (timeout !== undefined && !(timeoutMs && timeoutMs <= MOST_MS))
    throw new SluiceError({ code: 'argument', path: 'timeout', detail: 'expected a time up to 10 min, such as 30 s' })
  const tool = tools.find((one) => one.name === name)
  if (!tool) throw new SluiceError({ code: 'not_found', path: 'name', detail: 'there is no such tool' })
  if (!canRun(tool))
    throw new SluiceError({
      code: 'unsupported',
      path: 'name',
      detail: 'this tool cannot be run here: it has no execute',
    })
  // Exposes the tool even if models do not see it: the person asked for it.
  const declaration = {
    ...tool.declaration,
    agentCallable: true,
    enabled: true,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
  const approvals: Approvals = { execution: () => 'once', result: () => 'release' }
  const engine = new Engine({ tools: [{ ...tool, declaration }], approvals, retries: 0, flushMs: 0 })
  try {
    const wireName = engine.describe().tools[0]?.wireName ?? name
    const answers: ScriptedAnswer[] = [{ calls: [{ id: 'by_hand', name: wireName, arguments: given }] }, { text: '' }]
    const run = engine.run({
      model: { baseURL: 'http://by-hand.invalid/v1', name: 'by hand' },
      messages: [{ role: 'user', content: 'run it' }],
      mode: 'native',
      transport: async () => Response.json(wholeAnswer(answers.shift() ?? { text: '' }, 'by_hand')),
      signal,
    })
    const progress: string[] = []
    const ipc: RunReply['ipc'] = []
    for await (const event of run) {
      if (event.type === 'progress') progress.push(event.text)
      if (event.type === 'ipc') ipc.push({ channel: event.channel, payload: event.payload })
    }
    const { message, history } = await run.done
    const card = message.blocks.find((block) => block.type === 'tool_use')
    if (card?.type !== 'tool_use')
      throw new SluiceError({ code: 'internal', detail: 'the call did not reach the tool' })
    const modelOutput = history.find((one) => one.role === 'tool')?.content
    return {
      status: card.status ?? 'unknown',
      ...(card.arguments ? { arguments: card.arguments } : {}),
      ...(card.output === undefined ? {} : { output: card.output }),
      ...(typeof modelOutput === 'string' ? { modelOutput } : {}),
      ...((card.error ?? card.reason) ? { error: card.error ?? card.reason } : {}),
      ...(card.durationMs === undefined ? {} : { durationMs: card.durationMs }),
      progress,
      ipc,
    }
  } finally {
    engine.close()
  }
}
