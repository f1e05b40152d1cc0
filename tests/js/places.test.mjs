// Where a call stands in the text of its round: in bytes, and in UTF-16 units, with which a program cuts the text out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Engine, Turn } from 'sluice'
import { cards, echo, stage } from './support.mjs'

const call = (text) =>
  `<<<[TOOL_REQUEST]>>>\ntool_name:「始」echo_back「末」,\ntext:「始」${text}「末」\n<<<[END_TOOL_REQUEST]>>>`
const whole = `👋🏽 Guten Tag, 你好。\n${call('😀 猫')}\n👨‍👩‍👧, ü und 𝄞\n${call('x')}\n${call('𠮷野家で 🍜')} ✓`
const calls = [call('😀 猫'), call('x'), call('𠮷野家で 🍜')]

function check(found, what) {
  assert.deepEqual(
    found.map(({ utf16Start, utf16End }) => whole.slice(utf16Start, utf16End)),
    calls,
    what,
  )
  const bytes = Buffer.from(whole)
  assert.deepEqual(
    found.map(({ start, end }) => bytes.subarray(start, end).toString()),
    calls,
    what,
  )
}

test('a call is cut out of the text by its place in UTF-16 units, however the text is cut', () => {
  const engine = new Engine({ tools: [echo()] })
  const bytes = Buffer.from(whole)
  for (const size of [1, 2, 3, 5, 7, 64, 1000]) {
    let turn = engine.turn({ wire: 'text' })
    const told = []
    for (let at = 0; at < bytes.length; at += size) {
      told.push(...turn.step(bytes.subarray(at, at + size)))
      if (size !== 64) continue
      const later = Turn.restore(engine, turn.state)
      turn.close()
      turn = later
    }
    turn.finish()
    told.push(...turn.events())
    check(
      told.filter(({ type, raw }) => type === 'card' && raw !== undefined),
      `events, pieces of ${size} bytes`,
    )
    check(
      turn.message.blocks.filter(({ type }) => type === 'tool_use'),
      `message, pieces of ${size} bytes`,
    )
    turn.close()
  }
})

test('the message of a run tells the places as well', async (t) => {
  const { run } = await stage(t, {
    tools: [echo()],
    mode: 'text',
    protocol: 'vcp',
    answers: [{ text: whole }, { text: 'done' }],
  })
  check(cards(await run().done))
})
