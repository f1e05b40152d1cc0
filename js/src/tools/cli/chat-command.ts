// sluice chat: a model of any provider, with approvals on the terminal.
import { readFile } from 'node:fs/promises'
import { Engine } from '../../engine/core/engine.js'
import { fileConversations } from '../../app/conversations/file-conversations.js'
import type { Conversations } from '../../app/conversations/conversation-types.js'
import { tell, text, unreadable, UsageError, type Command, type Values } from './command.js'
import { dataFolder, Kept, lastOf, listed } from './kept.js'
import { MediaFolder } from './made-words.js'
import { modelHelp, modelOptions, readModel, readSettings } from './model-options.js'
import { talk } from './talk.js'
import { loadTools } from './tools-file.js'

export const command: Command = {
  summary: 'talk to a model of any provider, with approvals on the terminal',
  help: `npx sluice chat --provider NAME --model NAME [options]
npx sluice chat --base-url URL --model NAME [options]

${modelHelp}
  --system FILE       a system message; mode text lists the tools where it says {{tools}}
  --tools FILE.mjs    tools that the model may call: export default [tool({ … }), …]
  --prompt TEXT       one question instead of a chat
  --verbose           say the shape of each message: its outcome, rounds, tokens in and out, blocks
  --usage             say what each message took: tokens in, those of them that came from the provider's cache, and out
  --yes               approve every call without asking
  --save DIR          save pictures and files that the model makes, each under a new name (default: name them only)
  --conversation NAME keep the chat under this name, and continue it next time (default: keep nothing)
  --resume            continue the chat that changed last
  --list              list the names and titles of kept chats, the newest first
  --store DIR         the folder of kept chats (default: ${dataFolder('conversations')})

At a terminal /help tells what else you can type: /new /open /again /edit and others.
Without a terminal each line of the standard input is a message, or the answer to a question; at the end of the input the answer is no.
The exit code is then that of the first answer that failed: 1 also for one that was cut, withheld, broken off or empty.`,
  options: {
    ...modelOptions,
    system: { type: 'string' },
    tools: { type: 'string' },
    prompt: { type: 'string' },
    yes: { type: 'boolean' },
    verbose: { type: 'boolean' },
    usage: { type: 'boolean' },
    save: { type: 'string' },
    conversation: { type: 'string' },
    resume: { type: 'boolean' },
    list: { type: 'boolean' },
    store: { type: 'string' },
  },
  async run(values) {
    const store = fileConversations(text(values.store) ?? dataFolder('conversations'))
    if (values.list) {
      for (const line of await listed(store)) console.log(line)
      return 0
    }
    const model = readModel(values)
    if (!model) throw new UsageError('--provider NAME and --model NAME, or --base-url URL and --model NAME are missing')
    const system = text(values.system)
    const path = text(values.tools)
    const tools = path === undefined ? [] : await loadTools(path)
    const idle = tools.find((one) => !one.run && !one.declaration.ipc)
    if (idle) throw new UsageError(`--tools ${path}: ${idle.name} cannot be run: expected execute (or ipc)`)
    const folder = mediaFolder(text(values.save))
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
        store,
        verbose: values.verbose === true,
        usage: values.usage === true,
        folder,
        auto: values.yes ? '--yes' : undefined,
      })
    } finally {
      engine.close()
    }
  },
}

function mediaFolder(path: string | undefined): MediaFolder | undefined {
  try {
    return path === undefined ? undefined : new MediaFolder(path)
  } catch (error) {
    throw new UsageError(`--save: ${tell(error)}`)
  }
}

/** Returns undefined if the chat is not to be kept. */
async function open(store: Conversations, values: Values): Promise<Kept | undefined> {
  const name = text(values.conversation)
  if (name !== undefined && values.resume)
    throw new UsageError('--conversation NAME and --resume: expected one of them')
  if (name === undefined && !values.resume) {
    if (values.store !== undefined)
      throw new UsageError('--store needs --conversation NAME, --resume or --list beside it')
    return undefined
  }
  return await Kept.open(store, name ?? (await lastOf(store)))
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new UsageError(`--system: ${unreadable(path, error)}`)
  }
}
