// The pet without a page: what it does when, on a clock of the test's own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { companion, petStates } from 'sluice/pet'
import { fakeClient, fakeClock, fakeModel } from './pet-support.mjs'

function start(t, options = {}) {
  const [clock, client, model] = [fakeClock(), fakeClient(), fakeModel(options.fake)]
  const { fake: _, ...rest } = options
  const pet = companion({ client, model, clock, onError: (reason) => assert.fail(reason), ...rest })
  t.after(() => pet.close())
  client.opened('main')
  const states = []
  pet.subscribe(() => states.at(-1) !== pet.getSnapshot().state && states.push(pet.getSnapshot().state))
  return { clock, client, model, pet, states, state: () => pet.getSnapshot().state }
}

test('every state has words in both languages and frames', () => {
  for (const [name, { words, fps, expressions }] of Object.entries(petStates)) {
    assert.ok(words.en && words.zh, name)
    assert.ok(fps >= 4 && fps <= 60, name)
    assert.ok(Array.isArray(expressions), name)
  }
})

test('an answer is thinking, speaking, using a tool, and done with a nod', (t) => {
  const { clock, client, model, state, states, pet } = start(t)
  client.answer('m1')
  assert.equal(state(), 'thinking')
  assert.equal(model.last('expression'), 'Thinking')
  client.write('m1', 'I will look. ')
  assert.equal(state(), 'speaking')
  assert.equal(model.last('expression'), 'Neutral')
  client.card('m1', { call: 1, status: 'executing', name: 'web.search' })
  assert.equal(state(), 'speaking', 'a tool that is quick changes nothing')
  clock.pass(399)
  assert.equal(state(), 'speaking')
  clock.pass(1)
  assert.equal(state(), 'busy')
  assert.equal(pet.getSnapshot().tool, 'web.search')
  client.card('m1', { call: 1, status: 'success' })
  clock.pass(700)
  assert.equal(state(), 'thinking')
  client.write('m1', 'Here.')
  client.tell('m1', { outcome: 'completed' })
  assert.equal(state(), 'done')
  assert.equal(model.last('motion'), 'Nod')
  clock.pass(1200)
  assert.equal(state(), 'idle')
  assert.deepEqual(states, ['thinking', 'speaking', 'busy', 'thinking', 'speaking', 'done', 'idle'])
})

test('a tool that is quick, and a pause between two pieces of text, do not make it twitch', (t) => {
  const { clock, client, states } = start(t)
  client.answer('m1')
  client.write('m1', 'Wait. ')
  for (let call = 1; call < 4; call++) {
    client.card('m1', { call, status: 'success', name: 'live2d.expression' })
    clock.pass(300)
    client.write('m1', 'And on. ')
    clock.pass(100)
  }
  assert.deepEqual(states, ['thinking', 'speaking'])
})

test('a question stands above all that goes on, and what a message says when it fails or is stopped passes', (t) => {
  const { clock, client, model, state, pet } = start(t)
  client.answer('m1')
  client.card('m1', { call: 1, status: 'awaiting_approval' })
  client.tell('m1', { asks: [{ call: 1, token: 'a' }] })
  assert.equal(state(), 'asking')
  assert.equal(model.last('motion'), 'Wave')
  assert.equal(pet.getSnapshot().asks.length, 1)
  client.tell('m1', { asks: [] })
  client.tell('m1', { outcome: 'failed' })
  assert.equal(state(), 'error')
  assert.equal(model.last('expression'), 'Sad')
  clock.pass(9000)
  assert.equal(state(), 'idle')
  assert.equal(model.last('expression'), 'Neutral')
  client.answer('m2')
  client.tell('m2', { outcome: 'cancelled' })
  assert.equal(state(), 'stopped')
})

test('an answer that ended before anybody looked is no news', (t) => {
  const { clock, client, pet, states } = start(t)
  client.answer('old', 'other', { outcome: 'failed' })
  pet.open('other')
  clock.pass(100)
  assert.deepEqual(states, [])
  client.answer('new', 'other')
  client.tell('new', { outcome: 'failed' })
  assert.deepEqual(states, ['thinking', 'error'])
})

test('where the host is gone nothing looks as if it went on', (t) => {
  const { clock, client, model, state, pet } = start(t)
  client.answer('m1')
  client.write('m1', 'Once upon a time')
  client.tell('m1', { asks: [{ call: 1, token: 'a' }] })
  client.connect('reconnecting')
  assert.notEqual(state(), 'speaking')
  assert.deepEqual(pet.getSnapshot().asks, [])
  clock.pass(600)
  assert.equal(state(), 'offline')
  assert.equal(model.last('expression'), 'Sleepy')
  assert.equal(clock.drawing, false, 'the mouth stands')
  client.connect('lost')
  client.connect('connected')
  assert.equal(state(), 'asking')
})

test("the model's own expression lies above the state, and ends after its time", async (t) => {
  const { clock, client, model, pet } = start(t, { relaxMs: 10_000 })
  assert.equal((await client.order('live2d:expression', 'Smile')).ok, true)
  assert.equal(pet.getSnapshot().expression, 'Smile')
  clock.pass(2000)
  client.answer('m1') // a new question: the last answer's face ends
  assert.equal(model.last('expression'), 'Thinking')
  await client.order('live2d:expression', 'Smile')
  client.write('m1', 'Look!')
  clock.pass(9000)
  await client.order('live2d:expression', 'Smile') // again: from here
  clock.pass(9999)
  assert.equal(model.last('expression'), 'Smile')
  clock.pass(1)
  assert.equal(model.last('expression'), 'Neutral')
  assert.equal(pet.getSnapshot().expression, undefined)
})

test('an order that comes a moment before its answer is seen keeps its face', async (t) => {
  const { clock, client, model } = start(t)
  await client.order('live2d:expression', 'Smile')
  clock.pass(300)
  client.answer('m1')
  client.write('m1', 'Look!')
  assert.equal(model.last('expression'), 'Smile')
})

test("another conversation and a new question end the model's expression", async (t) => {
  const { client, model, pet } = start(t)
  await client.order('live2d:expression', 'Smile')
  pet.open('other')
  assert.equal(model.last('expression'), 'Neutral')
  client.answer('m1', 'other')
  client.write('m1', 'May I?')
  await client.order('live2d:expression', 'Smile')
  client.tell('m1', { asks: [{ call: 1, token: 'a' }] })
  assert.equal(model.last('expression'), 'Neutral')
  await client.order('live2d:expression', 'Sad')
  client.tell('m1', { asks: [{ call: 1, token: 'a' }] })
  assert.equal(model.last('expression'), 'Sad', 'the same question is no new one')
})

test('a face that thinks because the model said so has thought when it speaks', async (t) => {
  const { clock, client, model } = start(t)
  client.answer('m1')
  client.write('m1', 'Hm. ')
  await client.order('live2d:expression', 'Thinking')
  client.card('m1', { call: 1, status: 'executing' })
  clock.pass(800)
  assert.equal(model.last('expression'), 'Thinking')
  client.card('m1', { call: 1, status: 'success' })
  client.write('m1', 'Rain.')
  assert.equal(model.last('expression'), 'Neutral')
})

test('an order that fails leaves the face as it was, and is told', async (t) => {
  const told = []
  const { client, model, pet } = start(t, { onError: (reason) => told.push(reason) })
  await client.order('live2d:expression', 'Smile')
  model.expression = () => false
  assert.equal((await client.order('live2d:expression', 'Sad')).ok, false)
  assert.equal(pet.getSnapshot().expression, 'Smile')
  model.expression = () => { throw new Error('no texture') }
  assert.match((await client.order('live2d:expression', 'Sad')).reason, /no texture/)
  assert.equal(pet.getSnapshot().expression, 'Smile')
  assert.equal(told.length, 2)
})

test('it dozes after five minutes, wakes for a pointer, and for an answer at once', (t) => {
  const { clock, client, model, state, pet } = start(t)
  clock.pass(5 * 60_000 - 1)
  assert.equal(state(), 'idle')
  assert.equal(model.last('fps'), 12)
  clock.pass(1)
  assert.equal(state(), 'dozing')
  assert.equal(model.last('fps'), 4)
  assert.equal(model.last('expression'), 'Sleepy')
  assert.equal(clock.waiting, 0, 'asleep it asks for nothing')
  pet.stir()
  assert.equal(state(), 'waking')
  clock.pass(1600)
  assert.equal(state(), 'idle')
  clock.pass(4 * 60_000)
  pet.stir()
  assert.equal(state(), 'idle', 'a pointer keeps it awake')
  clock.pass(4 * 60_000)
  assert.equal(state(), 'idle')
  clock.pass(60_000)
  client.answer('m1')
  assert.equal(state(), 'thinking')
})

test('it listens while somebody types or speaks, and looks there', (t) => {
  const { clock, model, state, pet } = start(t)
  pet.typed({ x: 3, y: 4 })
  assert.equal(state(), 'listening')
  assert.deepEqual(model.last('look'), { x: 3, y: 4 })
  clock.pass(4000)
  assert.equal(state(), 'idle')
  pet.listen(true)
  clock.pass(10_000)
  assert.equal(state(), 'listening')
  pet.listen(false)
  assert.equal(state(), 'idle')
})

test('carried, landed, patted: above everything, and they pass', (t) => {
  const { clock, client, state, states, pet } = start(t)
  client.answer('m1')
  pet.carry(true)
  assert.equal(state(), 'carried')
  client.write('m1', 'Whee')
  clock.pass(2000)
  pet.carry(false)
  clock.pass(5000)
  pet.pat()
  clock.pass(5000)
  assert.deepEqual(states, ['thinking', 'carried', 'landed', 'speaking', 'patted', 'speaking'])
})

test('the mouth moves with the text and stands where it stands; with a voice it is as loud as that', (t) => {
  const { clock, client, model } = start(t)
  client.answer('m1')
  client.write('m1', 'Oh, a nice idea')
  const open = () => {
    clock.pass(30)
    clock.draw()
    return model.last('mouth')
  }
  const heard = Array.from({ length: 60 }, open)
  assert.ok(Math.max(...heard) > 0.5, 'it opens')
  assert.ok(heard.slice(-10).every((one) => one === 0), 'nothing more was written')
  client.tell('m1', { outcome: 'completed' })
  assert.equal(clock.drawing, false)
  assert.equal(model.last('mouth'), 0)

  const listeners = new Set()
  const speaker = { state: 'idle', level: () => 0.37, subscribe: (listener) => (listeners.add(listener), () => listeners.delete(listener)), followed: [], follow(message) { speaker.followed.push(message) }, stop() { speaker.state = 'idle' } }
  const other = start(t, { speaker })
  other.client.answer('m2')
  assert.equal(speaker.followed.length, 1)
  other.client.write('m2', 'Hello')
  other.client.tell('m2', { outcome: 'completed' })
  speaker.state = 'speaking'
  listeners.forEach((listener) => listener())
  assert.equal(other.state(), 'speaking', 'as long as it is heard')
  other.clock.draw()
  assert.equal(other.model.last('mouth'), 0.37)
  other.pet.pat('belly')
  assert.equal(speaker.state, 'speaking')
  other.pet.pat('mouth')
  assert.equal(speaker.state, 'idle', 'a finger on the mouth')
  speaker.state = 'speaking'
  other.pet.quiet(true)
  assert.equal(speaker.state, 'idle')
})

test('a model that draws states itself is told them, and wears orders alone', async (t) => {
  const { clock, client, model } = start(t, { fake: { draws: true } })
  assert.equal(model.last('state'), 'idle')
  client.answer('m1')
  assert.equal(model.last('state'), 'thinking')
  assert.equal(model.last('expression'), undefined)
  client.card('m1', { call: 1, status: 'executing', name: 'message.send', tags: ['file'] })
  clock.pass(400)
  assert.deepEqual(model.done.findLast(([what]) => what === 'state'), ['state', 'busy', { prop: 'letter' }])
  await client.order('live2d:expression', 'Smile')
  clock.pass(10_000)
  assert.deepEqual(model.done.filter(([what]) => what === 'expression').map(([, name]) => name), ['Smile', null])
})

test('states can be changed, an own look among them; models may have nothing at all', (t) => {
  const { client, model } = start(t, { states: { thinking: { expressions: ['SAD'], fps: 30 } } })
  client.answer('m1')
  assert.equal(model.last('expression'), 'Sad')
  assert.equal(model.last('fps'), 30)
  const bare = start(t, { model: { capabilities: () => ({ expressions: [], motions: {} }), expression: () => false, motion: () => false } })
  bare.client.answer('m1')
  bare.client.write('m1', 'Hi')
  bare.client.tell('m1', { outcome: 'completed' })
  assert.equal(bare.state(), 'done')
})

test('a model that comes later shows what goes on then; what is closed follows nothing', async (t) => {
  const { client, model, pet, clock } = start(t, { model: null })
  client.answer('m1')
  const later = Promise.resolve(model)
  pet.setModel(later)
  await later
  assert.equal(model.last('expression'), 'Thinking')
  pet.close()
  assert.equal(clock.waiting, 0)
  assert.equal(client.orders.size, 0)
  assert.equal([...client.messages.values()].every(({ listeners }) => listeners.size === 0), true)
})

test('wrong options are told', () => {
  assert.throws(() => companion({}), /client/)
  assert.throws(() => companion({ client: fakeClient(), relaxMs: -1 }), /relaxMs/)
  assert.throws(() => companion({ client: fakeClient(), speaker: {} }), /speaker/)
})
