// What strict providers refuse in a request, so that a history that one of them would refuse fails in a test.

import { isObject, type GivenAnswer } from './strict-refusal.js'
import { openaiChatRules } from './rules/openai-chat-rules.js'
import { enforce, type CheckOptions } from './rules/rule.js'

type Message = { [member: string]: unknown }

const members: { [role: string]: string[] } = {
  system: ['role', 'content', 'name'],
  developer: ['role', 'content', 'name'],
  user: ['role', 'content', 'name'],
  assistant: [
    'role',
    'content',
    'name',
    'refusal',
    'audio',
    'tool_calls',
    'reasoning_content',
    'reasoning',
    'reasoning_details',
    'reasoning_text',
    'reasoning_opaque',
    'reasoning_signature',
    'thinking_blocks',
    'signature',
    'extra_content',
    'thought_signature',
    'provider_specific_fields',
  ],
  tool: ['role', 'content', 'name', 'tool_call_id'],
}

// Members of the four other wires. Any further one may belong to a server that speaks this wire.
const foreign: { readonly [member: string]: string } = {
  contents: 'messages',
  input: 'messages',
  system: 'messages',
  systemInstruction: 'messages',
  instructions: 'messages',
  generationConfig: 'max_completion_tokens',
  max_output_tokens: 'max_completion_tokens',
  toolConfig: 'tool_choice',
  previous_response_id: 'messages',
  include: 'nothing',
}

const legalName = /^[a-zA-Z0-9_-]{1,64}$/

/**
 * The first thing a strict provider would refuse in the body of a chat completion request, or null. `given`: the answers
 * that the server gave, whose signed thoughts it knows; without them signatures are not compared.
 */
export function checkOpenAIChat(body: unknown, given?: readonly GivenAnswer[], options?: CheckOptions): string | null {
  return enforce(openaiChatRules, body, options, given) ?? checkDocumented(body)
}

function checkDocumented(body: unknown): string | null {
  if (typeof body !== 'object' || body === null) return 'the body is no JSON object'
  const { messages, tools, model } = body as { messages?: unknown; tools?: unknown; model?: unknown }
  const other = Object.keys(body).find((member) => foreign[member])
  if (other) return `Unknown parameter: '${other}' (here: ${foreign[other]})`
  if (typeof model !== 'string') return "'model' is missing"
  if (!Array.isArray(messages) || messages.length === 0) return "'messages' is not a non-empty array"
  let open: string[] = [] // calls of the last assistant message without a result
  for (const [index, message] of (messages as Message[]).entries()) {
    const at = `messages[${index}]`
    if (typeof message !== 'object' || message === null) return `${at}: expected an object`
    const role = message['role']
    const allowed = typeof role === 'string' && Object.hasOwn(members, role) ? members[role] : undefined
    if (!allowed) return `${at}.role: '${role}' is no role`
    const unknown = Object.keys(message).find((member) => !allowed.includes(member))
    if (unknown) return `${at}: unknown member '${unknown}' in a message of role ${role}`
    if (role === 'tool') {
      const id = message['tool_call_id']
      if (typeof id !== 'string' || !open.includes(id))
        return `${at}: tool_call_id '${id}' answers no call of the message before it`
      open = open.filter((other) => other !== id)
    } else if (open.length > 0) {
      return `${at}: an assistant message with tool_calls must be followed by a tool message for each; missing: ${open.join(', ')}`
    }
    const content = message['content']
    if (role === 'assistant') {
      if (message['reasoning_content'] != null && typeof message['reasoning_content'] !== 'string')
        return `${at}.reasoning_content: expected a string`
      for (const member of ['reasoning_details', 'thinking_blocks']) {
        const listed = message[member]
        if (listed != null && !(Array.isArray(listed) && listed.every(isObject)))
          return `${at}.${member}: expected an array of objects`
      }
      const problem = checkCalls(message['tool_calls'])
      if (problem) return `${at}.tool_calls${problem}`
      open = ((message['tool_calls'] ?? []) as { id: string }[]).map((call) => call.id)
      if (open.length === 0 && !hasContent(content)) return `${at}: an assistant message needs content or tool_calls`
    } else if (!(typeof content === 'string' || Array.isArray(content))) {
      return `${at}.content: expected a string or an array of parts`
    }
  }
  if (open.length > 0) return `the last messages: no tool message for ${open.join(', ')}`
  if ((messages as Message[]).at(-1)?.['role'] === 'assistant') return 'the last message is of role assistant'
  return checkTools(tools)
}

const hasContent = (content: unknown): boolean =>
  (typeof content === 'string' || Array.isArray(content)) && content.length > 0

function checkCalls(calls: unknown): string | null {
  if (calls === undefined) return null
  if (!Array.isArray(calls) || calls.length === 0) return ': expected a non-empty array'
  const ids = new Set<string>()
  for (const [index, call] of calls.entries()) {
    if (typeof call !== 'object' || call === null) return `[${index}]: expected an object`
    const {
      id,
      type,
      function: target,
      custom,
    } = call as {
      id?: unknown
      type?: unknown
      function?: { name?: unknown; arguments?: unknown }
      custom?: { name?: unknown; input?: unknown }
    }
    const isCustom = type === 'custom'
    const stray = [
      isCustom ? 'function' : 'custom',
      'index',
      'name',
      'arguments',
      'args',
      'functionCall',
      'function_call',
    ].find((member) => member in call)
    if (stray) return `[${index}]: unknown member '${stray}'`
    if (!isObject(isCustom ? custom : target))
      return `[${index}].${isCustom ? 'custom' : 'function'}: expected an object`
    if (typeof id !== 'string' || id === '') return `[${index}].id: expected a string`
    if (ids.has(id)) return `[${index}].id: '${id}' stands twice`
    ids.add(id)
    if (isCustom) {
      if (typeof custom?.name !== 'string' || !legalName.test(custom.name))
        return `[${index}].custom.name: '${String(custom?.name)}' does not match ${legalName.source}`
      if (typeof custom.input !== 'string') return `[${index}].custom.input: expected a string`
      continue
    }
    if (type !== 'function') return `[${index}].type: expected 'function'`
    if (typeof target?.name !== 'string' || !legalName.test(target.name))
      return `[${index}].function.name: '${String(target?.name)}' does not match ${legalName.source}`
    if (typeof target.arguments !== 'string') return `[${index}].function.arguments: expected a string`
    try {
      JSON.parse(target.arguments)
    } catch {
      return `[${index}].function.arguments: no JSON: ${target.arguments}`
    }
  }
  return null
}

function checkTools(tools: unknown): string | null {
  if (tools === undefined) return null
  if (!Array.isArray(tools) || tools.length === 0) return "'tools': expected a non-empty array"
  const names = new Set<string>()
  for (const [index, tool] of tools.entries()) {
    const name = (tool as { function?: { name?: unknown } | null } | null)?.function?.name
    if (typeof name !== 'string' || !legalName.test(name))
      return `tools[${index}].function.name: '${String(name)}' does not match ${legalName.source}`
    if (names.has(name)) return `tools[${index}].function.name: '${name}' stands twice`
    names.add(name)
  }
  return null
}
