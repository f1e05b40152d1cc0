// Pages of the AI SDK and of AG-UI, and readers of durable turns, get each message as a part, with its phase, however
// late that is known.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'

const { EventWriter } = await built('event-writer')
const { MessageWriter } = await built('message-writer')
const { messageFrom } = await built('read-chunks')
const { chunksFor } = await built('saved-answer')

const note = { phase: 'commentary' }
const final = { phase: 'final_answer' }
const say = (block, text, marks) => ({ type: 'text', block, text, ...marks })

const answers = {
  'early phase': [
    [say(0, 'One moment.', note), say(1, 'It rains.', final)],
    [
      ['One moment.', 'commentary'],
      ['It rains.', 'final_answer'],
    ],
  ],
  'late phase': [
    [say(0, 'One moment.'), say(0, '', note), say(1, 'It rains.'), say(1, '', final)],
    [
      ['One moment.', 'commentary'],
      ['It rains.', 'final_answer'],
    ],
  ],
  'phase after the next message': [
    [say(0, 'One moment.'), say(1, 'It rains.'), say(0, '', note)],
    [
      ['One moment.', 'commentary'],
      ['It rains.', undefined],
    ],
  ],
  'no phase': [
    [say(0, 'One moment.'), say(1, 'It rains.')],
    [
      ['One moment.', undefined],
      ['It rains.', undefined],
    ],
  ],
  'commentary alone': [[say(0, 'One moment.', note)], [['One moment.', 'commentary']]],
  'two equal messages': [
    [say(0, 'It rains.'), say(1, 'It rains.')],
    [
      ['It rains.', undefined],
      ['It rains.', undefined],
    ],
  ],
}

/** The same events with their texts in two pieces, for each place of each text. */
function* cuts(events) {
  yield events
  for (const [at, event] of events.entries()) {
    for (let place = 1; place < event.text.length; place++) {
      yield [
        ...events.slice(0, at),
        { ...event, text: event.text.slice(0, place) },
        { ...event, text: event.text.slice(place) },
        ...events.slice(at + 1),
      ]
    }
  }
}
const turnOf = (events) => [{ type: 'request', round: 1 }, ...events].map((event, seq) => ({ seq, ...event }))
function messageOf(events, outcome) {
  const blocks = []
  for (const { type, block, text, phase } of events) {
    if (type !== 'text') continue
    const old = blocks[block] ?? { type, round: 1, text: '' }
    blocks[block] = { ...old, text: old.text + text, ...(phase ? { phase } : {}) }
  }
  return { role: 'assistant', rounds: 1, blocks, ...(outcome ? { outcome } : {}) }
}

/** What a page shows of the chunks: each text with its phase. Throws where the AI SDK's reader does. */
function shownOf(chunks) {
  const parts = new Map()
  const open = new Set()
  for (const chunk of chunks) {
    const phase = chunk.providerMetadata?.sluice?.phase
    if (chunk.type === 'text-start') {
      open.add(chunk.id)
      parts.set(chunk.id, { text: parts.get(chunk.id)?.text ?? '', phase: phase ?? parts.get(chunk.id)?.phase })
    } else if (chunk.type === 'text-delta') {
      assert.ok(open.has(chunk.id), 'a delta without its start')
      const part = parts.get(chunk.id)
      part.text += chunk.delta
      part.phase = phase ?? part.phase
    } else if (chunk.type === 'text-end') assert.ok(open.delete(chunk.id), 'an end without its start')
    else if (chunk.type === 'data-sluice-phase') parts.get(chunk.data.part).phase = chunk.data.phase
  }
  assert.equal(open.size, 0)
  return [...parts.values()].map(({ text, phase }) => [text, phase])
}

/** What a client of AG-UI shows. One before 1.0 refuses an empty piece. */
function heardOf(events) {
  const messages = new Map()
  for (const event of events) {
    if (event.type === 'TEXT_MESSAGE_START')
      messages.set(event.messageId, { text: '', phase: event.metadata?.sluice.phase })
    else if (event.type === 'TEXT_MESSAGE_CONTENT') {
      assert.notEqual(event.delta, '')
      messages.get(event.messageId).text += event.delta
    } else if (event.type === 'CUSTOM' && event.name === 'sluice.phase')
      messages.get(event.value.messageId).phase = event.value.phase
  }
  return [...messages.values()].map(({ text, phase }) => [text, phase])
}

for (const [name, [events, expected]] of Object.entries(answers)) {
  test(`the AI SDK, ${name}: a part for each message, with its phase`, () => {
    for (const pieces of cuts(events)) {
      const writer = new MessageWriter('m', [])
      const chunks = [
        writer.start,
        ...turnOf(pieces).flatMap((event) => writer.take(event)),
        ...writer.end({ outcome: 'completed' }),
      ]
      assert.deepEqual(shownOf(chunks), expected)
      const parts = messageFrom('m', chunks).parts.filter(({ type }) => type === 'text')
      assert.deepEqual(
        parts.map(({ text }) => text),
        expected.map(([text]) => text),
      )
      const later = new MessageWriter('m', [])
      assert.deepEqual(
        shownOf([...later.retell(messageOf(pieces)), ...later.end({ outcome: 'completed' })]),
        expected,
        'the first load',
      )
    }
  })

  test(`AG-UI, ${name}: a message for each message, with its phase`, () => {
    for (const protocolVersion of ['1.0', undefined])
      for (const pieces of cuts(events)) {
        const writer = new EventWriter(
          { threadId: 't', runId: 'r', ...(protocolVersion ? { protocolVersion } : {}) },
          'm',
          [],
        )
        const told = turnOf(pieces).flatMap((event) => writer.take(event))
        const known = expected.map(([text, phase]) => [
          text,
          protocolVersion || name.includes('late') || name.includes('after') ? phase : undefined,
        ])
        assert.deepEqual(heardOf(told), known)
      }
  })

  test(`a durable turn, ${name}: whoever has a part of it gets the rest, with the phases`, async () => {
    for (const pieces of cuts(events)) {
      const all = turnOf(pieces)
      const end = messageOf(pieces, 'completed')
      for (let has = 0; has <= all.length; has++) {
        const before = new MessageWriter('m', [])
        const first = [
          ...all.slice(0, has).flatMap((event) => before.take(event)),
          ...before.end({ outcome: 'completed' }),
        ].filter(({ type }) => type !== 'finish')
        // The log from its beginning, or a worker that was lost: what the next one begins with.
        for (const log of [
          all,
          [{ type: 'reset', message: messageOf(all.slice(0, has)) }, ...all.slice(has)],
          [...all.slice(0, has), { type: 'reset', message: messageOf(all) }],
        ]) {
          const turns = {
            async *events() {
              yield* log
              yield { type: 'done', outcome: 'completed' }
            },
            status: async () => ({ phase: 'done', questions: [], message: end, outcome: 'completed' }),
          }
          const going = { message: messageOf(all.slice(0, has)), decided: new Set(), results: new Set() }
          const chunks = []
          for await (const one of chunksFor(
            { turns, turn: 't', writer: new MessageWriter('m', []), onEnd: async () => {} },
            going,
          ))
            chunks.push(...one.chunks.map((chunk) => JSON.parse(chunk)))
          assert.deepEqual(
            chunks.filter(({ type }) => type === 'error'),
            [],
            `has ${has}`,
          )
          if (has === all.length)
            assert.deepEqual(
              chunks.filter(({ type }) => /^(text|data)-/.test(type)),
              [],
              'nothing is told twice',
            )
          assert.deepEqual(
            shownOf([...first, ...chunks]),
            expected,
            `has ${has} of ${JSON.stringify(all)}, log ${JSON.stringify(log)}`,
          )
        }
      }
    }
  })
}

test('the first load says which message a later one repeats', () => {
  const writer = new MessageWriter('m', [])
  const message = messageOf([say(0, 'It rains.'), say(1, 'It rains.')])
  message.blocks[0].retracted = true
  const chunks = writer.retell(message)
  const [first] = chunks.filter(({ type }) => type === 'text-start')
  assert.deepEqual(
    chunks.filter(({ type }) => type === 'data-sluice-retracted'),
    [{ type: 'data-sluice-retracted', data: { parts: [first.id] } }],
  )
})
