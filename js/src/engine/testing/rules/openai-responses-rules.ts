// What OpenAI's Responses API refuses beyond its documentation.
import { isObject, objects, same, twice, type RequestJson } from '../strict-refusal.js'
import { openaiSchemaRules, promptCacheKey, unreadable } from './openai-schema-rules.js'
import { first, surrogates, tooLong, tooLongWords, type EnforcedRule } from './rule.js'
import type { OfferedTool } from './schema-faults.js'

const toolsOf = ({ tools }: RequestJson): OfferedTool[] =>
  objects(tools).flatMap(({ type, name, parameters: schema, description }, index) =>
    type === 'function' && typeof name === 'string' ? [{ index, name, schema, description }] : [],
  )

const itemsOf = ({ input }: RequestJson): RequestJson[] => objects(input)

/** Whether an item of an answer may go back: the model made it. */
function isOfModel({ type, role }: RequestJson): boolean {
  if (typeof type !== 'string') return false
  if (['mcp_approval_response', 'item_reference'].includes(type) || type.endsWith('_output')) return false
  return role === undefined || role === 'assistant'
}

/** The rules of `openai-responses`. */
export const openaiResponsesRules: readonly EnforcedRule[] = [
  { name: 'a lone surrogate', refuses: surrogates, ...unreadable },
  ...openaiSchemaRules({ toolsOf, describedAt: (index) => `tools[${index}].description` }),
  promptCacheKey,
  {
    name: 'a call_id over 64 characters',
    refuses: (request) =>
      first(itemsOf(request), ({ call_id: id }, index) => tooLong(id, 64, `input[${index}].call_id`)),
    words: tooLongWords,
    since: '2026-06',
    source: 'AnswerDotAI/fastllm#45',
  },
  {
    name: 'an item id over 64 characters',
    refuses: (request) => first(itemsOf(request), ({ id }, index) => tooLong(id, 64, `input[${index}].id`)),
    words: tooLongWords,
    since: '2026-03',
    source: 'can1357/oh-my-pi#284',
  },
  {
    name: 'an item id twice',
    refuses: (request) => {
      const id = twice(
        itemsOf(request).flatMap(({ id, type }) => (typeof id === 'string' && type !== 'item_reference' ? [id] : [])),
      )
      return id === undefined ? undefined : { id }
    },
    words: 'Duplicate item found with id {id}. Remove duplicate items from your input and try again.',
    since: '2025-11',
    source: 'OpenRouterTeam/ai-sdk-provider#254; vercel/ai#13307',
  },
  {
    name: 'a call_id twice',
    refuses: (request) => {
      const id = twice(
        itemsOf(request).flatMap(({ call_id: id, type }) =>
          typeof id === 'string' && (type === 'function_call' || type === 'custom_tool_call') ? [id] : [],
        ),
      )
      return id === undefined ? undefined : { id }
    },
    words: 'Duplicate item found with call_id {id}. Remove duplicate items from your input and try again.',
    since: '2026-03',
    source: 'vercel/ai#13307',
  },
  {
    name: 'an item of another role or type than the model has',
    refuses: (request, { given }) => {
      const strange = given.flatMap(({ items }) => items).filter((item) => isObject(item) && !isOfModel(item))
      return first(itemsOf(request), (item, index) =>
        item['id'] != null && strange.some((one) => same(one, item))
          ? { index, type: String(item['type']) }
          : undefined,
      )
    },
    words: "Invalid value: 'input[{index}]' is an item of type '{type}' that an answer brought.",
    since: '2026-09',
    source: 'documentation: Responses, input (these words are not those of the API)',
  },
]
