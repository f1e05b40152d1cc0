// What the tests of the command share: real processes and, where only words and what is printed matter, the same
// function in this process: to start one costs more than all that it does. A folder with tools that write down what
// they did.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { built, builtUrl } from './dist.mjs'
import { startScriptedServer } from 'sluice/testing'
import { main } from './on-terminal.mjs'

const { sluice: runWords } = await built('run-command')

const index = builtUrl('sluice').href

let folder
export const path = (name) => join(folder, name)
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'))
  writeFileSync(
    path('tools.mjs'),
    `
    import { tool } from ${JSON.stringify(index)}
    import { appendFileSync } from 'node:fs'
    const log = (text) => appendFileSync(${JSON.stringify(path('log'))}, text + '\\n')
    const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
    const common = { agentCallable: true, parameters }
    export default [
      tool({ ...common, name: 'file.delete', description: 'Deletes.', execute: ({ path }) => { log('delete ' + path); return 'deleted ' + path } }),
      tool({ ...common, name: 'file.read', description: 'Reads.', permission: 'public', resultApproval: 'always', execute: ({ path }) => { log('read ' + path); return 'secret\\u202e of ' + path } }),
      tool({ ...common, name: 'file.list', description: 'Lists.', permission: 'moderate', execute: ({ path }) => { log('list ' + path); return 'a b c' } }),
      tool({ ...common, name: 'file.watch', description: 'Watches.', permission: 'public', execute: (_, { signal, progress }) => new Promise((_, reject) => {
        signal.addEventListener('abort', () => { log('aborted'); reject(signal.reason) })
        log('watching')
        progress('watching')
      }) }),
    ]`,
  )
})
after(() => rmSync(folder, { recursive: true, force: true }))

export function sluice(args, input = '', { signalOn, env = {} } = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [main, ...args], { env: { ...process.env, ...env } })
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text
      if (signalOn && out.includes(signalOn)) {
        signalOn = undefined
        child.kill('SIGINT')
      }
    })
    child.stderr.setEncoding('utf8').on('data', (text) => (err += text))
    if (input !== null) child.stdin.end(input)
    child.on('close', (code, signal) => resolve({ code: code ?? signal, out, err }))
  })
}

/** The same without a process: only for what prints by `console`, and one after the other. */
export async function sluiceHere(args) {
  const said = { log: '', error: '' }
  const { log, error } = console
  for (const name of ['log', 'error']) console[name] = (text) => (said[name] += `${text}\n`)
  try {
    return { code: await runWords(args), out: said.log, err: said.error }
  } finally {
    Object.assign(console, { log, error })
  }
}

export async function log(run) {
  writeFileSync(path('log'), '')
  const result = await run()
  return { ...result, log: readFileSync(path('log'), 'utf8').trim().split('\n').filter(Boolean) }
}

export async function scripted(t, ...answers) {
  const server = await startScriptedServer({ answers })
  t.after(server.close)
  return { server, args: ['--base-url', server.baseURL, '--model', 'm', '--tools', path('tools.mjs')] }
}

export const call = (name, args) => ({ calls: [{ name, arguments: args }] })

export function inOrder(text, ...parts) {
  let at = 0
  for (const part of parts) {
    const found = text.indexOf(part, at)
    assert.ok(found >= 0, `'${part}' is missing behind character ${at} of:\n${text}`)
    at = found + part.length
  }
}

/**
 * Starts a command, waits until it has printed `pattern`, does something with the group that was found, and ends it
 * with Ctrl-C.
 */
export async function running(args, pattern, use, env = {}) {
  const child = spawn(process.execPath, [main, ...args], { env: { ...process.env, ...env } })
  let out = ''
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (err += text))
  const ended = new Promise((resolve) => child.on('close', (code) => resolve(code)))
  try {
    const found = await new Promise((resolve, reject) => {
      child.stdout.setEncoding('utf8').on('data', (text) => {
        out += text
        const match = pattern.exec(out)
        if (match) resolve(match[1])
      })
      void ended.then((code) => reject(new Error(`ended with ${code}: ${err}`)))
    })
    await use(found)
  } finally {
    child.kill('SIGINT')
  }
  return { code: await ended, out, err }
}

/** Starts a page, does something with it, and ends it with Ctrl-C. */
export function page(args, use) {
  return running([...args, '--no-open'], /(http:\/\/[\w.]+:\d+\/\?token=[\w-]{32,})/, async (url) => {
    const { origin } = new URL(url)
    const opened = await fetch(url, { redirect: 'manual' })
    const [cookie] = opened.headers.get('set-cookie').split(';')
    const headers = { cookie, origin, 'content-type': 'application/json' }
    await use({
      url,
      get: (path) => fetch(origin + path, { headers: { cookie } }),
      post: async (path, value, signal) =>
        (await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(value), signal })).json(),
    })
  })
}

/** A call as each protocol writes it, and what is none. */
export const texts = {
  vcp: 'Sure 🌧 <<<[TOOL_REQUEST]>>>\ntool_name:「始」weather.now「末」,\ncity:「始」杭州「末」\n<<<[END_TOOL_REQUEST]>>> and <<<[TOOL_REQUEST]>>> nothing',
  hermes:
    'Ok <tool_call>\n{"name": "weather.now", "arguments": {"city": "杭州"}}\n</tool_call> done <tool_call> {"broken": </tool_call>',
  tool_action: 'Ok <tool_action name="weather.now"><city value="杭州"/></tool_action> done <tool_action name=>',
  json_strict:
    'Ok {"tool_calls":[{"id":"1","type":"function","function":{"name":"weather.now","arguments":"{\\"city\\":\\"杭州\\"}"}}]} {"a": 1}',
  xml_tag: 'Ok <tool_code>weather.now(city="杭州")</tool_code> and <tool_code>what?</tool_code>',
  'qwen3-coder':
    'Ok <tool_call>\n<function=weather.now>\n<parameter=city>\n杭州\n</parameter>\n</function>\n</tool_call> done <function=',
}

/** The events and the message of a file in the folder. */
export async function parsed(name, args, run = sluice) {
  const { code, out, err } = await run(['parse', path(name), '--json', ...args])
  assert.equal(code, 0, err)
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return { events: lines.slice(0, -1), message: lines.at(-1).message, err }
}
