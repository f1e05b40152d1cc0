// A scripted answer as events of OpenAI's Responses API, or as one response.
import {
  bytes,
  finishOf,
  messageOf,
  sectionsOf,
  type ScriptedAnswer,
  type Head,
  type ProviderCall,
  type Section,
  type Splitter,
  type Step,
  type ScriptedUsage,
  type Writer,
  type Written,
} from './scripted-answer.js'

export const openaiResponses: Writer = { type: 'text/event-stream', write, error }

function error(status: number, error: string | object): object {
  const type = status < 500 ? (status === 429 ? 'rate_limit_error' : 'invalid_request_error') : 'server_error'
  return { error: typeof error === 'string' ? { message: error, type, param: null, code: null } : error }
}

type Item = { type: string; id: string; [member: string]: unknown }
type Event = { type: string; [member: string]: unknown }

/** Pieces of which items are made. */
const text = (value: string): object => ({ type: 'output_text', text: value, annotations: [], logprobs: [] })
const summary = (value: string): object => ({ type: 'summary_text', text: value })

function write(answer: ScriptedAnswer, head: Head): Written {
  let count = 0
  const encrypted = answer.signed !== false && (head.request.include ?? []).includes('reasoning.encrypted_content')
  const itemOf = (section: Section): Item[] => {
    const id = (prefix: string): string => `${prefix}_${head.id}_${count++}`
    switch (section.kind) {
      case 'text':
        return [
          { type: 'message', id: id('msg'), status: 'completed', role: 'assistant', content: [text(section.text)] },
        ]
      case 'reasoning':
        return [
          {
            type: 'reasoning',
            id: id('rs'),
            summary: section.redacted || section.text === '' ? [] : [summary(section.text)],
            ...(encrypted ? { encrypted_content: head.seal('reasoning') } : {}),
          },
        ]
      case 'call':
        return [
          {
            type: 'function_call',
            id: id('fc'),
            status: 'completed',
            call_id: section.call.id ?? id('call'),
            name: section.call.name,
            arguments: section.text,
          },
        ]
      case 'provider':
        return [providerItem(section.provider, id)]
      default:
        return []
    }
  }
  const written = sectionsOf(answer).map((section) => ({ section, item: itemOf(section)[0] }))
  const output = written.flatMap(({ item }) => (item ? [item] : []))
  const finish = finishOf(answer, { length: 'max_output_tokens' })
  const complete = finish === null || finish === 'stop' || finish === 'tool_calls'
  const last = output.at(-1)
  if (last?.['status'] && !complete) last['status'] = 'incomplete'
  const response = (more: object): object => ({
    id: `resp_${head.id}`,
    object: 'response',
    created_at: 0,
    model: head.model,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: head.request.instructions ?? null,
    metadata: {},
    output: [],
    parallel_tool_calls: true,
    temperature: 1,
    top_p: 1,
    tool_choice: head.request.tool_choice ?? 'auto',
    tools: head.request.tools ?? [],
    store: head.request.store ?? true,
    usage: null,
    ...more,
  })
  const end = {
    status: complete ? 'completed' : 'incomplete',
    incomplete_details: complete ? null : { reason: finish },
    output,
    usage: answer.usage ? usageOf(answer.usage) : null,
  }
  return {
    items: output,
    stream: function* (split) {
      let sequence_number = 0
      const event = ({ type, ...more }: Event): Step =>
        bytes(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...more })}\n\n`)
      yield event({ type: 'response.created', response: response({}) })
      yield event({ type: 'response.in_progress', response: response({}) })
      let output_index = 0
      for (const { section, item } of written) {
        if (section.kind === 'step') yield section.step
        if (section.kind === 'error') {
          const failure = {
            code: 'server_error',
            message: messageOf(section.error),
            ...(typeof section.error === 'object' ? section.error : {}),
          }
          yield event({ ...failure, param: null, type: 'error' })
          return yield event({ type: 'response.failed', response: response({ status: 'failed', error: failure }) })
        }
        if (!item) continue
        for (const one of streamItem(item, section, split)) yield 'type' in one ? event({ ...one, output_index }) : one
        output_index++
      }
      if (finish !== null && answer.done !== false)
        yield event({ type: complete ? 'response.completed' : 'response.incomplete', response: response(end) })
    },
    whole: () => response(end),
  }
}

function* streamItem(item: Item, section: Section, split: Splitter): Generator<Event | Step> {
  const item_id = item.id
  const flow = 'flow' in section ? section.flow : []
  const deltas = function* (type: string, more: object): Generator<Event | Step> {
    for (const piece of flow) {
      if (typeof piece !== 'string') yield piece
      else for (const delta of split(piece)) yield { type, item_id, ...more, delta }
    }
  }
  if (item.type === 'message') {
    const more = { item_id, content_index: 0 }
    const whole = (section as { text: string }).text
    yield { type: 'response.output_item.added', item: { ...item, status: 'in_progress', content: [] } }
    yield { type: 'response.content_part.added', ...more, part: text('') }
    yield* deltas('response.output_text.delta', { content_index: 0, logprobs: [] })
    yield { type: 'response.output_text.done', ...more, text: whole, logprobs: [] }
    yield { type: 'response.content_part.done', ...more, part: text(whole) }
  } else if (item.type === 'reasoning') {
    // What is encrypted is complete only when the item is done.
    yield {
      type: 'response.output_item.added',
      item: { ...item, summary: [], ...(item['encrypted_content'] ? { encrypted_content: 'Z' } : {}) },
    }
    if ((item['summary'] as object[]).length > 0) {
      const more = { item_id, summary_index: 0 }
      const whole = (section as { text: string }).text
      yield { type: 'response.reasoning_summary_part.added', ...more, part: summary('') }
      yield* deltas('response.reasoning_summary_text.delta', { summary_index: 0 })
      yield { type: 'response.reasoning_summary_text.done', ...more, text: whole }
      yield { type: 'response.reasoning_summary_part.done', ...more, part: summary(whole) }
    } else yield* flow.filter((piece): piece is Step => typeof piece !== 'string')
  } else if (item.type === 'function_call') {
    const whole = (section as { text: string }).text
    yield { type: 'response.output_item.added', item: { ...item, status: 'in_progress', arguments: '' } }
    for (const delta of split(whole)) yield { type: 'response.function_call_arguments.delta', item_id, delta }
    yield { type: 'response.function_call_arguments.done', item_id, name: item['name'], arguments: whole }
  } else {
    yield { type: 'response.output_item.added', item: { ...item, status: 'in_progress', outputs: null, output: null } }
    yield { type: `response.${item.type}.in_progress`, item_id }
    yield { type: `response.${item.type}.completed`, item_id }
  }
  yield { type: 'response.output_item.done', item }
}

function providerItem({ name, arguments: args = {}, result = '' }: ProviderCall, id: (prefix: string) => string): Item {
  const said = args as { query?: unknown; code?: unknown }
  if (name === 'web_search')
    return {
      type: 'web_search_call',
      id: id('ws'),
      status: 'completed',
      action: { type: 'search', query: String(said.query ?? '') },
    }
  if (name === 'code_execution') {
    const outputs = typeof result === 'string' ? [{ type: 'logs', logs: result }] : result
    return {
      type: 'code_interpreter_call',
      id: id('ci'),
      status: 'completed',
      code: String(said.code ?? ''),
      container_id: 'cntr_scripted',
      outputs,
    }
  }
  const output = typeof result === 'string' ? result : JSON.stringify(result)
  return {
    type: 'mcp_call',
    id: id('mcp'),
    status: 'completed',
    server_label: 'scripted',
    name,
    arguments: JSON.stringify(args),
    output,
    error: null,
    approval_request_id: null,
  }
}

function usageOf({
  prompt_tokens,
  completion_tokens,
  cached_tokens = 0,
  cache_write_tokens,
  reasoning_tokens = 0,
}: ScriptedUsage): object {
  return {
    input_tokens: prompt_tokens,
    input_tokens_details: { cached_tokens, ...(cache_write_tokens === undefined ? {} : { cache_write_tokens }) },
    output_tokens: completion_tokens,
    output_tokens_details: { reasoning_tokens },
    total_tokens: prompt_tokens + completion_tokens,
  }
}
