// Answers to begin with. None is anybody's: they show what happens to calls, near-calls and what is none.

function chunk(delta, finish = null) {
  const data = { id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] }
  return `data: ${JSON.stringify(data)}\n\n`
}

function call(index, id, name, text) {
  return chunk({
    tool_calls: [
      { index, ...(id ? { id, type: 'function' } : {}), function: { ...(name ? { name } : {}), arguments: text } },
    ],
  })
}

export const examples = {
  mixed: {
    protocol: 'vcp',
    text: `Let me look at the sky. 让我看看天气。
<<<[TOOL_REQUEST]>>>
tool_name:「始」weather.now「末」,
city:「始」杭州「末」
<<<[END_TOOL_REQUEST]>>>
A call is written like \`<<<[TOOL_REQUEST]>>>\`, and <<<[TOOL_REQUEST]>>> alone is no call.

<<<[TOOL_REQUEST]>>>
tool_name:「始」notes.add「末」,
text:「始」buy umbrellas,
due:「始」15:30「末」
<<<[END_TOOL_REQUEST]>>>
<<<[TOOL_RESULT]>>> the model made this up
`,
  },
  tags: {
    protocol: 'inline_tags',
    text:
      'Good morning! [表情:smile] Did you sleep well? [动作:TapBody] I did. ' +
      '[表情:this is far too long a name for an expression, so it stays what it is: text]\n',
  },
  json: {
    protocol: 'json_strict',
    text: `I need two things:
{"tool_calls":[{"id":"a","type":"function","function":{"name":"weather.now","arguments":{"city":"Hangzhou"}}},
 {"id":"b","type":"function","function":{"name":"notes.add","arguments":"{\\"text\\": \\"umbrella\\""}}]}
Other JSON is only text: {"answer": 42}
`,
  },
  stream: {
    protocol: '',
    text: [
      chunk({ role: 'assistant', content: 'Let me ' }),
      chunk({ content: 'look. ' }),
      call(0, 'call_1', 'weather_now', ''),
      call(0, '', '', '{"city":'),
      call(0, '', '', '"Hangzhou"}'),
      call(1, 'call_2', 'notes_add', '{"text":"umb'),
      chunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ].join(''),
  },
  cut: {
    protocol: 'vcp',
    text: 'I will write that down.\n<<<[TOOL_REQUEST]>>>\ntool_name:「始」notes.add「末」,\ntext:「始」buy umbrel',
  },
}
