// sluice chat: any OpenAI-compatible server, with approvals on the terminal.
import { readFile } from 'node:fs/promises'
import { Engine } from '../core/engine.js'
import { files } from '../conversations/files.js'
import type { Conversations } from '../conversations/types.js'
import { tell, text, UsageError, type Command, type Values } from './command.js'
import { dataFolder, Kept, lastOf, listed } from './kept.js'
import { modelHelp, modelOptions, readModel, readSettings } from './model-options.js'
import { talk } from './talk.js'
import { loadTools } from './tools-file.js'

export const command: Command = {
  summary: 'talk to any OpenAI-compatible server, with approvals on the terminal',
  help: `npx sluice chat --base-url URL --model NAME [options]

${modelHelp}
  --system FILE       a text that stands in front of the conversation; {{tools}} in it: where mode text lists the tools
  --tools FILE.mjs    tools that the model may call: export default [tool({ … }), …]
  --prompt TEXT       one question instead of a chat
  --yes               approve every call without asking
  --conversation NAME keep the chat under this name, and go on where it ended (default: nothing is kept)
  --resume            go on with the one that changed last
  --list              the names and titles of all that are kept, the last first
  --store DIR         where they are kept (default: ${dataFolder('conversations')})

Without a terminal the lines of the standard input are what is said, and answer what is asked; when there are none left, the answer is no.
The exit code is then that of the first answer that did not go well: 1 also where it was cut, withheld, broken off or empty.`,
  options: {
    ...modelOptions, system: { type: 'string' }, tools: { type: 'string' }, prompt: { type: 'string' }, yes: { type: 'boolean' },
    conversation: { type: 'string' }, resume: { type: 'boolean' }, list: { type: 'boolean' }, store: { type: 'string' },
  },
  async run(values) {
    const store = files(text(values.store) ?? dataFolder('conversations'))
    if (values.list) {
      for (const line of await listed(store)) console.log(line)
      return 0
    }
    const model = readModel(values)
    if (!model) throw new UsageError('--base-url URL and --model NAME are missing')
    const system = text(values.system)
    const path = text(values.tools)
    const tools = path === undefined ? [] : await loadTools(path)
    const idle = tools.find((one) => !one.run && !one.declaration.ipc)
    if (idle) throw new UsageError(`--tools ${path}: ${idle.name} has nothing that runs it: expected execute (or ipc)`)
    const kept = await open(store, values)
    const engine = new Engine({ tools })
    try {
      return await talk({
        engine,
        model,
        settings: readSettings(values),
        system: system === undefined ? undefined : await readText(system),
        prompt: text(values.prompt),
        kept,
        auto: values.yes ? '--yes' : undefined,
      })
    } finally {
      engine.close()
    }
  },
}

/** Undefined: nothing is kept. */
async function open(store: Conversations, values: Values): Promise<Kept | undefined> {
  const name = text(values.conversation)
  if (name !== undefined && values.resume) throw new UsageError('--conversation NAME and --resume: expected one of them')
  if (name === undefined && !values.resume) {
    if (values.store !== undefined) throw new UsageError('--store needs --conversation NAME, --resume or --list beside it')
    return undefined
  }
  return await Kept.open(store, name ?? (await lastOf(store)))
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new UsageError(`--system: ${tell(error)}`)
  }
}
