// What OpenAI's Responses API refuses in a request. Each rule tells where it comes from: the documentation (docs), the
// types of the SDK (types), or the words of the API itself (api), with the month in which they were read.
import {
  elements,
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
import { openaiResponsesRules } from './rules/openai-responses-rules.js'
import { enforce, type CheckOptions } from './rules/rule.js'

/**
 * The first thing that OpenAI would refuse in the body of `POST /v1/responses`, or null. `given`: the answers that the
 * server gave, whose items it knows; without them ids and encrypted content are not compared.
 */
export function checkOpenAIResponses(
  body: unknown,
  given?: readonly GivenAnswer[],
  options?: CheckOptions,
): string | null {
  const refused = enforce(openaiResponsesRules, body, options, given)
  if (refused) return refused
  return refusalOf(() => {
    const request = objectIn(body, 'Invalid request body: expected an object')
    checkRequest(request)
    checkTools(request)
    const { input } = request
    if (typeof input === 'string' && input !== '') return
    const items = objectsIn(input, "Missing required parameter: 'input'.")
    items.forEach((item, index) => checkItem(item, `input[${index}]`))
    const before = serverHas(request, given)
    checkCalls(items, before)
    checkIds(items, before)
    checkReasoning(items, request['model'], given)
    checkSpeakers(items, given)
  })
}

// types, 2026-08: ResponseCreateParams
const requestMembers = [
  'access_programs',
  'background',
  'context_management',
  'conversation',
  'image',
  'include',
  'input',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'model',
  'moderation',
  'parallel_tool_calls',
  'previous_response_id',
  'prompt',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
]

const moved: { readonly [member: string]: string } = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
}

function checkRequest(request: RequestJson): void {
  // api, 2026-08
  onlyMembers(request, requestMembers, (member) =>
    moved[member]
      ? `Unsupported parameter: '${member}'. In the Responses API, this parameter has moved to '${moved[member]}'.`
      : `Unknown parameter: '${member}'.`,
  )
  if (typeof request['model'] !== 'string') refuse("Missing required parameter: 'model'.") // docs, 2026-09
  const limit: unknown = request['max_output_tokens']
  if (limit != null && !(Number.isInteger(limit) && (limit as number) >= 16))
    refuse("Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.") // api, 2026-08
  if (request['previous_response_id'] != null && request['conversation'] != null)
    refuse("Mutually exclusive parameters: 'previous_response_id' and 'conversation'.") // api, 2025-11
}

// -- tools

const legalName = /^[a-zA-Z0-9_-]{1,64}$/ // api, 2026-08

// types, 2026-08: FunctionTool
const toolMembers = [
  'type',
  'name',
  'description',
  'parameters',
  'strict',
  'async',
  'defer_loading',
  'allowed_callers',
  'output_schema',
]

function checkTools({ tools, tool_choice: choice }: RequestJson): void {
  const listed: unknown[] =
    tools == null
      ? []
      : Array.isArray(tools)
        ? tools
        : refuse("Invalid type for 'tools': expected an array of objects.")
  const names = listed.flatMap((tool, index) => {
    if (!isObject(tool)) refuse(`Invalid type for 'tools[${index}]': expected an object.`)
    return tool['type'] === 'function' ? [checkTool(tool, `tools[${index}]`)] : []
  })
  if (twice(names)) refuse(`Duplicate tool name: '${twice(names)}'.`) // docs, 2026-09
  if (isObject(choice) && choice['type'] === 'function') {
    // api, 2026-08: `function: { name }` is Chat Completions'
    onlyMembers(choice, ['type', 'name'], (member) => `Unknown parameter: 'tool_choice.${member}'.`)
    // api, 2026-08
    if (!names.includes(choice['name'])) refuse(`Tool choice '${choice['name']}' not found in 'tools' parameter.`)
  } else if (choice === 'required') {
    if (listed.length === 0) refuse("Tool choice 'required' must be specified with 'tools' parameter.") // api, 2026-08
  } else if (typeof choice === 'string' && !['none', 'auto'].includes(choice)) {
    refuse(`Invalid value: '${choice}'. Supported values are: 'none', 'auto', and 'required'.`) // api, 2026-08
  }
}

function checkTool(tool: RequestJson, at: string): string {
  const { name, parameters, strict } = tool
  if (name === undefined) refuse(`Missing required parameter: '${at}.name'.`) // api, 2026-08: flat, not in `function`
  onlyMembers(tool, toolMembers, (member) => `Unknown parameter: '${at}.${member}'.`)
  if (!legalName.test(String(name)))
    refuse(
      `Invalid '${at}.name': string does not match pattern. Expected a string that matches the pattern '${legalName.source}'.`,
    )
  if (
    parameters != null &&
    objectIn(parameters, `Invalid type for '${at}.parameters': expected an object.`)['type'] !== 'object'
  ) {
    refuse(
      `Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"', got 'type: "${parameters.type}"'.`,
    ) // api, 2026-08
  }
  // docs, 2026-09: strict unless told otherwise
  if (strict !== false && parameters != null) checkStrict(parameters, String(name), [])
  return String(name)
}

/** Strict schemas name every property as required and allow no other. */
function checkStrict(schema: unknown, name: string, path: readonly string[]): void {
  if (!isObject(schema)) return
  const context = `Invalid schema for function '${name}': In context=(${path.map((step) => `'${step}'`).join(', ')})`
  const properties: unknown = schema['properties']
  if (schema['type'] === 'object') {
    if (schema['additionalProperties'] !== false)
      refuse(`${context}, 'additionalProperties' is required to be supplied and to be false.`) // api, 2026-08
    const missing = Object.keys(isObject(properties) ? properties : {}).find(
      (property) => !elements(schema['required']).includes(property),
    )
    if (missing)
      refuse(
        `${context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`,
      ) // api, 2026-08
  }
  if (isObject(properties))
    for (const [key, property] of Object.entries(properties)) checkStrict(property, name, [...path, 'properties', key])
  checkStrict(schema['items'], name, [...path, 'items'])
}

// -- items

// types, 2026-08: items whose shape is checked
const itemMembers: { readonly [type: string]: readonly string[] } = {
  message: ['role', 'content', 'id', 'status', 'phase'],
  reasoning: ['id', 'summary', 'content', 'encrypted_content', 'status'],
  function_call: ['id', 'call_id', 'name', 'arguments', 'status', 'namespace', 'caller', 'async'],
  function_call_output: ['id', 'call_id', 'output', 'status', 'caller', 'name', 'namespace'],
  custom_tool_call: ['id', 'call_id', 'name', 'input', 'namespace', 'caller', 'status'],
  custom_tool_call_output: ['id', 'call_id', 'output', 'caller', 'status'],
}

const prefixes: { readonly [type: string]: string } = { message: 'msg', reasoning: 'rs', function_call: 'fc' }

// types, 2026-08: items that are taken as they are
const otherItems = [
  'file_search_call',
  'computer_call',
  'computer_call_output',
  'web_search_call',
  'tool_search_call',
  'tool_search_output',
  'additional_tools',
  'configuration_update',
  'compaction',
  'image_generation_call',
  'code_interpreter_call',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'mcp_call',
  'compaction_trigger',
  'item_reference',
  'program',
  'program_output',
]

const typeOf = (item: RequestJson): string =>
  item['type'] === undefined && item['role'] !== undefined
    ? 'message'
    : typeof item['type'] === 'string'
      ? item['type']
      : ''

function checkItem(item: RequestJson, at: string): void {
  const type = typeOf(item)
  const members = itemMembers[type]
  if (!members) {
    if (!otherItems.includes(type))
      refuse(
        `Invalid value: '${type}'. Supported values are: 'message', 'reasoning', 'function_call', 'function_call_output', and others.`,
      ) // api, 2026-08
    return
  }
  onlyMembers(item, [...members, 'type'], (member) => `Unknown parameter: '${at}.${member}'.`) // api, 2026-08
  const { id, role, content } = item
  const prefix = prefixes[type]
  if (id != null && prefix && !String(id).startsWith(prefix))
    refuse(`Invalid '${at}.id': '${id}'. Expected an ID that begins with '${prefix}'.`) // api, 2026-08
  if (type === 'message') checkMessage(role, content, at)
  if (type === 'reasoning') {
    if (typeof id !== 'string') refuse(`Missing required parameter: '${at}.id'.`) // types, 2026-08
    if (!Array.isArray(item['summary'])) refuse(`Missing required parameter: '${at}.summary'.`) // api, 2026-08
  }
  if (type === 'function_call') {
    if (typeof item['call_id'] !== 'string' || item['call_id'] === '')
      refuse(`Missing required parameter: '${at}.call_id'.`) // types, 2026-08
    if (item['call_id'].length > 64)
      refuse(
        `Invalid '${at}.call_id': string too long. Expected a string with maximum length 64, but got a string with length ${item['call_id'].length} instead.`,
      ) // api, 2026-08
    if (!legalName.test(String(item['name'] ?? '')))
      refuse(
        `Invalid '${at}.name': string does not match pattern. Expected a string that matches the pattern '${legalName.source}'.`,
      )
    if (typeof item['arguments'] !== 'string')
      refuse(`Invalid type for '${at}.arguments': expected a string, but got an object instead.`) // api, 2026-08
  }
  if (type.endsWith('_output')) checkOutput(item, at)
}

// types, 2026-08: content of messages by role
const contentTypes: { readonly [role: string]: readonly string[] } = {
  user: ['input_text', 'input_image', 'input_file', 'input_audio'],
  system: ['input_text', 'input_image', 'input_file'],
  developer: ['input_text', 'input_image', 'input_file'],
  assistant: ['output_text', 'refusal'],
}

function checkMessage(role: unknown, content: unknown, at: string): void {
  const types = typeof role === 'string' && Object.hasOwn(contentTypes, role) ? contentTypes[role] : undefined
  // api, 2026-08
  if (!types) refuse(`Invalid value: '${role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`)
  if (typeof content === 'string') {
    if (content === '') refuse(`Invalid '${at}.content': empty string.`) // docs, 2026-09
    return
  }
  checkContent(content, types, `${at}.content`)
}

function checkContent(content: unknown, types: readonly string[], at: string): void {
  for (const [index, part] of objectsIn(
    content,
    `Invalid type for '${at}': expected one of an array of objects or string.`,
  ).entries()) {
    const type = String(part['type'])
    if (!types.includes(type))
      // api, 2026-08
      refuse(`Invalid value: '${type}'. Supported values are: ${types.map((one) => `'${one}'`).join(', ')}.`)
    if (type.endsWith('_text') && typeof part['text'] !== 'string')
      refuse(`Missing required parameter: '${at}[${index}].text'.`) // types, 2026-08
    // docs, 2026-09
    if (type === 'input_text' && part['text'] === '') refuse(`Invalid '${at}[${index}].text': empty string.`)
    if (type === 'input_image' && typeof (part['image_url'] ?? part['file_id']) !== 'string')
      // api, 2026-08: a string, not { url }
      refuse(`Invalid type for '${at}[${index}].image_url': expected an image URL, but got an object instead.`)
  }
}

function checkOutput({ call_id: id, output }: RequestJson, at: string): void {
  if (typeof id !== 'string') refuse(`Missing required parameter: '${at}.call_id'.`) // types, 2026-08
  if (output === undefined) refuse(`Missing required parameter: '${at}.output'.`) // api, 2026-08
  // types, 2026-08
  if (typeof output !== 'string') checkContent(output, ['input_text', 'input_image', 'input_file'], `${at}.output`)
}

// -- order

/**
 * The items that the server has, of the response that this request goes on from; undefined: they are not known here.
 */
function serverHas(request: RequestJson, given: readonly GivenAnswer[] | undefined): RequestJson[] | undefined {
  const previous: unknown = request['previous_response_id']
  if (request['conversation'] != null || (previous != null && !given)) return undefined
  if (previous == null) return []
  const answer = lastGiven(given!, ({ id }) => id === previous)
  // api, 2026-08
  if (!answer || answer.request['store'] === false) refuse(`Previous response with id '${previous}' not found.`)
  return [...(serverHas(answer.request, given) ?? []), ...objects(answer.request['input']), ...answer.items]
}

const isCall = (item: RequestJson): boolean => item['type'] === 'function_call' || item['type'] === 'custom_tool_call'
const isOutput = (item: RequestJson): boolean =>
  item['type'] === 'function_call_output' || item['type'] === 'custom_tool_call_output'

function checkCalls(items: readonly RequestJson[], before: readonly RequestJson[] | undefined): void {
  const called: string[] = []
  const answered: string[] = []
  for (const item of [...(before ?? []), ...items]) {
    const id = String(item['call_id'])
    if (isCall(item)) called.push(id)
    if (!isOutput(item)) continue
    // api, 2026-08: behind its call
    if (before && !called.includes(id)) refuse(`No tool call found for function call output with call_id ${id}.`)
    answered.push(id)
  }
  if (twice(called))
    // api, 2026-08
    refuse(`Duplicate item found with call_id ${twice(called)}. Remove duplicate items from your input and try again.`)
  if (twice(answered)) refuse(`Duplicate function call output found for call_id ${twice(answered)}.`) // docs, 2026-09
  const missing = called.find((id) => !answered.includes(id))
  if (missing) refuse(`No tool output found for function call ${missing}.`) // api, 2026-08
}

function checkIds(items: readonly RequestJson[], before: readonly RequestJson[] | undefined): void {
  const ids = [...(before ?? []), ...items].flatMap((item) =>
    item['id'] == null || item['type'] === 'item_reference' ? [] : [String(item['id'])],
  )
  if (twice(ids))
    // api, 2026-08
    refuse(`Duplicate item found with id ${twice(ids)}. Remove duplicate items from your input and try again.`)
}

/** An answer speaks for nobody but the model: what it holds of another's is not in the conversation. */
function checkSpeakers(items: readonly RequestJson[], given: readonly GivenAnswer[] = []): void {
  const strange = given
    .flatMap((answer) => answer.items)
    .filter(
      (item) =>
        ['mcp_approval_response', 'item_reference'].includes(String(item['type'])) ||
        (!byModel(item) && item['type'] !== 'reasoning'),
    )
  const at = items.findIndex(
    (item) =>
      (item['id'] != null || item['type'] === 'mcp_approval_response') && strange.some((one) => same(one, item)),
  )
  if (at >= 0)
    // docs, 2026-09
    refuse(`Invalid value: 'input[${at}]' is an item of type '${typeOf(items[at]!)}' that an answer brought.`)
}

const byModel = (item: RequestJson | undefined): boolean =>
  item !== undefined &&
  !isOutput(item) &&
  item['type'] !== 'reasoning' &&
  (typeOf(item) !== 'message' || item['role'] === 'assistant')

/** What of an item must not change: all but its status, and arguments that are no JSON. */
function lasting({ status: _, arguments: given, ...item }: RequestJson, original: RequestJson): RequestJson {
  return isJson(original['arguments']) ? { ...item, arguments: given } : item
}

function isJson(text: unknown): boolean {
  try {
    JSON.parse(String(text))
    return true
  } catch {
    return false
  }
}

/** A reasoning item stands before what it led to, and neither is there without the other. */
function checkReasoning(items: readonly RequestJson[], model: string, given: readonly GivenAnswer[] | undefined): void {
  for (const [index, item] of items.entries()) {
    const { id, type } = item
    if (type === 'reasoning') {
      let next = index + 1
      while (items[next]?.['type'] === 'reasoning') next++
      if (!byModel(items[next]))
        refuse(`Item '${id}' of type 'reasoning' was provided without its required following item.`) // api, 2026-08
    }
    if (!given || id == null || isOutput(item)) continue
    const answer = lastGiven(given, ({ items: said }) => said.some((one) => one['id'] === id))
    const original = answer?.items.find((one) => one['id'] === id)
    const encrypted: unknown = item['encrypted_content']
    if (encrypted != null && (answer?.model !== model || original?.['encrypted_content'] !== encrypted))
      refuse(
        `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
      ) // api, 2026-08
    if (!answer || !original) refuse(`Item with id '${id}' not found.`) // api, 2026-08
    if (answer.request['store'] === false && type === 'reasoning' && encrypted == null) {
      refuse(
        `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
      ) // api, 2026-08
    }
    if (type !== 'item_reference' && !same(lasting(item, original), lasting(original, original)))
      refuse(`Item '${id}' is not what the model said.`) // docs, 2026-09: items go back as they came
    const place = answer.items.indexOf(original)
    const reason = answer.items[place - 1]
    if (
      type !== 'reasoning' &&
      reason?.['type'] === 'reasoning' &&
      !items.slice(0, index).some((one) => one['id'] === reason['id'])
    ) {
      // api, 2026-08
      refuse(`Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${reason['id']}'.`)
    }
  }
}
