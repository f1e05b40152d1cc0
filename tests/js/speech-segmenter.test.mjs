import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { SluiceError } from 'sluice'
import { speechSegmenter } from 'sluice/speech'
import { assertLinear } from './work.mjs'

const cue = (call) => ({ cue: call })
const card = { card: true }

/** Events as a turn gives them: texts, fire-and-forget calls, and cards of other tools between. */
function events(parts, cut) {
  const all = []
  let block = -1
  let near // the text block in front
  for (const part of parts) {
    block++
    if (typeof part === 'string') {
      near = block
      for (const text of cut(part)) all.push({ type: 'text', block, text })
    } else if (part.card) near = undefined
    else all.push({ type: 'ipc', call: part.cue, channel: 'c', payload: ['p'], block: near ?? block, offset: 0 })
  }
  return all
}

function segments(all, options) {
  const cutter = speechSegmenter(options)
  return [...all.flatMap((event) => cutter.push(event)), ...cutter.end()]
}

const whole = (text) => [text]
const pieces = (size) => (text) => {
  const letters = [...text]
  return Array.from({ length: Math.ceil(letters.length / size) }, (_, at) =>
    letters.slice(at * size, (at + 1) * size).join(''),
  )
}
/** What is said, with the calls of the cues at their places. */
const said = ({ text, cues }) => {
  let shown = ''
  let from = 0
  for (const { at, call } of cues) {
    shown += `${text.slice(from, at)}[${call}]`
    from = at
  }
  return shown + text.slice(from)
}

const table = [
  // -- sentences
  [
    'Chinese',
    ['你好！今天天气真不错，我们一起去公园走走吧。路上可以买杯咖啡……然后坐下来聊聊天～你说好不好？'],
    ['你好！今天天气真不错，', '我们一起去公园走走吧。', '路上可以买杯咖啡……', '然后坐下来聊聊天～', '你说好不好？'],
  ],
  [
    'brackets with what is in them',
    ['他说：“我们走吧。现在就走！”然后转身离开了房间。「真的吗？」她问道，眼里闪着光。（其实她早就知道。只是不说。）'],
    [
      '他说：“我们走吧。现在就走！”',
      '然后转身离开了房间。',
      '「真的吗？」她问道，眼里闪着光。',
      '（其实她早就知道。只是不说。）',
    ],
  ],
  [
    'Japanese',
    ['「こんにちは。元気ですか？」と彼は言った。今日はとても良い天気ですね。散歩に行きましょう！'],
    ['「こんにちは。元気ですか？」と彼は言った。', '今日はとても良い天気ですね。', '散歩に行きましょう！'],
  ],
  [
    'English, with full stops that end nothing',
    [
      'Well, Dr. Smith arrived at 3 p.m. on Friday. He said "Hello. How are you?" and left... It costs $3.50, e.g. at node.js Inc. The end is near!',
    ],
    [
      'Well, Dr. Smith arrived at 3 p.m. on Friday.',
      'He said "Hello. How are you?" and left...',
      'It costs $3.50, e.g. at node.js Inc.',
      'The end is near!',
    ],
  ],
  [
    'initials',
    ['The author J. K. Rowling wrote it. Vol. 3 came in the U.S. Nobody knew.'],
    ['The author J. K. Rowling wrote it.', 'Vol. 3 came in the U.S.', 'Nobody knew.'],
  ],
  [
    'no capital letters at all',
    ['hey there, i went home late. then i slept for hours. it was so good.'],
    ['hey there,', 'i went home late. then i slept for hours.', 'it was so good.'],
  ],
  [
    'mixed',
    ['我在用 Node.js 20.1 写代码呢。You should try it as well! 真的很好用，比如 v1.2 版本。'],
    ['我在用 Node.js 20.1 写代码呢。', 'You should try it as well!', '真的很好用，比如 v1.2 版本。'],
  ],
  [
    'numbers are whole',
    ['大概要3～5天，最多1,000元，时间是14:02开始。请准备好所有的东西。'],
    ['大概要3～5天，', '最多1,000元，时间是14:02开始。', '请准备好所有的东西。'],
  ],
  [
    'Hindi and Arabic',
    ['मैं आज बहुत खुश हूँ। तुम कैसे हो आज? كيف حالك اليوم يا صديقي؟ أنا بخير.'],
    ['मैं आज बहुत खुश हूँ।', 'तुम कैसे हो आज? كيف حالك اليوم يا صديقي؟', 'أنا بخير.'],
  ],
  [
    'lines are sentences, short ones together',
    ['# 今天的计划安排\n\n- 买菜\n- 做饭\n- 打扫整个房间和院子\n'],
    ['今天的计划安排', '买菜\n做饭\n打扫整个房间和院子'],
  ],
  ['a short first sentence begins soon', ['好的呀。我这就去看一看。'], ['好的呀。', '我这就去看一看。']],
  [
    'short ones are joined',
    ['我们现在就开始吧。好。嗯。那么第一步是什么呢？'],
    ['我们现在就开始吧。', '好。嗯。那么第一步是什么呢？'],
  ],
  [
    'long ones are cut at a comma',
    [`${'一二三四五六七八九，'.repeat(20)}完。`],
    ['一二三四五六七八九，', ...[12, 7].map((n) => '一二三四五六七八九，'.repeat(n) + (n === 7 ? '完。' : ''))],
  ],
  ['or anywhere', [`开始吧，${'长'.repeat(250)}`], ['开始吧，', '长'.repeat(120), '长'.repeat(120), '长'.repeat(10)]],
  // -- what is not said
  [
    'marks of Markdown',
    [
      '## 标题在这里\n\n1. **买菜**和`做饭`，还有_洗碗_和~~睡觉~~。\n> 引用了一段别人的话\n- [x] 已经完成的事情\n***\n下面还有一行字在这里。',
    ],
    ['标题在这里', '买菜和做饭，还有洗碗和睡觉。', '引用了一段别人的话', '已经完成的事情\n下面还有一行字在这里。'],
  ],
  [
    'code and tables, once',
    [
      '先看这段代码吧：\n```js\nconst a = "不读。"\n```\n再看这张表格吧：\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n就是这样的了。',
    ],
    ['先看这段代码吧：', '内容在屏幕上。\n再看这张表格吧：', '就是这样的了。'],
  ],
  [
    'a fence in a fence',
    ['Look at this now.\n````md\n```js\nx\n```\n````\nThat was the whole of it.'],
    ['Look at this now.', 'It is on the screen.', 'That was the whole of it.'],
  ],
  [
    'formulas',
    ['The formula $E = mc^2$ is famous. Also \\(a+b\\) and this one:\n$$\nx = 1\n$$\nDone it is. You pay $5 and $6.'],
    ['The formula is famous.', 'Also and this one:\nIt is on the screen.', 'Done it is. You pay $5 and $6.'],
  ],
  [
    'addresses and links',
    [
      '详见 https://example.com/a_(b)?x=1，或者[这个很好的页面](https://x.y/z "t")。<https://a.b> 也行，www.c.d 也可以。',
    ],
    ['详见 链接，', '或者这个很好的页面。', '链接 也行，链接 也可以。'],
  ],
  [
    'an address at the end of a sentence',
    ['Please have a look at https://example.com/x. Then come back to me.'],
    ['Please have a look at a link.', 'Then come back to me.'],
  ],
  [
    'links whose text is an address, pictures by what they show, footnotes',
    [
      'See [https://a.b/c](https://a.b/c) and ![a small cat](https://a.b/p.png) here[^1]. Then ask <someone@a.b> about it \\*now\\*, &amp; soon.',
    ],
    ['See a link and a small cat here.', 'Then ask a link about it *now*, & soon.'],
  ],
  [
    'what stands in quotations and lists, line by line',
    ['> - [ ] This is to be done today.\n>   - ***And this*** tomorrow.\n> • And this is the last.\n'],
    ['This is to be done today.', 'And this tomorrow.\nAnd this is the last.'],
  ],
  [
    'pictures and emoji',
    ['太好了😀👨‍👩‍👧🇨🇳！👍🏽我们一起出发吧✨。©2026 保留所有的权利。'],
    ['太好了！', '我们一起出发吧。', '©2026 保留所有的权利。'],
  ],
  [
    'long inline code',
    ['Run `npm test` and then `npm run build -- --with-a-very-long-option=1` for me.'],
    ['Run npm test and then for me.'],
  ],
  [
    'what only looks like a mark',
    ['2*3 is six, snake_case_name is one, C# and a > b. A * star \\*here\\* costs 5$.'],
    ['2*3 is six,', 'snake case name is one, C# and a > b.', 'A star *here* costs 5$.'],
  ],
  [
    'unclosed marks',
    ['This is `open and **bold and [link and $5 and (bracket. Next sentence here.\nAnother line is here.'],
    ['This is open and bold and link and $5 and (bracket. Next sentence here.', 'Another line is here.'],
  ],
  // -- cues
  [
    'cues stand before their words',
    ['Wait. ', cue(1), 'You got ', cue(2), 'the job? Oh, ', cue(3), cue(4), 'that calls for a little dance!', cue(5)],
    ['Wait. [1]You got [2]the job?', 'Oh, [3][4]that calls for a little dance![5]'],
  ],
  [
    'a cue at the border belongs to what follows',
    ['我们现在就开始吧。', cue(1), '第一步是先洗菜。'],
    ['我们现在就开始吧。', '[1]第一步是先洗菜。'],
  ],
  ['a cue in front of everything', [cue(1), cue(2), 'Hello there, my friend.'], ['[1][2]Hello there,', 'my friend.']],
  [
    'a cue within what is not said',
    ['看代码：\n```\nx\n', cue(1), 'y\n```\n然后就完成了这件事。'],
    ['看代码：', '内容在屏幕上。\n[1]然后就完成了这件事。'],
  ],
  ['nothing but a cue', [cue(1)], ['[1]']],
  [
    'a tool ends the text',
    ['让我看看', cue(1), card, '好的，今天是晴天，适合出门。'],
    ['让我看看[1]', '好的，今天是晴天，适合出门。'],
  ],
]

for (const [name, parts, expected] of table) {
  test(`speech: ${name}`, () => {
    const all = segments(events(parts, whole))
    assert.deepEqual(all.map(said), expected)
    assert.deepEqual(
      all.map(({ last }) => last),
      expected.map((_, at) => at === expected.length - 1),
    )
    for (const size of [1, 7]) assert.deepEqual(segments(events(parts, pieces(size))), all, `in pieces of ${size}`)
  })
}

test('speech: places are those of the text that is shown', () => {
  const shown = ['## 标题在这里了\n\n**你好呀**，去 https://a.b/c 看看😀吧。', '然后我们一起走。']
  const all = segments(events([shown[0], cue(1), shown[1]], whole))
  assert.deepEqual(
    all.map(({ block, from, to }) => [block, shown.join('').slice(from, to)]),
    [
      [0, '标题在这里了'],
      [0, '你好呀**，去 https://a.b/c 看看😀吧。'],
      [0, '然后我们一起走。'],
    ],
  )
  assert.deepEqual(all[2].cues, [{ at: 0, call: 1, channel: 'c', payload: ['p'] }])
  const behind = segments(events(['Look here for a moment.', card, 'This is another text.'], whole))
  assert.deepEqual(
    behind.map(({ block, from, to }) => [block, from, to]),
    [
      [0, 0, 23],
      [2, 0, 21],
    ],
  )
})

test('speech: what the model thinks, made up or took back is not said', () => {
  const cutter = speechSegmenter()
  const all = [
    { type: 'reasoning', block: 0, text: 'Let me think about this one.' },
    { type: 'text', block: 1, text: 'The answer is surely 41. Or' },
    { type: 'retracted', blocks: [1] },
    { type: 'text', block: 2, text: '{"result": 1}', fabricated: true },
    { type: 'text', block: 3, text: 'It is 42, of course.' },
    { type: 'card', block: 4, call: 1, status: 'pending' },
  ].flatMap((event) => cutter.push(event))
  assert.deepEqual(
    [...all, ...cutter.end()].map(({ text }) => text),
    ['The answer is surely 41.', 'It is 42, of course.'],
  )
  const polite = speechSegmenter({ skipRefusals: true })
  assert.deepEqual(
    [...polite.push({ type: 'text', block: 0, text: 'I cannot do that.', refusal: true }), ...polite.end()],
    [],
  )
})

test('speech: a cue that comes when its place was said comes with the next words', () => {
  const cutter = speechSegmenter()
  const first = cutter.push({ type: 'text', block: 0, text: 'This is the first sentence. And this is the sec' })
  assert.deepEqual(first.map(said), ['This is the first sentence.'])
  cutter.push({ type: 'text', block: 2, text: 'And here is the text behind the card' })
  cutter.push({ type: 'ipc', call: 1, channel: 'c', payload: [], block: 0, offset: 5 })
  assert.deepEqual(cutter.end().map(said), ['[1]And here is the text behind the card'])
})

test('speech: a pause ends a sentence, and a first one that is long enough begins without a mark', () => {
  const quiet = speechSegmenter()
  assert.deepEqual(quiet.push({ type: 'text', block: 0, text: 'Let me have a look at that. ' }), [])
  assert.deepEqual(quiet.wait(199, 199), [])
  assert.deepEqual(quiet.wait(200, 200).map(said), ['Let me have a look at that.'])
  quiet.push({ type: 'text', block: 0, text: 'You should ask Dr.' })
  assert.deepEqual(quiet.wait(5000, 5000), [])
  quiet.push({ type: 'ipc', call: 1, channel: 'c', payload: [], block: 0, offset: 0 })
  assert.deepEqual(quiet.end().map(said), ['You should ask Dr.[1]'])

  const slow = speechSegmenter()
  slow.push({ type: 'text', block: 0, text: '今天我们去那个很远的地方看看风' })
  assert.deepEqual(slow.wait(10, 399), [])
  const [{ text }] = slow.wait(10, 400)
  assert.ok(text.length >= 12 && '今天我们去那个很远的地方看看风'.startsWith(text), text)
  slow.push({ type: 'text', block: 0, text: '景，' })
  assert.deepEqual(slow.wait(500, 900), [], 'the next ones wait for a mark')
  assert.equal(text + slow.end()[0].text, '今天我们去那个很远的地方看看风景，')

  const cues = speechSegmenter()
  cues.push({ type: 'ipc', call: 1, channel: 'c', payload: [], block: 0, offset: 0 })
  assert.deepEqual(cues.wait(200, 200).map(said), ['[1]'], 'nothing to say: it does not wait for words')
})

test('speech: one answer after the other', () => {
  const cutter = speechSegmenter()
  const twice = [1, 2].map(() => [
    ...cutter.push({ type: 'text', block: 0, text: 'First of all this. ```x``` Then that.' }),
    ...cutter.end(),
  ])
  assert.deepEqual(twice[0], twice[1])
  assert.equal(twice[0].at(-1).last, true)
})

test('speech: words of the app, and options that are wrong', () => {
  const words = { onScreen: 'Siehe Bildschirm.', link: 'ein Verweis' }
  const cutter = speechSegmenter({ words })
  assert.deepEqual(
    [
      ...cutter.push({ type: 'text', block: 0, text: 'Unter https://a.b steht alles.\n```\nx\n```\n' }),
      ...cutter.end(),
    ].map(({ text }) => text),
    ['Unter ein Verweis steht alles.', 'Siehe Bildschirm.'],
  )
  const french = speechSegmenter({ lang: 'ja-JP' })
  assert.match([...french.push({ type: 'text', block: 0, text: 'See https://a.b' }), ...french.end()][0].text, /リンク/)
  assert.throws(
    () => speechSegmenter({ language: 'en' }),
    (error) => error instanceof SluiceError && error.path === 'language',
  )
  assert.throws(
    () => speechSegmenter({ words: { link: 1 } }),
    (error) => error instanceof SluiceError && error.path === 'words.link',
  )
})

test('speech: any text gives the same pieces however it is cut, and nothing is said twice or out of order', () => {
  const folder = fileURLToPath(new URL('../../js/docs', import.meta.url))
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(join(folder, name), 'utf8').slice(0, 12_000))
  let seed = 7
  const random = (most) => (seed = (seed * 48_271) % 2_147_483_647) % most
  const marks = [
    '`',
    '``',
    '```',
    '~~~\n',
    '$',
    '$$',
    '\\(',
    '\\)',
    '*',
    '**',
    '_',
    '[',
    '](',
    ')',
    '!',
    '<',
    '<b>',
    '>',
    '# ',
    '- ',
    '1. ',
    '|',
    '\n',
    '\n\n',
    ' ',
    'https://a.b',
    '。',
    '. ',
    '…',
    '，',
    '“',
    '”',
    '"',
    '(',
    '中',
    'word',
    'Aa',
    '3',
    '😀',
    '\u200D',
    '- [x] ',
    '---',
  ]
  for (let round = 0; round < 300; round++)
    texts.push(Array.from({ length: 60 }, () => marks[random(marks.length)]).join(''))
  for (const text of texts) {
    const all = segments(events([text], whole))
    let end = 0
    for (const { from, to, last } of all) {
      assert.ok(from >= 0 && from <= to && to <= text.length && to >= end, JSON.stringify({ from, to, end, text }))
      end = to
      assert.equal(last, all.at(-1).to === to && last)
    }
    for (const cut of [
      pieces(1),
      pieces(1 + random(9)),
      (one) => {
        const at = random(one.length)
        return [one.slice(0, at), one.slice(at)].filter((piece) => piece !== '')
      },
    ]) {
      assert.deepEqual(segments(events([text], cut)), all, JSON.stringify(text.slice(0, 400)))
    }
  }
})

test('speech: hostile texts take time that grows with their length only', async () => {
  const hostile = [
    '`',
    '` ',
    '$a ',
    '](',
    '[',
    '[^',
    '*',
    '_a',
    '- ',
    '> ',
    '1. ',
    '|',
    '<a',
    'https://',
    'h',
    '(',
    '「',
    '"',
    '.',
    '. a',
    '…',
    '\n',
    '\n ',
    '```\n',
    '$$\n',
    '\\[ ',
    '#',
    '~',
    '\\',
    '😀',
    'a',
    '长',
    '- [',
    '"。',
  ]
  for (const unit of hostile) {
    for (const [length, cut] of [
      [20_000, whole],
      [2_000, pieces(1)],
    ]) {
      const work = (characters) => segments(events([unit.repeat(Math.ceil(characters / unit.length))], cut))
      await assertLinear(work, length, JSON.stringify(unit))
    }
  }
})
