// A scripted answer as Gemini writes it: server-sent events with `alt=sse`, else a JSON array of the same objects, or
// one object.
import {
  bytes,
  finishOf,
  objectOf,
  sectionsOf,
  type ScriptedAnswer,
  type Head,
  type ProviderCall,
  type Section,
  type ScriptedUsage,
  type Writer,
  type Written,
} from './scripted-answer.js'

export const gemini: Writer = { type: 'text/event-stream', write: (answer, head) => write(answer, head, true), error }

/** `streamGenerateContent` without `alt=sse`. */
export const geminiArray: Writer = {
  type: 'application/json',
  write: (answer, head) => write(answer, head, false),
  error,
}

const finishReasons = {
  stop: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
  malformed: 'MALFORMED_FUNCTION_CALL',
  error: 'OTHER',
}

const statuses: { readonly [status: number]: string } = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

/** Gemini has no `retry-after`: the time stands in the body, too. */
function error(code: number, error: string | object, headers: Record<string, string> = {}): object {
  if (typeof error === 'object') return { error }
  const after = headers['retry-after']
  const details =
    after === undefined
      ? {}
      : { details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${after}s` }] }
  return { error: { code, message: error, status: statuses[code] ?? 'UNKNOWN', ...details } }
}

type Part = { [member: string]: unknown }

function write(answer: ScriptedAnswer, head: Head, sse: boolean): Written {
  const sections = sectionsOf(answer)
  let signed = answer.signed === false
  const callPart = ({ call, text }: Extract<Section, { kind: 'call' }>): Part => {
    const functionCall = { ...(call.id === undefined ? {} : { id: call.id }), name: call.name, args: objectOf(text) }
    if (signed) return { functionCall }
    signed = true // of parallel calls only the first has one
    return { functionCall, thoughtSignature: head.seal('call') }
  }
  const partsOf = (section: Section): Part[] => {
    switch (section.kind) {
      case 'text':
        return [{ text: section.text }]
      case 'reasoning':
        return section.redacted || section.text === '' ? [] : [{ text: section.text, thought: true }]
      case 'call':
        return [callPart(section)]
      case 'provider':
        return providerParts(section.provider)
      default:
        return []
    }
  }
  const written = sections.map((section) => ({ section, parts: partsOf(section) }))
  const last: Part[] =
    signed || written.every(({ parts }) => parts.length === 0)
      ? []
      : [{ text: '', thoughtSignature: head.seal('text') }]
  const parts = [...written.flatMap((one) => one.parts), ...last]
  const finishReason = finishOf(answer, finishReasons)
  const response = (some: Part[], more: object = {}, usage: object = {}): object => ({
    candidates: [{ ...(some.length > 0 ? { content: { parts: some, role: 'model' } } : {}), ...more, index: 0 }],
    ...usage,
    modelVersion: head.model,
    responseId: `response_${head.id}`,
  })
  const end = {
    ...(finishReason === null ? {} : { finishReason }),
    ...(finishReason === finishReasons.malformed ? { finishMessage: 'Malformed function call' } : {}),
  }
  const usage = answer.usage ? { usageMetadata: usageOf(answer.usage) } : {}
  return {
    items: parts,
    stream: function* (split) {
      let count = 0
      const chunk = (data: object): { bytes: Uint8Array } => {
        const text = JSON.stringify(data)
        return bytes(sse ? `data: ${text}\r\n\r\n` : `${count++ === 0 ? '[' : ',\r\n'}${text}`) as { bytes: Uint8Array }
      }
      for (const { section, parts: some } of written) {
        if (section.kind === 'step') yield section.step
        else if (section.kind === 'error') return yield bytes(JSON.stringify(error(500, section.error), null, 2))
        else if ('flow' in section && some[0]) {
          for (const piece of section.flow) {
            if (typeof piece !== 'string') yield piece
            else for (const text of split(piece)) yield chunk(response([{ ...some[0], text }]))
          }
        } else for (const part of some) yield chunk(response([part]))
      }
      if (answer.done !== false) yield chunk(response(last, end, usage))
      if (!sse) yield bytes(']')
    },
    whole: () => response(parts, end, usage),
  }
}

function providerParts({ name, arguments: args = {}, result = '' }: ProviderCall): Part[] {
  if (name !== 'code_execution') {
    const response = typeof result === 'string' ? { output: result } : result
    return [
      { toolCall: { toolType: name.toUpperCase(), args } },
      { toolResponse: { toolType: name.toUpperCase(), response } },
    ]
  }
  const code = String((args as { code?: unknown }).code ?? '')
  const codeExecutionResult = typeof result === 'string' ? { outcome: 'OUTCOME_OK', output: result } : result
  return [{ executableCode: { language: 'PYTHON', code } }, { codeExecutionResult }]
}

function usageOf({ prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens = 0 }: ScriptedUsage): object {
  return {
    promptTokenCount: prompt_tokens,
    candidatesTokenCount: completion_tokens - reasoning_tokens,
    totalTokenCount: prompt_tokens + completion_tokens,
    ...(cached_tokens === undefined ? {} : { cachedContentTokenCount: cached_tokens }),
    ...(reasoning_tokens > 0 ? { thoughtsTokenCount: reasoning_tokens } : {}),
  }
}
