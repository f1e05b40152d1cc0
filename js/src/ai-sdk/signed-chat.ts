// A conversation that the page keeps as its own messages, with what the server told about them signed: the messages for the model, and the questions.
import { createHash } from 'node:crypto'
import type { AssistantMessage, ChatMessage } from '../core/events.js'
import { isObject } from '../core/options.js'
import type { Run } from '../core/run.js'
import { questionOf } from '../conversations/for-model.js'
import type { Answered } from '../leg/answers.js'
import type { Decision } from '../leg/decision.js'
import { withSystem, type Answer, type ChatRun, type Keeper } from '../leg/legs.js'
import { questionOfCall } from '../leg/names.js'
import { Refusal } from '../leg/refusal.js'
import type { Written } from '../leg/requests.js'
import { answersNothing, openCalls, PageStore, type Keeping, type Running, type Waiting } from './keeping.js'
import type { Asked, Sign } from './message-writer.js'
import { callIn, isOpen, messagesIn, metadataOf, writtenIn, type CallPart, type PageMessage } from './page-messages.js'
import type { Again, Posted } from './posted.js'
import { checkSecret, Seal, type Secret } from './seal.js'
import { answeredIn, resultOf } from './to-chat-messages.js'
import type { UIMessageChunk } from './types.js'

/**
 * A `store` of `chatHandler` for servers that keep nothing, whose page keeps its messages in the open. What the model reads of an answer is signed, and so is
 * every question: a decision counts where the page brings it with the signature. A call that goes on is always asked about first, whatever its tool says.
 * An answer that broke off is read as the page has it, without the results of the page's own tools: who forges that forges what the model reads, and nothing
 * else. While the page runs a tool, or a result waits for a person, the answer is sealed, as `sealed` does it. A request can be sent again: a tool must do nothing a second time for the same `context.key`.
 * @param secret at least 32 characters or bytes; of a list the first one signs, and all of them count.
 * @throws SluiceError `option` where the secret is too short.
 */
export function signed(secret: Secret): PageStore {
  checkSecret(secret, 'secret')
  return new SignedStore(new Seal(secret))
}

class SignedStore extends PageStore {
  readonly #seal: Seal

  constructor(seal: Seal) {
    super()
    this.#seal = seal
  }

  /** @internal */
  open(posted: Posted, running: Running): Keeping {
    return new SignedChat(this.#seal, posted, running)
  }
}

const MOST_OPEN = 1000

/** What the model read of an answer, and the calls that are open: by their ids in it, as the page names them. */
interface Told {
  messages: ChatMessage[]
  open: Map<string, string>
}

/** Where the messages of the page begin that a run writes. */
interface Began {
  parts: number
  /** The highest number of the calls before it. */
  calls: number
  open: [string, string][]
}

/**
 * What is sealed while the page runs a call, or while a result waits. The engine goes on where it was: it alone knows what it asks about the page's result,
 * and a result that waits may stand nowhere in the open.
 */
interface Held {
  state: string
  /** What the model read of the message before the run. */
  messages: ChatMessage[]
  /** The run goes on with a message that was begun by another. */
  began?: Began
  /** The tools that are asked about in any case. */
  asks: string[]
  /** The calls that wait, as the page names them. */
  waits: string[]
}

class SignedChat implements Keeping {
  readonly #seal: Seal
  readonly #id: string
  readonly #running: Running
  readonly #list: readonly PageMessage[]
  /** Of the answer that goes on. */
  #told: Told = { messages: [], open: new Map() }
  #began: Began | undefined
  #asks: string[] = []

  constructor(seal: Seal, { id, messages }: Posted, running: Running) {
    this.#seal = seal
    this.#id = id
    this.#running = running
    this.#list = messagesIn(messages)
  }

  async refuseRepeated({ id }: Written): Promise<void> {
    if (this.#list.filter((message) => message.id === id).length > 1) throw new Refusal(409, 'two messages have the same id')
  }

  async begin(written: Written, _: Again, given: (messages: ChatMessage[]) => Promise<ChatRun>): Promise<{ run: Run; answer: Answer }> {
    const messages = this.#messages(this.#list)
    return this.#running.legs.start(messages, written.id, await given(messages))
  }

  async waiting(): Promise<Waiting | undefined> {
    const message = this.#list.at(-1)
    if (message?.role !== 'assistant') return undefined // the engine closes what stands before a message
    const held = this.#heldIn(message)
    if (held) return this.#held(message, held)
    const told = (this.#told = this.#toldOf(message, true))
    if (told.open.size === 0) return undefined
    if (told.open.size > MOST_OPEN) throw new Refusal(413, `found ${told.open.size} open calls, expected at most ${MOST_OPEN}`)
    const earlier = this.#messages(this.#list.slice(0, -1))
    const parts = message.parts.flatMap((part) => callIn(part) ?? [])
    const numbers = parts.map(({ toolCallId }) => Number(/:c(\d{1,9})(?:-[0-9a-f]{16})?$/.exec(toolCallId)?.[1] ?? 0))
    const calls = Math.max(0, ...numbers)
    this.#began = { parts: message.parts.length, calls, open: [...told.open] }
    return {
      id: message.id, parent: null, at: 0,
      continued: { parts: message.parts, calls, open: told.open },
      accept: (about) => this.#accept(about, parts, new Set(told.open.values())),
      resume: (given) => this.#resume(given, message.id, earlier),
    }
  }

  /** The engine closes what stands before a message. */
  async close(): Promise<void> {}

  keeper({ id }: Answer, callName: (call: number) => string): Keeper<UIMessageChunk> {
    return {
      save: ({ message, history, state }) => {
        const inState = (status: string): string[] => message.blocks.flatMap((block) => (block.type === 'tool_use' && block.status === status ? [callName(block.call)] : []))
        const ran = new Set(inState('awaiting_result_approval'))
        const open = new Map(state === undefined ? [] : [...idsOf(message, history, callName)].filter(([, name]) => !ran.has(name))) // what ran is not run again
        const messages = [...this.#told.messages, ...history.filter((one) => one.role !== 'tool' || !open.has(String(one.tool_call_id)))]
        const told = JSON.stringify({ messages, open: [...open] })
        const signature = this.#seal.sign([this.#id, 'history', id, told])
        const held = state === undefined || ran.size + inState('executing').length === 0 ? null : this.#seal.seal([this.#id, 'held', id, signature], JSON.stringify({
          state, messages: this.#told.messages, asks: this.#asks, waits: openCalls(message).map(callName), ...(this.#began ? { began: this.#began } : {}),
        } satisfies Held))
        return [{ type: 'message-metadata', messageMetadata: { sluice: { history: told, signature, held } } }] // the page lays it over what it has
      },
    }
  }

  /** Undefined where neither a call of the page nor a result waits, or what the page brings belongs to something else that it told of the message. */
  #heldIn(message: PageMessage): Held | undefined {
    const { held, signature } = metadataOf(message)
    const text = typeof held === 'string' ? this.#seal.open([this.#id, 'held', message.id, String(signature)], held) : undefined
    return text === undefined ? undefined : (JSON.parse(text) as Held)
  }

  #held({ id, parts }: PageMessage, { state, messages, began, asks, waits }: Held): Waiting {
    this.#told = { messages, open: new Map(began?.open) }
    this.#began = began
    this.#asks = asks
    return {
      id, parent: null, at: 0,
      ...(began ? { continued: { parts, began: began.parts, calls: began.calls, open: this.#told.open } } : {}),
      accept: (about) => this.#accept(about, parts.flatMap((part) => callIn(part) ?? []), new Set(waits)),
      resume: (given) => this.#running.legs.resume({ state }, { ...given, rules: this.#withAsks(given) }),
    }
  }

  #withAsks({ rules = [] }: ChatRun): NonNullable<ChatRun['rules']> {
    return [...rules, ...this.#asks.map((tool) => ({ tool, effect: 'ask' as const }))]
  }

  sign(message: string): Sign {
    return (toolCallId, question) => this.#seal.sign(this.#questionOf(message, toolCallId, question))
  }

  #questionOf(message: string, toolCallId: string, { stage, name, digest, expiresAt }: Asked): string[] {
    return [this.#id, 'question', message, toolCallId, stage, name, digest, String(expiresAt ?? '')]
  }

  #messages(list: readonly PageMessage[]): ChatMessage[] {
    return list.flatMap((message) => (message.role === 'assistant' ? this.#toldOf(message, false).messages : message.role === 'user' ? asked(writtenIn(message)) : []))
  }

  /** @param last its calls may be open */
  #toldOf(message: PageMessage, last: boolean): Told {
    const { history, signature } = metadataOf(message)
    if (typeof history === 'string' && this.#seal.verify([this.#id, 'history', message.id, history], signature)) {
      const { messages, open } = JSON.parse(history) as { messages: ChatMessage[]; open: [string, string][] }
      return { messages, open: new Map(open) }
    }
    const open = message.parts.flatMap((part) => callIn(part) ?? []).filter(isOpen)
    const messages = answeredIn(message, last, (call) => (this.#isPages(call) ? 'The result is not known.' : resultOf(call)))
    const left = new Set(messages.at(-1)?.tool_calls?.map(({ id }) => id))
    for (const { role, tool_call_id: id } of messages) if (role === 'tool') left.delete(String(id))
    return { messages, open: new Map(open.flatMap(({ toolCallId }): [string, string][] => (left.has(toolCallId) ? [[toolCallId, toolCallId]] : []))) }
  }

  /** The page made the result: without a signature nothing tells whether a person was to see it first. */
  #isPages({ name, state }: CallPart): boolean {
    return state.startsWith('output-') && state !== 'output-denied' && this.#running.engine.tools.some((tool) => tool.name === name && !tool.run && !tool.declaration['ipc'])
  }

  /** Of the decisions, those that the server asked for: they carry its signature. Throws Refusal where one is forged, or nothing is left. */
  #accept({ message, decisions, outputs }: Answered, parts: readonly CallPart[], open: ReadonlySet<string>): Answered {
    const ours = new Map<string, Decision>()
    for (const { toolCallId, name, state, approval } of parts) {
      const decision = state === 'approval-responded' ? decisions.get(String(approval?.['id'])) : undefined
      if (!decision) continue
      const question = questionIn(name, approval)
      if (!this.#seal.verify(this.#questionOf(message, toolCallId, question), approval?.['signature'])) throw new Refusal(403, `the question of ${toolCallId} was not asked here`)
      const { digest, expiresAt } = question
      // Two calls may have one digest: a decision counts for the one that was signed, whatever the page calls it.
      ours.set(questionOfCall(message, toolCallId, question), { ...decision, digest, ...(expiresAt === undefined ? {} : { expiresAt }) })
    }
    if (ours.size === 0 && ![...outputs.keys()].some((id) => open.has(id))) throw answersNothing()
    return { message, outputs, decisions: ours }
  }

  /** As a new run, which asks about every call. It takes the page's results as any run does: none is put into the messages past the engine. */
  #resume(given: ChatRun, message: string, earlier: readonly ChatMessage[]): Run {
    const { engine } = this.#running
    const { messages, open } = this.#told
    const names = new Map(messages.flatMap(({ tool_calls: calls = [] }) => calls).map(({ id, function: { name } }) => [id, name]))
    this.#asks = [...new Set([...open.keys()].map((id) => names.get(id) ?? '').map((name) => engine.resolve(name).tool?.name ?? name))]
    return engine.run({ ...withSystem(given, [...earlier, ...messages]), rules: this.#withAsks(given), id: legId(message, [...open.values()]) })
  }
}

const asked = (written: Written | undefined): ChatMessage[] => (written ? [questionOf([written])] : [])

/** The calls of a leg are numbered anew: their keys are its own, and the same where the same request comes again. */
const legId = (message: string, open: readonly string[]): string => `${message}~${createHash('sha256').update(JSON.stringify(open)).digest('hex').slice(0, 16)}`

function questionIn(name: string, approval: CallPart['approval']): Asked {
  const descriptor = isObject(approval?.['descriptor']) ? approval['descriptor']['sluice'] : undefined
  const { stage, digest, expiresAt } = isObject(descriptor) ? descriptor : {}
  return { stage: stage === 'result' ? stage : 'execution', name, digest: String(digest), ...(typeof expiresAt === 'number' ? { expiresAt } : {}) }
}

/** The open calls by their ids in the messages for the model. Both have them round by round, in the same order. */
function idsOf(message: AssistantMessage, history: readonly ChatMessage[], callName: (call: number) => string): Map<string, string> {
  const open = new Set(openCalls(message))
  const ids = new Map<string, string>()
  const left = new Map<number, number[]>()
  for (const block of message.blocks) {
    if (block.type !== 'tool_use' || !open.has(block.call)) continue
    if (block.adopted) ids.set(String(block.wireId), callName(block.call))
    else left.set(block.round ?? 0, [...(left.get(block.round ?? 0) ?? []), block.call])
  }
  for (const { metadata } of history) {
    const { round = 0, toolCallsRequested = [] } = (metadata ?? {}) as { round?: number; toolCallsRequested?: { requestId: string; status: string }[] }
    for (const { requestId, status } of toolCallsRequested) {
      const call = ['pending', 'awaiting_approval', 'executing'].includes(status) ? left.get(round)?.shift() : undefined
      if (call !== undefined) ids.set(requestId, callName(call))
    }
  }
  return ids
}
