// Messages of one answer, as people get them: a comment on the work is not the answer, and each message is a paragraph
// of its own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'

const { isCommentary } = await built('commentary')
const { doingOf } = await built('doing')
const { applyDelta, applyDeltas, emptyView } = await built('view')
const { Feed } = await built('feed')
const { briefly } = await built('first')
const { MessageNumbering } = await built('message-numbering')
const { Announcer } = await built('announcer')
const { textOf } = await built('ends')
const { TextRuns } = await built('text-runs')

const note = { phase: 'commentary' }
const final = { phase: 'final_answer' }
const say = (block, text, marks) => ({ type: 'text', block, text, ...marks })

/** Answers by what the provider says of their messages, and when; `answer`: the text that is left for people. */
const answers = {
  'early phase': { deltas: [say(0, 'One moment.', note), say(1, 'It rains.', final)], answer: 'It rains.' },
  'late phase': {
    deltas: [say(0, 'One moment.'), say(0, '', note), say(1, 'It rains.'), say(1, '', final)],
    answer: 'It rains.',
  },
  'phase after the next message': {
    deltas: [say(0, 'One moment.'), say(1, 'It rains.'), say(0, '', note)],
    answer: 'It rains.',
  },
  'no phase': { deltas: [say(0, 'One moment.'), say(1, 'It rains.')], answer: 'One moment.\n\nIt rains.' },
  'commentary alone': { deltas: [say(0, 'One moment.', note)], answer: '' },
  'two equal messages': {
    deltas: [say(0, 'It rains.'), say(1, 'It rains.'), { type: 'retracted', blocks: [0] }],
    answer: 'It rains.',
  },
}
const viewOf = (deltas) => applyDeltas(emptyView('m'), deltas, deltas.length)

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

for (const [name, { deltas, answer }] of Object.entries(answers)) {
  test(`${name}: a person copies the answer, wherever it was cut`, () => {
    for (const pieces of cuts(deltas)) assert.equal(textOf(viewOf(pieces).blocks), answer)
  })

  test(`${name}: a window gets the same blocks, whatever waited for the same frame`, () => {
    const all = [...cuts(deltas)].at(-1)
    for (let frames = 0; frames < 2 ** (all.length - 1); frames++) {
      const host = emptyView('m')
      let window = emptyView('m')
      const feed = new Feed(host)
      for (const [at, delta] of all.entries()) {
        applyDelta(host, delta)
        feed.push(delta, ++host.seq)
        if (frames & (1 << at) || at === all.length - 1)
          window = applyDeltas(window, feed.take(host.seq).deltas, host.seq)
      }
      assert.deepEqual(window.blocks, host.blocks)
    }
  })

  test(`${name}: each message is drawn by itself`, () => {
    const runs = new TextRuns()
    let blocks = []
    for (const pieces of cuts(deltas)) {
      const before = blocks
      blocks = viewOf(pieces).blocks
      const from = blocks.findIndex((block, at) => block !== before[at])
      assert.deepEqual(runs.of(blocks, new Map(), true, Math.max(0, from)).shown, blocks)
    }
  })

  test(`${name}: the answer is read out sentence by sentence, and once`, () => {
    for (const pieces of cuts(deltas)) {
      const said = []
      const announcer = new Announcer({
        mode: () => 'sentences',
        name: () => 'Lulu',
        lang: () => 'en',
        words: () => ({
          elements: { codeBlock: '', outcome: {}, endings: {}, errors: {} },
          chat: { toolsUsed: String },
        }),
        say: (text) => said.push(text.trim()),
      })
      let view = emptyView('m')
      for (const delta of [...pieces, { type: 'done', outcome: 'completed' }])
        announcer.see((view = applyDeltas(view, [delta], view.seq + 1)), true)
      announcer.close()
      const once = said.join(' ').replace(/\s+/g, ' ').trim()
      // A sentence whose phase came too late was said already.
      assert.ok(
        [answer.replace(/\s+/g, ' '), `One moment. ${answer}`.trim()].includes(once),
        `${JSON.stringify(pieces)}: ${once}`,
      )
    }
  })
}

test('a fire-and-forget call does not join two messages', () => {
  const cue = { type: 'tool_use', call: 1, silent: true, status: 'success' }
  const text = (text, more) => ({ type: 'text', text, ...more })
  const shown = (...blocks) =>
    new TextRuns()
      .of(blocks, new Map(), true, 0)
      .shown.map(
        (block) => block && (block.cues ? `${block.text.replace(/[^\w. ]/g, '')} ${block.cues.length}` : block.text),
      )
  assert.match(shown(text('It '), cue, text('rains.'))[0], /^It .*rains\. 1$/)
  const [first, , second] = shown(text('It rains.'), cue, text('Take the umbrella.', { apart: true }))
  assert.match(first, /^It rains\.[^T]* 1$/)
  assert.equal(second, 'Take the umbrella.')
  assert.equal(shown(text('One moment.', note), cue, text('It rains.', final))[0], 'One moment.')
})

test('a comment that is being written is thought, not speech', () => {
  assert.equal(doingOf(viewOf([say(0, 'One moment.', note)])), 'thinking')
  assert.equal(doingOf(viewOf([say(0, 'One moment.', note), say(1, 'It', final)])), 'speaking')
  assert.equal(isCommentary({ type: 'reasoning', text: 'hm', phase: 'commentary' }), false)
  assert.equal(isCommentary(undefined), false)
})

test('an answer that goes on behind a comment begins a block of its own', () => {
  const placed = (last, event) => {
    const numbering = new MessageNumbering()
    numbering.resume(viewOf([last]))
    return numbering.translate({ seq: 0, ...event }).block
  }
  assert.equal(placed(say(0, 'It ra'), say(0, 'ins.')), 0)
  assert.equal(placed(say(0, 'It ra', final), say(0, 'ins.', final)), 0)
  assert.equal(placed(say(0, 'One moment.', note), say(0, 'It rains.', final)), 1)
  assert.equal(placed(say(0, 'It rains.', final), say(0, 'One moment.', note)), 1)
})

test('a pet that speaks first is cut behind two sentences of the answer, not of a comment', () => {
  const endedAt = (...events) => {
    let ended = 0
    const see = briefly(() => ended++)
    return events.findIndex((event) => (see(event), ended > 0))
  }
  assert.equal(
    endedAt(
      say(0, 'One. Two. Three. ', note),
      say(1, 'It rains. ', final),
      say(1, 'Take care. ', final),
      say(1, 'Bye. ', final),
    ),
    3,
  )
  assert.equal(endedAt(say(0, 'It rains. '), say(0, 'Take care. '), say(0, 'Bye. ')), 2)
})
