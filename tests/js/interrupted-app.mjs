// An app that `host-interrupted.test.mjs` kills: a host with a store, and one question. It prints what it shows, a line
// of JSON for each look.
import { Engine, tool } from 'sluice'
import { fileConversations, sqliteConversations } from 'sluice/conversations'
import { createHost } from 'sluice/host'
import { connect } from 'sluice/renderer'

const [kind, path, baseURL, text] = process.argv.slice(2)
const store =
  kind === 'files' ? fileConversations(path) : sqliteConversations(new (await import('node:sqlite')).DatabaseSync(path))
const look = tool({
  name: 'look',
  description: 'Looks.',
  permission: 'public',
  agentCallable: true,
  parameters: { type: 'object', properties: {} },
  execute: () => 'It rains.',
})
const remove = tool({
  name: 'file.delete',
  description: 'Deletes.',
  permission: 'sensitive',
  agentCallable: true,
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
  execute: () => new Promise(() => process.stdout.write('"deleted"\n')),
})
const host = createHost(new Engine({ tools: [look, remove] }), {
  run: () => ({ model: { baseURL, name: 'scripted' } }),
  conversations: store,
})
const client = connect(host.bridge())
const message = await client.send(text)
message.subscribe(() => process.stdout.write(`${JSON.stringify(message.getSnapshot())}\n`))
process.stdin.on('data', () => message.approve(message.getSnapshot().questions[0]))
