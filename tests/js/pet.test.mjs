// The pet without a page: what it does when, on a clock of the test's own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'
import { companion, petStates } from 'sluice/pet'
import { fakeClient, fakeClock, fakeModel } from './pet-support.mjs'

const { doingOf } = await built('doing')
const { chatText } = await built('chat-strings')

function start(t, options = {}) {
  const { fake, clock = fakeClock(), client = fakeClient(), ...rest } = options
  const model = fakeModel(fake)
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

test("a chat's header calls what goes on as the pet does, and both see the same in an answer", (t) => {
  for (const language of ['en', 'zh'])
    for (const [state, word] of Object.entries(chatText(language).doing))
      assert.equal(word, petStates[state].words[language], state)
  const { clock, client, state } = start(t)
  const same = (expected) => {
    clock.pass(1000)
    assert.deepEqual([state(), doingOf(client.message('m1').getSnapshot())], [expected, expected])
  }
  client.answer('m1')
  same('thinking')
  client.write('m1', 'Let me see. ')
  same('speaking')
  client.tell('m1', { retry: { code: 'network', attempt: 1, waitMs: 1000 } })
  same('thinking')
  client.tell('m1', { retry: undefined })
  client.card('m1', { call: 1, status: 'executing' })
  same('busy')
  client.tell('m1', { questions: [{ call: 1, token: 't', stage: 'execution', name: 'x', arguments: {} }] })
  same('asking')
  client.tell('m1', { questions: [], outcome: 'completed' })
  clock.pass(2000)
  same('idle')
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

test('a tool is called as people call it, and held by its picture: its own before that of its name; a stranger names nothing', (t) => {
  const { clock, client, model, pet } = start(t, { fake: { draws: true } })
  client.answer('m1')
  let call = 0
  const works = (card) => {
    client.card('m1', { call: ++call, status: 'executing', ...card })
    clock.pass(400)
    const { tool, title } = pet.getSnapshot()
    const [, , { prop }] = model.done.findLast(([what, name]) => what === 'state' && name === 'busy')
    client.card('m1', { call, status: 'success' })
    clock.pass(700)
    assert.equal(pet.getSnapshot().title, undefined)
    return [tool, title, prop]
  }
  const title = { en: 'Write to somebody', zh: '写信' }
  assert.deepEqual(works({ name: 'web.search' }), ['web.search', undefined, 'search'])
  assert.deepEqual(works({ name: 'web.search', words: { title, icon: 'mail' } }), ['web.search', title, 'letter'])
  assert.deepEqual(works({ name: 'x.y', tags: ['notes'], words: { title: 'Do', icon: 'globe' } }), [
    'x.y',
    'Do',
    'search',
  ])
  assert.deepEqual(works({ name: 'message.send', words: { icon: 'data:image/svg+xml,<svg/>' } }), [
    'message.send',
    undefined,
    'letter',
  ])
  assert.deepEqual(works({ name: 'web.search', words: { icon: 'sum' } }), ['web.search', undefined, 'tool'])
  assert.deepEqual(works({ name: 'files.write', words: { title: 'Allow everything', from: 'files' } }), [
    'files.write',
    undefined,
    'write',
  ])
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
  client.tell('m1', { questions: [{ call: 1, token: 'a' }] })
  assert.equal(state(), 'asking')
  assert.equal(model.last('motion'), 'Wave')
  assert.equal(pet.getSnapshot().questions.length, 1)
  client.tell('m1', { questions: [] })
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
  client.tell('m1', { questions: [{ call: 1, token: 'a' }] })
  client.connect('reconnecting')
  assert.notEqual(state(), 'speaking')
  assert.deepEqual(pet.getSnapshot().questions, [])
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
  client.tell('m1', { questions: [{ call: 1, token: 'a' }] })
  assert.equal(model.last('expression'), 'Neutral')
  await client.order('live2d:expression', 'Sad')
  client.tell('m1', { questions: [{ call: 1, token: 'a' }] })
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
  model.expression = () => {
    throw new Error('no texture')
  }
  assert.match((await client.order('live2d:expression', 'Sad')).reason, /no texture/)
  assert.equal(pet.getSnapshot().expression, 'Smile')
  assert.equal(told.length, 2)
})

test('a model that never has done with an expression keeps no face, and what comes late is not left there', async (t) => {
  const { clock, client, model, pet } = start(t)
  const settle = []
  const plain = model.expression
  model.expression = (name) => (plain(name), name === 'Sad' ? new Promise((resolve) => settle.push(resolve)) : true)
  void client.order('live2d:expression', 'Sad')
  await new Promise(setImmediate)
  assert.equal(model.last('expression'), 'Sad')
  clock.pass(10_000)
  assert.deepEqual([model.last('expression'), pet.getSnapshot().expression], ['Neutral', undefined])
  client.answer('m1')
  assert.equal(model.last('expression'), 'Thinking', 'the states go on')
  model.done.length = 0
  settle[0](true) // it is shown now, where nobody wants it any more
  await new Promise(setImmediate)
  assert.equal(model.last('expression'), 'Thinking')
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
  assert.ok(
    heard.slice(-10).every((one) => one === 0),
    'nothing more was written',
  )
  client.tell('m1', { outcome: 'completed' })
  assert.equal(clock.drawing, false)
  assert.equal(model.last('mouth'), 0)

  const listeners = new Set()
  const speaker = {
    state: 'idle',
    level: () => 0.37,
    subscribe: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
    followed: [],
    follow(message) {
      speaker.followed.push(message)
    },
    stop() {
      speaker.state = 'idle'
    },
  }
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
  assert.deepEqual(
    model.done.findLast(([what]) => what === 'state'),
    ['state', 'busy', { prop: 'letter' }],
  )
  await client.order('live2d:expression', 'Smile')
  clock.pass(10_000)
  assert.deepEqual(
    model.done.filter(([what]) => what === 'expression').map(([, name]) => name),
    ['Smile', null],
  )
})

test('states can be changed, an own look among them; models may have nothing at all', (t) => {
  const { client, model } = start(t, { states: { thinking: { expressions: ['SAD'], fps: 30 } } })
  client.answer('m1')
  assert.equal(model.last('expression'), 'Sad')
  assert.equal(model.last('fps'), 30)
  const bare = start(t, {
    model: { capabilities: () => ({ expressions: [], motions: {} }), expression: () => false, motion: () => false },
  })
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
  assert.equal(
    [...client.messages.values()].every(({ listeners }) => listeners.size === 0),
    true,
  )
})

test('wrong options are told', () => {
  assert.throws(() => companion({}), /client/)
  assert.throws(() => companion({ client: fakeClient(), relaxMs: -1 }), /relaxMs/)
  assert.throws(() => companion({ client: fakeClient(), speaker: {} }), /speaker/)
})

// -- quiet hours, speaking first, a voice that is interrupted ---------------------------------------------------------

test('it is quiet at its hours, and by hand', (t) => {
  let date = new Date(2026, 10, 23, 21, 59, 30)
  const clock = Object.assign(fakeClock(), { date: () => date })
  const { pet } = start(t, { clock, quietHours: { from: '22:00', to: '07:00' } })
  const quiet = () => pet.getSnapshot().quiet
  assert.equal(quiet(), false)
  date = new Date(2026, 10, 23, 22, 0, 1)
  clock.pass(30_000)
  assert.equal(quiet(), true)
  pet.quiet(true)
  pet.quietHours(null)
  assert.equal(quiet(), true, 'by hand')
  pet.quiet(false)
  assert.equal(quiet(), false)
  assert.throws(() => pet.quietHours({ from: '7', to: '8' }), /quietHours/)
})

/** One that speaks after 10 to 20 minutes, half way between. */
function first(
  t,
  { proactive = { after: [10, 20], prompt: 'Be kind.' }, answers = [], present = true, ...options } = {},
) {
  const asked = []
  let date = new Date(2026, 10, 23, 12, 0)
  const clock = Object.assign(fakeClock(), { date: () => date, random: () => 0.5 })
  const client = fakeClient()
  client.pet.first = async (input) => {
    asked.push(input)
    const answer = answers.shift() ?? { left: 3 }
    if (answer instanceof Error) throw answer
    return answer
  }
  const errors = []
  const stage = start(t, { clock, client, proactive, onError: (why) => errors.push(why), ...options })
  stage.client.opened('main')
  const minutes = async (count) => {
    for (let index = 0; index < count * 60; index += 5) {
      if (index % 60 === 0 && present) stage.pet.stir()
      clock.pass(5000)
      await null
    }
  }
  return { ...stage, clock, client, asked, errors, minutes, day: (next) => (date = next) }
}

test('it speaks first some time after the last answer, while somebody is there, and not again before that', async (t) => {
  const { asked, minutes, client } = first(t)
  await minutes(14)
  assert.deepEqual(asked, [])
  await minutes(2)
  assert.deepEqual(asked, [{ conversation: 'main', prompt: 'Be kind.' }])
  client.answer('m1')
  client.write('m1', 'Hello. ')
  client.tell('m1', { outcome: 'completed' })
  await minutes(14)
  assert.equal(asked.length, 1)
  await minutes(2)
  assert.equal(asked.length, 2)
})

test('it never speaks first while it is quiet, somebody types, nobody is there, or something is said or asked', async (t) => {
  const off = start(t)
  off.clock.pass(86_400_000)
  for (const [name, begin, end] of [
    ['quiet', ({ pet }) => pet.quiet(true), ({ pet }) => pet.quiet(false)],
    ['away', ({ pet }) => pet.away(true), ({ pet }) => pet.away(false)],
    ['an answer', ({ client }) => client.answer('m1'), ({ client }) => client.tell('m1', { outcome: 'completed' })],
    [
      'a question',
      ({ client }) => (client.answer('m1'), client.card('m1', { call: 1, status: 'awaiting_approval' })),
      ({ client }) => client.tell('m1', { outcome: 'completed' }),
    ],
    ['offline', ({ client }) => client.connect('lost'), ({ client }) => client.connect('connected')],
    ['carried', ({ pet }) => pet.carry(true), ({ pet }) => pet.carry(false)],
    ['spoken to', ({ pet }) => pet.listen(true), ({ pet }) => pet.listen(false)],
  ]) {
    const stage = first(t)
    begin(stage)
    await stage.minutes(60)
    assert.deepEqual(stage.asked, [], name)
    end(stage)
    await stage.minutes(20)
    assert.ok(stage.asked.length >= 1, `${name}: over`)
  }
  const typing = first(t)
  for (let index = 0; index < 30; index++) {
    typing.pet.typed()
    await typing.minutes(1)
  }
  assert.deepEqual(typing.asked, [])
  const alone = first(t, { present: false })
  await alone.minutes(120)
  assert.deepEqual(alone.asked, [], 'nobody touched the page')
  alone.pet.stir()
  alone.clock.pass(9000)
  assert.deepEqual(alone.asked, [], 'who comes back is not fallen upon')
  alone.clock.pass(9000)
  assert.equal(alone.asked.length, 1)
  const desktop = first(t, { present: false })
  desktop.pet.away(false) // the window knows: somebody works beside it
  await desktop.minutes(20)
  assert.equal(desktop.asked.length, 1)
})

test('so often a day, not today by one click, and what the host refuses is not asked for again', async (t) => {
  const often = first(t, { proactive: { after: [1, 1], perDay: 2, prompt: 'p' } })
  await often.minutes(60)
  assert.equal(often.asked.length, 2)
  often.day(new Date(2026, 10, 24, 9, 0))
  await often.minutes(60)
  assert.equal(often.asked.length, 4)
  await often.pet.notToday()
  assert.deepEqual(often.asked.at(-1), { notToday: true })
  often.day(new Date(2026, 10, 25, 9, 0))
  assert.equal(often.asked.length, 5)
  await often.minutes(10)
  assert.equal(often.asked.length, 7, 'tomorrow again')
  often.pet.proactive(null)
  await often.minutes(30)
  often.day(new Date(2026, 10, 26, 9, 0))
  await often.minutes(30)
  assert.equal(often.asked.length, 7, 'off')
  assert.throws(() => often.pet.proactive({ after: [2, 1], prompt: 'p' }), { path: 'proactive.after' })
  often.pet.proactive({ after: [1, 1], perDay: 1, prompt: 'q' })
  await often.minutes(30)
  assert.deepEqual(
    often.asked.slice(7).map(({ prompt }) => prompt),
    ['q'],
  )
  const limit = first(t, {
    proactive: { after: [1, 1], prompt: 'p' },
    answers: [Object.assign(new Error('x'), { code: 'limit' })],
  })
  await limit.minutes(60)
  assert.equal(limit.asked.length, 1)
  assert.deepEqual(limit.errors, [])
  const none = first(t, {
    proactive: { after: [1, 1], prompt: 'p', perDay: 1 },
    answers: [Object.assign(new Error('no such option'), { code: 'unsupported' })],
  })
  await none.minutes(2)
  assert.match(none.errors[0], /could not speak first: no such option/)
  for (const wrong of [
    { after: [5, 1], prompt: 'p' },
    { after: 5, prompt: 'p' },
    { after: [1, 2] },
    { after: [1, 2], prompt: ' ' },
    { after: [1, 2], prompt: 'p', perDay: -1 },
  ]) {
    assert.throws(() => companion({ client: fakeClient(), proactive: wrong }), /proactive/)
  }
})

test('what nobody asked for is marked', (t) => {
  const { client, pet } = start(t)
  client.answer('m1', 'main', {}, { first: true })
  client.write('m1', 'It is late. ')
  assert.equal(pet.getSnapshot().first, true)
  client.answer('m2')
  assert.equal('first' in pet.getSnapshot(), false)
})

test('with a voice the mouth has the shape of what is heard', (t) => {
  let tell
  const speaker = {
    state: 'idle',
    level: () => 0.5,
    mouth: () => ({ open: 0.4, form: -1 }),
    subscribe: (listener) => ((tell = listener), () => {}),
  }
  const { clock, model } = start(t, { speaker })
  speaker.state = 'speaking'
  tell()
  clock.draw()
  assert.deepEqual(
    model.done.findLast(([name]) => name === 'mouth'),
    ['mouth', 0.4, -1],
  )
  speaker.state = 'idle'
  tell()
  assert.deepEqual(
    model.done.findLast(([name]) => name === 'mouth'),
    ['mouth', 0, 0],
  )
})

test('the host is told how far an answer was heard', (t) => {
  let interrupted
  const speaker = {
    state: 'idle',
    level: () => 0,
    subscribe: () => () => {},
    onInterrupted: (listener) => ((interrupted = listener), () => (interrupted = undefined)),
  }
  const client = Object.assign(fakeClient(), { told: [], heard: async (place) => void client.told.push(place) })
  const { pet } = start(t, { client, speaker })
  interrupted({ message: 'm1', block: 0, to: 7 })
  assert.deepEqual(client.told, [{ message: 'm1', block: 0, to: 7 }])
  pet.close()
  assert.equal(interrupted, undefined)
})

test('the first answer of a conversation that was read before the pet came is news, also where it is there at once', async (t) => {
  for (const read of [true, false]) {
    const client = fakeClient()
    Object.assign(client.open(), { opened: read ? Promise.resolve() : new Promise(() => {}) })
    const followed = []
    const speaker = {
      state: 'idle',
      level: () => 0,
      subscribe: () => () => {},
      follow: (message) => followed.push(message),
    }
    const pet = companion({ client, clock: fakeClock(), speaker })
    t.after(() => pet.close())
    await new Promise(setImmediate)
    client.answer('m1', 'main', { blocks: [{ type: 'text', text: 'At once.' }], outcome: 'completed' })
    assert.equal(followed.length, read ? 1 : 0, read ? 'it is said' : 'what the conversation was read with is old')
  }
})
