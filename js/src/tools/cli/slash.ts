// What a person can type in place of a message: /help and its like. An unknown one is told, never sent.
import { escapeInvisible } from '../../app/bridge/invisible.js'
import type { Conversations } from '../../app/conversations/conversation-types.js'
import { SluiceError } from '../../engine/core/errors.js'
import { didYouMean } from '../../engine/core/options.js'
import type { Tool } from '../../engine/core/tool.js'
import { tell, UsageError } from './command.js'
import { Kept, listed } from './kept.js'

/** The chat as these commands change it. */
export interface Chat {
  readonly tools: readonly Tool[]
  /** The store of kept chats. */
  readonly store: Conversations
  /** What is said now; it is in `store` once it has a name there. */
  kept: Kept
  saved: boolean
  /** The name of the model. */
  model: string
  /** Prints a line. `hang`: rows behind the first begin so many columns further. */
  say(text: string, hang?: number): void
  /** The models of the server. */
  models(): Promise<string[]>
  /** Begins an empty conversation that is not kept. */
  fresh(): Promise<Kept>
  /** Asks the last question again; with a text, that one in its place. */
  again(text?: string): Promise<void>
  /** Lets the person change a text. Undefined: they gave up. */
  change(text: string): Promise<string | undefined>
}

interface Slash {
  /** What stands behind the name. */
  takes: string
  about: string
  /** Resolves to true where the chat ends. */
  run(chat: Chat, rest: string): Promise<unknown> | unknown
}

/** So many models are named. */
const MOST_NAMES = 30
const NOTHING = 'nothing was asked yet'

const commands: { readonly [name: string]: Slash } = {
  help: {
    takes: '',
    about: 'what you can type',
    run: (chat) => {
      for (const [name, { takes, about }] of Object.entries(commands))
        chat.say(`${`/${name} ${takes}`.padEnd(14)} ${about}`, 15)
      chat.say(`${'//…'.padEnd(14)} a message that begins with one slash`, 15)
      chat.say('Ctrl-C stops an answer, Ctrl-D ends the chat.')
    },
  },
  again: { takes: '', about: 'another answer to the last question', run: (chat) => chat.again() },
  edit: {
    takes: '[TEXT]',
    about: 'change the last question, and ask it again',
    run: async (chat, rest) => {
      if (!chat.kept.last) return chat.say(NOTHING)
      const text = rest || (await chat.change(chat.kept.last.text ?? ''))
      if (text?.trim()) await chat.again(text)
    },
  },
  new: {
    takes: '[NAME]',
    about: 'a new conversation; with a name it is kept under that',
    run: async (chat, rest) => {
      const empty = await chat.fresh()
      chat.kept = rest ? await empty.saveAs(chat.store, rest) : empty
      chat.saved = rest !== ''
      chat.say(
        rest ? `A new conversation, kept as '${escapeInvisible(rest)}'.` : 'A new conversation. /save NAME keeps it.',
      )
    },
  },
  save: {
    takes: 'NAME',
    about: 'keep this conversation under a name, and go on there',
    run: async (chat, rest) => {
      if (!rest)
        return chat.say(
          chat.saved ? `It is kept as '${escapeInvisible(chat.kept.id)}'.` : 'expected a name: /save NAME',
        )
      chat.kept = await chat.kept.saveAs(chat.store, rest)
      chat.saved = true
      chat.say(`Kept as '${escapeInvisible(rest)}', with all that follows.`)
    },
  },
  list: {
    takes: '',
    about: 'the kept conversations, the newest first',
    run: async (chat) => {
      for (const line of await listed(chat.store)) chat.say(line)
    },
  },
  open: {
    takes: 'NAME',
    about: 'go on with a kept conversation',
    run: async (chat, rest) => {
      if (!rest) return chat.say('expected a name: /open NAME; /list tells them')
      const kept = await Kept.open(chat.store, rest)
      if (kept.empty)
        return chat.say(`there is no conversation '${escapeInvisible(rest)}'; /list tells those that are there`)
      chat.kept = kept
      chat.saved = true
      for (const line of kept.lines) chat.say(line)
    },
  },
  model: {
    takes: '[NAME]',
    about: 'the model that answers, and those that the server has; with a name, another one',
    run: async (chat, rest) => {
      if (rest) chat.model = rest
      if (rest) return chat.say(`${escapeInvisible(rest)} answers from now on.`)
      chat.say(`${escapeInvisible(chat.model)} answers.`)
      const names = await chat.models().catch(() => []) // a server that lists none is no fault of the chat
      if (names.length > 0)
        chat.say(
          escapeInvisible(
            `The server has ${names.slice(0, MOST_NAMES).join(', ')}${names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''}.`,
          ),
        )
    },
  },
  tools: {
    takes: '',
    about: 'the tools that the model may call',
    run: ({ tools, say }) => {
      if (tools.length === 0) say('there are none: --tools FILE.mjs brings them')
      for (const { name, declaration } of tools) {
        const [about = ''] = String(declaration['description'] ?? '').split('\n')
        const hidden = declaration['agentCallable'] === true ? '' : '  hidden: agentCallable is false'
        say(escapeInvisible(`${name}  ${about}${hidden}`))
      }
    },
  },
  quit: { takes: '', about: 'end the chat', run: () => true },
}

/** Those that begin with this, for the Tab key. */
export const slashes = (line: string): string[] =>
  /^\/\w*$/.test(line)
    ? Object.keys(commands)
        .map((name) => `/${name}`)
        .filter((name) => name.startsWith(line))
    : []

/** What a line is: a message, which is given, or a command, which is run. Resolves to true where the chat ends. */
export async function slash(chat: Chat, line: string): Promise<{ message: string } | { ends: boolean }> {
  const [, name, rest = ''] = /^\/(\w[\w-]*)(?:\s+(.*))?$/s.exec(line.trim()) ?? []
  if (name === undefined) return { message: line.startsWith('//') ? line.slice(1) : line }
  const command = Object.hasOwn(commands, name.toLowerCase()) ? commands[name.toLowerCase()] : undefined
  if (!command) {
    const hint = didYouMean(name.toLowerCase(), Object.keys(commands))?.replace(/\?$/, '')
    chat.say(
      `found /${name}, which is no command and was not sent${hint ? ` (${hint.replace('did you mean ', 'did you mean /')}?)` : ''}: /help tells what there is, //${name} sends it`,
    )
    return { ends: false }
  }
  try {
    return { ends: (await command.run(chat, rest.trim())) === true }
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof SluiceError)) throw error
    chat.say(escapeInvisible(error instanceof UsageError ? error.message : tell(error)))
    return { ends: false }
  }
}
