// Thoughts on `openai-chat` as gateways in front of Claude stream them: in pieces, of which the last signs the whole.
import type { Head, ScriptedAnswer, ScriptedAnswerPart, Splitter } from '../wire/scripted-answer.js'

/** The member in which a server on `openai-chat` sends thoughts. */
export type ThoughtMember = 'reasoning_content' | 'reasoning_details' | 'thinking_blocks'

/** An answer whose thoughts are pieces of a signed list, and the list as it must come back. */
export interface SignedThoughts {
  answer: ScriptedAnswer
  members: { readonly [member: string]: object[] }
}

/** Writes the thoughts of an answer into `member`. Each thought has a signature of its own. */
export function signThoughts(
  answer: ScriptedAnswer,
  member: Exclude<ThoughtMember, 'reasoning_content'>,
  { id, model, seal }: Pick<Head, 'id' | 'model' | 'seal'>,
  split: Splitter,
): SignedThoughts {
  const whole: object[] = []
  const event = (piece: object): ScriptedAnswerPart => ({
    raw: `data: ${JSON.stringify({
      id: `chatcmpl-${id}`,
      object: 'chat.completion.chunk',
      created: 0,
      model,
      choices: [{ index: 0, finish_reason: null, delta: { [member]: [piece] } }],
    })}\n\n`,
  })
  const pieces = (thought: string): string[] => (thought === '' ? [''] : [...split(thought)])
  const write = (thought: string): ScriptedAnswerPart[] => {
    const index = whole.length
    const signature = seal('thinking')
    if (member === 'thinking_blocks') {
      const piece = (thinking: string, signature: string): object => ({ type: 'thinking', thinking, signature })
      whole.push(piece(thought, signature))
      return [...pieces(thought).map((text) => event(piece(text, ''))), event(piece('', signature))]
    }
    const head = { type: 'reasoning.text', format: 'anthropic-claude-v1', index }
    whole.push({ ...head, text: thought, signature })
    return [...pieces(thought).map((text) => event({ ...head, text })), event({ ...head, signature })]
  }
  const { reasoning, text, calls, parts, ...rest } = answer
  const given: ScriptedAnswerPart[] = parts ?? [
    ...(reasoning === undefined ? [] : [{ reasoning }]),
    ...(text === undefined ? [] : [{ text }]),
    ...(calls === undefined ? [] : [{ calls }]),
  ]
  const written = given.flatMap((part) => ('reasoning' in part && !part.redacted ? write(part.reasoning) : [part]))
  return { answer: { ...rest, parts: written }, members: whole.length > 0 ? { [member]: whole } : {} }
}
