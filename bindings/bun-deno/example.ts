// A turn with a call that a person approves, fed with two answers of a server that speaks OpenAI's protocol.
import { Engine } from './sluice.ts'

const answers = [
  String.raw`data: {"choices":[{"delta":{"content":"Noted: ","tool_calls":[{"index":0,"id":"c1","function":{"name":"note.add","arguments":"{\"text\":\"umbrella\"}"}}]},"finish_reason":"tool_calls"}]}`,
  'data: {"choices":[{"delta":{"content":"you will not forget it."},"finish_reason":"stop"}]}',
]
const note = {
  name: 'note.add', description: 'Adds a note.', permission: 'moderate', agentCallable: true,
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}
const request = { model: 'qwen3:8b', messages: [{ role: 'user', content: 'Remember the umbrella.' }] }

let text = ''
const engine = new Engine({ tools: [note] })
const turn = engine.turn({ wire: 'openai-chat', request })
for (const event of turn.events()) {
  if (event.type === 'request') {
    // send turn.get('request', String), and feed what comes
    turn.feed(`${answers.shift()}\n\ndata: [DONE]\n\n`)
    turn.finish()
  }
  if (event.type === 'text') text += event.text
  if (event.type === 'approval') turn.approve(event) // show it to a person first
  if (event.type === 'execute') turn.submit(event, `noted: ${event.arguments.text}`)
  if (event.type === 'done') console.log(`${text}\n${event.outcome}, ${turn.get('history').length} messages for the next request`)
}
turn.close()
engine.close()
