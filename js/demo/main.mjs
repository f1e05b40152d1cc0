// What `npm start` runs: a turn or a chat drawn in the terminal, or the pet in a browser.
import { help, readOptions, UsageError } from './options.mjs'

let options
try {
  options = readOptions(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(`${error.message}\n\n${help}`)
  process.exit(2)
}
if (options.help) {
  console.log(help)
  process.exit(0)
}

// Loaded behind --help, which works where nothing is built yet.
const { SluiceError } = await import('sluice')
const { tell, UsageError: WrongWords } = await import('../dist/esm/tools/cli/command.js')

process.stdout.on('error', (error) => process.exit(error.code === 'EPIPE' ? 0 : 1)) // `npm start | head`

try {
  process.exitCode = await (options.web ? inBrowser() : inTerminal())
} catch (error) {
  if (!(error instanceof SluiceError || error instanceof WrongWords)) throw error
  console.error(tell(error))
  process.exitCode = error instanceof WrongWords ? 2 : 1
}

async function inTerminal() {
  const { runTerminal } = await import('./terminal.mjs')
  return await runTerminal(options)
}

async function inBrowser() {
  const { command } = await import('../dist/esm/tools/cli/demo.js')
  return await command.run({ ...options, 'no-open': true }, []) // the URL is for whoever reads it
}
