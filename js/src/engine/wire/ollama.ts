// A scripted answer as lines of Ollama's /api/chat, or as one object.
import {
  bytes,
  finishOf,
  flowOf,
  messageOf,
  objectOf,
  sectionsOf,
  type ScriptedAnswer,
  type Head,
  type Step,
  type Writer,
  type Written,
} from './scripted-answer.js'

export const ollama: Writer = {
  type: 'application/x-ndjson',
  write,
  error: (_, error) => ({ error: messageOf(error) }),
}

const doneReasons = { tool_calls: 'stop' }

function write(answer: ScriptedAnswer, head: Head): Written {
  const sections = sectionsOf(answer)
  const said = sections.flatMap((section) => (section.kind === 'call' ? [section] : []))
  const calls = said.map(({ call, text }, index) => ({
    id: call.id ?? `call_${head.id}_${index}`,
    function: { index, name: call.name, arguments: objectOf(text) },
  }))
  const joined = (kind: string): string =>
    sections
      .map((section) => (section.kind === kind && 'flow' in section && !section.redacted ? section.text : ''))
      .join('')
  const message = {
    role: 'assistant',
    content: joined('text'),
    ...(joined('reasoning') ? { thinking: joined('reasoning') } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
  const done_reason = finishOf(answer, doneReasons)
  const end = {
    ...(done_reason === null ? {} : { done_reason }),
    done: true,
    total_duration: 0,
    load_duration: 0,
    ...(answer.usage
      ? { prompt_eval_count: answer.usage.prompt_tokens, eval_count: answer.usage.completion_tokens }
      : {}),
  }
  const object = (said: object, more: object): object => ({
    model: head.model,
    created_at: '2026-01-01T00:00:00Z',
    message: said,
    ...more,
  })
  return {
    items: [message],
    stream: function* (split) {
      const line = (fields: object, more: object = { done: false }): Step =>
        bytes(`${JSON.stringify(object({ role: 'assistant', content: '', ...fields }, more))}\n`)
      let index = 0
      for (const section of sections) {
        if (section.kind === 'text') yield* flowOf(section.flow, split, (content) => line({ content }))
        else if (section.kind === 'reasoning' && !section.redacted)
          yield* flowOf(section.flow, split, (thinking) => line({ thinking }))
        else if (section.kind === 'call') yield line({ tool_calls: [calls[index++]] })
        else if (section.kind === 'error')
          return yield bytes(`${JSON.stringify({ error: messageOf(section.error) })}\n`)
        else if (section.kind === 'step') yield section.step
      }
      if (answer.done !== false) yield line({}, end)
    },
    whole: () => object(message, end),
  }
}
