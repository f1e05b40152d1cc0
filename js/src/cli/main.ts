#!/usr/bin/env node
// npx sluice COMMAND: each command is loaded when it is asked for.
import { readFileSync } from 'node:fs'
import { SluiceError } from '../core/errors.js'
import { readWords, tell, UsageError, type Command } from './command.js'

const names = ['demo', 'chat', 'parse', 'tester'] as const
type Name = (typeof names)[number]

const load: { [name in Name]: () => Promise<{ command: Command }> } = {
  demo: () => import('./demo.js'),
  chat: () => import('./chat.js'),
  parse: () => import('./parse.js'),
  tester: () => import('./tester.js'),
}

const isName = (word: string | undefined): word is Name => names.includes(word as Name)

async function help(word?: string): Promise<string> {
  if (isName(word)) return (await load[word]()).command.help
  if (word !== undefined) throw unknown(word)
  const list = await Promise.all(names.map(async (name) => `  ${name.padEnd(8)} ${(await load[name]()).command.summary}`))
  return `npx sluice COMMAND [options]\n\n${list.join('\n')}\n\n  --help, --version; npx sluice COMMAND --help tells more`
}

function unknown(word: string): UsageError {
  return new UsageError(`found '${word}', expected one of the commands ${names.join(', ')}, or --help, --version`)
}

/** Of this package, which is three folders above the built files. */
function version(): string {
  return (JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as { version: string }).version
}

async function main(words: string[]): Promise<number> {
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

process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1)) // `sluice parse | head`

const words = process.argv.slice(2)
try {
  process.exitCode = await main(words)
} catch (error) {
  if (error instanceof UsageError) {
    console.error(`${error.message}\n\n${isName(words[0]) ? `npx sluice ${words[0]} --help` : 'npx sluice --help'} tells more.`)
    process.exitCode = 2
  } else if (error instanceof SluiceError) {
    console.error(tell(error))
    process.exitCode = 1
  } else {
    throw error
  }
}
