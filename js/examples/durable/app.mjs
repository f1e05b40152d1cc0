// Turns that outlive processes. In this folder: npm install, then beside a server of models
//   npx sluice worker app.mjs               carries turns on: any number of these, killed and started as you like
//   node app.mjs ask 'Note: umbrella.'      begins a turn and shows it. Killed: node app.mjs show ID
//   npx sluice questions app.mjs --page     what they ask, today or next month
// TURNS=process keeps them in files, TURNS=machine in SQLite, TURNS=many in POSTGRES_URL, with Redis (REDIS_URL) to
// wake workers on any machine.
import { fileURLToPath } from 'node:url'
import { Engine, tool } from 'sluice'
import { bullmqQueue, durable, fileTurns, postgresTurns, redisLog, sqliteTurns } from 'sluice/durable'

const {
  TURNS = 'process',
  POSTGRES_URL,
  REDIS_URL = 'redis://127.0.0.1',
  SLUICE_BASE_URL: baseURL = 'http://127.0.0.1:11434/v1',
  SLUICE_MODEL: name = 'qwen3:8b',
  SLUICE_API_KEY: apiKey,
} = process.env
const places = {
  process: async () => ({ store: fileTurns('turns') }),
  machine: async () => ({ store: sqliteTurns(new (await import('node:sqlite')).DatabaseSync('turns.db')) }),
  many: async () => {
    const [{ default: pg }, { Redis }, { Queue, Worker }] = await Promise.all([
      import('pg'),
      import('ioredis'),
      import('bullmq'),
    ])
    return {
      store: postgresTurns(new pg.Pool({ connectionString: POSTGRES_URL })),
      log: redisLog(new Redis(REDIS_URL)),
      queue: bullmqQueue({ Queue, Worker, connection: { url: REDIS_URL } }),
    }
  },
}

const engine = new Engine({
  tools: [
    tool({
      name: 'note.add',
      description: 'Adds a note.',
      agentCallable: true,
      permission: 'sensitive',
      identity: '1',
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      execute: ({ text }) => `added ${text}`,
    }),
  ],
})
export const turns = durable(engine, {
  ...(await places[TURNS]()),
  run: () => ({ model: { baseURL, name, ...(apiKey ? { apiKey } : {}) } }),
})

/** Shows a turn until it is over: what it said so far, what comes, what another worker says again. */
async function show(id) {
  let shown = ''
  const say = (text) => {
    process.stdout.write(text.replace(/[^\P{C}\n\t]/gu, '�'))
    shown += text
  }
  for await (const event of turns.events(id)) {
    if (event.type === 'reset') {
      const text = event.message.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
      if (!text.startsWith(shown)) shown = (process.stdout.write('\n[another worker begins this answer anew]\n'), '')
      say(text.slice(shown.length))
    }
    if (event.type === 'text') say(event.text)
    if (event.type === 'approval')
      process.stdout.write(`\n[${event.name} waits for somebody: npx sluice questions app.mjs]\n`)
    if (event.type === 'done') process.stdout.write(`\n[${event.outcome}]\n`)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [what, given] = process.argv.slice(2)
  const id =
    what === 'ask' ? await turns.start({ messages: [{ role: 'user', content: given }], thread: 'terminal' }) : given
  console.log(`[turn ${id}]`)
  await show(id)
  process.exit() // connections are still open
}
