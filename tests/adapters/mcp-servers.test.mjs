// sluice/mcp and the servers that everybody knows, over stdio and Streamable HTTP, behind both clients; and the example
// that is a chat over one of them.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { built } from '../js/dist.mjs'
import { cards, collect, ofType, stage } from '../js/support.mjs'
import { everything, filesystem, overHttp, overStdio, scriptOf, sdks, started } from './mcp-clients.mjs'

const { mcpTools } = await built('sluice/mcp')
const { startScriptedServer } = await built('sluice/testing')

const root = fileURLToPath(new URL('../..', import.meta.url))
const call = (name, args = {}) => ({ id: name, name, arguments: args })
const done = { text: 'Done.' }

/** A folder of its own, gone when the test ends, by its true path: the filesystem server knows it by that. */
function folderOf(t) {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-mcp-')))
  t.after(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** A port that was free a moment ago: server-everything cannot say which it took. */
const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

async function runs(t, client, options, answers) {
  const tools = await mcpTools(client, options)
  t.after(() => tools.close())
  const stand = await stage(t, { answers })
  tools.attach(stand.engine)
  return { ...stand, tools }
}

/** Every tool of server-everything that needs nobody, through one answer of a model. */
async function tryEverything(t, client) {
  const calls = [
    call('all_echo', { message: 'hi' }),
    call('all_get-sum', { a: 2, b: 3 }),
    call('all_get-structured-content', { location: 'Chicago' }),
    call('all_get-tiny-image'),
    call('all_get-resource-links', { count: 2 }),
    call('all_get-resource-reference', { resourceType: 'Blob', resourceId: 2 }),
    call('all_trigger-long-running-operation', { duration: 0.3, steps: 3 }),
    call('all_get-sum', { a: 'two', b: 3 }),
    call('all_get-resource-reference', { resourceType: 'Text', resourceId: -4 }),
  ]
  const { run, tools } = await runs(
    t,
    client,
    { server: 'all', expose: 'all', permission: ({ name }) => (name === 'get-env' ? undefined : 'public') },
    [{ calls: calls.map((one, at) => ({ ...one, id: `c${at}` })) }, done],
  )
  assert.deepEqual(
    tools.list.filter(({ state }) => state !== 'ready').map(({ name, reason }) => [name, reason]),
    [['all.simulate-research-query', 'task']],
  )
  assert.equal(tools.tools.length, 12, 'none that needs elicitation, sampling or roots')
  const env = tools.tools.find(({ name }) => name === 'all.get-env').declaration
  assert.deepEqual(
    [env.permission, env.annotations.readOnlyHint],
    ['sensitive', true],
    'what prints the environment says that it only reads',
  )
  const one = run()
  const events = await collect(one)
  const [echo, sum, structured, image, links, blob, long, broken, refused] = cards(await one.done)
  assert.equal(echo.output, 'Echo: hi')
  assert.match(sum.output, /\b5\b/)
  assert.deepEqual(Object.keys(JSON.parse(structured.output)).sort(), ['conditions', 'humidity', 'temperature'])
  assert.deepEqual(
    image.parts.map(({ type }) => type).filter((type) => type === 'image'),
    ['image'],
  )
  assert.match(links.output, /: demo:\/\/resource\//)
  assert.match(blob.output, /\[demo:\/\/resource\/dynamic\/blob\/2: .*bytes, not shown\]/)
  assert.equal(long.status, 'success')
  assert.ok(ofType(events, 'progress').some(({ total }) => total === 3))
  assert.equal(broken.status, 'invalid')
  assert.equal(refused.status, 'error')
}

/** Files are written with an approval, and read without. */
async function tryFilesystem(t, client, folder) {
  writeFileSync(join(folder, 'a.txt'), 'first\n')
  const answers = [
    { calls: [call('fs_read_text_file', { path: join(folder, 'a.txt') })] },
    { calls: [call('fs_write_file', { path: join(folder, 'b.txt'), content: 'second' })] },
    { calls: [call('fs_read_text_file', { path: '/etc/hostname' })] },
    { calls: [call('fs_list_directory', { path: folder })] },
    done,
  ]
  const { run, tools } = await runs(
    t,
    client,
    { server: 'fs', expose: ['read_text_file', 'list_directory', 'write_file'], permission: 'public' },
    answers,
  )
  assert.equal(tools.tools.length, 3)
  const asked = []
  const one = run()
  await collect(one, (event) => {
    if (event.type === 'approval')
      asked.push([event.name, event.policy, existsSync(join(folder, 'b.txt'))]), one.approve(event)
  })
  assert.deepEqual(asked, [['fs.write_file', 'ask_always', false]], 'its own hint says that it overwrites')
  assert.equal(readFileSync(join(folder, 'b.txt'), 'utf8'), 'second')
  const [read, written, refused, listed] = cards(await one.done)
  assert.deepEqual(JSON.parse(read.output), { content: 'first\n' }, 'the text beside it says the same')
  assert.equal(written.status, 'success')
  assert.deepEqual([refused.status, /outside allowed directories/.test(refused.error)], ['error', true])
  assert.match(listed.output, /b\.txt/)
}

describe('over stdio', () => {
  for (const [name, load] of Object.entries(sdks)) {
    test(`${name}: server-everything`, async (t) =>
      tryEverything(t, (await overStdio(t, await load(), [everything, 'stdio'])).client))
    test(`${name}: server-filesystem`, async (t) => {
      const folder = folderOf(t)
      await tryFilesystem(t, (await overStdio(t, await load(), [filesystem, folder])).client, folder)
    })
  }
})

describe('over Streamable HTTP', () => {
  test('server-everything, behind both clients', async (t) => {
    const port = await freePort()
    await started(t, [everything, 'streamableHttp'], { env: { PORT: String(port) }, line: /listening/i })
    for (const load of Object.values(sdks))
      await tryEverything(t, (await overHttp(t, await load(), `http://127.0.0.1:${port}/mcp`)).client)
  })
  test('server-filesystem behind a bridge, behind both clients', async (t) => {
    const folder = folderOf(t)
    const port = await started(t, [scriptOf('mcp-bridge.mjs'), filesystem, folder])
    for (const load of Object.values(sdks)) {
      await tryFilesystem(t, (await overHttp(t, await load(), `http://127.0.0.1:${port}/mcp`)).client, folder)
      rmSync(join(folder, 'b.txt'))
    }
  })
})

describe('the example', () => {
  test('a chat over the filesystem server reads, asks before it writes, and remembers', async (t) => {
    const folder = folderOf(t)
    const [app, notes, settings] = ['app', 'notes', 'settings'].map((name) => join(folder, name))
    cpSync(join(root, 'js/examples/mcp'), app, { recursive: true })
    mkdirSync(join(app, 'node_modules'))
    mkdirSync(notes)
    symlinkSync(root, join(app, 'node_modules/sluice'), 'dir')
    symlinkSync(
      join(root, 'tests/adapters/node_modules/@modelcontextprotocol'),
      join(app, 'node_modules/@modelcontextprotocol'),
      'dir',
    )
    writeFileSync(join(notes, 'plan.md'), 'Buy tea.')
    const reads = { calls: [call('fs_read_text_file', { path: join(notes, 'plan.md') })] }
    const makes = (name) => ({ calls: [call('fs_create_directory', { path: join(notes, name) })] })
    const answers = [
      reads,
      { text: 'You buy tea.\u202E' },
      makes('one'),
      { text: 'Made one.' },
      makes('two'),
      { text: 'Made two.' },
      { calls: [call('fs_write_file', { path: join(notes, 'plan.md'), content: 'x' })] },
      { text: 'Then not.' },
    ]
    const server = await startScriptedServer({ answers })
    t.after(() => server.close())
    const env = { ...process.env, SLUICE_BASE_URL: server.baseURL, SLUICE_MODEL: 'm', SLUICE_SETTINGS: settings }
    const chat = spawn(process.execPath, ['chat.mjs', notes], { cwd: app, env, stdio: ['pipe', 'pipe', 'inherit'] })
    t.after(() => chat.kill())
    let said = ''
    let hear = () => {}
    const ended = new Promise((resolve) => chat.once('exit', resolve))
    chat.stdout.on('data', (text) => {
      said += text
      hear()
    })
    const saying = async (answer, asked) => {
      while (!asked.test(said))
        if (
          (await Promise.race([
            ended,
            new Promise((resolve) => {
              hear = resolve
            }),
          ])) !== undefined
        )
          throw new Error(`it ended: ${said}`)
      said = ''
      chat.stdin.write(`${answer}\n`)
    }
    await saying('What is my plan?', /^> $/)
    await saying('Make a folder.', /\[fs\.read_text_file …\][^]*You buy tea\.�\n> $/)
    await saying('a', /fs\.create_directory \{\n {2}"path": .*one"\n\}\nMay it\? y once, a always, n no: $/)
    await saying('And another.', /Made one\.\n> $/)
    await saying('Overwrite the plan.', /Made two\.\n> $/)
    await saying('n', /fs\.write_file [^]*May it\? y yes, n no: $/)
    await saying('/quit', /Then not\.\n> $/)
    assert.equal(await ended, 0)
    assert.deepEqual(
      [existsSync(join(notes, 'one')), existsSync(join(notes, 'two')), readFileSync(join(notes, 'plan.md'), 'utf8')],
      [true, true, 'Buy tea.'],
    )
    assert.equal(JSON.parse(readFileSync(join(settings, 'pins.json'), 'utf8')).servers[0].server, 'fs')
    assert.deepEqual(
      JSON.parse(readFileSync(join(settings, 'rules.json'), 'utf8')).map(({ tool, effect }) => [tool, effect]),
      [['fs.create_directory', 'allow']],
    )
  })
})
