import type { ExecutionPolicy, JsonObject, ResultPart, ResultPolicy } from '../../engine/core/events.js'
import type { ToolWords } from '../../engine/core/tool-words.js'

/** What is asked: may this call run, may this result go to the model? See `isWhole`. */
export interface QuestionRequest {
  stage: 'execution' | 'result'
  /** The tool that asks; absent where the model does. */
  parent?: { name: string } | undefined
  /** The tool that would run, and the name that the model wrote. */
  name?: string | undefined
  askedName?: string | undefined
  /** What people read about the tool: where it has words, they go before `title` and `description`. */
  words?: ToolWords | undefined
  /** What the tool calls itself, and says of itself. */
  title?: string | undefined
  description?: string | undefined
  policy?: ExecutionPolicy | ResultPolicy | undefined
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean; openWorldHint?: boolean } | undefined
  /** Stage `execution`: what it would run with; the edited ones, where a person edited them. */
  arguments?: JsonObject | undefined
  editedArguments?: boolean | undefined
  /** What the model wrote, where the app resolved other arguments. */
  written?: JsonObject | undefined
  protocolFields?: { [key: string]: string } | undefined
  /** Names that the model gave twice: the last one counts. */
  twice?: readonly string[] | undefined
  /** The call waits for a button: the person runs it. */
  prepared?: boolean | undefined
  /** Stage `result`: what the model would read. */
  preview?: { text: string; isError: boolean; parts?: ResultPart[] } | undefined
  /** Who would read it. */
  reader?: { model: string; host?: string } | undefined
}
