// OpenAI's client over a model that writes its calls as text. In an empty folder with this file, beside Ollama or any
// server like OpenAI's:
//   npm install openai sluice && node main.mjs 'How is the weather in Rome?'
// BASE_URL and MODEL name another server and model, API_KEY its key.
import OpenAI from 'openai'
import { textToolCalls } from 'sluice/openai'

const {
  BASE_URL: baseURL = 'http://127.0.0.1:11434/v1',
  MODEL: model = 'qwen3:8b',
  API_KEY: apiKey = 'none',
} = process.env
const fetch = textToolCalls({ onDiagnostic: ({ code, detail }) => console.error(`${code}: ${detail}`) })
const client = new OpenAI({ baseURL, apiKey, fetch })

const run = client.chat.completions.runTools({
  model,
  stream: true,
  messages: [{ role: 'user', content: process.argv[2] ?? 'How is the weather in Rome?' }],
  tools: [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather of a city, now.',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        parse: JSON.parse,
        function: ({ city }) => `sunny in ${city}`,
      },
    },
  ],
})
run.on('functionToolCall', ({ name, arguments: given }) => console.log(`\n${name} ${given}`))
run.on('content', (text) => process.stdout.write(text))
await run.finalContent()
console.log()
