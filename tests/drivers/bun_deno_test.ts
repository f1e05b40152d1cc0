// What bindings/bun-deno adds to the library: numbers that are checked, handles that are closed, errors, documents.
import assert from 'node:assert/strict'
import { Delta, DeltaKind, Engine, SluiceError, version } from '../../bindings/bun-deno/sluice.ts'

const engine = new Engine({ tools: [{ name: 'note', agentCallable: true }] })
const refused = (work: () => unknown, code: number, words: RegExp) =>
  assert.throws(work, (error) => error instanceof SluiceError && error.code === code && words.test(error.message))
refused(() => new Engine({ protocol: 'hermez' }), -4, /did you mean hermes\?/)
refused(() => engine.turn({ wire: 'x' }), -4, /expected one of .*\(wire\)/)
refused(() => engine.restore('{}'), -4, /json/)

const turn = engine.turn('{"wire":"text","protocol":"hermes"}')
refused(() => turn.deny(7), -3, /no call/)
for (const call of [-1, 2 ** 32, 0.5, NaN, {} as { call: number }]) assert.throws(() => turn.approve(call), RangeError)
assert.throws(() => turn.finish(2 ** 32), RangeError)
assert.throws(() => turn.get('massage' as 'message'), RangeError)
assert.throws(() => turn.deny(1, { reason: 'x' } as unknown as string), TypeError)

engine.close()
engine.close()
assert.throws(() => engine.turn({}), /this Engine was closed/)
turn.feed(new Uint8Array())
turn.feed('\ufeffa\0你<tool_call>{"name": "note", "arguments": {"n": 1e999}}</tool_call>')
turn.finish()
const pieces = [...turn.pieces()]
const [first] = pieces
assert.ok(first instanceof Delta)
assert.deepEqual([first.kind, first.index, first.text], [DeltaKind.text, 0, '\ufeffa\0你'])
assert.equal(pieces.findLast((piece) => !(piece instanceof Delta) && piece.type === 'done') !== undefined, true)
assert.equal(turn.tick(1e12), Infinity)
assert.match(turn.get('message', String)!, /1e999/)
turn.close()
assert.throws(() => turn.feed('x'), /this Turn was closed/)
assert.equal(version().length, 3)
{
  using scoped = new Engine()
  assert.equal(scoped.turn({ wire: 'text' }).nextEvent(), null)
}
