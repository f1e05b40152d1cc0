// A stop button, a time limit, and what is said of why it ended.
import type { Engine, RunOptions } from 'sluice'

export async function stoppable(engine: Engine, options: RunOptions, stop: AbortSignal): Promise<string> {
  const { outcome, text, reason, error, finishReason } = await engine.run({
    ...options,
    signal: stop,
    deadlineMs: 60_000,
  }).done
  if (outcome === 'cancelled') return `${text}… (${reason})`
  if (outcome === 'failed') return `${text} (${error?.status ?? error?.code}: ${error?.detail})`
  return finishReason === 'length' ? `${text}… (cut by max_tokens)` : text
}
