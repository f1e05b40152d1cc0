// What Gemini refuses in a request. Each rule tells where it comes from: the documentation (docs), the types of the SDK
// (types), or the words of the API itself (api), with the month in which they were read.
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
import { geminiRules } from './rules/gemini-rules.js'
import { enforce, type CheckOptions } from './rules/rule.js'

/**
 * The first thing that Gemini would refuse in the body of `generateContent` or `streamGenerateContent`, or null.
 * `model` is the one of the path. `given`: the answers that the server gave, whose signatures it knows; without them
 * signatures are not compared.
 */
export function checkGemini(
  body: unknown,
  model?: string,
  given?: readonly GivenAnswer[],
  options?: CheckOptions,
): string | null {
  const refused = enforce(geminiRules, body, options, given, model ?? '')
  if (refused) return refused
  return refusalOf(() => {
    const request = objectIn(body, 'Invalid JSON payload received.')
    onlyMembers(request, requestMembers, unknown(''))
    const { contents: listed, systemInstruction: system } = request
    if (listed === undefined || (Array.isArray(listed) && listed.length === 0))
      refuse('* GenerateContentRequest.contents: contents is not specified') // api, 2026-08
    const contents = objectsIn(listed, "Invalid value at 'contents'")
    if (isObject(request['generationConfig']))
      onlyMembers(request['generationConfig'], configMembers, unknown(" at 'generation_config'"))
    if (system !== undefined) checkSystem(system)
    contents.forEach(checkContent)
    checkOrder(contents, modelVersion(model))
    checkTools(request)
    checkSignatures(contents, model ?? '', given)
  })
}

const unknown =
  (at: string) =>
  (member: string): string =>
    `Invalid JSON payload received. Unknown name "${member}"${at}: Cannot find field.` // api, 2026-08

// types, 2026-08: `model` and `stream` stand in the path
const requestMembers = [
  'contents',
  'tools',
  'toolConfig',
  'safetySettings',
  'systemInstruction',
  'generationConfig',
  'cachedContent',
  'serviceTier',
  'store',
  'labels',
]

// types, 2026-08: GenerateContentConfig
const configMembers = [
  'temperature',
  'topP',
  'topK',
  'candidateCount',
  'maxOutputTokens',
  'stopSequences',
  'responseLogprobs',
  'logprobs',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'routingConfig',
  'responseModalities',
  'mediaResolution',
  'speechConfig',
  'audioTimestamp',
  'thinkingConfig',
  'imageConfig',
  'enableEnhancedCivicAnswers',
  'modelSelectionConfig',
]

/** The number in the model's name: 3 of `gemini-3.1-pro-preview`. 0: it has none. */
const modelVersion = (model = ''): number => Number(/gemini-(\d+)/.exec(model)?.[1] ?? 0)

function checkSystem(system: unknown): void {
  const { parts } = objectIn(system, "Invalid value at 'system_instruction'")
  for (const part of objectsIn(
    parts,
    '* GenerateContentRequest.system_instruction.parts: contents.parts must not be empty.',
  )) {
    if (typeof part['text'] !== 'string' || part['text'] === '')
      refuse('* GenerateContentRequest.system_instruction.parts: only text is supported') // docs, 2026-09
  }
}

// -- contents

// types, 2026-08: Part; one of these is what the part is
const kinds = [
  'text',
  'functionCall',
  'functionResponse',
  'inlineData',
  'fileData',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
]
const partMembers = [
  ...kinds,
  'thought',
  'thoughtSignature',
  'videoMetadata',
  'mediaResolution',
  'partMetadata',
  'audioTranscription',
  'mediaProcessing',
  'speechMetadata',
]
const ofModel = ['functionCall', 'executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse']

const legalName = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/ // api, 2026-08

function checkContent(content: RequestJson, index: number): void {
  const at = `contents[${index}]`
  onlyMembers(content, ['role', 'parts'], unknown(` at '${at}'`)) // types, 2026-08
  const { role } = content
  if (role !== 'user' && role !== 'model') refuse('Please use a valid role: user, model.') // api, 2026-08
  for (const [place, part] of objectsIn(
    content['parts'],
    `* GenerateContentRequest.${at}.parts: contents.parts must not be empty.`,
  ).entries())
    checkPart(part, role, `${at}.parts[${place}]`) // api, 2026-08
}

function checkPart(part: RequestJson, role: string, at: string): void {
  onlyMembers(part, partMembers, unknown(` at '${at}'`))
  const kind = kinds.filter((one) => one in part)
  if (kind.length === 0)
    // api, 2026-08
    refuse(`* GenerateContentRequest.${at}.data: required oneof field 'data' must have one initialized field`)
  if (kind.length > 1)
    // api, 2026-08
    refuse(`Invalid value at '${at}' (oneof), oneof field 'data' is already set. Cannot set '${kind[1]}'`)
  if (role === 'user' && (ofModel.includes(kind[0]!) || part['thought']))
    refuse(`${at}: '${part['thought'] ? 'thought' : kind[0]}' is a part of role model`) // docs, 2026-09
  // docs, 2026-09
  if (role === 'model' && kind[0] === 'functionResponse') refuse(`${at}: 'functionResponse' is a part of role user`)
  if (part['text'] === '' && part['thoughtSignature'] === undefined)
    // api, 2026-08: an empty one may only carry a signature
    refuse(`* GenerateContentRequest.${at}: text must not be empty`)
  const { functionCall: call, functionResponse: result, inlineData: data } = part
  if (call !== undefined) {
    if (!legalName.test(String(call?.name ?? '')))
      refuse(
        `* GenerateContentRequest.${at}.function_call.name: Invalid function name. Must start with a letter or an underscore.`,
      )
    onlyMembers(
      objectIn(call, `Invalid value at '${at}.function_call'`),
      ['id', 'name', 'args', 'partialArgs', 'willContinue'],
      unknown(` at '${at}.function_call'`),
    ) // types, 2026-08
    if (call.args !== undefined && !isObject(call.args))
      // api, 2026-08: JSON text is OpenAI's
      refuse(`Invalid value at '${at}.function_call.args' (type.googleapis.com/google.protobuf.Struct)`)
  }
  if (result !== undefined) {
    if (!legalName.test(String(result?.name ?? '')))
      refuse(`* GenerateContentRequest.${at}.function_response.name: Name cannot be empty.`) // api, 2026-08
    if (!isObject(result.response))
      // api, 2026-08
      refuse(`Invalid value at '${at}.function_response.response' (type.googleapis.com/google.protobuf.Struct)`)
    const reference = referenceIn(result.response)
    if (reference && !objects(result.parts).some((one) => one['inlineData']?.displayName === reference))
      // docs, 2026-09
      refuse(`${at}.function_response.response: '$ref' names the part '${reference}', which is not there`)
  }
  if (data !== undefined && !(typeof data?.mimeType === 'string' && /^[A-Za-z0-9+/]+={0,2}$/.test(String(data.data))))
    refuse(`Invalid value at '${at}.inline_data.data' (TYPE_BYTES), Base64 decoding failed`) // api, 2026-08
}

function referenceIn(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map(referenceIn).find(Boolean)
  if (!isObject(value)) return undefined
  return typeof value['$ref'] === 'string' ? value['$ref'] : Object.values(value).map(referenceIn).find(Boolean)
}

const partsOf = (content: RequestJson | undefined, kind: string): RequestJson[] =>
  objects(content?.['parts']).flatMap((part) => (part[kind] ? [part[kind] as RequestJson] : []))

function checkOrder(contents: readonly RequestJson[], version: number): void {
  // api, 2026-08
  if (contents[0]!['role'] !== 'user') refuse('Please ensure that multiturn requests start with a user turn.')
  for (const [index, content] of contents.entries()) {
    const before = contents[index - 1]
    const calls = partsOf(before, 'functionCall')
    const results = partsOf(content, 'functionResponse')
    if (results.length > 0 && calls.length === 0)
      refuse('Please ensure that function response turn comes immediately after a function call turn.') // api, 2026-08
    if (calls.length > 0 && results.length === 0)
      // api, 2026-08
      refuse('Please ensure that function call turn is followed immediately by a function response turn.')
    if (calls.length !== results.length)
      refuse(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      ) // api, 2026-08
    checkPairs(calls, results)
    if (version > 0 && version < 3 && results.some((result) => result['parts']))
      // docs, 2026-09: Gemini 3 and later
      refuse(`contents[${index}]: Multimodal function responses are not supported by this model.`)
  }
  const last = contents.at(-1)!
  if (last['role'] !== 'user')
    refuse('Please ensure that single turn requests end with a user role or the role field is empty.') // api, 2026-08
}

/** Each result names its call: by id where the call has one, else by name. */
function checkPairs(calls: readonly RequestJson[], results: readonly RequestJson[]): void {
  const left = [...calls]
  for (const { id, name } of results) {
    const at = left.findIndex((call) => call['id'] === id && call['name'] === name)
    if (at < 0)
      refuse(
        `Please ensure that every function response part answers a function call part of the turn before it: '${name}'${id === undefined ? ' without an id' : `, id '${id}'`} does not.`,
      ) // docs, 2026-09
    left.splice(at, 1)
  }
}

// -- tools

// types, 2026-08: FunctionDeclaration
const declarationMembers = [
  'name',
  'description',
  'parameters',
  'parametersJsonSchema',
  'response',
  'responseJsonSchema',
  'behavior',
]

// types, 2026-08: Schema, a subset of OpenAPI 3.0
const schemaMembers = [
  'anyOf',
  'default',
  'description',
  'enum',
  'example',
  'format',
  'items',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'nullable',
  'pattern',
  'properties',
  'propertyOrdering',
  'required',
  'title',
  'type',
]

function checkTools({ tools, toolConfig }: RequestJson): void {
  const listed = tools === undefined ? [] : objectsIn(tools, "Invalid value at 'tools'")
  const declaring = listed.filter((tool) => tool['functionDeclarations'] !== undefined)
  // docs, 2026-09: one for all, and a host's own beside it
  if (declaring.length > 2) refuse('* GenerateContentRequest.tools: function_declarations must stand in one tool')
  for (const tool of listed) if ('function' in tool) refuse(unknown(" at 'tools[0]'")('function')) // api, 2026-08
  const names = declaring.flatMap((tool) =>
    objectsIn(
      tool['functionDeclarations'],
      '* GenerateContentRequest.tools[0].function_declarations: must not be empty',
    ).map(checkDeclaration),
  )
  if (twice(names)) refuse(`Duplicate function declaration found: ${twice(names)}`) // api, 2026-08
  if (toolConfig === undefined) return
  const { mode, allowedFunctionNames: allowed } = objectIn(
    objectIn(toolConfig, "Invalid value at 'tool_config'")['functionCallingConfig'] ?? {},
    "Invalid value at 'tool_config.function_calling_config'",
  )
  if (mode !== undefined && !['AUTO', 'ANY', 'NONE', 'VALIDATED'].includes(mode))
    refuse(`Invalid value at 'tool_config.function_calling_config.mode', "${mode}"`) // types, 2026-08
  if (allowed !== undefined && mode !== 'ANY' && mode !== 'VALIDATED')
    refuse('Please set allowed_function_names only when function calling mode is ANY.') // api, 2026-08
  const stranger = elements(allowed).find((name) => !names.includes(String(name)))
  if (stranger) refuse(`allowed_function_names: '${stranger}' is not declared`) // docs, 2026-09
}

function checkDeclaration(declaration: RequestJson, index: number): string {
  const at = `tools[0].function_declarations[${index}]`
  onlyMembers(declaration, declarationMembers, unknown(` at '${at}'`))
  const { name, parameters, parametersJsonSchema: schema } = declaration
  if (!legalName.test(String(name ?? '')))
    refuse(`* GenerateContentRequest.${at}.name: Invalid function name. Must start with a letter or an underscore.`)
  if (parameters !== undefined && schema !== undefined)
    refuse(`${at}: parameters and parameters_json_schema are mutually exclusive`) // types, 2026-08
  if (schema !== undefined && objectIn(schema, `Invalid value at '${at}.parameters_json_schema'`)['type'] !== 'object')
    refuse(`${at}.parameters_json_schema: should be of type object`) // api, 2026-08
  if (parameters !== undefined) checkSchema(parameters, `${at}.parameters`)
  return String(name)
}

function checkSchema(schema: unknown, at: string): void {
  if (!isObject(schema)) refuse(`Invalid value at '${at}'`)
  // api, 2026-08: `additionalProperties`, `$ref` and the like need parametersJsonSchema
  onlyMembers(schema, schemaMembers, unknown(` at '${at}'`))
  for (const [name, property] of Object.entries((schema['properties'] ?? {}) as RequestJson))
    checkSchema(property, `${at}.properties[${name}]`)
  if (schema['items'] !== undefined) checkSchema(schema['items'], `${at}.items`)
}

// -- signatures

const sentinel = 'skip_thought_signature_validator' // docs, 2026-09: for calls that another model made

function checkSignatures(
  contents: readonly RequestJson[],
  model: string,
  given: readonly GivenAnswer[] | undefined,
): void {
  // docs, 2026-09: the turn since the last words of the user is checked; older ones need not be signed
  const open = contents.findLastIndex((content) => content['role'] === 'user' && partsOf(content, 'text').length > 0)
  for (const [index, content] of contents.entries()) {
    if (content['role'] !== 'model') continue
    const parts = content['parts'] as RequestJson[]
    const first = parts.find((part) => part['functionCall'])
    for (const [place, part] of parts.entries()) {
      const signature: unknown = part['thoughtSignature']
      if (signature === undefined) continue
      if (signature === sentinel) {
        if (part !== first)
          refuse(
            `contents[${index}].parts[${place}]: Thought signature is not valid: '${sentinel}' stands for the first function call of a step only`,
          ) // docs, 2026-09
      } else if (
        given &&
        !lastGiven(
          given,
          (answer) =>
            answer.model === model &&
            answer.items.some(
              (item) => item['thoughtSignature'] === signature && same(item['functionCall'], part['functionCall']),
            ),
        )
      ) {
        refuse(`contents[${index}].parts[${place}]: Thought signature is not valid`) // api, 2026-08
      }
    }
    if (!first || index < open) continue
    const isSameCall = (item: RequestJson): boolean => same(item['functionCall'], first['functionCall'])
    const answer = lastGiven(given ?? [], (one) => one.model === model && one.items.some(isSameCall))
    // Where the answer is not known, Gemini 3 and later sign a step: its first call, or a part before it.
    const signed = answer
      ? answer.items.find(isSameCall)!['thoughtSignature'] !== undefined
      : modelVersion(model) >= 3 &&
        parts.every((part) => part['thoughtSignature'] === undefined || part['functionCall'])
    const lost = answer && !answer.waived && signed && first['thoughtSignature'] === sentinel
    if (lost || (signed && first['thoughtSignature'] === undefined)) {
      refuse(
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call \`default_api:${first['functionCall'].name}\`, position ${index}.`,
      ) // api, 2026-08
    }
  }
}
