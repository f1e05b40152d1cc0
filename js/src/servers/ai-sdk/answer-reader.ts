// The answer of a model of the AI SDK, whose text is read: what else it says passes.
import type { ChoiceReader } from '../openai/choice-reader.js'
import { alone } from '../openai/completion.js'
import { AnswerWriter, usageOf, type MalformedCalls } from './model-answer.js'
import type { ModelFinishReason, ModelStreamPart } from './model-types.js'

/** A part as the model gives it. */
export interface GivenPart {
  type: string
  [member: string]: unknown
}

/** What may stand in the middle of a text. */
const beside = new Set(['stream-start', 'response-metadata', 'ping', 'raw'])
const finishReasons: { readonly [unified: string]: string } = { length: 'length', 'content-filter': 'content_filter' }
/** Such an answer has no end. */
const broken = new Set<unknown>(['error', 'interrupted'])

export class AnswerReader {
  readonly #reader: ChoiceReader
  readonly #writer: AnswerWriter
  /** The model says that something went wrong: no call is known to be whole. */
  #failed = false
  /** The model calls something by itself. */
  #calls = false
  #ended = false

  constructor(reader: ChoiceReader, malformed: MalformedCalls) {
    this.#reader = reader
    this.#writer = new AnswerWriter(malformed)
  }

  take(part: GivenPart): ModelStreamPart[] {
    switch (part.type) {
      case 'text-start':
      case 'text-end':
        return []
      case 'text-delta':
      case 'text': {
        const content = part['delta'] ?? part['text']
        return content === '' ? [] : this.#writer.say(this.#reader.take(alone({ delta: { content } })))
      }
      case 'finish':
        return this.#finish(part as GivenPart & Extract<ModelStreamPart, { type: 'finish' }>)
      case 'tool-call':
        this.#calls ||= part['providerExecuted'] !== true
        break
      case 'error':
        this.#failed = true
    }
    const passed = part as unknown as ModelStreamPart
    return beside.has(part.type) ? [passed] : [...this.#writer.close(), passed]
  }

  /** There is no more, whether the model said why or not. */
  end(): ModelStreamPart[] {
    if (this.#ended) return []
    this.#ended = true
    const parts = this.#writer.end(this.#reader.end('network'), {
      type: 'finish',
      finishReason: { unified: 'error', raw: undefined },
      usage: usageOf(),
    })
    return parts.filter(({ type }) => type !== 'finish')
  }

  close(): void {
    this.#ended = true
    this.#reader.close()
  }

  #finish(part: Extract<ModelStreamPart, { type: 'finish' }>): ModelStreamPart[] {
    const { unified } = part.finishReason as ModelFinishReason
    const failed = this.#failed || broken.has(unified)
    const last = this.#reader.take(alone({ delta: {}, finish_reason: finishReasons[unified] ?? 'stop' }))
    this.#ended = true
    return [
      ...this.#writer.say(last),
      ...this.#writer.end(this.#reader.end(failed ? 'network' : 'complete'), part, this.#calls),
    ]
  }
}

/** The stream, read as it is asked for. */
export function readStream(stream: ReadableStream<GivenPart>, reader: AnswerReader): ReadableStream<ModelStreamPart> {
  const source = stream.getReader()
  let failure: { error: unknown } | undefined
  return new ReadableStream<ModelStreamPart>(
    {
      async pull(controller) {
        if (failure) throw failure.error
        for (let out: ModelStreamPart[] = []; out.length === 0; ) {
          let done = false
          try {
            const read = await source.read()
            done = read.done
            out = read.done ? reader.end() : reader.take(read.value)
          } catch (error) {
            failure = { error } // behind what was said so far
            out = reader.end()
            if (out.length === 0) throw error
          }
          for (const part of out) controller.enqueue(part)
          if (done) return controller.close()
        }
      },
      async cancel(reason) {
        reader.close()
        await source.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
