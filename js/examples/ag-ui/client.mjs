// Talks to server.mjs in a terminal: node client.mjs [address] [thread]. A thread that is named goes on where it was,
// with the questions that wait.
import { createInterface } from 'node:readline/promises'
import { HttpAgent } from '@ag-ui/client'

const [url = 'http://127.0.0.1:4180/agent', threadId = crypto.randomUUID()] = process.argv.slice(2)
const agent = new HttpAgent({ url, threadId })
const terminal = createInterface({ input: process.stdin, output: process.stdout })

const show = {
  onTextMessageContentEvent: ({ event }) => {
    process.stdout.write(event.delta)
  },
  onTextMessageEndEvent: () => {
    process.stdout.write('\n')
  },
  onToolCallEndEvent: ({ toolCallName, toolCallArgs }) =>
    console.log(`[${toolCallName} ${JSON.stringify(toolCallArgs)}]`),
  onToolCallResultEvent: ({ event }) => console.log(`[${event.content}]`),
  onRunErrorEvent: ({ event }) => console.log(`It failed: ${event.message}`),
}

/** Every question of the run that ended: an interrupt says what is asked, and the next run carries the answers. */
async function answers(interrupts) {
  const resume = []
  for (const { id, message, metadata } of interrupts) {
    const { arguments: args, preview } = metadata.sluice
    const yes = /^y/i.test(await terminal.question(`${message}\n  ${preview?.text ?? JSON.stringify(args)} [y/n] `))
    resume.push({
      interruptId: id,
      status: 'resolved',
      payload: yes ? { approved: true } : { approved: false, reason: 'the user said no' },
    })
  }
  return resume
}

terminal.setPrompt('> ')
terminal.prompt()
for await (const text of terminal) {
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: text })
  await agent.runAgent({}, show)
  while (agent.pendingInterrupts.length > 0)
    await agent.runAgent({ resume: await answers(agent.pendingInterrupts) }, show)
  terminal.prompt()
}
