// What a scripted answer says, and how it looks as a stream of OpenAI chunks or as one JSON body.

/** A tool call of an answer. */
export interface ScriptedCall {
  /** Default: one that is unique in the answer. */
  id?: string
  /** The name as the wire has it: `weather_now`. */
  name: string
  /** An object is written as JSON; a string is sent as it is, also where it is broken. */
  arguments?: object | string
}

/** Tokens, as a provider counts them. */
export interface Usage {
  /** Of the request. */
  prompt_tokens: number
  /** Of the answer. */
  completion_tokens: number
}

/** A piece of an answer: something that is said, or something that happens meanwhile. */
export type AnswerPart =
  | {
    /** What it says. */
    text: string
  }
  | {
    /** What it thinks. */
    reasoning: string
  }
  | {
    /** One call of a tool. */
    call: ScriptedCall
  }
  | {
    /** Calls in one assistant message, their deltas one after another. */
    calls: ScriptedCall[]
  }
  | {
    /** Bytes of the body, as they are. */
    raw: string | Uint8Array
  }
  | {
    /** Milliseconds without a byte, or a promise: nothing is sent until it settles. */
    wait: number | Promise<unknown>
  }
  | {
    /** The connection breaks here. */
    cut: true
  }

/** One answer of the model: reasoning, then text, then calls; or a refusal. */
export interface Answer {
  /** What it says. */
  text?: string
  /** What it thinks before. */
  reasoning?: string
  /** What it calls behind. */
  calls?: ScriptedCall[]
  /** Instead of the three above: anything, in this order. */
  parts?: AnswerPart[]
  /** Default: `tool_calls` where there are calls, else `stop`. null: none is sent. */
  finish?: string | null
  /** Default: none is told. */
  usage?: Usage
  /** Default true: `data: [DONE]` at the end. */
  done?: boolean
  /** 200 unless told. From 400 on the body is `error`. */
  status?: number
  /** Further headers of the response. */
  headers?: Record<string, string>
  /** The error object, or its message. */
  error?: string | object
  /** Milliseconds before the first byte. */
  delayMs?: number
  /** Answers with one JSON body, as servers without streaming do. */
  json?: boolean
}

/** One piece of the body, or something that happens between pieces. */
export type Step = { bytes: Uint8Array } | { wait: number | Promise<unknown> } | { cut: true }

export type Splitter = (text: string) => Iterable<string>

const encoder = new TextEncoder()

function partsOf(answer: Answer): AnswerPart[] {
  if (answer.parts) return answer.parts
  return [
    ...(answer.reasoning === undefined ? [] : [{ reasoning: answer.reasoning }]),
    ...(answer.text === undefined ? [] : [{ text: answer.text }]),
    ...(answer.calls === undefined ? [] : [{ calls: answer.calls }]),
  ]
}

function callsOf(part: AnswerPart): ScriptedCall[] {
  return 'calls' in part ? part.calls : 'call' in part ? [part.call] : []
}

const argumentsOf = (call: ScriptedCall): string =>
  typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {})

function finishOf(answer: Answer): string | null {
  if (answer.finish !== undefined) return answer.finish
  return partsOf(answer).some((part) => callsOf(part).length > 0) ? 'tool_calls' : 'stop'
}

/** The answer as server-sent events; `split` cuts text and arguments into deltas. */
export function* streamAnswer(answer: Answer, head: object, split: Splitter): Generator<Step> {
  const event = (choice: object, more: object = {}): Step => {
    const choices = [{ index: 0, finish_reason: null, ...choice }]
    return { bytes: encoder.encode(`data: ${JSON.stringify({ ...head, choices, ...more })}\n\n`) }
  }
  const delta = (fields: object): Step => event({ delta: fields })
  yield delta({ role: 'assistant', content: '' })
  let index = 0
  for (const part of partsOf(answer)) {
    if ('text' in part) for (const piece of split(part.text)) yield delta({ content: piece })
    if ('reasoning' in part) for (const piece of split(part.reasoning)) yield delta({ reasoning_content: piece })
    for (const call of callsOf(part)) {
      const id = call.id ?? `call_${(head as { id?: string }).id}_${index}`
      yield delta({ tool_calls: [{ index, id, type: 'function', function: { name: call.name, arguments: '' } }] })
      for (const piece of split(argumentsOf(call))) yield delta({ tool_calls: [{ index, function: { arguments: piece } }] })
      index++
    }
    if ('raw' in part) yield { bytes: typeof part.raw === 'string' ? encoder.encode(part.raw) : part.raw }
    if ('wait' in part || 'cut' in part) yield part
  }
  const finish = finishOf(answer)
  if (finish !== null) yield event({ delta: {}, finish_reason: finish })
  if (answer.usage) yield { bytes: encoder.encode(`data: ${JSON.stringify({ ...head, choices: [], usage: answer.usage })}\n\n`) }
  if (answer.done !== false) yield { bytes: encoder.encode('data: [DONE]\n\n') }
}

/** The answer as one body. */
export function wholeAnswer(answer: Answer, head: object): object {
  const parts = partsOf(answer)
  const joined = (key: 'text' | 'reasoning'): string =>
    parts.map((part) => (part as { [key: string]: string })[key] ?? '').join('')
  const calls = parts.flatMap(callsOf).map((call, index) => ({
    id: call.id ?? `call_${(head as { id?: string }).id}_${index}`,
    type: 'function',
    function: { name: call.name, arguments: argumentsOf(call) },
  }))
  const message = {
    role: 'assistant',
    content: joined('text') || null,
    ...(joined('reasoning') ? { reasoning_content: joined('reasoning') } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
  return {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: finishOf(answer) }],
    ...(answer.usage ? { usage: answer.usage } : {}),
  }
}
