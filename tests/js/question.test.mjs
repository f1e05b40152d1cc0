// The lines of a question, which pages and the terminal draw.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'
import { hiding } from './hiding.mjs'
import { assertLinear } from './work.mjs'

const { isWhole, questionLines, questionWords } = await built('question')
const { splitInvisible, escapeInvisible } = await built('invisible')
const { givenTwice } = await built('twice')
const { applyDeltas, emptyView } = await built('view')

const textOf = ({ runs }) => runs.map(({ text }) => text).join('')
const ask = (request, whole, options) =>
  questionLines({ stage: 'execution', name: 'shell.run', ...request }, questionWords.en, {
    ...(whole && { whole: new Set(whole) }),
    ...options,
  })
const of = (lines, kind) => lines.filter((line) => line.kind === kind)

for (const { way, arguments: args, shown, ask: more, card } of hiding) {
  test(`nothing hides by ${way}`, () => {
    const lines = ask({ arguments: args, ...more, ...card })
    const text = lines.map(textOf).join('\n')
    for (const part of shown) assert.ok(text.includes(part), `${part} in ${text.slice(0, 2000)}`)
    for (const line of lines)
      assert.doesNotMatch(
        textOf(line).trimStart(),
        /\n|\p{Cc}|\p{Cf}|[ \t]{8}/u,
        'a line is one line, and nothing in it is without a glyph',
      )
  })
}

test('every default-ignorable character is marked', () => {
  const ignorable = Array.from({ length: 0x110000 }, (_, code) => code).filter(
    (code) => (code < 0xd800 || code > 0xdfff) && /\p{Default_Ignorable_Code_Point}/u.test(String.fromCodePoint(code)),
  )
  assert.ok(ignorable.length > 4000)
  for (const code of ignorable)
    assert.deepEqual(splitInvisible(`a${String.fromCodePoint(code)}b`), [
      'a',
      `U+${code.toString(16).toUpperCase().padStart(4, '0')}`,
      'b',
    ])
})

test('every line but those of a name belongs to a value, numbered as it stands there', () => {
  const values = of(ask({ arguments: { a: 'one\n\n\n\n\nsix', b: { c: [1, 'x'] } } }), 'value')
  assert.deepEqual(
    values.map((line) => [line.of, line.number, textOf(line)]),
    [
      ['arguments.a', 1, 'one'],
      ['arguments.a', 2, '⟨4 empty lines⟩'],
      ['arguments.a', 6, 'six'],
      ['arguments.b', 1, '{'],
      ['arguments.b', 2, '  "c": ['],
      ['arguments.b', 3, '    1,'],
      ['arguments.b', 4, '    "x"'],
      ['arguments.b', 5, '  ]'],
      ['arguments.b', 6, '}'],
    ],
  )
})

test('what is too long shows its beginning and end, the rest on request, and what nobody reads not at all', () => {
  const long = `begin ${'x'.repeat(30_000)} end`
  const [first, hidden, last] = ask({ arguments: { text: long } }).slice(-3)
  assert.deepEqual(
    [textOf(first).slice(0, 6), textOf(last).slice(-4), hidden.kind, hidden.more, hidden.show],
    ['begin ', ' end', 'hidden', 30_010 - 9_000, 'arguments.text'],
  )
  assert.equal(textOf(ask({ arguments: { text: long } }, ['arguments.text']).at(-1)), long)
  for (const text of ['y'.repeat(200_001), 'y\n'.repeat(10_001)]) {
    const [left] = of(ask({ arguments: { text } }, ['arguments.text']), 'hidden')
    assert.equal(left.show, undefined)
    assert.equal(left.more, text.length - 9_000)
  }
  const many = ask({ arguments: Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`a${at}`, 'v'])) })
  assert.ok(many.length < 50_000)
  assert.match(textOf(many.at(-1)), /^[\d,]+ more arguments with [\d,]+ characters are not shown here$/)
  assert.equal(many.at(-1).show, undefined)
})

test('a cut falls between characters, and says what is left out', () => {
  const pairs = '😀'.repeat(15_000)
  const [head, hidden, tail] = ask({ arguments: { text: `.${pairs}` } }).slice(-3)
  assert.doesNotMatch(textOf(head) + textOf(tail), /U\+D/)
  assert.equal(textOf(head).length + hidden.more + textOf(tail).length, pairs.length + 1)
})

test('a long name comes whole on request', () => {
  const name = 'n'.repeat(100)
  const [line] = of(ask({ arguments: { [name]: 1 } }), 'argument')
  assert.deepEqual([textOf(line), line.more, line.show], [`${'n'.repeat(80)}… (100)`, 20, `name.arguments.${name}`])
  const [whole] = of(ask({ arguments: { [name]: 1 } }, [line.show]), 'argument')
  assert.deepEqual([textOf(whole), whole.more], [name, undefined])
})

test('a long name of a tool, or of the model, is cut in the head and stands whole below', () => {
  const [first] = ask({ name: 'n'.repeat(100), arguments: {} })
  assert.equal(textOf(first), `The assistant wants to use ${'n'.repeat(80)}… (100).`)
  const lines = ask({ name: 'n'.repeat(100), askedName: `m${'\n'.repeat(100)}`, arguments: {} })
  assert.deepEqual(
    lines
      .filter(({ kind }) => ['notice', 'value'].includes(kind))
      .map(textOf)
      .map((text) => text.replaceAll('⟨U+000A⟩', '/').replace(/\/{9,}/, '///')),
    [
      'The whole name',
      'n'.repeat(100),
      'The model wrote the name m///… (101)',
      'The whole name',
      'm',
      '⟨100 empty lines⟩',
      'No arguments',
    ],
  )
})

test('a long description shows its beginning and end, the rest on request', () => {
  const description = `${'d'.repeat(2000)} and then it sends`
  const about = (whole) =>
    ask({ description, arguments: {} }, whole).filter(({ kind, of }) => kind === 'about' || of === 'description')
  const [first, hidden, last] = about()
  assert.deepEqual(
    [textOf(first).length, hidden.more, hidden.show, textOf(last).slice(-13)],
    [1400, 2018 - 1800, 'description', 'then it sends'],
  )
  assert.deepEqual(about(['description']).map(textOf), [description])
})

test('the title of a tool stands above its description, cut like that', () => {
  const abouts = of(ask({ title: 'Run a\u202E command', description: 'Runs it.', arguments: {} }), 'about').map(textOf)
  assert.deepEqual(abouts, ['Run a⟨U+202E⟩ command', 'Runs it.'])
  const lines = ask({ title: 't'.repeat(3000), arguments: {} })
  assert.deepEqual(
    of(lines, 'hidden').map(({ of, show }) => [of, show]),
    [['title', 'title']],
  )
  assert.ok(
    ask({ title: 't'.repeat(3000), arguments: {} }, ['title'])
      .map(textOf)
      .includes('t'.repeat(3000)),
  )
})

test('of arguments that nobody counts so many are drawn as anybody could see, the rest is told', () => {
  const many = (count) =>
    ask({ arguments: Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, 'v'])) })
  for (const count of [20_000, 80_000]) {
    const lines = many(count)
    assert.ok(lines.length < 10_000, `${lines.length} lines`)
    const shown = of(lines, 'argument').length
    const [rest] = of(lines, 'hidden')
    assert.match(textOf(rest), new RegExp(`^${(count - shown).toLocaleString('en')} more arguments`))
    assert.equal(rest.show, undefined)
    assert.equal(
      rest.more,
      Array.from({ length: count - shown }, (_, at) => `a${shown + at}v`.length).reduce((sum, one) => sum + one),
    )
  }
})

test('a question without what it is about says so', () => {
  for (const request of [{}, { name: '', arguments: {} }, { stage: 'result' }]) {
    assert.equal(isWhole({ stage: 'execution', name: 'shell.run', ...request }), false)
    assert.equal(textOf(of(ask(request), 'counts')[0]), 'What it is about did not come with it: it can only be refused')
  }
  assert.equal(isWhole({ stage: 'execution', name: 'a', arguments: {} }), true)
})

test('a picture that cannot be drawn counts as unseen', () => {
  const parts = [
    { type: 'image', mediaType: 'image/png', data: 'AAAA' },
    { type: 'image', mediaType: 'image/\u202Ex', data: 'AAAAAAAA' },
  ]
  const lines = ask({ stage: 'result', preview: { text: '', isError: false, parts } }, undefined, {
    draws: ({ mediaType }) => mediaType === 'image/png',
  }).slice(-2)
  assert.deepEqual(
    lines.map((line) => [line.kind, textOf(line), line.more, line.show]),
    [
      ['notice', 'Image of the result', undefined, undefined],
      ['hidden', 'An image that cannot be shown here, 8 characters of image/⟨U+202E⟩x', 8, undefined],
    ],
  )
  assert.equal(
    ask({ stage: 'result', preview: { text: '', isError: false, parts } }).filter(({ kind }) => kind === 'hidden')
      .length,
    2,
    'no pictures at all',
  )
})

test('what a tool may do is said in words; what it does not say counts as the worst', () => {
  const effects = (annotations, more) => of(ask({ annotations, ...more }), 'effect').map(textOf)
  assert.deepEqual(effects(undefined), ['can change or delete'])
  assert.deepEqual(effects({ readOnlyHint: true }), ['only reads'])
  assert.deepEqual(effects({ readOnlyHint: 'yes', destructiveHint: 0 }), ['can change or delete'])
  assert.deepEqual(effects({ destructiveHint: false, openWorldHint: true }, { policy: 'ask_always' }), [
    'changes something',
    'leaves this computer',
    'asks every time',
  ])
  assert.deepEqual(
    effects({ readOnlyHint: true }, { stage: 'result', preview: { text: 'x', isError: false } }),
    ['goes to the model'],
    'the level of an execution says nothing about its result',
  )
})

test('a result that is JSON on one line stands on lines of its own, and nothing of it is changed', () => {
  const shown = (text) => of(ask({ stage: 'result', preview: { text, isError: false } }), 'value').map(textOf)
  assert.deepEqual(
    shown('{"day":"today","n":12345678901234567890,"n":1.0,"list":[1, {"a":[]},{}],"\\"x":"a, {b: \\" c"}'),
    [
      '{',
      '  "day": "today",',
      '  "n": 12345678901234567890,',
      '  "n": 1.0,',
      '  "list": [',
      '    1,',
      '    {',
      '      "a": []',
      '    },',
      '    {}',
      '  ],',
      '  "\\"x": "a, {b: \\" c"',
      '}',
    ],
  )
  // What its writer laid out, what is no object, and what would grow by it, is shown as it is.
  for (const text of ['{"a":\n1}', '{"a":   1}', '[]', '"a"', '{"a":1', `${'['.repeat(40)}${']'.repeat(40)}`])
    assert.equal(shown(text).join('\n').replaceAll('⟨3 spaces⟩', '   '), text)
  assert.match(
    textOf(of(ask({ stage: 'result', preview: { text: '{"a":1,"b":2}', isError: false } }), 'counts')[0]),
    /^13 characters in 4 lines$/,
  )
})

test('the head counts what there is to read', () => {
  const counts = (request) => textOf(of(ask(request), 'counts')[0])
  assert.equal(
    counts({ arguments: { a: 'one\ntwo', b: 5 }, protocolFields: { maid: 'Nova' } }),
    '3 arguments · 12 characters in 4 lines',
  )
  assert.equal(counts({ arguments: {} }), 'No arguments')
  assert.equal(
    counts({ stage: 'result', preview: { text: 'x\n'.repeat(1000), isError: false } }),
    '2,000 characters in 1,001 lines',
  )
})

test('a result shows what the model would read, with the same marks', () => {
  const lines = ask({
    stage: 'result',
    preview: {
      text: 'a\u202Eb\n\n\n\nc',
      isError: true,
      parts: [
        { type: 'text', text: 'more' },
        { type: 'image', url: 'https://\u0430.example/\u200B' },
      ],
    },
  })
  assert.deepEqual(lines.slice(3).map(textOf), [
    'The model will see this error',
    'a⟨U+202E⟩b',
    '⟨3 empty lines⟩',
    'c',
    'more',
    'Image at: https://а.example⟨xn--80a.example⟩/⟨U+200B⟩',
  ])
})

test('a line that holds words of several languages is not marked for that', () => {
  const text = '用Python写的файл, Grüße 你好 שלום café naïve 👩‍💻 ❤️ ไม่ได้ नमस्ते'
  assert.deepEqual(of(ask({ arguments: { text } }), 'value')[0].runs, [{ text }])
  assert.deepEqual(of(ask({ arguments: { text: 'a раypal b' } }), 'value')[0].runs, [
    { text: 'a ' },
    { text: 'раypal', mark: 'script' },
    { text: ' b' },
  ])
})

test('a file with a name of another script is no host, and what is drawn with a mark of its own is left alone', async () => {
  const text = 'отчёт.pdf, 计划.md, 1\ufe0f\u20e3 #\ufe0f\u20e3, naïve.com a.b.c @小明。谢谢 《雨》。md'
  assert.deepEqual(of(ask({ arguments: { text } }), 'value')[0].runs, [{ text }])
  assert.equal(escapeInvisible('1\ufe0f a\u20e3 x\ufe0f\u20e3'), '1⟨U+FE0F⟩ a⟨U+20E3⟩ x⟨U+FE0F⟩⟨U+20E3⟩')
  for (const part of ['а.', 'а-', 'оо', 'оо.', 'а。', '//оо.'])
    await assertLinear((times) => ask({ arguments: { long: part.repeat(times) } }, ['arguments.long']), 12_000, part)
})

test('splitInvisible: text at even places, code points at odd ones', () => {
  assert.deepEqual(splitInvisible('a\u200B\u200Bb'), ['a', 'U+200B', '', 'U+200B', 'b'])
  assert.deepEqual(splitInvisible('\u200B\u200B\u200B'), ['', 'U+200B ×3', ''])
  assert.deepEqual(splitInvisible(''), [''])
  assert.equal(escapeInvisible('x\u0000y'), 'x⟨U+0000⟩y')
})

// -- the sentence -----------------------------------------------------------------------------------------------------

const sentence = (request, options, words = questionWords.en) =>
  questionLines({ stage: 'execution', name: 'message.send', ...request }, words, options)[0].runs
const marked = (runs) => runs.map(({ text, mark }) => (mark === 'strong' ? `*${text}*` : text)).join('')
const send = {
  title: { en: 'Send a message', zh: '发消息' },
  sentence: { en: 'send **{text}** to **{to}**', zh: '给**{to}**发**{text}**' },
}

test('a question is one sentence, in both languages, for each of its kinds', () => {
  const args = { to: 'Lin', text: 'Hi' }
  const zh = (request, options) => marked(sentence(request, { lang: 'zh-CN', ...options }, questionWords.zh))
  assert.equal(
    marked(sentence({ words: send, arguments: args }, { name: 'Lulu' })),
    '*Lulu* wants to send *Hi* to *Lin*.',
  )
  assert.equal(zh({ words: send, arguments: args }, { name: 'Lulu' }), '*Lulu*想给*Lin*发*Hi*。')
  assert.equal(marked(sentence({ arguments: args })), '*The assistant* wants to use *message.send*.')
  assert.equal(
    marked(sentence({ title: 'Send', arguments: args })),
    '*The assistant* wants to use *Send*.',
    "the tool's own title",
  )
  assert.equal(zh({ words: { title: send.title }, arguments: args }), '*助手*想使用*发消息*。')
  assert.equal(
    marked(sentence({ words: send, arguments: args, prepared: true })),
    '*The assistant* prepared: send *Hi* to *Lin*.',
  )
  const result = { stage: 'result', words: { sentence: 'read **your diary**' }, preview: { text: 'x', isError: false } }
  assert.equal(
    marked(sentence({ ...result, reader: { model: 'qwen3', host: 'api.example.com' } })),
    '*The assistant* wanted to read *your diary*, and has the result. May *qwen3 at api.example.com* see it?',
  )
  assert.equal(
    marked(sentence(result)),
    '*The assistant* wanted to read *your diary*, and has the result. May *the model* see it?',
  )
})

test('nothing in a sentence passes for a part of it, or hides', () => {
  const say = (to, more) => sentence({ words: { sentence: 'write to {to}' }, arguments: { to }, ...more })
  assert.equal(
    marked(say('Lin** and nobody else')),
    '*The assistant* wants to write to *Lin** and nobody else*.',
    'a value brings no markup',
  )
  assert.equal(marked(say('{to}')), '*The assistant* wants to write to *{to}*.', 'and no names')
  assert.deepEqual(
    say('a\u202Eb')
      .slice(-4)
      .map(({ text, mark }) => [text, mark]),
    [
      ['a', 'strong'],
      ['⟨U+202E⟩', 'code-point'],
      ['b', 'strong'],
      ['.', undefined],
    ],
  )
  assert.equal(marked(say('a\nb')), '*The assistant* wants to write to *a*⟨U+000A⟩*b*.')
  assert.match(marked(say('x'.repeat(5000))), /^.{60,110}… \(5,000\)\.$/)
  assert.match(marked(say('   ')), /to ⟨3 spaces⟩\.$/)
  for (const args of [{}, { to: null }])
    assert.equal(
      marked(sentence({ words: send, arguments: args })),
      '*The assistant* wants to use *Send a message*.',
      'no sentence with a gap',
    )
  const proto = JSON.parse('{"__proto__": {"to": "evil"}}')
  assert.equal(marked(sentence({ words: send, arguments: proto })), '*The assistant* wants to use *Send a message*.')
  assert.ok(ask({ arguments: proto }).some((line) => line.kind === 'argument' && textOf(line) === '__proto__'))
})

test("a stranger's words are quoted, with its name and the tool's true name, and make no sentence", () => {
  const words = { from: 'files\u200B-server', title: 'Read only\nsafe', sentence: 'read **{path}**' }
  const lines = questionLines(
    { stage: 'execution', name: 'srv.wipe', title: 'x', description: 'Harmless.', words, arguments: { path: '/' } },
    questionWords.en,
  )
  assert.equal(
    marked(lines[0].runs),
    '*The assistant* wants to use “*Read only*⟨U+000A⟩*safe*” of files⟨U+200B⟩-server.',
  )
  assert.equal(textOf(lines[1]), 'srv.wipe')
  assert.deepEqual(lines.filter(({ kind }) => kind === 'notice' || kind === 'about').map(textOf), [
    'files⟨U+200B⟩-server says of it:',
    'Harmless.',
  ])
})

test('arguments have their label beside their name, and the app says what the tool is', () => {
  const words = {
    about: { zh: '发给联系人', en: 'Goes out at once.' },
    labels: { '/to': { en: 'Recipient', zh: '收件人' }, '/a~1b': 'Odd' },
  }
  const lines = questionLines(
    { stage: 'execution', name: 'm', description: 'For the model.', words, arguments: { to: 'Lin', 'a/b': 1, x: 2 } },
    questionWords.zh,
    { lang: 'zh' },
  )
  assert.deepEqual(
    lines
      .filter(({ kind }) => kind === 'argument')
      .map((line) => [line.label && textOf({ runs: line.label }), textOf(line)]),
    [
      ['收件人', 'to'],
      ['Odd', 'a/b'],
      [undefined, 'x'],
    ],
  )
  assert.deepEqual(lines.filter(({ kind }) => kind === 'about').map(textOf), ['发给联系人'])
})

test('a question names each member that the model gave twice: the last one counts', async () => {
  assert.deepEqual(
    givenTwice(
      '{"path": "/tmp", "deep": {"a": 1, "a": 2}, "\\u0070ath": "/", "list": ["path", {"b": 1}, {"b": 2}], "x": "{\\"path\\":1,\\"path\\":2}"}',
    ),
    ['a', 'path'],
  )
  for (const text of ['', '[1]', '{', '{"a', '{"a":1}', '<tool>', '{"a\\":1,"a\\":2'])
    assert.deepEqual(givenTwice(text), [], text)
  for (const [begins, part] of [
    ['{', '"a\\"'],
    ['{"', '\\"'],
    ['{', '"":1,'],
    ['', '{'],
    ['{"a"', ' '],
  ])
    await assertLinear((times) => givenTwice(begins + part.repeat(times)), 100_000, begins + part)
  const lines = ask({ arguments: { path: '/' }, twice: ['pa\u200Bth'] })
  assert.ok(
    lines.some((line) => line.kind === 'notice' && textOf(line) === 'pa⟨U+200B⟩th is given twice, the last counts'),
  )
  const view = applyDeltas(
    emptyView('m'),
    [
      { type: 'card', block: 0, call: 1, status: 'streaming' },
      { type: 'args', call: 1, text: '{"a":1,"a":2}' },
      { type: 'card', block: 0, call: 1, arguments: { a: 2 } },
    ],
    1,
  )
  assert.deepEqual([view.blocks[0].twice, view.blocks[0].writing], [['a'], undefined])
})

test('what the model wrote stands below the arguments that run, where the app resolved others', () => {
  const lines = ask({ arguments: { path: '/home/me', n: 1 }, written: { path: '$REF{1}', n: 1 } })
  const texts = lines.map(textOf)
  const at = texts.indexOf('The model wrote')
  assert.ok(at > texts.indexOf('/home/me'), texts.join('\n'))
  assert.deepEqual(texts.slice(at + 1), ['path', '$REF{1}'])
  assert.ok(!ask({ arguments: { n: 1 }, written: { n: 1 } }).some((line) => textOf(line) === 'The model wrote'))
  assert.ok(
    !ask({ arguments: { n: 2 }, written: { n: 1 }, editedArguments: true }).some(
      (line) => textOf(line) === 'The model wrote',
    ),
  )
})
