// Runs turns in the terminal: one question, or a chat. Ctrl-C stops an answer, Ctrl-C twice leaves.
import { randomUUID } from 'node:crypto'
import { escapeInvisible } from '../../app/bridge/invisible.js'
import type { Engine } from '../../engine/core/engine.js'
import { cutOff } from '../../engine/core/cut-off.js'
import { messageOf } from '../../engine/core/errors.js'
import type { ChatMessage } from '../../engine/core/events.js'
import { savedFirst, savedInTime } from '../../engine/core/not-saved.js'
import type { Run } from '../../engine/core/run.js'
import type { RunHooks, RunResult } from '../../engine/core/run-options.js'
import type { Settings } from '../../engine/core/settings.js'
import type { Model, ServerAddress } from '../../engine/core/model.js'
import { listModels } from '../../engine/core/models.js'
import { fileConversations } from '../../app/conversations/file-conversations.js'
import { memoryConversations } from '../../app/conversations/memory-conversations.js'
import type { Conversations, ConversationEntry } from '../../app/conversations/conversation-types.js'
import type { Tool } from '../../engine/core/tool.js'
import { Asking } from './asking.js'
import { dataFolder, Kept } from './kept.js'
import type { MediaFolder } from './made-words.js'
import { cost, ending, Screen, summary, used } from './screen.js'
import { slash, slashes, type Chat } from './slash.js'
import { Terminal } from './terminal.js'

/** A person waits for the list of models. */
const LIST_MS = 3000

export interface TalkOptions {
  engine: Engine
  model: Model
  settings?: Settings
  /** The system message of every conversation. */
  system?: string | undefined
  /** One question instead of a chat. */
  prompt?: string | undefined
  /** The conversation to continue and to save to. Default: nothing is saved. */
  kept?: Kept | undefined
  /** Where kept conversations are, for /list, /open and /save. Default: the command's folder. */
  store?: Conversations | undefined
  /** Approves without asking; the text is the reason that is printed: `--yes`. */
  auto?: string | undefined
  /**
   * Approves without asking if the input is no terminal. Otherwise the next input line answers, and the end of the
   * input counts as no.
   */
  autoWithoutTerminal?: boolean
  /** Gets the pictures and files that the model makes. Default: they are named only. */
  folder?: MediaFolder | undefined
  /** Says the shape of each message: its outcome, rounds, tokens and blocks. */
  verbose?: boolean
  /** Say the tokens of each message, and how many of them came from the provider's cache. */
  usage?: boolean
}

/** Resolves to the exit code. */
export async function talk(options: TalkOptions): Promise<number> {
  const terminal = new Terminal(process, slashes)
  const screen = new Screen(process.stdout, process.env, options.folder)
  const kept = options.kept ?? (await unsaved())
  const talker = new Talker(options, kept, terminal, screen)
  terminal.onInterrupt(() => talker.interrupt())
  try {
    return await (options.prompt === undefined ? talker.chat() : talker.once(options.prompt))
  } finally {
    terminal.close()
  }
}

const unsaved = (): Promise<Kept> => Kept.open(memoryConversations(), 'chat')

class Talker implements Chat {
  readonly #options: TalkOptions
  readonly #terminal: Terminal
  readonly #screen: Screen
  #current: Run | undefined
  #interrupted = false
  /** The question whose answer failed: it is not in the conversation, but may be asked again. */
  #failed: ConversationEntry | undefined
  /** Of the first answer that failed. */
  #code = 0
  // -- what commands change
  kept: Kept
  saved: boolean
  model: string
  readonly store: Conversations

  constructor(options: TalkOptions, kept: Kept, terminal: Terminal, screen: Screen) {
    this.#options = options
    this.#terminal = terminal
    this.#screen = screen
    this.kept = kept
    this.saved = options.kept !== undefined
    this.model = options.model.name
    this.store = options.store ?? fileConversations(dataFolder('conversations'))
  }

  interrupt(): void {
    if (this.#interrupted) {
      this.#terminal.close() // restores the terminal's mode
      process.exit(130)
    }
    this.#interrupted = true
    if (this.#current) return void this.#current.cancel('stopped by the user')
    this.#screen.line()
    this.#screen.line(this.#screen.paint('dim', 'Ctrl-C again leaves.'))
    this.#terminal.redraw()
  }

  async once(prompt: string): Promise<number> {
    await this.#answer(this.kept.ask(prompt))
    return this.#code
  }

  /**
   * At a terminal the exit code is 0: the person saw how each answer ended. A script gets the code of the first answer
   * that failed.
   */
  async chat(): Promise<number> {
    const { live } = this.#terminal
    if (live) this.say('/help tells what you can type; Ctrl-C stops an answer, Ctrl-D ends the chat.')
    for (const line of this.kept.lines) this.say(line)
    for (;;) {
      const line = await this.#terminal.line(this.#screen.paint('bold', '> '))
      if (line === undefined || (!live && line.trim() === '')) return live ? 0 : this.#code
      this.#interrupted = false
      // what comes through a pipe is sent as it is
      const said = live && line.trim() !== '' ? await slash(this, line) : { message: line }
      if ('ends' in said && said.ends) return 0
      if ('message' in said && said.message.trim() !== '') await this.#answer(this.kept.ask(said.message))
    }
  }

  get tools(): readonly Tool[] {
    return this.#options.engine.tools
  }

  say = (text: string, hang = 0): void => {
    for (const line of text.split('\n')) this.#screen.line(this.#screen.paint('dim', line), hang)
  }

  models(): Promise<string[]> {
    const { name: _, ...server } = this.#options.model
    return listModels(server as ServerAddress, { timeoutMs: LIST_MS })
  }

  fresh(): Promise<Kept> {
    this.#failed = undefined
    return unsaved()
  }

  change(text: string): Promise<string | undefined> {
    const preset = escapeInvisible(text.replace(/\s+/g, ' ')) // a line break would send it, a control would be a key
    return this.#terminal.line(this.#screen.paint('bold', '> '), { preset })
  }

  async again(text?: string): Promise<void> {
    const last = this.#failed ?? this.kept.last
    if (!last) return this.say('nothing was asked yet')
    if (text === undefined) this.say(`> ${escapeInvisible(last.text ?? '')}`)
    await this.#answer(text === undefined ? last : this.#failed ? { ...this.#failed, text } : this.kept.instead(text))
  }

  async #answer(question: ConversationEntry): Promise<void> {
    if (!this.#terminal.live || this.#options.prompt !== undefined)
      this.#screen.line(this.#screen.paint('bold', `> ${question.text}`))
    const id = randomUUID()
    const result = await this.#turn(
      await this.kept.messages(question, this.#options.system),
      this.saved ? this.#keptFrom(question, id) : undefined,
    )
    this.#code ||= codeOf(result)
    const failed = result.outcome === 'failed'
    this.#failed = failed ? question : undefined
    if (failed && !this.saved) return
    try {
      await (failed ? this.kept.soFar(question, id, result, true) : this.kept.add(question, id, result))
    } catch (error) {
      // What was not saved is saved with the next answer.
      this.#unsaved(messageOf(error))
    }
  }

  /**
   * Saves the question before the request goes out, and each call before it begins. The store has the answer as one
   * that was cut off: if the program ends now, it was.
   */
  #keptFrom(question: ConversationEntry, id: string): NonNullable<RunHooks['checkpoint']> {
    const { engine } = this.#options
    const { kept } = this
    const save = async (state: string): Promise<void> =>
      kept.soFar(question, id, cutOff(engine, state, 'the program ended before the answer did'))
    return savedFirst(
      (state) =>
        savedInTime(
          () => save(state),
          (why) => this.#unsaved(why),
        ),
      engine.checkpoint,
    )
  }

  #unsaved(why: string): void {
    this.#screen.line(this.#screen.paint('yellow', `⚠ not saved: ${escapeInvisible(why)}`))
  }

  async #turn(messages: ChatMessage[], checkpoint: RunHooks['checkpoint']): Promise<RunResult> {
    const { engine, model, settings, auto, autoWithoutTerminal, verbose, usage } = this.#options
    const { live } = this.#terminal
    this.#interrupted = false
    this.#screen.begin()
    const from = performance.now()
    const run = (this.#current = engine.run({
      model: { ...model, name: this.model },
      messages,
      ...settings,
      ...(checkpoint ? { checkpoint } : {}),
    }))
    run.hosted = true
    const asking = new Asking({
      run,
      tools: engine.tools,
      screen: this.#screen,
      terminal: this.#terminal,
      auto: auto ?? (autoWithoutTerminal && !live ? 'there is no terminal to ask on' : undefined),
    })
    for await (const event of run) {
      this.#screen.show(event)
      asking.see(event)
    }
    this.#current = undefined
    this.#interrupted = false
    const result = await run.done
    const took = performance.now() - from
    await asking.over // a question that the end withdrew leaves its line first
    const ended = ending(result.message)
    if (ended) this.#screen.line(this.#screen.paint('yellow', `⚠ ${ended}`))
    const told = [cost(result.message, took), usage ? used(result.message) : '', verbose ? summary(result.message) : '']
    this.#screen.line(this.#screen.paint('dim', told.filter(Boolean).join(' · ')))
    this.#screen.line()
    return result
  }
}

/** Cut, withheld and empty answers count as failures. */
const codeOf = ({ outcome, message }: RunResult): number =>
  outcome === 'cancelled' ? 130 : outcome === 'completed' && !ending(message) ? 0 : 1
