// What the terminal shows of a turn: the events go in, the bytes are drawn by a small terminal.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { built } from './dist.mjs'
import { screenOf } from './terminal-screen.mjs'

const { MediaFolder } = await built('made-words')
const { cost, Screen } = await built('screen')
const { columns: widthOf } = await built('rows')

function shown(events, { columns = 60, isTTY = true, env = { TERM: 'xterm', NO_COLOR: '1' }, styles } = {}) {
  let bytes = ''
  const screen = new Screen(
    { write: (text) => (bytes += text.replaceAll('\n', '\r\n')), isTTY, columns, rows: 24 },
    env,
  )
  const steps = events.map((event, at) => {
    if (typeof event === 'function') event(screen)
    else screen.show({ seq: at + 1, ...event })
    return isTTY ? screenOf(bytes, columns).at(-1) : ''
  })
  screen.show({ type: 'done', outcome: 'completed' })
  const rows = isTTY ? screenOf(bytes, columns, { styles }) : bytes.replaceAll('\r\n', '\n').split('\n')
  return { rows, steps, bytes }
}
const card = (call, fields) => ({ type: 'card', call, block: call, ...fields })
const began = (call, name, args = {}) => [
  card(call, { name, status: 'streaming' }),
  card(call, { status: 'pending', arguments: args }),
  card(call, { status: 'executing' }),
]
const ended = (call, output, fields) => card(call, { status: 'success', output, durationMs: 12, ...fields })
const progress = (call, text) => ({ type: 'progress', call, text })
const text = (text) => ({ type: 'text', block: 0, text })
const dumb = { TERM: 'dumb' }

test('progress redraws its line', () => {
  const { rows, steps } = shown([
    ...began(1, 'file.copy'),
    ...Array.from({ length: 30 }, (_, at) => progress(1, `${at + 1} of 30`)),
    ended(1, 'copied'),
    text('Done.'),
  ])
  assert.deepEqual(rows, ['╭─ file.copy', '╰─ ✔ success file.copy · 12 ms · copied', 'Done.', ''])
  assert.equal(steps[3], '⋯ file.copy 1 of 30')
  assert.equal(steps[32], '⋯ file.copy 30 of 30')
})

test('calls that run at the same time are printed whole, each when it settles, and one line says what runs', () => {
  const { rows, steps } = shown([
    text('Three at once.'),
    ...[1, 2, 3].flatMap((call) => began(call, `job.${call}`, { n: call })),
    { type: 'ipc', call: 2, channel: 'pet', payload: [1] },
    progress(2, 'half'),
    ended(2, 'two'),
    ended(1, 'one'),
    ended(3, 'three'),
    text('All done.'),
  ])
  assert.deepEqual(rows, [
    'Three at once.',
    '╭─ job.2 n: 2',
    '│  ↯ ipc pet [1]',
    '╰─ ✔ success job.2 · 12 ms · two',
    '╭─ job.1 n: 1',
    '╰─ ✔ success job.1 · 12 ms · one',
    '╭─ job.3 n: 3',
    '╰─ ✔ success job.3 · 12 ms · three',
    'All done.',
    '',
  ])
  assert.equal(steps[11], '⋯ 3 running · job.1 · job.2 half · job.3')
  assert.equal(steps[12], '⋯ 2 running · job.1 · job.3')
})

test('a terminal that becomes narrower or wider in mid-line breaks what comes at its new width, and says nothing twice', () => {
  for (const [before, after] of [
    [80, 40],
    [80, 20],
    [40, 80],
  ])
    for (const size of [1, 7, 300]) {
      const out = { isTTY: true, columns: before, rows: 24, bytes: '', write: (text) => (out.bytes += text) }
      const screen = new Screen(out, { TERM: 'xterm' })
      const words = Array.from({ length: 60 }, (_, at) =>
        at % 7 === 3 ? `**w${at}**` : at % 11 === 5 ? `\`c${at}\`` : `word${at}`,
      ).join(' ')
      const say = (given) => {
        for (let at = 0; at < given.length; at += size)
          screen.show({ type: 'text', block: 0, text: given.slice(at, at + size) })
      }
      say(words.slice(0, 72))
      const mark = out.bytes.length
      out.columns = after
      say(words.slice(72))
      screen.show({ type: 'done', outcome: 'completed' })
      const rowsOf = (bytes) => screenOf(bytes.replaceAll('\n', '\r\n'), 1000)
      assert.equal(
        rowsOf(out.bytes).join(' ').replace(/\s+/g, ' ').trim(),
        words.replace(/[*`]/g, ''),
        `${before} → ${after} by ${size}`,
      )
      // What is drawn after the change is drawn in rows of the new width: a wider one would wrap, and stand there again
      // with every token.
      const drawn = out.bytes
        .slice(mark)
        .replace(/\x1b\[[\d;]*[A-Za-z]/g, '')
        .split(/[\r\n]/)
        .slice(1)
      assert.ok(
        drawn.every((row) => row.length < after),
        drawn.filter((row) => row.length >= after).join('\n'),
      )
    }
})

test('without a terminal a tool that runs alone says its progress at once, and calls are whole', () => {
  const alone = shown([...began(1, 'file.copy'), progress(1, 'half')], { isTTY: false })
  assert.deepEqual(alone.rows, ['╭─ file.copy ', '│  half', ''])
  const { rows } = shown([...began(1, 'a'), ...began(2, 'b'), progress(2, 'half'), ended(2, 'two'), ended(1, 'one')], {
    isTTY: false,
  })
  assert.deepEqual(rows, [
    '╭─ a ',
    '╭─ b ',
    '│  half',
    '╰─ ✔ success b · 12 ms · two',
    '╰─ ✔ success a · 12 ms · one',
    '',
  ])
})

test('words wrap at the width, in boxes too, and no row is wider than the terminal', () => {
  const long = 'The quick brown fox jumps over the lazy dog, and then it rests. '
  const chinese = '敏捷的棕色狐狸跳过了懒狗，然后它在“树下”休息了一会儿。'
  for (const columns of [40, 80, 120]) {
    for (const env of [{ TERM: 'xterm' }, { TERM: 'xterm', NO_COLOR: '1' }, dumb]) {
      const { rows } = shown(
        [
          text(long.repeat(4)),
          text(`\n${chinese.repeat(4)}`),
          ...began(1, 'note.add', { text: long.repeat(3) }),
          { type: 'ipc', call: 1, channel: 'pet', payload: [chinese.repeat(3)] },
          ended(1, long.repeat(2)),
          { type: 'error', code: 'network', detail: long.repeat(3), hint: long.repeat(2) },
        ],
        { columns, env },
      )
      for (const row of rows) assert.ok([...row].reduce((sum, point) => sum + widthOf(point), 0) < columns, row)
      const all = rows.join('\n')
      for (const word of ['quick', 'jumps', 'rests.']) assert.ok(all.includes(word), `${word} is broken in ${all}`)
      assert.ok(rows.filter((row) => row.startsWith('│ ')).length >= (columns === 40 ? 4 : 2), all)
      assert.doesNotMatch(all, /^[，。”]/m, 'no row begins with a mark that belongs to the row above')
    }
  }
})

test('an address longer than the screen is broken, nothing of it is lost', () => {
  const address = `https://example.com/${'a'.repeat(150)}`
  const { rows } = shown([text(`see ${address} there`)], { columns: 40 })
  assert.equal(rows.join(''), `see${address} there`)
})

test('while a person types nothing is printed; what came is said afterwards', () => {
  let drawn
  const { rows } = shown([
    ...began(1, 'a'),
    card(2, { name: 'b', status: 'awaiting_approval' }),
    (screen) => screen.inCard(2, 'may it?'),
    (screen) => screen.still(true),
    progress(1, 'half'),
    ended(1, 'one'),
    (screen) => (drawn = screen),
    (screen) => screen.still(false),
    ended(2, 'two'),
  ])
  assert.ok(drawn)
  assert.deepEqual(rows, [
    '╭─ b',
    '│  may it?',
    '╭─ a',
    '╰─ ✔ success a · 12 ms · one',
    '╰─ ✔ success b · 12 ms · two',
    '',
  ])
})

test('tries again are one line that goes, and the error is told once', () => {
  const retry = (attempt) => ({
    type: 'retry',
    round: 1,
    attempt,
    maxAttempts: 2,
    delayMs: 400,
    detail: 'ECONNREFUSED',
  })
  const { rows, steps } = shown([retry(1), retry(2), { type: 'error', code: 'network', detail: 'ECONNREFUSED' }])
  assert.deepEqual(rows, ['✖ network: ECONNREFUSED', ''])
  assert.equal(steps[1], '  (trying again in 0.4 s, 2 of 2: ECONNREFUSED)')
})

test('without a terminal the text is what the model wrote, however it was cut', () => {
  const code = 'def f():\n    return 1\n\n  # **end**\n'
  for (const size of [1, 3, 100]) {
    const pieces = code.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g'))
    assert.equal(shown(pieces.map(text), { isTTY: false }).bytes.replaceAll('\r\n', '\n'), code)
  }
})

test('what an answer took is said in a few characters', () => {
  const said = (ms, inputTokens, outcome = 'completed') =>
    cost({ outcome, usage: inputTokens && { inputTokens, outputTokens: 0 } }, ms)
  assert.deepEqual(
    [
      said(120),
      said(8000, 1200),
      said(8400, 812),
      said(59_400, 12_345),
      said(125_000, 1_500_000),
      said(1000, 999_600, 'cancelled'),
      said(3, 99_960),
    ],
    [
      '0.1 s',
      '8 s · 1.2k tokens',
      '8 s · 812 tokens',
      '59 s · 12.3k tokens',
      '2 min 5 s · 1.5M tokens',
      'stopped · 1 s · 1M tokens',
      '0.0 s · 100k tokens',
    ],
  )
})

test('comments are dimmed and marked like thoughts, and each message begins behind an empty line', () => {
  const say = (block, text, phase) => ({ type: 'text', block, text, ...(phase ? { phase } : {}) })
  const both = [say(0, 'One **moment**.', 'commentary'), say(1, 'It **rains**.', 'final_answer')]
  assert.deepEqual(shown(both).rows, ['⋯ One **moment**.', '', 'It **rains**.', ''])
  assert.deepEqual(shown(both, { isTTY: false }).rows, ['⋯ One **moment**.', '', 'It **rains**.', ''])
  const { bytes } = shown(both, { env: { TERM: 'xterm' } })
  assert.match(bytes, /\x1b\[2m⋯ /)
  assert.match(bytes, /It .*\x1b\[1mrains/)
  assert.deepEqual(shown([say(0, 'One moment.'), say(1, 'It rains.')]).rows, ['One moment.', '', 'It rains.', ''])
  const late = [say(0, 'One moment.'), say(0, '', 'commentary'), say(1, 'It rains.'), say(1, '', 'final_answer')]
  for (const isTTY of [true, false])
    assert.deepEqual(shown(late, { isTTY }).rows, [
      'One moment.',
      '  (the text above is a comment on the work, not the answer)',
      'It rains.',
      '',
    ])
  assert.deepEqual(shown([say(0, 'One moment.', 'commentary')]).rows, ['⋯ One moment.', ''])
  const twice = [say(0, 'It rains.'), say(1, 'It rains.'), { type: 'retracted', round: 1, blocks: [0] }]
  assert.deepEqual(shown(twice).rows, [
    'It rains.',
    '',
    'It rains.',
    '  (said twice: the last message repeats an earlier one)',
    '',
  ])
  assert.deepEqual(shown([say(0, 'It rains.'), { type: 'retracted', round: 1, blocks: [0] }]).rows, [
    'It rains.',
    '  (taken back: the text above is not part of the answer)',
    '',
  ])
  for (const pieces of ['One moment.'].flatMap((text) =>
    Array.from({ length: text.length - 1 }, (_, at) => [text.slice(0, at + 1), text.slice(at + 1)]),
  )) {
    const cut = pieces.map((piece) => say(0, piece, 'commentary'))
    assert.deepEqual(shown([...cut, say(1, 'It rains.', 'final_answer')]).rows, ['⋯ One moment.', '', 'It rains.', ''])
  }
})

// -- sources, pictures, files -----------------------------------------------------------------------------------------

const png = 'iVBORw0KGgo='
const page = (title, url = `https://${title}.example/`) => ({ kind: 'web', url, title })

test('sources: numbers and addresses stand after the text, each page once, and what comes later continues them', () => {
  for (const isTTY of [true, false]) {
    const { rows } = shown(
      [
        text('Rain '),
        { type: 'sources', block: 0, sources: [page('oslo')] },
        text('all day.'),
        { type: 'sources', block: 0, sources: [page('oslo'), { ...page('oslo'), start: 0, end: 4 }, page('bergen')] },
        { type: 'round', round: 1 },
        {
          type: 'sources',
          block: 0,
          sources: [page('oslo'), page('oslo'), page('bergen'), { kind: 'file', id: 'file-1', title: 'a\u202E.pdf' }],
        },
        { type: 'text', block: 1, text: 'More.' },
        { type: 'sources', block: 1, sources: [page('x'.repeat(10_000), 'https://x.example/')] },
      ],
      { isTTY, columns: 60 },
    )
    const said = rows.join('\n')
    assert.ok(
      said.startsWith(
        'Rain all day.\n  [1] oslo https://oslo.example/\n  [2] bergen https://bergen.example/\n  [3] a⟨U+202E⟩.pdf\n',
      ),
      said,
    )
    assert.match(said, /More\.\n {2}\[1\]\s+x+/)
    assert.ok(said.length < 600, 'a long title is cut')
  }
})

test('sources: a new turn counts from 1', () => {
  const { rows } = shown([
    text('One.'),
    { type: 'sources', block: 0, sources: [page('oslo')] },
    { type: 'round', round: 1 },
    (screen) => screen.begin(),
    text('Two.'),
    { type: 'sources', block: 0, sources: [page('bergen')] },
  ])
  assert.deepEqual(rows.slice(0, 4), [
    'One.',
    '  [1] oslo https://oslo.example/',
    'Two.',
    '  [1] bergen https://bergen.example/',
  ])
})

test('media: media type, name, size and address, also of a tool of the provider', () => {
  const { rows } = shown([
    { type: 'media', block: 0, part: { type: 'image', mediaType: 'image/png', data: png } },
    {
      type: 'media',
      block: 0,
      part: { type: 'file', mediaType: 'text/csv', name: 'a\nb.csv', data: 'A'.repeat(4000) },
    },
    { type: 'media', block: 0, part: { type: 'image', url: 'https://pictures.example/a.png' } },
    { type: 'media', block: 0, part: { type: 'file', id: 'file_1' } },
    card(1, { name: 'image_generation', status: 'streaming', source: 'provider' }),
    ended(1, undefined, { parts: [{ type: 'image', mediaType: 'image/png', data: 'A'.repeat(2_000_000) }] }),
  ])
  assert.deepEqual(rows, [
    '▣ image/png, 8 bytes',
    '▣ text/csv, a b.csv, 3 kB',
    '▣ a picture, https://pictures.example/a.png',
    '▣ a file, file_1',
    '╭─ image_generation',
    '╰─ ✔ success image_generation · 12 ms',
    '▣ image/png, 1.5 MB',
    '',
  ])
})

test('MediaFolder: a new file for each part, inside of the folder, and nothing is replaced', (t) => {
  const path = mkdtempSync(join(tmpdir(), 'sluice-save-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  const inside = join(path, 'a/b')
  const outside = join(path, 'outside')
  const folder = new MediaFolder(inside)
  writeFileSync(join(inside, 'picture-1.png'), 'old')
  symlinkSync(outside, join(inside, 'file-2.pdf'))
  const image = { type: 'image', mediaType: 'image/png', data: png }
  const given = [
    image,
    { type: 'file', mediaType: 'application/pdf', data: 'aGk=' },
    { ...image, id: '../../../etc/passwd' },
    { ...image, id: '../../../etc/passwd' },
    { ...image, id: 'x'.repeat(10_000) },
    { type: 'file', mediaType: '../../sh', name: '../../../evil', data: 'aGk=' },
    { type: 'image', mediaType: 'image/svg+xml', data: 'aGk=' },
    { type: 'file', id: 'file_1' },
    { type: 'image', url: 'https://pictures.example/a.png' },
  ]
  const paths = given.map((part) => folder.save(part))
  assert.deepEqual(
    paths.map((one) => one && relative(inside, one)),
    [
      'picture-1-2.png',
      'file-2-2.pdf',
      'picture-_________etc_passwd.png',
      'picture-_________etc_passwd-2.png',
      `picture-${'x'.repeat(60)}.png`,
      'file-3.bin',
      'picture-4.svg',
      undefined,
      undefined,
    ],
  )
  assert.equal(readFileSync(join(inside, 'picture-1.png'), 'utf8'), 'old')
  assert.deepEqual(readFileSync(paths[0]), Buffer.from(png, 'base64'))
  assert.ok(!existsSync(outside), 'a link that leads outside is not followed')
})

test('media: a file that cannot be written is named, and the answer goes on', (t) => {
  let bytes = ''
  const folder = {
    save: () => {
      throw new Error('ENOSPC: no space left on device')
    },
  }
  const screen = new Screen({ write: (text) => (bytes += text), isTTY: false, columns: 60 }, dumb, folder)
  screen.show({ type: 'media', block: 0, part: { type: 'image', mediaType: 'image/png', data: png }, seq: 1 })
  screen.show({ ...text('Done.'), seq: 2 })
  screen.show({ type: 'done', outcome: 'completed', seq: 3 })
  assert.match(bytes, /image\/png, 8 bytes \(not saved: ENOSPC: no space left on device\)\nDone\.\n/)
})
