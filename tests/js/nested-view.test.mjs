// What windows show of calls that tools make of other tools: cards within the card of the caller.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'

const { applyDeltas, emptyView } = await built('view')
const { findCard } = await built('cards')
const { MessageNumbering } = await built('message-numbering')

const parent = { call: 1, name: 'script.run' }
const began = applyDeltas(
  emptyView('m'),
  [
    { type: 'text', block: 0, text: 'Hi' },
    { type: 'card', block: 1, call: 1, name: 'script.run', status: 'executing', round: 1 },
    { type: 'card', call: 2, parent, name: 'fs.read', status: 'awaiting_approval' },
    { type: 'card', call: 3, parent: { call: 2, name: 'fs.read' }, name: 'deep', status: 'pending' },
  ],
  1,
)

test('a nested card is in its caller, at every depth, and no block moves', () => {
  assert.deepEqual(
    began.blocks.map(({ type }) => type),
    ['text', 'tool_use'],
  )
  const [, card] = began.blocks
  assert.deepEqual([card.nested[0].call, card.nested[0].nested[0].call], [2, 3])
  assert.equal(findCard(began.blocks, 3).name, 'deep')
  assert.equal(findCard(began.blocks, 9), undefined)
})

test('deltas of a nested call change its card, and leave the view of before as it was', () => {
  const next = applyDeltas(
    began,
    [
      { type: 'progress', call: 3, text: 'half' },
      { type: 'card', call: 2, parent, status: 'success', output: 'x' },
      { type: 'text', block: 2, text: 'Done' },
    ],
    2,
  )
  assert.equal(findCard(next.blocks, 3).progress, 'half')
  assert.deepEqual([findCard(next.blocks, 2).status, findCard(next.blocks, 2).output], ['success', 'x'])
  assert.equal(findCard(began.blocks, 2).status, 'awaiting_approval')
  assert.equal(findCard(began.blocks, 3).progress, undefined)
  assert.equal(next.blocks.length, 3)
})

test('a message that goes on gives its next call a number that no nested call has, and names its caller by it', () => {
  const numbering = new MessageNumbering()
  numbering.resume(began)
  const caller = numbering.translate({ type: 'card', block: 0, call: 1, name: 'script.run', seq: 1 })
  const nested = numbering.translate({ type: 'card', call: 2, parent, name: 'fs.read', seq: 2 })
  assert.deepEqual([caller.call, nested.call, nested.parent, 'block' in nested], [4, 5, { ...parent, call: 4 }, false])
})
