// What a person drops on the pet: what the host hands on to the window with a field, and what the pet says of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { companion } from 'sluice/pet'
import { connect } from 'sluice/renderer'
import { everything, hostStage, until } from './host-support.mjs'
import { fakeClient, fakeClock } from './pet-support.mjs'

const file = (text = 'Hi') => ({ name: 'note.txt', mediaType: 'text/plain', data: btoa(text) })
const dropped = ({ frames }) => frames.flatMap(({ dropped }) => (dropped ? [dropped] : []))
const code = async (window, method, input) => (await window.call(method, input)).error?.code

test('the window that last said that it takes them gets them, once; without one the pet is told so', async (t) => {
  const { open } = await hostStage(t)
  const [pet, one, two] = [open({ read: true, pet: true }), open({ chat: true }), open({ chat: true })]
  assert.equal(await pet.get('petDrop', { files: [file()] }), false, 'nobody takes them')
  await one.get('takeDrops', { on: true })
  await two.get('takeDrops', { on: true })
  assert.equal(await pet.get('petDrop', { files: [file('to two')] }), true)
  await two.get('takeDrops', { on: false })
  assert.equal(await pet.get('petDrop', { files: [file('to one')] }), true)
  await until(() => dropped(one).length === 1 && dropped(two).length === 1)
  assert.deepEqual([dropped(one), dropped(two), dropped(pet)], [[[file('to one')]], [[file('to two')]], []])
  one.close()
  assert.equal(await pet.get('petDrop', { files: [file()] }), false, 'its window is gone')
})

test('the pet sends nothing by it, and rights count on both sides', async (t) => {
  const { open, server } = await hostStage(t)
  const [pet, chat] = [open({ read: true, pet: true }), open({ chat: true })]
  assert.equal(await code(open({ ...everything, pet: false }), 'petDrop', { files: [file()] }), 'forbidden')
  assert.equal(await code(pet, 'takeDrops', { on: true }), 'forbidden')
  assert.equal(await code(pet, 'send', { text: 'x' }), 'forbidden')
  await chat.get('takeDrops', { on: true })
  chat.rights.chat = false
  assert.equal(await pet.get('petDrop', { files: [file()] }), false, 'a window that may send no more takes nothing')
  chat.rights.chat = true
  assert.equal(await pet.get('petDrop', { files: [file()] }), true)
  await until(() => dropped(chat).length === 1)
  assert.equal(server.requests.length, 0)
})

test('what a hostile window drops is refused with its place, and at most one drop waits', async (t) => {
  const { open } = await hostStage(t)
  const [pet, chat] = [open({ pet: true }), open({ chat: true })]
  await chat.get('takeDrops', { on: true })
  const wrong = [
    [undefined, 'argument'],
    [{ files: [null] }, 'argument'],
    [{ files: [{ ...file(), more: 1 }] }, 'argument'],
    [{ files: [{ ...file(), data: 'a' }] }, 'argument'],
    [{ files: [{ ...file(), data: '<!>=' }] }, 'argument'],
    [{ files: [{ ...file(), name: 'x'.repeat(256) }] }, 'limit'],
    [{ files: Array(9).fill(file()) }, 'limit'],
    [{ files: Array(2).fill({ ...file(), data: 'A'.repeat(8_000_000) }) }, 'limit'],
  ]
  for (const [input, expected] of wrong)
    assert.equal(await code(pet, 'petDrop', input), expected, JSON.stringify(input)?.slice(0, 100))
  chat.blocked = true
  assert.equal(await pet.get('petDrop', { files: [file('first')] }), true)
  await new Promise((resolve) => setTimeout(resolve, 20))
  for (let times = 0; times < 20; times++) assert.equal(await code(pet, 'petDrop', { files: [file()] }), 'limit')
  chat.blocked = false
  await until(() => dropped(chat).length === 1)
  assert.deepEqual(dropped(chat), [[file('first')]])
})

// -- with a companion and a client ------------------------------------------------------------------------------------

/** A pet in one window, and a chat in another one whose field is the test. */
async function stage(t) {
  const { host } = await hostStage(t)
  const [window, chat] = [
    connect(host.bridge({ read: true, pet: true })),
    connect(host.bridge({ read: true, chat: true })),
  ]
  const pet = companion({ client: window })
  t.after(() => {
    pet.close()
    for (const client of [window, chat]) client.close()
  })
  return { pet, chat }
}

test('files come as they were dropped to the field that came last, and the pet says what became of them', async (t) => {
  const { pet, chat } = await stage(t)
  const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => at % 256)
  await pet.drop([new File([bytes], 'a.bin')])
  assert.equal(pet.getSnapshot().note, 'noChat')
  const taken = []
  const off = [
    chat.onDropped((files) => taken.push('one', ...files)),
    chat.onDropped((files) => taken.push('two', ...files)),
  ]
  await until(
    async () => (
      await pet.drop([new File([bytes], 'a.bin', { type: 'image/png' }), new File([], 'empty')]),
      pet.getSnapshot().note === 'taken'
    ),
  )
  await until(() => taken.length > 0)
  const [which, first, empty] = taken.splice(0)
  assert.deepEqual(
    [which, first.name, first.type, new Uint8Array(await first.arrayBuffer()), empty.size],
    ['two', 'a.bin', 'image/png', bytes, 0],
  )
  off[1]()
  await pet.drop([new File(['x'], 'x')])
  await until(() => taken.length > 0)
  assert.equal(taken[0], 'one')
  off[0]()
  await until(async () => (await pet.drop([new File(['x'], 'x')]), pet.getSnapshot().note === 'noChat'))
})

test('too much is not even read, what fails is told, and what is said of it ends', async (t) => {
  const [client, clock, told] = [fakeClient(), fakeClock(), []]
  const pet = companion({ client, clock, onError: (reason) => told.push(reason) })
  t.after(() => pet.close())
  const handed = []
  client.pet.drop = async (files) => (handed.push(files), true)
  const large = { size: 10_000_001, arrayBuffer: () => assert.fail('it is read') }
  for (const files of [[large], Array(9).fill(new File(['x'], 'x'))]) {
    await pet.drop(files)
    assert.deepEqual([pet.getSnapshot().note, handed], ['tooLarge', []])
  }
  await pet.drop([])
  assert.equal(pet.getSnapshot().note, 'tooLarge', 'nothing was dropped')
  clock.pass(7000)
  assert.equal(pet.getSnapshot().note, 'tooLarge')
  clock.pass(1000)
  assert.equal('note' in pet.getSnapshot(), false)
  client.pet.drop = async () => {
    throw new Error('the disk is gone')
  }
  await pet.drop([new File(['x'], 'x')])
  assert.equal(pet.getSnapshot().note, 'notTaken')
  assert.match(told[0], /the disk is gone/)
})
