// A notebook that a model keeps, behind AG-UI. In this folder: npm install, then
//   SLUICE_BASE_URL=http://127.0.0.1:11434/v1 SLUICE_MODEL=qwen3:8b node server.mjs
// and beside it node client.mjs. It is also the agent of a CopilotRuntime: new HttpAgent({ url:
// 'http://127.0.0.1:4180/agent' }).
import { createServer } from 'node:http'
import { Engine, tool } from 'sluice'
import { agUIHandler } from 'sluice/ag-ui'
import { fileConversations } from 'sluice/conversations'
import { nodeListener } from 'sluice/web'

const {
  SLUICE_BASE_URL: baseURL = 'http://127.0.0.1:11434/v1',
  SLUICE_MODEL: name = 'qwen3:8b',
  SLUICE_API_KEY: apiKey,
  SLUICE_SETTINGS: folder = 'conversations',
  PORT = '4180',
} = process.env
const notes = new Map([
  [1, 'Buy an umbrella'],
  [2, 'Call Rome'],
])

const engine = new Engine({
  tools: [
    tool({
      name: 'notes.list',
      description: 'All notes, with their numbers.',
      parameters: { type: 'object', properties: {} },
      permission: 'public',
      agentCallable: true,
      execute: () => Object.fromEntries(notes),
    }),
    tool({
      name: 'notes.delete',
      title: 'Delete a note',
      description: 'Deletes a note for good.',
      permission: 'sensitive',
      agentCallable: true,
      parameters: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
      execute: ({ number }) => (notes.delete(number) ? `note ${number} is gone` : `there is no note ${number}`),
    }),
  ],
})

const handler = agUIHandler(engine, {
  run: () => ({
    model: { baseURL, name, ...(apiKey ? { apiKey } : {}) },
    system: 'You keep the notes of the user. Be brief.',
    approvalTimeoutMs: 24 * 3600 * 1000,
  }),
  store: fileConversations(folder), // a question waits here, also while the server is down
  authorize: () => true, // this machine's user: an app asks who sends the request, and whose thread it is
})

const server = createServer(nodeListener(handler))
server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/agent`))
