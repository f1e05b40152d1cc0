// A scripted answer as events of Gemini's Interactions API, or as one interaction.
import {
  bytes,
  finishOf,
  flowOf,
  messageOf,
  objectOf,
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

export const geminiInteractions: Writer = { type: 'text/event-stream', write, error }

const statuses = {
  stop: 'completed',
  tool_calls: 'requires_action',
  length: 'incomplete',
  content_filter: 'failed',
  malformed: 'failed',
  error: 'failed',
}

const codes: { readonly [status: number]: string } = {
  400: 'invalid_request',
  401: 'authentication',
  403: 'permission_denied',
  404: 'not_found',
  429: 'rate_limit_exceeded',
  500: 'internal',
  503: 'unavailable',
  504: 'gateway_timeout',
}

function error(status: number, error: string | object): object {
  return { error: typeof error === 'object' ? error : { message: error, code: codes[status] ?? 'unknown' } }
}

type GeminiStep = { type: string; [member: string]: unknown }

const text = (value: string): object => ({ type: 'text', text: value })

function write(answer: ScriptedAnswer, head: Head): Written {
  let count = 0
  let signed = answer.signed === false
  const thought = (summary: object[]): GeminiStep => ({
    type: 'thought',
    ...(answer.signed === false ? {} : { signature: head.seal('thought') }),
    ...(summary.length > 0 ? { summary } : {}),
  })
  const stepsOf = (section: Section): GeminiStep[] => {
    const id = (): string => `${head.id}_${count++}`
    switch (section.kind) {
      case 'text':
        return [{ type: 'model_output', content: [text(section.text)] }]
      case 'reasoning':
        signed = true
        return [thought(section.redacted || section.text === '' ? [] : [text(section.text)])]
      case 'call': {
        const call = {
          type: 'function_call',
          id: section.call.id ?? `call_${id()}`,
          name: section.call.name,
          arguments: objectOf(section.text),
        }
        if (signed) return [call]
        signed = true // a thought without words stands before the first call
        return [thought([]), call]
      }
      case 'provider':
        return providerSteps(section.provider, `tool_${id()}`, head.seal)
      default:
        return []
    }
  }
  const written = sectionsOf(answer).map((section) => ({ section, steps: stepsOf(section) }))
  const steps = written.flatMap((one) => one.steps)
  const status = finishOf(answer, statuses)
  const stored = head.request.store === true
  const interaction = (more: object): object => ({
    id: stored ? `resp_${head.id}` : '',
    object: 'interaction',
    model: head.model,
    ...more,
  })
  const usage = answer.usage ? { usage: usageOf(answer.usage) } : {}
  return {
    items: steps,
    stream: function* (split) {
      yield event({ event_type: 'interaction.created', interaction: interaction({ status: 'in_progress' }) })
      let index = 0
      for (const { section, steps: some } of written) {
        if (section.kind === 'step') yield section.step
        if (section.kind === 'error') {
          const failure = { message: messageOf(section.error), code: 'internal' }
          return yield event({
            event_type: 'error',
            error: typeof section.error === 'object' ? { ...failure, ...section.error } : failure,
          })
        }
        for (const step of some) yield* streamStep(step, section, index++, split)
      }
      if (status !== null)
        yield event({ event_type: 'interaction.completed', interaction: interaction({ status, ...usage }) })
      if (answer.done !== false) yield bytes('event: done\ndata: [DONE]\n\n')
    },
    whole: () => interaction({ status: status ?? 'in_progress', ...usage, steps }),
  }
}

const event = (data: { event_type: string; [member: string]: unknown }): Step =>
  bytes(`event: ${data.event_type}\ndata: ${JSON.stringify(data)}\n\n`)

function* streamStep(step: GeminiStep, section: Section, index: number, split: Splitter): Generator<Step> {
  const start = (one: object): Step => event({ event_type: 'step.start', index, step: one })
  const delta = (fields: object): Step => event({ event_type: 'step.delta', index, delta: fields })
  const flow = 'flow' in section ? section.flow : []
  const { type, signature, ...more } = step
  if (type === 'model_output') {
    yield start({ type })
    yield* flowOf(flow, split, (piece) => delta(text(piece)))
  } else if (type === 'thought') {
    yield start({ type })
    if (step['summary']) yield* flowOf(flow, split, (piece) => delta({ type: 'thought_summary', content: text(piece) }))
    else yield* flow.filter((piece): piece is Step => typeof piece !== 'string')
    if (signature !== undefined) yield delta({ type: 'thought_signature', signature })
  } else if (type === 'function_call') {
    yield start({ ...step, arguments: {} })
    const whole = (section as { text: string }).text
    if (whole !== '{}') yield* flowOf([whole], split, (piece) => delta({ type: 'arguments_delta', arguments: piece }))
  } else {
    const { id, call_id: callId, ...rest } = more
    yield start({ type, ...(id === undefined ? { call_id: callId } : { id }) })
    yield delta({ type, ...rest, ...(signature === undefined ? {} : { signature }) })
  }
  yield event({ event_type: 'step.stop', index })
}

function providerSteps(
  { name, arguments: args = {}, result = '' }: ProviderCall,
  id: string,
  seal: Head['seal'],
): GeminiStep[] {
  const said = args as { query?: unknown; code?: unknown }
  if (name === 'web_search') {
    const found = typeof result === 'string' ? [{ url: 'https://example.com/', title: result }] : result
    return [
      { type: 'google_search_call', id, arguments: { queries: [String(said.query ?? '')] }, signature: seal('search') },
      { type: 'google_search_result', call_id: id, result: found, signature: seal('found') },
    ]
  }
  if (name === 'code_execution')
    return [
      {
        type: 'code_execution_call',
        id,
        arguments: { code: String(said.code ?? ''), language: 'python' },
        signature: seal('code'),
      },
      { type: 'code_execution_result', call_id: id, result, signature: seal('output') },
    ]
  return [
    { type: 'mcp_server_tool_call', id, name, server_name: 'scripted', arguments: args },
    { type: 'mcp_server_tool_result', call_id: id, name, server_name: 'scripted', result },
  ]
}

function usageOf({ prompt_tokens, completion_tokens, cached_tokens = 0, reasoning_tokens = 0 }: ScriptedUsage): object {
  return {
    total_tokens: prompt_tokens + completion_tokens,
    total_input_tokens: prompt_tokens,
    total_cached_tokens: cached_tokens,
    total_output_tokens: completion_tokens - reasoning_tokens,
    total_tool_use_tokens: 0,
    total_thought_tokens: reasoning_tokens,
  }
}
