// npx sluice COMMAND: loads the named command, runs it and prints its errors.
import { readFileSync } from 'node:fs'
import { SluiceError } from '../../engine/core/errors.js'
import { readWords, tell, unknownWord, UsageError, type Command } from './command.js'

const names = ['demo', 'chat', 'check', 'parse', 'serve', 'tester', 'gallery', 'worker', 'questions'] as const
type Name = (typeof names)[number]

const load: { [name in Name]: () => Promise<{ command: Command }> } = {
  demo: () => import('./demo.js'),
  chat: () => import('./chat-command.js'),
  check: () => import('./check-command.js'),
  parse: () => import('./parse.js'),
  serve: () => import('./serve.js'),
  tester: () => import('./tester.js'),
  gallery: () => import('./gallery.js'),
  worker: () => import('./worker.js'),
  questions: () => import('./questions-command.js'),
}

const isName = (word: string | undefined): word is Name => names.includes(word as Name)

async function help(word?: string): Promise<string> {
  if (isName(word)) return (await load[word]()).command.help
  if (word !== undefined) throw unknown(word)
  const list = await Promise.all(
    names.map(async (name) => `  ${name.padEnd(9)} ${(await load[name]()).command.summary}`),
  )
  return `npx sluice COMMAND [options]\n\n${list.join('\n')}\n\n  --help, --version; npx sluice COMMAND --help tells more`
}

function unknown(word: string): UsageError {
  return unknownWord(`'${word}'`, 'one of the commands', names, ', or --help, --version')
}

/** The version of this package. Its package.json is four folders above this file once built. */
function version(): string {
  return (
    JSON.parse(readFileSync(new URL('../../../../../package.json', import.meta.url), 'utf8')) as { version: string }
  ).version
}

async function run(words: string[]): Promise<number> {
  const [first, ...rest] = words
  if (first === undefined || first === '--help' || first === '-h') return print(await help())
  if (first === 'help') return print(await help(rest[0]))
  if (first === '--version' || first === '-v') return print(version())
  if (!isName(first)) throw unknown(first)
  const { command } = await load[first]()
  const { help: asked, values, positionals } = readWords(rest, command)
  return asked ? print(command.help) : await command.run(values, positionals)
}

function print(text: string): number {
  console.log(text)
  return 0
}

/** Runs a command line and returns the exit code. */
export async function sluice(words: string[]): Promise<number> {
  try {
    return await run(words)
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(
        `${error.message}\n\n${isName(words[0]) ? `npx sluice ${words[0]} --help` : 'npx sluice --help'} tells more.`,
      )
      return 2
    }
    if (!(error instanceof SluiceError)) throw error
    console.error(tell(error))
    return 1
  }
}
