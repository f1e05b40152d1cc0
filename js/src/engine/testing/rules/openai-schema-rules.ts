// What OpenAI and Azure refuse in the schemas of tools, on `openai-chat` and on `openai-responses`.
import { isObject, type RequestJson } from '../strict-refusal.js'
import { first, likeOpenAI, tooLong, tooLongWords, type Found, type EnforcedRule, type RuleContext } from './rule.js'
import {
  arrayWithoutItems,
  atTop,
  contextOf,
  danglingReference,
  ruleOfTools,
  type OfferedTool,
} from './schema-faults.js'

/** What a wire writes in its own way: its list of tools, and where a description stands. */
export interface OpenAITools {
  toolsOf: (request: RequestJson) => OfferedTool[]
  describedAt: (index: number) => string
}

/** The name of the type as the server prints it. */
const printed = (type: unknown): string =>
  type === undefined || type === null ? 'None' : typeof type === 'string' ? type : JSON.stringify(type)

export function openaiSchemaRules({ toolsOf, describedAt }: OpenAITools): EnforcedRule[] {
  const ofAll = ruleOfTools(toolsOf, ({ name }) => ({ name }))
  const inTools =
    (find: (tool: OfferedTool) => Found | undefined) =>
    (request: RequestJson, context: RuleContext): Found | undefined =>
      likeOpenAI(context) ? ofAll(find)(request) : undefined
  const count = (limit: number, request: RequestJson): Found | undefined => {
    const { length } = Array.isArray(request['tools']) ? (request['tools'] as unknown[]) : []
    return length > limit ? { limit, length } : undefined
  }
  const dialectOf = ({ server }: RuleContext): string => server.dialect ?? 'openai'
  return [
    {
      name: 'no type at the top',
      refuses: inTools(({ schema }) =>
        isObject(schema) && schema['type'] !== 'object' ? { type: printed(schema['type']) } : undefined,
      ),
      words: `Invalid schema for function '{name}': schema must be a JSON Schema of 'type: "object"', got 'type: "{type}"'.`,
      since: '2025-07',
      source: 'vercel/ai#7005',
    },
    {
      name: 'a combinator at the top',
      refuses: inTools(({ schema }) => {
        const word = atTop(schema, ['oneOf', 'anyOf', 'allOf', 'enum', 'not'])
        return word === undefined ? undefined : { word }
      }),
      words:
        "Invalid schema for function '{name}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
      since: '2025-06',
      source: 'chatanywhere/GPT_API_free#403',
    },
    {
      name: 'an object without properties at the top',
      refuses: inTools(({ schema }) =>
        isObject(schema) && !isObject(schema['properties']) ? { context: contextOf([]) } : undefined,
      ),
      words: "Invalid schema for function '{name}': In context={context}, object schema missing properties.",
      since: '2026-03',
      source: 'bnb-chain/bnbchain-mcp#68',
    },
    {
      name: 'an array without items',
      refuses: inTools(({ schema }) => {
        const path = arrayWithoutItems(schema)
        return path && { context: contextOf(path) }
      }),
      words: "Invalid schema for function '{name}': In context={context}, array schema missing items.",
      since: '2025-04',
      source: 'mark3labs/mcphost#35; with a list of types: tidewave-ai/tidewave_phoenix#224',
    },
    {
      name: 'a $ref to nothing',
      refuses: inTools(({ schema }) => {
        const found = danglingReference(schema)
        return found && { reference: found.reference }
      }),
      words: `Error resolving schema reference '{reference}': AttributeError("'NoneType' object has no attribute 'lookup'")`,
      since: '2026-05',
      source: 'anomalyco/opencode#29220 (Fireworks)',
    },
    {
      name: 'more than 128 tools',
      refuses: (request, context) => (likeOpenAI(context) ? count(128, request) : undefined),
      words:
        "Invalid 'tools': array too long. Expected an array with maximum length {limit}, but got an array with length {length} instead.",
      since: '2025-06',
      source: 'zed-industries/zed#32946',
    },
    {
      name: 'more than 128 tools for Groq',
      refuses: (request, context) => (dialectOf(context) === 'groq' ? count(128, request) : undefined),
      words: "'tools' : maximum number of items is {limit}",
      since: '2026-04',
      source: 'HunorLaczko/ha-groq-cloud-api#25',
    },
    {
      name: 'more than 200 tools for xAI',
      refuses: (request, context) => (dialectOf(context) === 'xai' ? count(200, request) : undefined),
      words: 'Maximum tools limit reached. {length} tools have been provided but the maximum is {limit}.',
      since: '2026-05',
      source: 'anomalyco/opencode#28911; the limit: router-for-me/CLIProxyAPI#5214',
    },
    {
      name: 'a description over 1,024 characters for Azure',
      refuses: (request, context) =>
        dialectOf(context) === 'azure'
          ? first(toolsOf(request), ({ description, index }) => tooLong(description, 1024, describedAt(index)))
          : undefined,
      words: tooLongWords,
      since: '2024-11',
      source: 'OpenHands/OpenHands#4838',
    },
  ]
}

/** A key of a prompt cache that is too long. */
export const promptCacheKey: EnforcedRule = {
  name: 'a prompt_cache_key over 64 characters',
  refuses: ({ prompt_cache_key: key }, context) =>
    likeOpenAI(context) ? tooLong(key, 64, 'prompt_cache_key') : undefined,
  words: tooLongWords,
  since: '2026-06',
  source: 'vybestack/llxprt-code#2135',
}

/** What OpenAI says of a body that is no JSON. */
export const unreadable = {
  words:
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON: half of a surrogate pair, {at}.)",
  since: '2025-02',
  source: 'openai/openai-go#245; that a lone surrogate is the cause: anomalyco/opencode#14630',
}
