// Guesses the format of a recorded answer: asks the engine which format its events look like.
import { utf8 } from '../../engine/core/bytes.js'
import type { Engine } from '../../engine/core/engine.js'
import type { SluiceEvent } from '../../engine/core/events.js'
import type { WireName } from './tester-api.js'

/** A wire, and what speaks for it. */
export interface Guess {
  wire: WireName
  why: string
}

/** So much of an answer is looked at. */
const HEAD = 256 * 1024

/** Reads the bytes as openai-chat: the engine says where they look like another format. */
export function guessWire(engine: Engine, bytes: Uint8Array): Guess {
  const turn = engine.turn({ wire: 'openai-chat', enabled: false })
  try {
    turn.feed(bytes.subarray(0, HEAD))
    turn.finish()
    const events = [...turn.events()]
    const said = events.map(wordsOf).join('\n')
    const [, other] = /(?:it looks|they look) like ([\w-]+)\.?$/m.exec(said) ?? []
    if (other !== undefined) return { wire: other as WireName, why: `it has events of ${other}` }
    if (events.some(isAnswer) || isStream(bytes)) return { wire: 'openai-chat', why: 'it reads as openai-chat' }
    return { wire: 'text', why: 'it has no events of a provider' }
  } finally {
    turn.close()
  }
}

function isStream(bytes: Uint8Array): boolean {
  const lines = utf8(bytes.subarray(0, HEAD))
    .trimStart()
    .split(/\r\n|\r|\n/)
  return /^(?:data|event|id|retry|):/.test(lines[0] ?? '') && lines.some((line) => /^data:\s*(?:[[{]|$)/.test(line))
}

function wordsOf(event: SluiceEvent): string {
  if (event.type === 'error') return event.hint ?? ''
  return event.type === 'diagnostic' && event.code === 'empty_answer' ? (event.detail ?? '') : ''
}

/** The answer holds something in the format, or the provider's words for why it is none. */
function isAnswer(event: SluiceEvent): boolean {
  if (event.type === 'error') return !event.detail.startsWith('the answer is not ')
  if (event.type === 'round') return event.finishReason !== undefined
  return ['text', 'reasoning', 'card', 'usage', 'sources', 'media'].includes(event.type)
}
