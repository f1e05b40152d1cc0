// Results as text: what the engine writes of calls and their results in a request of mode text.
import { isObject, text, wrong } from './options.js'
import type { Settings } from './settings.js'
import type { Turn, TurnConfig } from './turn.js'

/** A result of a call, for `engine.writeResult`. */
export interface ResultToWrite {
  /** The name of the tool. */
  name: string
  /** What the tool returned: a text, or any other value as JSON. */
  content: unknown
  /** The id of the call. Default `call_1`, `call_2` and so on. */
  id?: string
  /** How the call ended. Default `success`. */
  status?: 'success' | 'error' | 'denied'
}

const statuses: readonly unknown[] = ['success', 'error', 'denied', undefined]

/**
 * The text of these results. `turn`: makes a turn of the engine.
 * @throws SluiceError `option` for a result of another shape.
 */
export function writtenResults(
  turn: (config: TurnConfig) => Turn,
  given: ResultToWrite | readonly ResultToWrite[],
  settings: Settings,
): string {
  const results = Array.isArray(given) ? (given as readonly ResultToWrite[]) : [given as ResultToWrite]
  if (results.length === 0) throw wrong('results', given, 'at least one result')
  const messages = results.map((result, index) => messageOf(result, index, Array.isArray(given) ? `[${index}]` : ''))
  const calls = messages.map(({ tool_call_id: id, name }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: '{}' },
  }))
  const writing = turn({
    ...settings,
    enabled: true,
    mode: 'text',
    resultRole: 'user',
    injectTools: 'off',
    wire: 'openai-chat',
    request: { messages: [{ role: 'assistant', content: null, tool_calls: calls }, ...messages] },
  })
  try {
    const body = JSON.parse(writing.request as string) as { messages: { content: string }[] }
    return (body.messages.at(-1) as { content: string }).content
  } finally {
    writing.close()
  }
}

function messageOf(result: ResultToWrite, index: number, at: string) {
  if (!isObject(result)) throw wrong(`results${at}`, result, 'an object with name and content')
  const { name, content, id = `call_${index + 1}`, status = 'success' } = result
  text(name, `results${at}.name`)
  text(id, `results${at}.id`)
  if (content === undefined) throw wrong(`results${at}.content`, content, 'a text, or any other value as JSON')
  if (!statuses.includes(status)) throw wrong(`results${at}.status`, status, 'success, error or denied')
  const json = typeof content !== 'string'
  return {
    role: 'tool' as const,
    tool_call_id: id,
    name,
    content: json ? JSON.stringify(content) : content,
    metadata: { toolCall: { status, json } },
  }
}
