// From the model to the mouth: a host whose pet does what the model says with its words, a window that speaks, and a
// voice of the test.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { receivePetOrders } from 'sluice/live2d'
import { companion } from 'sluice/pet'
import { connect } from 'sluice/renderer'
import { speaker } from 'sluice/speech'
import { hostStage, until } from './host-support.mjs'
import { FakeVoice } from './speech-support.mjs'

const call = (name) => ({ call: { name: 'live2d_expression', arguments: { name } } })
const answer = {
  parts: [
    { text: 'Wait a moment. You got ' },
    call('surprised'),
    { text: 'the job, did you? That calls for ' },
    call('smile'),
    { text: 'a little dance!' },
  ],
}

function fakeModel() {
  const done = []
  return {
    done,
    capabilities: () => ({ expressions: ['smile', 'surprised'], motions: {} }),
    expression: (name) => (done.push(name), true),
    motion: () => true,
  }
}

async function stage(t, { cues = 'spoken', voice = new FakeVoice() } = {}) {
  const { host, engine } = await hostStage(t, { answers: () => answer, host: { cues } })
  const client = connect(host.bridge({ read: true, chat: true, pet: true }))
  t.after(() => client.close())
  const model = fakeModel()
  const speaks = speaker({ voice })
  t.after(() => speaks.close())
  const ready = () => until(() => engine.tools.length > 0, 'the tools of the pet')
  const notices = (message) =>
    message
      .getSnapshot()
      .blocks.filter(({ type }) => type === 'tool_use')
      .map(({ notice }) => notice)
  return { client, model, voice, speaks, ready, notices }
}

test('speech: an expression comes with its words, not with the text', async (t) => {
  const { client, model, voice, speaks, ready, notices } = await stage(t)
  receivePetOrders({ client, model, speaker: speaks })
  await ready()
  const message = await client.send('I got it!')
  speaks.follow(message)
  const { outcome } = await message.done
  assert.equal(outcome, 'completed')
  await until(() => voice.said.length === 1)
  assert.deepEqual([voice.said, model.done], [['Wait a moment.'], []])
  await voice.end()
  assert.deepEqual(voice.said.at(-1), 'You got the job, did you?')
  voice.at(0)
  assert.deepEqual(model.done, [])
  voice.at(8)
  await until(() => model.done.length === 1)
  await voice.end()
  voice.at(15)
  await until(() => model.done.length === 2)
  assert.deepEqual(model.done, ['surprised', 'smile'])
  await voice.end()
  assert.deepEqual(notices(message), [undefined, undefined])
})

test('speech: what the voice did not come to is not done, and its card says so', async (t) => {
  const { client, model, voice, speaks, ready, notices } = await stage(t)
  receivePetOrders({ client, model, speaker: speaks })
  await ready()
  const message = await client.send('I got it!')
  speaks.follow(message)
  message.subscribe(() => {}) // somebody looks at it: what comes behind its end is seen, too
  await message.done
  await voice.end()
  voice.at(8)
  await until(() => model.done.length === 1)
  assert.match(speaks.stop('a finger on the mouth').heard, /^Wait a moment\. You got/)
  await until(() => notices(message)[1])
  assert.match(notices(message)[1], /words were not said/)
  assert.deepEqual([model.done, notices(message)[0]], [['surprised'], undefined])
})

test('speech: where nobody speaks, or orders do not wait, the pet does it at once', async (t) => {
  for (const [cues, follows] of [
    ['spoken', false],
    ['now', true],
  ]) {
    const { client, model, speaks, ready } = await stage(t, { cues })
    receivePetOrders({ client, model, speaker: speaks })
    await ready()
    const message = await client.send('I got it!')
    if (follows) speaks.follow(message)
    await until(() => model.done.length === 2, `${cues}`)
    assert.deepEqual(model.done, ['surprised', 'smile'])
  }
})

test('speech: a companion gives its speaker the answers, and its orders wait for their words', async (t) => {
  const { client, model, voice, speaks, ready } = await stage(t)
  const pet = companion({ client, model, speaker: speaks })
  t.after(() => pet.close())
  await ready()
  const message = await client.send('I got it!')
  await message.done
  await until(() => voice.said.length > 0)
  await new Promise((resolve) => setTimeout(resolve, 400)) // longer than an order waits for its message
  assert.deepEqual(model.done, [])
  await voice.end()
  voice.at(8)
  await until(() => model.done.includes('surprised'))
  pet.quiet(true)
  await until(() => model.done.includes('smile'), 'quiet: at once')
  assert.equal(speaks.state, 'off')
  pet.quiet(false)
  assert.equal(speaks.state, 'idle')
})

test('speech: what is made for a window ends when that is closed, and no other', async (t) => {
  const ended = []
  const { host } = await hostStage(t, {
    answers: [],
    host: {
      speech: async function* (text, signal) {
        signal.addEventListener('abort', () => ended.push(`${text}: ${signal.reason.message}`))
        await new Promise(() => {}) // a provider that takes its time
        yield new Uint8Array()
      },
    },
  })
  const [here, there] = [0, 1].map(() => host.bridge({ read: true, chat: true }))
  const sounds = [here.call('synthesize', { text: 'one' }), there.call('synthesize', { text: 'two' })]
  await new Promise(setImmediate)
  here.close()
  assert.equal((await sounds[0]).ok, false)
  assert.equal(ended.length, 1)
  assert.match(ended[0], /^one: .*the window was closed/)
  await host.close()
  assert.equal((await sounds[1]).ok, false)
  assert.match(ended[1], /^two: .*the host was closed/)
})

test("speech: a sound that is too long, and whose maker does not end, takes nobody's place", async (t) => {
  const { host } = await hostStage(t, {
    answers: [],
    host: {
      speech: (text) => ({
        [Symbol.asyncIterator]: () => ({
          next: async () => ({ done: false, value: new Uint8Array(9_000_000) }),
          return: () => new Promise(() => {}),
        }),
      }),
    },
  })
  const here = host.bridge({ read: true, chat: true })
  for (let at = 0; at < 8; at++)
    assert.match((await here.call('synthesize', { text: 'one' })).error.detail, /more than 8000000 bytes/)
})

test('speech: where a voice cannot say when its words come, the pet does it at once, and that is told', async (t) => {
  for (const hold of [
    () => {
      throw new Error('no')
    },
    async () => {
      throw new Error('no')
    },
  ]) {
    const { client, model, ready, notices } = await stage(t)
    const told = []
    receivePetOrders({ client, model, speaker: { hold }, onError: (reason) => told.push(reason) })
    await ready()
    const message = await client.send('I got it!')
    await message.done
    await until(() => model.done.length === 2)
    assert.deepEqual(
      [notices(message), told],
      [[undefined, undefined], Array(2).fill('the voice did not say when its words come: no')],
    )
  }
})
