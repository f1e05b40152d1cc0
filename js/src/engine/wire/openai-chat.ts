// A scripted answer as chunks of OpenAI's chat completions, or as one body of them.
import {
  bytes,
  finishOf,
  flowOf,
  sectionsOf,
  type ScriptedAnswer,
  type Head,
  type Section,
  type Step,
  type ScriptedUsage,
  type Writer,
  type Written,
} from './scripted-answer.js'

/** The whole body for an answer, without a server. */
export function wholeAnswer(answer: ScriptedAnswer, id: string): object {
  return openaiChat.write(answer, { id, model: '', request: {}, seal: () => '' }).whole()
}

export const openaiChat: Writer = { type: 'text/event-stream', write, error }

function error(status: number, error: string | object): object {
  const type = status === 400 ? 'invalid_request_error' : 'server_error'
  return { error: typeof error === 'string' ? { message: error, type, param: null, code: null } : error }
}

function write(answer: ScriptedAnswer, { id, model }: Head): Written {
  const head = { id: `chatcmpl-${id}`, object: 'chat.completion.chunk', created: 0, model }
  const sections = sectionsOf(answer)
  const finish = finishOf(answer)
  const calls = new Map(
    sections
      .flatMap((section) => (section.kind === 'call' ? [section] : []))
      .map((section, index) => [
        section as Section,
        {
          id: section.call.id ?? `call_${head.id}_${index}`,
          type: 'function',
          function: { name: section.call.name, arguments: section.text },
        },
      ]),
  )
  const joined = (kind: string): string =>
    sections
      .map((section) => (section.kind === kind && 'flow' in section && !section.redacted ? section.text : ''))
      .join('')
  const message = {
    role: 'assistant',
    content: joined('text') || null,
    ...(joined('reasoning') ? { reasoning_content: joined('reasoning') } : {}),
    ...(calls.size > 0 ? { tool_calls: [...calls.values()] } : {}),
  }
  return {
    items: [message],
    stream: function* (split) {
      const event = (more: object): Step => bytes(`data: ${JSON.stringify({ ...head, ...more })}\n\n`)
      const delta = (fields: object, finish_reason: string | null = null): Step =>
        event({ choices: [{ index: 0, finish_reason, delta: fields }] })
      yield delta({ role: 'assistant', content: '' })
      let index = 0
      for (const section of sections) {
        if (section.kind === 'text') yield* flowOf(section.flow, split, (content) => delta({ content }))
        else if (section.kind === 'reasoning' && !section.redacted)
          yield* flowOf(section.flow, split, (text) => delta({ reasoning_content: text }))
        else if (section.kind === 'call') {
          const {
            id,
            type,
            function: { name },
          } = calls.get(section)!
          yield delta({ tool_calls: [{ index, id, type, function: { name, arguments: '' } }] })
          yield* flowOf([section.text], split, (piece) =>
            delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
          )
          index++
        } else if (section.kind === 'error')
          return yield bytes(`data: ${JSON.stringify(error(500, section.error))}\n\n`)
        else if (section.kind === 'step') yield section.step
      }
      if (finish !== null) yield delta({}, finish)
      if (answer.usage) yield event({ choices: [], usage: usageOf(answer.usage) })
      if (answer.done !== false) yield bytes('data: [DONE]\n\n')
    },
    whole: () => ({
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: finish }],
      ...(answer.usage ? { usage: usageOf(answer.usage) } : {}),
    }),
  }
}

function usageOf({ cached_tokens, cache_write_tokens, reasoning_tokens, ...usage }: ScriptedUsage): object {
  const known = (details: object): boolean => Object.values(details).some((count) => count !== undefined)
  const input = { cached_tokens, cache_write_tokens }
  const output = { reasoning_tokens }
  return {
    ...usage,
    ...(known(input) ? { prompt_tokens_details: input } : {}),
    ...(known(output) ? { completion_tokens_details: output } : {}),
  }
}
