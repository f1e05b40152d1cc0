// Markdown on the terminal, as it streams: what it looks like, that the way it was cut does not matter, and that no row
// is printed twice.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { built } from './dist.mjs'
import { screenOf } from './terminal-screen.mjs'

const { Paper } = await built('paper')
const { Prose } = await built('prose')
const { columns: widthOf } = await built('rows')

function shown(pieces, { columns = 60, env = { TERM: 'xterm' }, watch } = {}) {
  let bytes = ''
  const paper = new Paper({ write: (text) => (bytes += text.replaceAll('\n', '\r\n')), isTTY: true, columns }, env)
  const prose = new Prose(paper)
  for (const piece of pieces) {
    prose.push(piece)
    watch?.(bytes)
  }
  prose.end()
  return screenOf(bytes, columns, { styles: true })
}
const rows = (text, options) => shown([text], options)

let seed = 7
const random = (below) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below
function cut(text, size) {
  const points = Array.from(text) // halves of a character wait in front of it
  const pieces = []
  for (let at = 0; at < points.length; ) {
    const next = at + (size || 1 + random(40))
    pieces.push(points.slice(at, next).join(''))
    at = next
  }
  return pieces
}

test('emphasis, code, links, headings, lists, quotations, rules', () => {
  for (const [text, ...wanted] of [
    ['a **bold** b', 'a [1]bold[0] b'],
    ['a *slanted* _too_', 'a [3]slanted[0] [3]too[0]'],
    ['***both***', '[1;3]both[0]'],
    ['**a *b* c**', '[1]a [1;3]b[1] c[0]'],
    ['~~gone~~ ~one~', '[9]gone[0] ~one~'],
    ['snake_case_name 2 * 3 * 4', 'snake_case_name 2 * 3 * 4'],
    ['这是**“计划”**：先', '这是[1]“计划”[0]：先'],
    ['**注意：**请', '[1]注意：[0]请'],
    ['**open and *open', '**open and *open'],
    ['a ** b **', 'a ** b **'],
    ['`code` ``a ` b`` `open', '[36]code[0] [36]a ` b[0] `open'],
    ['`**no bold**`', '[36]**no bold**[0]'],
    ['**`x`**', '[1;36]x[0]'],
    [String.raw`\*no\* \\ \a`, String.raw`*no* \ \a`],
    ['[words](https://a.example/x_y)', '[4]words[2] (https://a.example/x_y)[0]'],
    ['[https://a.example](https://b.example)', '[4]https://a.example[2] (https://b.example)[0]'],
    ['[https://a.example](https://a.example)', '[4]https://a.example[0]'],
    ['![cat](https://a.example/c.png)', '[4]picture: cat[2] (https://a.example/c.png)[0]'],
    ['<https://a.example/*x*>', '[4]https://a.example/*x*[0]'],
    ['[x] [y](', '[x] [y]('],
    ['a < b', 'a < b'],
    ['<b>x</b>', '<b>x</b>'],
    ['# One **two**', '[1]One [1;1]two[0]'],
    ['#tag', '#tag'],
    ['- a\n* b\n+ c', '• a', '• b', '• c'],
    ['1. a\n   - b\n2) c', '1. a', '   • b', '2) c'],
    ['- [ ] a\n- [x] b', '☐ a', '☑ b'],
    ['> a\n>> b\n> - c', '[2]│ [0]a', '[2]│ │ [0]b', '[2]│ [0]• c'],
    ['---\n***', `[2]${'─'.repeat(40)}[0]`, `[2]${'─'.repeat(40)}[0]`],
    ['**', '**'],
    ['-5 degrees\n1.5 of it', '-5 degrees', '1.5 of it'],
    ['a\n\n\n\n\nb\n\n', 'a', '', '', 'b'],
    ['**one\ntwo** three<br>four', '[1]one[0]', '[1]two[0] three', 'four'],
    ['- a\n\n  b\n  > c\n-', '• a', '', '  b', '  [2]│ [0]c', '•'],
    ['https://a.example/b, <a@b.c>', '[4]https://a.example/b[0], [4]a@b.c[0]'],
    ['[a](https://例え.jp)', '[4]a[2] (https://xn--r8jz45g.jp/)[0]'],
    ['# a ##\n&amp; &copy;', '[1]a[0]', '& ©'],
    ['- [ ]\n- [y] b\n- [ ] **c**', '• [ ]', '• [y] b', '☐ [1]c[0]'],
    ['- | a |\n  |---|\n  | b |', '•', '  [1]a[0]', '  [2]─[0]', '  b'],
    ['a | b\n--|--', 'a | b', '--|--'],
  ])
    assert.deepEqual(
      rows(text).filter((row, at, all) => at < all.length - 1),
      wanted,
      text,
    )
})

test('what is wrapped hangs below its sign, and Chinese breaks between characters', () => {
  assert.deepEqual(rows('- the quick brown fox jumps over the lazy dog', { columns: 24 }), [
    '• the quick brown fox',
    '  jumps over the lazy',
    '  dog',
    '',
  ])
  assert.deepEqual(rows('> 敏捷的棕色狐狸，跳过了懒狗', { columns: 20 }), [
    '[2]│ [0]敏捷的棕色狐狸，',
    '[2]│ [0]跳过了懒狗',
    '',
  ])
  assert.deepEqual(rows('the **quick brown fox jumps over** it', { columns: 16 }), [
    'the [1]quick brown[0]',
    '[1]fox jumps over[0]',
    'it',
    '',
  ])
})

test('code stays as it is: nothing in it is markup, every blank and empty line is there', () => {
  assert.deepEqual(rows('```py\ndef f(x):\n    return x**2*y  # `a`\n\n\n\n- [x](y)\n```\n**b**'), [
    '[2]```py[0]',
    '[36]def f(x):[0]',
    '[36]    return x**2*y  # `a`[0]',
    '',
    '',
    '',
    '[36]- [x](y)[0]',
    '[2]```[0]',
    '[1]b[0]',
    '',
  ])
  assert.deepEqual(rows('~~~~\n```\n~~~\n~~~~\n*a*'), [
    '[2]~~~~[0]',
    '[36]```[0]',
    '[36]~~~[0]',
    '[2]~~~~[0]',
    '[3]a[0]',
    '',
  ])
  assert.deepEqual(rows('> ```\n> *x*\n*y*'), ['[2]│ ```[0]', '[2]│ [36]*x*[0]', '[3]y[0]', ''])
  assert.deepEqual(
    rows(`\`\`\`\n${'x '.repeat(25)}`, { columns: 22 }).map((row) => row.length),
    [9, 28, 28, 15, 0],
    'a long line is broken anywhere',
  )
})

test('a table has aligned columns; cells wrap, and where columns have no room its rows are told one below the other', () => {
  const table = '| City | °C | Says |\n|:--|--:|:-:|\n| 杭州 | 22 | rain **soon** |\n| Berlin | -8 | `a\\|b` |\n'
  assert.deepEqual(rows(table), [
    '[1]City[0]  [2] │ [1]°C[2] │ [0]  [1]Says[0]',
    '[2]───────┼────┼──────────[0]',
    '杭州  [2] │ [0]22[2] │ [0]rain [1]soon[0]',
    'Berlin[2] │ [0]-8[2] │ [0]   [36]a|b[0]',
    '',
  ])
  const wide = '| Name | What it does |\n|---|---|\n| first | a long sentence that has no room in its column |\n'
  assert.deepEqual(rows(wide, { columns: 34 }), [
    '[1]Name[0] [2] │ [1]What it does[0]',
    '[2]──────┼──────────────────────────[0]',
    'first[2] │ [0]a long sentence that has',
    '     [2] │ [0]no room in its column',
    '',
  ])
  const many =
    '| a | b | c | d | e |\n|---|---|---|---|---|\n| one thing | two things | three things | four things | five things |\n'
  assert.deepEqual(rows(many, { columns: 30 }), [
    '[1]a[0]: one thing',
    '[1]b[0]: two things',
    '[1]c[0]: three things',
    '[1]d[0]: four things',
    '[1]e[0]: five things',
    '[2]────────[0]',
    '',
  ])
  assert.deepEqual(rows('| a | b |\nno table\n| c |'), ['| a | b |', 'no table', '| c |', ''])
  const long = `| n | square |\n|---|---|\n${Array.from({ length: 100 }, (_, at) => `| ${at} | ${at * at} |\n`).join('')}`
  assert.equal(rows(long).length, 103)
})

test('without colours the marks stay, and words wrap all the same', () => {
  for (const env of [{ TERM: 'xterm', NO_COLOR: '1' }, { TERM: 'dumb' }]) {
    assert.deepEqual(
      rows(
        '# One\n- the **quick** brown [fox](https://a.example) jumps\n> `said`\n```\n*x*\n```\n---\n| a | b |\n|---|---|\n| one | 2 |',
        { columns: 28, env },
      ),
      [
        '# One',
        '- the **quick** brown',
        '  [fox](https://a.example)',
        '  jumps',
        '> `said`',
        '```',
        '*x*',
        '```',
        '---',
        'a   │ b',
        '────┼──',
        'one │ 2',
        '',
      ],
    )
  }
})

test('the row that is written shows what is open as what it will most likely be', () => {
  for (const [text, ...wanted] of [
    ['a **bo', 'a [1]bo[0]'],
    ['- a\n- b `co', '• a', '• b [36]co[0]'],
    ['see [it](htt', 'see [4]it[0]'],
    ['> q\n\n# Ti', '[2]│ [0]q', '', '[1]Ti[0]'],
    ['| a | b |\n|---|---|\n| 1', '[2]⋯ table, 2 lines[0]'],
    ['```\nx', '[2]```[0]', '[36]x[0]'],
  ]) {
    let bytes = ''
    const out = { write: (given) => (bytes += given.replaceAll('\n', '\r\n')), isTTY: true, columns: 60 }
    new Prose(new Paper(out, { TERM: 'xterm' })).push(text)
    assert.deepEqual(screenOf(bytes, 60, { styles: true }), wanted, text)
  }
})

// -- however it comes -------------------------------------------------------------------------------------------------

const words = [
  'a',
  'word',
  '**',
  '*',
  '_',
  '`',
  '``',
  '~~',
  '[x](https://a.example/b)',
  '[',
  '](',
  '![',
  '\\',
  '杭州',
  '，',
  '“',
  '”',
  '<https://a.example>',
  '<',
  '!',
  ' ',
  '  ',
  '\n',
  '\n\n',
  '\n- ',
  '\n> ',
  '\n1. ',
  '\n# ',
  '\n```\n',
  '\n| a | b |\n|--|--|\n| ',
  ' | ',
  '\n---\n',
  '\t',
  '-',
  '|',
  'long words stand here',
  '👩‍💻',
  '.',
]
const texts = [
  ...Array.from({ length: 150 }, () =>
    Array.from({ length: 5 + random(60) }, () => words[random(words.length)]).join(''),
  ),
  ...readdirSync(new URL('../../js/docs/', import.meta.url))
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(new URL(`../../js/docs/${name}`, import.meta.url), 'utf8').slice(0, 4000)),
  `**${'x'.repeat(590)}**`,
  `**${'x'.repeat(650)}** and \`${'y '.repeat(400)}\``,
  `[${'x'.repeat(500)}](https://a.example)`,
  `${'*a '.repeat(300)}`,
  `a **b \`${'c '.repeat(290)} d** e\` **f**`,
]

test('a text looks the same however it was cut', () => {
  for (const text of texts) {
    const whole = rows(text, { columns: 50 })
    for (const size of [1, 7, 0, 0])
      assert.deepEqual(shown(cut(text, size), { columns: 50 }), whole, JSON.stringify(text))
  }
})

test('no row above the last is ever drawn again, and none is wider than the terminal', () => {
  for (const text of texts.slice(0, 100)) {
    for (const columns of [20, 50]) {
      let before = []
      shown(cut(text, 5), {
        columns,
        watch: (bytes) => {
          assert.doesNotMatch(bytes, /\x1b\[\d*A/, 'the cursor goes up')
          const now = screenOf(bytes, columns)
          for (const [at, row] of before.slice(0, -1).entries()) assert.equal(now[at], row)
          for (const row of now) assert.ok([...row].reduce((sum, point) => sum + widthOf(point), 0) < columns, row)
          before = now
        },
      })
    }
  }
})

test('nothing is lost: every letter stands on the screen in its order', () => {
  const letters = (text) => text.replace(/\[[\d;]+\]/g, '').replace(/[^a-z杭州]/g, '')
  for (const text of texts.filter((one) => !/\[|</.test(one)))
    assert.equal(letters(rows(text, { columns: 50 }).join('')), letters(text), JSON.stringify(text))
})

test('texts that are made to be slow are not', () => {
  const evil = [
    '*a ',
    '`',
    '[',
    '![](',
    '**',
    '_*~',
    '> ',
    '| ',
    '\\',
    '- ',
    '<a',
    '``` ',
    '1. ',
    '中',
    '[a](',
    '` `` ',
  ].map((piece) => piece.repeat(Math.ceil(30_000 / piece.length)))
  for (const text of evil) {
    for (const size of [30_000, 100]) {
      const from = process.cpuUsage()
      let bytes = 0
      const prose = new Prose(
        new Paper({ write: (given) => (bytes += given.length), isTTY: true, columns: 80 }, { TERM: 'xterm' }),
      )
      for (const piece of cut(text, size)) prose.push(piece)
      prose.end()
      const { user } = process.cpuUsage(from)
      assert.ok(user < 1_500_000, `${text.slice(0, 6)} in pieces of ${size}: ${user / 1000} ms`)
      assert.ok(bytes > 0)
    }
  }
})
