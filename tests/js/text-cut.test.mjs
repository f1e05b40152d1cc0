// A text is cut into blocks that do not depend on how it came.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { built } from './dist.mjs'
import { counting } from './counted.mjs'
import { awkward } from './text/awkward.mjs'
import { fullest, hostileOf } from './text/hostile.mjs'
import { marks } from './text/marks.mjs'

const { cueMark } = await built('cue-marks')
const { Cutter } = await built('cut')
const { drawn, textOf } = await built('text-tree')
const { withoutHeld } = await built('unfinished')

/** Steps of a reading: the worst of these texts takes two thirds of them. */
const MOST_STEPS = 900_000

const words = {
  table: 'Table',
  task: 'Task',
  copyCsv: 'Copy as CSV',
  pictureFrom: (host) => `Picture from ${host}`,
  pictureInText: 'Picture',
}
const draw = (blocks) => blocks.flatMap((block) => drawn(block, words))
const normal = (text) => text.replace(/\r\n?/g, '\n')

/** Every block of a text that comes at once. */
function whole(text) {
  const { finished, tail } = new Cutter().read(text, false)
  assert.deepEqual(tail, [])
  return draw(finished)
}

/** The same of a text that comes in pieces which end at `cuts`. */
function inPieces(text, cuts) {
  const cutter = new Cutter()
  const all = []
  for (const cut of cuts) {
    const { finished, tail } = cutter.read(text.slice(0, cut), true)
    all.push(...draw(finished))
    draw(tail)
  }
  const { finished, tail } = cutter.read(text, false)
  assert.deepEqual(tail, [])
  return [...all, ...draw(finished)]
}

function random(seed) {
  let state = seed
  return (below) => (((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32) * below) | 0
}

const someCuts = (text, next) =>
  [...new Set(Array.from({ length: 1 + next(12) }, () => next(text.length + 1)))].sort((a, b) => a - b)

test('there are 24 awkward texts', () => assert.ok(Object.keys(awkward).length >= 24))

for (const [what, given] of Object.entries(awkward)) {
  test(`${what}: by character and at 200 random cuts it is what it is at once`, () => {
    const text = normal(given)
    const expected = whole(text)
    assert.deepEqual(
      inPieces(
        text,
        Array.from({ length: text.length }, (_, at) => at),
      ),
      expected,
    )
    const next = random(text.length)
    for (let round = 0; round < 200; round++) {
      const cuts = someCuts(text, next)
      assert.deepEqual(inPieces(text, cuts), expected, `cut at ${cuts}`)
    }
  })
}

test('random Markdown is the same however it is cut', () => {
  const next = random(7)
  for (let round = 0; round < 1500; round++) {
    const text = Array.from({ length: 3 + next(40) }, () => marks[next(marks.length)]).join('')
    const expected = whole(text)
    for (let again = 0; again < 4; again++) {
      const cuts = someCuts(text, next)
      assert.deepEqual(inPieces(text, cuts), expected, JSON.stringify({ text, cuts }))
    }
    assert.deepEqual(
      inPieces(
        text,
        Array.from({ length: text.length }, (_, at) => at),
      ),
      expected,
      JSON.stringify({ text }),
    )
  }
})

test('a block beyond the bounds is plain text to the next blank line, however it comes', () => {
  const large = {
    characters: `${'word '.repeat(2600)}`,
    markers: '*a '.repeat(1600),
    lines: 'line\n'.repeat(420),
    quote: '> a\n'.repeat(450),
    list: '- item *x*\n'.repeat(600),
  }
  for (const [what, text] of Object.entries(large)) {
    const given = `# before\n\n${text.trimEnd()}\nstill the same\n\nafter **it**`
    const expected = whole(given)
    assert.deepEqual(
      expected.map((one) => one.own ?? one.tag),
      ['h3', 'plain', 'p'],
      what,
    )
    assert.equal(expected[1].text, `${text.trimEnd()}\nstill the same`)
    assert.equal(textOf(expected[2]), 'after it')
    assert.deepEqual(
      inPieces(
        given,
        Array.from({ length: Math.floor(given.length / 97) }, (_, at) => at * 97),
      ),
      expected,
    )
  }
})

test('code in fences does not make a block too large', () => {
  const code = 'const a = *b* + `c`\n'.repeat(2000)
  assert.deepEqual(
    whole(`\`\`\`js\n${code}\`\`\`\n`).map(({ own, code }) => [own, code.length]),
    [['code', code.length - 1]],
  )
  const nested = `- item\n  \`\`\`\n${'  const a = 1\n'.repeat(1500)}  \`\`\`\n`
  assert.deepEqual(
    whole(nested).map(({ tag }) => tag),
    ['ul'],
  )
})

test('what is shown while more may come is what it will be', () => {
  const shown = (text) => {
    const { finished, tail } = new Cutter().read(text, true)
    return draw([...finished, ...tail])
      .map(textOf)
      .join('|')
  }
  const cases = [
    ['**bo', 'bo'],
    ['a **bo*', 'a bo'],
    ['a **', 'a'],
    ['see [text](htt', 'see text'],
    ['see [text](https://e.com "t', 'see text'],
    ['a ![alt](htt', 'a '],
    ['a `co', 'a co'],
    ['a ~~x', 'a x'],
    ['a\n-', 'a'],
    ['a\n\n12.', 'a'],
    ['a\n\n| Na', 'a'],
    ['a\n\n| N |\n|--', 'a'],
    ['**a** b', 'a b'],
    ['a &am', 'a'],
    ['x\n##', 'x'],
  ]
  assert.deepEqual(
    cases.map(([text]) => shown(text)),
    cases.map(([, now]) => now),
  )
  assert.deepEqual(draw(new Cutter().read('**bo', true).tail)[0].children[0].tag, 'strong')
})

test('at most 24 characters are held back', () => {
  for (const text of [
    ...Object.values(awkward).flatMap((text) => Array.from(text, (_, at) => text.slice(0, at))),
    '*'.repeat(100),
    '| a '.repeat(30),
    `a\n${'-'.repeat(60)}`,
    '&#'.repeat(40),
  ]) {
    assert.ok(text.length - withoutHeld(text).length <= 24, JSON.stringify(text))
    assert.ok(text.startsWith(withoutHeld(text)))
  }
})

test('recorded texts of models are the same however they are cut', (t) => {
  const folder = process.env.SLUICE_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url))
  if (!existsSync(join(folder, 'texts'))) return t.skip('no recorded texts')
  const next = random(3)
  for (const name of readdirSync(join(folder, 'texts'), { recursive: true })
    .filter((name) => /\.(json|txt)$/.test(name))
    .sort()) {
    const text = normal(readFileSync(join(folder, 'texts', name), 'utf8')).slice(0, 6000)
    assert.deepEqual(inPieces(text, someCuts(text, next)), whole(text), name)
  }
})

test('hostile texts take work by their length, and the end that is read again while more comes takes little', async (t) => {
  const counter = await counting(['/js/dist/', '/markdown-it'])
  t.after(() => counter.end())
  const read = (text, open) =>
    counter.steps(() => {
      const { finished, tail } = new Cutter().read(text, open)
      draw([...finished, ...tail])
    })
  const [once, twice] = [hostileOf(20_000), hostileOf(40_000)]
  assert.ok(Object.keys(once).length >= 40)
  const most = { steps: 0, what: '' }
  const wrong = []
  for (const [what, text] of Object.entries(once)) {
    const [one, two] = [await read(text, false), await read(twice[what], false)]
    if (two > 2.1 * Math.max(one, 2000)) wrong.push(`${what}: ${one} steps, ${two} for twice the text`)
    const steps = await read(fullest(text), true)
    if (steps > most.steps) Object.assign(most, { steps, what })
  }
  t.diagnostic(`${Object.keys(once).length} texts; the most that is read at once: ${most.steps} steps (${most.what})`)
  assert.deepEqual(wrong, [])
  assert.ok(most.steps < MOST_STEPS, `${most.what}: ${most.steps} steps`)
})

test('however deep it is nested, and however long the run of marks, nothing of a text is lost', () => {
  const shown = (node) =>
    typeof node === 'string' ? node : (node.code ?? node.text ?? node.children?.map(shown).join('') ?? '')
  const deep = [
    ['> '.repeat(1000), 'quoted'],
    ['>'.repeat(1000), ' quoted'],
    ['- '.repeat(300), 'item'],
    ['1. '.repeat(300), 'item'],
    ['> - '.repeat(200), 'both'],
    [Array.from({ length: 90 }, (_, at) => `${' '.repeat(at * 2)}- item ${at}\n`).join(''), `${' '.repeat(180)}- last`],
  ]
  for (const [before, end] of deep) {
    const blocks = whole(`before\n\n${before}${end}\n\nafter`)
    const text = blocks.map(shown).join('\n')
    for (const word of ['before', ...(before.match(/item \d+/g) ?? []), end.trim().replace(/^- /, ''), 'after'])
      assert.ok(text.includes(word), `${before.slice(0, 20)}: no ${word}`)
    assert.deepEqual(inPieces(`before\n\n${before}${end}\n\nafter`, [12, 100, 777]), blocks)
  }
  for (const marks of [
    '`'.repeat(10_000),
    `${'`'.repeat(10_000)} ts`,
    `a ${'`'.repeat(10_000)} b`,
    `- ${'`'.repeat(10_000)}`,
    '~'.repeat(10_000),
    `a ${'*'.repeat(1000)}`,
    '['.repeat(1000),
    '$'.repeat(1000),
    '\\'.repeat(2001),
  ]) {
    const text = whole(`${marks}\n\nafter`).map(shown)
    const left = text[0].length
    assert.ok(
      left >= Math.min(marks.length - 2, marks.startsWith('\\') ? marks.length / 2 : Infinity),
      `${marks.slice(0, 5)}: ${left} of ${marks.length}`,
    )
    assert.equal(text[1], 'after')
  }
})

test('half a table is text until its second line is there, and then every cell that came', () => {
  const shown = (text) =>
    whole(text).map((node) =>
      node.tag === 'p'
        ? textOf(node)
        : node.children[1].children[0].children.flatMap(({ children }) =>
            children.map((row) => row.children.map(textOf)),
          ),
    )
  assert.deepEqual(shown('| a | b |'), ['| a | b |'])
  assert.deepEqual(shown('| a | b |\n|---|'), ['| a | b ||---|'])
  assert.deepEqual(shown('| a | b |\n|---|---|\n| 1'), [
    [
      ['a', 'b'],
      ['1', ''],
    ],
  ])
  assert.deepEqual(shown('| a | b |\n|---|---|\n| 1 | 2 |\n| 3'), [
    [
      ['a', 'b'],
      ['1', '2'],
      ['3', ''],
    ],
  ])
})

test('bare addresses end where the sentence goes on', () => {
  const links = (text) => {
    const found = []
    const walk = (node) => {
      if (node.tag === 'a') found.push(textOf(node))
      node.children?.forEach(walk)
    }
    whole(text).forEach(walk)
    return found
  }
  const cases = {
    '见https://example.com/a。再': ['https://example.com/a'],
    '（https://example.com/a）': ['https://example.com/a'],
    'https://example.com这里': ['https://example.com'],
    '(https://example.com/a_(b))': ['https://example.com/a_(b)'],
    'https://example.com/a, b': ['https://example.com/a'],
    'https://example.com.': ['https://example.com'],
    'https://zh.example.org/wiki/中文，是': ['https://zh.example.org/wiki/中文'],
    'README.md www.example.com': [],
    'xhttps://example.com': [],
    'ftp://example.com': [],
    'https://': [],
    'mailto:a@example.com；': ['mailto:a@example.com'],
    'mailto:nobody': [],
    '`https://example.com`': [],
    '[a](https://example.com/b)': ['a'],
    '<https://example.com/x y>': ['https://example.com/x'],
    '“https://example.com/a”': ['https://example.com/a'],
    'https://example.com/a**b**': ['https://example.com/a'],
    'HTTPS://EXAMPLE.com/': ['HTTPS://EXAMPLE.com/'],
    'https://a_b_c.example/d_e_': ['https://a_b_c.example/d_e'],
  }
  assert.deepEqual(Object.keys(cases).map(links), Object.values(cases))
})

test('the mark of a call changes nothing of the text around it', () => {
  const bare = (nodes) =>
    JSON.stringify(nodes, (_, node) => {
      if (!Array.isArray(node)) return node
      const kept = node.filter((one) => one.own !== 'cue' && one.attributes?.class !== 'cues')
      return kept.reduce(
        (all, one) =>
          typeof one === 'string' && typeof all.at(-1) === 'string'
            ? [...all.slice(0, -1), all.at(-1) + one]
            : [...all, one],
        [],
      )
    })
  const wrong = []
  let cues = 0
  for (const [before, after] of [
    ['Wait. ', 'What?'],
    ['', '# Title'],
    ['One.\n\n', '# Two'],
    ['one\n', 'two'],
    ['- a\n', '- b'],
    ['```js\na\n', 'b\n```'],
    ['```js\na', 'b\n```'],
    ['```\na\n```', '\n\nend'],
    ['a **b', 'c** d'],
    ['---', '\n\nx'],
    ['> q\n\n', 'x'],
    ['`a', 'b`'],
    ['https://example.com/a', ' b'],
    ['# T', '\n\nx'],
  ]) {
    const marked = whole(before + cueMark(0, before) + after)
    if (bare(marked) !== bare(whole(before + after))) wrong.push([before, after, bare(marked)])
    if (JSON.stringify(marked).includes('"cue"')) cues++
    if (JSON.stringify(marked).includes('\ufdd0')) wrong.push([before, after, 'the mark is shown'])
  }
  assert.deepEqual(wrong, [])
  assert.ok(cues >= 10, `${cues} marks are drawn`)
})
