// The server behind AG-UI's `HttpAgent` and CopilotKit: a conversation in a store, one leg of its turn for every run that a client asks for.
import type { Engine, NeedsContext } from '../core/engine.js'
import type { ChatMessage, ToolUseBlock } from '../core/events.js'
import { func, members, withMethods } from '../core/options.js'
import { checkRunnable } from '../core/runnable.js'
import type { Run } from '../core/run.js'
import type { Conversation } from '../conversations/types.js'
import { isDurable } from '../durable/answers.js'
import type { Durable } from '../durable/types.js'
import { Answers, type ClientOutput } from '../leg/answers.js'
import type { Leg } from '../leg/leg.js'
import { CLIENT_TOOLS, clientToolsBeside, clientToolsOf, savedTools, withClientTools } from '../leg/client-tools.js'
import { checkedRun, legChecks, Legs, type Answer, type ChatRun, type LegOptions, type WaitingAnswer } from '../leg/legs.js'
import { callName, numberOfCall, questionName, staleNames } from '../leg/names.js'
import { Refusal, staleResult } from '../leg/refusal.js'
import type { AGUIRunRequest } from './ag-ui-request.js'
import { nextOf } from './branch.js'
import { Conflict, checkCoverage, noted } from './conflict.js'
import { DurableThreads, type DurableAGUIOptions } from './durable-threads.js'
import { EventWriter, type EventOptions } from './event-writer.js'
import { postedOf, type Posted as PostedInput } from './posted.js'
import { SharedState } from './shared-state.js'
import { eventChecks } from './to-ag-ui-events.js'
import type { AGUIEvent } from './types.js'

/** What `agUIHandler` takes. */
export interface AGUIHandlerOptions<C = unknown> extends Omit<LegOptions, 'log'>, EventOptions {
  /** Says how a turn is run: called for every request that begins a turn, or goes on with one. */
  run: (request: AGUIRunRequest) => (ChatRun<C> & NeedsContext<C>) | Promise<ChatRun<C> & NeedsContext<C>>
}

const { log: _, ...checks } = legChecks // a client of AG-UI does not come back to a run
const checkOptions = members({
  members: {
    ...eventChecks, ...checks, run: func('(request) => { model, … }'),
  } satisfies { [member in keyof Required<AGUIHandlerOptions>]: unknown },
  needs: ['run', 'store', 'authorize'],
})

/**
 * The server's side of AG-UI's `HttpAgent`, 1.0 and 0.0.x, for Next, Hono, Bun, Deno or, by `nodeListener` of `sluice/web`, for Node; in the process of a
 * `CopilotRuntime`, as the `fetch` of its `HttpAgent`. Of what a client sends, what a person wrote last is read, decisions, and results of its own
 * tools; the conversation is the store's. One process runs all requests of a conversation.
 * @throws SluiceError `option` where an option is wrong.
 */
export function agUIHandler<C>(engine: Engine<C>, options: AGUIHandlerOptions<C>): (request: Request) => Promise<Response>
/**
 * The same in front of durable turns: runs start, decide and read, workers do the work. Any process answers any request, where they share the stores.
 * @throws SluiceError `option` where an option is wrong.
 */
export function agUIHandler(turns: Durable, options: DurableAGUIOptions): (request: Request) => Promise<Response>
export function agUIHandler<C>(runner: Engine<C> | Durable, options: AGUIHandlerOptions<C> | DurableAGUIOptions): (request: Request) => Promise<Response> {
  const threads = isDurable(runner) ? new DurableThreads(runner, options as DurableAGUIOptions, framing) : threadsOf(runner as Engine, options as AGUIHandlerOptions)
  return (request) => threads.respond(request)
}

function threadsOf(engine: Engine, options: AGUIHandlerOptions): Threads {
  withMethods('an Engine', 'run', 'resume')(engine, 'engine')
  checkRunnable(engine.tools)
  checkOptions(options, 'options')
  return new Threads(engine, options)
}

const framing = { headers: {}, last: '' }

/** A run that a client asks for, and what it is told of the app's state. */
type Posted = PostedInput & { state: SharedState }

class Threads {
  readonly #engine: Engine
  readonly #options: AGUIHandlerOptions
  readonly #legs: Legs<AGUIEvent>

  constructor(engine: Engine, options: AGUIHandlerOptions) {
    this.#engine = engine
    this.#options = options
    this.#legs = new Legs(engine, options, { name: 'agUIHandler', framing })
  }

  respond(request: Request): Promise<Response> {
    return this.#legs.respond(request, async () => {
      if (request.method !== 'POST') throw new Refusal(405, `found ${request.method}, expected POST`)
      const posted: Posted = { ...postedOf(await this.#legs.body(request, 'threadId, runId and messages')), state: new SharedState() }
      const { threadId } = posted.input
      await this.#legs.authorize(request, threadId)
      return await this.#legs.inTurn(threadId, async () => {
        try {
          return this.#legs.response(await this.#lead(posted), request)
        } catch (error) {
          if (!(error instanceof Conflict)) throw error
          const { start } = new EventWriter(posted.input, '', [])
          return this.#legs.told([start, error.event])
        }
      })
    })
  }

  async #lead(posted: Posted): Promise<Leg<AGUIEvent>> {
    const id = posted.input.threadId
    const leg = this.#legs.get(id)
    if (leg && (leg.isEnding || (!leg.isRead && this.#options.onDisconnect !== 'continue'))) await leg.over // it is being saved, or cancelled
    let kept = await this.#options.store.load(id)
    if (leg && !this.#legs.get(id)) kept = await this.#options.store.load(id) // it was saved meanwhile
    const next = nextOf(posted.messages, kept)
    if (this.#legs.get(id)) {
      if (next.fresh.length === 0) throw new Conflict('stale', 'the answer is still being written')
      await this.#legs.stop(id, 'a new message came', (waiting) => this.#resume(posted, waiting))
      return await this.#begin(posted)
    }
    const waiting = await this.#legs.waiting(id)
    return await (waiting ? this.#goOn(posted, waiting, next.fresh.length > 0) : this.#begin(posted, kept))
  }

  async #run(posted: Posted, messages: ChatMessage[]): Promise<ChatRun> {
    const { input, state } = posted
    return checkedRun(await this.#options.run({ id: input.threadId, messages, input, setState: state.set }))
  }

  #led({ input, state }: Posted, run: Run, answer: Answer, answers?: Answers): Leg<AGUIEvent> {
    const id = input.threadId
    const leg = this.#legs.lead(id, run, answer, new EventWriter(input, answer.id, run.tools, this.#options), answers)
    state.begin((event) => { if (this.#legs.get(id) === leg) leg.append(event) })
    return leg
  }

  // -- a new answer ---------------------------------------------------------------------------------------------------------

  /** @param kept as it is stored now */
  async #begin(posted: Posted, kept?: Conversation | null): Promise<Leg<AGUIEvent>> {
    const id = posted.input.threadId
    const tools = clientToolsBeside(this.#engine, clientToolsOf(posted.input.tools))
    const stored = kept === undefined ? await this.#options.store.load(id) : kept
    let { fresh, branch, left } = nextOf(posted.messages, stored)
    if (!branch) throw new Conflict('stale', posted.decisions ? 'no question waits for an answer' : 'there is no new message of a user')
    for (const written of fresh) branch = await this.#legs.keep(id, stored, branch, written)
    const given = async (messages: ChatMessage[]): Promise<ChatRun> => {
      const { system, ...settings } = await this.#run(posted, messages)
      const told = [system, posted.context].filter(Boolean).join('\n\n')
      return { ...settings, ...(told === '' ? {} : { system: told }), ...(tools.length > 0 ? { [CLIENT_TOOLS]: tools } : {}) }
    }
    const { run, answer } = await this.#legs.begin(id, branch, given, (options) => withClientTools(this.#engine, tools, (engine) => engine.run(options)))
    const leg = this.#led(posted, run, answer)
    for (const detail of left) leg.append(noted('unsupported', detail))
    return leg
  }

  // -- an answer that waits -------------------------------------------------------------------------------------------------

  async #resume(posted: Posted, waiting: WaitingAnswer): Promise<Run> {
    const given = await this.#run(posted, [])
    return withClientTools(this.#engine, savedTools(waiting.state), (engine) => this.#legs.goOn(posted.input.threadId, waiting, given, engine))
  }

  async #goOn(posted: Posted, waiting: WaitingAnswer, isFresh: boolean): Promise<Leg<AGUIEvent>> {
    const run = await this.#resume(posted, waiting)
    try {
      const questions = run.questions.map((event) => questionName(waiting.id, event))
      const open = openCalls(run)
      const calls = open.map(({ call, digest }) => callName(waiting.id, call, digest))
      if (staleNames(waiting.id, open, posted.outputs.keys()).length > 0) throw staleResult()
      if (questions.length > 0) checkCoverage(questions, posted)
      else if (isFresh) return await this.#closeAndBegin(posted, waiting, run)
      else if (calls.length > 0 && !calls.some((call) => posted.outputs.has(call))) throw new Conflict('interrupted', `results are missing: ${calls.join(', ')}`)
      const { decisions = new Map() } = posted
      const asked = run.questions.map(({ call }): number | undefined => call)
      const outputs = new Map([...posted.outputs].filter(([name]) => !asked.includes(numberOfCall(waiting.id, name)))) // what is approved now has no result yet
      const unknown = [...decisions.keys()].filter((name) => !questions.includes(name))
      const leg = this.#led(posted, run, waiting, new Answers(run, { message: waiting.id, decisions, outputs }, this.#legs.most))
      for (const name of unknown) leg.append(noted('stale', 'this question does not wait any more: nothing was done by its answer', { interruptId: name }))
      return leg
    } catch (error) {
      await run.suspend() // what is stored stays as it is
      throw error
    }
  }

  /** The turn ends with what the client's tools gave, and a person's message follows. */
  async #closeAndBegin(posted: Posted, waiting: WaitingAnswer, run: Run): Promise<Leg<AGUIEvent>> {
    const id = posted.input.threadId
    const reason = 'a new message came'
    for (const block of callsOf(run)) if (block.status === 'pending' && !isClients(run, block)) run.cancelCall(block.call, reason) // it would begin with the result before it
    const outputs = new Map(posted.outputs)
    for (;;) {
      const block = openCalls(run).find(({ call, digest }) => outputs.has(callName(waiting.id, call, digest))) // with each result the next call may begin
      if (block === undefined) break
      const name = callName(waiting.id, block.call, block.digest)
      const given = outputs.get(name) as ClientOutput
      outputs.delete(name)
      if ('error' in given) run.fail(block, given.error)
      else run.succeed(block, given.output)
    }
    await this.#legs.close(id, waiting, run, reason)
    return await this.#begin(posted)
  }
}

/** Calls of the client's tools that have no result yet. */
const openCalls = (run: Run): ToolUseBlock[] => callsOf(run).filter((block) => block.status === 'executing' && isClients(run, block))

const callsOf = (run: Run): ToolUseBlock[] => run.snapshot.blocks.filter((block) => block.type === 'tool_use')
const isClients = (run: Run, { name }: ToolUseBlock): boolean => run.tools.some((tool) => tool.name === name && !tool.run && !tool.declaration['ipc'])
