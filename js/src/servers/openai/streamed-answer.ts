// A stream of chunks: what says something is read and said anew, all else passes as it came.
import { Gathered, joined } from '../../engine/core/bytes.js'
import { isObject } from '../../engine/core/options.js'
import { BodyReader, MOST_BYTES } from './body-reader.js'
import type { ChoiceReader, Piece, ReadCall } from './choice-reader.js'
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
  type Completion,
  type Message,
} from './completion.js'
import { DIAGNOSTICS_HEADER } from './diagnostics.js'
import { AnswerFault, unreadable } from './openai-errors.js'
import type { AnswerTimes } from './openai-options.js'
import { decoded, SseEvents, type SseEvent } from './sse-events.js'
import type { ReadTranslation } from './translator.js'

/** Some servers keep a connection open behind their last word. */
const AFTER_THE_END_MS = 1000
/** While a call is written nothing comes out: what stands between may take so long a silence for a dead connection. */
const MOST_SILENCE_MS = 5000
/** Of what follows the end: the count of tokens. Beyond, it no longer waits for its place. */
const MOST_TAIL_BYTES = 1024 * 1024
/** Characters of one chunk of arguments. */
const ARGUMENT_CHUNK = 64 * 1024

const encoder = new TextEncoder()

/** One choice, and how it ends. */
interface Streamed {
  reader: ChoiceReader
  /** The member in which this server writes reasoning. */
  reasoning: string
  /** The chunk with the reason why it ended, which is told when its calls are. */
  last: { chunk: Completion; choice: Choice } | undefined
}

/** The answer's body, translated as the client reads it: no faster, and no longer. */
export function streamedBody(
  body: ReadableStream<Uint8Array>,
  translation: ReadTranslation,
  times: AnswerTimes,
): ReadableStream<Uint8Array> {
  const reader = new BodyReader(body, times)
  const stream = new StreamedAnswer(translation)
  let said = performance.now()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let out: Uint8Array[] = []
        while (out.length === 0 && !stream.ended) {
          out = await more(reader, stream)
          if (out.length === 0 && performance.now() - said > MOST_SILENCE_MS)
            out = [encoder.encode(': a call is being written\n\n')]
        }
        said = performance.now()
        if (out.length > 0) controller.enqueue(joined(out))
        if (!stream.ended) return
        reader.cancel()
        controller.close()
      },
      cancel(reason) {
        stream.close()
        reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

async function more(reader: BodyReader, stream: StreamedAnswer): Promise<Uint8Array[]> {
  try {
    const bytes = await reader.next(stream.finished ? AFTER_THE_END_MS : undefined)
    return bytes === undefined ? stream.end() : stream.take(bytes)
  } catch (error) {
    if (error instanceof AnswerFault) return stream.fail(error)
    if (error instanceof RangeError) return stream.fail(unreadable(error))
    stream.close()
    reader.cancel(error)
    throw error
  }
}

class StreamedAnswer {
  readonly #translation: ReadTranslation
  readonly #events = new SseEvents(MOST_BYTES)
  readonly #choices = new Map<number, Streamed>()
  /** A body that is one JSON document, though a stream was asked for; undefined before its first character. */
  #isJson: boolean | undefined
  readonly #json = new Gathered()
  /** What later chunks have in common with. */
  #envelope: Completion = { object: 'chat.completion.chunk', choices: [] }
  readonly #tail = new Gathered()
  /** Something of an event is lost: no call is whole any more. */
  #lost = false
  ended = false

  constructor(translation: ReadTranslation) {
    this.#translation = translation
  }

  /** Every choice has told why it ended. */
  get finished(): boolean {
    return (
      this.#choices.size === this.#translation.choices &&
      [...this.#choices.values()].every(({ last }) => last !== undefined)
    )
  }

  take(bytes: Uint8Array): Uint8Array[] {
    this.#isJson ??= looksLikeJson(bytes)
    if (this.#isJson !== true) return this.#takeAll(this.#events.feed(bytes))
    if (this.#json.size + bytes.length > MOST_BYTES) throw new RangeError(`it is larger than ${MOST_BYTES} bytes`)
    this.#json.add(bytes)
    return []
  }

  /** The body has ended. */
  end(): Uint8Array[] {
    const out = this.#takeAll(this.#isJson === true ? [wholeAsEvent(this.#json.take())] : this.#events.end())
    if (this.ended) return out
    if (this.finished) return [...out, ...this.#conclude()]
    const fault =
      this.#choices.size > 0
        ? new AnswerFault(
            'unfinished',
            "the answer broke off: the model's server closed the connection in the middle of it",
          )
        : new AnswerFault('empty_answer', "the model's server answered nothing that is a chunk of a chat completion")
    return [...out, ...this.fail(fault)]
  }

  /** The answer goes no further: what it said so far comes out, then why. */
  fail(fault: AnswerFault): Uint8Array[] {
    return this.#fail(encoder.encode(fault.event))
  }

  #fail(event: Uint8Array): Uint8Array[] {
    this.ended = true
    const out = [...this.#choices].flatMap(([index, choice]) =>
      this.#say(index, choice, choice.reader.end('network').pieces),
    )
    return [...out, this.#tail.take(), event]
  }

  close(): void {
    this.ended = true
    for (const { reader } of this.#choices.values()) reader.close()
  }

  #takeAll(events: readonly SseEvent[]): Uint8Array[] {
    return events.flatMap((event) => (this.ended ? [] : this.#takeEvent(event)))
  }

  #takeEvent(event: SseEvent): Uint8Array[] {
    const { data } = event
    if (data === undefined || data === '') return this.#pass(event.bytes)
    if (data.trim() === '[DONE]') return this.#conclude(event)
    if (event.broken) this.#lose('an event of the stream is no UTF-8')
    const value = parsed(data)
    if (!isObject(value)) {
      this.#lose('an event of the stream is no JSON object')
      return []
    }
    const chunk = asCompletion(value)
    if (chunk) return this.#takeChunk(chunk, event)
    if (value['error'] != null) return this.#fail(event.bytes)
    return this.#pass(event.bytes)
  }

  #lose(what: string): void {
    this.#translation.diagnostics.add('broken_event', what)
    this.#lost = true
  }

  /** What holds no choice. Behind the end of the choices it waits for what they still have to say. */
  #pass(bytes: Uint8Array): Uint8Array[] {
    if (!this.finished || this.#tail.size + bytes.length > MOST_TAIL_BYTES) return [bytes]
    this.#tail.add(bytes)
    return []
  }

  #takeChunk({ choices, usage, ...envelope }: Completion, event: SseEvent): Uint8Array[] {
    this.#envelope = { ...envelope, choices: [] }
    const only = choices.length === 1
    let counted = usage ?? undefined
    const out: Uint8Array[] = []
    for (const [position, choice] of choices.entries()) {
      const index = indexOf(choice, position)
      const streamed = this.#choices.get(index) ?? this.#open(index)
      const pieces = streamed?.reader.take(only && index === 0 ? event.bytes : alone(choice)) ?? []
      const { delta, message, ...rest } = choice
      const said = delta ?? message ?? {}
      if (streamed) streamed.reasoning = reasoningMember(said) ?? streamed.reasoning
      if (!streamed || (choice.finish_reason == null && message === undefined && saysJust(said, pieces))) {
        if (only) return [event.bytes]
        out.push(this.#chunk({ ...choice, index }))
        continue
      }
      if (choice.finish_reason == null) {
        out.push(...this.#say(index, streamed, pieces, unsaid(said), rest))
        continue
      }
      out.push(...this.#say(index, streamed, pieces))
      streamed.last = {
        chunk: { ...envelope, ...(counted === undefined ? {} : { usage: counted }), choices: [] },
        choice: { ...rest, index, delta: unsaid(said) },
      }
      counted = undefined
    }
    if (counted !== undefined)
      out.push(encoder.encode(`data: ${JSON.stringify({ ...this.#envelope, usage: counted })}\n\n`))
    return out
  }

  #open(index: number): Streamed | undefined {
    if (index >= this.#translation.choices) return undefined
    const streamed = { reader: this.#translation.read(), reasoning: 'reasoning_content', last: undefined }
    this.#choices.set(index, streamed)
    return streamed
  }

  /** Chunks with these pieces; the first of them has what else stood in the server's. */
  #say(
    index: number,
    { reasoning }: Streamed,
    pieces: readonly Piece[],
    more: Message = {},
    rest: Omit<Choice, 'delta'> = {},
  ): Uint8Array[] {
    const deltas: Message[] = pieces.map(({ kind, text }) => ({ [kind === 'content' ? 'content' : reasoning]: text }))
    if (deltas.length === 0 && Object.keys(more).length === 0 && rest['logprobs'] == null) return []
    const [first = {}, ...others] = deltas
    return [
      this.#chunk({ finish_reason: null, ...rest, index, delta: { ...more, ...first } }),
      ...others.map((delta) => this.#chunk({ index, delta, finish_reason: null })),
    ]
  }

  #chunk(choice: Choice, envelope: Completion = this.#envelope): Uint8Array {
    return encoder.encode(`data: ${JSON.stringify({ ...envelope, choices: [choice] })}\n\n`)
  }

  /** Everything was said: the calls, why each choice ended, what the server told behind that, and the end. */
  #conclude(done?: SseEvent): Uint8Array[] {
    this.ended = true
    const out: Uint8Array[] = []
    const endings = [...this.#choices].map(([index, streamed]) => {
      if (done) out.push(...this.#say(index, streamed, streamed.reader.take(done.bytes)))
      const ending = streamed.reader.end(this.#lost ? 'network' : 'complete')
      out.push(...this.#say(index, streamed, ending.pieces))
      return { index, ...streamed, ...ending }
    })
    this.#choices.clear()
    const fault = endings.find((one) => one.fault)?.fault
    if (fault) return [...out, ...this.fail(fault)]
    for (const { index, calls, last } of endings) {
      const { chunk = this.#envelope, choice = { index, delta: {} } } = last ?? {}
      out.push(
        ...this.#call(index, calls),
        this.#chunk({ ...choice, finish_reason: finishReason(choice.finish_reason, calls) }, chunk),
      )
    }
    const counts = this.#translation.diagnostics.toString()
    if (counts !== '') out.push(encoder.encode(`: ${DIAGNOSTICS_HEADER}: ${counts}\n\n`))
    return [...out, this.#tail.take(), done?.bytes ?? encoder.encode('data: [DONE]\n\n')]
  }

  /** Id and name first, then the arguments: what clients wait for. */
  #call(index: number, calls: readonly ReadCall[]): Uint8Array[] {
    return calls.flatMap((call, at) => {
      const tell = (said: object): Uint8Array =>
        this.#chunk({ index, delta: { tool_calls: [{ index: at, ...said }] }, finish_reason: null })
      const out = [tell(writtenCall({ ...call, arguments: '' }))]
      for (const piece of call.arguments.match(new RegExp(`[^]{1,${ARGUMENT_CHUNK}}`, 'gu')) ?? [])
        out.push(tell({ function: { arguments: piece } }))
      return out
    })
  }
}

/** The first character tells; undefined where only white space came. Of the header nothing is believed. */
function looksLikeJson(bytes: Uint8Array): boolean | undefined {
  const first = bytes.find((byte) => byte > 32)
  return first === undefined ? undefined : first === 0x7b || first === 0x5b
}

/** A whole answer as the one event of a stream. */
function wholeAsEvent(bytes: Uint8Array): SseEvent {
  const { text, broken } = decoded(bytes)
  const completion = asCompletion(parsed(text))
  if (completion) return { bytes, broken, data: JSON.stringify({ ...completion, object: 'chat.completion.chunk' }) }
  return { bytes: encoder.encode(`data: ${text.replaceAll(/[\r\n]+/g, ' ')}\n\n`), broken, data: text }
}
