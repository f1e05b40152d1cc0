// What a question takes on a terminal: counted wrong, it would be longer than the screen.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'

const { columns, rowsOf } = await built('rows')

const plain = (_, text) => text

test('characters take the columns that terminals draw them in, and never fewer', () => {
  for (const [text, width] of [
    ['aé-', 1],
    ['中あ가ｆ（', 2],
    ['\u{20000}\u{2A6D6}\u{30000}\u{3134A}', 2],
    ['\u{17000}\u{1B000}\u{1F200}\ufe10', 2],
    ['👍❤🇨', 2],
    ['\u093e\u0bbf', 1],
    ['\u0301\u0e48\u20dd', 0],
    ['\ufe0f', 1],
  ]) {
    for (const point of text) assert.equal(columns(point), width, `U+${point.codePointAt(0).toString(16)}`)
  }
})

test('no row is wider than the terminal, whatever is in it', () => {
  const rows = rowsOf([{ text: `${'\u{20BB7}'.repeat(50)}${'का'.repeat(50)}${'a\t'.repeat(50)}` }], 40, plain)
  for (const row of rows) {
    assert.doesNotMatch(row, /\t/, 'where a tab ends depends on what stands in front of it')
    assert.ok([...row].reduce((sum, point) => sum + columns(point), 0) <= 40, row)
  }
  assert.ok(rows.length >= 12, `${rows.length} rows`)
  assert.equal(rows.join('').replaceAll('    ', '\t'), `${'\u{20BB7}'.repeat(50)}${'का'.repeat(50)}${'a\t'.repeat(50)}`)
})
