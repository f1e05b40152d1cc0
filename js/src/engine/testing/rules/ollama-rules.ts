// What Ollama refuses or drops in silence beyond its documentation.
import { isObject, objects, type RequestJson } from '../strict-refusal.js'
import { first, surrogates, type EnforcedRule } from './rule.js'
import { atTop, findReference, ruleOfTools, type OfferedTool } from './schema-faults.js'

const toolsOf = ({ tools }: RequestJson): OfferedTool[] =>
  objects(tools).flatMap((tool, index) => {
    const {
      name,
      parameters: schema,
      description,
    } = isObject(tool['function']) ? tool['function'] : ({} as RequestJson)
    return typeof name === 'string' ? [{ index, name, schema, description }] : []
  })

const inTools = ruleOfTools(toolsOf)

const nameOf = (call: RequestJson): unknown => (isObject(call['function']) ? call['function']['name'] : undefined)

/** The rules of `ollama`. */
export const ollamaRules: readonly EnforcedRule[] = [
  {
    name: 'a lone surrogate',
    refuses: surrogates,
    words: 'half of a surrogate pair is read as U+FFFD: {at}',
    since: '2026-09',
    source: 'documentation: pkg.go.dev/encoding/json (these words are not those of the server)',
  },
  {
    name: 'a combinator at the top',
    refuses: inTools(({ schema }) => {
      const word = atTop(schema, ['anyOf', 'oneOf', 'allOf'])
      return word === undefined ? undefined : { word }
    }),
    words: 'tools[{index}].function.parameters: {word} is dropped in silence',
    since: '2026-08',
    source: 'documentation: api/types.go, ToolFunctionParameters (these words are not those of the server)',
  },
  {
    name: 'a $ref',
    refuses: inTools(({ schema }) => {
      const found = findReference(schema, () => true)
      return found && { reference: found.reference }
    }),
    words: "tools[{index}].function.parameters: $ref '{reference}' is dropped in silence",
    since: '2026-08',
    source: 'documentation: api/types.go, ToolProperty (these words are not those of the server); ollama/ollama#10091',
  },
  {
    name: 'a call that is no object',
    refuses: ({ messages }) =>
      first(objects(messages), ({ tool_calls: calls }) =>
        first(Array.isArray(calls) ? (calls as unknown[]) : [], (call) => {
          const target = isObject(call) ? call['function'] : call
          return target === undefined || isObject(target)
            ? undefined
            : { type: target === null ? 'null' : typeof target }
        }),
      ),
    words:
      'json: cannot unmarshal {type} into Go struct field ChatRequest.messages.tool_calls.function of type api.ToolCallFunction',
    since: '2026-08',
    source: 'documentation: api/types.go, ToolCall',
  },
  {
    name: 'results in another order than their calls',
    refuses: ({ messages }) => {
      let calls: RequestJson[] = []
      return first(objects(messages), (message, index) => {
        if (message['role'] !== 'tool') {
          calls = objects(message['tool_calls'])
          return undefined
        }
        const call = calls.shift()
        if (!call || (call['id'] !== undefined && message['tool_call_id'] !== undefined)) return undefined
        const [name, expected] = [message['tool_name'] as unknown, nameOf(call)]
        // one that answers no call at all is another fault
        return name === expected || !calls.some((one) => nameOf(one) === name)
          ? undefined
          : { index, name: String(name), expected: String(expected) }
      })
    },
    words: "messages[{index}]: a result of '{name}' stands in the place of one of '{expected}'",
    since: '2026-09',
    source: 'documentation: templates put results where they stand (these words are not those of the server)',
  },
]
