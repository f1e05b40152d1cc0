// What the chat decides without a page: which entries stand in it, what waits to be sent, what is offered behind a bad
// end, what is read out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'
import { assertLinear } from './work.mjs'

const { pictureType } = await built('picture-type')
const { questionWords } = await built('question-words')
const { Announcer } = await built('announcer')
const { accepts, isLong, toSend } = await built('attachment-chips')
const { Desk, MOST_QUEUED } = await built('draft-field')
const { Sending } = await built('sending')
const { AT_ONCE, EntryWindow, FIRST, MOST } = await built('entry-window')
const { chatText } = await built('chat-strings')
const { dayOf } = await built('times')
const { tokens, usageOf } = await built('usage-line')
const { waysOn } = await built('ways-on')

// -- entries ----------------------------------------------------------------------------------------------------------

const entries = (from, to) =>
  Array.from({ length: to - from }, (_, at) => ({ id: `e${from + at}`, role: 'user', text: '', at: 0 }))
const view = (from, to, more) => ({ id: 'main', forgotten: from, entries: entries(from, to), ...more })
const range = ({ shown }) => [shown[0]?.id, shown.at(-1)?.id, shown.length]

test('the end of a conversation is in the page, more comes above it, and what is far away goes', () => {
  const window = new EntryWindow()
  assert.equal(window.set(view(500, 1000), true), true)
  assert.deepEqual(range(window), ['e970', 'e999', AT_ONCE])
  assert.equal(window.above.id, 'e969')
  while (window.fill(8)) assert.ok(window.shown.length < FIRST)
  assert.deepEqual(range(window), ['e900', 'e999', FIRST])
  while (window.up()) assert.ok(window.shown.length <= MOST)
  assert.deepEqual(range(window), ['e500', 'e799', MOST])
  assert.equal(window.missing, 'e500')
  assert.deepEqual([window.first, window.size], [500, 1000])
  window.add('e500', entries(400, 500))
  assert.deepEqual([window.shown[0].id, window.first, window.size], ['e450', 450, 1000])
  window.add('e500', entries(0, 10)) // came too late: another one is first by now
  assert.equal(window.size, 1000)
  while (window.down()) assert.ok(window.shown.length <= MOST)
  assert.equal(window.shown.at(-1).id, 'e999')
  window.end()
  assert.equal(window.shown.length, FIRST)
  while (window.up());
  window.end()
  assert.deepEqual(range(window), ['e970', 'e999', AT_ONCE], 'nothing of the end was in the page')
})

test('a window that stays open for ever holds no more than it may have to show, and fetches again what it let go', () => {
  const window = new EntryWindow()
  for (let to = 10; to <= 10_000; to += 10) {
    window.set(view(Math.max(0, to - 500), to), true)
    assert.ok(window.shown.length <= MOST)
    assert.equal(window.size, to)
    assert.equal(window.shown.at(-1).id, `e${to - 1}`)
  }
  while (window.up());
  const first = Number(window.missing.slice(1))
  assert.ok(first >= 10_000 - 500 - 2 * MOST, `everything from ${first} on is held`)
  assert.equal(window.first, first)
  window.add(`e${first}`, entries(first - 100, first))
  assert.deepEqual([window.shown[0].id, window.first], [`e${first - 50}`, first - 50])
})

test('it says where a conversation begins, and where its beginning is no longer kept', () => {
  const window = new EntryWindow()
  window.set(view(4, 10), true)
  assert.equal(window.missing, 'e4')
  window.add('e4', [])
  assert.deepEqual([window.missing, window.lost], [undefined, true])
  const whole = new EntryWindow()
  whole.set(view(0, 10), true)
  assert.deepEqual([whole.missing, whole.lost], [undefined, false])
})

test('a list that is shifted, cut or on another branch keeps what stands before it', () => {
  const window = new EntryWindow()
  window.set(view(0, 6), true)
  assert.equal(window.set(view(2, 8), true), false)
  assert.deepEqual(range(window), ['e0', 'e7', 8])
  window.set({ ...view(2, 4), entries: [...entries(2, 4), { id: 'x', role: 'user', text: '', at: 0 }] }, true)
  assert.deepEqual(
    window.shown.map(({ id }) => id),
    ['e0', 'e1', 'e2', 'e3', 'x'],
  )
  assert.equal(window.set(view(0, 0), true), true, 'emptied')
  assert.equal(window.shown.length, 0)
  assert.equal(window.set(view(0, 3, { id: 'other' }), true), true)
  assert.equal(window.behind('e0'), 2)
  assert.equal(window.behind('gone'), undefined)
})

test('whoever reads further up is left there while entries come', () => {
  const window = new EntryWindow()
  window.set(view(0, 400), true)
  while (window.up());
  const before = window.shown[0].id
  window.set(view(0, 500), false)
  assert.equal(window.shown[0].id, before)
  assert.equal(window.atEnd, false)
  assert.ok(window.shown.length <= MOST)
})

// -- what is written --------------------------------------------------------------------------------------------------

test('at most five messages wait; they go one by one, and back into the field where an answer did not end well', () => {
  const desk = new Desk()
  for (let at = 0; at < MOST_QUEUED; at++) {
    desk.text = `message ${at}`
    assert.equal(desk.enqueue(), true)
    assert.equal(desk.empty, true)
  }
  desk.text = 'one more'
  assert.equal(desk.enqueue(), false)
  assert.equal(desk.text, 'one more', 'nothing is lost')
  assert.equal(desk.over({ outcome: 'completed' }).text, 'message 0')
  assert.equal(desk.over({ outcome: 'failed' }), undefined)
  assert.equal(desk.text, 'message 1\n\nmessage 2\n\nmessage 3\n\nmessage 4\n\none more')
  assert.equal(desk.over({ outcome: 'completed' }), undefined)
})

test('what is on its way is kept until it is sent: in front of what waits and what is written, whatever becomes of it', async () => {
  let kept
  const desk = new Desk('', (text) => (kept = text))
  const stands = { subscribe: () => () => {} }
  const view = { id: 'main', forgotten: 0, entries: [] }
  const sends = []
  const client = {
    connection: { state: 'connected', ...stands },
    open: () => ({ ...stands, getSnapshot: () => view }),
    send: ({ text }) => new Promise((resolve, reject) => sends.push({ text, resolve, reject })),
  }
  let takes = true
  const sending = new Sending(desk, { fire: () => takes, changed() {}, failed() {} }, 'main', client)
  sending.begin()
  const send = (text) => {
    desk.text = text
    return sending.send(desk.take())
  }
  const first = send('One')
  assert.deepEqual([desk.text, kept, sends[0].text], ['', 'One', 'One'], 'a page that is loaded again finds it')
  desk.text = 'Two'
  desk.enqueue()
  desk.text = 'Three'
  assert.equal(kept, 'One\n\nTwo\n\nThree')
  sends[0].resolve()
  await first
  assert.equal(kept, 'Two\n\nThree')
  const second = sending.send(desk.next())
  assert.equal(kept, 'Two\n\nThree')
  sends[1].reject(new Error('no'))
  await second
  assert.deepEqual([desk.text, kept], ['Two\n\nThree', 'Two\n\nThree'], 'back in the field, once')
  takes = false // the app sends it itself
  await send('Four')
  assert.equal(kept, '')
  sending.end()
})

test('pictures are told by their first bytes, whatever they are called', () => {
  const bytes = (text) => Uint8Array.from(text, (one) => one.charCodeAt(0))
  for (const [text, type] of [
    ['\x89PNG\r\n\x1a\n', 'image/png'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['GIF89a', 'image/gif'],
    ['RIFF\x01\x02\x03\x04WEBP', 'image/webp'],
    ['\0\0\0\x1cftypavif', 'image/avif'],
    ['<svg xmlns', undefined],
    ['RIFF\x01\x02\x03\x04WAVE', undefined],
    ['GIF', undefined],
    ['', undefined],
  ])
    assert.equal(pictureType(bytes(text)), type, text)
})

test('long texts stand behind the words, files of text in a fence that they cannot close', () => {
  const text = (name, content) => ({ name, mediaType: 'text/plain', bytes: new TextEncoder().encode(content) })
  const picture = { name: 'a.png', mediaType: 'image/png', bytes: Uint8Array.of(1, 2, 3) }
  assert.deepEqual(toSend('Look', [text('', 'pasted'), picture, text('a.md', '```\ncode\n```')]), {
    text: 'Look\n\npasted\n\na.md:\n````\n```\ncode\n```\n````',
    parts: [{ type: 'image', mediaType: 'image/png', data: 'AQID', name: 'a.png' }],
  })
  const film = { name: 'a.mp4', mediaType: 'video/mp4', bytes: Uint8Array.of(1), isFile: true }
  assert.deepEqual(toSend('', [film, { ...text('a.md', 'x'), isFile: true }]), {
    text: '',
    parts: [
      { type: 'file', name: 'a.mp4', mediaType: 'video/mp4', data: 'AQ==' },
      { type: 'file', name: 'a.md', mediaType: 'text/plain', data: 'eA==' },
    ],
  })
  assert.equal(toSend(' ', [text('', 'pasted')]).text, 'pasted')
  assert.deepEqual(
    [isLong('a'.repeat(4000)), isLong('a'.repeat(4001)), isLong('\n'.repeat(59)), isLong('\n'.repeat(60))],
    [false, true, false, true],
  )
  assert.deepEqual(
    [accepts('image/*', 'image/png'), accepts('image/png, text/plain', 'text/plain'), accepts('image/*', 'text/plain')],
    [true, true, false],
  )
})

// -- ends -------------------------------------------------------------------------------------------------------------

test('what can be done behind an end', () => {
  const text = { type: 'text', text: 'Half' }
  const error = (code) => ({ type: 'error', code, detail: '' })
  for (const [message, ways] of [
    [{ outcome: undefined, blocks: [text] }, []],
    [{ outcome: 'completed', blocks: [text], finishReason: 'stop' }, []],
    [{ outcome: 'completed', blocks: [], finishReason: 'stop' }, ['again']],
    [{ outcome: 'completed', blocks: [text], finishReason: 'length' }, ['goOn', 'again']],
    [{ outcome: 'completed', blocks: [text], finishReason: 'pause' }, ['goOn', 'again']],
    [{ outcome: 'completed', blocks: [text], finishReason: 'content_filter' }, ['again']],
    [{ outcome: 'failed', blocks: [text, error('unfinished')] }, ['goOn', 'again']],
    [{ outcome: 'failed', blocks: [error('unfinished')] }, ['again']],
    [{ outcome: 'failed', blocks: [text, error('tools_unsupported')] }, ['again']],
    [{ outcome: 'limit', blocks: [text] }, ['goOn']],
    [{ outcome: 'cancelled', blocks: [text] }, ['goOn', 'again']],
    [{ outcome: 'cancelled', blocks: [] }, ['again']],
    [{ outcome: 'awaiting_user', blocks: [text] }, []],
    [{ outcome: 'failed', interrupted: true, blocks: [{ type: 'text', text: 'Half' }] }, ['goOn', 'again']],
    [{ outcome: 'failed', interrupted: true, blocks: [] }, ['again']],
  ])
    assert.deepEqual(waysOn(message), ways, JSON.stringify(message))
})

test('time and tokens, as far as they are known', () => {
  assert.deepEqual([0, 999, 1000, 1234, 9949, 9950, 12_345, 999_499, 999_500, 2_400_000].map(tokens), [
    '0',
    '999',
    '1.0k',
    '1.2k',
    '9.9k',
    '10k',
    '12k',
    '999k',
    '1.0M',
    '2.4M',
  ])
  const words = {
    milliseconds: (value) => `${value} ms`,
    seconds: (value) => `${value} s`,
    minutes: (m, s) => `${m} min ${s} s`,
  }
  const line = (message) =>
    usageOf({ outcome: 'completed', blocks: [], ...message }, words, chatText('en'), String)?.line
  assert.equal(line({}), undefined)
  assert.equal(
    line({
      answers: [
        { startedAt: 0, endedAt: 3000 },
        { startedAt: 4000, endedAt: 84_000 },
      ],
    }),
    '1 min 24 s',
  )
  assert.equal(line({ usage: { outputTokens: 7 } }), '7 tokens')
  assert.equal(
    line({ answers: [{ startedAt: 5, endedAt: 2 }], usage: { outputTokens: 7 } }),
    '0 ms · 7 tokens',
    'a clock that went back',
  )
})

test('days have names', () => {
  const now = new Date(2026, 2, 10, 12).getTime()
  const words = { today: 'Today', yesterday: 'Yesterday' }
  const day = (...date) => dayOf(new Date(...date).getTime(), now, words, 'en')
  assert.deepEqual(
    [day(2026, 2, 10, 0), day(2026, 2, 9, 23), day(2026, 2, 1), day(2025, 11, 31)],
    ['Today', 'Yesterday', 'Sunday, March 1', 'Wednesday, December 31, 2025'],
  )
})

// -- read out ---------------------------------------------------------------------------------------------------------

function announcer(mode = 'end') {
  const said = []
  const kit = {
    ...questionWords.en,
    asks: (sentence) => `? ${sentence}`,
    waitingCount: (count) => `${count} wait`,
    endings: { length: 'cut' },
    outcome: { failed: 'Failed', cancelled: 'Stopped' },
    errors: { http: 'refused' },
    error: 'Error',
  }
  const one = new Announcer({
    mode: () => mode,
    name: () => 'Lulu',
    words: () => ({ elements: kit, chat: chatText('en') }),
    lang: () => 'en',
    say: (text, how) => said.push([how, text]),
  })
  return { one, said }
}
const message = (text, more = {}) => ({
  id: 'm',
  seq: 1,
  questions: [],
  blocks: text === '' ? [] : [{ type: 'text', text }],
  ...more,
})

test('an answer is read out at its end, once; what was there before is not', () => {
  const { one, said } = announcer()
  one.see(message('Old.', { id: 'old', outcome: 'completed' }), false)
  for (const text of ['He', 'Hello']) one.see(message(text), false)
  for (let times = 0; times < 3; times++) one.see(message('Hello', { outcome: 'completed' }), false)
  assert.deepEqual(said, [['polite', 'Lulu: Hello']])
  one.see(message('a'.repeat(5000), { id: 'long', outcome: 'completed', finishReason: 'length' }), true)
  assert.equal(
    said[1][1].length,
    'Lulu: '.length + 1000 + '\ncut'.length,
    'asked for here: news though it ended at once',
  )
  one.see(message('', { id: 'bad', outcome: 'failed', blocks: [{ type: 'error', code: 'http', detail: '' }] }), true)
  assert.equal(said[2][1], 'Lulu: Failed. refused')
})

test('an answer that goes on behind its end is read out again', () => {
  const { one, said } = announcer()
  one.see(message('Half'), true)
  one.see(message('Half', { outcome: 'cancelled' }), true)
  one.see(message('Half'), true)
  one.see(message('Half and half', { outcome: 'completed' }), true)
  assert.deepEqual(
    said.map(([, text]) => text),
    ['Lulu: Half\nStopped', 'Lulu: Half and half'],
  )
})

test('what is read out is words: marks of Markdown are not, whole or by sentences', async () => {
  const text = '**Hello** there. Take the [umbrella](https://example.com). It *rains* a lot.\n\n- one\n- two'
  const whole = announcer()
  whole.one.see(message('A'), true)
  whole.one.see(message(text, { outcome: 'completed' }), true)
  assert.deepEqual(whole.said, [['polite', 'Lulu: Hello there. Take the umbrella. It rains a lot.\none\ntwo']])
  const { one, said } = announcer('sentences')
  for (let at = 1; at <= text.length; at++) one.see(message(text.slice(0, at)), true)
  one.see(message(text, { outcome: 'completed' }), true)
  assert.deepEqual(
    said
      .map(([, text]) => text)
      .join(' ')
      .replace(/\s+/g, ' '),
    'Hello there. Take the umbrella. It rains a lot. one two',
  )
  await assertLinear(
    (sentences) => {
      const long = announcer('sentences')
      const story = 'It **rains** today. '.repeat(sentences)
      for (let at = 0; at <= story.length; at += 200) long.one.see(message(story.slice(0, at)), true)
    },
    800,
    'a long paragraph, which costs no more with each sentence',
  )
})

test('questions interrupt, once each; several at once are counted', () => {
  const { one, said } = announcer()
  const ask = (token) => ({ token, name: `tool.${token}`, stage: 'execution' })
  one.see(message('', { questions: [ask(1)] }), true)
  one.see(message('', { questions: [ask(1)] }), true)
  one.see(message('', { questions: [ask(1), ask(2), ask(3)] }), true)
  assert.deepEqual(said, [
    ['assertive', '? Lulu wants to use tool.1.'],
    ['assertive', '3 wait'],
  ])
  one.close()
})

test('a question is read out as the sentence that a person sees, in the words of the app', () => {
  const { one, said } = announcer()
  const words = {
    title: { en: 'Send a message', zh: '发消息' },
    sentence: { en: 'send **{text}** to **{to}**', zh: '给**{to}**发**{text}**' },
  }
  one.see(
    message('', {
      questions: [
        { token: 1, name: 'message.send', stage: 'execution', words, arguments: { text: 'hi\u202E', to: 'Lin' } },
      ],
    }),
    true,
  )
  one.see(
    message('', {
      questions: [
        {
          token: 2,
          name: 'diary.read',
          stage: 'result',
          words: { title: 'Read my diary' },
          preview: 'x',
          reader: { model: 'qwen3', host: 'api.example.com' },
        },
      ],
    }),
    true,
  )
  assert.equal(said.length, 2)
  assert.match(said[0][1], /^\? Lulu wants to send hi⟨U\+202E[^⟩]*⟩ to Lin\.$/)
  assert.match(said[1][1], /qwen3 at api\.example\.com/)
  one.close()
})

test('ten seconds without a word are told once', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { one, said } = announcer()
  one.see(message(''), true)
  t.mock.timers.tick(9999)
  one.see(message('', { blocks: [{ type: 'reasoning', text: 'hm' }] }), true)
  t.mock.timers.tick(1)
  t.mock.timers.tick(60_000)
  one.see(message('', { seq: 2 }), true)
  t.mock.timers.tick(60_000)
  assert.deepEqual(said, [['polite', 'Lulu is still working.']])
})

test('nothing is read out where it is off', () => {
  const { one, said } = announcer('off')
  one.see(message('Hello', { questions: [{ token: 1 }] }), true)
  one.see(message('Hello', { outcome: 'completed' }), true)
  assert.deepEqual(said, [])
})
