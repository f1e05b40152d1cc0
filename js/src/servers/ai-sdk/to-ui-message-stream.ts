import { flag, func, is, members } from '../../engine/core/options.js'
import type { Run } from '../../engine/core/run.js'
import { eventsUntilQuiet } from '../leg/until-quiet.js'
import { MessageWriter, type WriterOptions } from './message-writer.js'
import type { UIMessageChunk } from './ai-sdk-types.js'

export const messageId = is(
  'an id of 1 to 200 characters',
  (value) => typeof value === 'string' && value !== '' && value.length <= 200,
)
export const writerChecks = { sendReasoning: flag, sendDiagnostics: flag, dynamic: func('(tool) => true | false') }
export const checkWriter = members({ members: writerChecks })
const check = members({
  members: { ...writerChecks, messageId } satisfies { [member in keyof Required<WriterOptions>]: unknown },
})

/**
 * A run as the chunks that the AI SDK's `Chat` and `useChat` read, for `createUIMessageStreamResponse({ stream })` and
 * `readUIMessageStream`. It ends when the turn is over, or when nothing but people or tools of the client is waited
 * for: then `run.suspend()` gives the state to go on from. Cancelling the stream cancels the run. A run that was
 * resumed continues the message with the same `messageId`.
 * @throws SluiceError `option` where an option is wrong.
 */
export function toUIMessageStream(run: Run, options: WriterOptions = {}): ReadableStream<UIMessageChunk> {
  check(options, 'options')
  const writer = new MessageWriter(options.messageId ?? run.id, run.tools, options)
  if (run.before) writer.retell(run.before) // the page has it
  const chunks = chunksOf(run, writer)
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) return controller.close()
      for (const chunk of value) controller.enqueue(chunk)
    },
    async cancel() {
      await run.cancel('the client went away')
    },
  })
}

async function* chunksOf(run: Run, writer: MessageWriter): AsyncGenerator<UIMessageChunk[], void, undefined> {
  yield [writer.start]
  let over = false
  for await (const event of eventsUntilQuiet(run)) {
    over ||= event.type === 'done'
    const chunks = writer.take(event)
    if (chunks.length > 0) yield chunks
  }
  yield writer.end(over ? await run.done : 'waiting')
}
