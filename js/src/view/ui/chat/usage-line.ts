// What an answer took: time and tokens, in a line and in full. No DOM.
import { duration } from '../shared/format.js'
import type { Strings } from '../shared/ui-strings.js'
import type { MessageView } from '../ui-types.js'
import type { ChatStrings } from './chat-strings.js'

/** 1234 as "1.2k". */
export function tokens(count: number): string {
  if (count < 1000) return String(count)
  const [value, unit] = count < 999_500 ? [count / 1000, 'k'] : [count / 1_000_000, 'M']
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)}${unit}`
}

/** From the first request to the end of the last answer, in milliseconds. Undefined where nobody told. */
export function timeOf({ answers = [] }: MessageView): number | undefined {
  const started = answers.find((answer) => answer?.startedAt !== undefined)?.startedAt
  const ended = answers.findLast((answer) => answer?.endedAt !== undefined)?.endedAt
  return started === undefined || ended === undefined ? undefined : Math.max(0, ended - started)
}

/** The line and what stands behind it; undefined where nothing is known, or the answer goes on. */
export function usageOf(
  view: MessageView | undefined,
  words: Strings,
  chat: ChatStrings,
  full: (count: number) => string,
): { line: string; more: string } | undefined {
  if (view?.outcome === undefined) return undefined
  const time = timeOf(view)
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens } = view.usage ?? {}
  const line = [
    ...(time === undefined ? [] : [duration(time, words)]),
    ...(outputTokens === undefined ? [] : [chat.tokens(tokens(outputTokens))]),
  ].join(' · ')
  if (line === '') return undefined
  const counts: [number | undefined, (count: string) => string][] = [
    [inputTokens, chat.tokensIn],
    [outputTokens, chat.tokensOut],
    [cachedTokens, chat.tokensCached],
    [reasoningTokens, chat.tokensThought],
  ]
  const model = view.answers?.findLast((answer) => answer?.model)?.model
  return {
    line,
    more: [
      ...counts.flatMap(([count, say]) => (count === undefined ? [] : say(full(count)))),
      ...(model ? [model.slice(0, 100)] : []),
    ].join(' · '),
  }
}
