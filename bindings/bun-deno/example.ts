// A turn with a call that a person approves, with a server that speaks OpenAI's protocol: its base URL, or
// SLUICE_BASE_URL.
import process from 'node:process'
import { Engine } from './sluice.ts'

const baseURL = process.argv[2] ?? process.env.SLUICE_BASE_URL ?? 'http://127.0.0.1:11434/v1'
const note = {
  name: 'note.add',
  description: 'Adds a note.',
  permission: 'moderate',
  agentCallable: true,
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}
const request = { model: 'qwen3:8b', messages: [{ role: 'user', content: 'Remember the umbrella.' }] }
const headers = { 'content-type': 'application/json' }

/** The body of the server's answer, which is still to be read. */
async function send() {
  const asked = fetch(`${baseURL}/chat/completions`, { method: 'POST', headers, body: turn.get('request', String) })
  const answer = await asked.catch((error) => {
    console.error(`${baseURL} does not answer: ${error.message}`)
    process.exit(1)
  })
  turn.response(answer.status)
  return answer.body!.getReader()
}

const engine = new Engine({ tools: [note] })
const turn = engine.turn({ wire: 'openai-chat', request })
let body: Awaited<ReturnType<typeof send>> | undefined
let outcome = ''
while (true) {
  for (const event of turn.events()) {
    if (event.type === 'request') body = await send()
    if (event.type === 'text') process.stdout.write(event.text)
    if (event.type === 'approval') turn.approve(event) // show it to a person first
    if (event.type === 'execute') turn.submit(event, `noted: ${event.arguments.text}`)
    if (event.type === 'error') console.error(event.detail)
    if (event.type === 'done') outcome = event.outcome
  }
  if (outcome !== '') break
  const piece = await body!.read()
  if (piece.done) turn.finish()
  else turn.feed(piece.value)
}
console.log(`\n${outcome}, ${turn.get('history').length} messages for the next request`)
turn.close()
engine.close()
