// What is in the tarball, and what it asks of a machine.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { manifest, root, tarball } from './support.mjs'

let file
let folder
let names
before(() => {
  file = tarball()
  folder = mkdtempSync(join(tmpdir(), 'sluice-contents-'))
  execFileSync('tar', ['xzf', file, '-C', folder, '--strip-components=1'])
  names = execFileSync('tar', ['tzf', file], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((name) => name.replace('package/', ''))
})
after(() => rmSync(folder, { recursive: true }))

test('the tarball holds what is used and what is built from, and nothing else', (t) => {
  const needed = [
    'LICENSE',
    'README.md',
    'CHANGELOG.md',
    'CMakeLists.txt',
    'CMakePresets.json',
    'native/include/sluice/sluice.h',
    'native/include/sluice/sluice.hpp',
    'native/include/sluice/documents.md',
    'native/src/abi/sluice.cpp',
    'native/sluice.map',
    'native/packaging/install.cmake',
    'native/examples/turn.c',
    'bindings/step.h',
    'bindings/node/addon.cpp',
    'bindings/node/addon.map',
    'bindings/node/windows/host.cmake',
    'bindings/node/windows/host.c.in',
    'js/scripts/build-addon.mjs',
    'js/scripts/run.mjs',
    'js/prebuilds/linux-x64/sluice.node',
    'js/prebuilds/wasm/sluice.wasm',
    'js/dist/browser/index.js',
    'js/pages/tester/index.html',
    'js/pages/questions/index.html',
    'js/pages/shared/theme.css',
    'js/demo/pet/index.html',
    'js/dist/ui/index.js',
    'js/dist/ui/code.js',
  ]
  assert.deepEqual(
    needed.filter((name) => !names.includes(name)),
    [],
  )
  assert.deepEqual(
    names.filter(
      (name) =>
        /(^|\/)(tests?|node_modules|live2d-local|toolchains|build)\/|\.(map|tsbuildinfo|tgz|log)$|package-lock|\.test\.|stamp$/.test(
          name,
        ) && !['bindings/node/addon.map', 'native/sluice.map'].includes(name),
    ),
    [],
  )
  const top = new Set(names.map((name) => name.split('/')[0]))
  assert.deepEqual([...top].sort(), [
    'CHANGELOG.md',
    'CMakeLists.txt',
    'CMakePresets.json',
    'LICENSE',
    'README.md',
    'bindings',
    'js',
    'native',
    'package.json',
  ])
  const bytes = readFileSync(file).length
  t.diagnostic(`${names.length} files, ${(bytes / 1e6).toFixed(2)} MB packed`)
  assert.ok(bytes < 12e6, `${bytes} bytes`)
})

test('pictures of the documentation stay in the repository, where pages that show the README find them', () => {
  assert.deepEqual(
    names.filter((name) => name.startsWith('js/pictures')),
    [],
  )
  const shown = [
    ...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(
      /!\[[^\]]*\]\(([^)]+)\)|<(?:img|source)[^>]+src(?:set)?="([^"]+)"/g,
    ),
  ].map((match) => match[1] ?? match[2])
  assert.ok(shown.length > 0)
  assert.deepEqual(
    shown.filter((name) => !/^https:/.test(name) && !existsSync(join(root, name))),
    [],
  )
})

test('every source that CMake compiles is in the tarball', () => {
  const sources = [
    ...readFileSync(join(folder, 'CMakeLists.txt'), 'utf8').matchAll(/^\s+(native\/src\/\S+\.cpp)$/gm),
  ].map((match) => match[1])
  assert.ok(sources.length > 40)
  assert.deepEqual(
    sources.filter((name) => !names.includes(name)),
    [],
  )
})

test('every script that a packed script imports is packed', () => {
  const scripts = names.filter((name) => /^js\/scripts\/.*\.mjs$/.test(name))
  const wanted = scripts.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/\bfrom '\.\/([^']+)'/g)].map(
      ([, file]) => `js/scripts/${file}`,
    ),
  )
  assert.ok(wanted.length > 0)
  assert.deepEqual(
    wanted.filter((name) => !names.includes(name)),
    [],
  )
})

test('whatever the exports name is there', () => {
  const paths = []
  const collect = (value) => (typeof value === 'string' ? paths.push(value) : Object.values(value).forEach(collect))
  collect([manifest.exports, manifest.bin])
  assert.deepEqual(
    paths.map((path) => path.replace('./', '')).filter((path) => !names.includes(path)),
    [],
  )
})

test('nothing runs at installation and nothing else is installed', () => {
  const packed = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const script of ['preinstall', 'install', 'postinstall', 'prepare'])
    assert.equal(packed.scripts[script], undefined, script)
  for (const kind of ['dependencies', 'optionalDependencies', 'bundleDependencies'])
    assert.equal(packed[kind], undefined, kind)
  for (const peer of Object.keys(packed.peerDependencies))
    assert.equal(packed.peerDependenciesMeta[peer]?.optional, true, `npm would install ${peer}`)
  assert.ok(!names.includes('binding.gyp'), 'npm would run node-gyp for it')
})

test('publint has nothing to say', async () => {
  const { messages, pkg } = await publint({
    pack: { tarball: arrayBuffer(readFileSync(file)) },
    level: 'suggestion',
    strict: true,
  })
  assert.equal(pkg.name, 'sluice')
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg)),
    [],
  )
})

// The elements and the pet exist as ES modules only: they are for pages.
const esmOnly = ['./ui', './ui/react', './ui/math', './pet']

test('the types are right for every way to resolve them', async () => {
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(file))))
  assert.ok(result.types, 'the package has types')
  // node10 knows no exports: TypeScript's setting of that name is older than any Node this runs on.
  const problems = result.problems
    .filter((problem) => problem.resolutionKind !== 'node10')
    .map(({ kind, entrypoint, resolutionKind, ...rest }) => [kind, entrypoint ?? JSON.stringify(rest), resolutionKind])
  assert.deepEqual(
    problems,
    esmOnly.map((path) => ['CJSResolvesToESM', path, 'node16-cjs']),
  )
})

const arrayBuffer = (buffer) => buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength)
