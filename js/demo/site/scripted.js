// The scripted model in the page: what startScriptedServer of sluice/testing does on a port, as a transport.
import { openaiChat } from '../../dist/esm/engine/wire/openai-chat.js'
import { splitter } from '../../dist/esm/engine/wire/splitter.js'
import { answer } from '../script.mjs'
import { setTimeout as delay } from './delay.js'

let asked = 0

/** `delayMs`: between the words. */
export const scripted =
  (delayMs) =>
  async ({ body: text }, signal) => {
    const body = JSON.parse(text)
    const said = answer({ body })
    const status = said.status ?? 200
    if (status >= 400) return Response.json(openaiChat.error(status, said.error ?? `status ${status}`, {}), { status })
    const written = openaiChat.write(said, { id: String(++asked), model: body.model, request: body, seal: () => '' })
    const steps = written.stream(splitter())
    const stream = new ReadableStream(
      {
        async pull(controller) {
          const { done, value } = steps.next()
          if (done) return controller.close()
          try {
            if ('wait' in value)
              await (typeof value.wait === 'number' ? delay(value.wait, undefined, { signal }) : value.wait)
            else if ('cut' in value) throw new TypeError('network error')
            else {
              await delay(delayMs, undefined, { signal })
              controller.enqueue(value.bytes)
            }
          } catch (error) {
            controller.error(error)
          }
        },
      },
      { highWaterMark: 0 },
    )
    return new Response(stream, { status, headers: { 'content-type': openaiChat.type } })
  }
