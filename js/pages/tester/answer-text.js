// The text of a recorded answer. Offsets of the engine are bytes of it.
const texts = (items, of) =>
  Array.isArray(items)
    ? items
        .map(of)
        .filter((text) => typeof text === 'string')
        .join('')
    : ''

/** The text in an event of each wire, or in a whole answer. */
const textIn = {
  'openai-chat': ({ choices: [choice] = [] }) => choice?.delta?.content ?? choice?.message?.content,
  'openai-responses': ({ type, delta, output }) =>
    type === 'response.output_text.delta' ? delta : texts(output, ({ content }) => texts(content, ({ text }) => text)),
  anthropic: ({ type, delta, content_block: block, content }) =>
    type === 'message' ? texts(content, ({ text }) => text) : (delta?.text ?? block?.text),
  gemini: ({ candidates: [candidate] = [] }) =>
    texts(candidate?.content?.parts, ({ text, thought }) => (thought ? '' : text)),
  'gemini-interactions': ({ delta, step, steps }) =>
    delta
      ? delta.type === 'text'
        ? delta.text
        : ''
      : texts(step ? [step] : steps, ({ type, content }) =>
          type === 'model_output' ? texts(content, ({ text }) => text) : '',
        ),
  ollama: ({ message }) => message?.content,
}

/** What was said by the model: the input itself, or what the recorded answer carries. */
export function answerText(input, wire) {
  if (wire === 'text') return input
  return texts(eventsIn(input), (event) => {
    try {
      return textIn[wire](event)
    } catch {
      return '' // what is no event of this wire
    }
  })
}

/** The events of a stream, or a whole answer. */
function eventsIn(input) {
  const whole = json(input)
  if (whole !== undefined) return [whole].flat()
  return input
    .split(/\r\n|\r|\n/)
    .map((line) => json(line.replace(/^data:/, '')))
    .filter((event) => event !== undefined)
}

function json(text) {
  try {
    return JSON.parse(text)
  } catch {} // [DONE], or a line that was cut
}
