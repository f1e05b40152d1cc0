// How the sources may know each other: no file comes back to itself through what it includes or imports, a folder knows
// only those below it, and no file is too long to be read in one sitting.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const MOST_LINES = 700

/**
 * `rows`: the folders by height, the lowest first; a folder knows itself and the rows below its own. `tables`: files
 * that are data, of any length. `unit`: what counts as one file. A header and its source do: what either includes, the
 * other needs to link. `wings`: the folders of a folder, by height, and which folders of other wings (`from`) they
 * import. `loose`: how many files may lie in a folder itself. `bases`: a base name is there once, but for those of the
 * list. `small`: folders with narrower bounds of their own for the lines of a file and the fields of a class.
 */
const trees = [
  {
    folder: 'native/src',
    files: /\.(h|cpp)$/,
    imports: /^#include "([^"]+)"/gm,
    target: (_, name) => name,
    unit: (file) => file.replace(/\.\w+$/, ''),
    rows: [['base'], ['wire', 'protocol', 'tools'], ['turn'], ['abi']],
    tables: ['protocol/family/families.cpp'],
    small: { 'protocol/scan': { lines: 450, fields: 15 } },
  },
  {
    folder: 'js/src',
    files: /\.c?ts$/,
    imports: /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g,
    target: (file, name) => posix.join(posix.dirname(file), name).replace(/js$/, 'ts'),
    unit: (file) => file,
    rows: [['engine'], ['index.ts', 'app'], ['view', 'servers'], ['tools']],
    wings: {
      engine: { rows: [['core', 'wire'], ['testing']], from: {} },
      app: {
        rows: [['bridge'], ['conversations', 'preload', 'renderer'], ['host'], ['electron', 'page', 'web']],
        from: { engine: ['core'] },
      },
      view: { rows: [['live2d', 'ui'], ['speech'], ['pet']], from: { app: ['bridge', 'renderer'], engine: ['core'] } },
      servers: {
        rows: [
          ['openai', 'leg'],
          ['durable', 'mcp'],
          ['ag-ui', 'ai-sdk'],
        ],
        from: { app: ['bridge', 'conversations'], engine: ['core'] },
      },
      tools: {
        rows: [['cli']],
        from: {
          engine: ['core', 'wire'],
          app: ['bridge', 'conversations', 'host', 'web'],
          servers: ['durable', 'leg', 'openai'],
        },
      },
    },
    tables: [],
    loose: { 'view/ui': 5 },
    bases: ['index.ts'],
  },
]

/** Everything that is wrong in a tree, each as { what, why }: a path, or the name of a file. */
function faults({ folder, files, imports, target, unit, rows, tables, wings = {}, loose = {}, bases, small = {} }) {
  const names = readdirSync(folder, { recursive: true })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => files.test(name))
    .sort()
  const known = new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
  const graph = new Map(names.map((name) => [unit(name), new Set()]))
  const height = (name) => rows.findIndex((row) => row.includes(name.split('/')[0]))
  const found = []
  for (const [name, text] of known) {
    if (height(name) < 0) found.push({ what: name, why: 'stands in no folder of the table' })
    for (const [, other] of text.matchAll(imports)) {
      const to = target(name, other)
      if (!known.has(to)) continue
      if (unit(to) !== unit(name)) graph.get(unit(name)).add(unit(to))
      const own = name.split('/')[0] === to.split('/')[0]
      if (!own && height(to) >= height(name))
        found.push({ what: `${name} -> ${to}`, why: 'leads up, or to a neighbour' })
      else if (wings[name.split('/')[0]] && !mayImport(wings, name, to))
        found.push({ what: `${name} -> ${to}`, why: 'is no way between these folders' })
    }
    const lines = text.split('\n').length - 1
    const bound = small[posix.dirname(name)]
    const most = bound?.lines ?? MOST_LINES
    if (lines > most && !tables.includes(name)) found.push({ what: name, why: `has ${lines} lines, more than ${most}` })
    for (const [type, fields] of bound ? fieldsOf(text) : [])
      if (fields > bound.fields)
        found.push({ what: name, why: `has ${fields} fields in ${type}, more than ${bound.fields}` })
  }
  if (bases) {
    const base = (name) => name.split('/').at(-1)
    for (const name of names) {
      const other = names.find((one) => one !== name && base(one) === base(name))
      if (other && !bases.includes(base(name))) found.push({ what: name, why: `has the base name of ${other}` })
    }
  }
  for (const [place, most] of Object.entries(loose)) {
    const count = names.filter((name) => posix.dirname(name) === place).length
    if (count > most) found.push({ what: place, why: `has ${count} loose files, more than ${most}` })
  }
  const told = new Set()
  for (const start of [...graph.keys()].sort()) {
    const circle = wayBack(graph, start)
    if (circle && !circle.some((one) => told.has(one))) found.push({ what: circle.join(' -> '), why: 'is a circle' })
    circle?.forEach((one) => told.add(one))
  }
  return found
}

/** Each class and struct of a C++ header, with the number of its own fields. */
function fieldsOf(text) {
  const code = text.replace(/\/\/.*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, '')
  const types = new Map()
  for (const { 1: type, 0: head, index } of code.matchAll(/(?<!enum )\b(?:class|struct)\s+(\w+)[^;{}()]*\{/g)) {
    let depth = 1
    let statement = ''
    let fields = 0
    for (let at = index + head.length; depth > 0; ++at) {
      const c = code[at]
      if (c === '{') ++depth
      else if (c === '}') {
        if (--depth === 1 && statement.includes('(')) statement = '' // a function
      } else if (depth === 1 && c === ';') {
        fields += fieldsIn(statement)
        statement = ''
      } else if (depth === 1) statement += c
    }
    types.set(type, fields)
  }
  return types
}

/** How many fields a member declares. */
function fieldsIn(statement) {
  const plain = statement.replace(/\b(?:public|private|protected)\s*:/g, '').trim()
  if (!plain || plain.includes('(') || /^(?:using|static|template|friend|enum|struct|class)\b/.test(plain)) return 0
  return plain.replace(/<.*>/, '').split(',').length
}

/**
 * Whether a file of a wing may import another: in its own wing from folders below its own, in others from those that
 * the table names.
 */
function mayImport(wings, name, to) {
  const [wing, folder] = name.split('/')
  const [otherWing, otherFolder] = to.split('/')
  if (wing !== otherWing) return wings[wing].from[otherWing]?.includes(otherFolder) ?? false
  const height = (one) => wings[wing].rows.findIndex((row) => row.includes(one))
  return folder === otherFolder || (height(otherFolder) >= 0 && height(otherFolder) < height(folder))
}

/** The shortest way from a file back to itself, or undefined. */
function wayBack(graph, start) {
  const before = new Map()
  const queue = [start]
  for (const from of queue) {
    for (const to of graph.get(from)) {
      if (to === start) {
        const way = [start]
        for (let step = from; step !== undefined; step = before.get(step)) way.unshift(step)
        return way
      }
      if (before.has(to)) continue
      before.set(to, from)
      queue.push(to)
    }
  }
}

for (const tree of trees) {
  test(`${tree.folder} has no circle, no way up and no endless file`, () => {
    const found = faults({ ...tree, folder: join(root, tree.folder) })
    assert.deepEqual(
      found.map(({ what, why }) => `${what} ${why}`),
      [],
    )
  })
}

test('a made-up tree shows each fault, with the way that leads there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-structure-'))
  try {
    const write = (name, ...lines) => {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), lines.join('\n') + '\n')
    }
    write('low/a.h', '#include "low/b.h"')
    write('low/b.h', '#include <vector>')
    write('low/b.cpp', '#include "low/b.h"', '#include "low/c.h"')
    write('low/c.h', '#include "low/a.h"', '#include "outside/of_the_tree.h"')
    write('low/d.h', '#include "high/e.h"')
    write('high/e.h', '#include "low/a.h"', '#include "beside/f.h"')
    write('beside/f.h', '')
    write('high/long.cpp', ...Array(MOST_LINES + 1).fill(''))
    write('high/table.cpp', ...Array(MOST_LINES + 1).fill(''))
    write('elsewhere/g.h', '')
    const found = faults({ ...trees[0], folder, rows: [['low'], ['high', 'beside']], tables: ['high/table.cpp'] })
    assert.deepEqual(found.map(({ what, why }) => `${what} ${why}`).sort(), [
      'elsewhere/g.h stands in no folder of the table',
      'high/e.h -> beside/f.h leads up, or to a neighbour',
      `high/long.cpp has ${MOST_LINES + 1} lines, more than ${MOST_LINES}`,
      'low/a -> low/b -> low/c -> low/a is a circle',
      'low/d.h -> high/e.h leads up, or to a neighbour',
    ])
    rmSync(join(folder, 'low/b.cpp'))
    const without = faults({ ...trees[0], folder, rows: [['low'], ['high', 'beside']], tables: ['high/table.cpp'] })
    assert.ok(!without.some(({ why }) => why === 'is a circle'))
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a made-up wing shows an import that goes up, one that no row allows, a base name that repeats and a folder of loose files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-wings-'))
  try {
    const write = (name, ...lines) => {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), lines.join('\n') + '\n')
    }
    write('low/core/a.ts', "import { b } from '../kit/b.js'")
    write('low/kit/b.ts', '')
    write('high/one/a.ts', "import { b } from '../../low/kit/b.js'", "import { c } from '../two/c.js'")
    write('high/two/c.ts', "import '../../low/core/a.js'")
    const wings = {
      low: { rows: [['core'], ['kit']], from: {} },
      high: { rows: [['two'], ['one']], from: { low: ['core'] } },
    }
    const found = faults({
      ...trees[1],
      folder,
      rows: [['low'], ['high']],
      wings,
      loose: { 'high/two': 0 },
      bases: ['index.ts'],
    })
    assert.deepEqual(found.map(({ what, why }) => `${what} ${why}`).sort(), [
      'high/one/a.ts -> low/kit/b.ts is no way between these folders',
      'high/one/a.ts has the base name of low/core/a.ts',
      'high/two has 1 loose files, more than 0',
      'low/core/a.ts -> low/kit/b.ts is no way between these folders',
      'low/core/a.ts has the base name of high/one/a.ts',
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('imports of types, of modules without a name and of modules when they are needed all count', () => {
  const { imports } = trees[1]
  const text = `
import { a } from './a.js'
import type { B } from './b.js'
import './c.js'
export * from './d.js'
export {
  E,
} from './e.js'
const f = await import('./f.js')
let g: import('./g.js').G
import { h } from 'lit'`
  assert.deepEqual(
    [...text.matchAll(imports)].map(([, name]) => name),
    ['./a.js', './b.js', './c.js', './d.js', './e.js', './f.js', './g.js'],
  )
})

test('no file of the package imports one that the package leaves out', () => {
  const left = ['js/dist/esm/view/ui/', 'js/dist/esm/app/preload/']
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.ok(left.every((folder) => files.some((one) => one.startsWith(`!${folder}`) || `${one}/` === `!${folder}`)))
  const names = ['js/dist/esm', 'js/dist/cjs'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) => posix.join(folder, name.replaceAll('\\', '/'))),
  )
  const kept = names.filter((name) => name.endsWith('.js') && !left.some((folder) => name.startsWith(folder)))
  const out = kept.flatMap((name) =>
    [
      ...readFileSync(join(root, name), 'utf8').matchAll(
        /(?:\b(?:from|import)\s*\(?|\brequire\()\s*["'](\.[^"']+)["']/g,
      ),
    ]
      .map(([, other]) => `${name} -> ${posix.join(posix.dirname(name), other)}`)
      .filter((way) => left.some((folder) => way.split(' -> ')[1].startsWith(folder))),
  )
  assert.ok(kept.length > 100)
  assert.deepEqual(out, [])
})

test('the scripts that the table of the wires names are there', () => {
  const named = [
    ...readFileSync(new URL('../../native/src/wire/README.md', import.meta.url), 'utf8').matchAll(
      /`([a-z-]+\/[a-z0-9-]+)`/g,
    ),
  ]
  assert.ok(named.length > 50)
  assert.deepEqual(
    named.map(([, name]) => name).filter((name) => !existsSync(new URL(`../vectors/${name}.json`, import.meta.url))),
    [],
  )
})

test('the fields of a class are counted, and nothing else in it', () => {
  const header = `
class Many final : public One {
 public:
  enum class Kind { a, b, c };
  struct Inner { int x, y; };
  explicit Many(int size) : size_(size) {}
  int size() const { int copy = size_; return copy; }
  static constexpr int kMost = 3;
  Many &operator=(const Many &) = delete;
 private:
  const std::map<int, int> &map_;  // one; not two
  int size_ = 0;
  bool first_ = false, last_ = false;
  Inner inner_ = {};
};`
  assert.deepEqual(
    [...fieldsOf(header)],
    [
      ['Many', 5],
      ['Inner', 2],
    ],
  )
})
