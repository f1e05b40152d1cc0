// What the embedded server answers: the same story in native calls or, where the request brings no tools, in vcp blocks.
export const question = 'Do I need an umbrella in Hangzhou today? If so, put it on my list.'

const story = [
  [
    { reasoning: 'The user wants to know about rain. I look at the sky first.' },
    { text: 'Let me have a look at the sky over Hangzhou ' },
    { call: { name: 'live2d.expression', arguments: { name: 'thinking' } } },
    { call: { name: 'weather.now', arguments: { city: 'Hangzhou' } } },
  ],
  [
    { text: 'Rain from four in the afternoon on, so yes: take one. I put it on your list – that needs your word. ' },
    { call: { name: 'notes.add', arguments: { text: 'Take the umbrella', due: '15:30' } } },
  ],
  [
    { call: { name: 'live2d.motion', arguments: { group: 'TapBody', index: 0 } } },
    { text: 'Done. Until half past three you can forget about it, 然后记得带伞。' },
  ],
]
const refused = [{ text: 'As you like, then it stays off your list. But do take one.' }]

export function answer({ body }) {
  const since = body.messages.slice(body.messages.findLastIndex((message) => message.role === 'user' && !isResult(message)))
  const round = since.filter((message) => message.role === 'assistant').length
  const denied = JSON.stringify(since).includes('refused')
  const parts = denied && round > 1 ? refused : (story[round] ?? [{ text: 'That is all I have in my script.' }])
  const native = Boolean(body.tools)
  return { parts: parts.map((part) => (part.call ? call(part.call, native) : part)), usage: { prompt_tokens: 412, completion_tokens: 57 } }
}

const isResult = (message) => String(message.content).includes('TOOL_RESULT')

function call({ name, arguments: args }, native) {
  if (native) return { call: { name: name.replaceAll('.', '_'), arguments: args } }
  const fields = Object.entries({ tool_name: name, ...args }).map(([key, value]) => `${key}:「始」${value}「末」`)
  return { text: `\n<<<[TOOL_REQUEST]>>>\n${fields.join(',\n')}\n<<<[END_TOOL_REQUEST]>>>\n` }
}
