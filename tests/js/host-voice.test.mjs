// A person ends the voice of the pet in a chat: what the host lets through between their windows, and what becomes of
// it in both.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { companion } from 'sluice/pet'
import { connect } from 'sluice/renderer'
import { speaker } from 'sluice/speech'
import { everything, hostStage, until } from './host-support.mjs'
import { FakeVoice, settled } from './speech-support.mjs'

const speaking = (turn) => ({ state: 'speaking', turn })
const told = ({ frames }) => frames.flatMap(({ voice }) => voice ?? [])
const ended = ({ frames }) => frames.flatMap(({ endVoice }) => endVoice ?? [])

test("a chat that asks is told what the pet's voice does, and ends the turn that is said", async (t) => {
  const { open } = await hostStage(t)
  const [chat, other, pet] = [open({ chat: true }), open({ chat: true }), open({ read: true, pet: true })]
  assert.equal(await chat.get('voice'), 'off', 'there is none')
  assert.equal(await chat.get('endVoice'), false)
  await pet.get('petVoice', { state: 'idle', turn: 0 })
  await until(() => told(chat).at(-1) === 'idle')
  assert.equal(await chat.get('endVoice'), false)
  await pet.get('petVoice', speaking(1))
  await until(() => told(chat).at(-1) === 'speaking')
  assert.equal(await chat.get('endVoice'), true)
  await until(() => ended(pet).length === 1)
  await pet.get('petVoice', { state: 'idle', turn: 1 })
  await until(() => told(chat).at(-1) === 'idle')
  assert.deepEqual(
    [ended(pet), told(chat), told(other)],
    [[1], ['idle', 'speaking', 'idle'], []],
    'who did not ask is told nothing',
  )
  assert.equal(await open({ chat: true }).get('voice'), 'idle', 'a window that comes late knows at once')
})

test('several pets: who speaks is ended, and a window that goes speaks no more', async (t) => {
  const { open } = await hostStage(t)
  const [chat, one, two] = [open({ chat: true }), open({ pet: true }), open({ pet: true })]
  await chat.get('voice')
  await one.get('petVoice', speaking(3))
  await two.get('petVoice', { state: 'idle', turn: 8 })
  assert.equal(await chat.get('endVoice'), true)
  await until(() => ended(one).length === 1)
  one.close()
  await until(() => told(chat).at(-1) === 'idle')
  two.close()
  await until(() => told(chat).at(-1) === 'off')
  assert.deepEqual([ended(one), ended(two), told(chat)], [[3], [], ['speaking', 'idle', 'off']])
})

test('rights count when the voice is told of and when it is ended, and no window is told more than it may know', async (t) => {
  const { open } = await hostStage(t)
  const code = async (window, method, input) => (await window.call(method, input)).error?.code
  for (const right of ['chat', 'pet']) {
    const without = open({ ...everything, [right]: false })
    const methods = right === 'chat' ? ['voice', 'endVoice'] : ['petVoice']
    for (const method of methods)
      assert.equal(await code(without, method, right === 'pet' ? speaking(1) : undefined), 'forbidden', method)
  }
  const [chat, pet] = [open({ chat: true }), open({ pet: true })]
  await chat.get('voice')
  for (const bad of [
    undefined,
    null,
    {},
    { state: 'loud', turn: 1 },
    { state: 'speaking' },
    { state: 'speaking', turn: -1 },
    { state: 'speaking', turn: 1.5 },
    { ...speaking(1), more: 1 },
    'speaking',
  ]) {
    assert.equal(await code(pet, 'petVoice', bad), 'argument', JSON.stringify(bad))
  }
  assert.equal(await code(chat, 'endVoice', { turn: 1 }), 'argument')
  assert.deepEqual(told(chat), [])
  chat.rights.chat = false
  await pet.get('petVoice', speaking(1))
  await new Promise((resolve) => setTimeout(resolve, 20)) // a frame would have come
  chat.rights.chat = true
  pet.rights.pet = false
  assert.equal(await chat.get('endVoice'), false, 'a window that is no pet any more is not ended')
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.deepEqual([told(chat), ended(pet)], [[], []])
})

test('a flood of it is one word a frame', async (t) => {
  const { open } = await hostStage(t, { host: { frameMs: 20 } })
  const [chat, pet] = [open({ chat: true }), open({ pet: true })]
  await chat.get('voice')
  pet.blocked = chat.blocked = true // neither reads
  for (let turn = 1; turn <= 500; turn++) {
    await pet.get('petVoice', speaking(turn))
    assert.equal(await chat.get('endVoice'), true)
    await pet.get('petVoice', { state: 'idle', turn })
  }
  await pet.get('petVoice', speaking(501))
  pet.blocked = chat.blocked = false
  await until(() => ended(pet).length > 0 && told(chat).length > 0)
  assert.ok(told(chat).length <= 3 && ended(pet).length <= 3, `${told(chat).length} and ${ended(pet).length}`)
  assert.deepEqual([told(chat).at(-1), ended(pet).at(-1)], ['speaking', 500])
})

// -- with a companion and its speaker ---------------------------------------------------------------------------------

/** A pet that speaks in one window, and a chat in another one. */
async function stage(t) {
  const { host } = await hostStage(t, {
    answers: () => ({ text: 'This is the first sentence. This is the second sentence. And this is a third one.' }),
  })
  const [window, chat] = [
    connect(host.bridge({ read: true, pet: true })),
    connect(host.bridge({ read: true, chat: true })),
  ]
  const voice = new FakeVoice()
  const speaks = speaker({ voice })
  const pet = companion({ client: window, speaker: speaks })
  t.after(() => {
    pet.close()
    speaks.close()
    for (const client of [window, chat]) client.close()
  })
  return { chat, voice, speaks }
}

test('a chat ends the voice of the pet in another window, and sees that it did', async (t) => {
  const { chat, voice, speaks } = await stage(t)
  const states = []
  t.after(chat.voice.subscribe(() => states.push(chat.voice.state)))
  await (await chat.send('Tell me.')).done
  await until(() => chat.voice.state === 'speaking')
  assert.equal(await chat.voice.stop('Esc'), true)
  await until(() => chat.voice.state === 'idle')
  assert.deepEqual([voice.said.length, speaks.state, states], [1, 'idle', ['idle', 'speaking', 'idle']])
  assert.equal(await chat.voice.stop('Esc'), false, 'there is nothing to end')
  speaks.quiet(true)
  await until(() => chat.voice.state === 'off')
})

test('an order that comes late does not silence what the pet says since', async (t) => {
  const orders = []
  const speaks = speaker({ voice: new FakeVoice() })
  const pet = companion({ client: fakeClient(orders), speaker: speaks })
  t.after(() => (pet.close(), speaks.close()))
  speaks.say('This is the first sentence.')
  speaks.stop()
  speaks.say('This is another sentence.')
  orders[0](1)
  assert.equal(speaks.state, 'speaking')
  orders[0](2)
  assert.equal(speaks.state, 'idle')
})

/** A client as far as a companion needs one; `listeners` get what hears the order to end the voice. */
function fakeClient(listeners) {
  const live = (view) => ({ subscribe: () => () => {}, getSnapshot: () => view })
  return {
    connection: { state: 'connected', subscribe: () => () => {} },
    open: (id) => live({ id, forgotten: 0, entries: [] }),
    message: () => live(undefined),
    pet: {
      onOrder: () => () => {},
      ready: async () => {},
      reply: async () => {},
      voice: async () => {},
      onEndVoice: (listener) => (listeners.push(listener), () => {}),
    },
  }
}

test('what the host is told comes one at a time, the last word last, and anew behind a lost connection', async (t) => {
  const said = []
  const open = []
  const connection = { state: 'connected', subscribe: (listener) => ((connection.tell = listener), () => {}) }
  const client = fakeClient([])
  client.connection = connection
  client.pet.voice = (voice) => (
    said.push(`${voice.state} ${voice.turn}`), new Promise((resolve, reject) => open.push({ resolve, reject }))
  )
  const voice = new FakeVoice()
  const speaks = speaker({ voice })
  const pet = companion({ client, speaker: speaks })
  t.after(() => (pet.close(), speaks.close()))
  assert.deepEqual(said, ['idle 0'])
  speaks.say('This is a sentence.')
  speaks.stop()
  speaks.say('This is another one.')
  assert.deepEqual(said, ['idle 0'], 'one is under way')
  open.shift().resolve()
  await settled()
  assert.deepEqual(said, ['idle 0', 'speaking 2'], 'what was over meanwhile is not told')
  open.shift().reject(new Error('the host is gone'))
  await settled()
  assert.equal(said.length, 2, 'it is not asked in a loop')
  connection.state = 'lost'
  connection.tell()
  connection.state = 'connected'
  connection.tell()
  assert.deepEqual(said.slice(2), ['speaking 2'], 'another window to the host')
  open.shift().resolve()
  await settled()
  pet.close()
  assert.deepEqual(said.slice(3), ['off 2'])
})
