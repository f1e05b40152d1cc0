// A chat about the files of a folder, over the official filesystem server. In this folder: npm install, then
//   SLUICE_BASE_URL=http://127.0.0.1:11434/v1 SLUICE_MODEL=qwen3:8b node chat.mjs ~/notes
// It reads without asking and asks before it writes. What the server's tools were, and what you allowed for good, is
// kept in ~/.sluice-example; a tool that says something else one day waits until you /accept it.
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Engine, fileRules } from 'sluice'
import { filePins as pins, mcpTools } from 'sluice/mcp'

const {
  SLUICE_BASE_URL: baseURL = 'http://127.0.0.1:11434/v1',
  SLUICE_MODEL: name = 'qwen3:8b',
  SLUICE_API_KEY: apiKey,
  SLUICE_SETTINGS: settings = join(homedir(), '.sluice-example'),
} = process.env
const folder = resolve(process.argv[2] ?? '.')
const reads = [
  'read_text_file',
  'read_multiple_files',
  'read_media_file',
  'list_directory',
  'directory_tree',
  'search_files',
  'get_file_info',
]
const writes = ['write_file', 'edit_file', 'create_directory', 'move_file']

const client = new Client({ name: 'sluice-example', version: '1.0.0' }, { capabilities: {} })
const server = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js')
await client.connect(new StdioClientTransport({ command: process.execPath, args: [server, folder], stderr: 'ignore' }))

const engine = new Engine({ rules: fileRules(join(settings, 'rules.json')) })
const fs = await mcpTools(client, {
  server: 'fs',
  expose: [...reads, ...writes],
  permission: (tool) => (reads.includes(tool.name) ? 'public' : 'moderate'),
  readOnly: reads,
  pins: pins(join(settings, 'pins.json')),
  onChanged: ({ name, kind, before, after, digest }) =>
    print(
      `! ${name} is ${kind}: ${JSON.stringify(before?.description)} → ${JSON.stringify(after?.description)}. /accept ${name} ${digest}`,
    ),
})
fs.attach(engine)

/** Text of a model or a server in a terminal: what is no letter stands as its code. */
const print = (text) =>
  process.stdout.write(
    `${text.replace(/[^\P{C}\n\t]/gu, (code) => `⟨U+${code.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`)}\n`,
  )

const terminal = createInterface({ input: process.stdin, output: process.stdout, terminal: process.stdin.isTTY })
const lines = terminal[Symbol.asyncIterator]()
const ask = async (question) => {
  process.stdout.write(question)
  const { value } = await lines.next()
  return value?.trim()
}

let messages = [{ role: 'system', content: `You help with the files in ${folder}. Paths are absolute.` }]
for (let said; (said = await ask('> ')) !== undefined; ) {
  if (said.startsWith('/accept ')) {
    const [, tool, digest] = said.split(/\s+/)
    await fs.accept(tool, digest).then(
      () => print(`${tool} is accepted`),
      (error) => print(error.message),
    )
    continue
  }
  if (said === '' || said === '/quit') {
    if (said) break
    continue
  }
  messages.push({ role: 'user', content: said })
  const run = engine.run({ model: { baseURL, name, ...(apiKey ? { apiKey } : {}) }, messages })
  for await (const event of run) {
    if (event.type === 'text') process.stdout.write(event.text.replace(/[^\P{C}\n\t]/gu, '�'))
    if (event.type === 'card' && event.status === 'executing') print(`\n[${run.snapshot.blocks[event.block].name} …]`)
    if (event.type === 'error') print(`\n${event.detail}`)
    if (event.type === 'approval') {
      print(`\n${event.name} ${JSON.stringify(event.arguments, null, 2)}`)
      const answer = await ask(
        event.policy === 'ask_always' ? 'May it? y yes, n no: ' : 'May it? y once, a always, n no: ',
      )
      if (answer === 'y') run.approve(event)
      else if (answer === 'a') run.approve(event, { remember: 'always' })
      else run.deny(event)
    }
  }
  const { outcome, history } = await run.done
  print('')
  if (outcome === 'failed') messages.pop()
  else messages = history
}
terminal.close()
await fs.close()
await client.close()
engine.close()
