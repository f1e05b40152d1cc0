// Speech, sentence by sentence as the text arrives; what the pet does stands at its place between them.
import type { Run } from 'sluice'

export async function* cues(run: Run): AsyncGenerator<{ say: string } | { show: unknown[] }> {
  let rest = ''
  const cut = (last: number) => {
    const sentences = [...new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(rest)].map(
      ({ segment }) => segment,
    )
    rest = sentences.splice(sentences.length - last).join('')
    return sentences.map((text) => ({ say: text.trim() })).filter(({ say }) => say)
  }
  for await (const event of run) {
    if (event.type === 'text') rest += event.text
    yield* cut(event.type === 'ipc' || event.type === 'done' ? 0 : 1)
    if (event.type === 'ipc') yield { show: event.payload }
  }
}
