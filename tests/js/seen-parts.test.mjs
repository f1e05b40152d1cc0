// Which parts of a long line were seen, whichever order they came in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'

const { SeenParts } = await built('seen-parts')

const size = { width: 300, height: 128 }
const seen = (...parts) => {
  const all = new SeenParts()
  for (const [top, bottom, its = size] of parts) all.add({ top, bottom }, its)
  return all
}

test('what was not seen begins where the parts from the top end', () => {
  assert.equal(new SeenParts().end(size), 0)
  assert.equal(seen([60, 90]).end(size), 0)
  assert.equal(seen([60, 90], [0, 40]).end(size), 40)
  assert.equal(seen([60, 90], [0, 40], [30, 61]).end(size), 90)
  assert.equal(seen([60, 128], [0, 40], [30, 61]).end(size), Infinity)
  assert.equal(seen([30, 128], [0, 27]).end(size), Infinity, 'between lines there is no ink')
})

test('a size that measures a little differently at another place is the same', () => {
  const other = { width: 300.00003, height: 127.99997 }
  assert.equal(seen([0, 70], [65, 128, other]).end(size), Infinity)
  assert.equal(seen([0, 70]).end(other), 70)
})

test('with another size nothing was seen, however slowly it came', () => {
  assert.equal(seen([0, 128]).end({ width: 150, height: 256 }), 0)
  const all = seen([0, 70])
  for (let by = 0.5; by < 4; by += 0.5) all.add({ top: 80, bottom: 90 }, { width: 300 + by, height: 128 })
  assert.equal(all.end({ width: 303.5, height: 128 }), 0)
})
