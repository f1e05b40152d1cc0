// What the README and the pages show is compiled and run as it stands. Examples of windows run in tests/browser.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { built, builtFile } from './dist.mjs'
import { Engine, providers } from 'sluice'
import { startScriptedServer } from 'sluice/testing'
import { bindingPages, examples, examplesOf, pages, root } from '../examples.mjs'
import { fencesOfFormats, protocolsPage, withFences } from '../../js/scripts/fences.mjs'

const { serverOf } = await built('model')

const build = dirname(process.env.SLUICE_ADDON ?? join(root, 'build/release/sluice.node'))
const setup = join(root, 'tests/js/examples-setup.mjs')

const keys = Object.fromEntries(
  ['OPENAI_API_KEY', 'DEEPSEEK_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'AWS_BEARER_TOKEN_BEDROCK'].map(
    (name) => [name, `key-of-${name.toLowerCase()}`],
  ),
)

/** A folder of its own, gone when the test ends. */
function folder(t) {
  const made = mkdtempSync(join(tmpdir(), 'sluice-'))
  t.after(() => rmSync(made, { recursive: true }))
  return made
}

/**
 * Runs JavaScript against a scripted server in the place of every provider. Gives what it printed, and what was asked.
 */
async function run(t, code) {
  const calls = [{ name: 'note_add', arguments: { text: 'umbrella' } }]
  const knows = (body) =>
    body.tools?.some(({ function: tool }) => tool.name === 'note_add') &&
    !body.messages.some(({ role }) => role === 'tool')
  // A model whose tools are told in words calls one in words, and then reads what came out.
  const written = '<tool_call>\n{"name":"get_weather","arguments":{"city":"Rome"}}\n</tool_call>\n'
  const inWords = ({ messages: [system, ...others] = [] }) =>
    !String(system?.content).includes('"get_weather"') ? undefined : others.length === 1 ? written : 'It is sunny.'
  const server = await startScriptedServer({
    answers: ({ body }) => (knows(body) ? { text: 'I will. ', calls } : { text: inWords(body) ?? 'Done.' }),
  })
  t.after(() => server.close())
  // Of the checkout, so that `sluice` is found, and in a folder of its own, where an example may write.
  const file = join(root, 'build', `example-${process.pid}-${Math.random().toString(36).slice(2)}.mjs`)
  writeFileSync(file, code)
  t.after(() => rmSync(file))
  const env = { ...process.env, SLUICE_EXAMPLE_SERVER: server.url, ...keys }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--import', setup, file], {
    cwd: folder(t),
    env,
  })
  assert.equal(stderr.replaceAll(/.*(ExperimentalWarning|--trace-warnings|DEP0205).*\n/g, ''), '')
  return { out: stdout, requests: server.requests }
}

test('every block of the pages is of a kind that is run, or is for a shell', () => {
  const known = [
    'js recipe',
    'html recipe',
    'tsx recipe',
    'js ',
    'js main',
    'json app',
    'html app',
    'js app',
    'js window',
    'js pet',
    'js text',
    'c ',
    'sh ',
  ]
  for (const { page, line, language, kind = '' } of examples)
    assert.ok(known.includes(`${language} ${kind}`), `${page}, line ${line}: ${language} ${kind}`)
})

for (const [name, code] of examplesOf('js')) {
  const model = /^const model = (\{.*\})$/m.exec(code)
  test(`${name} runs`, async (t) => {
    if (!model) {
      const { out } = await run(t, code)
      assert.notEqual(out.trim(), '', 'it shows something')
      if (code.includes('get_weather')) assert.equal(out, 'get_weather {"city":"Rome"}\nIt is sunny.\n')
      if (code.includes('nested')) assert.equal(out, "note.add umbrella, at noon by [ 'clock.read' ]\n")
      else if (code.includes('note.add') && !code.includes('sluice/host'))
        assert.equal(out, 'I will. Done.\ncompleted, 3 messages for the next request\n')
      return
    }
    // Lines for another model: they stand in the place of the first example's.
    const before =
      "import { Engine } from 'sluice'\nconst engine = new Engine()\nconst messages = [{ role: 'user', content: 'Hi' }]\n"
    const { requests } = await run(t, before + code)
    const given = new Function('process', `return ${model[1]}`)({ env: keys })
    const { url, headers } = serverOf(given, given.name)
    assert.equal(requests.length, 1)
    const [{ path, headers: sent, body }] = requests
    assert.equal(sent['x-asked'] + path, url)
    assert.equal(path.includes(given.name) ? given.name : body.model, given.name)
    assert.equal(/process\.env\.(\w+)/.test(code), given.apiKey !== undefined)
    for (const name of ['authorization', 'x-api-key', 'x-goog-api-key']) assert.equal(sent[name], headers[name], name)
  })
}

for (const [name, code] of examplesOf('js', 'main')) {
  test(`${name} starts a host and a window`, async (t) => {
    const noted = JSON.parse((await run(t, code)).out)
    assert.ok(
      noted.some(({ channel }) => channel?.startsWith('sluice:')),
      'the host listens',
    )
    const { window } = noted.find((one) => one.window)
    assert.deepEqual(
      { sandbox: window.sandbox, contextIsolation: window.contextIsolation },
      { sandbox: true, contextIsolation: true },
    )
    assert.ok(existsSync(window.preload))
  })
}

for (const [name, code] of examplesOf('c')) {
  test(`${name} compiles without a warning and runs`, (t) => {
    const made = folder(t)
    const source = join(made, 'example.c')
    writeFileSync(source, code)
    const { LD_PRELOAD: _, ...env } = process.env // the compiler is not what is tested
    const flags = [
      '-std=c99',
      '-pedantic',
      '-Wall',
      '-Wextra',
      '-Wconversion',
      '-Werror',
      `-I${join(root, 'native/include')}`,
    ]
    execFileSync(
      'cc',
      [...flags, source, '-o', join(made, 'example'), join(build, 'libsluice.so'), `-Wl,-rpath,${build}`],
      { env },
    )
    const lines = execFileSync(join(made, 'example'), { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      lines.map((line) => line.type ?? (line.blocks ? 'message' : 'body')),
      ['request', 'body', 'text', 'round', 'done', 'message'],
    )
    assert.equal(lines.at(-1).blocks[0].text, 'Hello.')
  })
}

test('links lead somewhere, and commands are there', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const helps = new Map()
  const helpOf = (command) => {
    if (!helps.has(command))
      helps.set(command, execFileSync(process.execPath, [builtFile('main'), command, '--help'], { encoding: 'utf8' }))
    return helps.get(command)
  }
  for (const page of [...pages, ...bindingPages]) {
    const text = readFileSync(join(root, page), 'utf8')
    for (const [, path] of text.matchAll(/\]\(((?!https?:)[^)#]+)/g))
      assert.ok(existsSync(resolve(root, dirname(page), path)), `${page}: ${path}`)
    for (const [, path] of text.matchAll(/\bsrc(?:set)?="(js\/[^"]+)"/g))
      assert.ok(existsSync(resolve(root, dirname(page), path)), `${page}: ${path}`)
    for (const [, script] of text.matchAll(/npm (?:run ([\w:]+)|explore sluice -- npm run ([\w:]+))/g))
      if (script) assert.ok(scripts[script], `${page}: npm run ${script}`)
    for (const [, command, words] of text.matchAll(/npx sluice ([a-z]+)([^`|\n]*)/g)) {
      for (const [option] of words.matchAll(/--[\w-]+/g))
        assert.ok(helpOf(command).includes(option), `${page}: npx sluice ${command} ${option}`)
    }
  }
})

test('the page of protocols lists every protocol', () => {
  const engine = new Engine()
  const page = readFileSync(join(root, 'js/docs/protocols.md'), 'utf8')
  for (const id of engine.describe().knownProtocols) if (id !== 'auto') assert.ok(page.includes(`| \`${id}\` |`), id)
  engine.close()
})

test('the page of protocols says which formats read fences, as the sources do (npm run documents)', () => {
  const page = readFileSync(protocolsPage, 'utf8')
  assert.equal(page, withFences(page))
  const engine = new Engine()
  assert.deepEqual(
    [...fencesOfFormats().keys()].sort(),
    engine
      .describe()
      .knownProtocols.filter((id) => id !== 'auto')
      .sort(),
  )
  engine.close()
})

test('the page of providers is the table of the package', () => {
  const rows = readFileSync(join(root, 'js/docs/providers.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  const quoted = (list) => list.map((one) => `\`${one}\``)
  const cells = rows.map((row) => row.slice(2, -2).split(' | ')).filter((row) => row.length === 6)
  assert.deepEqual(cells.map(([name]) => name).sort(), quoted(Object.keys(providers)).sort())
  for (const [name, title, wires, urls, variables, note] of cells) {
    const provider = providers[name.replaceAll('`', '')]
    assert.equal(title, provider.title)
    assert.equal(wires, quoted(Object.keys(provider.baseURLs)).join(', '))
    assert.equal(urls, quoted([Object.values(provider.baseURLs)[0], ...(provider.elsewhere ?? [])]).join(', or '))
    assert.equal(variables, quoted(provider.keys ?? []).join(', ') || 'none')
    assert.equal(note.trim(), provider.note ?? '')
  }
})

test('the README counts the providers of the package', () => {
  const [, count] = /works with (\d+) providers/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
  assert.equal(Number(count), Object.keys(providers).length)
})

test('the README is short', () => {
  const words = readFileSync(join(root, 'README.md'), 'utf8').trim().split(/\s+/).length
  assert.ok(words <= 1300, `${words} words`)
})
