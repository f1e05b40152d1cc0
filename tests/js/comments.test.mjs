// Whoever reads the public types at a cursor finds what a name is: every exported one and every member of it has a comment.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import ts from 'typescript'

const root = fileURLToPath(new URL('../../', import.meta.url))
const entries = Object.entries(JSON.parse(readFileSync(`${root}package.json`, 'utf8')).exports)
  .map(([name, { types, import: own }]) => [name, types ?? own?.types])
  .filter(([name, types]) => types && name !== './preload') // it exports nothing

/** What tells a type from the others of its union, the name of an error, and `Symbol.dispose` say what they are. */
const plain = (name) => name === 'type' || name === 'name' || name.startsWith('__@')

test('every public name and member has a comment', () => {
  const program = ts.createProgram(entries.map(([, types]) => root + types), {
    module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.esnext.disposable.d.ts'], skipLibCheck: true, types: [],
  })
  const checker = program.getTypeChecker()
  const says = (symbol) => symbol.getDocumentationComment(checker).length > 0
  const bare = []
  let counted = 0
  for (const [entry, types] of entries) {
    for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(root + types)))) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      const [declaration] = symbol.declarations
      const open = ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration) ? declaration.members : []
      const members = open.flatMap((member) => {
        const hidden = !member.name || ts.isPrivateIdentifier(member.name) || ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private
        return hidden ? [] : (checker.getSymbolAtLocation(member.name) ?? [])
      })
      counted += 1 + members.length
      bare.push(...[symbol, ...members.filter((member) => !plain(member.name))].filter((one) => !says(one)).map((one) => `${entry} ${symbol.name} ${one.name}`))
    }
  }
  assert.ok(counted > 500, `${counted} names`)
  assert.deepEqual(bare, [])
})
