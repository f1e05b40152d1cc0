// What servers behind `openai-chat` refuse: OpenAI and Azure, models of DeepSeek, Moonshot and Mistral whoever serves
// them, gateways in front of Claude and Gemini, and chat templates of local models.
import { isObject, lastGiven, objects, same, type GivenAnswer, type RequestJson } from '../strict-refusal.js'
import { openaiSchemaRules, promptCacheKey, unreadable } from './openai-schema-rules.js'
import {
  first,
  likeOpenAI,
  surrogates,
  tooLong,
  tooLongWords,
  type Found,
  type EnforcedRule,
  type RuleContext,
} from './rule.js'
import {
  crowdedReference,
  danglingReference,
  fieldOf,
  illegalKey,
  undefinedRequired,
  type OfferedTool,
} from './schema-faults.js'

const toolsOf = ({ tools }: RequestJson): OfferedTool[] =>
  objects(tools).flatMap((tool, index) => {
    const {
      name,
      parameters: schema,
      description,
    } = isObject(tool['function']) ? tool['function'] : ({} as RequestJson)
    return typeof name === 'string' ? [{ index, name, schema, description }] : []
  })

const messagesOf = ({ messages }: RequestJson): RequestJson[] => objects(messages)

/** The calls of a message. */
const callsOf = (message: RequestJson): RequestJson[] => objects(message['tool_calls'])

const isAssistant = ({ role }: RequestJson): boolean => role === 'assistant'

const named = (part: RegExp, { model }: RuleContext): boolean => part.test(model)

const mistral = /mistral|ministral|mixtral|magistral|codestral|devstral|pixtral/i

// -- reasoning

/** The model's answer that this message repeats. */
const answerOf = (message: RequestJson, { given, model }: RuleContext): GivenAnswer | undefined =>
  lastGiven(given, ({ model: other, waived, items: [said] }) => {
    if (other !== model || waived || !said) return false
    const [call] = callsOf(message)
    return call ? callsOf(said).some(({ id }) => id === call['id']) : same(said['content'], message['content'])
  })

/**
 * The first message of the assistant without the thought that must come back: with calls always, without calls if the
 * answer had one and `otherwise` says that it counts. The place is counted from 0.
 */
function withoutThought(
  request: RequestJson,
  context: RuleContext,
  otherwise: (turn: readonly RequestJson[]) => boolean,
): Found | undefined {
  if (isObject(request['thinking']) && request['thinking']['type'] === 'disabled') return undefined
  const messages = messagesOf(request)
  return first(messages, (message, index) => {
    if (!isAssistant(message) || typeof message['reasoning_content'] === 'string') return undefined
    const had = answerOf(message, context)?.items[0]?.['reasoning_content'] !== undefined
    const from = messages.slice(0, index).findLastIndex(({ role }) => role === 'user')
    return callsOf(message).length > 0 || (had && otherwise(messages.slice(from + 1, index))) ? { index } : undefined
  })
}

/** The pieces of one thought, of which only the whole has a signature. */
const pieced = (message: RequestJson): number | undefined => {
  const seen = new Set<string>()
  return first(objects(message['reasoning_details']), ({ type, index }, place) => {
    if (index === undefined || index === null || typeof type !== 'string' || type === 'reasoning.encrypted')
      return undefined
    const key = `${type} ${String(index)}`
    if (seen.has(key)) return place
    seen.add(key)
    return undefined
  })
}

/**
 * A list of signed thoughts that is not the one that the server gave: changed, cut into pieces, or not there in front of
 * calls. Without calls the server leaves them out itself.
 */
const forged =
  (member: string) =>
  (request: RequestJson, context: RuleContext): Found | undefined =>
    first(messagesOf(request), (message, index) => {
      if (!isAssistant(message)) return undefined
      const said = answerOf(message, context)?.items[0]?.[member]
      if (said === undefined || (message[member] == null && callsOf(message).length === 0)) return undefined
      return same(said, message[member]) ? undefined : { index, place: 0 }
    })

const signature = 'messages.{index}.content.{place}: Invalid `signature` in `thinking` block'

// -- roles

/** The first message whose turn it is not; calls, their results and one system message at the beginning do not count. */
function outOfTurn(request: RequestJson): { index: number; role: string } | undefined {
  let expected = 'user'
  return first(messagesOf(request), (message, index) => {
    const role = String(message['role'])
    if (role === 'tool' || (isAssistant(message) && callsOf(message).length > 0)) return undefined
    if (index === 0 && (role === 'system' || role === 'developer')) return undefined
    if (role !== expected) return { index, role }
    expected = expected === 'user' ? 'assistant' : 'user'
    return undefined
  })
}

const isSystem = (role: string): boolean => role === 'system' || role === 'developer'

const turns =
  (template: 'mistral' | 'gemma', system: boolean) =>
  (request: RequestJson, { server }: RuleContext): Found | undefined => {
    const found = server.template === template ? outOfTurn(request) : undefined
    return found && isSystem(found.role) === system ? found : undefined
  }

const mistralTurns = {
  words: 'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...',
  since: '2024-07',
  source: 'vllm-project/vllm#6862',
}
const gemmaTurns = {
  words: 'Conversation roles must alternate user/assistant/user/assistant/...',
  since: '2024-12',
  source: 'nomic-ai/gpt4all#3282',
}

/** The rules of `openai-chat`. */
export const openaiChatRules: readonly EnforcedRule[] = [
  { name: 'a lone surrogate', refuses: surrogates, ...unreadable },
  {
    name: 'an illegal key at the top for Claude',
    refuses: (request, context) =>
      named(/claude/i, context)
        ? first(toolsOf(request), ({ index, schema }) => (illegalKey(schema) === undefined ? undefined : { index }))
        : undefined,
    words: "tools.{index}.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
    since: '2026-04',
    source: 'beautyfree/appstore-connect-mcp#2',
  },
  {
    name: 'a $ref with something beside it for Gemini',
    refuses: (request, context) =>
      named(/gemini/i, context)
        ? first(toolsOf(request), ({ schema }) => {
            const found = crowdedReference(schema)
            return found && { name: found.reference.split('/').at(-1)! }
          })
        : undefined,
    words:
      "$ref '{name}' was set alongside unsupported fields. If a schema node has $ref set, then only description and default can be set alongside it",
    since: '2026-02',
    source: 'anomalyco/opencode#12295',
  },
  {
    name: 'a $ref to nothing for Gemini',
    refuses: (request, context) =>
      named(/gemini/i, context)
        ? first(toolsOf(request), ({ schema }) => {
            const found = danglingReference(schema)
            return found && { at: found.path.join('.') }
          })
        : undefined,
    words: 'reference to undefined schema at {at}',
    since: '2025-11',
    source: 'google-gemini/gemini-cli#13326',
  },
  {
    name: 'a required name without a property for Gemini',
    refuses: (request, context) =>
      named(/gemini/i, context)
        ? first(toolsOf(request), ({ index, schema }) => {
            const path = undefinedRequired(schema)
            return path && { index, at: fieldOf(path) }
          })
        : undefined,
    words: '* GenerateContentRequest.tools[0].function_declarations[{index}].parameters{at}: property is not defined',
    since: '2026-04',
    source: 'moltis-org/moltis#849',
  },
  ...openaiSchemaRules({ toolsOf, describedAt: (index) => `tools[${index}].function.description` }),
  promptCacheKey,
  {
    name: 'a call that is no object',
    refuses: (request) =>
      first(messagesOf(request), ({ tool_calls: calls }, index) =>
        first(Array.isArray(calls) ? (calls as unknown[]) : [], (call, place) => {
          const at = `messages[${index}].tool_calls[${place}]`
          const target = isObject(call) ? call['function'] : call
          if (isObject(target)) return undefined
          return { at: isObject(call) ? `${at}.function` : at, type: target === null ? 'null' : typeof target }
        }),
      ),
    words: "Invalid type for '{at}': expected an object, but got {type} instead.",
    since: '2026-09',
    source: 'documentation: Chat Completions, messages.tool_calls (its words are those of other members)',
  },
  {
    name: 'a call id over 40 characters',
    refuses: (request, context) =>
      likeOpenAI(context) && !named(mistral, context)
        ? first(
            messagesOf(request),
            (message, index) =>
              first(callsOf(message), ({ id }, place) =>
                tooLong(id, 40, `messages[${index}].tool_calls[${place}].id`),
              ) ?? tooLong(message['tool_call_id'], 40, `messages[${index}].tool_call_id`),
          )
        : undefined,
    words: tooLongWords,
    since: '2025-04',
    source: 'camel-ai/camel#2215; vercel/ai#5171',
  },
  {
    name: 'a call id twice in a conversation',
    refuses: (request) => {
      const before = new Set<string>()
      return first(messagesOf(request), (message) => {
        const ids = callsOf(message).flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
        const id = ids.find((one) => before.has(one))
        ids.forEach((one) => before.add(one))
        return id === undefined ? undefined : { id }
      })
    },
    words: 'invalid params, duplicate tool_call id: {id}',
    since: '2026-04',
    source: 'VicBilibily/GCMP#120; across messages: can1357/oh-my-pi#2055',
  },
  {
    name: 'a call id that is not nine letters or digits for Mistral',
    refuses: (request, context) =>
      named(mistral, context) || context.server.template === 'mistral'
        ? first(messagesOf(request), (message) => {
            const ids = [...callsOf(message).map(({ id }) => id as unknown), message['tool_call_id']]
            return first(ids, (id) => (typeof id === 'string' && !/^[a-zA-Z0-9]{9}$/.test(id) ? { id } : undefined))
          })
        : undefined,
    words: 'Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9.',
    since: '2025-08',
    source: 'anomalyco/opencode#1680',
  },
  {
    name: 'no reasoning_content for DeepSeek',
    refuses: (request, context) =>
      named(/deepseek(?!.*-r1)/i, context)
        ? withoutThought(request, context, (turn) => turn.some((message) => callsOf(message).length > 0))
        : undefined,
    words:
      'Missing `reasoning_content` field in the assistant message at message index {index}. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls',
    since: '2026-03',
    source: 'continuedev/continue#11285',
  },
  {
    name: 'no reasoning_content for Kimi',
    refuses: (request, context) => (named(/kimi/i, context) ? withoutThought(request, context, () => true) : undefined),
    words: 'thinking is enabled but reasoning_content is missing in assistant tool call message at index {index}',
    since: '2026-03',
    source: 'QuantumNous/new-api#3121; HKUDS/nanobot#2598',
  },
  {
    name: 'reasoning_details in pieces',
    refuses: (request) =>
      first(messagesOf(request), (message, index) => {
        const place = pieced(message)
        return place === undefined ? undefined : { index, place }
      }),
    words: signature,
    since: '2026-02',
    source: 'OpenRouterTeam/ai-sdk-provider#423; agno-agi/agno#5802',
  },
  {
    name: 'reasoning_details that the server did not sign',
    refuses: forged('reasoning_details'),
    words: signature,
    since: '2026-02',
    source: 'OpenRouterTeam/ai-sdk-provider#423',
  },
  {
    name: 'a thinking block without its signature',
    refuses: (request) =>
      first(messagesOf(request), (message, index) => {
        const place = objects(message['thinking_blocks']).findIndex(
          ({ type, signature }) => type === 'thinking' && !(typeof signature === 'string' && signature !== ''),
        )
        return place < 0 ? undefined : { index, place }
      }),
    words: signature,
    since: '2026-06',
    source: 'BerriAI/litellm#29428',
  },
  {
    name: 'thinking blocks that the server did not sign',
    refuses: forged('thinking_blocks'),
    words: signature,
    since: '2026-06',
    source: 'BerriAI/litellm#29428',
  },
  { name: 'a second system message for a Mistral template', refuses: turns('mistral', true), ...mistralTurns },
  { name: 'roles that do not alternate for a Mistral template', refuses: turns('mistral', false), ...mistralTurns },
  { name: 'a second system message for a Gemma template', refuses: turns('gemma', true), ...gemmaTurns },
  { name: 'roles that do not alternate for a Gemma template', refuses: turns('gemma', false), ...gemmaTurns },
  {
    name: 'a system message for Gemma 2',
    refuses: (request, context) =>
      named(/gemma(-2-|-2b|2)/i, context) && messagesOf(request).some(({ role }) => isSystem(String(role)))
        ? {}
        : undefined,
    words: 'System role not supported',
    since: '2024-08',
    source: 'huggingface/chat-ui#1386',
  },
  {
    name: 'a later system message for Qwen 3.5',
    refuses: (request, context) =>
      named(/qwen-?3\.[5-8]|ornith/i, context)
        ? first(messagesOf(request), ({ role }, index) => (index > 0 && isSystem(String(role)) ? {} : undefined))
        : undefined,
    words: 'Jinja Exception: System message must be at the beginning.',
    since: '2026-03',
    source: 'ggml-org/llama.cpp#20733; vllm-project/vllm#41114',
  },
]
