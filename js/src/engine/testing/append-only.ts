// A conversation grows at its end: what a request told, the next one tells again, word for word. Providers find what
// they have read before by this (prompt caches), and newer models sign it.
import type { ScriptedWire } from '../wire/scripted-answer.js'
import { objects, type RequestJson } from './strict-refusal.js'

/** What a request tells the model, in an order that only grows. */
export interface SentText {
  /** What stands before the conversation, by its name in the body. */
  before: { readonly [name: string]: string | undefined }
  /** Every message, block, part or item, with its role. */
  items: readonly string[]
}

/** As JSON, without the marks of a cache, which wander. */
const text = (value: unknown): string =>
  JSON.stringify(value, (name, member: unknown) => (name === 'cache_control' ? undefined : member))

/** A text as the only part of a content, where a mark of a cache can stand, is that text. */
function plainContent(content: unknown): unknown {
  if (!Array.isArray(content) || content.length !== 1) return content
  const { type, text: said, cache_control: mark } = content[0] as RequestJson
  return type === 'text' && mark !== undefined ? said : content
}

const pieces = (messages: unknown, member: 'content' | 'parts'): string[] =>
  objects(messages).flatMap((message) => {
    const content: unknown = message[member]
    const some = typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content)
    return some.map((piece) => text([message['role'], piece]))
  })

const tellers: { readonly [wire in ScriptedWire]: (body: RequestJson) => SentText } = {
  'openai-chat': ({ tools, messages }) => ({
    before: { tools: text(tools) },
    items: objects(messages).map((message) => text({ ...message, content: plainContent(message['content']) })),
  }),
  anthropic: ({ system, tools, messages }) => ({
    before: { system: text(system), tools: text(tools) },
    items: pieces(messages, 'content'),
  }),
  gemini: ({ systemInstruction, tools, contents }) => ({
    before: { systemInstruction: text(systemInstruction), tools: text(tools) },
    items: pieces(contents, 'parts'),
  }),
  'gemini-interactions': ({ system_instruction: instruction, tools, input }) => ({
    before: { system_instruction: text(instruction), tools: text(tools) },
    items: typeof input === 'string' ? [text({ role: 'user', content: input })] : objects(input).map(text),
  }),
  'openai-responses': ({ instructions, tools, input }) => ({
    before: { instructions: text(instructions), tools: text(tools) },
    items: typeof input === 'string' ? [text({ role: 'user', content: input })] : objects(input).map(text),
  }),
  // no `tool_choice`: tools that are not to be called are left out
  ollama: ({ messages }) => ({ before: {}, items: objects(messages).map(text) }),
}

export const sentText = (wire: ScriptedWire, body: RequestJson): SentText => tellers[wire](body)

/** Names the first thing that `later` does not repeat from `earlier`, or undefined. */
export function changeOf(earlier: SentText, later: SentText): string | undefined {
  for (const [name, value] of Object.entries(earlier.before)) if (later.before[name] !== value) return `'${name}'`
  const at = earlier.items.findIndex((item, index) => later.items[index] !== item)
  if (at < 0) return undefined
  return `piece ${at} (${short(earlier.items[at]!)}; now ${short(later.items[at] ?? 'nothing')})`
}

const short = (item: string): string => (item.length > 200 ? `${item.slice(0, 200)}…` : item)

/** The conversations of a server: each is known by its first user message, its wire and its model. */
export class Conversations {
  readonly #last = new Map<string, SentText>()

  /**
   * Why this request does not go on with the last one of its conversation, or null. A shorter one asks again; the
   * question alone asks anew.
   */
  check(wire: ScriptedWire, model: string, body: RequestJson): string | null {
    const now = sentText(wire, body)
    const last = this.#last.get(keyOf(wire, model, now))
    if (!last || now.items.length === firstQuestion(now) + 1) return null
    const change = changeOf({ ...last, items: last.items.slice(0, now.items.length) }, now)
    return change
      ? `a request must begin with the one before it (append only): ${change} has changed. The option appendOnly: false allows it`
      : null
  }

  keep(wire: ScriptedWire, model: string, body: RequestJson): void {
    const now = sentText(wire, body)
    this.#last.set(keyOf(wire, model, now), now)
  }

  forget(wire: ScriptedWire, model: string, body: RequestJson): void {
    this.#last.delete(keyOf(wire, model, sentText(wire, body)))
  }
}

const firstQuestion = ({ items }: SentText): number =>
  items.findIndex((item) => /"role":"user"|"type":"user_input"|^\["user"/.test(item))

const keyOf = (wire: ScriptedWire, model: string, sent: SentText): string =>
  `${wire} ${model} ${sent.items[firstQuestion(sent)]}`
