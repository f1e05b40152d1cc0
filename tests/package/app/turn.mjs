// A user's program: a whole turn, with a tool that asks, against the scripted server.
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { Engine, tool, version } from 'sluice'
import { live2dTools } from 'sluice/live2d'
import { startScriptedServer } from 'sluice/testing'

const server = await startScriptedServer({
  answers: [
    {
      text: 'Let me look. ',
      calls: [
        { name: 'weather_now', arguments: { city: '杭州' } },
        { name: 'live2d_expression', arguments: { name: 'smile' } },
      ],
    },
    { text: 'Rain at four.' },
  ],
})
const sent = []
const engine = new Engine({
  tools: [
    tool({
      name: 'weather.now',
      description: 'The weather.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      permission: 'moderate',
      agentCallable: true,
      execute: ({ city }) => ({ city, degrees: 21.5 }),
    }),
    ...live2dTools({ expressions: ['smile'] }),
  ],
  ipc: (...message) => sent.push(message),
})
// wine cannot connect the sockets of Node's fetch; those of node:http it can.
const transport = ({ url, method, headers, body }, signal) =>
  new Promise((resolve, reject) => {
    const answer = (response) =>
      resolve(new Response(Readable.toWeb(response), { status: response.statusCode, headers: response.headers }))
    request(url, { method, headers, signal }, answer).on('error', reject).end(body)
  })
const turn = engine.run({
  ...(process.platform === 'win32' ? { transport } : {}),
  model: { baseURL: server.baseURL, name: 'scripted' },
  messages: [{ role: 'user', content: 'Umbrella?' }],
})
let asked = 0
for await (const event of turn) {
  if (event.type !== 'approval') continue
  asked++
  turn.approve(event.call)
}
const { outcome, text, message, error } = await turn.done
const cards = message.blocks.filter((block) => block.type === 'tool_use').map((card) => `${card.name} ${card.status}`)
console.log(JSON.stringify({ version: version(), outcome, text, cards, asked, sent, error }))
engine.close()
await server.close()
