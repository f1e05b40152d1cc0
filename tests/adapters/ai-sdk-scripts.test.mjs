// The events of every shared script as chunks: each is one that the AI SDK knows, its reader makes a valid message of
// them, and nothing that was said is lost.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { built } from '../js/dist.mjs'
import { scriptFiles } from '../js/script-files.mjs'
import { eventsOf } from '../js/script-runner.mjs'
import { majors } from './chats.mjs'

const { MessageWriter } = await built('message-writer')
const { messageFrom } = await built('read-chunks')

/** Of chunks: the reader of the AI SDK parses the arguments of a call anew with every delta. */
const MOST = 300_000
const scripts = scriptFiles('')

/** What the server runs, or with `inPage` the page. */
function toolsOf({ engine = {} }, inPage) {
  const { tools = [] } = typeof engine === 'string' ? {} : engine
  return (Array.isArray(tools) ? tools : []).flatMap((tool) =>
    typeof tool?.name === 'string'
      ? [{ name: tool.name, declaration: tool, ...(inPage ? {} : { run: async () => {} }) }]
      : [],
  )
}

const textOf = (parts) => parts.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('')
const endOf = ({ outcome, usage }, error) => (outcome === undefined ? 'waiting' : { outcome, usage, error })

function chunksOf({ events, message }, tools) {
  const writer = new MessageWriter('m', tools)
  const error = events.findLast(({ type }) => type === 'error')
  return [writer.start, ...events.flatMap((event) => writer.take(event)), ...writer.end(endOf(message, error))]
}

function retold({ message }, tools) {
  const writer = new MessageWriter('m', tools)
  return [writer.start, ...writer.retell(message), ...writer.end(endOf(message))]
}

for (const [name, { load, skip }] of Object.entries(majors)) {
  describe(name, { skip: skip || false }, async () => {
    const sdk = skip ? undefined : await load()
    const { validate } = skip ? {} : sdk.uiMessageChunkSchema()

    const read = async (chunks) => {
      for (const chunk of chunks) {
        const { success, error } = await validate(chunk)
        assert.ok(success, `${JSON.stringify(chunk)}: ${error}`)
      }
      let message
      const stream = new ReadableStream({
        start(controller) {
          for (const chunk of JSON.parse(JSON.stringify(chunks))) if (chunk.type !== 'error') controller.enqueue(chunk)
          controller.close()
        },
      })
      for await (message of sdk.readUIMessageStream({ stream, terminateOnError: true }));
      const own = JSON.parse(JSON.stringify(message?.parts ?? []))
      // The page notes its answer to a question on the part, as addToolApprovalResponse does: the stream of one leg has
      // only the question.
      for (const part of message?.parts ?? []) {
        if (part.approval && part.state !== 'approval-requested')
          part.approval.approved = part.state !== 'output-denied'
        // approved, and it runs now: the AI SDK has no state for that
        if (part.state === 'input-available') delete part.approval
      }
      const { error } = message?.parts.length > 0 ? await sdk.safeValidateUIMessages({ messages: [message] }) : {}
      assert.ok(!error, String(error?.message).slice(0, 1000))
      return own
    }
    /** Without what a stream alone has: the text of arguments that came in pieces, and names of parts. */
    const bare = (parts) =>
      parts.map(({ rawInput, ...part }) => {
        if (part.type === 'reasoning') delete part.id
        return part
      })
    /** Version 6 leaves out what could not be read, and both what has keys such as __proto__. */
    const asRead = (own, parts) =>
      own.map((part, at) => {
        const { input, ...rest } = part
        return parts[at] && 'input' in parts[at] ? part : rest
      })

    test('of every script', async () => {
      let count = 0
      for (const { name, script } of scripts) {
        if (script.turn === undefined) continue
        const played = eventsOf(script)
        if (!played.message?.blocks) continue
        try {
          const told = textOf(played.message.blocks)
          for (const inPage of [false, true]) {
            const tools = toolsOf(script, inPage)
            const chunks = chunksOf(played, tools)
            if (JSON.stringify(chunks).length > MOST) continue
            assert.equal(textOf(await read(chunks)), told)
            const whole = retold(played, tools)
            const parts = await read(whole)
            assert.equal(textOf(parts), told)
            const first = bare(JSON.parse(JSON.stringify(messageFrom('m', whole).parts)))
            // The SDK gives no message in which nothing stands but the begin of a step.
            const shown = parts.length === 0 ? first.filter(({ type }) => type !== 'step-start') : first
            assert.deepEqual(asRead(shown, parts), bare(parts), 'a first load gives what a replay gives')
            count++
          }
        } catch (error) {
          error.message = `${name}: ${error.message}`
          throw error
        }
      }
      assert.ok(count > 1000, `only ${count}`)
    })
  })
}
