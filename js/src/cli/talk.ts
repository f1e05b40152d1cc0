// Runs turns in the terminal: one question, or a chat. Ctrl-C stops an answer, Ctrl-C twice leaves.
import { escapeInvisible } from '../bridge/invisible.js'
import type { Engine } from '../core/engine.js'
import { messageOf } from '../core/errors.js'
import type { ChatMessage } from '../core/events.js'
import type { Run } from '../core/run.js'
import type { RunResult } from '../core/run-options.js'
import type { Settings } from '../core/settings.js'
import type { Model } from '../core/model.js'
import { Asking } from './asking.js'
import type { Kept } from './kept.js'
import { cost, ending, Screen, summary } from './screen.js'
import { Terminal } from './terminal.js'

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
  /** Approves without asking; the text is the reason that is printed: `--yes`. */
  auto?: string | undefined
  /** Approves without asking if the input is no terminal. Otherwise the next input line answers, and the end of the input counts as no. */
  autoWithoutTerminal?: boolean
  /** Says the shape of each message: its outcome, rounds, tokens and blocks. */
  verbose?: boolean
}

/** Resolves to the exit code. */
export async function talk(options: TalkOptions): Promise<number> {
  const terminal = new Terminal()
  const screen = new Screen()
  const talker = new Talker(options, terminal, screen)
  terminal.onInterrupt(() => talker.interrupt())
  try {
    return await (options.prompt === undefined ? talker.chat() : talker.once(options.prompt))
  } finally {
    terminal.close()
  }
}

class Talker {
  readonly #options: TalkOptions
  readonly #terminal: Terminal
  readonly #screen: Screen
  #current: Run | undefined
  #interrupted = false

  constructor(options: TalkOptions, terminal: Terminal, screen: Screen) {
    this.#options = options
    this.#terminal = terminal
    this.#screen = screen
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
    const result = await this.#turn(this.#ask(await this.#begin(), prompt))
    if (result.outcome !== 'failed') await this.#keep(prompt, result)
    return codeOf(result)
  }

  /** At a terminal the exit code is 0: the person saw how each answer ended. A script gets the code of the first answer that failed. */
  async chat(): Promise<number> {
    let code = 0
    this.#screen.line(this.#screen.paint('dim', 'An empty line or Ctrl-D ends the chat; Ctrl-C stops an answer.'))
    let messages = await this.#begin()
    for (;;) {
      const line = await this.#terminal.line(this.#screen.paint('bold', '> '))
      if (line === undefined || line.trim() === '') return this.#terminal.live ? 0 : code
      const asked = this.#ask(messages, line)
      const result = await this.#turn(asked)
      const { outcome, history } = result
      code ||= codeOf(result)
      if (outcome === 'failed') continue
      messages = [...asked, ...history]
      await this.#keep(line, result)
    }
  }

  async #begin(): Promise<ChatMessage[]> {
    const { kept, system, prompt } = this.#options
    if (!kept) return system === undefined ? [] : [{ role: 'system', content: system }]
    for (const line of prompt === undefined ? kept.lines : []) this.#screen.line(this.#screen.paint('dim', line))
    return await kept.messages(system)
  }

  /** Saves a turn. A failure is printed, and saved again with the next answer. */
  async #keep(text: string, result: RunResult): Promise<void> {
    try {
      await this.#options.kept?.add(text, result)
    } catch (error) {
      this.#screen.line(this.#screen.paint('yellow', `⚠ not saved: ${escapeInvisible(messageOf(error))}`))
    }
  }

  #ask(messages: ChatMessage[], content: string): ChatMessage[] {
    if (!this.#terminal.live || this.#options.prompt !== undefined) this.#screen.line(this.#screen.paint('bold', `> ${content}`))
    return [...messages, { role: 'user', content }]
  }

  async #turn(messages: ChatMessage[]): Promise<RunResult> {
    const { engine, model, settings, auto, autoWithoutTerminal, verbose } = this.#options
    const { live } = this.#terminal
    this.#interrupted = false
    this.#screen.begin()
    const from = performance.now()
    const run = (this.#current = engine.run({ model, messages, ...settings }))
    const asking = new Asking({
      run, tools: engine.tools, screen: this.#screen, terminal: this.#terminal,
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
    this.#screen.line(this.#screen.paint('dim', verbose ? `${cost(result.message, took)} · ${summary(result.message)}` : cost(result.message, took)))
    this.#screen.line()
    return result
  }
}

/** Cut, withheld and empty answers count as failures. */
const codeOf = ({ outcome, message }: RunResult): number => (outcome === 'cancelled' ? 130 : outcome === 'completed' && !ending(message) ? 0 : 1)
