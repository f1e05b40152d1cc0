// Every name that a subpath of the package exports, and every member of it, says what it is: where the cursor is, nobody reads a README.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The declarations behind the subpaths; `./preload` declares nothing, and a JSON file neither. */
const entries = Object.entries(manifest.exports).flatMap(([path, { import: module, types = module?.types }]) =>
  (types?.endsWith('.d.ts') ? [[path.replace('.', manifest.name), join(root, types)]] : []))

/** Names without a comment of an entry, with what was counted. */
function undocumented(program, file) {
  const checker = program.getTypeChecker()
  const missing = []
  const seen = new Set()
  let count = 0
  const isOurs = (declaration) => !declaration.getSourceFile().fileName.includes('node_modules') && !program.isSourceFileDefaultLibrary(declaration.getSourceFile())
  const tell = (symbol, declaration, name) => {
    if (seen.has(declaration)) return
    seen.add(declaration)
    count++
    if (symbol.getDocumentationComment(checker).length === 0) missing.push(name)
    if (!ts.isInterfaceDeclaration(declaration) && !ts.isClassDeclaration(declaration)) ts.forEachChild(declaration, (child) => within(child, name))
  }
  /** Members that stand in a type: `tools: { name: string }[]`. */
  const within = (node, name) => {
    if (ts.isTypeLiteralNode(node) || ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)) return members(node, name)
    if (ts.isTypeReferenceNode(node) || ts.isTypeQueryNode(node) || ts.isMappedTypeNode(node) || ts.isConditionalTypeNode(node)) return
    if (ts.isParameter(node) || ts.isTypeParameterDeclaration(node)) return
    ts.forEachChild(node, (child) => within(child, name))
  }
  const members = (node, name) => {
    for (const base of (node.heritageClauses ?? []).flatMap(({ types }) => types)) {
      for (const property of checker.getPropertiesOfType(checker.getTypeAtLocation(base))) {
        const declaration = property.declarations?.[0]
        if (declaration && isOurs(declaration)) tell(property, declaration, `${name}.${property.name}`)
      }
    }
    for (const member of node.members) {
      if (!member.name || ts.isPrivateIdentifier(member.name) || ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) continue
      const symbol = checker.getSymbolAtLocation(member.name)
      if (!symbol) continue
      const type = ts.isPropertySignature(member) && literalType(member) // the tag of a union: `type: 'text'`
      if (type && member.name.getText() === 'type') continue
      tell(symbol, member, `${name}.${member.name.getText()}`)
    }
  }
  const literalType = ({ type }) => type !== undefined && (ts.isLiteralTypeNode(type) || (ts.isUnionTypeNode(type) && type.types.every(ts.isLiteralTypeNode)))

  for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)))) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    const declaration = symbol.declarations?.find(isOurs)
    if (!declaration) continue
    tell(symbol, declaration, exported.name)
    if (ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration)) members(declaration, exported.name)
  }
  return { missing, count }
}

const options = {
  module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.esnext.disposable.d.ts'], types: ['node'], skipLibCheck: true,
}
const host = ts.createCompilerHost(options)
const read = host.getSourceFile
const files = new Map() // both programs read the same declarations of Node and the browser
host.getSourceFile = (name, ...rest) => files.get(name) ?? files.set(name, read(name, ...rest)).get(name)

function programOf(names) {
  return ts.createProgram(names, options, host)
}

const program = programOf(entries.map(([, file]) => file))
let total = 0
for (const [path, file] of entries) {
  test(`${path}: every exported name and member has a comment`, (t) => {
    const { missing, count } = undocumented(program, file)
    t.diagnostic(`${count - missing.length} of ${count} have one`)
    assert.ok(count > 0)
    total += count
    assert.deepEqual(missing, [], `${missing.length} of ${count} say nothing`)
  })
}

test('hundreds of names were looked at', () => assert.ok(total > 1000, `${total} names`))

test('what has no comment is named by its place', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-documented-'))
  try {
    const file = join(folder, 'index.d.ts')
    writeFileSync(file, `
interface Hidden { inherited: string }
/** Said. */
export interface Told extends Hidden {
  /** Said. */ told: { inner: string }
  untold: string
  type: 'tag'
}
export declare class Thing { method(options: { passed: string }): void; private own: string; #secret: string }
export declare function act(): void
/** Said. */
export type Way = { left: number } | {
  /** Said. */
  right: number
}
export {}
`)
    const { missing, count } = undocumented(programOf([file]), file)
    assert.deepEqual(missing.sort(), ['Thing', 'Thing.method', 'Told.inherited', 'Told.told.inner', 'Told.untold', 'Way.left', 'act'])
    assert.equal(count, 11)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
