// The converters of the AI SDK: a conversation as its provider packages write it for each wire.
import assert from 'node:assert/strict'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'

/** By wire: the model, and what is asked beside the conversation, in the words of the AI SDK. */
export const converters = {
  'openai-chat': { of: (settings, name) => createOpenAI(settings).chat(name), beside: {} },
  'openai-responses': {
    of: (settings, name) => createOpenAI(settings).responses(name),
    beside: { providerOptions: { openai: { store: false, include: ['reasoning.encrypted_content'] } } },
  },
  anthropic: {
    of: (settings, name) => createAnthropic(settings)(name),
    beside: {
      maxOutputTokens: 8192,
      providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2048 } } },
    },
  },
  gemini: {
    of: (settings, name) => createGoogle(settings)(name),
    beside: { providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } },
  },
  'gemini-interactions': {
    of: (settings, name) => createGoogle(settings).interactions(name),
    beside: { providerOptions: { google: { thinkingSummaries: 'auto', store: false } } },
  },
}

/** One request of the AI SDK for this prompt: its body, and what it makes of the answer as a message that goes back. */
export async function ask(wire, name, { prompt, tools, answer }) {
  let body
  const { of, beside } = converters[wire]
  const model = of(
    {
      apiKey: 'key',
      fetch: async (_, init) => {
        body = init.body
        return new Response(answer, { headers: { 'content-type': 'text/event-stream' } })
      },
    },
    name,
  )
  const { stream } = await model.doStream({ prompt, tools, ...beside })
  const content = []
  const open = new Map()
  for await (const { type, ...part } of stream) {
    assert.notEqual(type, 'error', String(part.error))
    const said = type.split('-')[0]
    if (type === 'text-start' || type === 'reasoning-start') {
      open.set(part.id, { type: said, text: '' })
      content.push(open.get(part.id))
    }
    const block = open.get(part.id)
    if (block && (said === 'text' || said === 'reasoning')) {
      block.text += part.delta ?? ''
      if (part.providerMetadata) block.providerOptions = part.providerMetadata
    }
    if (type === 'tool-call')
      content.push({
        type,
        toolCallId: part.toolCallId,
        toolName: part.toolName,
        input: JSON.parse(part.input),
        ...(part.providerMetadata && { providerOptions: part.providerMetadata }),
      })
  }
  return { body: JSON.parse(body), message: { role: 'assistant', content } }
}
