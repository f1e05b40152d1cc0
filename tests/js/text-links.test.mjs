// A link whose text may be read as an address shows its true host.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'

const { Cutter } = await built('cut')
const { drawn, textOf } = await built('text-tree')

const words = { table: '', task: '', copyCsv: '', pictureFrom: () => '', pictureInText: '' }

/** What a person reads of a text. */
function read(text) {
  const { finished, tail } = new Cutter().read(text, false)
  return [...finished, ...tail]
    .flatMap((block) => drawn(block, words))
    .map(textOf)
    .join('')
    .trim()
}

test('a text with a dot of any kind, a colon or a slash shows the host of its link', () => {
  for (const text of [
    'good.example',
    'good\u2024example',
    'good\u3002example',
    'good\uff0eexample',
    'good\uff61example',
    'good.example \u2713',
    'www.good.example',
    'https://good.example/',
    'good:example',
    'good/example',
    'The end.',
  ]) {
    assert.equal(read(`[${text}](http://evil.invalid/)`), `${text} (evil.invalid)`)
  }
})

test('a text that is exactly the host or the address, or that no address can be, is left alone', () => {
  for (const [text, address] of [
    ['good.example', 'https://good.example/a'],
    ['https://good.example/a', 'https://good.example/a'],
    ['good.example/a', 'https://good.example/a'],
    ['https://good.example', 'https://good.example/'],
    ['good\uff0eexample', 'https://good.example/'],
    ['see it', 'https://good.example/'],
  ])
    assert.equal(read(`[${text}](${address})`), text, text)
})
