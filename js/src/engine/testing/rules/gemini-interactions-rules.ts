// What Gemini's Interactions API refuses beyond its documentation.
import { isObject, objects, type RequestJson } from '../strict-refusal.js'
import { geminiSchemaRules } from './gemini-schema-rules.js'
import { first, surrogates, type EnforcedRule } from './rule.js'
import { ruleOfTools, type OfferedTool } from './schema-faults.js'

const functionsOf = ({ tools }: RequestJson): OfferedTool[] =>
  objects(tools).flatMap(({ type, name, parameters: schema, description }, index) =>
    type === 'function' && typeof name === 'string' && isObject(schema) ? [{ index, name, schema, description }] : [],
  )

/** Tools that Gemini runs, by the page of the documentation about combining them with functions. */
const builtIn = ['google_search', 'google_maps', 'code_execution', 'url_context', 'file_search']

/** The calls of the model directly before the results at `index`, by id. */
function callsBefore(steps: readonly RequestJson[], index: number): unknown[] {
  let end = index
  while (end > 0 && steps[end - 1]!['type'] === 'function_result') end--
  let begin = end
  while (begin > 0 && !['user_input', 'function_result'].includes(steps[begin - 1]!['type'])) begin--
  return steps.slice(begin, end).flatMap(({ type, id }) => (type === 'function_call' ? [id] : []))
}

/** The rules of `gemini-interactions`. */
export const geminiInteractionsRules: readonly EnforcedRule[] = [
  {
    name: 'a lone surrogate',
    refuses: surrogates,
    words: 'Half of a surrogate pair: {at}',
    since: '2026-11',
    source: 'RFC 8259, 8.2 (these words are not those of the API)',
  },
  // The issues quote generateContent, which gives the same models their functions: here the place may be written otherwise.
  ...geminiSchemaRules(ruleOfTools(functionsOf), 'tools[{index}].parameters'),
  {
    name: 'functions beside a tool of Gemini before Gemini 3',
    refuses: ({ tools }, { model }) => {
      const types = objects(tools).map(({ type }) => String(type))
      const mixes = types.includes('function') && types.some((type) => builtIn.includes(type))
      return mixes && /gemini-[12](?!\d)/.test(model) ? {} : undefined
    },
    words:
      'Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.',
    since: '2026-07',
    source: 'googleapis/js-genai#1768; googleapis/python-genai#2761 (of some newer models, too)',
  },
  {
    name: 'an empty list in a result',
    refuses: ({ input }) =>
      first(objects(input), ({ type, result }) => {
        if (type !== 'function_result' || !isObject(result)) return undefined
        const empty = Object.entries(result).find(([, value]) => Array.isArray(value) && value.length === 0)
        return empty && { member: empty[0] }
      }),
    words:
      'Invalid function_response.response: field {member} has an empty value. All values must have a type (null, bool, number, string, list, or object).',
    since: '2026-04',
    source: 'takeshy/obsidian-gemini-helper#79',
  },
  {
    name: 'a result away from its call',
    refuses: ({ input }) => {
      const steps = objects(input)
      // one that answers no call at all is another fault
      const called = steps.flatMap(({ type, id }) => (type === 'function_call' ? [id] : []))
      return first(steps, ({ type, call_id: id, name }, index) =>
        type === 'function_result' && called.includes(id) && !callsBefore(steps, index).includes(id)
          ? { name: String(name ?? '') }
          : undefined,
      )
    },
    words:
      "Please ensure that function response turn comes immediately after a function call turn. Got function response with name '{name}'.",
    since: '2026-09',
    source: 'googleapis/python-genai#3003',
  },
]
