// What Anthropic refuses in a request. Each rule tells where it comes from: the documentation (docs), the types of the
// SDK (types), or the words of the API itself (api), with the month in which they were read.
import {
  isObject,
  lastGiven,
  objectIn,
  objects,
  objectsIn,
  onlyMembers,
  refusalOf,
  refuse,
  same,
  twice,
  type GivenAnswer,
  type RequestJson,
} from './strict-refusal.js'
import { changeOf, sentText } from './append-only.js'
import { anthropicRules, isUnsigning } from './rules/anthropic-rules.js'
import { enforce, type CheckOptions } from './rules/rule.js'

/**
 * The first thing that Anthropic would refuse in the body of `POST /v1/messages`, or null. `given`: the answers that
 * the server gave, whose signatures it knows; without them neither signatures are compared nor what a paused answer may
 * end with.
 */
export function checkAnthropic(body: unknown, given?: readonly GivenAnswer[], options?: CheckOptions): string | null {
  const refused = enforce(anthropicRules, body, options, given)
  if (refused) return refused
  return refusalOf(() => {
    const request = objectIn(body, 'Input should be a valid dictionary')
    checkRequest(request)
    checkTools(request)
    checkThinkingConfig(request)
    const messages = objectsIn(request['messages'], 'messages: at least one message is required')
    const signs = signsThoughts(request, given)
    messages.forEach((message, index) => checkMessage(message, `messages.${index}`, signs))
    checkOrder(messages)
    checkResults(messages, request)
    checkEnd(messages, request, given)
    if (given) checkSignatures(messages, request, given)
    checkLoop(messages, request, given)
  })
}

const extra =
  (at: string) =>
  (member: string): string =>
    `${at}${at && '.'}${member}: Extra inputs are not permitted`

// types, 2026-08: MessageCreateParams, and what beta headers add
const requestMembers = [
  'model',
  'messages',
  'max_tokens',
  'cache_control',
  'container',
  'diagnostics',
  'inference_geo',
  'metadata',
  'output_config',
  'service_tier',
  'speed',
  'stop_sequences',
  'stream',
  'system',
  'temperature',
  'thinking',
  'tool_choice',
  'tools',
  'top_k',
  'top_p',
  'user_profile_id',
  'workspace_id',
  'context_management',
  'mcp_servers',
]

function checkRequest(request: RequestJson): void {
  // api, 2026-08: members of other providers, like max_completion_tokens, are refused
  onlyMembers(request, requestMembers, extra(''))
  if (typeof request['model'] !== 'string') refuse('model: Field required') // types, 2026-08
  const limit: unknown = request['max_tokens']
  if (limit === undefined) refuse('max_tokens: Field required') // docs, 2026-09: required, there is no default
  if (!Number.isInteger(limit) || (limit as number) < 1)
    refuse('max_tokens: Input should be greater than or equal to 1')
  const system: unknown = request['system']
  if (system === undefined || typeof system === 'string') return
  for (const [index, block] of objectsIn(system, 'system: Input should be a valid list').entries())
    checkBlock(block, 'system', `system.${index}`) // types, 2026-08: text blocks only
}

const legalName = /^[a-zA-Z0-9_-]{1,128}$/ // api, 2026-08
const legalId = /^[a-zA-Z0-9_-]+$/ // api, 2026-08

// types, 2026-08: Tool
const toolMembers = [
  'name',
  'input_schema',
  'allowed_callers',
  'cache_control',
  'defer_loading',
  'description',
  'eager_input_streaming',
  'input_examples',
  'strict',
  'type',
]

function checkTools({ tools, tool_choice: choice, thinking }: RequestJson): void {
  if (tools !== undefined && !Array.isArray(tools)) refuse('tools: Input should be a valid list')
  for (const [index, tool] of ((tools ?? []) as unknown[]).entries()) {
    const at = `tools.${index}`
    if (!isObject(tool)) refuse(`${at}: Input should be a valid dictionary`)
    if (
      tool['type'] !== undefined &&
      tool['type'] !== null &&
      tool['type'] !== 'custom' &&
      tool['function'] === undefined
    )
      continue // one that Anthropic defines
    onlyMembers(tool, toolMembers, extra(`${at}.custom`)) // api, 2026-08: `parameters` and `function` are OpenAI's
    if (!legalName.test(String(tool['name'])))
      refuse(`${at}.custom.name: String should match pattern '${legalName.source}'`)
    const schema: unknown = tool['input_schema']
    if (!isObject(schema)) refuse(`${at}.custom.input_schema: Field required`)
    if (schema['type'] !== 'object')
      refuse(
        `${at}.custom.input_schema.type: ${schema['type'] === undefined ? 'Field required' : "Input should be 'object'"}`,
      ) // types, 2026-08
    if (['oneOf', 'allOf', 'anyOf'].some((word) => word in schema))
      // api, 2025-11
      refuse(`${at}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`)
  }
  const names = ((tools ?? []) as RequestJson[]).map((tool) => String(tool['name']))
  if (twice(names)) refuse('tools: Tool names must be unique.') // api, 2025-06
  if (choice === undefined) return
  const { type, name } = objectIn(choice, 'tool_choice: Input should be a valid dictionary')
  if (!['auto', 'any', 'tool', 'none'].includes(type))
    // types, 2026-08
    refuse(`tool_choice: Input tag '${type}' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'`)
  if (!tools) refuse('tool_choice may only be specified while providing tools') // api, 2025-06
  if (type === 'tool' && !names.includes(name)) refuse(`Tool '${name}' not found in provided tools`) // api, 2025-06
  if (['any', 'tool'].includes(type) && thinking?.type === 'enabled')
    refuse('Thinking may not be enabled when tool_choice forces tool use.') // docs, 2026-09
}

function checkThinkingConfig({ thinking, max_tokens: limit, temperature }: RequestJson): void {
  if (thinking === undefined) return
  const { type, budget_tokens: budget } = objectIn(thinking, 'thinking: Input should be a valid dictionary')
  if (!['enabled', 'disabled', 'adaptive', 'between_tools'].includes(type))
    refuse(`thinking: Input tag '${type}' does not match any of the expected tags`) // types, 2026-08
  if (type !== 'enabled') return
  // docs, 2026-09
  if (!(budget >= 1024)) refuse('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024')
  if (!(limit > budget)) refuse('`max_tokens` must be greater than `thinking.budget_tokens`.') // docs, 2026-09
  if (temperature !== undefined && temperature !== 1)
    refuse('`temperature` may only be set to 1 when thinking is enabled.') // docs, 2026-09
}

// -- messages

/** Whether a thought needs a signature: servers that sign none take what they gave. */
function signsThoughts(request: RequestJson, given?: readonly GivenAnswer[]): (block: RequestJson) => boolean {
  if (isUnsigning(String(request['model']))) return () => false
  const said = objects(given).flatMap(({ items }) => objects(items))
  const unsigned = said.filter((item) => isThought(item) && !item['signature'])
  return (block) => !unsigned.some((item) => sameThought(item, block))
}

function checkMessage(message: RequestJson, at: string, signs: (block: RequestJson) => boolean): void {
  onlyMembers(message, ['role', 'content'], extra(at)) // types, 2026-08
  const { role, content } = message
  // types, 2026-08: system is a member of the request
  if (role !== 'user' && role !== 'assistant') refuse(`${at}.role: Input should be 'user' or 'assistant'`)
  if (content === '' || (Array.isArray(content) && content.length === 0))
    refuse(`${at}: all messages must have non-empty content`) // api, 2026-08
  if (typeof content === 'string') {
    if (content.trim() === '') refuse('messages: text content blocks must contain non-whitespace text') // api, 2025-06
    return
  }
  for (const [index, block] of objectsIn(content, `${at}.content: Input should be a valid list`).entries())
    checkBlock(block, role, `${at}.content.${index}`, signs)
}

// types, 2026-08: members of the blocks whose shape is checked
const blockMembers: { readonly [type: string]: readonly string[] } = {
  text: ['text', 'citations'],
  image: ['source', 'transformations'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
  tool_use: ['id', 'name', 'input', 'caller', 'toolset_name'],
  server_tool_use: ['id', 'name', 'input', 'caller'],
  tool_result: ['tool_use_id', 'content', 'is_error', 'toolset_name'],
}

const placesOf: { readonly [place: string]: (type: string) => boolean } = {
  system: (type) => type === 'text',
  user: (type) => ['text', 'image', 'document', 'search_result', 'tool_result', 'container_upload'].includes(type),
  assistant: (type) =>
    [
      'text',
      'thinking',
      'redacted_thinking',
      'tool_use',
      'server_tool_use',
      'mcp_tool_use',
      'compaction',
      'fallback',
      'container_upload',
    ].includes(type) ||
    (type !== 'tool_result' && type.endsWith('_tool_result')),
  result: (type) => ['text', 'image', 'document', 'search_result', 'tool_reference'].includes(type),
}

function checkBlock(
  block: RequestJson,
  place: string,
  at: string,
  signs: (block: RequestJson) => boolean = () => true,
): void {
  const type: unknown = block['type']
  if (typeof type !== 'string') refuse(`${at}.type: Input should be a valid string`) // types, 2026-08
  if (!placesOf[place]!(type))
    refuse(`${at}: Input tag '${type}' found using 'type' does not match any of the expected tags`) // types, 2026-08
  const members = blockMembers[type]
  if (members) onlyMembers(block, [...members, 'type', 'cache_control'], extra(`${at}.${type}`))
  if (type === 'text') {
    if (typeof block['text'] !== 'string') refuse(`${at}.text.text: Input should be a valid string`)
    if (block['text'] === '') refuse('messages: text content blocks must be non-empty') // api, 2026-08
    // api, 2025-06
    if (block['text'].trim() === '') refuse('messages: text content blocks must contain non-whitespace text')
  }
  if (type === 'image') checkSource(block['source'], `${at}.image.source`)
  if (
    type === 'thinking' &&
    (typeof block['thinking'] !== 'string' || (typeof block['signature'] !== 'string' && signs(block)))
  )
    refuse(`${at}.thinking.signature: Field required`) // types, 2026-08
  if (type === 'redacted_thinking' && typeof block['data'] !== 'string')
    refuse(`${at}.redacted_thinking.data: Field required`) // types, 2026-08
  if (type === 'tool_use' || type === 'server_tool_use') {
    if (!legalId.test(String(block['id'] ?? '')))
      refuse(`${at}.${type}.id: String should match pattern '${legalId.source}'`)
    if (!legalName.test(String(block['name'] ?? '')))
      refuse(`${at}.${type}.name: String should match pattern '${legalName.source}'`)
    // api, 2026-08: JSON text is OpenAI's
    if (!isObject(block['input'])) refuse(`${at}.${type}.input: Input should be a valid dictionary`)
  }
  if (type === 'tool_result') checkResult(block, at)
}

function checkSource(source: unknown, at: string): void {
  const { type, media_type: media, data, url, file_id: file } = objectIn(source, `${at}: Field required`)
  if (type === 'base64') {
    if (!['image/jpeg', 'image/png', 'image/gif', 'image/webp'].includes(media))
      // types, 2026-08
      refuse(`${at}.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`)
    if (typeof data !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
      refuse(`${at}.base64.data: Invalid base64 data`) // docs, 2026-09: no data: prefix
  } else if (!(type === 'url' && typeof url === 'string') && !(type === 'file' && typeof file === 'string')) {
    refuse(
      `${at}: Input tag '${type}' found using 'type' does not match any of the expected tags: 'base64', 'url', 'file'`,
    ) // types, 2026-08
  }
}

function checkResult({ tool_use_id: id, content, is_error: failed }: RequestJson, at: string): void {
  if (typeof id !== 'string') refuse(`${at}.tool_result.tool_use_id: Field required`) // types, 2026-08
  if (content === undefined || typeof content === 'string') return
  const blocks: unknown[] = Array.isArray(content)
    ? content
    : refuse(`${at}.tool_result.content: Input should be a valid list`)
  for (const [index, block] of blocks.entries())
    checkBlock(
      objectIn(block, `${at}.tool_result.content.${index}: Input should be a valid dictionary`),
      'result',
      `${at}.tool_result.content.${index}`,
    )
  if (failed && blocks.some((block) => (block as RequestJson)['type'] !== 'text'))
    refuse(`${at}.tool_result: all content must be type "text" if "is_error" is true`) // api, 2026-08
}

// -- order

function checkOrder(messages: readonly RequestJson[]): void {
  if (messages[0]!['role'] !== 'user') refuse('messages: first message must use the "user" role') // docs, 2026-09
  for (let at = 1; at < messages.length; at++) {
    const role = messages[at]!['role']
    if (role === messages[at - 1]!['role'])
      refuse(
        `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`,
      ) // api, 2024: joined today, but old gateways still refuse
  }
}

const blocks = (message: RequestJson | undefined, type: string): RequestJson[] => {
  const content: unknown = message?.['content']
  return Array.isArray(content) ? content.filter((block: RequestJson) => block['type'] === type) : []
}

function checkResults(messages: readonly RequestJson[], request: RequestJson): void {
  const all = messages.flatMap((message) =>
    [...blocks(message, 'tool_use'), ...blocks(message, 'server_tool_use')].map((block) => String(block['id'])),
  )
  if (twice(all)) refuse('messages: `tool_use` ids must be unique') // api, 2026-08
  for (const [index, message] of messages.entries()) {
    const calls = blocks(messages[index - 1], 'tool_use').map((block) => block['id'] as string)
    const results = blocks(message, 'tool_result').map((block) => block['tool_use_id'] as string)
    const stray = results.find((id) => !calls.includes(id))
    if (stray)
      refuse(
        `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      ) // api, 2026-08
    if (twice(results))
      refuse(
        `messages.${index}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice(results)}`,
      ) // api, 2026-08
    const listed: RequestJson[] = Array.isArray(message['content']) ? message['content'] : []
    const behind = listed.findIndex((block) => block['type'] !== 'tool_result')
    const first = (behind < 0 ? listed : listed.slice(0, behind)).map((block) => block['tool_use_id'])
    const missing = calls.filter((id) => !first.includes(id))
    if (missing.length > 0)
      refuse(
        `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      ) // api, 2026-08: first in the next message
    if (message['role'] === 'assistant' && index < messages.length - 1) checkProviderResults(messages, index, request)
  }
  const open = blocks(messages.at(-1), 'tool_use')
  if (open.length > 0)
    refuse(
      `messages.${messages.length - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.map((block) => block['id']).join(', ')}.`,
    )
}

/**
 * Code of the provider may wait for the results of calls beside it: it ends in a later answer, and its container must
 * be named.
 */
function checkProviderResults(messages: readonly RequestJson[], index: number, request: RequestJson): void {
  const message = messages[index]!
  const waits = blocks(message, 'tool_use').length > 0
  const within = waits ? messages.slice(index) : [message]
  const ended = (id: unknown): boolean =>
    within.some(
      ({ role, content }) =>
        role === 'assistant' &&
        Array.isArray(content) &&
        content.some((block) => String(block['type']).endsWith('_tool_result') && block['tool_use_id'] === id),
    )
  for (const { id, name } of blocks(message, 'server_tool_use')) {
    if (ended(id)) continue
    if (!waits) {
      refuse(
        `messages.${index}: \`${name}\` tool use with id \`${id}\` was found without a corresponding \`${name}_tool_result\` block`,
      ) // api, 2025-11
    }
    if (!request['container'])
      // api, 2026-08
      refuse('container_id is required when there are pending tool uses generated by code execution with tools.')
  }
}

function checkEnd(messages: readonly RequestJson[], request: RequestJson, given?: readonly GivenAnswer[]): void {
  const last = messages.at(-1)!
  if (last['role'] !== 'assistant') return
  if (
    given &&
    lastGiven(given, (answer) => answer.model === request['model'])?.finish !== 'pause' &&
    blocks(last, 'server_tool_use').length === 0
  ) {
    // docs, 2026-09: only a paused answer ends in one
    refuse('This model does not support assistant message prefill. The conversation must end with a user message.')
  }
}

// -- thinking

const isThought = ({ type }: RequestJson): boolean => type === 'thinking' || type === 'redacted_thinking'

/** Equal, but that a thought that nobody signed may have an empty signature or none. */
function sameThought({ signature, ...item }: RequestJson, block: RequestJson): boolean {
  if (signature) return same({ signature, ...item }, block)
  const { signature: empty, ...rest } = block
  return !empty && same(item, rest)
}

/**
 * Where the open turn begins: behind the last user message with something other than results. docs, 2026-09: that ends
 * the need of thoughts.
 */
function openFrom(messages: readonly RequestJson[]): number {
  return (
    messages.findLastIndex(
      ({ role, content }) =>
        role === 'user' &&
        !(Array.isArray(content) && content.every((block: RequestJson) => block['type'] === 'tool_result')),
    ) + 1
  )
}

/** In an open turn the thoughts before its calls must be there. */
function checkLoop(messages: readonly RequestJson[], request: RequestJson, given: readonly GivenAnswer[] = []): void {
  for (let index = openFrom(messages); index < messages.length; index++) {
    const message = messages[index]!
    const calls = blocks(message, 'tool_use')
    if (message['role'] !== 'assistant' || calls.length === 0) continue
    const answer = lastGiven(
      given,
      ({ model, items }) =>
        model === request['model'] &&
        items.some((item) => item['id'] !== undefined && calls.some((call) => call['id'] === item['id'])),
    )
    const thoughts = answer && !answer.waived ? answer.items.filter(isThought) : []
    const content = message['content'] as RequestJson[]
    const kept = content.filter(isThought)
    const wanted = answer ? thoughts.length > 0 && kept.length === 0 : request['thinking']?.type === 'enabled'
    if (wanted && !isThought(content[0]!))
      refuse(
        `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${content[0]!['type']}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
      ) // api, 2026-08
    if (!thoughts.every((thought) => kept.some((block) => sameThought(thought, block))))
      refuse(
        `messages.${index}.content: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
      ) // api, 2026-08
  }
}

/** Signatures are the server's own, of this model, and nothing before them has changed. */
function checkSignatures(messages: readonly RequestJson[], request: RequestJson, given: readonly GivenAnswer[]): void {
  for (const [index, message] of messages.entries()) {
    for (const [place, block] of (Array.isArray(message['content'])
      ? (message['content'] as RequestJson[])
      : []
    ).entries()) {
      const at = `messages.${index}.content.${place}`
      if (
        block['type'] === 'web_search_tool_result' &&
        !given.some(({ items }) => items.some((item) => same(item, block)))
      ) {
        // docs, 2026-09: it goes back as it came
        refuse(`${at}: Invalid \`encrypted_content\` in \`web_search_tool_result\` block`)
      }
      if (!isThought(block)) continue
      const answer = lastGiven(
        given,
        ({ model, items }) => model === request['model'] && items.some((item) => sameThought(item, block)),
      )
      if (!block['signature'] && isUnsigning(String(request['model']))) continue // nothing seals what stands before it
      if (!answer)
        refuse(
          `${at}: Invalid \`${block['type'] === 'thinking' ? 'signature' : 'data'}\` in \`${block['type']}\` block`,
        ) // api, 2026-08
      const changed = changeOf(
        sentText('anthropic', answer.request),
        sentText('anthropic', { ...request, messages: messages.slice(0, index) }),
      )
      // docs, 2026-09: what stands before a thinking block is sealed with it
      if (changed) refuse(`${at}: Invalid \`signature\` in \`thinking\` block: ${changed} has changed since`)
    }
  }
}
