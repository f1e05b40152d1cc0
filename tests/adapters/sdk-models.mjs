// The AI SDK of both majors, with models of its own that say what a test tells them.
const newer = Number(process.versions.node.split('.')[0]) < 22 && `Node ${process.versions.node}: it needs Node 22`
/** With the mock models of each. */
export const majors = {
  'ai 6': { sdk: { ...(await import('ai-6')), ...(await import('ai-6/test')) } },
  'ai 7': { sdk: newer ? undefined : { ...(await import('ai-7')), ...(await import('ai-7/test')) }, skip: newer },
}

export const usage = {
  inputTokens: { total: 5, noCache: 5, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 7, text: 7, reasoning: undefined },
}
export const finish = (unified = 'stop', more = {}) => ({
  type: 'finish',
  finishReason: { unified, raw: unified },
  usage,
  ...more,
})

/** A text as the deltas of one part, of so many UTF-16 units each: half a character is fine. */
export const deltas = (text, size = 1, id = 't') => [
  { type: 'text-start', id },
  ...Array.from({ length: Math.ceil(text.length / size) }, (_, at) => ({
    type: 'text-delta',
    id,
    delta: text.slice(at * size, (at + 1) * size),
  })),
  { type: 'text-end', id },
]

export const streamOf = (parts) =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })

/**
 * A mock model of the SDK, of the specification `v3` or `v4`: each answer is a text, or the parts of a stream.
 * `model.asked`: the requests.
 */
export function scripted(sdk, answers, { size = 1, spec = sdk.MockLanguageModelV4 ? 'V4' : 'V3', modelId = 'm' } = {}) {
  const asked = []
  const next = (options) => {
    asked.push(options)
    const answer = answers[Math.min(asked.length, answers.length) - 1]
    return typeof answer === 'string' ? { text: answer, parts: [...deltas(answer, size), finish()] } : { parts: answer }
  }
  const model = new sdk[`MockLanguageModel${spec}`]({
    modelId,
    doStream: async (options) => ({
      stream: streamOf([{ type: 'stream-start', warnings: [] }, ...next(options).parts]),
    }),
    doGenerate: async (options) => {
      const { parts } = next(options)
      const { finishReason, providerMetadata } = parts.findLast(({ type }) => type === 'finish')
      return {
        content: wholeOf(parts),
        finishReason,
        usage,
        warnings: [],
        ...(providerMetadata ? { providerMetadata } : {}),
      }
    },
  })
  return Object.assign(model, { asked })
}

function wholeOf(parts) {
  const content = []
  for (const { type, delta, ...part } of parts) {
    if (type === 'text-start' || type === 'reasoning-start') content.push({ type: type.split('-')[0], text: '' })
    else if (delta !== undefined) content.at(-1).text += delta
    else if (!['text-end', 'reasoning-end', 'finish', 'stream-start'].includes(type)) content.push({ type, ...part })
  }
  return content
}

/** What `streamText` or `generateText` gives, read to its end, in the same words. What goes wrong is thrown. */
export async function ask(sdk, { stream, steps = 5, ...options }) {
  const { streamText, generateText } = sdk
  const asked = { prompt: 'Weather?', maxRetries: 0, stopWhen: ({ steps: made }) => made.length >= steps, ...options }
  if (!stream) return told(await generateText(asked))
  let failure
  const result = streamText({
    ...asked,
    onError: ({ error }) => {
      failure ??= { error }
    },
  })
  await result.consumeStream()
  if (failure) throw failure.error
  return told(result)
}

const told = async (result) => ({
  text: await result.text,
  reasoning: await result.reasoningText,
  finish: await result.finishReason,
  steps: await result.steps,
  calls: await result.toolCalls,
  response: await result.response,
  metadata: await result.providerMetadata,
  usage: await result.usage,
  warnings: await result.warnings,
})
