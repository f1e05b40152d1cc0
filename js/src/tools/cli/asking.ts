// Approvals on the terminal, one question after another: shows the call in plain text and reads the person's answer.
// The question stands directly above the prompt; one that is longer than a screen comes page by page, and yes counts
// only once the last page was shown.
import { escapeInvisibleInJson, escapeInvisible } from '../../app/bridge/invisible.js'
import { questionLines, questionWords } from '../../app/bridge/question.js'
import { givenTwice } from '../../app/bridge/twice.js'
import { findCard } from '../../engine/core/cards.js'
import { SluiceError } from '../../engine/core/errors.js'
import type { ApprovalEvent, JsonObject, SluiceEvent } from '../../engine/core/events.js'
import type { Run } from '../../engine/core/run.js'
import type { Tool } from '../../engine/core/tool.js'
import { tell } from './command.js'
import { questionRows } from './question-rows.js'
import type { Screen } from './screen.js'
import type { Terminal } from './terminal.js'

export interface AskingOptions {
  run: Run
  tools: readonly Tool[]
  screen: Screen
  terminal: Terminal
  /** Approves everything and gives this text as the reason. */
  auto?: string | undefined
}

/** A question as it is shown. */
interface Asked {
  /** Its rows: so many at a time as stand above the prompt. */
  pages: string[][]
  /** What is asked once the last page is shown. */
  prompt: string
  /** Long values that can be shown whole, */
  cut: string[]
  /** and characters of those that are too long for that. */
  unseen: number
}

export class Asking {
  readonly #options: AskingOptions
  readonly #open = new Map<number, AbortController>()
  /** Arguments as the model wrote them, by call. */
  readonly #written = new Map<number, string>()
  #last: Promise<void> = Promise.resolve()

  constructor(options: AskingOptions) {
    this.#options = options
  }

  /** Every event of the run, in order. */
  see(event: SluiceEvent): void {
    if (event.type === 'approval') return this.#queue(event)
    if (event.type === 'args') this.#written.set(event.call, (this.#written.get(event.call) ?? '') + event.text)
    if (event.type === 'card' && event.status && !event.status.startsWith('awaiting')) this.#settle(event.call)
    if (event.type === 'done') for (const call of [...this.#open.keys()]) this.#settle(call)
  }

  /** Resolves when no question is open. */
  get over(): Promise<void> {
    return this.#last
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
    if (auto !== undefined) {
      const { pages } = this.#present(event, undefined, new Set())
      for (const row of [...pages.flat(), screen.paint('yellow', `approved automatically: ${auto}`)])
        screen.note(call, row)
      if (stage === 'result') run.release(call)
      else run.approve(call)
      return
    }
    await this.#ask(event, signal)
  }

  // -- what is asked --------------------------------------------------------------------------------------------------

  /** The question in pages. Long values are cut: some can be shown on request, others are too long for that. */
  #present(event: ApprovalEvent, edited: JsonObject | undefined, whole: ReadonlySet<string>): Asked {
    const { run, tools, screen, terminal } = this.#options
    const card = findCard(run.snapshot.blocks, event.call)
    const tool = tools.find(({ name }) => name === event.name)
    const lines = questionLines(
      {
        ...event,
        askedName: card?.askedName,
        annotations: tool?.declaration['annotations'] as { readOnlyHint?: boolean } | undefined,
        words: tool?.words,
        twice: givenTwice(this.#written.get(event.call) ?? ''),
        arguments: edited ?? event.arguments,
        editedArguments: edited !== undefined,
      },
      questionWords.en,
      { whole },
    )
    const rows = questionRows(lines, screen.columns - 4, screen.paint)
    const cut = lines.flatMap(({ show }) => show ?? [])
    const unseen = lines.reduce((sum, { more = 0, show }) => sum + (show ? 0 : more), 0)
    const prompt = promptOf(event, cut.length > 0, unseen > 0)
    const taken = Math.max(
      ...[prompt, turning(rows.length, rows.length)].map((text) => screen.promptRows(event.call, text)),
    )
    const size = terminal.live && this.#options.auto === undefined ? Math.max(1, screen.rows - taken) : Infinity
    const pages: string[][] = []
    for (let at = 0; at < rows.length; at += size) pages.push(rows.slice(at, at + size))
    return { pages, prompt, cut, unseen }
  }

  #show(call: number, rows: readonly string[]): void {
    for (const row of rows) this.#options.screen.inCard(call, row)
  }

  // -- what is said to it ---------------------------------------------------------------------------------------------

  async #ask(event: ApprovalEvent, signal: AbortSignal): Promise<void> {
    const { call, stage } = event
    const always = canRemember(event)
    const whole = new Set<string>()
    let edited: JsonObject | undefined
    let asked = this.#present(event, edited, whole)
    let page = -1
    const turn = (): void => this.#show(call, asked.pages[++page] ?? [])
    const again = (): void => {
      asked = this.#present(event, edited, whole)
      page = -1
      turn()
    }
    turn()
    for (;;) {
      const { pages, prompt, cut, unseen } = asked
      const shown = page >= pages.length - 1
      const said = await this.#line(call, shown ? prompt : turning(page + 1, pages.length), signal)
      if (said === undefined) return
      if (this.#denied(call, said)) return
      if (stage === 'execution' && /^e(?:dit)?$/i.test(said)) {
        const typed = await this.#edit(call, edited ?? event.arguments, signal)
        if (signal.aborted || this.#closed(call)) return
        if (typed) edited = typed
        if (typed) again()
        continue
      }
      if (!shown) {
        if (said !== '')
          this.#wrong(call, `found '${escapeInvisible(said)}': an answer counts when the last page was shown`)
        turn()
        continue
      }
      if (cut.length > 0 && /^s(?:how(?: all)?)?$/i.test(said)) {
        for (const what of cut) whole.add(what)
        again()
        continue
      }
      const forever = always && /^a(?:lways)?$/i.test(said)
      if (forever || yes.test(said) || (unseen > 0 && said === 'unseen')) {
        if (cut.length > 0) this.#wrong(call, 'not all of it was shown: s shows it')
        else if (unseen > 0 && said !== 'unseen')
          this.#wrong(
            call,
            `${unseen.toLocaleString('en')} characters are too many to be shown: the word unseen approves them all the same`,
          )
        else if (this.#approve(call, stage, edited, forever)) return
        continue
      }
      if (said === '?') this.#help(call, stage, always)
      else this.#wrong(call, `found '${escapeInvisible(said)}', expected ${expected(stage, always)}`)
    }
  }

  /** Returns false if the engine refused the edited arguments. */
  #approve(call: number, stage: ApprovalEvent['stage'], edited: JsonObject | undefined, forever: boolean): boolean {
    const { run } = this.#options
    if (stage === 'result') run.release(call)
    else {
      try {
        run.approve(call, {
          ...(forever ? { remember: 'session' as const } : {}),
          ...(edited ? { arguments: edited } : {}),
        })
      } catch (error) {
        if (!(error instanceof SluiceError)) throw error
        this.#wrong(call, escapeInvisible(tell(error)))
        return false
      }
    }
    return true
  }

  #help(call: number, stage: ApprovalEvent['stage'], always: boolean): void {
    const { screen } = this.#options
    const lines = [
      `y, yes     ${stage === 'result' ? 'the model reads it' : 'run it once, as it is shown'}`,
      `n, no      ${stage === 'result' ? 'the model does not read it' : 'do not run it'}; what stands behind it is the reason, which the model reads: n too expensive`,
      ...(stage === 'execution' ? ['e, edit    change the arguments; they are shown again'] : []),
      ...(always ? ['a, always  run it, and this tool from now on without asking, until you leave'] : []),
      'Ctrl-C     stop the answer',
    ]
    for (const line of lines) screen.inCard(call, line)
  }

  /** Reads `n`, or `n too expensive` with a reason. */
  #denied(call: number, said: string): boolean {
    const [no, reason] = /^n(?:o)?(?:\s+(.*))?$/is.exec(said) ?? []
    if (no !== undefined) this.#options.run.deny(call, reason)
    return no !== undefined
  }

  #closed(call: number): boolean {
    return !this.#open.has(call)
  }

  /** Lets the person edit the arguments. Returns undefined if they stay as they are. */
  async #edit(call: number, args: JsonObject, signal: AbortSignal): Promise<JsonObject | undefined> {
    const typed = await this.#line(call, 'arguments: ', signal, escapeInvisibleInJson(JSON.stringify(args)))
    if (typed === undefined) return undefined
    try {
      const edited: unknown = JSON.parse(typed)
      if (typeof edited === 'object' && edited !== null && !Array.isArray(edited)) return edited as JsonObject
      this.#wrong(call, `found '${escapeInvisible(typed)}', expected a JSON object`)
    } catch (error) {
      this.#wrong(call, escapeInvisible(tell(error)))
    }
    return undefined
  }

  #wrong(call: number, text: string): void {
    const { screen } = this.#options
    screen.inCard(call, screen.paint('red', text))
  }

  /**
   * Reads an answer. Returns undefined if the question was settled meanwhile, or if nobody is there to answer, which
   * counts as no.
   */
  async #line(call: number, text: string, signal: AbortSignal, preset?: string): Promise<string | undefined> {
    const { run, screen, terminal } = this.#options
    const prompt = screen.question(call, text, terminal.live)
    if (!terminal.live) screen.line(prompt.trimEnd())
    screen.still(true)
    const said = await terminal.line(prompt, { signal, fresh: true, ...(preset === undefined ? {} : { preset }) })
    if (signal.aborted && terminal.live) screen.line()
    screen.still(false)
    if (signal.aborted) return undefined
    if (said !== undefined) return said.trim()
    screen.inCard(call, screen.paint('yellow', 'denied: there is nobody to ask'))
    run.deny(call, 'there was nobody to ask')
    this.#settle(call)
    return undefined
  }
}

const yes = /^y(?:es)?$/i

/** A tool that asks every time cannot be remembered. */
const canRemember = ({ stage, policy }: ApprovalEvent): boolean => stage === 'execution' && policy !== 'ask_always'

const turning = (page: number, of: number): string => `page ${page} of ${of}: Enter shows the next, n refuses `

function promptOf(event: ApprovalEvent, cut: boolean, unseen: boolean): string {
  const runs = event.stage === 'execution'
  const choices = [
    unseen ? 'unseen' : '[y]es',
    '[n]o, why',
    ...(runs ? ['[e]dit'] : []),
    ...(canRemember(event) ? ['[a]lways'] : []),
    ...(cut ? ['[s]how all'] : []),
    '[?]',
  ]
  return `${runs ? 'run it?' : 'let the model read this?'} ${choices.join(' ')} `
}

function expected(stage: ApprovalEvent['stage'], always: boolean): string {
  if (stage === 'result') return 'y yes, or n no (and why)'
  return `y yes, n no (and why), e other arguments${always ? ', a always' : ''}`
}
