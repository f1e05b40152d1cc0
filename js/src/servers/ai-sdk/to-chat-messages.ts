// UI messages → messages for the model, for hosts that keep nothing but the page's.
import type { ChatMessage } from '../../engine/core/events.js'
import { array, isObject } from '../../engine/core/options.js'
import { SluiceError } from '../../engine/core/errors.js'
import { questionOf } from '../../app/conversations/for-model.js'
import { Refusal } from '../leg/leg-refusal.js'
import { callIn, isOpen, messagesIn, type CallPart, type PageMessage } from './page-messages.js'
import { writtenOf } from './posted-chat.js'
import type { UIMessage } from './ai-sdk-types.js'

/**
 * The messages of a page as messages for the model: `engine.run({ messages: [system, ...toChatMessages(messages)] })`.
 * Texts, pictures, calls and results are read; reasoning and what the providers said about it are not in them. Messages
 * with the role `system` are left out: give your own. Calls that have come to no end stay open at the end, where a run
 * takes them up; before it they count as not run. Nothing of it is checked: whoever can change the messages can have
 * the model read what they like.
 * @throws SluiceError `option` where a message is none.
 */
export function toChatMessages(messages: readonly UIMessage[]): ChatMessage[] {
  array(messages, 'messages')
  try {
    const list = messagesIn(messages)
    return list.flatMap((message, at) =>
      message.role === 'user'
        ? questionOf([writtenOf(message.id, message.parts)])
        : message.role === 'assistant'
          ? answeredIn(message, at === list.length - 1)
          : [],
    )
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new SluiceError({ code: 'option', path: 'messages', detail: error.message })
  }
}

/** @param last calls of its last step may be open */
function answeredIn({ parts }: PageMessage, last: boolean): ChatMessage[] {
  const steps: { text: string; calls: CallPart[] }[] = [{ text: '', calls: [] }]
  for (const part of parts) {
    const step = steps.at(-1) as (typeof steps)[number]
    const call = callIn(part)
    if (call) {
      if (call.state !== 'input-streaming') step.calls.push(call)
    } else if (isObject(part) && part['type'] === 'step-start') {
      steps.push({ text: '', calls: [] })
    } else if (isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string') {
      // Text behind calls was said when their results were there.
      if (step.calls.length > 0) steps.push({ text: part['text'], calls: [] })
      else step.text += part['text']
    }
  }
  const said = steps.filter(({ text, calls }) => text !== '' || calls.length > 0)
  return said.flatMap(({ text, calls }, at) => [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(calls.length > 0 ? { tool_calls: calls.map(calledIn) } : {}),
    },
    ...calls
      .filter((call) => !(last && at === said.length - 1 && isOpen(call)))
      .map(
        (call): ChatMessage => ({
          role: 'tool',
          tool_call_id: call.toolCallId,
          name: call.name,
          content: resultOf(call),
        }),
      ),
  ])
}

const calledIn = ({ toolCallId, name, input }: CallPart): NonNullable<ChatMessage['tool_calls']>[number] => ({
  id: toolCallId,
  type: 'function',
  function: { name, arguments: JSON.stringify(isObject(input) ? input : {}) },
})

/** What the model reads of a call that has come to an end, or comes to none. */
function resultOf({
  state,
  output,
  errorText,
  approval,
}: Pick<CallPart, 'state' | 'output' | 'errorText' | 'approval'>): string {
  if (state === 'output-available') return textOf(output)
  if (state === 'output-error') return typeof errorText === 'string' ? errorText : 'The tool failed.'
  if (state !== 'output-denied') return 'Not run, as far as is known.'
  return `The user refused it.${typeof approval?.['reason'] === 'string' ? ` ${approval['reason']}` : ''}`
}

/** Pictures by name: they are large, and a result can be text alone. */
function textOf(output: unknown): string {
  if (typeof output === 'string') return output
  if (!Array.isArray(output) || !output.every(isPart)) return JSON.stringify(output ?? null)
  return output
    .map((part) => (part.type === 'text' ? part.text : part.type === 'image' ? '[picture]' : '[file]'))
    .join('\n')
}

const isPart = (value: unknown): value is { type: 'image' | 'file' } | { type: 'text'; text: string } =>
  isObject(value) &&
  (value['type'] === 'image' || value['type'] === 'file'
    ? ['mediaType', 'url', 'id', 'name'].some((member) => member in value)
    : value['type'] === 'text' && typeof value['text'] === 'string')
