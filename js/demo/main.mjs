// What `npm start` runs: one turn, or a chat, drawn in the terminal.
import { createInterface } from 'node:readline/promises'
import { help, readOptions, UsageError } from './options.mjs'

let options
try {
  options = readOptions(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(`${error.message}\n\n${help}`)
  process.exit(2)
}
if (options.help) {
  console.log(help)
  process.exit(0)
}

// Loaded behind --help, which works where nothing is built yet.
const { Engine, SluiceError } = await import('sluice')
const { startServer } = await import('sluice/testing')
const { safe, Screen } = await import('./screen.mjs')
const { tools } = await import('./tools.mjs')
const { answer, question } = await import('./script.mjs')

const system = 'You are a friendly desktop companion with a Live2D body. Answer briefly. {{tools}}'
const screen = new Screen()
const terminal = process.stdin.isTTY && process.stdout.isTTY
const input = terminal ? createInterface({ input: process.stdin, output: process.stdout }) : undefined

process.stdout.on('error', (error) => process.exit(error.code === 'EPIPE' ? 0 : 1)) // `npm start | head`

let current // the turn that runs
process.on('SIGINT', stop)
input?.on('SIGINT', stop)
function stop() {
  if (!current) process.exit(130)
  void current.cancel('stopped by the user')
}

async function decide(run, { call, stage, level, preview }) {
  if (stage === 'result') screen.inCard(call, `the model would read: ${preview?.text}`)
  const what = stage === 'result' ? 'let the model read this?' : `a ${level} tool; run it?`
  const agree = () => (stage === 'result' ? run.release(call) : run.approve(call))
  if (options.yes || !input) {
    screen.inCard(call, screen.paint('yellow', `${what} approved automatically: ${options.yes ? '--yes' : 'there is no terminal to ask on'}`))
    return agree()
  }
  const settled = new AbortController()
  void run.done.then(() => settled.abort())
  const said = await input.question(screen.question(call, `${what} [y/n] `), { signal: settled.signal }).catch(() => undefined)
  if (said === undefined) return
  if (/^\s*y(es)?\s*$/i.test(said)) agree()
  else run.deny(call)
}

async function turn(engine, model, messages) {
  const run = (current = engine.run({ model, messages, ...options.settings }))
  for await (const event of run) {
    screen.show(event)
    if (event.type === 'approval') await decide(run, event)
  }
  current = undefined
  const result = await run.done
  const { blocks, rounds, usage } = result.message
  const shape = blocks.map((block) => (block.type === 'tool_use' ? safe(`${block.name ?? block.askedName} ${block.status}`) : block.type))
  const tokens = usage ? `, ${usage.inputTokens ?? '?'} tokens in, ${usage.outputTokens ?? '?'} out` : ''
  screen.line()
  screen.line(screen.paint('dim', `one message, ${result.outcome}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}${tokens}: ${shape.join(' → ')}`))
  return result
}

/** One question, and the outcome as the exit code. */
async function once(engine, model, prompt) {
  screen.line(screen.paint('bold', `> ${prompt}`))
  const { outcome } = await turn(engine, model, [{ role: 'system', content: system }, { role: 'user', content: prompt }])
  if (outcome !== 'completed') process.exitCode = 1
}

async function chat(engine, model) {
  const lines = input ?? createInterface({ input: process.stdin })
  screen.line(screen.paint('dim', 'An empty line or Ctrl-D ends the chat; Ctrl-C stops an answer.'))
  let messages = [{ role: 'system', content: system }]
  lines.setPrompt(screen.paint('bold', '> '))
  const prompt = () => terminal && lines.prompt()
  prompt()
  for await (const line of lines) {
    if (line.trim() === '') break
    const asked = [...messages, { role: 'user', content: line }]
    const { outcome, history } = await turn(engine, model, asked)
    if (outcome !== 'failed') messages = [...asked, ...history]
    prompt()
  }
}

try {
  const engine = new Engine({ tools })
  if (options.baseURL) {
    const model = { baseURL: options.baseURL, name: options.model, apiKey: options.apiKey }
    await (options.prompt === undefined ? chat(engine, model) : once(engine, model, options.prompt))
  } else {
    const server = await startServer({ answers: answer, delayMs: process.stdout.isTTY ? 35 : 5 })
    screen.line(screen.paint('dim', `A scripted server answers on ${server.url}. Your own: npm start -- --base-url URL --model NAME`))
    await once(engine, { baseURL: server.baseURL, name: 'scripted' }, options.prompt ?? question).finally(server.close)
  }
  engine.close()
} catch (error) {
  if (!(error instanceof SluiceError)) throw error
  console.error(`${error.path ? `${error.path}: ` : ''}${error.detail}${error.hint ? `\n${error.hint}` : ''}`)
  process.exitCode = 1
} finally {
  input?.close()
}
