// sluice check: whether a server and a model can be used, step by step.
import { escapeInvisible } from '../../app/bridge/invisible.js'
import type { ServerAddress } from '../../engine/core/model.js'
import { listModels } from '../../engine/core/models.js'
import { checkServer } from '../../engine/core/server-check.js'
import type { CheckStep } from '../../engine/core/server-step.js'
import type { LocalizedText } from '../../engine/core/tool-words.js'
import { SluiceError } from '../../engine/core/errors.js'
import { UsageError, type Command } from './command.js'
import { modelHelp, modelOptions, readModel } from './model-options.js'
import { Paper } from './paper.js'

/** A chat goes without these. */
const spare: readonly CheckStep[] = ['tools', 'pictures']
/** So many models are named where none is chosen. */
const MOST_NAMES = 40

const { mode: _mode, protocol: _protocol, ...options } = modelOptions

export const command: Command = {
  summary: 'try a server: does it answer, take the key, have the model, stream, call tools, see pictures',
  help: `npx sluice check --provider NAME [--model NAME] [options]
npx sluice check --base-url URL [--model NAME] [options]

Tries each step with real requests, three short answers in all, and says what to do about the first that fails. Without --model
the models of the server are listed. ✖ is a step without which no chat is possible, and then it ends with 1; – is one that a
chat goes without.

${modelHelp
  .split('\n')
  .filter((line) => !/^ {2}--(?:mode|protocol) /.test(line))
  .join('\n')}`,
  options,
  async run(values) {
    const endpoint = readModel(values, { nameless: true })
    if (!endpoint) throw new UsageError('--provider NAME or --base-url URL is missing')
    const paper = new Paper(process.stdout, process.env)
    let code = 0
    const draw = (): void => paper.tail(paper.paint('dim', '⋯'))
    draw()
    try {
      for await (const { step, ok, ms, says, hint } of checkServer(endpoint)) {
        const isSpare = spare.includes(step) || (endpoint.name === undefined && step === 'model')
        const [colour, mark] = ok
          ? (['green', '✔'] as const)
          : isSpare
            ? (['yellow', '–'] as const)
            : (['red', '✖'] as const)
        if (mark === '✖') code = 1
        paper.line(
          said(says),
          `${paper.paint(colour, mark)} ${step.padEnd(8)} ${`${ms} ms`.padStart(8)}  `,
          ' '.repeat(21),
        )
        if (hint !== undefined) paper.line(paper.paint('yellow', said(hint)), ' '.repeat(21))
        draw()
      }
    } finally {
      paper.tail('')
    }
    if (endpoint.name === undefined && code === 0) await list(endpoint, paper)
    return code
  },
}

async function list(server: ServerAddress, paper: Paper): Promise<void> {
  try {
    const names = await listModels(server)
    for (const name of names.slice(0, MOST_NAMES)) paper.line(said(name))
    if (names.length > MOST_NAMES) paper.line(paper.paint('dim', `and ${names.length - MOST_NAMES} more`))
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error // it lists none: the step said so
  }
}

/** A server's words are a stranger's. */
const said = (text: LocalizedText): string =>
  escapeInvisible((typeof text === 'string' ? text : (text['en'] ?? '')).replace(/\s+/g, ' '))
