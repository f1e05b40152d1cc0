// The main process of the app under test: an engine with tools that keep a record of what ran, and its host.
import { Engine, tool } from 'sluice'
import { fileConversations } from 'sluice/conversations'
import { hostEngine } from 'sluice/electron'
import { ipcMain, start } from './main-process.mjs'

const { baseURL, origin, settings = {}, host: options = {}, kept } = JSON.parse(process.env.SLUICE_APP)
const ran = []
const aborted = []
const common = { agentCallable: true, parameters: { type: 'object', properties: { text: { type: 'string' } } } }

/** Every run is noted, so that a test can say that there was none. */
const noted = (options) =>
  tool({
    ...common,
    ...options,
    execute: async (args, context) => {
      ran.push({ name: options.name, args, polluted: {}.polluted })
      return await (options.execute?.(args, context) ?? `did ${args.text ?? 'it'}`)
    },
  })

const untilAborted = (_, { signal }) =>
  new Promise((_, reject) =>
    signal.addEventListener('abort', () => {
      aborted.push(signal.reason.message)
      reject(signal.reason)
    }),
  )

let count
/** Tells how far it is, and goes on when the test says so. */
const counting = async (_, { progress }) => {
  progress({ done: 1, total: 4, text: 'reading' })
  await new Promise((resolve) => (count = resolve))
  return 'counted'
}

const engine = new Engine({
  tools: [
    noted({ name: 'file.delete', description: 'Deletes.', permission: 'sensitive', executionApproval: 'ask_always' }),
    noted({ name: 'file.read', description: 'Reads.', permission: 'public', resultApproval: 'always' }),
    noted({ name: 'echo.back', description: 'Says it again.', permission: 'public' }),
    noted({ name: 'wait.long', description: 'Waits.', permission: 'public', execute: untilAborted }),
    noted({ name: 'disk.scan', description: 'Scans.', permission: 'public', execute: counting }),
    tool({
      ...common,
      name: 'page.title',
      description: 'The title of the page.',
      permission: 'public',
      runsIn: 'window',
    }),
    tool({ ...common, name: 'page.wait', description: 'Waits in the page.', permission: 'public', runsIn: 'window' }),
  ],
  loop: 'automatic',
  ...settings,
})

const everything = { read: true, chat: true, approve: true, configure: true, pet: true }
const rights = new Map() // by window
const host = hostEngine(engine, {
  ipcMain,
  windows: (sender) => (sender.origin === origin ? (rights.get(sender.webContentsId) ?? null) : null),
  ...options,
  ...(kept === undefined ? {} : { conversations: fileConversations(kept) }),
  run: ({ messages }) => ({ model: { baseURL, name: 'scripted' }, messages }),
})

start({
  onWindow: ({ webContents }, options) => options.unknown || rights.set(webContents.id, options.rights ?? everything),
  methods: {
    ran: () => ran,
    aborted: () => aborted,
    send: (text, conversation) => host.send(text, conversation),
    tools: () => engine.tools.map(({ name }) => name),
    count: () => count?.(),
    memory: () => process.memoryUsage().rss,
  },
})
