// A turn as a workflow of DBOS. In this folder: npm install, then with Postgres and a server of models,
//   export DBOS_SYSTEM_DATABASE_URL=postgres://localhost/notes
//   node main.mjs ask monday 'Note: umbrella.'    begins the turn `monday`; killed, it goes on with `node main.mjs
//   work`
//   node main.mjs decide monday                   whenever, in another process: prints the question that waits, and its
//   digest
//   node main.mjs decide monday 0123456789ab yes  decides that one, and no other that came in its place; or no
import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk'
import { Engine, tool } from 'sluice'

const {
  DBOS_SYSTEM_DATABASE_URL: systemDatabaseUrl,
  SLUICE_BASE_URL: baseURL = 'http://127.0.0.1:11434/v1',
  SLUICE_MODEL: name = 'qwen3:8b',
  NOTES_URL = 'http://127.0.0.1:8080/notes',
} = process.env
const [what, id, words, decision] = process.argv.slice(2)
const MONTH = 30 * 86_400 // seconds

const engine = new Engine({
  tools: [
    tool({
      name: 'note.add',
      description: 'Adds a note.',
      agentCallable: true,
      permission: 'sensitive',
      identity: '1',
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      // A step runs at least once: the key is the same each time, and whoever is asked can tell that it is.
      execute: ({ text }, { key }) =>
        DBOS.runStep(
          async () =>
            (await fetch(NOTES_URL, { method: 'POST', headers: { 'idempotency-key': key }, body: text })).text(),
          { name: `tool ${key}` },
        ),
    }),
  ],
})

/** A whole answer of the model, as the journal keeps it. */
const asked = async ({ url, headers, body }) => {
  const response = await fetch(url, { method: 'POST', headers, body })
  return {
    status: response.status,
    headers: { 'content-type': response.headers.get('content-type') },
    text: await response.text(),
  }
}

// What the engine does follows from what it was told, so a replay comes to the same steps in the same order.
const turn = DBOS.registerWorkflow(
  async (messages) => {
    const transport = async (request) => {
      const { text, ...answer } = await DBOS.runStep(() => asked(request), { name: 'model' })
      return new Response(text, answer)
    }
    const run = engine.run({ id: DBOS.workflowID, model: { baseURL, name }, messages, transport })
    for await (const event of run) {
      if (event.type !== 'approval') continue
      const { call, digest } = event
      await DBOS.setEvent('question', { call, digest, name: event.name, arguments: event.arguments })
      const given = await DBOS.recv(`decision:${call}:${digest}`, { timeoutSeconds: MONTH })
      if (given === 'yes') run.approve({ call, digest })
      else run.deny({ call, digest }, given === null ? 'nobody decided within a month' : undefined)
    }
    const { outcome, message, history } = await run.done
    return { outcome, history, text: message.blocks.map(({ text = '' }) => text).join('') }
  },
  { name: 'turn' },
)

if (what === 'decide') {
  const client = await DBOSClient.create({ systemDatabaseUrl })
  const question = await client.getEvent(id, 'question', { timeoutSeconds: 60 })
  const [short, shown] = [question.digest.slice(0, 12), `${question.name} ${JSON.stringify(question.arguments)}`]
  if (words === undefined) console.log(`${short}: ${shown}`)
  else if (words !== short || !['yes', 'no'].includes(decision)) {
    console.error(`nothing was decided. What waits: ${short}: ${shown}\nnode main.mjs decide ${id} ${short} yes, or no`)
    process.exitCode = 1
  } else {
    await client.send(
      id,
      decision,
      `decision:${question.call}:${question.digest}`,
      `${question.call}:${question.digest}`,
    ) // DBOS ignores a second message with this key
    console.log(`${decision}: ${shown}`)
  }
  await client.destroy()
} else {
  DBOS.setConfig({ name: 'notes', systemDatabaseUrl, applicationVersion: '1', logLevel: 'error' })
  await DBOS.launch() // goes on with what a process that died left behind
  if (what === 'ask') {
    const { text, outcome } = await (
      await DBOS.startWorkflow(turn, { workflowID: id })([{ role: 'user', content: words }])
    ).getResult()
    console.log(`${outcome}: ${text}`)
    await DBOS.shutdown()
  }
}
