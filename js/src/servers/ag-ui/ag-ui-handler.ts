// The server behind AG-UI's `HttpAgent` and CopilotKit: a conversation in a store, one leg of its turn for every run
// that a client asks for.
import type { Engine, NeedsContext } from '../../engine/core/engine.js'
import type { ChatMessage, ToolUseBlock } from '../../engine/core/events.js'
import { func, members } from '../../engine/core/options.js'
import type { Run } from '../../engine/core/run.js'
import type { Conversation } from '../../app/conversations/conversation-types.js'
import { isDurable } from '../durable/durable-answers.js'
import type { Durable } from '../durable/durable-types.js'
import { Answers, type ClientOutput } from '../leg/leg-answers.js'
import { LegHandler, type RequestReader } from '../leg/handler.js'
import type { Leg } from '../leg/leg.js'
import { CLIENT_TOOLS, clientToolsBeside, clientToolsOf, savedTools, withClientTools } from '../leg/client-tools.js'
import {
  checkedRun,
  legChecks,
  NEW_MESSAGE,
  type Answer,
  type ChatRun,
  type LegOptions,
  type WaitingAnswer,
} from '../leg/legs.js'
import { callName, numberOfCall, questionName } from '../leg/names.js'
import type { AGUIRunRequest } from './ag-ui-request.js'
import { newOf, nextOf, withContext } from './branch.js'
import { Conflict, continues, noted } from './conflict.js'
import { DurableThreads, type DurableAGUIOptions } from './durable-threads.js'
import { EventWriter, type EventOptions } from './event-writer.js'
import { postedOf, wayOf, type Posted } from './posted-run.js'
import { eventChecks } from './to-ag-ui-events.js'
import type { AGUIEvent } from './ag-ui-types.js'

/** What `agUIHandler` takes. */
export interface AGUIHandlerOptions<C = unknown> extends Omit<LegOptions, 'log'>, EventOptions {
  /** Says how a turn is run: called for every request that begins a turn, or goes on with one. */
  run: (request: AGUIRunRequest) => (ChatRun<C> & NeedsContext<C>) | Promise<ChatRun<C> & NeedsContext<C>>
}

const { log: _, ...checks } = legChecks // a client of AG-UI does not come back to a run
const checkOptions = members({
  members: {
    ...eventChecks,
    ...checks,
    run: func('(request) => { model, … }'),
  } satisfies { [member in keyof Required<AGUIHandlerOptions>]: unknown },
  needs: ['run', 'store', 'authorize'],
})

/**
 * The server's side of AG-UI's `HttpAgent`, 1.0 and 0.0.x, for Next, Hono, Bun, Deno or, by `nodeListener` of
 * `sluice/web`, for Node; in the process of a `CopilotRuntime`, as the `fetch` of its `HttpAgent`. Of what a client
 * sends, what a person wrote last is read, decisions, and results of its own tools; the conversation is the store's.
 * One process runs all requests of a conversation.
 * @throws SluiceError `option` where an option is wrong.
 */
export function agUIHandler<C>(
  engine: Engine<C>,
  options: AGUIHandlerOptions<C>,
): (request: Request) => Promise<Response>
/**
 * The same in front of durable turns: runs start, decide and read, workers do the work. Any process answers any
 * request, where they share the stores.
 * @throws SluiceError `option` where an option is wrong.
 */
export function agUIHandler(turns: Durable, options: DurableAGUIOptions): (request: Request) => Promise<Response>
export function agUIHandler<C>(
  runner: Engine<C> | Durable,
  options: AGUIHandlerOptions<C> | DurableAGUIOptions,
): (request: Request) => Promise<Response> {
  const threads = isDurable(runner)
    ? new DurableThreads(runner, options as DurableAGUIOptions, reader)
    : new Threads(runner as Engine, options as AGUIHandlerOptions, reader, checkOptions)
  return (request) => threads.respond(request)
}

const reader: RequestReader<Posted> = {
  name: 'agUIHandler',
  framing: { headers: {}, last: '' },
  members: 'threadId, runId and messages',
  wayOf,
  postedOf,
  reported: ({ input }, error) =>
    error instanceof Conflict ? [new EventWriter(input, '', []).start, error.event] : undefined,
}

class Threads extends LegHandler<Posted, AGUIEvent, AGUIHandlerOptions> {
  protected async legOf(posted: Posted): Promise<Leg<AGUIEvent>> {
    const { id } = posted
    const leg = this.legs.get(id)
    // it is being saved, or cancelled
    if (leg && (leg.isEnding || (!leg.isRead && this.options.onDisconnect !== 'continue'))) await leg.over
    let kept = await this.options.store.load(id)
    if (leg && !this.legs.get(id)) kept = await this.options.store.load(id) // it was saved meanwhile
    const next = nextOf(posted.messages, kept)
    if (this.legs.get(id)) {
      if (next.fresh.length === 0) throw new Conflict('stale', 'the answer is still being written')
      if (!(await this.legs.stopRunning(id, NEW_MESSAGE))) await this.close(id, NEW_MESSAGE, posted)
      return await this.#begin(posted)
    }
    const waiting = await this.legs.waiting(id)
    return await (waiting ? this.#goOn(posted, waiting, next.fresh.length > 0) : this.#begin(posted, kept))
  }

  protected async close(id: string, reason: string, posted?: Posted): Promise<boolean> {
    const waiting = posted && (await this.legs.waiting(id))
    if (waiting) await this.legs.close(id, waiting, await this.#resume(posted, waiting), reason)
    return waiting !== undefined
  }

  async #run({ id, input, state }: Posted, messages: ChatMessage[]): Promise<ChatRun> {
    return checkedRun(await this.options.run({ id, messages, input, setState: state.set }))
  }

  #led({ id, input, state }: Posted, run: Run, answer: Answer, answers?: Answers): Leg<AGUIEvent> {
    const leg = this.legs.lead(id, run, answer, new EventWriter(input, answer.id, run.tools, this.options), answers)
    state.begin((event) => {
      if (this.legs.get(id) === leg) leg.append(event)
    })
    return leg
  }

  /** @param kept as it is stored now */
  async #begin(posted: Posted, kept?: Conversation | null): Promise<Leg<AGUIEvent>> {
    const { id } = posted
    const tools = clientToolsBeside(this.engine, clientToolsOf(posted.input.tools))
    const stored = kept === undefined ? await this.options.store.load(id) : kept
    const { left, ...next } = newOf(posted, stored)
    const branch = await this.legs.keep(id, stored, next)
    const given = async (messages: ChatMessage[]): Promise<ChatRun> => ({
      ...withContext(await this.#run(posted, messages), posted.context),
      ...(tools.length > 0 ? { [CLIENT_TOOLS]: tools } : {}),
    })
    const { run, answer } = await this.legs.begin(id, branch, given, (options) =>
      withClientTools(this.engine, tools, (engine) => engine.run(options)),
    )
    const leg = this.#led(posted, run, answer)
    for (const detail of left) leg.append(noted('unsupported', detail))
    return leg
  }

  async #resume(posted: Posted, waiting: WaitingAnswer): Promise<Run> {
    const given = await this.#run(posted, [])
    return withClientTools(this.engine, savedTools(waiting.state), (engine) =>
      this.legs.goOn(posted.id, waiting, given, engine),
    )
  }

  async #goOn(posted: Posted, waiting: WaitingAnswer, isFresh: boolean): Promise<Leg<AGUIEvent>> {
    const run = await this.#resume(posted, waiting)
    try {
      const questions = run.questions.map((event) => questionName(waiting.id, event))
      if (!continues(waiting.id, questions, openCalls(run), posted, isFresh))
        return await this.#closeAndBegin(posted, waiting, run)
      const { decisions = new Map() } = posted
      const former = [...decisions.keys()].filter((name) => !questions.includes(name))
      const asked = run.questions.map(({ call }): number | undefined => call)
      // what is approved now has no result yet
      const outputs = new Map([...posted.outputs].filter(([name]) => !asked.includes(numberOfCall(waiting.id, name))))
      const leg = this.#led(
        posted,
        run,
        waiting,
        new Answers(run, { message: waiting.id, decisions, outputs }, this.legs.most),
      )
      for (const interruptId of former)
        leg.append(
          noted('stale', 'this question does not wait any more: nothing was done by its answer', { interruptId }),
        )
      return leg
    } catch (error) {
      await run.suspend() // what is stored stays as it is
      throw error
    }
  }

  /** The turn ends with what the client's tools gave, and a person's message follows. */
  async #closeAndBegin(posted: Posted, waiting: WaitingAnswer, run: Run): Promise<Leg<AGUIEvent>> {
    // it would begin with the result before it
    for (const block of callsOf(run))
      if (block.status === 'pending' && !isClients(run, block)) run.cancelCall(block.call, NEW_MESSAGE)
    const outputs = new Map(posted.outputs)
    for (;;) {
      // with each result the next call may begin
      const block = openCalls(run).find(({ call, digest }) => outputs.has(callName(waiting.id, call, digest)))
      if (block === undefined) break
      const name = callName(waiting.id, block.call, block.digest)
      const given = outputs.get(name) as ClientOutput
      outputs.delete(name)
      if ('error' in given) run.fail(block, given.error)
      else run.succeed(block, given.output)
    }
    await this.legs.close(posted.id, waiting, run, NEW_MESSAGE)
    return await this.#begin(posted)
  }
}

/** Calls of the client's tools that have no result yet. */
const openCalls = (run: Run): ToolUseBlock[] =>
  callsOf(run).filter((block) => block.status === 'executing' && isClients(run, block))

const callsOf = (run: Run): ToolUseBlock[] => run.snapshot.blocks.filter((block) => block.type === 'tool_use')
const isClients = (run: Run, { name }: ToolUseBlock): boolean =>
  run.tools.some((tool) => tool.name === name && !tool.run && !tool.declaration['ipc'])
