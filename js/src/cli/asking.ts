// Approvals on the terminal: what is asked, in plain text, and what the person says to it. One question after another.
import { revealed } from '../bridge/reveal.js'
import { SluiceError } from '../errors.js'
import type { ApprovalEvent, JsonObject, SluiceEvent } from '../events.js'
import type { Run } from '../run.js'
import { tell } from './command.js'
import type { Screen } from './screen.js'
import type { Terminal } from './terminal.js'

export interface AskingOptions {
  run: Run
  screen: Screen
  terminal: Terminal
  /** Approve everything, and say that this is why. */
  auto?: string | undefined
}

export class Asking {
  readonly #options: AskingOptions
  readonly #open = new Map<number, AbortController>()
  #last: Promise<void> = Promise.resolve()

  constructor(options: AskingOptions) {
    this.#options = options
  }

  /** Every event of the run, in order. */
  see(event: SluiceEvent): void {
    if (event.type === 'approval') return this.#queue(event)
    if (event.type === 'card' && event.status && !event.status.startsWith('awaiting')) this.#settle(event.call)
    if (event.type === 'done') for (const call of [...this.#open.keys()]) this.#settle(call)
  }

  #settle(call: number): void {
    this.#open.get(call)?.abort()
    this.#open.delete(call)
  }

  #queue(event: ApprovalEvent): void {
    this.#settle(event.call)
    const settled = new AbortController()
    this.#open.set(event.call, settled)
    this.#last = this.#last.then(() => (settled.signal.aborted ? undefined : this.#decide(event, settled.signal)))
  }

  async #decide(event: ApprovalEvent, signal: AbortSignal): Promise<void> {
    const { run, screen, auto } = this.#options
    const { call, stage } = event
    this.#present(event)
    if (auto !== undefined) {
      screen.inCard(call, screen.paint('yellow', `approved automatically: ${auto}`))
      if (stage === 'result') run.release(call)
      else run.approve(call)
      return
    }
    await (stage === 'result' ? this.#askResult(event, signal) : this.#askExecution(event, signal))
  }

  /** All that the decision is about. */
  #present({ call, stage, level, policy, preview }: ApprovalEvent): void {
    const { screen } = this.#options
    if (stage === 'result') return screen.inCard(call, `the model would read: ${revealed(preview?.text ?? '')}`)
    const given = Object.entries(this.#argumentsOf(call))
    screen.inCard(call, screen.paint('yellow', `a ${level} tool (${policy})${given.length === 0 ? ', without arguments' : ''}`))
    for (const [name, value] of given) {
      const shown = revealed(typeof value === 'string' ? value : JSON.stringify(value))
      screen.inCard(call, `  ${revealed(name)}: ${shown.replaceAll('\n', '\n    ')}`)
    }
  }

  #argumentsOf(call: number): JsonObject {
    const card = this.#options.run.message.blocks.find((block) => block.type === 'tool_use' && block.call === call)
    return (card?.type === 'tool_use' && (card.edited ?? card.arguments)) || {}
  }

  async #askExecution({ call, policy }: ApprovalEvent, signal: AbortSignal): Promise<void> {
    const { run } = this.#options
    const always = policy !== 'ask_always' // no answer of today answers for tomorrow
    const expected = `y yes, n no (and why), e other arguments${always ? ', a always' : ''}`
    for (;;) {
      const said = await this.#line(call, `run it? [y/n/e${always ? '/a' : ''}] `, signal)
      if (said === undefined) return
      if (yes.test(said)) return void run.approve(call)
      if (always && /^a(?:lways)?$/i.test(said)) return void run.approve(call, { remember: 'session' })
      if (/^e(?:dit)?$/i.test(said)) {
        if (await this.#edit(call, signal)) return
      } else if (this.#denied(call, said)) {
        return
      } else {
        this.#wrong(call, `found '${revealed(said)}', expected ${expected}`)
      }
    }
  }

  async #askResult({ call }: ApprovalEvent, signal: AbortSignal): Promise<void> {
    const { run } = this.#options
    for (;;) {
      const said = await this.#line(call, 'let the model read this? [y/n] ', signal)
      if (said === undefined) return
      if (yes.test(said)) return void run.release(call)
      if (this.#denied(call, said)) return
      this.#wrong(call, `found '${revealed(said)}', expected y yes, or n no (and why)`)
    }
  }

  /** `n`, or `n too expensive`. */
  #denied(call: number, said: string): boolean {
    const [no, reason] = /^n(?:o)?(?:\s+(.*))?$/is.exec(said) ?? []
    if (no !== undefined) this.#options.run.deny(call, reason)
    return no !== undefined
  }

  /** True: it is approved, with other arguments. */
  async #edit(call: number, signal: AbortSignal): Promise<boolean> {
    const typed = await this.#line(call, 'arguments: ', signal, JSON.stringify(this.#argumentsOf(call)))
    if (typed === undefined) return true
    try {
      const edited: unknown = JSON.parse(typed)
      if (typeof edited !== 'object' || edited === null || Array.isArray(edited)) {
        throw new SyntaxError(`found '${typed}', expected a JSON object`)
      }
      this.#options.run.approve(call, { arguments: edited as JsonObject })
      return true
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof SluiceError)) throw error
      this.#wrong(call, revealed(tell(error)))
      return false
    }
  }

  #wrong(call: number, text: string): void {
    const { screen } = this.#options
    screen.inCard(call, screen.paint('red', text))
  }

  /** Undefined: it needs no answer any more, or there is nobody to give one, which is a no. */
  async #line(call: number, text: string, signal: AbortSignal, preset?: string): Promise<string | undefined> {
    const { run, screen, terminal } = this.#options
    const prompt = screen.question(call, text)
    if (!terminal.live) screen.line(prompt.trimEnd())
    const said = await terminal.line(prompt, { signal, fresh: true, ...(preset === undefined ? {} : { preset }) })
    if (signal.aborted) {
      if (terminal.live) screen.line()
      return undefined
    }
    if (said !== undefined) return said.trim()
    screen.inCard(call, screen.paint('yellow', 'denied: there is nobody to ask'))
    run.deny(call, 'there was nobody to ask')
    return undefined
  }
}

const yes = /^y(?:es)?$/i
