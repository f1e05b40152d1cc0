// A name is one thing over all subpaths: whoever imports by the name alone, as editors do, gets what it says.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
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
function namesOf(entries) {
  const program = ts.createProgram(Object.values(entries), options)
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
  const folder = mkdtempSync(join(tmpdir(), 'sluice-exports-'))
  try {
    const [one, two] = ['one.d.mts', 'two.d.mts'].map((name) => join(folder, name))
    writeFileSync(one, "export declare function memory(): void\nexport { shared } from './two.mjs'\n")
    writeFileSync(two, 'export declare const memory: 1\nexport declare const shared: 2\n')
    assert.deepEqual(twice(namesOf({ one, two })), ['memory: one, another one in two'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
