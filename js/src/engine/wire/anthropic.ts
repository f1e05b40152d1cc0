// A scripted answer as events of Anthropic's Messages API, or as one message.
import {
  bytes,
  finishOf,
  flowOf,
  objectOf,
  sectionsOf,
  type ScriptedAnswer,
  type Head,
  type ProviderCall,
  type Section,
  type Step,
  type ScriptedUsage,
  type Writer,
  type Written,
} from './scripted-answer.js'

export const anthropic: Writer = { type: 'text/event-stream', write, error }

const stopReasons = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
  pause: 'pause_turn',
}

const errorTypes: { readonly [status: number]: string } = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

function error(status: number, error: string | object): object {
  const type = errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  return {
    type: 'error',
    error: typeof error === 'string' ? { type, message: error } : error,
    request_id: 'req_scripted',
  }
}

/** A content block; `section` is what its deltas are made of, where it has any. */
interface Block {
  block: { type: string; [member: string]: unknown }
  section?: Section
}

function write(answer: ScriptedAnswer, head: Head): Written {
  let calls = 0
  const blocksOf = (section: Section): Block[] => {
    switch (section.kind) {
      case 'text':
        return section.text === '' ? [] : [{ block: { type: 'text', text: section.text, citations: null }, section }]
      case 'reasoning':
        return [{ block: thought(section.text, section.redacted), section }]
      case 'call':
        return [
          {
            block: {
              type: 'tool_use',
              id: section.call.id ?? `toolu_${head.id}_${calls++}`,
              name: section.call.name,
              input: objectOf(section.text),
              caller: { type: 'direct' },
            },
            section,
          },
        ]
      case 'provider':
        return providerBlocks(section.provider, `srvtoolu_${head.id}_${calls++}`, head.seal).map((block) => ({
          block,
          section,
        }))
      default:
        return []
    }
  }
  const thought = (text: string, redacted: boolean): Block['block'] => {
    if (redacted) return { type: 'redacted_thinking', data: head.seal('redacted') }
    return { type: 'thinking', thinking: text, signature: answer.signed === false ? '' : head.seal('thinking') }
  }
  const written = sectionsOf(answer).map((section) => ({ section, blocks: blocksOf(section) }))
  const content = written.flatMap(({ blocks }) => blocks.map(({ block }) => block))
  const stop_reason = finishOf(answer, stopReasons)
  const stop_details = stop_reason === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null
  const usage = usageOf(answer.usage)
  const message = {
    id: `msg_${head.id}`,
    type: 'message',
    role: 'assistant',
    model: head.model,
    content,
    container: null,
    stop_reason,
    stop_sequence: null,
    stop_details,
    usage,
  }
  return {
    items: content,
    stream: function* (split) {
      yield event({
        type: 'message_start',
        message: {
          ...message,
          content: [],
          stop_reason: null,
          stop_details: null,
          usage: { ...usage, output_tokens: 1 },
        },
      })
      yield event({ type: 'ping' })
      let index = 0
      for (const { section, blocks } of written) {
        if (section.kind === 'step') yield section.step
        if (section.kind === 'error') return yield event({ ...error(500, section.error) })
        for (const block of blocks) yield* streamBlock(block, index++, split)
      }
      if (stop_reason !== null)
        yield event({ type: 'message_delta', delta: { stop_reason, stop_sequence: null, stop_details }, usage })
      if (answer.done !== false) yield event({ type: 'message_stop' })
    },
    whole: () => message,
  }
}

const event = (data: { type?: string; [member: string]: unknown }): Step =>
  bytes(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)

function* streamBlock(
  { block, section }: Block,
  index: number,
  split: (text: string) => Iterable<string>,
): Generator<Step> {
  const start = (content_block: object): Step => event({ type: 'content_block_start', index, content_block })
  const delta = (fields: object): Step => event({ type: 'content_block_delta', index, delta: fields })
  const flow = section && 'flow' in section ? section.flow : []
  if (block.type === 'text') {
    yield start({ ...block, text: '' })
    yield* flowOf(flow, split, (text) => delta({ type: 'text_delta', text }))
  } else if (block.type === 'thinking') {
    yield start({ ...block, thinking: '', signature: '' })
    yield* flowOf(flow, split, (thinking) => delta({ type: 'thinking_delta', thinking }))
    if (block['signature'] !== '') yield delta({ type: 'signature_delta', signature: block['signature'] })
  } else if (block.type === 'tool_use' || block.type === 'server_tool_use') {
    yield start({ ...block, input: {} })
    yield delta({ type: 'input_json_delta', partial_json: '' })
    const text = section?.kind === 'call' ? section.text : JSON.stringify(block['input'])
    if (text !== '{}') yield* flowOf([text], split, (partial_json) => delta({ type: 'input_json_delta', partial_json }))
  } else {
    yield start(block)
  }
  yield event({ type: 'content_block_stop', index })
}

function providerBlocks(
  { name, arguments: input = {}, result = '' }: ProviderCall,
  id: string,
  seal: Head['seal'],
): Block['block'][] {
  const caller = { type: 'direct' }
  const page = {
    type: 'web_search_result',
    title: String(result),
    url: 'https://example.com/',
    encrypted_content: seal('search'),
    page_age: null,
  }
  const texts =
    name === 'web_search' ? [page] : { type: `${name}_result`, stdout: result, stderr: '', return_code: 0, content: [] }
  return [
    { type: 'server_tool_use', id, name, input, caller },
    {
      type: `${name}_tool_result`,
      tool_use_id: id,
      content: typeof result === 'string' ? texts : result,
      ...(name.startsWith('web_') ? { caller } : {}),
    },
  ]
}

/** Anthropic's `input_tokens` are those that were neither read from the cache nor written to it. */
function usageOf(usage: ScriptedUsage = { prompt_tokens: 0, completion_tokens: 0 }): object {
  const { prompt_tokens, completion_tokens, cached_tokens = 0, cache_write_tokens = 0, reasoning_tokens } = usage
  return {
    input_tokens: prompt_tokens - cached_tokens - cache_write_tokens,
    cache_read_input_tokens: cached_tokens,
    cache_creation_input_tokens: cache_write_tokens,
    output_tokens: completion_tokens,
    ...(reasoning_tokens === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoning_tokens } }),
  }
}
