// What is said of how an answer ended, and of what broke it off. No DOM.
import { isCommentary } from '../../../app/bridge/commentary.js'
import { endingOf } from '../../../app/bridge/ending.js'
import type { ErrorView } from '../../../app/bridge/messages.js'
import type { Strings } from './ui-strings.js'
import type { BlockView, CardView, ShownMessage } from '../ui-types.js'

/** Errors that cut an answer off: with something of it there, that is all a person need know of them. */
const cuts = new Set(['unfinished', 'stream_broken', 'network', 'first_byte_timeout', 'idle_timeout', 'timeout'])

type Ended = Pick<ShownMessage, 'outcome' | 'finishReason'> & {
  interrupted?: true
  blocks: readonly (BlockView | undefined)[]
}

/**
 * The line behind an answer that did not end as it should; undefined where its error says it. `warns`: something is
 * missing.
 */
export function endOf(view: Ended, words: Strings): { text: string; warns: boolean } | undefined {
  const ending = endingOf(view)
  if (ending) return { text: words.endings[ending], warns: true }
  const { outcome, blocks } = view
  if (outcome === 'failed' && blocks.some((block) => block?.type === 'error' && isCutOff(block)))
    return { text: words.cutOff, warns: false }
  if (!outcome || outcome === 'completed' || (outcome === 'failed' && blocks.some((block) => block?.type === 'error')))
    return undefined
  const rounds = outcome === 'limit' ? roundsOfTools(blocks) : 0
  return { text: rounds > 0 ? words.limitRounds(rounds) : words.outcome[outcome], warns: false }
}

/** What an error is called. `text`: something of the answer is there. */
export function errorTitle(code: string, text: boolean, words: Strings): string {
  if (text && cuts.has(code)) return words.brokeOff
  return (Object.hasOwn(words.errors, code) && words.errors[code]) || words.error
}

/** The same as it is read out; empty for an answer that ended as it should. */
export function spokenEnd(view: Ended, words: Strings): string {
  const end = endOf(view, words)
  if (end || view.outcome === 'completed') return end?.text ?? ''
  const error = view.blocks.findLast((block) => block?.type === 'error')
  const title = error?.type === 'error' ? errorTitle(error.code, hasText(view.blocks), words) : ''
  return title === words.brokeOff ? title : [words.outcome.failed, title].filter(Boolean).join('. ')
}

/** The text of an answer, as it is copied and read out: without cards, comments and withdrawn text. */
export const textOf = (blocks: readonly (BlockView | undefined)[]): string =>
  blocks
    .flatMap((block) => (block?.type === 'text' && !block.retracted && !isCommentary(block) ? block.text.trim() : []))
    .filter(Boolean)
    .join('\n\n')

/** There is something of the answer to read. */
export const hasText = (blocks: readonly (BlockView | undefined)[]): boolean =>
  blocks.some((block) => block?.type === 'text' && !block.retracted && block.text.trim() !== '')

/** An error of the page alone: the host may go on with the answer. */
const isCutOff = ({ code }: ErrorView): boolean => code === 'connection'

/**
 * An error that says no more than the end of the answer does: the page lost its host, or the model wanted another
 * round.
 */
export function isSaidByEnd(error: ErrorView, { outcome, blocks }: Ended): boolean {
  if (outcome === 'failed') return isCutOff(error)
  return (
    outcome === 'limit' &&
    error.code === 'max_rounds' &&
    roundsOfTools(blocks) > 0 &&
    blocks.some((block) => block?.type === 'tool_use' && block.reason === 'max_rounds')
  )
}

const roundsOfTools = (blocks: readonly (BlockView | undefined)[]): number =>
  new Set(
    blocks
      .filter((block): block is CardView => block?.type === 'tool_use' && block.reason !== 'max_rounds')
      .map(({ round }) => round),
  ).size
