// A server that speaks only stdio, over Streamable HTTP: one process for each session. argv: the server and its
// arguments. Prints its port.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'

const sessions = new Map()

async function open() {
  const inner = new StdioClientTransport({ command: process.execPath, args: process.argv.slice(2), stderr: 'ignore' })
  const outer = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, outer),
  })
  inner.onmessage = (message) => void outer.send(message).catch(() => {})
  outer.onmessage = (message) => void inner.send(message).catch(() => {})
  inner.onclose = () => outer.close()
  outer.onclose = () => inner.close()
  await Promise.all([inner.start(), outer.start()])
  return outer
}

const server = createServer(async (request, response) => {
  const session =
    sessions.get(request.headers['mcp-session-id']) ?? (request.headers['mcp-session-id'] ? undefined : await open())
  if (session) await session.handleRequest(request, response)
  else response.writeHead(404).end()
}).listen(0, '127.0.0.1', () => console.log(server.address().port))
