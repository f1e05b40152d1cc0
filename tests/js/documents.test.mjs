// native/include/sluice/documents.md: its examples are what the library gives, and it leaves nothing out.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadExamples, page, rewritten } from '../../js/scripts/documents.mjs'
import ts from 'typescript'
import { root } from '../examples.mjs'

const text = readFileSync(page, 'utf8')
const examples = loadExamples()

/** The names in back-ticks in the first column of the table under a heading. */
function listed(heading) {
  const section = text.split(/^#{2,3} /m).find((part) => part.startsWith(`${heading}\n`))
  assert.ok(section, heading)
  const rows = section.slice(section.indexOf('|---|'))
  return [...rows.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)]
    .flatMap(([, cell]) => [...cell.matchAll(/\w+/g)].map(([name]) => name))
    .sort()
}

test('every example is as the library writes it now (npm run documents)', () => {
  assert.equal(text, rewritten(text, examples))
})

test('the page shows every example', () => {
  const used = new Set()
  rewritten(text, examples, used)
  assert.deepEqual(
    Object.keys(examples).filter((name) => !used.has(name)),
    [],
  )
})

test('every type of event has its place, with an example', () => {
  const declared = [
    ...readFileSync(join(root, 'js/src/engine/core/events.ts'), 'utf8').matchAll(
      /^export interface \w+Event extends [^]*?\btype: '(\w+)'/gm,
    ),
  ].map(([, type]) => type)
  const types = declared.filter((type) => type !== 'retry') // JavaScript's own
  assert.ok(types.length > 15)
  const events = text.slice(text.indexOf('## Events'), text.indexOf('## The states'))
  const headings = [...events.matchAll(/^### (.*)$/gm)].flatMap(([, heading]) =>
    [...heading.matchAll(/`(\w+)`/g)].map(([, type]) => type),
  )
  assert.deepEqual(headings.sort(), [...types].sort())
  for (const type of types) assert.equal(examples[`event ${type}`]?.type, type)
})

test('every setting has its line', () => {
  const all = [...Object.keys(examples.settings), 'rules'].sort()
  assert.deepEqual(listed('Settings'), all)
})

test('every member of a tool has its line', () => {
  const [, list] = /kNames = \{\s*("name",[^}]*"parameters"[^}]*)\}/.exec(
    readFileSync(join(root, 'native/src/tools/registry.cpp'), 'utf8'),
  )
  assert.deepEqual(
    listed('A tool'),
    [...[...list.matchAll(/"(\w+)"/g)].map(([, name]) => name)]
      .filter((name) => !['toolId', 'method'].includes(name))
      .sort(),
  )
})

test('every state of a card has its line', () => {
  const [list] = /"streaming",\s*"pending",[^;]*/.exec(readFileSync(join(root, 'native/src/turn/card.cpp'), 'utf8'))
  const states = [...list.matchAll(/"(\w+)"/g)].map(([, state]) => state)
  assert.ok(states.length > 10)
  assert.deepEqual(
    listed('The states of a card'),
    states.filter((state) => !['ready', 'resolving', 'approved'].includes(state)).sort(),
  ) // these three are pending to a host
})

test('every code of an error has its line', () => {
  const codes = readFileSync(join(root, 'js/docs/codes.md'), 'utf8')
    .split(/^## /m)
    .find((part) => part.startsWith('Errors of a turn'))
  assert.deepEqual(listed('`error`'), [...codes.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code).sort())
})

/** The members of an event's interface by the types of JavaScript, with those that it extends. */
function membersOf(type) {
  const file = join(root, 'js/src/engine/core/events.ts')
  const program = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    skipLibCheck: true,
    noLib: true,
  })
  const checker = program.getTypeChecker()
  const found = program
    .getSourceFile(file)
    .statements.filter(ts.isInterfaceDeclaration)
    .filter((one) => /Event$/.test(one.name.text))
    .map((one) => checker.getTypeAtLocation(one))
    .find((one) => checker.getTypeOfSymbol(one.getProperty('type'))?.value === type)
  return found.getProperties().map(({ name }) => name)
}

test('every member of every event is on the page and in the types, and no other', () => {
  const events = text.slice(text.indexOf('## Events'), text.indexOf('## The states'))
  const [unsaid, untyped] = [[], []]
  const own = { progress: ['done', 'total'] } // JavaScript counts; the C API passes the tool's text on
  for (const section of events.split(/^### /m).slice(1)) {
    const types = [...section.split('\n')[0].matchAll(/`(\w+)`/g)].map(([, type]) => type)
    const said = new Set([...section.matchAll(/`(\w+)`/g)].map(([, name]) => name))
    for (const type of types) {
      // a card has the members of its block
      if (type === 'card') for (const name of listed('`SLUICE_GET_MESSAGE`')) said.add(name)
      const members = membersOf(type).filter((name) => !own[type]?.includes(name))
      const shown = Object.entries(examples)
        .filter(([name]) => name.startsWith(`event ${type}`))
        .flatMap(([, example]) => Object.keys(example))
      unsaid.push(
        ...members
          .filter((name) => !said.has(name) && !shown.includes(name) && name !== 'type' && name !== 'seq')
          .map((name) => `${type}.${name}`),
      )
      untyped.push(...shown.filter((name) => !members.includes(name)).map((name) => `${type}.${name}`))
    }
  }
  assert.deepEqual(unsaid, [], 'documents.md says nothing of these')
  assert.deepEqual(untyped, [], 'events.ts does not have these')
})
