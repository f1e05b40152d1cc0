// The AI SDK's `Chat`, of both majors, over a handler that is called in its `fetch`: what `useChat` is made of.
import { built } from '../js/dist.mjs'
import { stage } from '../js/support.mjs'

const { chatHandler } = await built('sluice/ai-sdk')
const { memoryConversations } = await built('sluice/conversations')

const newer = Number(process.versions.node.split('.')[0]) < 22 && `Node ${process.versions.node}: it needs Node 22`
export const majors = {
  'ai 6': { load: async () => ({ ...(await import('ai-6')), ...(await import('ai-react-6')) }) },
  'ai 7': { load: async () => ({ ...(await import('ai-7')), ...(await import('ai-react-7')) }), skip: newer },
}

/**
 * A model that gives these answers, the handler in front of it, and a page with a `Chat`: `page.chat`, `page.posts`,
 * `page.chunks`.
 */
export async function chatStage(
  t,
  sdk,
  { answers, tools, handler: more = {}, run: settings = {}, store = memoryConversations(), ...page },
) {
  const { server, engine } = await stage(t, { answers, tools })
  const run = ({ messages, body }) => ({
    model: { baseURL: server.baseURL, name: 'scripted', apiKey: 'secret' },
    ...(typeof settings === 'function' ? settings({ messages, body }) : settings),
  })
  const options = { run, store, authorize: () => true, ...more }
  const handler = chatHandler(engine, options)
  return { server, engine, store, options, handler, ...(await open(sdk, handler, page)) }
}

/** Another page of the same conversation. */
export async function open(sdk, handler, { id = 'chat', ...init } = {}) {
  const { Chat, DefaultChatTransport, uiMessageChunkSchema } = sdk
  const [posts, responses, chunks, data, errors] = [[], [], [], [], []]
  const { validate } = uiMessageChunkSchema()
  let last = Promise.resolve()
  const fetch = async (url, init) => {
    const request = new Request(url, init)
    posts.push({ method: request.method, url: request.url, body: init.body && JSON.parse(init.body) })
    const response = await handler(request)
    responses.push(response)
    if (!response.body || response.status !== 200) return response
    const reader = response.body.getReader()
    let text = ''
    let end
    last = new Promise((resolve) => (end = resolve)).then(() => noted(text, chunks, validate))
    const body = new ReadableStream({
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) {
          end()
          return controller.close()
        }
        text += new TextDecoder().decode(value)
        controller.enqueue(value)
      },
      async cancel(reason) {
        end()
        await reader.cancel(reason)
      },
    })
    init?.signal?.addEventListener('abort', () => {
      end()
      void reader.cancel().catch(() => {})
    })
    return new Response(body, response)
  }
  const chat = new Chat({
    id,
    transport: new DefaultChatTransport({ api: 'http://app.test/api/chat', fetch }),
    onData: (part) => data.push(part),
    onError: (error) => errors.push(error),
    ...init,
  })
  /** Waits until the page is at rest. */
  const rest = async () => {
    for (let still = 0; still < 5; ) {
      await new Promise((resolve) => setTimeout(resolve, 4))
      await last
      still = ['ready', 'error'].includes(chat.status) ? still + 1 : 0
    }
  }
  return { chat, posts, responses, chunks, data, errors, rest }
}

/** Notes the chunks of an answer, and that each is one that this version knows. */
async function noted(text, chunks, validate) {
  for (const line of text.split('\n\n')) {
    if (!line.startsWith('data: {')) continue
    const chunk = JSON.parse(line.slice(6))
    const { success, error } = await validate(chunk)
    if (!success) throw error
    chunks.push(chunk)
  }
}

/** A message, short: its texts, and its calls with their state. */
export const told = ({ parts }) =>
  parts.flatMap((part) => {
    if (part.type === 'step-start') return ['|']
    if (part.type === 'text' || part.type === 'reasoning') return [part.type === 'text' ? part.text : `(${part.text})`]
    return [part.toolCallId ? `${part.toolName ?? part.type.slice(5)}: ${part.state}` : part.type]
  })

export const typesOf = (chunks) => chunks.map(({ type }) => type)
export const callsOf = ({ parts }) => parts.filter(({ toolCallId }) => toolCallId)
