import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'
import { SluiceError } from 'sluice'
import { companion } from 'sluice/pet'
import { httpVoice, speaker } from 'sluice/speech'
import { fakeClient, fakeClock } from './pet-support.mjs'
import { FakeAudio, FakeClock, FakeMessage, FakeVoice, settled } from './speech-support.mjs'

const { durationOf } = await built('language')

function stage(options = {}) {
  const clock = new FakeClock()
  const voice = options.voice ?? new FakeVoice()
  const log = []
  const speaks = speaker({
    voice,
    clock,
    onCue: ({ call }) => log.push(`cue ${call}`),
    onSegment: ({ text }, now) => now !== 'next' && log.push(`${now}: ${text}`),
    ...options,
  })
  return { clock, voice, speaks, log, message: new FakeMessage() }
}

test('speech: an answer is said piece by piece while it is written', async () => {
  const { clock, voice, speaks, log, message } = stage()
  const states = []
  const said = []
  speaks.subscribe(() => {
    if (states.at(-1) !== speaks.state) states.push(speaks.state)
    if (said.at(-1) !== speaks.saying) said.push(speaks.saying)
  })
  speaks.follow(message)
  assert.equal(speaks.state, 'idle')
  message.text('It is sunny today, ').text('so we might all go out. Shall ')
  assert.deepEqual(voice.said, ['It is sunny today,'])
  message.text('we take the boat?')
  assert.deepEqual(voice.said.length, 1, 'one at a time')
  await voice.end()
  assert.deepEqual(voice.said.at(-1), 'so we might all go out.')
  message.done()
  await voice.end()
  assert.equal(speaks.state, 'speaking')
  await voice.end()
  assert.deepEqual(voice.said, ['It is sunny today,', 'so we might all go out.', 'Shall we take the boat?'])
  assert.deepEqual(
    log,
    voice.said.flatMap((text) => [`speaking: ${text}`, `spoken: ${text}`]),
  )
  assert.deepEqual(states, ['speaking', 'idle'])
  assert.deepEqual(
    said.filter((text) => text !== ''),
    voice.said,
    'a bubble shows what is heard',
  )
  assert.equal(said.at(-1), '')
  assert.equal(speaks.state, 'idle')
  await clock.pass(60_000)
  speaks.stop()
  assert.equal(message.watched, false)
})

test('speech: an answer that goes on behind its end is said from there; one that was said is said again when it is asked for', async () => {
  const { voice, speaks, message } = stage()
  speaks.follow(message)
  message.text('This is as far as it went. And').done()
  await voice.end()
  await voice.end()
  assert.deepEqual([voice.said, speaks.state], [['This is as far as it went.', 'And'], 'idle'])
  message.again()
  message.text(' now it goes on for a while.')
  message.cue()
  const held = speaks.hold({ message: 'm1', call: 1 })
  message.done()
  assert.deepEqual(voice.said.slice(2), ['now it goes on for a while.'])
  await voice.end()
  assert.equal(await held, 'now')
  speaks.follow(message)
  assert.deepEqual(voice.said.slice(3), ['This is as far as it went.'])
})

test('speech: a pause in the text ends a sentence after 200 ms, and a first one begins after 400 ms without any mark', async () => {
  const { clock, voice, speaks, message } = stage()
  speaks.follow(message)
  message.text('Let me have a look at that.')
  await clock.pass(199)
  assert.deepEqual(voice.said, [])
  await clock.pass(1)
  assert.deepEqual(voice.said, ['Let me have a look at that.'])

  const other = stage()
  other.speaks.follow(other.message)
  for (let at = 0; at < 9; at++) {
    other.message.text('and on and ')
    await other.clock.pass(50)
  }
  assert.equal(other.voice.said.length, 1, 'words came all the time, but no mark')
})

test('speech: a cue fires at its word, by the boundaries of the voice', async () => {
  const { voice, speaks, log, message } = stage()
  speaks.follow(message)
  message.text('Wait. ')
  message.cue()
  message.text('You got ')
  message.cue()
  message.text('the job? Oh, ')
  message.cue()
  message.text('that calls for a little dance!')
  message.cue()
  message.done()
  assert.deepEqual(voice.said, ['Wait. You got the job?'])
  voice.at(0)
  assert.deepEqual(log, ['speaking: Wait. You got the job?'])
  voice.at(6)
  voice.at(10)
  assert.deepEqual(log.slice(1), ['cue 1'])
  voice.at(14)
  assert.deepEqual(log.slice(1), ['cue 1', 'cue 2'])
  await voice.end()
  voice.at(5)
  assert.deepEqual(log.slice(3), [
    'spoken: Wait. You got the job?',
    'speaking: Oh, that calls for a little dance!',
    'cue 3',
  ])
  await voice.end()
  assert.deepEqual(log.slice(-2), ['cue 4', 'spoken: Oh, that calls for a little dance!'])
})

test('speech: without boundaries a cue fires by the rate of speech, and not while the voice is held', async () => {
  const { voice, speaks, log, message } = stage()
  speaks.follow(message)
  message.text('今天天气非常非常好，')
  message.cue()
  message.text('我们一起出去走走吧。')
  message.done()
  await voice.end() // the first segment
  log.length = 0
  const other = stage({ segments: {} })
  other.speaks.follow(other.message)
  other.message.text('今天天气非常') // at 6 of 15: 1,333 ms
  other.message.cue()
  other.message.text('非常非常好我们走吧。')
  other.message.done()
  assert.equal(other.voice.said.length, 1)
  await other.clock.pass(1200)
  assert.deepEqual(
    other.log.filter((line) => line.startsWith('cue')),
    [],
  )
  other.speaks.pause()
  await other.clock.pass(5000)
  assert.deepEqual(
    other.log.filter((line) => line.startsWith('cue')),
    [],
  )
  other.speaks.resume()
  await other.clock.pass(400)
  assert.deepEqual(
    other.log.filter((line) => line.startsWith('cue')),
    ['cue 1'],
  )
})

const second = 'This is the second one.'
const limit = 10_000 + 2 * durationOf(second)

test('the time that a voice was held is none of its limit', async () => {
  const { clock, voice, speaks, log, message } = stage()
  speaks.follow(message)
  message.text(second)
  message.done()
  assert.equal(voice.said.length, 1)
  for (let at = 0; at < 2; at++) {
    await clock.pass(5000)
    speaks.pause()
    await clock.pass(60_000)
    speaks.resume()
  }
  await clock.pass(limit - 10_001)
  assert.deepEqual(log, [`speaking: ${second}`])
  await clock.pass(1)
  assert.deepEqual(log.slice(1), [`dropped: ${second}`])
  assert.equal(clock.waiting, 0, 'nothing waits any more')
})

test('a voice that is held at its limit is passed over when it goes on, one that ends while it is held leaves no timer', async () => {
  const late = stage()
  late.speaks.follow(late.message)
  late.message.text(second)
  late.message.done()
  await late.clock.pass(limit - 1)
  late.speaks.pause()
  await late.clock.pass(60_000)
  assert.equal(late.log.length, 1)
  late.speaks.resume()
  await late.clock.pass(1)
  assert.deepEqual(late.log.slice(1), [`dropped: ${second}`])
  const ended = stage()
  ended.speaks.follow(ended.message)
  ended.message.text(second)
  ended.message.done()
  await ended.clock.pass(1000)
  ended.speaks.pause()
  await ended.clock.pass(60_000)
  await ended.voice.end()
  ended.speaks.resume()
  await ended.clock.pass(0)
  assert.equal(ended.clock.waiting, 0)
})

test('speech: what fails or takes too long is passed over, with its cues', async () => {
  const { clock, voice, speaks, log, message } = stage()
  speaks.follow(message)
  message.text('This is the first one. This ')
  message.cue()
  message.text('is the second one. This is the third one.')
  message.done()
  await voice.fail()
  assert.deepEqual(log, [
    'speaking: This is the first one.',
    'dropped: This is the first one.',
    'speaking: This is the second one.',
  ])
  await clock.pass(10_000 + 2 * 2300)
  assert.deepEqual(log.slice(3), ['cue 1', 'dropped: This is the second one.', 'speaking: This is the third one.'])
  await voice.end()
  assert.equal(speaks.state, 'idle')

  const throws = stage({
    voice: {
      speak: () => {
        throw new Error('no')
      },
    },
  })
  throws.speaks.say('This cannot be said.')
  await settled()
  assert.deepEqual(throws.log, ['speaking: This cannot be said.', 'dropped: This cannot be said.'])
})

test('speech: the mouth has the shape of the vowel that the voice tells, else of the letter, and is closed where nothing is said', async () => {
  const voice = new FakeVoice()
  voice.visemes = () => [
    { at: 0, vowel: 'a' },
    { at: 300, vowel: 'u' },
    { at: 600, vowel: null },
  ]
  const { clock, speaks, message } = stage({ voice })
  const mouth = async (ms) => {
    let shape
    for (let left = ms; left > 0; left -= 20) {
      await clock.pass(20)
      shape = speaks.mouth()
    }
    return shape
  }
  assert.deepEqual(speaks.mouth(), { open: 0, form: 0 })
  speaks.follow(message)
  message.text('This is all of it.').done()
  const a = await mouth(280)
  assert.ok(a.open > 0.8 && Math.abs(a.form) < 0.2, JSON.stringify(a))
  const u = await mouth(300)
  assert.ok(u.open < 0.5 && u.open > 0.3 && u.form < -0.9, JSON.stringify(u))
  assert.deepEqual(await mouth(600), { open: 0, form: 0 }, 'the voice says nothing here')
  await voice.end()
  assert.deepEqual(await mouth(600), { open: 0, form: 0 })
  voice.visemes = () => {
    throw new Error('no')
  }
  speaks.say('Oooooooo!')
  const o = await mouth(400)
  assert.ok(o.open > 0.5 && o.form < -0.5, `by the letters: ${JSON.stringify(o)}`)
  speaks.stop()
  assert.deepEqual(await mouth(600), { open: 0, form: 0 })
})

test('speech: an answer that is interrupted tells how far it was heard, in what is shown; one that was heard does not', async () => {
  const { voice, speaks, message } = stage()
  const places = []
  speaks.onInterrupted((place) => places.push(place))
  speaks.follow(message)
  message.text('**This** is the first one. This is `the` second of them.').done()
  await voice.end()
  voice.at(5) // at "is"
  speaks.stop('a finger on the mouth')
  const shown = '**This** is the first one. This is `the` second of them.'
  assert.equal(places.length, 1)
  const { message: id, block, to } = places[0]
  assert.deepEqual([id, block], ['m1', 0])
  assert.match(shown.slice(0, to), /one\. This (?:is)?$/)
  const whole = stage()
  whole.speaks.onInterrupted((place) => places.push(place))
  whole.speaks.follow(whole.message)
  whole.message.text('This is all of it.').done()
  await whole.voice.end()
  whole.speaks.stop()
  whole.speaks.say('A text of nobody that goes on.')
  whole.speaks.stop()
  whole.speaks.close()
  assert.equal(places.length, 1)
  const early = stage()
  const off = early.speaks.onInterrupted((place) => places.push(place))
  early.speaks.follow(early.message)
  early.message.text('This is all of it. And so on.').done('cancelled')
  assert.deepEqual(places[1], { message: 'm1', block: 0, to: 0 }, 'nothing was heard yet')
  off()
  const quiet = stage()
  quiet.speaks.onInterrupted((place) => places.push(place))
  quiet.speaks.quiet(true)
  quiet.speaks.follow(quiet.message)
  quiet.message.text('This is all of it. And so on.')
  quiet.speaks.stop()
  assert.equal(places.length, 2, 'nobody spoke')
})

test('speech: stop ends everything, tells what was heard, and drops the rest', async () => {
  const { clock, voice, speaks, log, message } = stage()
  speaks.follow(message)
  message.text('This is the first one. This is the second one. And ')
  message.cue()
  message.text('this is the third one.')
  await voice.end()
  voice.at(8)
  assert.deepEqual(speaks.stop(), { heard: 'This is the first one. This is' })
  assert.equal(speaks.state, 'idle')
  assert.equal(message.watched, false)
  message.text(' And more of it comes here.')
  await clock.pass(60_000)
  assert.equal(voice.said.length, 2)
  assert.deepEqual(
    log.filter((line) => line.startsWith('cue')),
    [],
  )
  assert.equal(log.filter((line) => line.startsWith('dropped')).length, 1, 'what was not cut yet was never announced')
  assert.deepEqual(speaks.stop(), { heard: '' })
})

test('speech: another answer, and one that was cancelled, end what is said', async () => {
  const { voice, speaks, message } = stage()
  speaks.follow(message)
  speaks.follow(message)
  message.text('This is the first one. And ')
  const other = new FakeMessage('m2')
  speaks.follow(other)
  assert.equal(message.watched, false)
  other.text('Now to something else. And ')
  await settled()
  assert.deepEqual(voice.said, ['This is the first one.', 'Now to something else.'])
  other.done('cancelled')
  assert.equal(speaks.state, 'idle')
  const ended = new FakeMessage('m3')
  ended.text('Read this one to me.').done()
  speaks.follow(ended)
  assert.equal(voice.said.at(-1), 'Read this one to me.')
})

test('speech: orders wait for their words, and end however it ends', async () => {
  const { clock, voice, speaks, message } = stage()
  const ends = {}
  const hold = (call, of = 'm1') => void speaks.hold({ message: of, call }).then((how) => (ends[`${of} ${call}`] = how))
  hold(1)
  await clock.pass(250)
  assert.deepEqual(ends, { 'm1 1': 'now' }, 'nobody speaks')
  delete ends['m1 1']
  hold(1)
  await clock.pass(200)
  speaks.follow(message) // an order may be faster than its message
  await clock.pass(200)
  assert.deepEqual(ends, {})
  hold(1, 'another')
  message.text('This is the first one. ')
  message.cue()
  message.text('Second one is this one. ')
  message.cue()
  message.text('Third one is this one here.')
  await clock.pass(250)
  assert.deepEqual(ends, { 'another 1': 'now' })
  hold(2)
  await voice.end()
  assert.deepEqual(ends, { 'another 1': 'now', 'm1 1': 'now' })
  hold(1)
  await settled()
  speaks.stop()
  await settled()
  assert.equal(ends['m1 2'], 'stopped')

  const late = new FakeMessage('late')
  speaks.follow(late)
  hold(1, 'late') // its words never come
  await clock.pass(29_999)
  assert.equal(ends['late 1'], undefined)
  await clock.pass(1)
  assert.equal(ends['late 1'], 'now')
  hold(2, 'late')
  late.text('All is said now.').done()
  await voice.end()
  assert.equal(ends['late 2'], 'now', 'the answer was said to its end')
  speaks.quiet(true)
  speaks.follow(new FakeMessage('quiet'))
  hold(1, 'quiet')
  await settled()
  assert.equal(ends['quiet 1'], 'now')
})

test('speech: quiet says nothing and lets cues through; a voice that is not there is told once', async () => {
  const listeners = new Set()
  const voice = new FakeVoice()
  Object.assign(voice, {
    silent: 'the system has no voice',
    subscribe: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
  })
  const off = []
  const { speaks, log, message } = stage({ voice, onOff: (why) => off.push(why) })
  assert.equal(speaks.state, 'off')
  speaks.follow(message)
  message.text('This is the first one. ')
  message.cue()
  message.text('And this is the second one.').done()
  await settled()
  assert.deepEqual(log, ['dropped: This is the first one.', 'dropped: And this is the second one.', 'cue 1'])
  assert.deepEqual([off, voice.said], [['the system has no voice'], []])
  voice.silent = undefined
  for (const listener of listeners) listener()
  assert.equal(speaks.state, 'idle')
  speaks.say('Now it is there.')
  assert.deepEqual(voice.said, ['Now it is there.'])
  speaks.quiet(true)
  assert.equal(speaks.state, 'off')
  speaks.say('Nobody hears this.')
  assert.equal(voice.said.length, 1)
  speaks.quiet(false)
  assert.equal(speaks.state, 'idle')
  assert.equal(off.length, 1)
})

test('speech: it speaks again when everybody lets it who asked for quiet', () => {
  const { speaks } = stage()
  speaks.quiet(true) // a person wants no voice
  const date = new Date(2026, 10, 23, 21, 59, 30)
  const client = fakeClient()
  const pet = companion({
    client,
    speaker: speaks,
    quietHours: { from: '22:00', to: '07:00' },
    clock: { ...fakeClock(), date: () => date },
  })
  for (const [hours, expected] of [
    [22, true],
    [8, false],
  ]) {
    date.setHours(hours, 0)
    pet.typed()
    assert.equal(pet.getSnapshot().quiet, expected)
    assert.equal(speaks.state, 'off', 'the end of the hours gives nobody a voice')
  }
  pet.quiet(true)
  speaks.quiet(false)
  assert.equal(speaks.state, 'off')
  pet.quiet(false)
  assert.equal(speaks.state, 'idle')
  pet.quiet(true)
  pet.close()
  assert.equal(speaks.state, 'idle', 'who is gone asks for nothing')
})

test('speech: quiet in the middle of an answer ends the voice, not the cues; it goes on with what comes behind', async () => {
  const { voice, speaks, log, message } = stage()
  speaks.follow(message)
  message.text('This is the first one. This is ')
  message.cue()
  message.text('the second one. And ')
  message.cue()
  message.text('the third one is here.')
  const held = speaks.hold({ message: 'm1', call: 1 })
  speaks.quiet(true)
  assert.equal(await held, 'now')
  message.text(' The fourth one comes now. ')
  assert.deepEqual(
    [speaks.state, log],
    [
      'off',
      [
        'speaking: This is the first one.',
        'dropped: This is the first one.',
        'cue 1',
        'dropped: This is the second one.',
        'dropped: And the third one is here.',
        'cue 2',
      ],
    ],
  )
  speaks.quiet(false)
  message.text('And this is the fifth one.').done()
  await settled()
  assert.deepEqual(voice.said.slice(1), ['The fourth one comes now.'])
  await voice.end()
  assert.deepEqual(voice.said.slice(1), ['The fourth one comes now.', 'And this is the fifth one.'])
})

test('speech: what is too much is not said', async () => {
  const { voice, speaks, log, message } = stage({ maxQueued: 2, maxCharacters: 70 })
  speaks.follow(message)
  message.text(
    'One sentence is said. Two sentences are said. Three are said, too. Four is too many here. Five and no more.',
  )
  message.done()
  assert.deepEqual(log, [
    'speaking: One sentence is said.',
    'dropped: Four is too many here.',
    'dropped: Five and no more.',
  ])
  for (let at = 0; at < 3; at++) await voice.end()
  assert.deepEqual(voice.said, ['One sentence is said.', 'Two sentences are said.', 'Three are said, too.'])
  assert.equal(speaks.state, 'idle')
})

test('speech: a text of the app counts for itself, however much was said before', async () => {
  const { voice, speaks, message } = stage({ maxCharacters: 70 })
  for (let at = 0; at < 5; at++) {
    speaks.say('Somebody rang the bell and then went away.')
    await voice.end()
  }
  assert.equal(voice.said.length, 5)
  speaks.follow(message)
  message.text('This answer has as much room as any other one has. ')
  message.done()
  await voice.end()
  assert.deepEqual([voice.said.length, speaks.state], [6, 'idle'])
  speaks.say(`${'Nobody listens to a text that goes on for so long. '.repeat(4)}`)
  assert.equal(voice.said.length, 7)
  await voice.end()
  assert.equal(speaks.state, 'idle', 'a long one is not said to its end')
})

test('speech: the mouth of a voice without sound moves with its letters, and is closed in between', async () => {
  const { clock, voice, speaks } = stage()
  assert.equal(speaks.level(), 0)
  speaks.say('aaaa, xx oooo')
  const levels = []
  for (let at = 0; at < 6; at++) {
    levels.push(speaks.level())
    await clock.pass(50)
  }
  assert.ok(Math.max(...levels) > 0.4, String(levels))
  await clock.pass(5000)
  speaks.level()
  await clock.pass(500)
  assert.equal(speaks.level(), 0, 'it stands where no word is told')
  voice.at(9)
  await clock.pass(100)
  speaks.level()
  await clock.pass(50)
  assert.ok(speaks.level() > 0.4)
  await voice.end()
  await clock.pass(500)
  assert.equal(speaks.level(), 0)
})

// -- a voice that gives sounds ----------------------------------------------------------------------------------------

test('speech: sounds are made ready ahead, and heard in their order', async () => {
  const clock = new FakeClock()
  const audio = new FakeAudio(clock)
  const asked = []
  const ready = new Map()
  const voice = httpVoice(async function* (text, signal) {
    asked.push(text)
    await new Promise((resolve, reject) => {
      ready.set(text, resolve)
      signal.addEventListener('abort', () => reject(signal.reason))
    })
    yield new TextEncoder().encode(text.slice(0, 4))
    yield new TextEncoder().encode(text.slice(4))
  })
  const log = []
  const speaks = speaker({
    voice,
    audio,
    clock,
    onCue: ({ call }) => log.push(`cue ${call} at ${clock.now() - begun}`),
    onSegment: ({ text }, now) => now !== 'next' && log.push(`${now}: ${text}`),
  })
  let begun
  const message = new FakeMessage()
  speaks.follow(message)
  message.text('Number one is here now. Number ')
  message.cue()
  message.text('two is here now. Number three is here now. Number four is here now. Number five is here now.')
  message.done()
  await settled()
  assert.deepEqual(
    asked,
    ['Number one is here now.', 'Number two is here now.', 'Number three is here now.'],
    'one and two ahead',
  )
  ready.get('Number two is here now.')()
  await settled()
  assert.deepEqual(audio.played, [], 'the first one is not there')
  ready.get('Number one is here now.')()
  await clock.pass(10)
  assert.deepEqual(audio.played, ['Number one is here now.'])
  await clock.pass(1000)
  begun = clock.now()
  assert.deepEqual(audio.played, ['Number one is here now.', 'Number two is here now.'])
  assert.deepEqual(asked.slice(3), ['Number four is here now.'])
  await clock.pass(900)
  const [, at] = /^cue 1 at ([\d.]+)$/.exec(log.find((line) => line.startsWith('cue')))
  assert.ok(Math.abs(at - (7 / 23) * 1000) < 30, `the second word of one second is heard behind ${at} ms`)
  assert.ok(speaks.level() > 0.4, 'the mouth follows the sound')
  await clock.pass(200)
  await clock.pass(10_000)
  assert.ok(log.includes('dropped: Number three is here now.'), 'it took more than 10 s')
  ready.get('Number four is here now.')()
  await clock.pass(20)
  assert.equal(audio.played.at(-1), 'Number four is here now.')
  await clock.pass(500)
  const { heard } = speaks.stop('barge-in')
  assert.match(heard, /^Number one is here now\. Number two is here now\. Number fo/)
  assert.equal(audio.played.at(-1), 'faded in 80')
  assert.equal(speaks.state, 'idle')
})

test('speech: options that are wrong are refused by name', () => {
  const voice = new FakeVoice()
  for (const [options, path] of [
    [{}, 'voice'],
    [{ voice: {} }, 'voice'],
    [{ voice, ahead: -1 }, 'ahead'],
    [{ voice, onCues: () => {} }, 'onCues'],
    [{ voice, segments: { words: 1 } }, 'words'],
  ]) {
    assert.throws(
      () => speaker(options),
      (error) => error instanceof SluiceError && error.path === path,
      path,
    )
  }
  assert.throws(
    () => httpVoice('url'),
    (error) => error.path === 'synthesize',
  )
  assert.throws(
    () => httpVoice(async function* () {}, { pcm: {} }),
    (error) => error.path === 'pcm.sampleRate',
  )
})
