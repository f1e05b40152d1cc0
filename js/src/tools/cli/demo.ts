// sluice demo: the pet in a browser, or one of its turns in the terminal. The demo itself is in js/demo and is loaded
// only here.
import { existsSync } from 'node:fs'
import { SluiceError } from '../../engine/core/errors.js'
import { fileConversations } from '../../app/conversations/file-conversations.js'
import { text, UsageError, type Command, type Values } from './command.js'
import { dataFolder } from './kept.js'
import { modelHelp, modelOptions, readModel, readSettings } from './model-options.js'
import { pageHelp, pageOptions, readPort, showPage } from './terminal-page.js'

interface Demo {
  startDemo(options: object): Promise<{ url: string; close(): Promise<void> }>
}

export const command: Command = {
  summary: 'the demo pet, in a browser or with --terminal',
  help: `npx sluice demo [options]               a pet that chats, calls tools and asks; its model is a script
npx sluice demo --terminal              one turn of it in the terminal

${pageHelp}
  --store DIR         the folder of its conversations (default: ${dataFolder('demo')})
  --terminal          draw a turn here instead of a page
  --prompt TEXT       with --terminal: one question
  --yes               with --terminal: approve without asking
${modelHelp}`,
  options: {
    ...pageOptions,
    ...modelOptions,
    store: { type: 'string' },
    terminal: { type: 'boolean' },
    prompt: { type: 'string' },
    yes: { type: 'boolean' },
  },
  async run(values) {
    const model = readModel(values)
    const settings = readSettings(values)
    const port = readPort(values)
    const terminalOnly = ['prompt', 'yes'].find((name) => values[name] !== undefined)
    if (terminalOnly && !values.terminal) throw new UsageError(`--${terminalOnly} needs --terminal beside it`)
    if (values.terminal && port !== undefined) throw new UsageError('--port is for the page: leave out --terminal')
    if (values.terminal && values.store !== undefined)
      throw new UsageError('--store is for the page: leave out --terminal')
    if (values.terminal) return await inTerminal(values)
    const { startDemo } = (await importDemo('web.mjs')) as Demo
    const { name, ...server } = model ?? {}
    const folder = text(values.store) ?? dataFolder('demo')
    const page = await startDemo({
      settings,
      conversations: fileConversations(folder),
      folder,
      ask: true,
      ...(port ? { port } : {}),
      ...server,
      ...(name === undefined ? {} : { model: name }),
    })
    return await showPage('The pet is on', { ...page, note: `Conversations are kept in ${folder}` }, values)
  },
}

async function inTerminal(values: Values): Promise<number> {
  const { runTerminal } = (await importDemo('terminal.mjs')) as { runTerminal(values: Values): Promise<number> }
  return await runTerminal(values)
}

async function importDemo(file: string): Promise<unknown> {
  const url = new URL(`../../../../demo/${file}`, import.meta.url)
  if (!existsSync(url))
    throw new SluiceError({ code: 'load', detail: `there is no ${url.pathname}: this package came without its demo` })
  return await import(url.href)
}
