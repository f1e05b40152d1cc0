// A name is one thing over all subpaths: whoever imports by the name alone, as editors do, gets what it says.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))
const options = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.esnext.disposable.d.ts'],
  types: ['node'],
  skipLibCheck: true,
}

/** The exported names of the entries, each with the places that declare it: `[name, Map(place → subpaths)]`. */
function namesOf(entries, host) {
  const program = ts.createProgram(Object.values(entries), options, host)
  const checker = program.getTypeChecker()
  const names = new Map()
  for (const [subpath, file] of Object.entries(entries)) {
    for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)))) {
      const [declaration] =
        (exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported).declarations ?? []
      if (!declaration) continue
      const place = `${relative(root, declaration.getSourceFile().fileName)}:${declaration.pos}`
      const places = names.get(exported.name) ?? new Map()
      names.set(exported.name, places.set(place, [...(places.get(place) ?? []), subpath]))
    }
  }
  return names
}

const twice = (names) =>
  [...names]
    .filter(([, places]) => places.size > 1)
    .map(
      ([name, places]) =>
        `${name}: ${[...places.values()].map((subpaths) => subpaths.join(' and ')).join(', another one in ')}`,
    )

test('no two subpaths export two things under one name', () => {
  const { exports, name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const typed = Object.entries(exports)
    .map(([path, { import: module, types = module?.types }]) => [path.replace('.', name), types])
    .filter(([, types]) => types?.endsWith('.d.ts'))
  const names = namesOf(Object.fromEntries(typed.map(([subpath, types]) => [subpath, join(root, types)])))
  assert.ok(names.size > 400, `${names.size} names`)
  assert.deepEqual(twice(names), [])
})

test('two things under one name are found, and one that two subpaths share is not', () => {
  const files = {
    'a.ts': 'export function memory() {}\nexport { shared } from "./b"',
    'b.ts': 'export const memory = 1\nexport const shared = 2',
  }
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  const own = (path) => files[path.split('/').at(-1)]
  Object.assign(host, {
    fileExists: (path) => own(path) !== undefined || fileExists(path),
    readFile: (path) => own(path) ?? readFile(path),
    getSourceFile: (path, ...more) =>
      own(path) === undefined
        ? getSourceFile(path, ...more)
        : ts.createSourceFile(path, own(path), options.target, true),
  })
  const cjs = { ...options, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler }
  Object.assign(options, cjs)
  assert.deepEqual(twice(namesOf({ one: join(root, 'a.ts'), two: join(root, 'b.ts') }, host)), [
    'memory: one, another one in two',
  ])
})
