// The official MCP clients of both generations, and servers as processes behind them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
export { until } from '../js/until.mjs'

const require = createRequire(import.meta.url)
export const scriptOf = (name) => fileURLToPath(new URL(name, import.meta.url))
export const everything = require.resolve('@modelcontextprotocol/server-everything/dist/index.js')
export const filesystem = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js')

export const sdks = {
  'client 2': async () => ({
    version: 2,
    ...(await import('@modelcontextprotocol/client')),
    ...(await import('@modelcontextprotocol/client/stdio')),
    more: { versionNegotiation: { mode: 'auto' } },
  }),
  'sdk 1': async () => ({
    version: 1,
    ...(await import('@modelcontextprotocol/sdk/client/index.js')),
    ...(await import('@modelcontextprotocol/sdk/client/stdio.js')),
    ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
    more: {},
  }),
}

/** A client over stdio, closed when the test ends. `said`: what the server wrote to stderr. */
export async function overStdio(t, sdk, args, capabilities = {}) {
  const client = new sdk.Client({ name: 'test', version: '1.0.0' }, { capabilities, ...sdk.more })
  const transport = new sdk.StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' })
  const said = []
  createInterface({ input: transport.stderr }).on('line', (line) => said.push(line))
  t.after(() => client.close())
  await client.connect(transport)
  return { client, said }
}

export async function overHttp(t, sdk, url, capabilities = {}) {
  const client = new sdk.Client({ name: 'test', version: '1.0.0' }, { capabilities, ...sdk.more })
  t.after(() => client.close())
  await client.connect(new sdk.StreamableHTTPClientTransport(new URL(url)))
  return { client }
}

/** A server as a process, ended with the test. Resolves to the line in which it says that it listens. */
export async function started(t, args, { env = {}, line = /./ } = {}) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill()
    await once(child, 'exit')
  })
  return new Promise((resolve, reject) => {
    const read = (text) => line.test(text) && resolve(text)
    createInterface({ input: child.stdout }).on('line', read)
    createInterface({ input: child.stderr }).on('line', read)
    child.once('exit', (code) => reject(new Error(`it ended with ${code}`)))
  })
}
