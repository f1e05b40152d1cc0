// The model behind the scripted server: finds the scene of the question, and writes its calls the way the request asks
// for them, natively or as text. It keeps nothing between requests; like a model, it knows what it reads.
import { kind, otherProtocol, scenarios, stranger, unasked } from './scenarios.mjs'

export const question = scenarios.find(({ id }) => id === 'umbrella').question.en

export function answer({ body }) {
  const { messages } = body
  const asked = messages.findLastIndex((message) => message.role === 'user' && !isResult(message.content))
  const since = messages.slice(asked + 1)
  const { scene, language } = find(textOf(messages[asked]?.content))
  if (scene?.refuses && body.tools) return noTools
  const write = writer(body)
  const said = partsOf(scene, since, write)
    .map((part) => inLanguage(part, language))
    .flatMap((part) => (part.call ? write(part) : [part]))
  return {
    parts: said,
    usage: {
      prompt_tokens: Math.ceil(JSON.stringify(body).length / 4),
      completion_tokens: Math.ceil(JSON.stringify(said).length / 4),
    },
  }
}

/** The words of a message, which stand beside pictures in a part of their own. */
const textOf = (content) =>
  Array.isArray(content) ? content.map(({ text = '' }) => text).join('') : String(content ?? '')

/** What a turn with this question is run with, beside what was configured. */
export const settingsOf = (text) => find(text).scene?.settings ?? {}

const noTools = {
  status: 400,
  error: { message: 'tools is not supported by this model', type: 'invalid_request_error', param: 'tools', code: null },
}

function find(text) {
  const asked = text.trim()
  for (const scene of scenarios) {
    // What a failed turn was asked may stand in front of it, in the same message.
    for (const [language, question] of Object.entries(scene.question))
      if (asked.endsWith(question)) return { scene, language }
  }
  for (const [language, prompt] of Object.entries(unasked))
    if (asked.startsWith(prompt)) return { scene: { rounds: [[kind]] }, language }
  return { language: /[\u3400-\u9fff]/.test(asked) ? 'zh' : 'en' }
}

/** What the scene says next, or why it cannot. */
function partsOf(scene, since, write) {
  if (!scene) return [stranger]
  const round = since.filter((message) => message.role === 'assistant').length
  const results = since
    .filter((message) => message.role !== 'assistant')
    .map((message) => String(message.content))
    .join('\n')
  const given = scene.rounds[round] ?? []
  const parts = typeof given === 'function' ? given(results) : given
  return !write && parts.some((part) => part.call) ? [otherProtocol(protocols)] : parts
}

/** `{ en, zh }` anywhere in a value becomes the text of the language. */
function inLanguage(value, language) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if ('en' in value && 'zh' in value) return value[language]
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inLanguage(inner, language)]))
}

/**
 * From a part with a call to the parts that make it. What the request does not offer to the pet is left out: there is
 * none, or it cannot do that. Nothing, where the request wants a protocol that is not in the script.
 */
function writer({ tools, messages }) {
  const prompt = messages
    .filter(({ role }) => role === 'system')
    .map(({ content }) => content)
    .join('\n')
  const format = formats.find(({ marker }) => prompt.includes(marker))
  if (!tools && !format) return undefined
  const offered = tools ? JSON.stringify(tools) : prompt
  return ({ call: { name, arguments: args }, anyOf = {} }) => {
    const has = (value) => offered.includes(`"${value}"`) || offered.includes(`&quot;${value}&quot;`)
    const chosen = Object.entries(anyOf).map(([argument, values]) => [argument, values.find(has)])
    if (chosen.some(([, value]) => value === undefined)) return []
    const given = { ...Object.fromEntries(chosen), ...args }
    if (tools) return [{ call: { name: wireName(name), arguments: given } }]
    return [{ text: `\n${format.call(name, given)}\n` }]
  }
}

const wireName = (name) => name.replaceAll('.', '_')
const isResult = (content) => formats.some(({ results }) => String(content).includes(results))
const xml = (value) => String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const lines = (args, line) =>
  Object.entries(args)
    .map(([key, value]) => line(key, value))
    .join('\n')

/**
 * The text protocols that the script can write. Each has the text of the prompt that shows it is wanted, the text that
 * begins a result, and a function that writes a call.
 */
const formats = [
  {
    id: 'tool_action',
    marker: '<tool_action ',
    results: '<tool_output ',
    call: (name, args) =>
      `<tool_action name="${name}">\n${lines(args, (key, value) => `  <${key} value="${xml(value)}" />`)}\n</tool_action>`,
  },
  {
    id: 'json_strict',
    marker: '{"tool_calls":',
    results: '"tool_call_result"',
    call: (name, args) =>
      JSON.stringify({
        tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(args) } }],
      }),
  },
  {
    id: 'xml_tag',
    marker: '<tool_code>',
    results: '<tool_result>',
    call: (name, args) => `<tool_code>${JSON.stringify({ name, arguments: args })}</tool_code>`,
  },
  {
    id: 'qwen3-coder',
    marker: '<tool_call>\n<function=',
    results: '<tool_response>',
    call: (name, args) => {
      const parameters = lines(args, (key, value) => `<parameter=${key}>\n${value}\n</parameter>`)
      return `<tool_call>\n<function=${name}>\n${parameters}\n</function>\n</tool_call>`
    },
  },
  {
    id: 'hermes',
    marker: '<tool_call>\n{"name":',
    results: '<tool_response>',
    call: (name, args) => `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`,
  },
  {
    id: 'vcp',
    marker: '<<<[TOOL_REQUEST]>>>',
    results: '<<<[TOOL_RESULT]>>>',
    call: (name, args) => {
      const fields = Object.entries({ tool_name: name, ...args }).map(([key, value]) => `${key}:「始」${value}「末」`)
      return `<<<[TOOL_REQUEST]>>>\n${fields.join(',\n')}\n<<<[END_TOOL_REQUEST]>>>`
    },
  },
]

/** Ids of the text protocols in which the script can answer. */
export const protocols = formats.map(({ id }) => id).reverse()
