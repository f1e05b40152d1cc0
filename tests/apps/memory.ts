// Memory before the answer: the notes about a question are looked up, and stand in front of what the model reads.
import type { Model } from 'sluice'
import type { HostOptions } from 'sluice/host'

export const remembering = (model: Model, recall: (text: string) => Promise<string[]>): HostOptions => ({
  async run({ text, messages }) {
    const notes = await recall(text)
    const content = `What you know of it:\n${notes.join('\n')}`
    return { model, messages: notes.length > 0 ? [{ role: 'system', content }, ...messages] : messages }
  },
})
