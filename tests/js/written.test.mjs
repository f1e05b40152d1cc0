// What a model has written of a call's arguments so far: the same however it comes, and each character is read once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'
import { assertLinear } from './work.mjs'

const { Written } = await built('written')

const all = (text) => new Written().read(text, 100, 10_000)
const pairs = (read) => read?.members.map(({ name, value, cut }) => [name, value, ...(cut ? ['cut'] : [])])

test('members are told by name and value, complete or not', () => {
  assert.deepEqual(pairs(all('{"a": "x\\n\\"y", "b": {"c": [1, "},{"]} , "d": tru')), [
    ['a', 'x\n"y'],
    ['b', '{"c": [1, "},{"]}'],
    ['d', 'tru'],
  ])
  assert.deepEqual(pairs(all('{"a\\u0062": "\\ud83d\\ude00\\')), [['ab', '😀']])
  assert.deepEqual(pairs(all('{"a"')), [['a', '']])
  for (const text of ['', ' \n{', '{}', '<a b="c">', '["a"]', '{a', ']{"a":1', 'x {"a":1}'])
    assert.deepEqual(all(text).members, [], text)
})

test('it is the same however it is cut, and a text that is another one is read anew', () => {
  const text = '{"to":"Li\\\\n\\u00e9","list":[{"x":"\\"}"}],"n":-1.5e3,"t":"end"}'
  for (let cut = 1; cut < text.length; cut++) {
    const written = new Written()
    assert.deepEqual(written.read(text.slice(0, cut), 100, 10_000), all(text.slice(0, cut)))
    assert.deepEqual(written.read(text, 100, 10_000), all(text), `cut at ${cut}`)
    assert.deepEqual(written.read('{"a":1', 100, 10_000), all('{"a":1'))
  }
})

test('of much the end is given, and no escape is cut in two', () => {
  const read = (text, shown, most = 100) => pairs(new Written().read(text, most, shown))
  assert.deepEqual(read('{"a":"12345678"', 4), [['a', '678', 'cut']])
  for (let shown = 3; shown < 30; shown++)
    assert.match(
      read('{"a":"x\\u202ey\\\\u202e\\nz"', shown)[0][1],
      /^(?:(?:(?:(?:x?\u202e)?y)?\\)?u?2?0?2?e?)?\n?z$/,
      String(shown),
    )
  assert.ok(read(`{"a":"${'\\\\'.repeat(1000)}`, 20)[0][1].length < 60)
  assert.deepEqual(new Written().read('{"a":1,"b":2,"c":3', 2, 100), {
    members: [
      { name: 'b', value: '2', cut: false },
      { name: 'c', value: '3', cut: false },
    ],
    before: 1,
  })
})

test('twice as many pieces of 50 characters cost twice as much', async () => {
  await assertLinear((marks) => {
    const text = `{"a":"${'\\n<b>'.repeat(marks)}"}`
    const written = new Written()
    for (let at = 0; at < text.length; at += 50) written.read(text.slice(0, at), 6, 1500)
  }, 25_000)
})
