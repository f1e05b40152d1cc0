// Which HTTP statuses bring an answer: every status from −1 to 1,000, on every wire.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Engine } from 'sluice'

const wires = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'gemini-interactions', 'ollama']
const request = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] }

for (const wire of wires)
  test(`${wire}: 200 to 299 is an answer, every other status an error that names it, and what is no status is refused`, () => {
    const engine = new Engine()
    for (let status = -1; status <= 1000; status++) {
      const turn = engine.turn({
        wire,
        request: wire === 'anthropic' ? request : { model: 'm', messages: request.messages },
      })
      const told = `status ${status}`
      try {
        if (status < 100 || status > 999) {
          assert.throws(() => turn.response(status), { code: 'option' }, told)
          assert.throws(() => turn.feed('x'), { code: 'state' }, told)
          turn.response(200)
          turn.feed('x')
          continue
        }
        turn.response(status)
        turn.feed('{"error":{"message":"no"}}')
        turn.finish()
        const events = [...turn.events()]
        const error = events.find(({ type }) => type === 'error')
        if (status >= 200 && status < 300) assert.notEqual(error?.code, 'http', told)
        else {
          assert.equal(error?.status, status, told)
          assert.equal(
            events.some(({ type }) => type === 'text' || type === 'card'),
            false,
            told,
          )
        }
      } finally {
        turn.close()
      }
    }
    engine.close()
  })
