// What the readers of `npm run bench:peers` read: the body of one answer in pieces, and what must come out of it.

const encoder = new TextEncoder()

const chunk = (delta, finish = null) =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-B1x9pQ2cS7',
    object: 'chat.completion.chunk',
    created: 1727346169,
    model: 'm',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  })}\n\n`
const opens = (index, name) =>
  chunk({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }] })
const writes = (index, text) => chunk({ tool_calls: [{ index, function: { arguments: text } }] })

/** `text` in pieces of `size` characters. */
function* cut(text, size) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

/** The deltas of a call, arguments in pieces of `size`. */
function* call(index, { name, args }, size) {
  yield opens(index, name)
  for (const piece of cut(JSON.stringify(args), size)) yield writes(index, piece)
}

const words = ['the', ' quick', ' brown', ' fox', ' jumps', ' over', ' 猫', ' lazily', ',', ' and', ' so', ' on', '.\n']
const prose = Array.from({ length: 2000 }, (_, i) => words[i % words.length])
const note = (i) => ({ name: 'note', args: { text: `remember number ${i}`, tags: ['a', 'b'], at: i } })

/** One SSE event is one piece, unless `size` says how many bytes a piece has. */
function workload({ name, about, events, text, calls, protocol, size }) {
  const whole = [chunk({ role: 'assistant', content: '' }), ...events, 'data: [DONE]\n\n']
  const pieces =
    size === undefined
      ? whole.map((event) => encoder.encode(event))
      : [...bytesIn(encoder.encode(whole.join('')), size)]
  return { name, about, pieces, bytes: pieces.reduce((sum, { length }) => sum + length, 0), text, calls, protocol }
}

function* bytesIn(all, size) {
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size)
}

const w1 = {
  events: [...prose.map((content) => chunk({ content })), ...call(0, note(1), 20), chunk({}, 'tool_calls')],
  text: prose.join(''),
  calls: [note(1)],
}
const large = {
  name: 'note',
  args: {
    text: Array.from({ length: 22_000 }, (_, i) => `line ${i} of "a" long text, with 汉字\n`)
      .join('')
      .slice(0, 1_000_000),
  },
}
const many = Array.from({ length: 128 }, (_, i) => note(i)) // openai reads no more

/** Text with calls in the format of a family: pieces of about a token. */
function written(name, protocol, write) {
  const calls = Array.from({ length: 20 }, (_, i) => ({
    name: 'note',
    args: { text: `remember number ${i}, a < b and so on` },
  }))
  const says = prose.slice(0, 91).join('')
  const answer = calls.map((one) => `${says}${write(one)}\n`).join('')
  return {
    name,
    protocol,
    about: `20 calls among 9 KB of text, as ${protocol} writes them, in pieces of 5 characters`,
    events: [...[...cut(answer, 5)].map((content) => chunk({ content })), chunk({}, 'stop')],
    text: says.repeat(20),
    calls,
  }
}

export const workloads = [
  workload({ name: 'W1', about: '2,000 deltas of text, and a call', ...w1 }),
  workload({
    name: 'W2',
    about: '1 MB of arguments in deltas of 20 characters',
    events: [...call(0, large, 20), chunk({}, 'tool_calls')],
    text: '',
    calls: [large],
  }),
  workload({
    name: 'W3',
    about: '128 calls in one answer',
    events: [...many.flatMap((one, i) => [...call(i, one, 20)]), chunk({}, 'tool_calls')],
    text: '',
    calls: many,
  }),
  workload({ name: 'W7a', about: 'as W1, in pieces of 16 KB', ...w1, size: 16384 }),
  workload(
    written(
      'hermes',
      'hermes',
      ({ name, args }) => `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`,
    ),
  ),
  workload(
    written(
      'qwen',
      'qwen3-coder',
      ({ name, args }) =>
        `<tool_call>\n<function=${name}>\n<parameter=text>\n${args.text}\n</parameter>\n</function>\n</tool_call>`,
    ),
  ),
]

/** The tool that all of them call. */
export const tool = {
  name: 'note',
  description: 'Takes a note.',
  parameters: {
    type: 'object',
    required: ['text'],
    properties: {
      text: { type: 'string' },
      tags: { type: 'array', items: { type: 'string' } },
      at: { type: 'integer' },
    },
  },
}
