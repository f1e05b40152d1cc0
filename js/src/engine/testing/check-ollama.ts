// What Ollama refuses in a request, and what it would silently leave out. Each rule tells where it comes from: the
// documentation (docs), the types of the SDK (types), or the words of the server (api), with the month in which they
// were read.
import {
  isObject,
  objectIn,
  objectsIn,
  onlyMembers,
  refusalOf,
  refuse,
  twice,
  type RequestJson,
} from './strict-refusal.js'
import { ollamaRules } from './rules/ollama-rules.js'
import { enforce, type CheckOptions } from './rules/rule.js'

/** The first thing that Ollama would refuse, or not understand, in the body of `POST /api/chat`, or null. */
export function checkOllama(body: unknown, options?: CheckOptions): string | null {
  const refused = enforce(ollamaRules, body, options)
  if (refused) return refused
  return refusalOf(() => {
    const request = objectIn(body, 'invalid character looking for beginning of value')
    // types, 2026-08: the server drops it in silence
    onlyMembers(request, requestMembers, (member) => `json: unknown field "${member}"`)
    if (typeof request['model'] !== 'string' || request['model'] === '') refuse('model is required') // api, 2026-08
    const messages = objectsIn(request['messages'], 'messages is required')
    messages.forEach((message, index) => checkMessage(message, `messages[${index}]`))
    checkOrder(messages)
    checkTools(request['tools'])
  })
}

// types, 2026-08: ChatRequest, and what the server reads beside it
const requestMembers = [
  'model',
  'messages',
  'stream',
  'format',
  'keep_alive',
  'tools',
  'think',
  'logprobs',
  'top_logprobs',
  'options',
  'truncate',
  'shift',
]

// types, 2026-08: Message, and the id of newer servers
const messageMembers: { readonly [role: string]: readonly string[] } = {
  system: ['role', 'content'],
  user: ['role', 'content', 'images'],
  assistant: ['role', 'content', 'thinking', 'tool_calls', 'images'],
  tool: ['role', 'content', 'tool_name', 'tool_call_id'],
}

function checkMessage(message: RequestJson, at: string): void {
  const { role, content, images, thinking, tool_calls: calls } = message
  const members = typeof role === 'string' && Object.hasOwn(messageMembers, role) ? messageMembers[role] : undefined
  if (!members) refuse(`invalid role: ${role}`) // api, 2026-08
  onlyMembers(message, members, (member) => `json: unknown field "${at}.${member}"`)
  if (typeof content !== 'string' && !(content === undefined && role === 'assistant'))
    refuse(
      `json: cannot unmarshal ${Array.isArray(content) ? 'array' : typeof content} into Go struct field ChatRequest.${at}.content of type string`,
    ) // api, 2026-08
  if (thinking !== undefined && typeof thinking !== 'string')
    refuse(`json: cannot unmarshal into Go struct field ChatRequest.${at}.thinking of type string`) // types, 2026-08
  for (const image of images === undefined ? [] : Array.isArray(images) ? images : [images]) {
    if (typeof image !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(image))
      refuse(`${at}.images: illegal base64 data at input byte 4`) // api, 2026-08: no data: prefix, no URL
  }
  if (role === 'assistant' && !content && !thinking && calls === undefined)
    refuse(`${at}: an assistant message needs content, thinking or tool_calls`) // docs, 2026-09
  if (role === 'tool' && !(message['tool_name'] && typeof message['tool_name'] === 'string'))
    refuse(`${at}: tool_name is missing`) // docs, 2026-09: old servers read the name, new ones the id
  if (calls !== undefined) checkCalls(calls, at)
}

function checkCalls(calls: unknown, at: string): void {
  for (const [index, call] of objectsIn(calls, `${at}.tool_calls: expected a non-empty array`).entries()) {
    // types, 2026-08: no `type`
    onlyMembers(call, ['id', 'function'], (member) => `json: unknown field "${at}.tool_calls[${index}].${member}"`)
    if (call['id'] !== undefined && typeof call['id'] !== 'string')
      // types, 2026-08
      refuse(`json: cannot unmarshal into Go struct field ChatRequest.${at}.tool_calls.id of type string`)
    const target = objectIn(call['function'], `${at}.tool_calls[${index}].function: expected an object`)
    onlyMembers(
      target,
      ['index', 'name', 'arguments'],
      (member) => `json: unknown field "${at}.tool_calls[${index}].function.${member}"`,
    )
    if (typeof target['name'] !== 'string' || target['name'] === '')
      refuse(`${at}.tool_calls[${index}].function.name: expected a name`) // types, 2026-08
    if (!isObject(target['arguments']))
      refuse(
        `json: cannot unmarshal ${typeof target['arguments']} into Go struct field ChatRequest.${at}.tool_calls.function.arguments of type api.ToolCallFunctionArguments`,
      ) // api, 2026-08
  }
  const ids = (calls as RequestJson[]).flatMap(({ id }) => (id === undefined ? [] : [String(id)]))
  if (twice(ids)) refuse(`${at}.tool_calls: the id '${twice(ids)}' stands twice`) // docs, 2026-09
}

/** docs, 2026-09: templates put results where they stand, so that they stand behind their calls, each once. */
function checkOrder(messages: readonly RequestJson[]): void {
  let open: RequestJson[] = []
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`
    if (message['role'] === 'tool') {
      const { tool_name: name, tool_call_id: id } = message
      const found = open.findIndex((call) => call['function'].name === name && call['id'] === id)
      if (found < 0)
        refuse(
          `${at}: a result of '${name}'${id === undefined ? '' : ` with id '${id}'`} answers no call of the message before it`,
        )
      open.splice(found, 1)
      continue
    }
    if (open.length > 0) refuse(`${at}: no tool message for ${open.map((call) => call['function'].name).join(', ')}`)
    open = message['role'] === 'assistant' ? [...((message['tool_calls'] ?? []) as RequestJson[])] : []
  }
  if (open.length > 0)
    refuse(`the last messages: no tool message for ${open.map((call) => call['function'].name).join(', ')}`)
  // docs, 2026-09: the model would go on with it
  if (messages.at(-1)!['role'] === 'assistant') refuse('the last message is of role assistant')
}

function checkTools(tools: unknown): void {
  if (tools === undefined) return
  const names = objectsIn(tools, "'tools': expected a non-empty array").map((tool, index) => {
    const { name, parameters } = objectIn(tool['function'], `tools[${index}].function: expected an object`)
    if (tool['type'] !== 'function') refuse(`tools[${index}].type: expected 'function'`) // types, 2026-08
    // types, 2026-08
    if (typeof name !== 'string' || name === '') refuse(`tools[${index}].function.name: expected a name`)
    if (parameters !== undefined && parameters?.type !== 'object')
      refuse(`tools[${index}].function.parameters.type: expected 'object'`) // types, 2026-08
    return name
  })
  if (twice(names)) refuse(`'tools': the name '${twice(names)}' stands twice`) // docs, 2026-09
}
