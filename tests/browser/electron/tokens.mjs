// A model that says so many tokens a second for so many seconds, in a process of its own: whatever else is slow, it is
// not.
import { createServer } from 'node:http'

const { rate, seconds } = JSON.parse(process.env.SLUICE_TOKENS)
const words = [
  'The',
  ' pet',
  ' looks',
  ' out',
  ' of',
  ' the',
  ' window',
  ',',
  ' and',
  ' says',
  ' that',
  ' it',
  ' is',
  ' fine',
  '.',
  '\n\n',
  '今天',
  '天气',
  '很好',
  '。',
  ' ',
]
const event = (delta, finish = null) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

const server = createServer((request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const start = performance.now()
  let sent = 0
  const timer = setInterval(() => {
    const due = Math.min(Math.floor(((performance.now() - start) * rate) / 1000), rate * seconds)
    let text = ''
    while (sent < due) text += event({ content: words[sent++ % words.length] })
    if (text) response.write(text)
    if (sent < rate * seconds) return
    clearInterval(timer)
    response.end(`${event({}, 'stop')}data: [DONE]\n\n`)
  }, 5)
  response.on('close', () => clearInterval(timer))
})
server.listen(0, '127.0.0.1', () => process.send({ baseURL: `http://127.0.0.1:${server.address().port}/v1` }))
process.on('disconnect', () => process.exit())
