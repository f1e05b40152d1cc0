// Every type and function that a subpath of the package exports says what it is, and so does a member whose type does
// not: a number has a unit and a range, an optional member a default. A comment of a member that only repeats its name
// is refused: whoever reads it loses time.
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
  types?.endsWith('.d.ts') ? [[path.replace('.', manifest.name), join(root, types)]] : [],
)

/** A comment of a member has at least so many words. */
const FEWEST = 4
/** Words that add nothing to a name. */
const EMPTY = new Set(['the', 'a', 'an', 'of', 'its', 'this', 'is', 'it'])

/** Whether a comment says no more than the member's name: too few words, or only words of the name. */
function repeats(comment, name) {
  const words = comment.toLowerCase().match(/[\p{L}\p{N}`'_.-]+/gu) ?? []
  const own = name
    .split('.')
    .at(-1)
    .replace(/(?=\p{Lu})/gu, ' ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
  const plain = (word) => word.replace(/[`'.]/g, '').replace(/s$/, '')
  return words.length < FEWEST || words.every((word) => EMPTY.has(plain(word)) || own.map(plain).includes(plain(word)))
}

/**
 * Names of an entry that lack a comment (`missing`), members whose comment repeats their name (`empty`), and how many
 * names there are.
 */
function undocumented(program, file) {
  const checker = program.getTypeChecker()
  const missing = []
  const empty = []
  const seen = new Set()
  let count = 0
  const isOurs = (declaration) =>
    !declaration.getSourceFile().fileName.includes('node_modules') &&
    !program.isSourceFileDefaultLibrary(declaration.getSourceFile())
  const isNumber = ({ type }) =>
    type !== undefined &&
    (type.kind === ts.SyntaxKind.NumberKeyword ||
      (ts.isUnionTypeNode(type) && type.types.some(({ kind }) => kind === ts.SyntaxKind.NumberKeyword)))
  const tell = (symbol, declaration, name, isMember = true) => {
    if (seen.has(declaration)) return
    seen.add(declaration)
    count++
    const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker))
    const isNeeded = !isMember || declaration.questionToken !== undefined || isNumber(declaration)
    if (comment === '' && isNeeded) missing.push(name)
    if (comment !== '' && isMember && repeats(comment, name)) empty.push(name)
    if (!ts.isInterfaceDeclaration(declaration) && !ts.isClassDeclaration(declaration))
      ts.forEachChild(declaration, (child) => within(child, name))
  }
  /** Members that stand in a type: `tools: { name: string }[]`. */
  const within = (node, name) => {
    if (ts.isTypeLiteralNode(node) || ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node))
      return members(node, name)
    if (
      ts.isTypeReferenceNode(node) ||
      ts.isTypeQueryNode(node) ||
      ts.isMappedTypeNode(node) ||
      ts.isConditionalTypeNode(node)
    )
      return
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
      if (
        !member.name ||
        ts.isPrivateIdentifier(member.name) ||
        ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private
      )
        continue
      const symbol = checker.getSymbolAtLocation(member.name)
      if (!symbol) continue
      const type = ts.isPropertySignature(member) && literalType(member) // the tag of a union: `type: 'text'`
      if (type && member.name.getText() === 'type') continue
      tell(symbol, member, `${name}.${member.name.getText()}`)
    }
  }
  const literalType = ({ type }) =>
    type !== undefined &&
    (ts.isLiteralTypeNode(type) || (ts.isUnionTypeNode(type) && type.types.every(ts.isLiteralTypeNode)))

  for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)))) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    const declaration = symbol.declarations?.find(isOurs)
    if (!declaration) continue
    tell(symbol, declaration, exported.name, false)
    if (ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration))
      members(declaration, exported.name)
  }
  return { missing, empty, count }
}

const options = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.esnext.disposable.d.ts'],
  types: ['node'],
  skipLibCheck: true,
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
  test(`${path}: every type, function, number and optional member has a comment, and none repeats a name`, () => {
    const { missing, empty, count } = undocumented(program, file)
    assert.ok(count > 0)
    total += count
    assert.deepEqual(missing, [], `${missing.length} of ${count} have no comment`)
    assert.deepEqual(empty, [], `${empty.length} of ${count} have a comment that says no more than their name`)
  })
}

test('hundreds of names were looked at', () => assert.ok(total > 1000, `${total} names`))

test('what has no comment, or one that says nothing, is named by its place', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-documented-'))
  try {
    const file = join(folder, 'index.d.ts')
    writeFileSync(
      file,
      `
interface Hidden { inherited?: string }
/** Said. */
export interface Told extends Hidden {
  /** What a person said to it. */ told: { inner: number }
  untold: string
  optional?: string
  /** The byte size of it. */ byteSize: number
  /** Said. */ said: string
  type: 'tag'
}
export declare class Thing { method(options: { passed: string }): void; private own: string; #secret: string }
export declare function act(): void
/** Said. */
export type Way = { left: number | null } | {
  /** How far to the right, in pixels. */
  right: number
}
export {}
`,
    )
    const { missing, empty, count } = undocumented(programOf([file]), file)
    assert.deepEqual(missing.sort(), ['Thing', 'Told.inherited', 'Told.optional', 'Told.told.inner', 'Way.left', 'act'])
    assert.deepEqual(empty.sort(), ['Told.byteSize', 'Told.said'])
    assert.equal(count, 14)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
