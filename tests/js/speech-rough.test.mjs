// A speaker where things happen at the wrong time: stopped by those it tells, held while a sound is made, closed, and
// answers without any end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { httpVoice, speechSegmenter, speaker } from 'sluice/speech'
import { FakeAudio, FakeClock, FakeMessage, FakeVoice, settled } from './speech-support.mjs'
import { assertLinear } from './work.mjs'

const three = 'This is the first one. This is the second one. This is the third one.'

function stage(options = {}) {
  const clock = new FakeClock()
  const voice = options.voice ?? new FakeVoice()
  const speaks = speaker({ voice, clock, ...options })
  return { clock, voice, speaks, message: new FakeMessage() }
}

test('speech: who stops it when told of a piece hears nothing more of that answer', async () => {
  const told = []
  const { voice, speaks, message, clock } = stage({
    onSegment: ({ text }, now) => {
      told.push(`${now}: ${text}`)
      if (now === 'next') speaks.stop()
    },
  })
  speaks.follow(message)
  message.text(three).done()
  await clock.pass(1000)
  assert.deepEqual(
    [voice.said, told, message.watched, speaks.state],
    [[], ['next: This is the first one.', 'dropped: This is the first one.'], false, 'idle'],
  )
  speaks.say(three)
  await clock.pass(1000)
  assert.deepEqual([voice.said, told.length], [[], 4])
  const cued = stage({ onCue: () => cued.speaks.stop() })
  cued.speaks.follow(cued.message)
  cued.message.cue()
  cued.message.text(three).cue()
  cued.message.done()
  await cued.clock.pass(5000)
  await cued.voice.end()
  assert.deepEqual([cued.voice.said, cued.speaks.state], [['This is the first one.'], 'idle'])
})

test('speech: what is held while its sound is made begins when it goes on, and never where it was stopped meanwhile', async () => {
  for (const end of ['resume', 'stop']) {
    const clock = new FakeClock()
    const audio = new FakeAudio(clock)
    let ready
    const voice = httpVoice(async function* () {
      await new Promise((resolve) => (ready = resolve))
      yield new TextEncoder().encode('sound')
    })
    const { speaks } = stage({ clock, voice, audio })
    speaks.say('This is all of it.')
    await settled()
    speaks.pause()
    ready()
    await clock.pass(30_000)
    assert.deepEqual(audio.played, [], 'it is held')
    speaks[end]()
    await clock.pass(20)
    assert.deepEqual(
      [audio.played, audio.state, speaks.state],
      end === 'stop' ? [[], 'running', 'idle'] : [['sound'], 'running', 'speaking'],
    )
    speaks.close()
  }
})

test('speech: a sound without an end is given up, also where its maker does not hear that nobody wants it', async () => {
  for (const pcm of [undefined, { sampleRate: 24_000 }]) {
    let [made, left] = [0, 0]
    const voice = httpVoice(
      async function* () {
        try {
          for (; made < 1000; made++) {
            await new Promise(setImmediate)
            yield new Uint8Array(1_000_000)
          }
        } finally {
          left++
        }
      },
      pcm ? { pcm } : {},
    )
    const clock = new FakeClock()
    const told = []
    const { speaks } = stage({ clock, voice, audio: new FakeAudio(clock), onSegment: (_, now) => told.push(now) })
    speaks.say('This is all of it.')
    while (left === 0) await settled()
    await settled()
    assert.ok(made < 100, `${made} MB`)
    assert.deepEqual([told, speaks.state], [['next', 'dropped'], 'idle'])

    const stopped = made
    speaks.say('This is all of it.')
    await settled()
    speaks.stop()
    while (left === 1) await settled()
    assert.ok(made - stopped < 20, 'it ends with its next piece')
    speaks.close()
  }
})

test('speech: a sound whose end never comes, or that is far longer than its words, ends and lets the next one through', async () => {
  const clock = new FakeClock()
  const audio = new FakeAudio(clock)
  const decode = audio.decodeAudioData
  let wrong
  audio.decodeAudioData = async (bytes) => ({ ...(await decode(bytes)), ...wrong })
  const create = audio.createBufferSource.bind(audio)
  audio.createBufferSource = () =>
    wrong ? Object.assign(create(), { start: () => audio.played.push('begun') }) : create() // its device is gone
  const voice = httpVoice(async function* (text) {
    yield new TextEncoder().encode(text)
  })
  const { speaks } = stage({ clock, voice, audio })
  for (wrong of [{}, { duration: 3600 }]) {
    speaks.say('This is all of it.')
    await clock.pass(20)
    assert.equal(speaks.state, 'speaking')
    await clock.pass(20_000)
    assert.equal(speaks.state, 'idle')
    assert.deepEqual(audio.played.splice(0), ['begun', 'faded in 80'])
  }
  wrong = undefined
  speaks.say('And this is heard.')
  await clock.pass(2000)
  assert.deepEqual([audio.played, speaks.state], [['And this is heard.'], 'idle'])
  speaks.close()
})

test('speech: nothing waits behind a stop, though the voice never answers', async () => {
  for (const voice of [
    { speak: () => new Promise(() => {}) },
    httpVoice(async function* () {
      await new Promise(() => {})
    }),
  ]) {
    const { clock, speaks, message } = stage({ voice, audio: new FakeAudio(new FakeClock()) })
    speaks.follow(message)
    message.text(three)
    message.cue()
    const order = speaks.hold({ message: 'm1', call: 1 })
    await settled()
    assert.ok(clock.waiting > 0)
    speaks.stop()
    await settled()
    assert.deepEqual([clock.waiting, await order, speaks.state], [0, 'stopped', 'idle'])
  }
})

test('speech: one that is closed is silent for good', async () => {
  const { clock, voice, speaks, message } = stage()
  speaks.close()
  speaks.say('This is all of it.')
  speaks.follow(message)
  message.text(three).done()
  await clock.pass(1000)
  assert.deepEqual(
    [voice.said, speaks.state, message.watched, clock.waiting, await speaks.hold({ message: 'm1', call: 1 })],
    [[], 'off', false, 0, 'now'],
  )
})

test('speech: an order that is asked for twice waits its own time', async () => {
  const { clock, speaks, message } = stage()
  speaks.follow(message)
  message.text(three)
  const first = speaks.hold({ message: 'm1', call: 7 })
  await clock.pass(9000)
  let ended
  speaks.hold({ message: 'm1', call: 7 }).then((how) => (ended = how))
  assert.equal(await first, 'now')
  await clock.pass(25_000)
  assert.equal(ended, undefined, 'the time of the first one is over')
  await clock.pass(6000)
  assert.equal(ended, 'now')
})

test('speech: what goes on behind an end counts its places from the beginning of the text, also behind an error', async () => {
  const { voice, speaks, message } = stage()
  const places = []
  speaks.onInterrupted((place) => places.push(place))
  speaks.follow(message)
  message.text('This is as far as it went. ').failed()
  await voice.end()
  assert.equal(speaks.state, 'idle')
  message.again().text('Here it goes on for a while. ')
  message.text('And this is its end.').done()
  assert.deepEqual(voice.said.slice(1), ['Here it goes on for a while.'])
  await voice.end()
  speaks.stop('barge-in')
  assert.deepEqual(places, [
    { message: 'm1', block: 0, to: 'This is as far as it went. Here it goes on for a while. '.length },
  ])
})

test('speech: an answer without any end and orders without any words take their time once', async () => {
  const cutter = speechSegmenter()
  const ipc = (call) => cutter.push({ type: 'ipc', call, channel: 'live2d:expression', payload: [], block: 0 })
  cutter.push({ type: 'text', block: 0, text: 'Hello there' })
  for (let call = 1; call <= 100_000; call++) ipc(call) // sorted with each, these took minutes
  const [all, ...more] = cutter.end()
  assert.deepEqual(
    [all.cues.length, all.cues.map(({ call }) => call).every((call, at) => call === at + 1), more],
    [100_000, true, []],
  )
  await assertLinear((calls) => {
    cutter.push({ type: 'text', block: 0, text: 'Hello there' })
    for (let call = 1; call <= calls; call++) ipc(call)
    // taken from the front one by one, these took half a minute
    const [one] = cutter.push({ type: 'text', block: 0, text: ' and goodbye. And' })
    assert.deepEqual([one.cues.length, one.cues.at(-1).call], [calls, calls])
    cutter.end()
  }, 25_000)
  const dropped = []
  const { speaks } = stage({ onSegment: ({ text }, now) => now === 'dropped' && dropped.push(text.length) })
  speaks.say('word '.repeat(200_000))
  assert.ok(dropped.every((length) => length <= 300) && dropped.length > 3000, `${dropped.length}`)
  speaks.close()
})
