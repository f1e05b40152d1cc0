// A body that nobody foresaw is refused or taken; no check throws, whatever stands where.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  checkAnthropic,
  checkGemini,
  checkGeminiInteractions,
  checkOpenAIChat,
  checkOllama,
  checkOpenAIResponses,
} from 'sluice/testing'

const schema = { type: 'object', properties: { city: { type: 'string', items: { type: 'string' } } } }
const text = { type: 'text', text: 'x' }
const source = { type: 'base64', media_type: 'image/png', data: 'aGk=' }

/** A legal body for each, with what the server said before. */
const legal = {
  'openai-chat': [
    checkOpenAIChat,
    {
      model: 'm',
      tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
      messages: [
        { role: 'system', content: 'x' },
        { role: 'user', content: [text] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'r' },
      ],
    },
  ],
  anthropic: [
    checkAnthropic,
    {
      model: 'm',
      max_tokens: 4096,
      system: [text],
      thinking: { type: 'enabled', budget_tokens: 1024 },
      tools: [{ name: 'f', input_schema: schema }],
      tool_choice: { type: 'auto' },
      messages: [
        { role: 'user', content: [text, { type: 'image', source }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'x', signature: 's' },
            text,
            { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
            { type: 'web_search_tool_result', tool_use_id: 's1', content: [] },
            { type: 'tool_use', id: 'a', name: 'f', input: {} },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'a', content: [text, { type: 'image', source }] }],
        },
      ],
    },
    [
      {
        model: 'm',
        request: {
          system: [text],
          tools: [{ name: 'f', input_schema: schema }],
          messages: [{ role: 'user', content: [text, { type: 'image', source }] }],
        },
        items: [
          { type: 'thinking', thinking: 'x', signature: 's' },
          { type: 'web_search_tool_result', tool_use_id: 's1', content: [] },
          { type: 'tool_use', id: 'a', name: 'f', input: {} },
        ],
        finish: null,
        waived: false,
      },
    ],
  ],
  gemini: [
    (body, given) => checkGemini(body, 'gemini-3-pro', given),
    {
      systemInstruction: { parts: [{ text: 'x' }] },
      generationConfig: { maxOutputTokens: 5 },
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      tools: [
        {
          functionDeclarations: [
            { name: 'f', parametersJsonSchema: schema },
            { name: 'g', parameters: schema },
          ],
        },
      ],
      contents: [
        { role: 'user', parts: [{ text: 'x' }, { inlineData: { mimeType: 'image/png', data: 'aGk=' } }] },
        {
          role: 'model',
          parts: [
            { text: 'x', thought: true },
            { functionCall: { name: 'f', args: {}, id: 'a' }, thoughtSignature: 's' },
          ],
        },
        {
          role: 'user',
          parts: [
            {
              functionResponse: {
                name: 'f',
                id: 'a',
                response: { output: 'r', $ref: 'p' },
                parts: [{ inlineData: { mimeType: 'image/png', data: 'aGk=', displayName: 'p' } }],
              },
            },
          ],
        },
      ],
    },
    [
      {
        model: 'gemini-3-pro',
        request: {},
        items: [{ functionCall: { name: 'f', args: {}, id: 'a' }, thoughtSignature: 's' }],
        finish: null,
        waived: false,
      },
    ],
  ],
  'gemini-interactions': [
    checkGeminiInteractions,
    {
      model: 'gemini-3-pro',
      previous_interaction_id: 'i1',
      system_instruction: 'x',
      generation_config: { max_output_tokens: 5, tool_choice: 'auto' },
      tools: [{ type: 'google_search' }, { type: 'function', name: 'f', parameters: schema }],
      input: [
        {
          type: 'user_input',
          content: [
            { type: 'text', text: 'x' },
            { type: 'image', data: 'aGk=', mime_type: 'image/png' },
          ],
        },
        { type: 'thought', signature: 's', summary: [{ type: 'text', text: 'x' }] },
        { type: 'google_search_call', id: 'g', arguments: { queries: ['x'] } },
        { type: 'google_search_result', call_id: 'g', result: [] },
        { type: 'model_output', content: [{ type: 'text', text: 'x' }] },
        { type: 'function_call', id: 'a', name: 'f', arguments: {} },
        { type: 'function_result', call_id: 'a', name: 'f', result: [{ type: 'text', text: 'x' }] },
      ],
    },
    [
      {
        id: 'i1',
        model: 'gemini-3-pro',
        request: { store: true, input: [{ type: 'user_input', content: [{ type: 'text', text: 'x' }] }] },
        items: [
          { type: 'thought', signature: 's', summary: [{ type: 'text', text: 'x' }] },
          { type: 'model_output', content: [{ type: 'text', text: 'x' }] },
        ],
        finish: null,
        waived: false,
      },
    ],
  ],
  'openai-responses': [
    checkOpenAIResponses,
    {
      model: 'm',
      previous_response_id: 'resp_1',
      tools: [
        {
          type: 'function',
          name: 'f',
          parameters: { ...schema, required: ['city'], additionalProperties: false },
          strict: true,
        },
      ],
      tool_choice: { type: 'function', name: 'f' },
      input: [
        { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: 'x' }] },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'x' },
            { type: 'input_image', image_url: 'data:,' },
          ],
        },
        { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'e' },
        { type: 'message', id: 'msg_2', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] },
      ],
    },
    [
      {
        id: 'resp_1',
        model: 'm',
        request: { input: 'x' },
        items: [{ type: 'function_call', id: 'fc_1', call_id: 'a', name: 'f', arguments: '{}' }],
        finish: null,
        waived: false,
      },
      {
        id: 'resp_2',
        model: 'm',
        request: {},
        items: [
          { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'e' },
          { type: 'message', id: 'msg_2', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] },
        ],
        finish: null,
        waived: false,
      },
    ],
  ],
  ollama: [
    checkOllama,
    {
      model: 'm',
      tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
      messages: [
        { role: 'user', content: 'x', images: ['aGk='] },
        {
          role: 'assistant',
          content: '',
          thinking: 'x',
          tool_calls: [{ id: 'a', function: { name: 'f', arguments: {} } }],
        },
        { role: 'tool', content: 'r', tool_name: 'f', tool_call_id: 'a' },
      ],
    },
  ],
}

const odd = [undefined, null, true, 0, -1.5, '', 'x', [], {}, [null], [[]], { type: 'object' }, { role: 'user' }]

/** Every place in a value, as `[holder, member]`. */
function* places(value) {
  if (typeof value !== 'object' || value === null) return
  for (const member of Object.keys(value)) {
    yield [value, member]
    yield* places(value[member])
  }
}

for (const [wire, [check, body, given]] of Object.entries(legal)) {
  test(`${wire}: whatever stands in any place of a body, the check says something`, () => {
    assert.equal(check(body, given), null)
    let refused = 0
    const count = [...places(body)].length
    const says = (changed) => {
      const words = check(changed, given)
      assert.ok(words === null || words.length > 0)
      if (words) refused++
    }
    for (let first = 0; first < count; first++) {
      for (const value of odd) {
        const changed = structuredClone(body)
        const [holder, member] = [...places(changed)][first]
        holder[member] = structuredClone(value)
        says(changed)
        const others = [...places(changed)]
        const [other, name] = others[(first * 7 + odd.indexOf(value)) % others.length]
        other[name] = structuredClone(odd[(first + odd.indexOf(value)) % odd.length])
        says(changed)
      }
    }
    for (const value of odd) says(value)
    assert.ok(refused > count)
  })
}
