// What Anthropic, Bedrock and servers that speak like Anthropic refuse beyond its documentation.
import { isObject, objects, type RequestJson } from '../strict-refusal.js'
import { first, surrogates, type Found, type EnforcedRule } from './rule.js'
import { atTop, findReference, illegalKey, ruleOfTools, type OfferedTool } from './schema-faults.js'

const toolsOf = ({ tools }: RequestJson): OfferedTool[] =>
  objects(tools).flatMap(({ name, input_schema: schema, description }, index) =>
    typeof name === 'string' && isObject(schema) ? [{ index, name, schema, description }] : [],
  )

const inTools = ruleOfTools(toolsOf)

interface PlacedBlock {
  block: RequestJson
  at: string
}

/** The blocks of a message, or of anything with a `content`. */
const blocksIn = (holder: RequestJson, at: string): PlacedBlock[] =>
  objects(holder['content']).map((block, index) => ({ block, at: `${at}.content.${index}` }))

const blocksOf = ({ messages }: RequestJson): PlacedBlock[] =>
  objects(messages).flatMap((message, index) => blocksIn(message, `messages.${index}`))

// -- marks of the cache

/** What may carry a mark, in the order in which the server reads it; the request itself counts as its last block. */
function markable(request: RequestJson): PlacedBlock[] {
  const tools = objects(request['tools']).map((block, index) => ({ block, at: `tools.${index}` }))
  const system = objects(request['system']).map((block, index) => ({ block, at: `system.${index}` }))
  const within = blocksOf(request).flatMap(({ block, at }) => [
    ...blocksIn(block, `${at}.${String(block['type'])}`),
    { block, at: `${at}.${String(block['type'])}` },
  ])
  return [...tools, ...system, ...within, { block: request, at: '' }]
}

const isMarked = ({ block }: PlacedBlock): boolean => block['cache_control'] != null

/** A mark where none may be: on thoughts, on messages, in members of blocks. */
function strayMark(request: RequestJson): Found | undefined {
  const members = ['thinking', 'tool_choice', 'metadata'].map((member) => ({ block: request[member], at: member }))
  const messages = objects(request['messages']).map((block, index) => ({ block, at: `messages.${index}` }))
  const inBlocks = markable(request).flatMap(({ block, at }) => [
    ...(['thinking', 'redacted_thinking'].includes(String(block['type'])) ? [{ block, at }] : []),
    { block: block['source'], at: `${at}.source` },
  ])
  return first([...members, ...messages, ...inBlocks], ({ block, at }) =>
    isObject(block) && 'cache_control' in block ? { at } : undefined,
  )
}

// -- thoughts

/** A model whose servers sign no thoughts, and want them back. */
export const isUnsigning = (model: string): boolean => /deepseek|kimi|mimo/i.test(model)

const isThought = ({ type }: RequestJson): boolean => type === 'thinking' || type === 'redacted_thinking'

/** The rules of `anthropic`. */
export const anthropicRules: readonly EnforcedRule[] = [
  {
    name: 'a lone surrogate',
    refuses: surrogates,
    words: 'The request body is not valid JSON: no low surrogate in string: {at}',
    since: '2025-07',
    source: 'anthropics/claude-code#3277',
  },
  {
    name: 'no type at the top',
    refuses: inTools(({ schema }) => {
      const { type } = schema as RequestJson
      return type === 'object' ? undefined : { why: type === undefined ? 'Field required' : "Input should be 'object'" }
    }),
    words: 'tools.{index}.custom.input_schema.type: {why}',
    since: '2026-09',
    source: 'documentation: Messages, tools.input_schema; Bedrock in other words: code-yeongyu/senpi#1947',
  },
  {
    name: 'a combinator at the top',
    refuses: inTools(({ schema }) => {
      const word = atTop(schema, ['oneOf', 'allOf', 'anyOf'])
      return word === undefined ? undefined : { word }
    }),
    words: 'tools.{index}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level',
    since: '2025-08',
    source: 'anthropics/claude-code#5319; trycua/cua#3303',
  },
  {
    name: 'an illegal key at the top',
    refuses: inTools(({ schema }) => {
      const key = illegalKey(schema)
      return key === undefined ? undefined : { key }
    }),
    words: "tools.{index}.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
    since: '2026-04',
    source: 'beautyfree/appstore-connect-mcp#2; decocms/studio#6874',
  },
  {
    name: 'a $ref for managed agents',
    refuses: (request, { server }) =>
      server.dialect === 'managed-agents'
        ? inTools(({ schema }) => {
            const found = findReference(schema, () => true)
            return found && { reference: found.reference }
          })(request)
        : undefined,
    words: "tools.{index}.custom.input_schema: '$ref' is not supported ('{reference}')",
    since: '2026-09',
    source: 'documentation: custom tools of managed agents (these words are not those of the API)',
  },
  {
    name: 'a call id over 64 characters',
    refuses: (request) =>
      first(blocksOf(request), ({ block: { type, id, tool_use_id: result }, at }) => {
        const value: unknown = type === 'tool_use' ? id : type === 'tool_result' ? result : undefined
        return typeof value === 'string' && value.length > 64
          ? { at, member: type === 'tool_use' ? 'toolUse' : 'toolResult' }
          : undefined
      }),
    words:
      "Value at '{at}.{member}.toolUseId' failed to satisfy constraint: Member must have length less than or equal to 64",
    since: '2026-01',
    source: 'RooCodeInc/Roo-Code#10902 (Bedrock)',
  },
  {
    name: 'no thought before a call for DeepSeek and Kimi',
    refuses: (request, { model }) =>
      isUnsigning(model) && (request['thinking'] as RequestJson | undefined)?.['type'] !== 'disabled'
        ? first(objects(request['messages']), ({ content }, index) => {
            const blocks = objects(content)
            return blocks.some(({ type }) => type === 'tool_use') && !blocks.some(isThought) ? { index } : undefined
          })
        : undefined,
    words: 'The `content[].thinking` in the thinking mode must be passed back to the API.',
    since: '2026-04',
    source: 'NousResearch/hermes-agent#16748',
  },
  {
    name: 'a result in an answer of the model',
    refuses: (request) =>
      first(objects(request['messages']), (message, index) =>
        message['role'] === 'assistant'
          ? first(blocksIn(message, `messages.${index}`), ({ block: { type }, at }) =>
              ['tool_result', 'image', 'document'].includes(String(type)) ? { at, type: String(type) } : undefined,
            )
          : undefined,
      ),
    words: "{at}: Input tag '{type}' found using 'type' does not match any of the expected tags",
    since: '2026-08',
    source: 'documentation: Messages, messages.content',
  },
  {
    name: 'a mark of the cache in an unknown place',
    refuses: strayMark,
    words: '{at}.cache_control: Extra inputs are not permitted',
    since: '2026-01',
    source: 'Wei-Shaw/sub2api#225',
  },
  {
    name: 'a mark of the cache on an empty text',
    refuses: (request) =>
      first(markable(request), (placed) =>
        isMarked(placed) && placed.block['type'] === 'text' && placed.block['text'] === ''
          ? { at: placed.at }
          : undefined,
      ),
    words: '{at}: cache_control cannot be set for empty text blocks',
    since: '2026-04',
    source: 'anthropics/claude-code#50082',
  },
  {
    name: 'a fifth mark of the cache',
    refuses: (request) => {
      const count = markable(request).filter(isMarked).length
      return count > 4 ? { count } : undefined
    },
    words: 'A maximum of 4 blocks with cache_control may be provided. Found {count}.',
    since: '2024-09',
    source: 'tghamm/Anthropic.SDK#50',
  },
  {
    name: 'an hour in the cache behind five minutes',
    refuses: (request) => {
      const marks = markable(request).filter(isMarked)
      const ttl = ({ block }: PlacedBlock): unknown => (block['cache_control'] as RequestJson)['ttl'] ?? '5m'
      const short = marks.findIndex((mark) => ttl(mark) === '5m')
      const long = short < 0 ? undefined : marks.slice(short).find((mark) => ttl(mark) === '1h')
      return long && { at: long.at }
    },
    words:
      "{at}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
    since: '2026-04',
    source: 'cnighswonger/claude-code-cache-fix#44',
  },
]
