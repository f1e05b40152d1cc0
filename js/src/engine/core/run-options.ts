// What a run takes and what it gives: its hooks, its options, its result.
import type { Approvals } from './approvals.js'
import type {
  AssistantMessage,
  ChatMessage,
  ErrorEvent,
  FinishReason,
  Json,
  JsonObject,
  Outcome,
  Rule,
  SluiceEvent,
  TakenFallback,
  ToolUseBlock,
  Usage,
} from './events.js'
import { checkHeaders, checkModel, type Model, type ServerAddress } from './model.js'
import {
  abortSignal,
  array,
  func,
  is,
  members,
  milliseconds,
  orNull,
  record,
  text,
  whole,
  wrong,
  type Check,
  type Shape,
} from './options.js'
import { settingNames, type Settings } from './settings.js'
import type { CallInfo, ToolResult } from './tool.js'
import { checkFiles, type ToolFile } from './tool-files.js'
import type { FinalDecision } from './turn.js'
import type { Transport } from './transport.js'

/** Whom a message of a request comes from. */
export type RequestSource = 'guide' | 'host' | 'turn'

/** A request before it is sent. Its members are frozen: give back what is to be another. */
export interface OutgoingRequest {
  /** The body as it stands. Unless the hook gives back another, these very characters are sent. */
  readonly text: string
  /** The body, parsed when it is read. Integers beyond 2^53 are exact in `text` only. */
  readonly body: { readonly [member: string]: unknown }
  /**
   * The conversation in the body: its `messages`, or on their wires `input` and `contents`, in the wire's own shape.
   */
  readonly messages: readonly ChatMessage[]
  /**
   * Whom each of `messages` comes from: `guide` is the engine's own guide to the tools, `host` one of the run's
   * `messages`, even if it contains the guide, and `turn` a message that this turn added.
   */
  readonly sources: readonly RequestSource[]
  /** Names in lower case; with the key. */
  readonly headers: { readonly [name: string]: string }
  /** The round of the turn, from 1. */
  readonly round: number
  /** Which try of this round it is, from 1. */
  readonly attempt: number
}

/** What `beforeRequest` gives back in place of what it got. Members that are left out stay as they are. */
export interface ChangedRequest {
  /** The body as text; without `body` and `messages` beside it. */
  text?: string
  /** The members of the request's body. */
  body?: { readonly [member: string]: unknown }
  /** In place of the conversation in the body, in the same shape. */
  messages?: readonly ChatMessage[]
  /** These headers, in place of those of the same name: `{ authorization: 'Bearer …' }`. */
  headers?: { readonly [name: string]: string }
}

/** A request that failed before anything of its answer was shown: it may be sent again. */
export interface RequestFailure {
  /** The round of the turn, from 1. */
  round: number
  /** Which try failed, from 1. */
  attempt: number
  /** Of the response, where a server answered. */
  status?: number
  /** By which the provider knows the request, where it says so. */
  requestId?: string
  /** What the provider asks to wait, in milliseconds. */
  retryAfterMs?: number
  /** What went wrong, in the provider's words where it has some. */
  detail: string
  /** What the provider itself said, without status and address. Absent if it said nothing. */
  words?: string
  /** How many milliseconds Sluice would wait; null: another try is of no use. */
  delayMs: number | null
}

/** What `beforeExecute` makes of a call: other arguments, or a refusal, whose reason the model reads. */
export type BeforeExecute = ResolvedArguments | DeniedCall

/** What `beforeApproval` makes of a call: the same. */
export type BeforeApproval = BeforeExecute

/** A call whose arguments the app may resolve before anybody is asked. */
export interface ResolvableCall {
  /** The number of the call. */
  call: number
  /** The name of the tool. */
  name: string
  /** As the model wrote them, with the types of the tool's schema. */
  arguments: JsonObject
}

/** The call runs with these. */
export interface ResolvedArguments {
  /** They must fit the tool's schema. */
  arguments: JsonObject
}

/** The call does not run. */
export interface DeniedCall {
  /** Why: the model reads it. */
  deny: string
}

/** What a tool threw: see `onToolError`. */
export interface ThrownError {
  /** The number of the call. */
  call: number
  /** The name of the tool. */
  name: string
  /** What it ran with. */
  arguments: JsonObject
  /** What was thrown, as it is: often an Error. */
  error: unknown
}

/** An answer without calls, which the turn would end with. */
export interface FinalAnswer {
  readonly text: string
  /** The message so far, with this answer. */
  readonly message: AssistantMessage
  /** Its round, from 1. */
  readonly round: number
  /** It can be accepted or replaced; `retry` would go beyond `maxRounds` or `maxRequests`. */
  readonly noRetry: boolean
}

/** Before which step a state is saved: a request is sent, a tool starts, or a question is asked. */
export type CheckpointReason = 'request' | 'tool' | 'question'

/** What the app brings beside settings: given to the engine as a default, or to a run. */
export interface RunHooks {
  /** Answers questions where nobody reads the events. Default none: a question that nobody can see is denied. */
  approvals?: Approvals | undefined
  /**
   * Sees every request before it is sent, retries included, and may give back another body, other messages, or headers
   * such as a fresh token. What it throws ends the turn with the error `hook`.
   */
  beforeRequest?: ((request: OutgoingRequest) => ChangedRequest | void | Promise<ChangedRequest | void>) | undefined
  /**
   * Sees each complete call of a tool that the model may call, before rules, limits and questions, and may give back the
   * arguments that the model's references stand for. From then on they are the call: rules judge them, the question
   * shows them, `execute` gets them; the model does not read them. They must fit the tool's schema. Or it refuses the
   * call. What it throws refuses it, too. After `resume` it sees each call again that has not started.
   */
  beforeApproval?:
    | ((
        call: ResolvableCall,
        options: { signal: AbortSignal },
      ) => BeforeApproval | void | Promise<BeforeApproval | void>)
    | undefined
  /**
   * Sees an approved call before its `execute` starts, and may give back other arguments, for values that must be fresh
   * then: they are checked against the tool's schema and shown on the card. What a person or an exact rule approved may
   * change in its strings only. Or it refuses the call. What it throws refuses it, too.
   */
  beforeExecute?: ((call: CallInfo) => BeforeExecute | void | Promise<BeforeExecute | void>) | undefined
  /**
   * Looks at a final answer before the turn ends with it: lets it stand, tells the model why not, or puts another text
   * in its place. What it throws is a warning, and the answer stands.
   */
  onFinal?: ((answer: FinalAnswer) => FinalDecision | void | Promise<FinalDecision | void>) | undefined
  /**
   * Sees what a tool's `execute` gave, and may give back what the model reads in its place: shorter, or without
   * secrets. The card shows both: the tool's result as `output`, the other as `hostOutput`. What it throws is the
   * failure of the call: the model reads that the tool ran.
   */
  afterTool?: ((call: CallInfo, result: ToolResult) => ToolResult | void | Promise<ToolResult | void>) | undefined
  /**
   * Gets what a tool's `execute` threw, as it was thrown, unless the call was stopped before. The model reads the
   * message as ever. Without it Sluice prints a warning for the first error of each tool. If it throws, Sluice prints a warning.
   */
  onToolError?: ((thrown: ThrownError) => void) | undefined
  /**
   * Gets the card of every call that ended, once, whether it ran or not (`not_found`, `invalid`, `denied`). If it
   * throws, Sluice prints a warning.
   */
  onCall?: ((card: ToolUseBlock) => void) | undefined
  /**
   * Saves the turn, for `engine.resume(state)`. The run waits for it before it sends a request, asks a question of an
   * adapter, starts a tool, or tells of a call that somebody outside runs; not before a tool with
   * `annotations.readOnlyHint`. Tools that are not read-only start at the end of the answer. If it throws, the run ends
   * as `suspended`: nothing happens that was not saved.
   */
  checkpoint?: ((state: string, why: CheckpointReason) => void | Promise<void>) | undefined
  /**
   * Coalesces text and arguments into one event per this many milliseconds. The first of an answer is delivered
   * immediately; 0 delivers every delta. Default 16.
   */
  flushMs?: number | undefined
  /** The turn is cancelled when it takes longer than this many milliseconds, questions included. Default: never. */
  deadlineMs?: number | undefined
  /**
   * Milliseconds that `beforeRequest`, `retries`, `autoFallback.when`, `beforeApproval`, `beforeExecute`, `afterTool`,
   * `onFinal` and `checkpoint` may take; 0: no limit. Default 30,000.
   */
  hookTimeoutMs?: number | undefined
  /**
   * Gets what fire-and-forget tools send: `ipc: (channel, ...payload) => petWindow.webContents.send(channel,
   * ...payload)`. Default: nobody.
   */
  ipc?: ((channel: string, ...payload: Json[]) => void) | undefined
  /**
   * Further tries of a request that failed before anything of its answer was shown: how many, by default 2, or a
   * function that says for each failure how many milliseconds to wait, or null to give up.
   */
  retries?: number | ((failure: RequestFailure) => number | null | Promise<number | null>) | undefined
  /**
   * Replaces `fetch`. What it throws counts as a fault of the network and is tried again, but for faults of its own: a
   * ReferenceError, a TypeError that no network gave, a result that is no Response end the turn with the error `hook`.
   */
  transport?: Transport | undefined
}

/** What is needed to run a turn, whether it begins or goes on. `C` is what tools get as `context`. */
interface Conditions<C> {
  /** For tools: `context.context` of their second argument. What type it has, the tools of the engine say. */
  context?: C
  /** For tools: `context.files` and `context.file(ref)`. A host gives those of the branch. Default: none. */
  files?: readonly ToolFile[]
  /**
   * Called with every event, as readers get it. Whoever gives it is expected to answer `approval` events, like one who
   * iterates the run. What it throws is a warning.
   */
  onEvent?: (event: SluiceEvent) => void
  /** Aborted, it cancels the turn. */
  signal?: AbortSignal
  /** Decisions that are used beside those the engine remembers. */
  rules?: Rule[]
}

/** One user input: what it is about, and settings and hooks that go before the engine's. */
export interface RunOptions<C = unknown> extends Settings, RunHooks, Conditions<C> {
  /** The server and the name of the model. */
  model: Model
  /** The conversation so far, at least one message; the last is usually the user's. */
  messages: ChatMessage[]
  /**
   * Further members of the request's body: `{ temperature: 0.7, max_tokens: 512, response_format: { … } }`. `tools`
   * stand in front of the engine's: the provider may run them itself, and a call that it leaves to you ends as
   * `not_found`.
   */
  request?: { [member: string]: unknown }
  /** By which the run is known: the first part of a tool's `key`. Default: a random UUID. */
  id?: string
}

/** What a saved turn needs to go on. Its settings, messages and id are in the state. */
export interface ResumeOptions<C = unknown> extends RunHooks, Conditions<C> {
  /** The server, with the key: neither is in the state. The name of the model is, and is not taken from here. */
  model: ServerAddress & {
    /** Ignored: the state has the name. */
    name?: string
  }
}

const decides = orNull(func('(ask) => decision'))
const checkApprovals = orNull(
  members({
    members: { execution: decides, result: decides },
    instead: {
      exec: 'did you mean execution?',
      execute: 'did you mean execution?',
      approve: 'did you mean execution?',
      release: 'did you mean result?',
    },
  }),
)

/** @internal */
export const hooks: { [hook in keyof Required<RunHooks>]: Check } = {
  approvals: checkApprovals,
  afterTool: func('(call, result) => result | void'),
  beforeApproval: func('(call, { signal }) => { arguments } | { deny } | void'),
  beforeExecute: func('(call) => { arguments } | { deny } | void'),
  onCall: func('(card) => void'),
  onToolError: func('({ call, name, arguments, error }) => void'),
  onFinal: func('(answer) => accept | { retry } | { replace } | void'),
  beforeRequest: func('(request) => changed | void'),
  checkpoint: func('(state, why) => void'),
  deadlineMs: milliseconds,
  flushMs: milliseconds,
  hookTimeoutMs: milliseconds,
  ipc: func('(channel, ...payload) => void'),
  retries: (value, path) => {
    if (typeof value === 'function') return
    if (typeof value !== 'number')
      throw wrong(path, value, 'how many further tries, or a function (failure) => milliseconds | null')
    whole(0)(value, path)
  },
  transport: func('(request, signal) => Promise<Response>'),
}

/** @internal The hooks among these options, and the rest. A hook that is undefined is none. */
export function splitHooks<T extends RunHooks>(options: T): { own: RunHooks; rest: Omit<T, keyof RunHooks> } {
  const own: [string, unknown][] = []
  const rest: [string, unknown][] = []
  for (const entry of Object.entries(options))
    if (!Object.hasOwn(hooks, entry[0])) rest.push(entry)
    else if (entry[1] !== undefined) own.push(entry)
  return { own: Object.fromEntries(own), rest: Object.fromEntries(rest) as Omit<T, keyof RunHooks> }
}

const anything: Check = () => {}
const conditions: { [member in keyof Required<Conditions<unknown>>]: Check } = {
  context: anything,
  files: checkFiles,
  onEvent: func('(event) => void'),
  signal: abortSignal,
  rules: array,
}

const checkBody = members({
  members: {},
  open: true,
  instead: {
    model: 'the name of the model belongs into `model`: { name }',
    messages: 'they belong beside `request`: engine.run({ model, messages, request })',
  },
})

const someMessages = is('an array of at least one message', (value) => Array.isArray(value) && value.length > 0)
const checkId = is(
  'a text of 1 to 200 characters',
  (value) => typeof value === 'string' && value.length > 0 && value.length <= 200,
)

/** @internal */
export const runShape: Shape = {
  members: {
    ...hooks,
    ...conditions,
    model: checkModel({ needsName: true }),
    messages: someMessages,
    request: checkBody,
    id: checkId,
  },
  needs: ['model', 'messages'],
  instead: {
    name: 'it belongs into `model`: { baseURL, name }',
    ...Object.fromEntries(
      ['wire', 'provider', 'path'].map((name) => [name, `it belongs into \`model\`: { ${name}, … }`]),
    ),
  },
}

/** @internal */
export const resumeShape: Shape = {
  members: { ...hooks, ...conditions, model: checkModel({ needsName: false }) },
  needs: ['model'],
  instead: Object.fromEntries(
    [...settingNames, 'messages', 'request', 'id'].map((name) => [
      name,
      'the turn keeps what it began with: it is in the state',
    ]),
  ),
}

/** @internal Of what `beforeRequest` gave back. */
export const checkChanged = members({
  members: {
    text,
    body: record,
    messages: someMessages,
    headers: checkHeaders,
  },
  instead: {
    model: 'it belongs into `body`: { ...body, model }',
    tools: 'they belong into `body`: { ...body, tools }',
    url: 'a transport can send it elsewhere',
  },
})

/** @internal Of `suspend` and `cancel`. */
export const checkGrace = members({ members: { graceMs: milliseconds } })

/** How a run ended: as its turn did, or `suspended`: the turn goes on with `engine.resume`. */
export type RunOutcome = Outcome | 'suspended'

/** How a run ended. */
export interface RunResult {
  /** `completed`, `cancelled`, `failed`, `limit`, `awaiting_user` with its calls open, or `suspended`. */
  outcome: RunOutcome
  /**
   * Why the provider says that its last answer ended: `length` is an answer that was cut, `content_filter` one that was
   * withheld.
   */
  finishReason?: FinishReason
  /** Everything a person saw, block by block. */
  message: AssistantMessage
  /**
   * The messages this turn adds: `messages = [...messages, ...history, next]`. Empty where it is suspended: the run
   * that resumes it has them all.
   */
  history: ChatMessage[]
  /** All text of the message. */
  text: string
  /** Tokens of all its answers, as the provider counted them. Absent where it counted none. */
  usage?: Usage
  /** The last error of the turn, where it did not get over it. */
  error?: ErrorEvent
  /** If `autoFallback` went on in mode text: an app may remember it for this model. */
  fallback?: TakenFallback
  /** Outcome `cancelled`: what `cancel` was told, the reason of the signal, or that the deadline passed. */
  reason?: string
}

/** What `cancel` left behind. */
export interface StoppedRun {
  /** Tools that took no notice of their signal: nothing of them reaches the turn any more. */
  stillRunning: {
    /** The number of the call. */
    call: number
    /** The name of the tool. */
    name: string
  }[]
}
