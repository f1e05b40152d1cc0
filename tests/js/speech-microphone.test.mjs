import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SluiceError } from 'sluice'
import { microphone, speaker } from 'sluice/speech'
import { FakeClock, FakeVoice, settled } from './speech-support.mjs'

/** Hears what the test says, and writes down how often it was listened to. */
class FakeEars {
  listened = 0
  ended = 0
  #tell

  async *listen(signal) {
    this.listened++
    signal.addEventListener('abort', () => (this.ended++, this.#tell?.()))
    for (;;) {
      const heard = await new Promise(
        (resolve, reject) => (this.#tell = (value, error) => (error ? reject(error) : resolve(value))),
      )
      if (heard === undefined) return
      yield heard
    }
  }
  async hear(text, final = false) {
    this.#tell({ text, final })
    await settled()
  }
  async fail(error) {
    this.#tell(undefined, error)
    await settled()
  }
  async end() {
    this.#tell()
    await settled()
  }
}

function stage(options = {}) {
  const ears = new FakeEars()
  const voice = new FakeVoice()
  const speaks = speaker({ voice, clock: new FakeClock() })
  const heard = []
  const errors = []
  const mic = microphone({
    ears,
    speaker: speaks,
    onText: (text, final) => heard.push(final ? `${text}.` : text),
    onError: (error) => errors.push(error.message),
    ...options,
  })
  return { ears, voice, speaks, heard, errors, mic }
}

test('microphone: pushed to talk it ends the voice, tells what it hears, and the rest when it is let go', async () => {
  const { ears, speaks, heard, mic } = stage()
  const states = []
  mic.subscribe(() => states.push(mic.state))
  speaks.say('I am talking all the time.')
  assert.equal(mic.state, 'off')
  mic.start()
  mic.start()
  await settled()
  assert.deepEqual([speaks.state, mic.state, ears.listened], ['idle', 'listening', 1])
  await ears.hear('what is')
  await ears.hear('what is the time', true)
  await ears.hear('and where')
  mic.stop()
  mic.stop()
  await settled()
  await ears.hear('from nowhere')
  assert.deepEqual(heard, ['what is', 'what is the time.', 'and where', 'and where.'])
  assert.deepEqual([states, ears.ended], [['listening', 'off'], 1])
})

test('microphone: always on it does not hear the voice', async () => {
  const { ears, voice, speaks, heard, mic } = stage({ mode: 'always' })
  mic.start()
  await settled()
  await ears.hear('hel')
  speaks.say('You said something to me.')
  await settled()
  assert.deepEqual([mic.state, ears.ended], ['waiting', 1])
  await voice.end()
  await settled()
  assert.deepEqual([mic.state, ears.listened], ['listening', 2])
  await ears.hear('hello', true)
  mic.stop()
  assert.deepEqual(heard, ['hel', 'hello.'])
})

test('microphone: without an echo the first word ends the voice', async () => {
  const { ears, speaks, heard, mic } = stage({ mode: 'always', cancelsEcho: true })
  mic.start()
  await settled()
  speaks.say('This is a long story of mine.')
  await ears.hear('  ')
  assert.equal(speaks.state, 'speaking', 'a noise is no word')
  await ears.hear('wait')
  assert.deepEqual([speaks.state, mic.state, ears.listened], ['idle', 'listening', 1])
  mic.stop()
  assert.deepEqual(heard.at(-1), 'wait.')
})

test('microphone: what fails or ends by itself is off, and can be started again', async () => {
  const { ears, heard, errors, mic } = stage()
  mic.start()
  await settled()
  await ears.hear('half of')
  await ears.fail(new Error('the microphone was taken away'))
  assert.deepEqual([mic.state, errors], ['off', ['the microphone was taken away']])
  mic.start()
  await settled()
  await ears.hear('half a sentence')
  await ears.end()
  assert.deepEqual([mic.state, heard.at(-1)], ['off', 'half a sentence.'])
  assert.throws(
    () => microphone({ ears: {}, onText: () => {} }),
    (error) => error instanceof SluiceError && error.path === 'ears',
  )
  assert.throws(() => microphone({ ears }), { path: 'onText' })
})
