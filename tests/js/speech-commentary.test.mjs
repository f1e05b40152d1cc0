// A voice says the answer once: no comments on the work, no text that was withdrawn, and two messages are two
// sentences.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'
import { SluiceError } from 'sluice'
import { speechSegmenter, speaker } from 'sluice/speech'
import { FakeClock, FakeMessage, FakeVoice, settled } from './speech-support.mjs'

const { Sayings } = await built('sayings')

const NOTE = 'Let me look at the forecast. Then I see to the roads.'
const ANSWER = 'It rains in Rome today. Take the umbrella with you.'
const note = { phase: 'commentary' }
const final = { phase: 'final_answer' }
const say = (block, text, marks) => ({ type: 'text', block, text, ...marks })
const withdrawn = { type: 'retracted', blocks: [0] }

const answers = {
  'early phase': { deltas: [say(0, NOTE, note), say(1, ANSWER, final)], said: [ANSWER] },
  'late phase': {
    deltas: [say(0, NOTE), say(0, '', note), say(1, ANSWER), say(1, '', final)],
    late: NOTE,
    said: [ANSWER],
  },
  'phase after the next message': {
    deltas: [say(0, NOTE), say(1, ANSWER), say(0, '', note)],
    late: NOTE,
    said: [ANSWER],
  },
  'no phase': { deltas: [say(0, NOTE), say(1, ANSWER)], said: [NOTE, ANSWER] },
  'commentary alone': { deltas: [say(0, NOTE, note)], said: [] },
  'two equal messages': { deltas: [say(0, ANSWER), say(1, ANSWER), withdrawn], late: ANSWER, said: [ANSWER] },
}

/** The same deltas with their texts in two pieces, for each place of each text. */
function* cuts(deltas) {
  yield deltas
  for (const [at, delta] of deltas.entries()) {
    for (let place = 1; place < (delta.text ?? '').length; place++) {
      yield [
        ...deltas.slice(0, at),
        { ...delta, text: delta.text.slice(0, place) },
        { ...delta, text: delta.text.slice(place) },
        ...deltas.slice(at + 1),
      ]
    }
  }
}

/**
 * What a voice says of deltas that come in these batches, each a change of the message. `spoken`: so many pieces end
 * after each batch.
 */
async function heardOf(batches, { spoken = 0, ...options } = {}) {
  const voice = new FakeVoice()
  const message = new FakeMessage()
  const speaks = speaker({ voice, clock: new FakeClock(), ...options })
  const end = async () => speaks.state === 'speaking' && (await voice.end())
  speaks.follow(message)
  for (const batch of batches) {
    message.push(...batch)
    await settled()
    for (let count = 0; count < spoken; count++) await end()
  }
  message.done()
  while (speaks.state === 'speaking') await end()
  speaks.close()
  return voice.said.join(' ')
}

for (const [name, { deltas, said, late = '' }] of Object.entries(answers)) {
  test(`speech, ${name}: what is known when the voice begins is said once, wherever it was cut`, async () => {
    for (const pieces of cuts(deltas)) assert.equal(await heardOf([pieces]), said.join(' '))
  })

  test(`speech, ${name}: as it streams, the answer is complete, and no more is said than what was heard before it was withdrawn`, async () => {
    for (const spoken of [0, 1, 9]) {
      for (const pieces of cuts(deltas)) {
        const heard = await heardOf(
          pieces.map((delta) => [delta]),
          { spoken },
        )
        const rest = heard.endsWith(said.join(' '))
          ? heard.slice(0, heard.length - said.join(' ').length).trim()
          : undefined
        assert.ok(rest !== undefined && late.startsWith(rest), `${spoken}: ${heard}`)
        if (spoken === 0)
          assert.ok(rest === '' || NOTE.startsWith(`${rest} Then`), `only the sentence that had begun: ${heard}`)
      }
    }
  })
}

test('speech: `commentary` says comments, each message as its own text', async () => {
  for (const name of ['early phase', 'late phase']) {
    for (const pieces of cuts(answers[name].deltas))
      assert.equal(await heardOf([pieces], { segments: { commentary: true } }), `${NOTE} ${ANSWER}`)
  }
  const cutter = speechSegmenter({ commentary: true })
  const segments = [
    ...[say(0, 'One moment', note), say(1, 'It rains', final)].flatMap((delta) => cutter.push(delta)),
    ...cutter.end(),
  ]
  assert.deepEqual(
    segments.map(({ block, from, to, text }) => [block, from, to, text]),
    [
      [0, 0, 10, 'One moment'],
      [1, 0, 8, 'It rains'],
    ],
  )
  assert.throws(
    () => speechSegmenter({ commentary: 'yes' }),
    (error) => error instanceof SluiceError && error.code === 'option' && /commentary/.test(error.message),
  )
})

test('speech: cues of a comment are sent all the same, with the words that follow', () => {
  const cutter = speechSegmenter()
  const cue = { type: 'ipc', call: 1, channel: 'c', payload: [], block: 0, offset: 4 }
  const segments = [
    ...[say(0, NOTE, note), cue, say(2, ANSWER, final)].flatMap((delta) => cutter.push(delta)),
    ...cutter.end(),
  ]
  assert.equal(segments.map(({ text }) => text).join(' '), ANSWER)
  assert.deepEqual(
    segments.flatMap(({ cues }) => cues.map(({ call, at }) => [call, at])),
    [[1, 0]],
  )
})

test('speech: a bubble shows the answer without comments', () => {
  for (const pieces of cuts(answers['early phase'].deltas)) {
    const message = new FakeMessage()
    const sayings = new Sayings()
    for (const delta of [...pieces, { type: 'done', outcome: 'completed' }]) {
      message.push(delta)
      sayings.take(message.getSnapshot(), 0)
    }
    assert.equal(sayings.sentences.join(' '), ANSWER)
  }
})
