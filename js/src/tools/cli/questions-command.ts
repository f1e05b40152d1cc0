// sluice questions: the open questions of all durable turns, and decisions about them.
import { escapeInvisible } from '../../app/bridge/invisible.js'
import { questionLines, questionWords } from '../../app/bridge/question.js'
import type { Tool } from '../../engine/core/tool.js'
import type { Durable, TurnQuestion } from '../../servers/durable/durable-types.js'
import { notCounting } from '../../servers/leg/decision.js'
import { text, UsageError, type Command } from './command.js'
import { pageHelp, pageOptions, readPort, showPage } from './terminal-page.js'
import { questionRows } from './question-rows.js'
import { startQuestions } from './questions-page.js'
import { loadTurns } from './turns-file.js'

/** So much of a digest names a question. What is decided is the question that this process has read, by all of it. */
const DIGITS = 12

export const command: Command = {
  summary: 'what durable turns ask, and decisions about it',
  help: `npx sluice questions FILE.mjs                          the open questions of all turns
npx sluice questions FILE.mjs --page                   the same as a page, where they are read and decided
npx sluice questions FILE.mjs --approve QUESTION       decides one, by the name that stands at its end

FILE.mjs is a module of yours: its default export, or \`turns\`, is what durable(engine, …) of sluice/durable gives, or a function that gives
it. What cannot be seen in arguments and results is shown as ⟨U+…⟩.

  --thread NAME       those of this thread only
  --tool NAME         those about this tool only
  --json              one line of JSON for each
  --page              serves the page until Ctrl-C, for you alone; each decision counts for the question that was seen there
${pageHelp}
  --approve QUESTION  the call may run, or its result be read; --remember once, turn, session or always
  --deny QUESTION     it may not; --reason TEXT is for the model
  --by NAME           who decides, for the record (default: $USER)`,
  options: {
    ...pageOptions,
    page: { type: 'boolean' },
    thread: { type: 'string' },
    tool: { type: 'string' },
    json: { type: 'boolean' },
    approve: { type: 'string' },
    deny: { type: 'string' },
    remember: { type: 'string' },
    reason: { type: 'string' },
    by: { type: 'string' },
  },
  positionals: ['FILE'],
  async run(values, [file]) {
    const [approve, deny, thread, tool, reason, remember] = [
      'approve',
      'deny',
      'thread',
      'tool',
      'reason',
      'remember',
    ].map((name) => text(values[name]))
    if (approve !== undefined && deny !== undefined) throw new UsageError('--approve and --deny: expected one of them')
    if (reason !== undefined && deny === undefined) throw new UsageError('--reason needs --deny beside it')
    if (remember !== undefined && (approve === undefined || !['once', 'turn', 'session', 'always'].includes(remember)))
      throw new UsageError(`--remember: found '${remember}', expected once, turn, session or always beside --approve`)
    const port = readPort(values)
    if (values['page'] && (values['json'] || approve !== undefined || deny !== undefined))
      throw new UsageError('--page: expected neither --json nor --approve nor --deny beside it')
    if (!values['page'] && (port !== undefined || values['no-open']))
      throw new UsageError('--port and --no-open need --page beside them')
    const by = text(values['by']) ?? process.env['USER']
    const turns = await loadTurns(file as string)
    const filter = { ...(thread === undefined ? {} : { thread }), ...(tool === undefined ? {} : { tool }) }
    const name = approve ?? deny
    let code = 0
    if (values['page'])
      code = await showPage('The questions are on', await startQuestions({ turns, filter, by, port }), values)
    else if (name === undefined) await list(turns, filter, values['json'] === true)
    else
      code = await decide(turns, name, { decision: approve === undefined ? 'deny' : 'approve', reason, remember, by })
    process.exit(code) // connections of the app's are still open
  },
}

async function list(turns: Durable, filter: { thread?: string; tool?: string }, json: boolean): Promise<void> {
  let count = 0
  for await (const question of turns.questions(filter)) {
    console.log(
      json
        ? JSON.stringify({ ...question, question: nameOf(question) })
        : shown(
            question,
            turns.tools.find(({ name }) => name === question.name),
          ),
    )
    count++
  }
  if (count === 0 && !json) console.log('nothing is asked')
}

async function decide(
  turns: Durable,
  name: string,
  {
    decision,
    reason,
    remember,
    by,
  }: { decision: 'approve' | 'deny'; reason: string | undefined; remember: string | undefined; by: string | undefined },
): Promise<number> {
  for await (const question of turns.questions()) {
    if (nameOf(question) !== name) continue
    const { turn, call, stage, digest } = question
    const said = await turns.decide(turn, {
      call,
      stage,
      digest,
      decision,
      ...(reason === undefined ? {} : { reason }),
      ...(remember === undefined ? {} : { remember: remember as 'once' }),
      ...(by === undefined ? {} : { by }),
    })
    const counts = said === 'accepted' ? undefined : await turns.decisionOn(turn, question)
    console.log(counts ? `${said}: ${notCounting(said as 'stale' | 'over', counts)}` : said)
    return said === 'accepted' ? 0 : 1
  }
  console.error('this question is not asked, or no longer')
  return 1
}

const nameOf = ({ turn, call, stage, digest }: TurnQuestion): string =>
  `${turn}:${call}:${stage}:${digest.slice(0, DIGITS)}`

/**
 * A border stands in front of all that the tool, its server and the model wrote: nothing of theirs looks like a row of
 * ours.
 */
function shown(
  question: TurnQuestion,
  { declaration, words }: Partial<Pick<Tool, 'declaration' | 'words'>> = {},
): string {
  const { thread, askedAt, expiresAt } = question
  const at = (time: number): string => new Date(time).toISOString().replace('T', ' ').slice(0, 16)
  const about = [
    `asked ${at(askedAt)}`,
    ...(expiresAt === undefined ? [] : [`until ${at(expiresAt)}`]),
    ...(thread === undefined ? [] : [`thread ${JSON.stringify(thread)}`]),
  ].join(', ')
  const request = {
    ...question,
    annotations: declaration?.['annotations'] as { readOnlyHint?: boolean } | undefined,
    words,
  }
  const whole = new Set(questionLines(request, questionWords.en).flatMap(({ show }) => show ?? []))
  const rows = questionRows(
    questionLines(request, questionWords.en, { whole }),
    (process.stdout.columns ?? 120) - 2,
    (_, text) => text,
  )
  return (
    [escapeInvisible(about), ...rows.map((row) => `│ ${row}`), `╰ ${escapeInvisible(nameOf(question))}`].join('\n') +
    '\n'
  )
}
