// The AI SDK over a model that writes its calls as text. In an empty folder with this file, beside Ollama or any server
// like OpenAI's:
//   npm install ai sluice && node main.mjs 'How is the weather in Rome?'
// BASE_URL and MODEL name another server and model, API_KEY its key.
import { generateText, jsonSchema, tool } from 'ai'
import { createSluice } from 'sluice/ai-sdk'

const { BASE_URL: baseURL = 'http://127.0.0.1:11434/v1', MODEL: name = 'qwen3:8b', API_KEY: apiKey } = process.env
const sluice = createSluice({ baseURL, apiKey, malformed: 'report' })

const { text } = await generateText({
  model: sluice(name),
  prompt: process.argv[2] ?? 'How is the weather in Rome?',
  stopWhen: ({ steps }) => steps.length === 5,
  tools: {
    get_weather: tool({
      description: 'The weather of a city, now.',
      inputSchema: jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
      execute: ({ city }) => {
        console.log(`get_weather ${city}`)
        return `sunny in ${city}`
      },
    }),
  },
})
console.log(text)
