// The installed package in every program that is promised: import, require, a whole turn.
import assert from 'node:assert/strict'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { installed, manifest, npm, root, run, runtimes } from './support.mjs'

const { folder: programs, missing } = runtimes()
const skip = missing ?? false
const node = (name) => [join(programs ?? '', name, 'bin/node')]
const hosts = [
  { name: `Node ${process.versions.node}`, program: [process.execPath] },
  { name: 'Node 22', program: node('node-22'), skip },
  { name: 'Node 24', program: node('node-24'), skip },
  { name: 'Bun', program: [join(programs ?? '', '@oven/bun-linux-x64/bin/bun')], skip },
  {
    name: 'Deno',
    program: [
      join(programs ?? '', '@deno/linux-x64-glibc/deno'),
      'run',
      '--allow-all',
      '--no-config',
      '--node-modules-dir=manual',
    ],
    skip,
  },
]
const surface = {
  sluice: [
    'Engine',
    'OutcomeUnknown',
    'Run',
    'SluiceError',
    'Turn',
    'backend',
    'fileRules',
    'loadEngine',
    'memoryRules',
    'resultParts',
    'tool',
    'version',
  ],
  'sluice/conversations': ['fileConversations', 'memoryConversations', 'pathToEntry', 'sqliteConversations'],
  'sluice/durable': [
    'bullmqQueue',
    'durable',
    'encryptedLog',
    'fileBlobs',
    'fileTurns',
    'localQueue',
    'memoryLog',
    'postgresLog',
    'postgresTurns',
    'redisLog',
    'redisTurns',
    'sqliteTurns',
  ],
  'sluice/electron': ['hostEngine'],
  'sluice/host': ['createHost'],
  'sluice/web': ['contentSecurityPolicy', 'findPageFile', 'nodeListener', 'packagePages', 'serve'],
  'sluice/ag-ui': ['agUIHandler', 'toAGUIEvents'],
  'sluice/ai-sdk': [
    'chatHandler',
    'memorySpend',
    'encryptedLog',
    'toChatMessages',
    'toUIMessageStream',
    'toUIMessages',
  ],
  'sluice/ai-sdk/client': ['decide'],
  'sluice/mcp': ['filePins', 'mcpTools', 'memoryPins'],
  'sluice/openai': ['openAIHandler', 'textToolCalls'],
  'sluice/renderer': ['connect', 'webBridge'],
  'sluice/live2d': ['live2dTools'],
  'sluice/pet': ['companion', 'petStates'],
  'sluice/speech': ['httpVoice', 'microphone', 'speaker', 'speechSegmenter', 'systemVoice'],
  'sluice/testing': ['checkOpenAIChat', 'startScriptedServer'],
  'sluice/package.json': ['sluice'],
}
const turn = {
  version: manifest.version,
  outcome: 'completed',
  text: 'Let me look. Rain at four.',
  cards: ['weather.now success', 'live2d.expression success'],
  asked: 1,
  sent: [['live2d:expression', 'smile']],
}

describe('the installed package', () => {
  let folder
  before(() => (folder = installed()))

  for (const { name, program, skip = false } of hosts) {
    describe(name, { skip }, () => {
      const out = (file) => JSON.parse(run([...program, file], { cwd: folder }))
      const holds = (names, without = []) => {
        for (const [path, wanted] of Object.entries(surface))
          if (!without.includes(path))
            assert.deepEqual(
              wanted.filter((one) => !names[path].includes(one)),
              [],
              path,
            )
      }
      test('imports every subpath', () => holds(out('imports.mjs')))
      test('requires every subpath', () => holds(out('requires.cjs'), ['sluice/pet']))
      test('runs a turn with a tool that asks, against the scripted server', () =>
        assert.deepEqual(out('turn.mjs'), turn))
      test('drives a turn from CommonJS', () =>
        assert.deepEqual(out('turn.cjs'), {
          version: manifest.version,
          text: 'hello',
          refused: 'ipcMain',
          manifest: manifest.version,
        }))
    })
  }

  // The binary is not the one that the other suites test: another compiler built it, with another standard library.
  test('the packed binary replays the shared scripts', (t) => {
    const addon = join(folder, 'node_modules/sluice/js/prebuilds', `${process.platform}-${process.arch}`, 'sluice.node')
    const out = run(
      [
        process.execPath,
        '--expose-gc',
        '--test',
        ...['scripts', 'vectors', 'run', 'addon'].map((name) => `tests/js/${name}.test.mjs`),
      ],
      { cwd: root, env: { SLUICE_ADDON: addon }, timeout: 600_000 },
    )
    assert.match(out, /^(#|ℹ) fail 0$/m)
    t.diagnostic(/^(?:#|ℹ) (pass \d+)$/m.exec(out)[1])
  })

  for (const name of ['node-22', 'node-24']) {
    test(`conversations are kept in a database, by the SQLite of ${name}`, { skip, timeout: 300_000 }, (t) => {
      const files = ['conversations', 'encrypted-conversations'].map((file) => `tests/js/${file}.test.mjs`)
      const out = run([...node(name), '--test', ...files], { cwd: root, timeout: 300_000 })
      assert.match(out, /^(#|ℹ) fail 0$/m)
      assert.match(out, /^(#|ℹ) skipped 0$/m)
      t.diagnostic(/^(?:#|ℹ) (pass \d+)$/m.exec(out)[1])
    })
  }

  test('`npx sluice --help` lists its commands', () => {
    const help = npm(['exec', '--offline', '--', 'sluice', '--help'], folder)
    for (const word of ['demo', 'chat', 'parse', 'tester']) assert.match(help, new RegExp(`\\b${word}\\b`))
  })

  test('`npx sluice parse` reads a call out of a text', () => {
    writeFileSync(join(folder, 'answer.txt'), 'Look: <tool_action name="search"><query value="x"/></tool_action>')
    const out = npm(['exec', '--offline', '--', 'sluice', 'parse', 'answer.txt', '--protocol', 'tool_action'], folder)
    assert.match(out, /search/)
  })

  test('the preload requires nothing but electron, and gives the window its bridge', () => {
    mkdirSync(join(folder, 'node_modules/electron'), { recursive: true })
    writeFileSync(
      join(folder, 'node_modules/electron/index.js'),
      `
      exports.exposed = {}
      exports.contextBridge = { exposeInMainWorld: (name, value) => (exports.exposed[name] = value) }
      exports.ipcRenderer = { on() {}, off() {}, removeListener() {}, send() {}, invoke: async () => {} }`,
    )
    const script = `require('sluice/preload'); console.log(Object.keys(require('electron').exposed.sluice).sort().join())`
    assert.match(run([process.execPath, '-e', script], { cwd: folder }), /call/)
  })

  describe('without its binary', () => {
    const platform = `${process.platform}-${process.arch}`
    const moved = (name) => [
      join(folder, 'node_modules/sluice/js/prebuilds', name),
      join(folder, 'node_modules/sluice/js', `without-${name}`),
    ]
    before(() => renameSync(...moved(platform)))
    after(() => renameSync(...moved(platform).reverse()))

    for (const { name, program, skip = false } of hosts) {
      test(`${name} runs everything by WebAssembly, and says so`, { skip }, () => {
        const out = (file) => JSON.parse(run([...program, file], { cwd: folder }))
        assert.deepEqual(out('turn.mjs'), turn)
        assert.deepEqual(out('turn.cjs'), {
          version: manifest.version,
          text: 'hello',
          refused: 'ipcMain',
          manifest: manifest.version,
        })
        const { name: which, why, described, ofErrors } = out('backend.mjs')
        assert.deepEqual([which, described, ofErrors], ['wasm', { name: which, why }, 'wasm'])
        const looked = [
          join(folder, 'node_modules/sluice/build/release/sluice.node'),
          join(folder, 'node_modules/sluice/js/prebuilds', platform, 'sluice.node'),
        ].join(', ')
        assert.ok(
          why.startsWith(`the addon sluice.node is missing; looked for ${looked}; this is ${platform}, and there is `),
          why,
        )
        assert.match(why, /wasm/)
      })
    }

    test('and without WebAssembly too it says what it looked for, what there is and how to build one', () => {
      renameSync(...moved('wasm'))
      try {
        const script = `try { new (require('sluice').Engine)() } catch (error) { console.log(JSON.stringify([error.code, error.detail, error.hint])) }`
        const [code, detail, hint] = JSON.parse(run([process.execPath, '-e', script], { cwd: folder }))
        const home = join(folder, 'node_modules/sluice')
        assert.equal(code, 'load')
        const looked = [
          join(home, 'build/release/sluice.node'),
          join(home, 'js/prebuilds', platform, 'sluice.node'),
        ].join(', ')
        assert.ok(
          detail.startsWith(
            `the addon sluice.node is missing; looked for ${looked}; this is ${platform}, and there is `,
          ),
          detail,
        )
        assert.match(detail, /win32-x64/)
        assert.ok(
          detail.endsWith(
            `; the WebAssembly build sluice.wasm is missing; looked for ${join(home, 'js/prebuilds/wasm/sluice.wasm')}`,
          ),
          detail,
        )
        assert.equal(hint, `\`npm run build:addon\` in ${home} builds it; CMake 3.25 and a C++20 compiler are needed`)
      } finally {
        renameSync(...moved('wasm').reverse())
      }
    })
  })
})
