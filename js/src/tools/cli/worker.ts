// sluice worker: carries the durable turns of an app on, in a process of its own.
import { whole, type Command } from './command.js'
import { loadTurns } from './turns-file.js'

export const command: Command = {
  summary: 'carries durable turns on until it is told to end',
  help: `npx sluice worker FILE.mjs     carries durable turns on

FILE.mjs is a module of yours: its default export, or \`turns\`, is what durable(engine, …) of sluice/durable gives, or a function that gives
it. Any number of workers may run. One that is told to end (Ctrl-C, SIGTERM) saves its turns, and others go on with them.

  --sweep SECONDS     how often it looks for turns that a lost wake or a dead worker left behind (default: 60)`,
  options: { sweep: { type: 'string' } },
  positionals: ['FILE'],
  async run(values, [file]) {
    const sweep = whole(values, 'sweep', 1, 86_400)
    const turns = await loadTurns(file as string)
    const worker = turns.work(sweep === undefined ? {} : { sweepMs: sweep * 1000 })
    console.log('working; Ctrl-C ends it')
    await new Promise<void>((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
    })
    await worker.close()
    process.exit(0) // connections of the app's are still open
  },
}
