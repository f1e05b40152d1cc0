// What the demo's assistant can do: a look at the sky, a note that needs approval, and a face.
import { setTimeout as delay } from 'node:timers/promises'
import { tool } from 'sluice'
import { live2dTools } from 'sluice/live2d'

export const notes = []

export const tools = [
  tool({
    name: 'weather.now',
    description: 'The weather in a city right now, and what is coming.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', description: 'the name of the city' } },
      required: ['city'],
    },
    permission: 'public',
    agentCallable: true,
    annotations: { readOnlyHint: true },
    async execute({ city }, { signal }) {
      await delay(350, undefined, { signal })
      return { city, now: 'overcast, 22 °C', next: 'rain from 16:00 on' }
    },
  }),
  tool({
    name: 'notes.add',
    description: 'Writes a note on the list of the user.',
    parameters: {
      type: 'object',
      properties: { text: { type: 'string' }, due: { type: 'string', description: 'a time such as 15:30' } },
      required: ['text'],
    },
    permission: 'moderate',
    agentCallable: true,
    execute({ text, due }) {
      notes.push({ text, due })
      return `noted; the list has ${notes.length} ${notes.length === 1 ? 'entry' : 'entries'}`
    },
  }),
  ...live2dTools({
    expressions: ['smile', 'thinking', 'surprised', 'worried'],
    motions: { Idle: 3, TapBody: 2 },
  }),
]
