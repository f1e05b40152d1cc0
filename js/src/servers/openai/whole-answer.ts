// An answer that is one JSON document.
import type { AnswerEnd } from '../../engine/core/turn.js'
import { BodyReader } from './body-reader.js'
import type { Piece } from './choice-reader.js'
import {
  alone,
  asCompletion,
  finishReason,
  indexOf,
  parsed,
  reasoningMember,
  saysJust,
  unsaid,
  writtenCall,
  type Choice,
} from './completion.js'
import { AnswerFault } from './openai-errors.js'
import type { AnswerTimes } from './openai-options.js'
import { decoded } from './sse-events.js'
import type { ReadTranslation } from './translator.js'

/** The answer's body, translated; `isJson` is false where it is none. Throws AnswerFault where there is no answer. */
export async function wholeBody(
  body: ReadableStream<Uint8Array>,
  translation: ReadTranslation,
  times: AnswerTimes,
): Promise<{ body: Uint8Array<ArrayBuffer> | string; isJson: boolean }> {
  const bytes = await new BodyReader(body, times).all()
  const { text, broken } = decoded(bytes)
  if (/^\s*(?:data|event|id|retry)?:/.test(text))
    throw new AnswerFault('provider', "the model's server answered with a stream, and none was asked for")
  const value = parsed(text)
  if (value === undefined) return { body: bytes, isJson: false } // the client says so
  const completion = asCompletion(value)
  if (!completion) return { body: bytes, isJson: true }
  const only = completion.choices.length === 1 && indexOf(completion.choices[0] as Choice, 0) === 0
  if (broken) translation.diagnostics.add('broken_event', 'the answer is no UTF-8')
  const choices = completion.choices.map((choice, position) =>
    position < translation.choices
      ? readChoice(choice, only ? bytes : alone(choice), broken ? 'network' : 'complete', translation)
      : choice,
  )
  return {
    body: choices.every((choice, at) => choice === completion.choices[at])
      ? bytes
      : JSON.stringify({ ...completion, choices }),
    isJson: true,
  }
}

const textOf = (pieces: readonly Piece[], wanted: Piece['kind']): string =>
  pieces.map(({ kind, text }) => (kind === wanted ? text : '')).join('')

/** The choice itself where there is nothing to change. */
function readChoice(choice: Choice, bytes: Uint8Array | string, how: AnswerEnd, { read }: ReadTranslation): Choice {
  const reading = read()
  const before = reading.take(bytes)
  const { pieces, calls, fault } = reading.end(how)
  if (fault) throw fault
  const message = choice.message ?? {}
  const said = [...before, ...pieces]
  const [content, reasoning] = [textOf(said, 'content'), textOf(said, 'reasoning')]
  const compact: Piece[] = [
    ...(reasoning ? [{ kind: 'reasoning', text: reasoning } as const] : []),
    ...(content ? [{ kind: 'content', text: content } as const] : []),
  ]
  const reason = finishReason(choice.finish_reason, calls)
  if (calls.length === 0 && saysJust(message, compact) && reason === choice.finish_reason) return choice
  return {
    ...choice,
    message: {
      ...unsaid(message),
      content: content === '' ? null : content,
      ...(reasoning === '' ? {} : { [reasoningMember(message) ?? 'reasoning_content']: reasoning }),
      ...(calls.length > 0 ? { tool_calls: calls.map(writtenCall) } : {}),
    },
    finish_reason: reason,
  }
}
