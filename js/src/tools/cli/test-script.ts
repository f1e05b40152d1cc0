// A parse as a script in the format of tests/vectors: what was fed, and what came of it. Every language's runner
// replays it.
import type { Engine } from '../../engine/core/engine.js'
import type { SluiceEvent } from '../../engine/core/events.js'
import { parse, turnOf, type ParseInput } from './parser.js'

/** The script as the text of a file. */
export function scriptOf(engine: Engine, input: Omit<ParseInput, 'chunks' | 'steps'>): string {
  const { turn } = turnOf(engine, input)
  const { events, message, protocols } = parse(engine, { ...input, chunks: 'whole' })
  const calls = message.blocks.filter(({ type }) => type === 'tool_use').length
  const read = protocols.length > 0 ? `text in ${protocols.join(', ')}` : 'native calls only'
  return `${JSON.stringify(
    {
      about: `${turn.wire}, ${read}: ${calls} ${calls === 1 ? 'call' : 'calls'}, written by the tester`,
      engine: { ...engine.settings, tools: engine.tools.map(({ declaration }) => declaration) },
      turn,
      steps: [
        { feed: Buffer.from(input.bytes).toString() },
        { finish: 'complete' },
        { expect: merged(events).map(pattern) },
        { get: 'message', is: pattern(message) },
      ],
    },
    null,
    2,
  )}\n`
}

/** Told in places that are not promised, or as finely as the answer was cut. */
const aside: readonly SluiceEvent['type'][] = ['args', 'usage', 'round']
const joined: { [type in SluiceEvent['type']]?: 'block' | 'call' } = { text: 'block', reasoning: 'block', card: 'call' }

/** Events as scripts write them: neighbouring deltas of the same block or call as one. */
function merged(events: readonly SluiceEvent[]): object[] {
  const out: { [member: string]: unknown }[] = []
  const diagnostics: object[] = []
  for (const { seq: _, ...event } of events) {
    if (aside.includes(event.type)) continue
    const given: { [member: string]: unknown } = event
    if (event.type === 'diagnostic') {
      diagnostics.push(given) // beside the others
      continue
    }
    const last = out.at(-1)
    const key = joined[event.type]
    if (!key || last?.['type'] !== event.type || last[key] !== given[key]) out.push({ ...given })
    else
      Object.assign(last, event.type === 'card' ? given : { text: `${String(last['text'])}${String(given['text'])}` })
  }
  return [...out.slice(0, -1), ...diagnostics, ...out.slice(-1)]
}

/**
 * A value as a pattern that it meets. An object whose one member begins with $ would be a test; a number that is not
 * exact here is left to the raw text.
 */
function pattern(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pattern)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  if (entries.length === 1 && entries[0]?.[0].startsWith('$')) return exact(value) ? { $equals: value } : { $any: true }
  return Object.fromEntries(
    entries
      .filter(([, one]) => typeof one !== 'number' || exact(one))
      .map(([name, one]) => [name, Array.isArray(one) && !exact(one) ? { $any: true } : pattern(one)]),
  )
}

const exact = (value: unknown): boolean =>
  typeof value === 'number'
    ? Number.isSafeInteger(value) || (!Number.isInteger(value) && Math.abs(value) < 1e15)
    : typeof value !== 'object' || value === null || Object.values(value).every(exact)
