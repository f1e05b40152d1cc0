import { flag, is, members, text } from '../../engine/core/options.js'
import type { Run } from '../../engine/core/run.js'
import { eventsUntilQuiet } from '../leg/until-quiet.js'
import { EventWriter, type EventOptions, type WrittenRun } from './event-writer.js'
import type { AGUIEvent } from './ag-ui-types.js'

const name = is('a text of at least one character', (value) => typeof value === 'string' && value !== '')
export const eventChecks = { activities: flag, reason: name }
const checkOptions = members({ members: eventChecks satisfies { [member in keyof Required<EventOptions>]: unknown } })
const checkInput = members({
  members: { threadId: name, runId: name, protocolVersion: text },
  needs: ['threadId', 'runId'],
  open: true,
})

/**
 * A run as the events of AG-UI, in the shapes that the client of this input reads. They end when the turn is over, or
 * when nothing but people or tools of the client is waited for: then `run.suspend()` gives the state to go on from.
 * Whoever leaves cancels the run. The events of a run that was resumed continue the answer, as another run of the same
 * thread.
 * @throws SluiceError `option` where an option is wrong.
 */
export function toAGUIEvents(run: Run, input: WrittenRun, options: EventOptions = {}): AsyncIterable<AGUIEvent> {
  checkInput(input, 'input')
  checkOptions(options, 'options')
  return { [Symbol.asyncIterator]: () => eventsOf(run, new EventWriter(input, run.id, run.tools, options)) }
}

async function* eventsOf(run: Run, writer: EventWriter): AsyncGenerator<AGUIEvent, void, undefined> {
  let [over, read] = [false, false]
  try {
    yield writer.start
    if (run.before) writer.retell(run.before)
    for await (const event of eventsUntilQuiet(run)) {
      over ||= event.type === 'done'
      yield* writer.take(event)
    }
    read = true
    yield* writer.end(over ? await run.done : { outcome: 'suspended', message: run.snapshot })
  } finally {
    if (!read) void run.cancel('the client went away')
  }
}
