// A prompt of the AI SDK → the messages of OpenAI's chat completions, in which the engine writes calls and results in a
// model's own words.
import type { Json } from '../../engine/core/events.js'
import { isObject } from '../../engine/core/options.js'
import type { ModelCallOptions, PromptMessage, PromptTool } from './model-types.js'

/** A part of a prompt, as either version writes it. */
export interface PromptPart {
  type: string
  [member: string]: unknown
}
/** A message of OpenAI's chat completions. */
export interface WireMessage {
  role: string
  content: string | null | object[]
  [member: string]: unknown
}

/** What stands in a request for a part that is no text: `index` is its place in the message. */
export type PartWriter = (part: PromptPart, index: number) => object

/** What the model reads of a result that it may not have. */
const DENIED = 'The user did not allow this call.'

export const partsOf = ({ content }: PromptMessage): readonly PromptPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content as readonly PromptPart[])

/** Whether somebody else than the provider ran it, or is to. */
const isCall = ({ type, providerExecuted }: PromptPart): boolean => type === 'tool-call' && providerExecuted !== true

/** The ids of the calls that are not the provider's. */
const callIds = (prompt: readonly PromptMessage[]): Set<unknown> =>
  new Set(
    prompt.flatMap((message) =>
      partsOf(message)
        .filter(isCall)
        .map(({ toolCallId }) => toolCallId),
    ),
  )

/** `numbered`: each message carries its place in the prompt, as `at`. */
export function messagesOf(
  prompt: readonly PromptMessage[],
  write: PartWriter,
  { numbered = false } = {},
): WireMessage[] {
  const known = callIds(prompt)
  return prompt.flatMap((message, place): WireMessage[] => {
    const parts = partsOf(message)
    const at = numbered ? place : undefined
    const text = parts.map((part) => (part.type === 'text' ? String(part['text']) : '')).join('')
    switch (message.role) {
      case 'system':
        return [{ role: 'system', content: text, at }]
      case 'user': {
        const plain = parts.length === 1 && parts[0]?.type === 'text'
        return [
          {
            role: 'user',
            content: plain
              ? text
              : parts.map((part, index) =>
                  part.type === 'text' ? { type: 'text', text: String(part['text']) } : write(part, index),
                ),
            at,
          },
        ]
      }
      case 'assistant': {
        const calls = parts.filter(isCall).map(({ toolCallId, toolName, input }) => ({
          id: toolCallId,
          type: 'function',
          function: { name: toolName, arguments: argumentsOf(input) },
        }))
        return [
          {
            role: 'assistant',
            content: text === '' && calls.length > 0 ? null : text,
            ...(calls.length > 0 ? { tool_calls: calls } : {}),
            at,
          },
        ]
      }
      default:
        return parts
          .filter(({ type, toolCallId }) => type === 'tool-result' && known.has(toolCallId))
          .map(({ toolCallId, output }) => ({ role: 'tool', tool_call_id: toolCallId, content: resultOf(output), at }))
    }
  })
}

/** A call that was refused because it could not be read has a text in their place. */
const argumentsOf = (input: unknown): string => (isObject(input) ? JSON.stringify(input) : '{}')

/** What the model reads of a result. */
function resultOf(output: unknown): string {
  const { type, value, reason } = output as { type: string; value?: unknown; reason?: string }
  if (type === 'execution-denied') return reason === undefined ? DENIED : `${DENIED} ${reason}`
  if (type === 'content' && Array.isArray(value)) return (value as PromptPart[]).map(contentOf).join('\n')
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** A part of a result in words. Pictures and files are named: a text protocol has no place for them. */
export function contentOf({ type, text, mediaType, filename, url }: PromptPart): string {
  if (type === 'text') return String(text)
  return `[${[type.startsWith('image') ? 'image' : 'file', filename, mediaType, url].filter((one) => typeof one === 'string').join(', ')}]`
}

/** Functions as OpenAI's requests have them; the provider's own tools are no part of it. */
const functionsOf = (tools: readonly PromptTool[]): object[] =>
  (tools as readonly (PromptTool & { description?: string; inputSchema?: Json })[]).flatMap(
    ({ type, name, description, inputSchema: parameters }) =>
      type === 'function'
        ? [{ type, function: { name, ...(description === undefined ? {} : { description }), parameters } }]
        : [],
  )

/**
 * What a request offers, in OpenAI's words; undefined where it offers nothing and its conversation has no calls. Those
 * are written in words all the same.
 */
export function offerOf({
  prompt,
  tools = [],
  toolChoice: choice,
}: ModelCallOptions): { tools: object[]; tool_choice: object | string | undefined } | undefined {
  const functions = functionsOf(tools)
  // of the provider's: not said in words
  const own = tools.some(({ type, name }) => type !== 'function' && name === choice?.toolName)
  if (functions.length > 0)
    return {
      tools: functions,
      tool_choice: own
        ? undefined
        : choice?.type === 'tool'
          ? { type: 'function', function: { name: choice.toolName } }
          : choice?.type,
    }
  const called = new Set(
    prompt.flatMap((message) =>
      partsOf(message)
        .filter(isCall)
        .map(({ toolName }) => toolName),
    ),
  )
  return called.size === 0
    ? undefined
    : { tools: [...called].map((name) => ({ type: 'function', function: { name } })), tool_choice: 'none' }
}

/** The messages as the engine wrote them, as a prompt: what it does not know of is as it was. */
export function promptOf(messages: readonly WireMessage[], before: readonly PromptMessage[]): PromptMessage[] {
  return messages.map(({ role, content, tool_calls: calls, tool_call_id: toolCallId, at }): PromptMessage => {
    const was = before[at as number]
    const own = was ? partsOf(was) : []
    const more = was?.providerOptions ? { providerOptions: was.providerOptions } : {}
    const text = typeof content === 'string' ? content : ''
    switch (role) {
      case 'system':
        return { role, content: text, ...more }
      case 'user': {
        const given = (Array.isArray(content) ? content : [{ type: 'text', text }]) as {
          type: string
          text?: string
          index?: number
        }[]
        const same = given.length === own.length
        return {
          role,
          content: given.map((part, at) =>
            part.type === 'text'
              ? { ...(same ? own[at] : {}), type: 'text', text: part.text }
              : (own[part.index as number] as PromptPart),
          ),
          ...more,
        }
      }
      case 'assistant': {
        const kept = own.filter((part) => part.type !== 'text' && (calls !== undefined || !isCall(part)))
        const at = kept.findIndex(isCall)
        const said = text === '' && kept.length > 0 ? [] : [{ type: 'text', text }]
        return {
          role,
          content: at < 0 ? [...kept, ...said] : [...kept.slice(0, at), ...said, ...kept.slice(at)],
          ...more,
        }
      }
      default: {
        const result = own.find((part) => part['toolCallId'] === toolCallId)
        const modelOutput: PromptPart = { ...result, type: 'tool-result', output: { type: 'text', value: text } }
        return { role: 'tool', content: [modelOutput], ...more }
      }
    }
  })
}
