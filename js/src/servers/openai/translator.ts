// A request with tools → the same request in words that a model without tools understands, and what reads its answer.
import { Engine } from '../../engine/core/engine.js'
import { SluiceError } from '../../engine/core/errors.js'
import { isObject } from '../../engine/core/options.js'
import type { Settings } from '../../engine/core/settings.js'
import type { Turn, TurnConfig } from '../../engine/core/turn.js'
import { ChoiceReader, type ReadingOptions } from './choice-reader.js'
import { Diagnostics } from './diagnostics.js'
import { noOffer, offerOf, type Offer } from './offer.js'
import type { TextToolCallOptions } from './openai-options.js'
import { rawMember, withMembers } from './raw-members.js'

/** A request that was translated. */
export interface Translation {
  /** The body to send. */
  body: string
  /** The answer is to come as a stream. */
  streams: boolean
  /** How many choices are asked for. What a server sends beyond them passes as it is. */
  choices: number
  /** What reads one choice of the answer. Undefined: the model was told of no tools, and its answer passes. */
  read: ((more?: ReadingOptions) => ChoiceReader) | undefined
  diagnostics: Diagnostics
}

/** One whose answer is read. */
export type ReadTranslation = Translation & { read: NonNullable<Translation['read']> }

/** Engines that are kept for the next request with the same tools. */
const KEPT_ENGINES = 16
/** Of JSON: larger lists of tools are compiled for every request. */
const KEPT_TOOLS = 1024 * 1024
/** The most that OpenAI gives. */
const MOST_CHOICES = 128
/** Calls of 16 MiB, the most that the engine reads, fit into the text of an answer. */
const TEXT_BYTES = 32 * 1024 * 1024
/**
 * A conversation may end with so many calls that have no result: no limit of a turn is to take the model's tools away
 * for it.
 */
const MOST_CALLS = 1_000_000
/**
 * What the model reads of a call that stands at the end of a conversation, and whose result the client does not have.
 */
const NO_RESULT = 'No result: this call was not run.'

export class Translator {
  readonly #options: TextToolCallOptions
  readonly #settings: Settings
  readonly #engines = new Map<string, Engine>() // the least used first

  constructor(options: TextToolCallOptions) {
    const {
      fetch: _fetch,
      firstByteTimeoutMs: _first,
      idleTimeoutMs: _idle,
      onDiagnostic: _on,
      protocols: _own,
      ...settings
    } = options
    this.#options = options
    this.#settings = {
      ...settings,
      protocol: settings.protocol ?? 'auto',
      mode: 'text',
      usage: false,
      maxCalls: MOST_CALLS,
      limits: { textBytes: TEXT_BYTES, ...settings.limits },
    }
    this.#make([]).close() // what is wrong with the settings is said at once
  }

  /**
   * The request in other words; undefined: it offers no tools, or is no JSON. Throws SluiceError `option` for what
   * cannot be said in any. `always`: also without tools, since the conversation may have calls, and the answer
   * reasoning.
   */
  translate(text: string, { always = false } = {}): Translation | undefined {
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      return undefined // the server says so in its own words
    }
    if (!isObject(body)) return undefined
    const offer = offerOf(body) ?? (always ? noOffer : undefined)
    if (!offer) return undefined
    const engine = this.#engine(offer)
    const model = typeof body['model'] === 'string' ? body['model'] : ''
    const diagnostics = new Diagnostics(model, this.#options.onDiagnostic)
    const { messages, protocols, startsInReasoning } = compose(
      engine,
      offer,
      JSON.stringify(model),
      rawMember(text, 'messages') ?? '[]',
      diagnostics,
    )
    return {
      body: withMembers(text, {
        messages,
        tools: offer.others.length > 0 ? JSON.stringify(offer.others) : null,
        tool_choice: null,
        parallel_tool_calls: null,
      }),
      streams: body['stream'] === true,
      choices: wantedChoices(body['n']),
      read:
        offer.wanted || always
          ? (more = {}) => {
              const turn = engine.turn({
                wire: 'openai-chat',
                protocol: protocols,
                startsInReasoning,
                ...(offer.wanted ? {} : { enabled: false }),
              })
              return new ChoiceReader(turn, { single: offer.single, diagnostics, ...more })
            }
          : undefined,
      diagnostics,
    }
  }

  #engine(offer: Offer): Engine {
    if (offer.key.length > KEPT_TOOLS) return this.#make(offer.tools())
    const engine = this.#engines.get(offer.key) ?? this.#make(offer.tools())
    this.#engines.delete(offer.key)
    this.#engines.set(offer.key, engine)
    const [oldest] = this.#engines.keys()
    // answers may still be read with it: the collector frees it
    if (this.#engines.size > KEPT_ENGINES) this.#engines.delete(oldest as string)
    return engine
  }

  #make(tools: ReturnType<Offer['tools']>): Engine {
    const { protocols } = this.#options
    return new Engine({ ...this.#settings, ...(protocols ? { protocols } : {}), tools })
  }
}

const wantedChoices = (n: unknown): number =>
  Number.isInteger(n) ? Math.min(Math.max(n as number, 1), MOST_CHOICES) : 1

interface Composed {
  messages: string
  protocols: string[]
  startsInReasoning: boolean
}

/** The conversation with tools, calls and results in the model's own format. */
function compose(
  engine: Engine,
  { wanted, sentences }: Offer,
  model: string,
  messages: string,
  diagnostics: Diagnostics,
): Composed {
  const config = (more: Settings): TurnConfig =>
    withMembers(JSON.stringify({ ...more, request: null }), { request: `{"model":${model},"messages":${messages}}` })
  const guide = wanted ? {} : ({ injectTools: 'off' } as const)
  let turn = engine.turn(config(guide))
  try {
    if (wanted && sentences.length > 0) {
      const definitions = [turn.prompt.trimEnd(), ...sentences].join('\n')
      turn.close()
      turn = engine.turn(config({ definitions }))
    }
    const { protocols, settings } = turn.tools
    const request = requestOf(turn, diagnostics)
    return {
      messages: rawMember(request, 'messages') as string,
      protocols,
      startsInReasoning: settings.startsInReasoning,
    }
  } finally {
    turn.close()
  }
}

/** The body of the turn's request. Calls that still lack a result get one: nobody here can run them. */
function requestOf(turn: Turn, diagnostics: Diagnostics): string {
  for (let events = [...turn.events()]; events.length > 0; events = [...turn.events()]) {
    for (const event of events) {
      if (event.type === 'diagnostic') diagnostics.add(event.code, event.detail)
      if (event.type === 'execute' || event.type === 'approval') turn.fail(event.call, NO_RESULT)
    }
  }
  const { request } = turn
  if (request === null) throw new SluiceError({ code: 'internal', detail: 'the engine wrote no request' })
  return request
}
