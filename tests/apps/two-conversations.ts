// Two conversations at a time, one engine.
import type { ChatMessage, Engine, Model } from 'sluice'

export const conversation =
  (engine: Engine, model: Model, messages: ChatMessage[] = []) =>
  async (content: string): Promise<string> => {
    messages.push({ role: 'user', content })
    const { history, text } = await engine.run({ model, messages }).done
    messages.push(...history)
    return text
  }
