// Histories that are not as a provider likes them: answers that broke off, ids of other servers, empty results. The
// next request is legal all the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cards } from './support.mjs'
import { ask, ended, kept, looking, modelOf, stage, tools, wires } from './wires-support.mjs'

const call = (id, city = 'Paris') => ({ name: 'weather_now', arguments: { city }, ...(id === undefined ? {} : { id }) })
const broken = {
  'the limit of the answer is reached within a call': {
    parts: [{ reasoning: 'Hm.' }, { text: 'Let me see. ' }, { call: { name: 'weather_now', arguments: '{"ci' } }],
    finish: 'length',
  },
  'the limit of the answer is reached within the text': { reasoning: 'Hm.', text: 'Once upon a', finish: 'length' },
  'the limit of the answer is reached within the thoughts': { reasoning: 'Hm.', finish: 'length' },
  'the connection breaks within the text': { parts: [{ reasoning: 'Hm.' }, { text: 'Once upon' }, { cut: true }] },
  'the connection breaks behind a call': {
    parts: [{ reasoning: 'Hm.' }, { text: 'Once. ' }, { call: call() }, { cut: true }],
  },
  'the provider fails in mid-stream': {
    parts: [{ reasoning: 'Hm.' }, { text: 'Once upon' }, { error: 'The machine burned down.' }],
  },
  'the provider refuses to go on': { text: 'Once upon', finish: 'content_filter' },
  'nothing is said': {},
}

const unique = ['anthropic', 'openai-responses'] // their ids never repeat

for (const [wire, request] of Object.entries(wires)) {
  test(`${wire}: an answer breaks off, and the conversation goes on`, async (t) => {
    for (const [why, answer] of Object.entries(broken)) {
      const { server, engine } = await stage(t, {
        answers: ({ text }) => (text.includes('And now?') ? { text: 'Better.' } : answer),
      })
      const model = modelOf(server, wire)
      const messages = ask([], `What if ${why}?`)
      const result = await engine.run({ model, messages, request }).done
      const next = await engine.run({ model, messages: ask(kept(messages, result), 'And now?'), request }).done
      assert.equal(ended(next, server).text, 'Better.', why)
    }
  })

  test(`${wire}: ids that repeat from turn to turn, and turns without any`, async (t) => {
    for (const id of unique.includes(wire) ? [undefined] : ['call_0', undefined]) {
      let turn = 0
      const { server, engine } = await stage(t, {
        answers: ({ text }) =>
          text.includes(`degrees${turn}`)
            ? { text: 'So it is.' }
            : { calls: [call(id, 'Paris'), call(id && 'call_1', 'Rome')] },
      })
      engine.add(tools({ execute: ({ city }) => `${city} degrees${turn}` })[1])
      let messages = []
      for (; turn < 3; turn++) {
        messages = ask(messages, `Question ${turn}?`)
        const result = ended(await engine.run({ model: modelOf(server, wire), messages, request }).done, server)
        assert.deepEqual(
          cards(result).map(({ output }) => output),
          [`Paris degrees${turn}`, `Rome degrees${turn}`],
        )
        messages = kept(messages, result)
      }
    }
  })
}

test('ids and names that another wire forbids are told to it in its own way', async (t) => {
  const ids = ['functions.weather_now:0', 'call_0', `call_${'x'.repeat(120)}`, 'Ünïcode/id', 'call_0', ' ']
  const order = Object.entries(wires)
  let turn = 0
  let step = 0
  // Ids that repeat or hold odd characters come from the wires where servers send such; the others read them in the
  // history.
  const idOf = (wire, at) => (unique.includes(wire) ? undefined : ids[(turn + at) % ids.length])
  const answers = ({ wire }) =>
    ++step > 1
      ? { text: 'So it is.' }
      : { text: `Turn ${turn}. `, calls: [call(idOf(wire, 0)), { ...looking[0], id: idOf(wire, 2) }] }
  const { server, engine } = await stage(t, { answers })
  let messages = []
  for (; turn < 3 * order.length; turn++) {
    step = 0
    const [wire, request] = order[turn % order.length]
    messages = ask(messages, `Question ${turn}?`)
    const result = ended(await engine.run({ model: modelOf(server, wire), messages, request }).done, server)
    assert.deepEqual(
      cards(result).map(({ status }) => status),
      ['success', 'success'],
    )
    messages = kept(messages, result)
  }
})
