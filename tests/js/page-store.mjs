// Conversations that the page keeps: a server that keeps nothing, a client that posts to it, and what a page has of its
// answers.
import { chatHandler, memorySpend, pageStore } from 'sluice/ai-sdk'
import { callsEcho, echo, stage } from './support.mjs'

export const api = 'http://app.test/api/chat'
export const encryption = 'a key of the server that nobody can guess'
/** Approvals count once. */
export const once = (options = {}) => pageStore({ encryption, spend: memorySpend(), ...options })
export const said = (text, id = 'm1') => ({ id, role: 'user', parts: [{ type: 'text', text }] })
export const ofType = (chunks, type) => chunks.filter((chunk) => chunk.type === type)

/** A handler that keeps nothing, and what posts to it. */
export async function served(
  t,
  store,
  { answers = [callsEcho, { text: 'Done.' }, { text: 'Yes.' }], tools, settings = {}, run: more = {}, ...options } = {},
) {
  let ran = 0
  const { server, engine } = await stage(t, {
    answers,
    server: { appendOnly: false },
    tools: tools ?? [
      echo({
        permission: 'sensitive',
        execute: ({ text }) => {
          ran++
          return `you said ${text}`
        },
      }),
    ],
    ...settings,
  })
  const handler = chatHandler(engine, {
    run: () => ({ model: { baseURL: server.baseURL, name: 'scripted' }, system: 'Be plugh.', ...more }),
    store,
    authorize: () => true,
    ...options,
  })
  const post = async (messages, { id = 'chat', ...more } = {}) => {
    const response = await handler(
      new Request(api, { method: 'POST', body: JSON.stringify({ id, messages, ...more }) }),
    )
    const text = await response.text()
    return {
      status: response.status,
      text,
      chunks: text
        .split('\n\n')
        .filter((one) => one.startsWith('data: {'))
        .map((one) => JSON.parse(one.slice(6))),
    }
  }
  return {
    server,
    engine,
    handler,
    post,
    get ran() {
      return ran
    },
  }
}

/** The message that a page has behind these chunks, its questions answered. */
export function answered({ chunks }, change = {}) {
  const sluice = Object.assign(
    {},
    ...ofType(chunks, 'message-metadata').map(({ messageMetadata }) => messageMetadata.sluice),
  )
  const questions = new Map(ofType(chunks, 'tool-approval-request').map((one) => [one.toolCallId, one]))
  const outputs = new Map(ofType(chunks, 'tool-output-available').map((one) => [one.toolCallId, one]))
  const text = ofType(chunks, 'text-delta')
    .map(({ delta }) => delta)
    .join('')
  const parts = ofType(chunks, 'tool-input-available').map(({ toolCallId, toolName, input }) => {
    const { approvalId, approvalDescriptor } = questions.get(toolCallId) ?? {}
    if (!approvalId)
      return {
        type: `tool-${toolName}`,
        toolCallId,
        input,
        state: 'output-available',
        output: outputs.get(toolCallId)?.output,
      }
    return {
      type: `tool-${toolName}`,
      toolCallId,
      state: 'approval-responded',
      input,
      approval: { id: approvalId, descriptor: approvalDescriptor, approved: true, ...change },
    }
  })
  return {
    id: chunks[0].messageId,
    role: 'assistant',
    metadata: { sluice },
    parts: [...(text ? [{ type: 'text', text }] : []), ...parts],
  }
}
export const copy = (value, change) => {
  const own = structuredClone(value)
  change(own)
  return own
}

/** Warnings are noted instead of printed. */
export function warnings(t) {
  const noted = []
  t.mock.method(process, 'emitWarning', (text) => noted.push(String(text)))
  t.mock.method(console, 'warn', (...texts) => noted.push(texts.join(' ')))
  return noted
}
