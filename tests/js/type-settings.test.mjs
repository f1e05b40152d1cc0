// The declarations in the settings that apps have: every subpath is found, and nothing in them needs more than the
// libraries that the app names.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
/** Subpaths that an app imports in any process; the others are of pages, or need another package. */
const everywhere = ['', '/durable', '/electron', '/host', '/web', '/conversations', '/live2d', '/mcp', '/openai']
const ofPages = ['/renderer', '/ui', '/pet', '/speech']

const { ModuleKind: module, ModuleResolutionKind: resolution, ScriptTarget } = ts
const dom = ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts']
const imports = (paths) =>
  paths.map((path, at) => `import * as s${at} from 'sluice${path}'\nexport const n${at} = s${at}\n`).join('')
const pet =
  "import type {} from 'sluice/renderer'\nimport { connect } from 'sluice/renderer'\nexport const side = window.sluice?.petWindow\nexport const client = connect()\n"

let folder
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-types-'))
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
  symlinkSync(root, join(folder, 'node_modules/sluice'))
  symlinkSync(join(root, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
})
after(() => rmSync(folder, { recursive: true, force: true }))

for (const [what, text, options] of [
  [
    'nodenext',
    imports(everywhere),
    { module: module.NodeNext, moduleResolution: resolution.NodeNext, types: ['node'] },
  ],
  ['bundler', imports(everywhere), { module: module.ESNext, moduleResolution: resolution.Bundler, types: ['node'] }],
  [
    'node, as a template of Electron Forge has it',
    imports(everywhere),
    { module: module.CommonJS, moduleResolution: resolution.Node10, types: ['node'] },
  ],
  [
    'a page with the libraries ES2022 and DOM, whose declarations are checked',
    imports(ofPages),
    { module: module.ESNext, moduleResolution: resolution.Bundler, lib: dom, skipLibCheck: false },
  ],
  ['a page of the pet, strict', pet, { module: module.ESNext, moduleResolution: resolution.Bundler, lib: dom }],
])
  test(`declarations in the settings of an app: ${what}`, () => {
    const file = join(folder, 'app.ts')
    writeFileSync(file, text)
    const strict = { strict: true, noEmit: true, target: ScriptTarget.ES2022, types: [], skipLibCheck: true }
    const found = ts.getPreEmitDiagnostics(ts.createProgram([file], { ...strict, ...options }))
    const told = found.map(({ code, messageText }) => `TS${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`)
    assert.deepEqual(told, [])
  })

test('every subpath with declarations is told to a TypeScript that reads no `exports`', () => {
  const typesOf = (entry) =>
    typeof entry === 'string' ? undefined : (entry.types ?? typesOf(entry.require ?? entry.import))
  const wanted = Object.entries(manifest.exports).flatMap(([path, entry]) => {
    const types = typesOf(entry)
    return types === undefined || path === '.' ? [] : [[path.slice(2), [types.slice(2)]]]
  })
  assert.deepEqual(manifest.typesVersions, { '*': Object.fromEntries(wanted) })
  assert.deepEqual(
    [manifest.main, manifest.types],
    [manifest.exports['.'].require.default.slice(2), manifest.exports['.'].require.types.slice(2)],
  )
})
