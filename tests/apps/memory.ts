// Memory before the answer: the app looks up its notes about a question and puts them in front of the conversation.
import type { Model } from 'sluice'
import type { HostOptions } from 'sluice/host'

export const remembering = (model: Model, recall: (text: string) => Promise<string[]>): HostOptions => ({
  async run({ text, messages }) {
    const notes = await recall(text)
    const content = `What you know of it:\n${notes.join('\n')}`
    return { model, messages: notes.length > 0 ? [{ role: 'system', content }, ...messages] : messages }
  },
})
