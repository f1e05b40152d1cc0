// What Gemini's Interactions API refuses in a request of revision 2026-05-20. Each rule tells where it comes from: the
// documentation (docs), the types of the SDK (types), what people report of the API itself (api), each with the month in
// which it was read, or what generateContent refuses of the same models (gemini).
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
import { geminiInteractionsRules } from './rules/gemini-interactions-rules.js'
import { enforce, type CheckOptions } from './rules/rule.js'

/**
 * The first thing that Gemini would refuse in the body of `interactions`, or null. `given`: the answers that the server
 * gave, whose signatures and interactions it knows; without them neither is compared.
 */
export function checkGeminiInteractions(
  body: unknown,
  given?: readonly GivenAnswer[],
  options?: CheckOptions,
): string | null {
  const refused = enforce(geminiInteractionsRules, body, options, given)
  if (refused) return refused
  return refusalOf(() => {
    const request = objectIn(body, 'The request body is not valid JSON.')
    onlyMembers(request, requestMembers, unknown(''))
    if (typeof request['model'] !== 'string' && typeof request['agent'] !== 'string')
      refuse('One of model or agent is required.') // types, 2026-11
    const { input, system_instruction: system, generation_config: config } = request
    if (system !== undefined && typeof system !== 'string')
      refuse("Invalid value at 'system_instruction': not a string") // types, 2026-11
    if (config !== undefined) checkConfig(objectIn(config, "Invalid value at 'generation_config'"))
    checkTools(request)
    if (typeof input === 'string' && input !== '') return
    const steps = objectsIn(input, "'input' is required.") // docs, 2026-11
    steps.forEach(checkStep)
    const before = serverHas(request, given)
    checkCalls(steps, before)
    checkSignatures(steps, String(request['model'] ?? ''), given)
  })
}

const unknown =
  (at: string) =>
  (member: string): string =>
    `Unknown parameter: '${at === '' ? '' : `${at}.`}${member}'.`

// types, 2026-11: CreateModelInteraction, CreateAgentInteraction
const requestMembers = [
  'model',
  'agent',
  'agent_config',
  'background',
  'cached_content',
  'continuation_token',
  'environment',
  'generation_config',
  'input',
  'labels',
  'previous_interaction_id',
  'response_format',
  'safety_settings',
  'service_tier',
  'store',
  'stream',
  'system_instruction',
  'tools',
  'webhook_config',
]

// types, 2026-11: GenerationConfig
const configMembers = [
  'image_config',
  'max_output_tokens',
  'seed',
  'speech_config',
  'stop_sequences',
  'temperature',
  'thinking_level',
  'thinking_summaries',
  'tool_choice',
  'top_p',
  'transcription_config',
  'video_config',
]

function checkConfig(config: RequestJson): void {
  onlyMembers(config, configMembers, unknown('generation_config'))
  const choice: unknown = config['tool_choice']
  if (choice === undefined || isObject(choice)) return
  if (!['auto', 'any', 'none', 'validated'].includes(String(choice)))
    refuse(`Invalid value at 'generation_config.tool_choice', "${String(choice)}"`) // types, 2026-11
}

// -- steps

// types, 2026-11: Step; the members of those that clients write
const stepMembers: { readonly [type: string]: readonly string[] } = {
  user_input: ['content'],
  model_output: ['content'],
  thought: ['signature', 'summary'],
  function_call: ['id', 'name', 'arguments', 'signature'],
  function_result: ['call_id', 'name', 'result', 'is_error'],
}

// types, 2026-11: steps of tools that Gemini runs
const tools = [
  'code_execution',
  'file_search',
  'google_maps',
  'google_search',
  'mcp_server_tool',
  'processing',
  'retrieval',
  'url_context',
]
const providerSteps = tools.flatMap((tool) => [`${tool}_call`, `${tool}_result`])

// types, 2026-11: Content
const contentMembers: { readonly [type: string]: readonly string[] } = {
  text: ['text', 'annotations'],
  image: ['data', 'mime_type', 'uri', 'resolution'],
  audio: ['data', 'mime_type', 'uri', 'channels', 'sample_rate'],
  document: ['data', 'mime_type', 'uri'],
  video: ['data', 'mime_type', 'uri', 'resolution', 'name', 'processing'],
}

const legalName = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/ // gemini

function checkStep(step: RequestJson, index: number): void {
  const at = `input[${index}]`
  const type = String(step['type'])
  if (providerSteps.includes(type)) {
    const id: unknown = step[type.endsWith('_call') ? 'id' : 'call_id']
    if (typeof id !== 'string') refuse(`'${at}': a step of type ${type} needs an id`) // types, 2026-11
    return
  }
  const members = stepMembers[type]
  if (!members) refuse(`Invalid value at '${at}.type': "${type}"`) // types, 2026-11
  onlyMembers(step, [...members, 'type'], unknown(at))
  if (type === 'user_input' || type === 'model_output') checkContents(step['content'], `${at}.content`)
  if (type === 'thought') checkThought(step, at)
  if (type === 'function_call') {
    if (typeof step['id'] !== 'string' || step['id'] === '') refuse(`'${at}.id' is required.`) // types, 2026-11
    checkName(step['name'], at)
    // types, 2026-11: JSON text is OpenAI's
    if (!isObject(step['arguments'])) refuse(`Invalid value at '${at}.arguments': not an object`)
  }
  if (type === 'function_result') {
    if (typeof step['call_id'] !== 'string' || step['call_id'] === '') refuse(`'${at}.call_id' is required.`) // types, 2026-11
    if (step['name'] !== undefined) checkName(step['name'], at)
    const result: unknown = step['result']
    if (Array.isArray(result)) checkContents(result, `${at}.result`)
    else if (typeof result !== 'string' && !isObject(result)) refuse(`'${at}.result' is required.`) // types, 2026-11
  }
}

function checkName(name: unknown, at: string): void {
  if (!legalName.test(String(name ?? '')))
    refuse(`Invalid value at '${at}.name': must start with a letter or an underscore`)
}

function checkThought({ signature, summary }: RequestJson, at: string): void {
  if (signature !== undefined && typeof signature !== 'string') refuse(`Invalid value at '${at}.signature'`) // types, 2026-11
  if (summary !== undefined) checkContents(summary, `${at}.summary`)
}

function checkContents(contents: unknown, at: string): void {
  for (const [place, content] of objectsIn(contents, `'${at}' must be a list of contents`).entries()) {
    const type = String(content['type'])
    const members = contentMembers[type]
    if (!members) refuse(`Invalid value at '${at}[${place}].type': "${type}"`) // types, 2026-11
    onlyMembers(content, [...members, 'type'], unknown(`${at}[${place}]`))
    if (type === 'text') {
      if (typeof content['text'] !== 'string' || content['text'] === '')
        refuse(`'${at}[${place}].text' must not be empty`) // gemini
    } else if (content['data'] === undefined && typeof content['uri'] !== 'string') {
      refuse(`'${at}[${place}]' needs data or a uri`) // gemini
    } else if (content['data'] !== undefined) {
      // types, 2026-11: bytes need the type that a URI may leave out
      if (typeof content['mime_type'] !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(String(content['data'])))
        refuse(`Invalid value at '${at}[${place}].data': not base64, or without a mime_type`)
    }
  }
}

// -- order

/** The steps that the server has, of the interaction that this request goes on from; undefined: they are not known. */
function serverHas(request: RequestJson, given: readonly GivenAnswer[] | undefined): RequestJson[] | undefined {
  const previous: unknown = request['previous_interaction_id']
  if (previous == null) return []
  if (!given) return undefined
  const answer = lastGiven(given, ({ id }) => id === previous)
  // docs, 2026-11: what was not stored cannot be gone on from
  if (!answer || answer.request['store'] === false) refuse(`Interaction '${String(previous)}' not found.`)
  return [...(serverHas(answer.request, given) ?? []), ...objects(answer.request['input']), ...answer.items]
}

function checkCalls(steps: readonly RequestJson[], before: readonly RequestJson[] | undefined): void {
  const called: string[] = []
  const answered: string[] = []
  for (const step of [...(before ?? []), ...steps]) {
    if (step['type'] === 'function_call') called.push(String(step['id']))
    if (step['type'] === 'user_input' && before) {
      const open = called.find((id) => !answered.includes(id))
      if (open) refuse(`Function call '${open}' must be followed by its function_result.`) // gemini
    }
    if (step['type'] !== 'function_result') continue
    const id = String(step['call_id'])
    if (before && !called.includes(id)) refuse(`No function call found for function_result with call_id '${id}'.`) // gemini
    answered.push(id)
  }
  if (twice(called)) refuse(`Duplicate function call id '${twice(called)}'.`) // gemini: ids are unique
  if (twice(answered)) refuse(`Duplicate function_result for call_id '${twice(answered)}'.`) // gemini
  const missing = called.find((id) => !answered.includes(id))
  if (missing) refuse(`Function call '${missing}' must be followed by its function_result.`) // gemini
}

// -- tools

// types, 2026-11: Tool
const toolTypes = [
  'function',
  'code_execution',
  'url_context',
  'computer_use',
  'google_search',
  'file_search',
  'google_maps',
  'mcp_server',
  'retrieval',
]

function checkTools({ tools: listed }: RequestJson): void {
  const names = objects(listed).flatMap((tool, index) => {
    const at = `tools[${index}]`
    const type = String(tool['type'])
    if (!toolTypes.includes(type)) refuse(`Invalid value at '${at}.type': "${type}"`) // types, 2026-11
    if (type !== 'function') return []
    onlyMembers(tool, ['type', 'name', 'description', 'parameters'], unknown(at))
    checkName(tool['name'], at)
    const { parameters } = tool
    if (parameters !== undefined && objectIn(parameters, `Invalid value at '${at}.parameters'`)['type'] !== 'object')
      refuse(`'${at}.parameters' should be of type object`) // gemini
    return [String(tool['name'])]
  })
  if (listed !== undefined && names.length === 0 && elements(listed).length === 0)
    refuse("Invalid value at 'tools': an empty list") // gemini
  if (twice(names)) refuse(`Duplicate function declaration found: ${twice(names)}`) // api, 2026-11
}

// -- signatures

const sentinel = 'skip_thought_signature_validator' // gemini: for calls that another model made

/** The number in the model's name: 3 of `gemini-3.1-pro-preview`. 0: it has none. */
const versionOf = (model: string): number => Number(/gemini-(\d+)/.exec(model)?.[1] ?? 0)

function checkSignatures(
  steps: readonly RequestJson[],
  model: string,
  given: readonly GivenAnswer[] | undefined,
): void {
  // gemini: the turn since the last words of the user is checked; older ones need not be signed
  const open = steps.findLastIndex((step) => step['type'] === 'user_input')
  let signed = false // of the answer that this step belongs to
  let calls = 0 // of it so far
  for (const [index, step] of steps.entries()) {
    if (step['type'] === 'user_input' || step['type'] === 'function_result') {
      signed = false
      calls = 0
      continue
    }
    const signature: unknown = step['signature']
    if (step['type'] === 'function_call') calls++
    if (typeof signature === 'string' && signature !== '') {
      if (signature === sentinel && (step['type'] !== 'function_call' || calls > 1))
        refuse(`input[${index}]: '${sentinel}' stands for the first function call of an answer only`) // gemini
      const origin =
        given && lastGiven(given, (one) => one.model === model && one.items.some((item) => same(item, step)))
      if (signature !== sentinel && given && !origin) refuse(`input[${index}]: Thought signature is not valid.`) // api, 2026-11
      signed = true
    }
    if (step['type'] !== 'function_call' || calls > 1 || index < open) continue
    const { id } = step
    const answer = lastGiven(given ?? [], (one) => one.model === model && one.items.some((item) => item['id'] === id))
    const wants = answer
      ? !answer.waived && answer.items.some((item) => item['type'] === 'thought' && item['signature'] !== undefined)
      : versionOf(model) >= 3
    if (wants && (!signed || (answer && signature === sentinel)))
      refuse(`Function call '${String(id)}' is missing a thought signature.`) // api, 2026-11
  }
}
