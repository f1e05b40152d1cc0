// Feeds text, or a provider's recorded answer, through the engine as a parser. No call is run.
import type { Engine } from '../../engine/core/engine.js'
import { SluiceError } from '../../engine/core/errors.js'
import type { DiagnosticEvent, SluiceEvent } from '../../engine/core/events.js'
import type { Settings } from '../../engine/core/settings.js'
import { sizes } from '../../engine/wire/sizes.js'
import { guessWire, type Guess } from './guess-wire.js'
import type { ParseReply, WireName } from './tester-api.js'

export interface ParseInput {
  bytes: Uint8Array
  wire?: WireName | undefined
  protocol?: string | undefined
  model?: string | undefined
  chunks?: string | undefined
  settings?: { [member: string]: unknown } | undefined
  /** Tells what each piece brought. */
  steps?: boolean | undefined
}

/** The turn that reads these bytes, as a document of the engine. */
export interface ParserTurn extends Settings {
  wire: WireName
}

export function turnOf(
  engine: Engine,
  { bytes, wire: named, protocol, model, settings = {} }: ParseInput,
): { turn: ParserTurn; guess?: Guess | undefined; native: boolean } {
  const guess = named ? undefined : guessWire(engine, bytes)
  const wire = named ?? (guess as Guess).wire
  // Looks for calls in the text even if the stream holds native calls.
  const wanted: Settings = { mode: 'text', ...settings, ...(protocol === undefined ? {} : { protocol }) }
  const native = (wanted.mode ?? engine.settings.mode) === 'native'
  const auto = !native && (wanted.protocol ?? engine.settings.protocol) === 'auto'
  // The wire `text` has no native calls and always parses the text.
  const nothing = native && wire === 'text' ? { enabled: false } : {}
  return { turn: { ...wanted, ...(auto ? byModel(engine, wanted, model) : {}), ...nothing, wire }, guess, native }
}

export function parse(engine: Engine, input: ParseInput): ParseReply {
  const { turn: document, guess, native } = turnOf(engine, input)
  const turn = engine.turn(document)
  try {
    const events: SluiceEvent[] = []
    const steps: [bytes: number, events: number][] = []
    for (const piece of cut(input.bytes, input.chunks)) {
      turn.feed(piece)
      events.push(...turn.events())
      steps.push([piece.length, events.length])
    }
    turn.finish()
    events.push(...turn.events())
    const diagnostics = events.filter((event): event is DiagnosticEvent => event.type === 'diagnostic')
    const protocols = native ? [] : turn.tools.protocols
    return {
      wire: document.wire,
      ...(guess ? { guessed: guess.why } : {}),
      protocols,
      pieces: steps.length,
      ...(input.steps ? { steps } : {}),
      events,
      diagnostics,
      message: turn.message,
    }
  } finally {
    turn.close()
  }
}

/** A parser has no request, so `auto` needs the name of the model from here. */
function byModel(engine: Engine, settings: Settings, model: string | undefined): { protocol: string[] } {
  if (!model)
    throw new SluiceError({ code: 'option', path: 'model', detail: 'protocol auto needs the name of a model' })
  const { protocols } = engine.describe({ ...settings, request: { model, messages: [{ role: 'user', content: '' }] } })
  return { protocol: protocols }
}

export const expectedChunks = 'whole, byte, a number of bytes or seed:NUMBER'
const chunksPattern = /^(?:whole|byte|seed:(\d{1,9})|([1-9]\d{0,8}))$/
export const isChunks = (chunks: string): boolean => chunksPattern.test(chunks)

/** Gives the sizes of the pieces; undefined feeds everything at once. */
function readChunks(chunks: string): (() => number) | undefined {
  const found = chunksPattern.exec(chunks)
  if (!found)
    throw new SluiceError({ code: 'option', path: 'chunks', detail: `found '${chunks}', expected ${expectedChunks}` })
  const [, seed, number] = found
  if (seed !== undefined) return sizes({ seed: Number(seed) })
  return chunks === 'whole' ? undefined : sizes(chunks === 'byte' ? 'byte' : Number(number))
}

function* cut(bytes: Uint8Array, chunks = 'whole'): Generator<Uint8Array> {
  const size = readChunks(chunks) ?? (() => bytes.length)
  for (let at = 0; at < bytes.length; ) {
    const next = at + size()
    yield bytes.subarray(at, next)
    at = next
  }
}
