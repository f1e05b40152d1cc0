// What the README and the pages show is compiled and run as it stands. Examples of windows run in tests/browser.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Engine } from 'sluice'
import { startServer } from 'sluice/testing'
import { examples, examplesOf, pages, root } from '../examples.mjs'

const build = dirname(process.env.SLUICE_ADDON ?? join(root, 'build/release/sluice.node'))
const setup = join(root, 'tests/js/examples-setup.mjs')

/** A folder of its own, gone when the test ends. */
function folder(t) {
  const made = mkdtempSync(join(tmpdir(), 'sluice-'))
  t.after(() => rmSync(made, { recursive: true }))
  return made
}

/** Runs JavaScript against a scripted server in the place of every provider. Gives what it printed, and what was asked. */
async function run(t, code) {
  const calls = [{ name: 'note_add', arguments: { text: 'umbrella' } }]
  const knows = (body) => body.tools?.some(({ function: tool }) => tool.name === 'note_add') && !body.messages.some(({ role }) => role === 'tool')
  const server = await startServer({ answers: ({ body }) => (knows(body) ? { text: 'I will. ', calls } : { text: 'Done.' }) })
  t.after(() => server.close())
  // Of the checkout, so that `sluice` is found, and in a folder of its own, where an example may write.
  const file = join(root, 'build', `example-${process.pid}-${Math.random().toString(36).slice(2)}.mjs`)
  writeFileSync(file, code)
  t.after(() => rmSync(file))
  const env = { ...process.env, SLUICE_EXAMPLE_SERVER: server.baseURL, OPENAI_API_KEY: 'key-of-openai', DEEPSEEK_API_KEY: 'key-of-deepseek' }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--import', setup, file], { cwd: folder(t), env })
  assert.equal(stderr.replaceAll(/.*(ExperimentalWarning|--trace-warnings|DEP0205).*\n/g, ''), '')
  return { out: stdout, requests: server.requests }
}

test('every block of the pages is of a kind that is run, or is for a shell', () => {
  const known = ['js ', 'js main', 'js window', 'js pet', 'c ', 'py ', 'sh ']
  for (const { page, line, language, kind = '' } of examples) assert.ok(known.includes(`${language} ${kind}`), `${page}, line ${line}: ${language} ${kind}`)
})

for (const [name, code] of examplesOf('js')) {
  const model = /^const model = (\{.*\})$/m.exec(code)
  test(`${name} runs`, async (t) => {
    if (!model) {
      const { out } = await run(t, code)
      assert.notEqual(out.trim(), '', 'it shows something')
      if (code.includes('note.add')) assert.equal(out, 'I will. Done.\ncompleted, stop, 3 messages for the next request\n')
      return
    }
    // Lines for another model: they stand in the place of the first example's.
    const before = "import { Engine } from 'sluice'\nconst engine = new Engine()\nconst messages = [{ role: 'user', content: 'Hi' }]\n"
    const { requests } = await run(t, before + code)
    const { baseURL, name: asked } = new Function('process', `return ${model[1]}`)({ env: {} })
    assert.equal(requests.length, 1)
    assert.equal(requests[0].headers['x-asked'], new URL(baseURL).origin)
    assert.equal(requests[0].body.model, asked)
    const key = /process\.env\.(\w+)/.exec(code)?.[1]
    assert.equal(requests[0].headers.authorization, key && `Bearer key-of-${key.split('_')[0].toLowerCase()}`)
  })
}

for (const [name, code] of examplesOf('js', 'main')) {
  test(`${name} starts a host and a window`, async (t) => {
    const noted = JSON.parse((await run(t, code)).out)
    assert.ok(noted.some(({ channel }) => channel?.startsWith('sluice:')), 'the host listens')
    const { window } = noted.find((one) => one.window)
    assert.deepEqual({ sandbox: window.sandbox, contextIsolation: window.contextIsolation }, { sandbox: true, contextIsolation: true })
    assert.ok(existsSync(window.preload))
  })
}

for (const [name, code] of examplesOf('c')) {
  test(`${name} compiles without a warning and runs`, (t) => {
    const made = folder(t)
    const source = join(made, 'example.c')
    writeFileSync(source, code)
    const { LD_PRELOAD: _, ...env } = process.env // the compiler is not what is tested
    const flags = ['-std=c99', '-pedantic', '-Wall', '-Wextra', '-Wconversion', '-Werror', `-I${join(root, 'native/include')}`]
    execFileSync('cc', [...flags, source, '-o', join(made, 'example'), join(build, 'libsluice.so'), `-Wl,-rpath,${build}`], { env })
    const lines = execFileSync(join(made, 'example'), { encoding: 'utf8' }).trim().split('\n').map((line) => JSON.parse(line))
    assert.deepEqual(lines.map((line) => line.type ?? (line.blocks ? 'message' : 'body')), ['request', 'body', 'text', 'round', 'done', 'message'])
    assert.equal(lines.at(-1).blocks[0].text, 'Hello.')
  })
}

for (const [name, code] of examplesOf('py')) {
  test(`${name} runs`, () => {
    const env = { ...process.env, PYTHONPATH: join(root, 'bindings/python'), SLUICE_LIBRARY: join(build, 'libsluice.so') }
    const out = execFileSync('python3', ['-c', code], { env, encoding: 'utf8' })
    assert.match(out, /^text Let me see\. \ncard clock/)
    assert.match(out, /\ndone /)
  })
}

test('links lead somewhere, and commands are there', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const helps = new Map()
  const helpOf = (command) => {
    if (!helps.has(command)) helps.set(command, execFileSync(process.execPath, [join(root, 'js/dist/esm/cli/main.js'), command, '--help'], { encoding: 'utf8' }))
    return helps.get(command)
  }
  for (const page of pages) {
    const text = readFileSync(join(root, page), 'utf8')
    for (const [, path] of text.matchAll(/\]\(((?!https?:)[^)#]+)/g)) assert.ok(existsSync(resolve(root, dirname(page), path)), `${page}: ${path}`)
    for (const [, script] of text.matchAll(/npm (?:run ([\w:]+)|explore sluice -- npm run ([\w:]+))/g)) if (script) assert.ok(scripts[script], `${page}: npm run ${script}`)
    for (const [, command, words] of text.matchAll(/npx sluice ([a-z]+)([^`|\n]*)/g)) {
      for (const [option] of words.matchAll(/--[\w-]+/g)) assert.ok(helpOf(command).includes(option), `${page}: npx sluice ${command} ${option}`)
    }
  }
})

test('the page of protocols lists every protocol', () => {
  const engine = new Engine()
  const page = readFileSync(join(root, 'js/docs/protocols.md'), 'utf8')
  for (const id of engine.describe().knownProtocols) if (id !== 'auto') assert.ok(page.includes(`| \`${id}\` |`), id)
  engine.close()
})

test('the README is short', () => {
  const words = readFileSync(join(root, 'README.md'), 'utf8').split(/\s+/).length
  assert.ok(words <= 1300, `${words} words`)
})
