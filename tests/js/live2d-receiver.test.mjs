import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pixiModel, receivePetOrders, receivePetChannels } from 'sluice/live2d'
import { until } from './host-support.mjs'

const abilities = { model: 'Test', expressions: ['smile', 'sad'], motions: { Idle: 2, Tap: 1 } }

/** A model that writes down what it is told. */
function fakeModel(behaviour = {}) {
  const done = []
  return {
    done,
    capabilities: () => abilities,
    expression: (name) => (done.push(name), behaviour.expression?.(name) ?? true),
    motion: (...which) => (done.push(which), behaviour.motion?.(...which) ?? true),
  }
}

/** A bridge whose main process is the test. */
function fakeBridge() {
  const said = []
  const listeners = new Set()
  let id = 0
  return {
    said,
    listeners,
    bridge: {
      call: async (method, input) => (said.push([method, input]), { ok: true, value: undefined }),
      onPet: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
    },
    raw: (order) => listeners.forEach((listener) => listener(order)),
    order(channel, ...payload) {
      this.raw({ id: ++id, channel, payload })
      return id
    },
    async answer(id) {
      const find = () => said.find(([method, input]) => method === 'petReply' && input.id === id)?.[1]
      return until(find, `answer ${id}`)
    },
    announced: () => said.filter(([method]) => method === 'petReady').map(([, input]) => input),
  }
}

test('a model is announced, performs what it is told, and every order is answered', async () => {
  const main = fakeBridge()
  const model = fakeModel()
  const receiver = receivePetOrders({ bridge: main.bridge, model })
  const first = main.order('live2d:expression', 'smile')
  const second = main.order('live2d:motion', 'Idle', 1)
  const third = main.order('live2d:motion', 'Tap')
  assert.deepEqual(await main.answer(third), { id: third, ok: true })
  assert.deepEqual(await main.answer(first), { id: first, ok: true })
  assert.deepEqual(await main.answer(second), { id: second, ok: true })
  assert.deepEqual(model.done, ['smile', ['Idle', 1], ['Tap']])
  assert.deepEqual(main.announced(), [abilities])
  assert.equal(receiver.model, model)
})

test('the order stays where an expression takes its time to load', async () => {
  const main = fakeBridge()
  let loaded
  const model = fakeModel({ expression: (name) => (name === 'smile' ? new Promise((done) => (loaded = done)) : true) })
  receivePetOrders({ bridge: main.bridge, model })
  main.order('live2d:expression', 'smile')
  const last = [main.order('live2d:motion', 'Tap'), main.order('live2d:expression', 'sad')].at(-1)
  await until(() => loaded, 'the load')
  assert.deepEqual(model.done, ['smile'])
  loaded(true)
  await main.answer(last)
  assert.deepEqual(model.done, ['smile', ['Tap'], 'sad'])
  assert.deepEqual(
    main.said.filter(([method]) => method === 'petReply').map(([, { id }]) => id),
    [1, 2, 3],
  )
})

test('the same expression twice in a row is shown twice', async () => {
  const main = fakeBridge()
  const model = fakeModel()
  receivePetOrders({ bridge: main.bridge, model })
  main.order('live2d:expression', 'smile')
  assert.equal((await main.answer(main.order('live2d:expression', 'smile'))).ok, true)
  assert.deepEqual(model.done, ['smile', 'smile'])
})

test('what the model does not have is refused, and the reason names what there is', async () => {
  const main = fakeBridge()
  const model = fakeModel()
  const errors = []
  receivePetOrders({ bridge: main.bridge, model, onError: (reason, order) => errors.push([reason, order?.channel]) })
  const reason = async (...order) => (await main.answer(main.order(...order))).reason
  assert.match(await reason('live2d:expression', 'angry'), /no expression "angry"; it has smile, sad/)
  assert.match(await reason('live2d:motion', 'Dance'), /no motion group "Dance"; it has Idle, Tap/)
  assert.match(await reason('live2d:motion', 'constructor'), /no motion group/)
  assert.match(await reason('live2d:motion', 'Idle', 2), /motions 0 to 1, found 2/)
  assert.match(await reason('live2d:motion', 'Idle', -1), /found -1/)
  assert.match(await reason('live2d:motion', 'Idle', '1'), /found 1/)
  assert.match(await reason('live2d:wardrobe', 'hat'), /nothing listens to "live2d:wardrobe"/)
  assert.deepEqual(model.done, [])
  assert.equal(errors.length, 7)
  assert.deepEqual(errors[0][1], 'live2d:expression')
})

test('garbage is refused where it has an id, told where it has none, and stops nothing', async () => {
  const main = fakeBridge()
  const model = fakeModel()
  const errors = []
  receivePetOrders({ bridge: main.bridge, model, onError: (reason) => errors.push(reason) })
  for (const order of [
    undefined,
    null,
    7,
    'x',
    [],
    {},
    { id: '1', channel: 'live2d:motion', payload: [] },
    { id: 1, payload: [] },
  ])
    main.raw(order)
  assert.equal(errors.length, 8)
  for (const payload of [undefined, 'smile', null, [], [7], [{}], [['smile']]]) {
    for (const channel of ['live2d:expression', 'live2d:motion'])
      main.raw({ id: 1000 + main.said.length, channel, payload })
  }
  assert.equal((await main.answer(main.order('live2d:expression', 'smile'))).ok, true)
  const answers = main.said.filter(([method]) => method === 'petReply').map(([, answer]) => answer)
  assert.equal(answers.length, 15)
  for (const { ok, reason } of answers.slice(0, -1)) assert.ok(!ok && reason)
  assert.deepEqual(model.done, ['smile'])
})

test('a model that says no, throws, rejects or hangs: the card is told, and the next order is done', async () => {
  const main = fakeBridge()
  const outcomes = [
    () => false,
    () => {
      throw new Error('texture lost')
    },
    () => Promise.reject(new Error('no such file')),
    () => new Promise(() => {}),
    () => {
      throw 'a string'
    },
    () => true,
  ]
  receivePetOrders({ bridge: main.bridge, model: fakeModel({ expression: () => outcomes.shift()() }), timeoutMs: 20 })
  const ids = Array.from(outcomes, () => main.order('live2d:expression', 'smile'))
  const answers = []
  for (const id of ids) answers.push(await main.answer(id))
  const patterns = [
    /could not be shown/,
    /it failed: texture lost/,
    /it failed: no such file/,
    /within 0.02 s/,
    /it failed: a string/,
  ]
  patterns.forEach((pattern, index) => assert.match(answers[index].reason, pattern))
  assert.deepEqual(answers[5], { id: ids[5], ok: true })
})

test('without a model, and while it is loading, the reason says which', async () => {
  const main = fakeBridge()
  const receiver = receivePetOrders({ bridge: main.bridge })
  assert.match((await main.answer(main.order('live2d:expression', 'smile'))).reason, /no model is loaded/)
  let loaded
  receiver.setModel(new Promise((done) => (loaded = done)))
  assert.match((await main.answer(main.order('live2d:expression', 'smile'))).reason, /still loading/)
  assert.deepEqual(main.announced(), [])
  loaded(fakeModel())
  await until(() => receiver.model, 'the model')
  assert.equal((await main.answer(main.order('live2d:expression', 'smile'))).ok, true)
  receiver.setModel(null)
  assert.match((await main.answer(main.order('live2d:motion', 'Tap'))).reason, /no model is loaded/)
  assert.deepEqual(main.announced(), [abilities, null])
})

test('a load that fails is told; one that was overtaken counts for nothing', async () => {
  const main = fakeBridge()
  const errors = []
  const receiver = receivePetOrders({
    bridge: main.bridge,
    model: Promise.reject(new Error('404')),
    onError: (reason) => errors.push(reason),
  })
  await until(() => errors.length, 'the error')
  assert.deepEqual(errors, ['the model could not be loaded: 404'])
  let late
  receiver.setModel(new Promise((done) => (late = done)))
  const model = fakeModel()
  receiver.setModel(model)
  late(fakeModel())
  assert.equal((await main.answer(main.order('live2d:expression', 'sad'))).ok, true)
  assert.deepEqual(model.done, ['sad'])
  assert.equal(main.announced().length, 1)
})

test('capabilities that change are announced by setting the model again, and count for orders at once', async () => {
  const main = fakeBridge()
  const more = { ...abilities, expressions: ['smile', 'sad', 'wink'] }
  let now = abilities
  const model = { ...fakeModel(), capabilities: () => now }
  const receiver = receivePetOrders({ bridge: main.bridge, model })
  now = more
  assert.equal((await main.answer(main.order('live2d:expression', 'wink'))).ok, true)
  receiver.setModel(model)
  await until(() => main.announced().length === 2, 'the second announcement')
  assert.deepEqual(main.announced(), [abilities, more])
})

test('announcements keep their order, and one that is refused is told', async () => {
  const releases = []
  const said = []
  const errors = []
  const pet = {
    onOrder: () => () => {},
    ready: (capabilities) => (
      said.push(capabilities?.model ?? null), new Promise((done, fail) => releases.push({ done, fail }))
    ),
    reply: async () => {},
  }
  const receiver = receivePetOrders({ client: { pet }, model: fakeModel(), onError: (reason) => errors.push(reason) })
  receiver.setModel(null)
  await until(() => releases.length === 1, 'the first')
  assert.deepEqual(said, ['Test'])
  releases[0].fail(new Error('too many names'))
  await until(() => releases.length === 2, 'the second')
  assert.deepEqual(said, ['Test', null])
  assert.deepEqual(errors, ['the capabilities of the model were not taken: too many names'])
})

test('a model that does not tell what it can do is none', async () => {
  const main = fakeBridge()
  const errors = []
  receivePetOrders({
    bridge: main.bridge,
    model: {
      ...fakeModel(),
      capabilities() {
        throw new Error('destroyed')
      },
    },
    onError: (reason) => errors.push(reason),
  })
  assert.deepEqual(errors, ['the model does not tell what it can do: destroyed'])
  assert.match((await main.answer(main.order('live2d:expression', 'smile'))).reason, /no model is loaded/)
})

test('a closed receiver listens no more, performs nothing that waited, and takes the tools back', async () => {
  const main = fakeBridge()
  let loaded
  const model = fakeModel({ expression: () => new Promise((done) => (loaded = done)) })
  const receiver = receivePetOrders({ bridge: main.bridge, model })
  main.order('live2d:expression', 'smile')
  main.order('live2d:expression', 'sad')
  await until(() => loaded, 'the first order')
  receiver.close()
  receiver.close()
  loaded(true)
  await until(() => main.announced().length === 2, 'null')
  assert.deepEqual(main.announced(), [abilities, null])
  assert.equal(main.listeners.size, 0)
  assert.deepEqual(model.done, ['smile'])
  assert.deepEqual(
    main.said.filter(([method]) => method === 'petReply'),
    [],
  )
  assert.throws(() => receiver.setModel(model), { code: 'closed' })
})

test('channels of the app: other names for these two, and handlers for more', async () => {
  const main = fakeBridge()
  const model = fakeModel()
  const worn = []
  receivePetOrders({
    bridge: main.bridge,
    model,
    channels: { expression: 'pet/face' },
    handlers: {
      'pet/wear': (...what) => (worn.push(what), 'a text is no refusal'),
      'pet/fly': () => false,
      'pet/crash': () => {
        throw new Error('gravity')
      },
    },
  })
  const answer = async (...order) => main.answer(main.order(...order))
  assert.equal((await answer('pet/face', 'smile')).ok, true)
  assert.equal((await answer('live2d:triggerMotion', 'Tap')).ok, true)
  assert.equal((await answer('pet/wear', 'hat', 2)).ok, true)
  assert.equal((await answer('pet/fly')).reason, 'pet/fly was refused')
  assert.equal((await answer('pet/crash')).reason, 'it failed: gravity')
  assert.deepEqual([model.done, worn], [['smile', ['Tap']], [['hat', 2]]])
})

test('nothing to receive from is said at once', () => {
  assert.throws(() => receivePetOrders({}), { code: 'option', path: 'client' })
})

test('plain channels: an app that sends the events itself', async () => {
  const listeners = new Map()
  const model = fakeModel()
  const errors = []
  const on = (channel, listener) => (listeners.set(channel, listener), () => listeners.delete(channel))
  const receiver = receivePetChannels({ on, model, onError: (reason) => errors.push(reason) })
  listeners.get('live2d:expression')('smile')
  listeners.get('live2d:motion')('Idle', 0)
  listeners.get('live2d:triggerExpression')('angry')
  await until(() => errors.length, 'the refusal')
  assert.deepEqual(model.done, ['smile', ['Idle', 0]])
  assert.match(errors[0], /no expression "angry"/)
  receiver.close()
  assert.equal(listeners.size, 0)
})

// -- the adapter ------------------------------------------------------------------------------------------------------

const parameters = {
  ids: ['ParamAngleX', 'ParamMouthOpenY'],
  minimumValues: Float32Array.of(-30, 0),
  maximumValues: Float32Array.of(30, 1),
  defaultValues: Float32Array.of(0, 0),
}

/**
 * What the engines do, as far as the adapter goes: no for what is shown or plays already, and for what is not there.
 */
function fakeEngine({ definitions, motions, settings = {}, coreModel }) {
  const told = []
  const expressions = definitions?.map((_, index) => ({ index }))
  const expressionManager = definitions && { definitions, expressions, currentExpression: {} }
  const state = {}
  const motionManager = { definitions: motions, expressionManager, state }
  return {
    told,
    internalModel: { settings, motionManager, coreModel },
    async expression(id) {
      told.push(['expression', id])
      if (!expressionManager || !expressions[id] || expressionManager.currentExpression === expressions[id])
        return false
      expressionManager.currentExpression = expressions[id]
      return true
    },
    async motion(group, index, priority) {
      told.push(['motion', group, index, priority])
      if (!motions[group]?.[index ?? 0] || (state.currentGroup === group && state.currentIndex === (index ?? 0)))
        return false
      Object.assign(state, { currentGroup: group, currentIndex: index ?? 0 })
      return true
    },
  }
}

const shapes = {
  'untitled-pixi-live2d-engine': {
    definitions: [
      { Name: 'smile', File: 'a.exp3.json' },
      { Name: 'F02.exp3.json', File: 'b.exp3.json' },
    ],
    motions: {
      Idle: [{ File: 'i.motion3.json' }],
      '': [{ File: 'm.motion3.json' }, { File: 'n.motion3.json' }],
      Empty: [],
    },
    settings: { name: 'Hiyori', expressions: [] },
    coreModel: { _model: { parameters } },
  },
  'pixi-live2d-display, Cubism 4': {
    definitions: [
      { Name: 'smile', File: 'a.exp3.json' },
      { Name: 'F02.exp3.json', File: 'b.exp3.json' },
    ],
    motions: {
      Idle: [{ File: 'i.motion3.json' }],
      '': [{ File: 'm.motion3.json' }, { File: 'n.motion3.json' }],
      Empty: undefined,
    },
    settings: { name: 'Hiyori' },
    coreModel: { _model: { parameters } },
  },
  'pixi-live2d-display, Cubism 2': {
    definitions: [
      { name: 'smile', file: 'a.exp.json' },
      { name: 'F02.exp.json', file: 'b.exp.json' },
    ],
    motions: { Idle: [{ file: 'i.mtn' }], '': [{ file: 'm.mtn' }, { file: 'n.mtn' }] },
    settings: { name: 'Hiyori' },
    coreModel: { getParamFloat() {} },
  },
}

for (const [engine, shape] of Object.entries(shapes)) {
  test(`${engine}: names, motions and parameters are read, and the model gets its own`, async () => {
    const fake = fakeEngine(shape)
    const model = pixiModel(fake)
    const { parameters, ...rest } = model.capabilities()
    assert.deepEqual(rest, { model: 'Hiyori', expressions: ['smile', 'F02'], motions: { Idle: 1, Default: 2 } })
    assert.deepEqual(
      parameters,
      engine.endsWith('Cubism 2')
        ? undefined
        : [
            { id: 'ParamAngleX', min: -30, max: 30, default: 0 },
            { id: 'ParamMouthOpenY', min: 0, max: 1, default: 0 },
          ],
    )
    assert.equal(await model.expression('F02'), true)
    assert.equal(await model.expression('F02'), true, 'it is shown')
    assert.equal(await model.expression('angry'), false)
    assert.equal(await model.motion('Default', 1), true)
    assert.equal(await model.motion('Default', 1), true, 'it plays')
    assert.equal(await model.motion('Default'), true)
    assert.equal(await model.motion('Default', 7), false)
    assert.equal(await model.motion('Tap'), false)
    assert.deepEqual(fake.told, [
      ['expression', 1],
      ['expression', 1],
      ['motion', '', 1, 3],
      ['motion', '', 1, 3],
      ['motion', '', undefined, 3],
      ['motion', '', 7, 3],
    ])
  })
}

test('a model without expressions, from its settings alone, or destroyed', async () => {
  const bare = pixiModel(fakeEngine({ motions: { Idle: [{}] } }))
  assert.deepEqual(bare.capabilities(), { expressions: [], motions: { Idle: 1 } })
  assert.equal(await bare.expression('smile'), false)
  const settings = { expressions: [{ Name: 'smile' }], motions: { Tap: [{}, {}] } }
  assert.deepEqual(pixiModel({ ...fakeEngine({}), internalModel: { settings } }).capabilities(), {
    expressions: ['smile'],
    motions: { Tap: 2 },
  })
  const gone = pixiModel({ ...fakeEngine({}), internalModel: undefined })
  assert.throws(() => gone.capabilities(), /destroyed/)
  await assert.rejects(gone.expression('smile'), /destroyed/)
  await assert.rejects(
    pixiModel({ ...fakeEngine(shapes['untitled-pixi-live2d-engine']), destroyed: true }).motion('Idle'),
    /destroyed/,
  )
  for (const wrong of [undefined, null, {}, { expression() {} }])
    assert.throws(() => pixiModel(wrong), { code: 'option', path: 'model' })
})

test('names that no tool may have are cleaned or left out', () => {
  const definitions = [
    { Name: ' a\u0000b\n ' },
    { Name: '__proto__' },
    { Name: 'x'.repeat(500) },
    {},
    { Name: 7 },
    null,
    { Name: 'ab' },
    { Name: '\ud800' },
    { Name: '微笑' },
  ]
  const motions = { constructor: [{}], Tap: [{}] }
  const { expressions, motions: groups } = pixiModel(fakeEngine({ definitions, motions })).capabilities()
  assert.deepEqual(expressions, ['ab', `${'x'.repeat(99)}…`, '微笑'])
  assert.deepEqual(groups, { Tap: 1 })
})

test('an order waits for its words where somebody speaks them, and is dropped where they will not come', async () => {
  const main = fakeBridge()
  const model = fakeModel()
  const words = new Map()
  const speaker = {
    hold: ({ message, call }) =>
      message === 'm' ? new Promise((resolve) => words.set(call, resolve)) : Promise.resolve('now'),
  }
  const failures = []
  receivePetOrders({ bridge: main.bridge, model, speaker, onError: (reason) => failures.push(reason) })
  const order = (call, name, more = {}) =>
    main.raw({ id: call, channel: 'live2d:expression', payload: [name], message: 'm', call, spoken: true, ...more })
  order(1, 'smile')
  order(2, 'sad')
  order(3, 'smile')
  order(4, 'sad', { message: 'another' })
  order(5, 'sad', { spoken: undefined })
  await main.answer(4)
  await main.answer(5)
  assert.deepEqual(model.done, ['sad', 'sad'], 'nobody speaks that one, and that one does not wait')
  await until(() => words.size === 3)
  const held = () => main.said.filter(([method]) => method === 'petHold').map(([, { id, held }]) => [id, held])
  await until(() => held().length === 3)
  assert.deepEqual(held(), [
    [1, true],
    [2, true],
    [3, true],
  ])
  words.get(1)('now')
  words.get(2)('stopped')
  assert.deepEqual(await main.answer(1), { id: 1, ok: true })
  const dropped = await main.answer(2)
  assert.equal(dropped.ok, false)
  assert.match(dropped.reason, /words were not said/)
  words.get(3)('now')
  await main.answer(3)
  assert.deepEqual(model.done, ['sad', 'sad', 'smile', 'smile'])
  assert.deepEqual(held().slice(3), [
    [1, false],
    [3, false],
  ])
  assert.throws(() => receivePetOrders({ bridge: main.bridge, speaker: {} }), { path: 'speaker' })
})
