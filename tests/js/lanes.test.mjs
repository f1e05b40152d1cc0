// The two lanes of `npm test`, with jobs that the test ends by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as settled } from 'node:timers/promises'
import { runInLanes } from '../../js/scripts/lanes.mjs'

/** Starts jobs `[name, lane, { needs, after }]`. `running` names those that run; `end(name, error)` ends one. */
function start(rows, options) {
  const ends = new Map()
  const order = []
  const jobs = rows.map(([name, lane, more]) => ({
    name,
    lane,
    ...more,
    run: () =>
      new Promise((resolve, reject) => {
        order.push(name)
        ends.set(name, { resolve, reject })
      }),
  }))
  const result = runInLanes(jobs, options)
  const end = async (name, error) => {
    const { resolve, reject } = ends.get(name)
    ends.delete(name)
    if (error) reject(error)
    else resolve()
    await settled()
  }
  return { result, order, end, running: () => [...ends.keys()] }
}

const nothing = { failed: new Map(), unmet: new Map(), late: [] }

test('two lanes run beside each other, and never two jobs of one', async () => {
  const { result, end, running } = start([
    ['build', 'processor'],
    ['ctest', 'processor'],
    ['pages', 'waiting'],
    ['servers', 'waiting'],
  ])
  assert.deepEqual(running(), ['build', 'pages'])
  await end('pages')
  assert.deepEqual(running(), ['build', 'servers'])
  await end('build')
  assert.deepEqual(running(), ['servers', 'ctest'])
  await end('ctest')
  await end('servers')
  assert.deepEqual(await result, nothing)
})

test('a job waits for those that it needs, and lets later jobs of its lane begin meanwhile', async () => {
  const { result, order, end } = start([
    ['addon', 'processor'],
    ['js', 'waiting', { needs: ['addon'] }],
    ['install', 'waiting'],
    ['wasm', 'waiting', { needs: ['not in the list'] }],
  ])
  assert.deepEqual(order, ['addon', 'install'])
  await end('addon')
  assert.deepEqual(order, ['addon', 'install'])
  await end('install')
  assert.deepEqual(order, ['addon', 'install', 'js'])
  await end('js')
  await end('wasm')
  assert.deepEqual(await result, nothing)
})

test('a job that fails keeps no other from running but those that need it, however indirectly', async () => {
  const rows = [
    ['build', 'processor'],
    ['tests', 'processor', { needs: ['build'] }],
    ['more tests', 'waiting', { needs: ['tests'] }],
    ['later', 'waiting', { after: ['build', 'tests'] }],
    ['pages', 'waiting'],
  ]
  const { result, end, running } = start(rows)
  await end('build', new Error('no compiler'))
  assert.deepEqual(running(), ['pages'])
  await end('pages')
  assert.deepEqual(running(), ['later'])
  await end('later')
  const { failed, unmet, late } = await result
  assert.deepEqual(
    [[...failed.keys()], failed.get('build').message, [...unmet], late],
    [
      ['build'],
      'no compiler',
      [
        ['tests', 'build'],
        ['more tests', 'build'],
      ],
      [],
    ],
  )
})

test('a job that throws before its first wait has failed, too', async () => {
  const { failed } = await runInLanes([
    {
      name: 'a',
      lane: 'x',
      run: () => {
        throw new Error('at once')
      },
    },
    { name: 'b', lane: 'x', run: () => {} },
  ])
  assert.deepEqual([...failed.keys()], ['a'])
})

test('when the time is up nothing begins, what runs ends, and the others are named', async () => {
  let time = true
  const { result, end } = start(
    [
      ['a', 'processor'],
      ['b', 'processor'],
      ['c', 'waiting'],
      ['d', 'waiting', { needs: ['a'] }],
    ],
    { mayBegin: () => time },
  )
  time = false
  await end('a')
  await end('c')
  assert.deepEqual(await result, { ...nothing, late: ['b', 'd'] })
})

test('no jobs, and jobs that wait for each other', async () => {
  assert.deepEqual(await runInLanes([]), nothing)
  assert.throws(
    () =>
      start([
        ['a', 'x', { needs: ['b'] }],
        ['b', 'x', { after: ['a'] }],
      ]),
    /wait for each other: a → b → a/,
  )
})
