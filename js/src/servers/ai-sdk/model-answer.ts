// What a reader finds in an answer → the parts that the AI SDK's models give.
import type { Json, Usage } from '../../engine/core/events.js'
import type { BrokenCall, Ending, Piece, ReadCall } from '../openai/choice-reader.js'
import type { ModelContent, ModelFinishReason, ModelStreamPart, ModelUsage } from './model-types.js'

/** What becomes of a call that lost something. */
export type MalformedCalls = 'text' | 'report'

/** Reasons of an answer that the model itself ended, or that grew too long: it may be told what was wrong. */
const complete = new Set<string>(['stop', 'length', 'tool-calls', 'other'])

/** Characters of a broken call that are told again: the model has seen it. */
const MOST_RAW = 4000

type Finish = Extract<ModelStreamPart, { type: 'finish' }>

export class AnswerWriter {
  readonly #malformed: MalformedCalls
  /**
   * The calls that have begun, and what is known of their arguments; `json`: those that are JSON come as they are
   * written, undefined until a character tells.
   */
  readonly #begun = new Map<string, { text: string; json: boolean | undefined }>()
  #count = 0
  #open: { kind: 'text' | 'reasoning'; id: string } | undefined
  /** White space that stands in front of text, or of nothing: between calls, and in empty reasoning. */
  #blank: Piece = { kind: 'content', text: '' }

  constructor(malformed: MalformedCalls) {
    this.#malformed = malformed
  }

  say(pieces: readonly Piece[]): ModelStreamPart[] {
    const out: ModelStreamPart[] = []
    for (const { kind: said, text, call } of pieces) {
      if (call) {
        out.push(...this.#input(call, text))
        continue
      }
      const kind = said === 'content' ? 'text' : 'reasoning'
      if (this.#open?.kind === kind) {
        out.push({ type: `${kind}-delta`, id: this.#open.id, delta: text })
        continue
      }
      const delta = (this.#blank.kind === said ? this.#blank.text : '') + text
      this.#blank = { kind: said, text: delta }
      if (delta.trim() === '') continue
      out.push(...this.close())
      this.#open = { kind, id: `sluice-${this.#count++}` }
      out.push({ type: `${kind}-start`, id: this.#open.id }, { type: `${kind}-delta`, id: this.#open.id, delta })
    }
    return out
  }

  /** Ends the part that is open. */
  close(): ModelStreamPart[] {
    const open = this.#open
    this.#open = undefined
    this.#blank = { kind: 'content', text: '' }
    return open ? [{ type: `${open.kind}-end`, id: open.id }] : []
  }

  /**
   * The calls, and why the answer ended. `given`: what the server says of that. `others`: there are calls beside these.
   */
  end(
    { pieces, calls, broken, fault }: Ending,
    { finishReason: given, ...finish }: Finish,
    others = false,
  ): ModelStreamPart[] {
    const whole = !fault && complete.has(given.unified)
    const reports = this.#malformed === 'report' && whole ? broken.filter(isNamed) : []
    const unread = this.#malformed === 'report' && !whole ? new Set(broken.filter(isNamed).map(({ raw }) => raw)) : []
    const out = [
      ...this.say([...pieces, ...Array.from(unread, (text): Piece => ({ kind: 'content', text }))]),
      ...this.close(),
    ]
    if (!fault)
      out.push(...calls.flatMap((call) => this.#written(call)), ...reports.flatMap((call) => this.#reported(call)))
    for (const id of this.#begun.keys()) out.push({ type: 'tool-input-end', id })
    if (fault)
      return [
        ...out,
        { type: 'error', error: fault },
        { ...finish, finishReason: { unified: 'error', raw: given.raw } },
      ]
    const finishReason = reasonOf(given, {
      calls: others || calls.length + reports.length > 0,
      broken: broken.length > 0,
    })
    if (broken.length === 0) return [...out, { ...finish, finishReason }]
    const sluice = { broken: broken.map(({ name, reason, error }): Json => ({ tool: name ?? null, reason, error })) }
    return [...out, { ...finish, finishReason, providerMetadata: { ...finish.providerMetadata, sluice } }]
  }

  /** More of the arguments of a call, while it is written. */
  #input({ id, name: toolName }: NonNullable<Piece['call']>, text: string): ModelStreamPart[] {
    const known = this.#begun.get(id)
    const begun = known ?? { text: '', json: undefined }
    const out: ModelStreamPart[] = known ? [] : [...this.close(), { type: 'tool-input-start', id, toolName }]
    this.#begun.set(id, begun)
    begun.text += text
    begun.json ??= /\S/.test(begun.text) ? begun.text.trimStart().startsWith('{') : undefined
    if (begun.json !== true || text === '') return out
    out.push({ type: 'tool-input-delta', id, delta: begun.text })
    begun.text = ''
    return out
  }

  #written({ id, name: toolName, arguments: input }: ReadCall): ModelStreamPart[] {
    const sent = this.#begun.get(id)?.json === true
    const start: ModelStreamPart[] = this.#begun.delete(id) ? [] : [{ type: 'tool-input-start', id, toolName }]
    return [
      ...start,
      ...(sent ? [] : [{ type: 'tool-input-delta', id, delta: input } as const]),
      { type: 'tool-input-end', id },
      { type: 'tool-call', toolCallId: id, toolName, input },
    ]
  }

  /** A call whose input is no JSON, whatever the model wrote: the AI SDK refuses it, and tells the model. */
  #reported({ id, name: toolName, error, reason, raw }: BrokenCall & { name: string }): ModelStreamPart[] {
    const end: ModelStreamPart[] = this.#begun.delete(id) ? [{ type: 'tool-input-end', id }] : []
    return [
      ...end,
      { type: 'tool-call', toolCallId: id, toolName, input: `Not run, ${error || reason}: ${raw.slice(0, MOST_RAW)}` },
    ]
  }
}

const isNamed = (call: BrokenCall): call is BrokenCall & { name: string } => call.name !== undefined

function reasonOf(
  { unified, raw }: ModelFinishReason,
  { calls, broken }: { calls: boolean; broken: boolean },
): ModelFinishReason {
  if (!complete.has(unified)) return { unified, raw }
  if (calls) return { unified: 'tool-calls', raw }
  if (broken && unified !== 'length') return { unified: 'error', raw }
  return { unified: unified === 'tool-calls' ? 'stop' : unified, raw }
}

/** What a whole answer does not have. */
const streamed = new Set([
  'stream-start',
  'text-end',
  'reasoning-end',
  'tool-input-start',
  'tool-input-delta',
  'tool-input-end',
])

/** The parts of a stream as a whole answer. Throws the error that is among them. */
export function wholeOf(parts: readonly ModelStreamPart[]): { content: ModelContent[]; finish: Finish | undefined } {
  const content: ModelContent[] = []
  let finish: Finish | undefined
  for (const part of parts) {
    if (part.type === 'error') throw part.error
    if (part.type === 'text-start' || part.type === 'reasoning-start')
      content.push({ type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' })
    else if (part.type === 'text-delta' || part.type === 'reasoning-delta')
      (content.at(-1) as { text: string }).text += part.delta
    else if (part.type === 'finish') finish = part
    else if (!streamed.has(part.type)) content.push(part as ModelContent)
  }
  return { content, finish }
}

/** Tokens as the AI SDK counts them. */
export function usageOf({
  inputTokens: input,
  outputTokens: output,
  cachedTokens: cacheRead,
  cacheWriteTokens: cacheWrite,
  reasoningTokens: reasoning,
}: Usage = {}): ModelUsage {
  const less = (all: number | undefined, part = 0): number | undefined =>
    all === undefined ? undefined : Math.max(0, all - part)
  return {
    inputTokens: { total: input, noCache: less(input, (cacheRead ?? 0) + (cacheWrite ?? 0)), cacheRead, cacheWrite },
    outputTokens: { total: output, text: less(output, reasoning), reasoning },
  }
}
