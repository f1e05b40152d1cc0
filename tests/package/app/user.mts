// A user's program in TypeScript: the types hold without any library of this package's own.
import { Engine, SluiceError, tool, type Run, type SluiceEvent } from 'sluice'
import { hostEngine, type ElectronHost, type IpcMainLike } from 'sluice/electron'
import { agUIHandler, toAGUIEvents, type AGUIEvent } from 'sluice/ag-ui'
import { chatHandler } from 'sluice/ai-sdk'
import { decide } from 'sluice/ai-sdk/client'
import { memoryConversations } from 'sluice/conversations'
import { durable, fileTurns, type Durable } from 'sluice/durable'
import { createHost, type Host, type HostConnection, type WindowPeer } from 'sluice/host'
import { live2dTools } from 'sluice/live2d'
import { filePins, mcpTools, type McpClientLike, type McpTools } from 'sluice/mcp'
import { openAIHandler, textToolCalls } from 'sluice/openai'
import { connect, type Client, type LiveMessage } from 'sluice/renderer'
import { startScriptedServer, type ScriptedServer } from 'sluice/testing'
import { SluiceMessage } from 'sluice/ui'
import { nodeListener, serve, type WebServer } from 'sluice/web'

const engine: Engine = new Engine({
  tools: [
    tool({
      name: 'a',
      description: '',
      parameters: { type: 'object' },
      execute: async (_args, { signal }) => signal.aborted,
    }),
    ...live2dTools({ expressions: ['smile'] }),
  ],
})
export async function turn(): Promise<string> {
  const server: ScriptedServer = await startScriptedServer({ answers: [{ text: 'hi' }] })
  const run: Run = engine.run({
    model: { baseURL: server.baseURL, name: 'm' },
    messages: [{ role: 'user', content: 'hi' }],
  })
  for await (const event of run) if (event.type === 'approval') run.approve(event.call)
  const { outcome, text } = await run.done
  return outcome + text
}
export const host = (ipcMain: IpcMainLike): ElectronHost =>
  hostEngine(engine, { ipcMain, run: () => ({ model: { baseURL: 'http://127.0.0.1', name: 'm' } }) })
export const plain: Host = createHost(engine, { run: () => ({ model: { baseURL: 'http://127.0.0.1', name: 'm' } }) })
export const joined = (socket: WebSocket): HostConnection => {
  const peer: WindowPeer = {
    id: crypto.randomUUID(),
    rights: { read: true },
    frame: (frame) => socket.send(JSON.stringify(frame)),
    pet: () => {},
  }
  return plain.connect(peer)
}
export const served = (): Promise<WebServer> => serve({ roots: { '/': 'pages' }, host: plain })
export const inBetween: typeof fetch = textToolCalls({ protocol: 'auto' })
export const chat: (request: Request) => Promise<Response> = chatHandler(engine, {
  run: () => ({ model: { baseURL: 'http://127.0.0.1', name: 'm' } }),
  store: memoryConversations(),
  authorize: () => true,
})
export const tools = (client: McpClientLike): Promise<McpTools> =>
  mcpTools(client, { server: 'fs', expose: ['read_file'], permission: 'moderate', pins: filePins('pins.json') })
export const agent: (request: Request) => Promise<Response> = agUIHandler(engine, {
  run: ({ input }) => ({ model: { baseURL: 'http://127.0.0.1', name: 'm' }, system: String(input.forwardedProps) }),
  store: memoryConversations(),
  authorize: () => true,
})
export const agentEvents = (run: Run): AsyncIterable<AGUIEvent> => toAGUIEvents(run, { threadId: 't', runId: 'r' })
export const turns: Durable = durable(engine, {
  store: fileTurns('turns'),
  run: ({ id }) => ({ model: { baseURL: 'http://127.0.0.1', name: id } }),
})
export const decided = decide({ messages: [], addToolApprovalResponse: () => {} }, 'a', { approved: true })
export const listener = nodeListener(openAIHandler({ baseURL: 'http://127.0.0.1:8000/v1' }))
export async function show(): Promise<void> {
  const client: Client = connect()
  const message: LiveMessage = await client.send('hi')
  const element = document.createElement('sluice-message')
  element.message = message
  document.body.append(element)
  if (element instanceof SluiceMessage) element.approvals = 'none'
}
export const hint = (error: unknown): string | undefined => (error instanceof SluiceError ? error.hint : undefined)
export type Text = Extract<SluiceEvent, { type: 'text' }>['text']

// @ts-expect-error a wrong option is an error, so the types are not `any`
new Engine({ mode: 'neither' })
// @ts-expect-error
document.createElement('sluice-message').approvals = 3
