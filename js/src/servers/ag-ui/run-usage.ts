import type { AssistantMessage, Usage } from '../../engine/core/events.js'
import type { AGUITokenUsage } from './ag-ui-types.js'

const names = {
  inputTokens: 'inputTokens',
  outputTokens: 'outputTokens',
  cachedTokens: 'cachedInputTokens',
  cacheWriteTokens: 'cacheWriteInputTokens',
  reasoningTokens: 'reasoningTokens',
} as const

/** The tokens of a message by model, without its first answers: other runs told them. */
export function usageOf({ answers = [] }: Pick<AssistantMessage, 'answers'>, before: number): AGUITokenUsage[] {
  const counts = new Map<string | undefined, AGUITokenUsage>()
  for (const { usage, model } of answers.slice(before)) {
    if (!usage) continue
    const count = counts.get(model) ?? { ...(model === undefined ? {} : { model }) }
    counts.set(model, count)
    for (const [name, as] of Object.entries(names) as [
      keyof Usage & keyof typeof names,
      (typeof names)[keyof typeof names],
    ][]) {
      const more = usage[name]
      if (more !== undefined) count[as] = (count[as] ?? 0) + more
    }
  }
  return [...counts.values()].map((count) => {
    const { inputTokens, outputTokens } = count
    return {
      ...count,
      ...(inputTokens === undefined || outputTokens === undefined ? {} : { totalTokens: inputTokens + outputTokens }),
    }
  })
}
