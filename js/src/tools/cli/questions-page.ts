// The page of `sluice questions`: the open questions of all turns, for whoever may decide them. The server says who
// that is; the page cannot.
import type { QuestionView } from '../../app/bridge/messages.js'
import { messageOf } from '../../engine/core/errors.js'
import type { Tool } from '../../engine/core/tool.js'
import type { Durable, TurnQuestion } from '../../servers/durable/durable-types.js'
import { flag, jsonObject, list, members, oneOf, optional, text, whole } from '../../app/host/checks.js'
import { serve, type WebRoute, type WebServer } from '../../app/web/web-server.js'
import { pageRoots } from './terminal-page.js'
import type { DecideReply, DecideRequest, QuestionsReply, QuestionsRequest, ShownQuestion } from './questions-api.js'

/** So many are shown at once: nobody reads more before the first of them is decided. */
const MOST = 100
/** A page may have more than it is sent at once. */
const MOST_KNOWN = 1000
/** A name has an id of up to 200 characters in it. */
const NAME = 400

export interface QuestionsPageOptions {
  turns: Durable
  /** Those that are shown. */
  filter: { thread?: string; tool?: string }
  by: string | undefined
  port: number | undefined
}

export const startQuestions = ({ port, ...options }: QuestionsPageOptions): Promise<WebServer> =>
  serve({ roots: pageRoots('questions'), routes: routes(options), ...(port ? { port } : {}) })

const checkQuestions = members<QuestionsRequest>({ known: list(text(NAME), MOST_KNOWN) })
const checkDecide = members<DecideRequest>({
  turn: text(200),
  call: whole(1, Number.MAX_SAFE_INTEGER),
  stage: oneOf('execution', 'result'),
  digest: text(100),
  decision: oneOf('approve', 'deny'),
  arguments: optional(jsonObject({ characters: 1_000_000, values: 100_000, depth: 64 })),
  remember: optional(oneOf('once', 'turn', 'session', 'always')),
  exact: optional(flag),
  reason: optional(text(10_000, 0)),
})

function routes({ turns, filter, by }: Omit<QuestionsPageOptions, 'port'>): { [route: `POST /${string}`]: WebRoute } {
  return {
    'POST /api/questions': async (input): Promise<QuestionsReply> => {
      const known = new Set(checkQuestions(input, '').known)
      const { questions, more, fault } = await read(turns, filter)
      const open = questions.map(nameOf)
      const fresh = questions
        .filter((question) => !known.has(nameOf(question)))
        .map((question) => shown(question, turns.tools))
      return { open, fresh, more, ...(by === undefined ? {} : { by }), ...(fault === undefined ? {} : { fault }) }
    },
    'POST /api/decide': async (input): Promise<DecideReply> => {
      const { turn, ...decision } = checkDecide(input, '')
      const said = await turns.decide(turn, { ...decision, ...(by === undefined ? {} : { by }) })
      const counts = said === 'accepted' ? undefined : await turns.decisionOn(turn, decision)
      return {
        said,
        ...(counts
          ? { decision: counts.decision, ...(counts.by === undefined ? {} : { by: counts.by }), at: counts.at }
          : {}),
      }
    },
  }
}

async function read(
  turns: Durable,
  filter: QuestionsPageOptions['filter'],
): Promise<{ questions: TurnQuestion[]; more: boolean; fault?: string }> {
  const questions: TurnQuestion[] = []
  try {
    for await (const question of turns.questions(filter)) {
      if (questions.length === MOST) return { questions: inOrder(questions), more: true }
      questions.push(question)
    }
  } catch (error) {
    return { questions: inOrder(questions), more: false, fault: messageOf(error) }
  }
  return { questions: inOrder(questions), more: false }
}

const inOrder = (questions: TurnQuestion[]): TurnQuestion[] =>
  questions.sort((a, b) => a.askedAt - b.askedAt || a.call - b.call)

const nameOf = ({ turn, call, stage, digest }: TurnQuestion): string => `${turn}:${call}:${stage}:${digest}`

/**
 * With what people read about the tool. A process that has it in another version shows its words; what is decided is
 * what the worker asked.
 */
function shown(question: TurnQuestion, tools: readonly Tool[]): ShownQuestion {
  const { turn, thread, askedAt, ...asked } = question
  const { declaration, words } = tools.find(({ name }) => name === asked.name) ?? {}
  const { annotations, parameters } = (declaration ?? {}) as Pick<QuestionView, 'annotations' | 'parameters'>
  const ask: QuestionView = {
    ...asked,
    token: nameOf(question),
    ...(annotations ? { annotations } : {}),
    ...(words ? { words } : {}),
    ...(asked.stage === 'execution' && parameters ? { parameters } : {}),
  }
  return { name: ask.token, turn, askedAt, ...(thread === undefined ? {} : { thread }), ask }
}
