// The engine on every wire, against a server that refuses what the provider would refuse: one script, six formats.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { cards } from './support.mjs'
import { ask, ended, kept, looking, modelOf, names, pixel, stage, tools, wires } from './wires-support.mjs'

for (const [wire, request] of Object.entries(wires)) {
  test(`${wire}: text, thoughts, two calls at once, one of them refused, an image, a failure, and the next turn`, async (t) => {
    for (const chunks of ['event', { seed: 3, max: 9 }]) {
      const { server, engine } = await stage(t, {
        chunks,
        answers: [
          { reasoning: 'I look first.', text: 'Let me look. ', calls: looking },
          {
            reasoning: 'And the weather.',
            text: 'Now the weather. ',
            calls: [
              { name: 'weather_now', arguments: { city: 'Paris' }, id: 'call_paris' },
              { name: 'weather_now', arguments: { city: 'Atlantis' }, id: 'call_sunk' },
            ],
          },
          { reasoning: 'Enough.', text: 'A red dot, 21 degrees.' },
          { reasoning: 'Polite.', text: 'Any time.' },
        ],
      })
      const model = modelOf(server, wire)
      let messages = ask([{ role: 'system', content: 'Be brief.' }], 'What do you see, and how is the weather?')
      const first = ended(await engine.run({ model, messages, request }).done, server)
      assert.equal(first.text, 'Let me look. Now the weather. A red dot, 21 degrees.')
      assert.deepEqual(
        cards(first).map(({ name, status }) => [name, status]),
        [
          ['camera.look', 'success'],
          ['files.delete', 'denied'],
          ['weather.now', 'success'],
          ['weather.now', 'error'],
        ],
      )
      assert.deepEqual(
        first.message.blocks.filter(({ type }) => type === 'reasoning').map(({ text }) => text),
        ['I look first.', 'And the weather.', 'Enough.'],
      )
      assert.ok(server.requests[1].text.includes(pixel), 'the image goes to the model')
      messages = ask(kept(messages, first), 'Thank you!')
      const second = ended(await engine.run({ model, messages, request }).done, server)
      assert.equal(second.text, 'Any time.')
      assert.equal(server.requests.length, 4)
    }
  })

  test(`${wire}: the last request of a turn, and a saved turn that goes on`, async (t) => {
    const call = (id) => ({ reasoning: 'Hm.', calls: [{ name: 'weather_now', arguments: { city: id }, id }] })
    const { server, engine } = await stage(
      t,
      { answers: [call('call_a'), call('call_b'), { text: 'Enough.' }, { text: 'Still here.' }] },
      { tools: tools({ permission: 'sensitive' }) },
    )
    const model = modelOf(server, wire)
    const messages = ask([], 'Try it often.')
    const first = engine.run({ model, messages, request, maxRounds: 2 })
    assert.equal(await first.quiet, 'waiting')
    const resumed = engine.resume(await first.suspend(), { model, approvals: { execution: () => 'once' } })
    const result = ended(await resumed.done, server, 'limit')
    assert.equal(result.text, 'Enough.')
    assert.deepEqual(
      cards(result).map(({ status }) => status),
      ['success', 'success'],
    )
    assert.equal(
      ended(await engine.run({ model, messages: ask(kept(messages, result), 'And now?'), request }).done, server).text,
      'Still here.',
    )
  })

  test(`${wire}: calls written as text`, async (t) => {
    const { server, engine } = await stage(t, {
      answers: [
        { text: 'Let me see.\n<tool_call>\n{"name": "weather.now", "arguments": {"city": "Paris"}}\n</tool_call>' },
        { text: '21 degrees.' },
        { text: 'Any time.' },
      ],
    })
    const model = modelOf(server, wire)
    const text = { mode: 'text', protocol: 'hermes' }
    const messages = ask([{ role: 'system', content: 'Be brief. {{tools}}' }], 'How is the weather?')
    const result = ended(await engine.run({ model, messages, ...text }).done, server)
    assert.deepEqual(
      cards(result).map(({ name, status }) => [name, status]),
      [['weather.now', 'success']],
    )
    assert.match(server.requests[1].text, /degrees/)
    assert.equal(
      ended(await engine.run({ model, messages: ask(kept(messages, result), 'Thanks!'), ...text }).done, server).text,
      'Any time.',
    )
  })
}

/** Wires whose provider signs what it says, and runs tools of its own. */
const signing = Object.entries(wires).filter(([wire]) =>
  ['anthropic', 'gemini', 'gemini-interactions', 'openai-responses'].includes(wire),
)

for (const [wire, request] of signing) {
  test(`${wire}: encrypted thoughts and what the provider ran go back as they came, also on the next turn`, async (t) => {
    const { server, engine } = await stage(t, {
      answers: [
        {
          parts: [
            { reasoning: '' },
            { reasoning: 'dark', redacted: true },
            { provider: { name: 'code_execution', arguments: { code: 'print(6 * 7)' }, result: '42' } },
            { text: 'That is 42. ' },
            { call: { ...looking[0] } },
          ],
        },
        { parts: [{ reasoning: 'Hm.' }, { text: 'A red dot.' }] },
        { text: 'Any time.' },
      ],
    })
    const model = modelOf(server, wire)
    const messages = ask([], 'What is 6 * 7, and what do you see?')
    const result = ended(await engine.run({ model, messages, request }).done, server)
    assert.equal(cards(result).filter(({ source }) => source === 'provider').length, 1)
    ended(await engine.run({ model, messages: ask(kept(messages, result), 'Thanks!'), request }).done, server)
    assert.equal(server.requests.length, 3)
  })

  test(`${wire}: another model, and the first one again`, async (t) => {
    const thinking = (id) => [
      { reasoning: 'Hm.', text: 'Looking. ', calls: [{ ...looking[0], id }] },
      { reasoning: 'Oh.', text: 'A dot.' },
    ]
    const { server, engine } = await stage(t, {
      answers: [...thinking('call_1'), ...thinking('call_2'), ...thinking('call_3')],
      appendOnly: false,
    })
    let messages = ask([], 'What do you see?')
    for (const name of ['gemini-3-one', 'gemini-3-two', 'gemini-3-one']) {
      const result = ended(await engine.run({ model: modelOf(server, wire, name), messages, request }).done, server)
      messages = ask(kept(messages, result), 'And now?')
    }
    assert.equal(server.requests.length, 6)
  })

  // The same endpoint has forgotten its signatures: stored messages are made to say that they are of this one.
  test(`${wire}: signatures that the server does not know are left out, once, before anything was shown`, async (t) => {
    const calling = [
      { reasoning: 'Hm.', text: 'Looking. ', calls: [looking[0]] },
      { reasoning: 'Oh.', text: 'A dot.' },
    ]
    const { server, engine } = await stage(t, { answers: calling })
    const messages = ask([], 'What do you see?')
    const result = ended(await engine.run({ model: modelOf(server, wire), messages, request }).done, server)
    const { server: other } = await stage(t, { answers: () => ({ text: 'Any time.' }) })
    const base = modelOf(other, wire).baseURL
    const elsewhere = (stored) =>
      JSON.parse(
        JSON.stringify(stored).replaceAll(
          /"endpoint":"[0-9a-f]{16}"/g,
          `"endpoint":"${createHash('sha256').update(base).digest('hex').slice(0, 16)}"`,
        ),
      )
    const run = engine.run({
      model: modelOf(other, wire),
      messages: ask(elsewhere(kept(messages, result)), 'Thanks!'),
      request,
    })
    const diagnostics = []
    for await (const event of run) if (event.type === 'diagnostic') diagnostics.push(event.code)
    assert.equal(ended(await run.done, other).text, 'Any time.')
    assert.equal(other.requests.length, 2)
    assert.equal(diagnostics.filter((code) => code === 'signature_dropped').length, 1)
  })
}

for (const modes of [['native'], ['native', 'text']]) {
  test(`ten turns, each with another provider than the one before, in ${modes.join(' and ')} mode`, async (t) => {
    let turn = 0
    let step = 0
    const answers = ({ wire }) => {
      const written = modes[turn % modes.length] === 'text'
      const text = `Turn ${turn}, step ${++step} on ${wire}. `
      if (step > 1) return { reasoning: `Thought ${turn}.`, text }
      const call = { name: 'weather_now', arguments: { city: 'Paris' }, id: `call_${turn}` }
      return written
        ? { text: `${text}<tool_call>\n{"name": "weather.now", "arguments": {"city": "Paris"}}\n</tool_call>` }
        : { reasoning: `Thought ${turn}.`, text, calls: [call, { ...looking[0], id: `look_${turn}` }] }
    }
    const { server, engine } = await stage(t, { answers })
    let messages = [{ role: 'system', content: 'Be brief. {{tools}}' }]
    const order = Object.entries(wires)
    for (; turn < 10; turn++) {
      step = 0
      const [wire, request] = order[turn % order.length]
      const mode = modes[turn % modes.length]
      const model = modelOf(server, wire, `${names[wire] ?? wire}-${mode}`)
      messages = ask(messages, `Question ${turn}?`)
      const result = ended(
        await engine.run({ model, messages, ...(mode === 'text' ? { mode, protocol: 'hermes' } : { mode, request }) })
          .done,
        server,
      )
      assert.equal(result.text.trim().split('.').length, 3, result.text)
      messages = kept(messages, result)
    }
    assert.equal(server.requests.length, 20)
    assert.deepEqual(new Set(server.requests.map(({ wire }) => wire)), new Set(Object.keys(wires)))
    const last = server.requests.at(-1).text
    for (let earlier = 0; earlier < 10; earlier++)
      assert.ok(
        last.includes(`Question ${earlier}?`) && last.includes(`Turn ${earlier}, step 1`),
        `turn ${earlier} is still told`,
      )
  })
}
