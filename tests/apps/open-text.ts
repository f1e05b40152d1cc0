// A chat window for a text that is still coming, from wherever it comes: what can be shown of it so far.
import type { Engine, ParseOptions } from 'sluice'

export type Shown = { say: string } | { call: string; done: boolean }

export function reader(engine: Engine, options: ParseOptions): (piece: string) => Shown[] {
  let text = ''
  return (piece) =>
    engine.parse((text += piece), { ...options, open: true }).blocks.flatMap((block): Shown[] => {
      if (block.type === 'text') return [{ say: block.text }]
      return block.type === 'tool_use' ? [{ call: block.name ?? '', done: block.status !== 'streaming' }] : []
    })
}
