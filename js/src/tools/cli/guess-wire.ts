// The format of a recorded answer, by what stands in it.
import { isObject } from '../../engine/core/options.js'
import type { WireName } from './tester-api.js'

/** A wire, and what speaks for it. */
export interface Guess {
  wire: WireName
  why: string
}

/** So much of a stream is looked at. */
const HEAD = 256 * 1024

export function guessWire(bytes: Uint8Array): Guess {
  const text = new TextDecoder().decode(bytes).trimStart()
  const lines = text.slice(0, HEAD).split(/\r\n|\r|\n/)
  if (/^(?:data|event|id|retry|):/.test(lines[0] as string) && lines.some((line) => /^data:\s*(?:[[{]|$)/.test(line))) {
    const events = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5))
    return ofFirst(events.map(json)) ?? { wire: 'openai-chat', why: 'it has `data:` lines' }
  }
  const whole = json(text)
  const found = ofFirst(Array.isArray(whole) ? whole : whole === undefined ? lines.slice(0, 100).map(json) : [whole])
  if (found && (whole !== undefined || found.wire === 'ollama'))
    return { ...found, why: found.why.replace('it has `data:` lines with', 'it is JSON with') }
  if (isObject(whole) && 'error' in whole) return { wire: 'openai-chat', why: 'it is JSON with `choices` or `error`' }
  return { wire: 'text', why: 'it has no `data:` lines' }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function ofFirst(values: unknown[]): Guess | undefined {
  for (const value of values.filter(isObject)) {
    const found = signs.find(({ fits }) => fits(value))
    if (found) return { wire: found.wire, why: `it has \`data:\` lines with ${found.has}` }
  }
  return undefined
}

type Fields = { [member: string]: unknown }

const signs: readonly { wire: WireName; has: string; fits: (value: Fields) => boolean }[] = [
  { wire: 'openai-chat', has: '`choices`', fits: ({ choices }) => choices !== undefined },
  {
    wire: 'openai-responses',
    has: 'events `response.…`',
    fits: ({ type, object }) => object === 'response' || /^response\./.test(String(type)),
  },
  {
    wire: 'anthropic',
    has: 'messages and content blocks',
    fits: ({ type, content, error }) =>
      /^(?:message|content_block)_\w+$|^ping$/.test(String(type)) ||
      (type === 'message' && Array.isArray(content)) ||
      (type === 'error' && isObject(error)),
  },
  {
    wire: 'gemini',
    has: '`candidates`',
    fits: ({ candidates, promptFeedback, usageMetadata }) =>
      (candidates ?? promptFeedback ?? usageMetadata) !== undefined,
  },
  {
    wire: 'gemini-interactions',
    has: 'events `interaction.…` and `step.…`',
    fits: ({ event_type: type, object }) => object === 'interaction' || /^(?:interaction|step)\./.test(String(type)),
  },
  {
    wire: 'ollama',
    has: '`message` and `done`',
    fits: ({ message, response, done }) =>
      typeof done === 'boolean' && (isObject(message) || typeof response === 'string'),
  },
]
