// The tree of a conversation's entries, compared with a list that is searched from its beginning for every answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { built } from './dist.mjs'

const { EntryTree, pathToEntry } = await built('entry-tree')

function randomOf(seed) {
  return (below) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
    return (seed >>> 8) % below
  }
}

const entry = (id, parent, role = 'user') => ({ id, parent, role, at: 0 })
const idsOf = (entries) => [...entries].map(({ id }) => id)

/** The naive model: an array of entries in their order, and the head. */
class List {
  constructor() {
    this.entries = []
    this.head = null
  }
  find(id) {
    return this.entries.find((one) => one.id === id)
  }
  path(to) {
    const found = this.find(to)
    return found ? [...this.path(found.parent), found.id] : []
  }
  isBehind(id, other) {
    return this.path(id).includes(other)
  }
  delete(id) {
    const { parent } = this.find(id)
    const gone = this.entries.filter((one) => this.isBehind(one.id, id))
    if (this.head !== null && this.isBehind(this.head, id)) this.head = parent
    this.entries = this.entries.filter((one) => !gone.includes(one))
    return idsOf(gone)
  }
  choose(id) {
    this.head = this.entries.filter((one) => this.isBehind(one.id, id)).at(-1).id
  }
}

/** Everything that can be asked about the tree says the same as the model. */
function compare(tree, list) {
  assert.deepEqual([...tree.entries], list.entries)
  assert.equal(tree.size, list.entries.length)
  assert.equal(tree.head, list.head)
  assert.deepEqual(idsOf(tree.path()), list.path(list.head))
  const siblingsOf = tree.siblings()
  for (const one of list.entries) {
    const path = list.path(one.id)
    assert.deepEqual(idsOf(tree.path(one.id)), path)
    assert.deepEqual(idsOf(pathToEntry({ entries: list.entries, head: list.head }, one.id)), path)
    assert.equal(tree.depth(one), path.length - 1)
    assert.deepEqual(idsOf(tree.children(one.id)), idsOf(list.entries.filter(({ parent }) => parent === one.id)))
    const siblings = list.entries.filter(({ parent, role }) => parent === one.parent && role === one.role)
    assert.deepEqual(siblingsOf(one), siblings)
  }
}

test('EntryTree: 300 random trees, each changed 40 times → paths, siblings, depths and head equal those of a list', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = randomOf(seed)
    const [tree, list] = [new EntryTree(), new List()]
    const pick = () => list.entries[random(list.entries.length)].id
    for (let at = 0; at < 40; at++) {
      const roll = list.entries.length === 0 ? 0 : random(10)
      if (roll < 6) {
        const parent = list.entries.length === 0 || random(8) === 0 ? null : pick()
        const fresh = entry(`e${at}`, parent, random(2) ? 'user' : 'assistant')
        const head = random(3) ? fresh.id : undefined
        tree.apply({ entries: [fresh], head })
        list.entries.push(fresh)
        list.head = head ?? list.head
      } else if (roll < 7) {
        const id = pick()
        const other = { ...list.find(id), at }
        tree.put(other)
        list.entries[idsOf(list.entries).indexOf(id)] = other
      } else if (roll < 9) {
        const id = pick()
        tree.choose(id)
        list.choose(id)
        assert.ok(
          tree.path().some((one) => one.id === id),
          'the chosen entry is on the shown branch',
        )
        assert.deepEqual(tree.children(tree.head), [], 'nothing follows the end of the shown branch')
      } else {
        const id = pick()
        assert.deepEqual(tree.delete(id), list.delete(id))
      }
      compare(tree, list)
    }
  }
})

test('EntryTree.forget: random answers of random trees → every entry that is left keeps its depth', () => {
  let [forgotten, questions] = [0, 0]
  for (let seed = 1; seed <= 200; seed++) {
    const random = randomOf(seed)
    const tree = new EntryTree()
    const depths = new Map()
    const add = (one) => {
      depths.set(one.id, one.parent === null ? 0 : depths.get(one.parent) + 1)
      tree.apply({ entries: [one], head: one.id })
    }
    add(entry('q', null))
    add(entry('a', 'q', 'assistant'))
    for (let at = 0; at < 30; at++) {
      const known = [...tree.entries]
      const answers = known.filter(({ role }) => role === 'assistant')
      const one = answers[random(answers.length)]
      const question = tree.get(one.parent)
      if (random(3) > 0) {
        const again = question && random(3) === 0
        if (!again) add(entry(`q${at}`, one.id))
        add(entry(`a${at}`, again ? question.id : `q${at}`, 'assistant'))
      } else if (answers.length > 1) {
        const alone = question && tree.children(question.id).length === 1
        const gone = tree.forget(one.id)
        assert.deepEqual(gone, alone ? [question.id, one.id] : [one.id])
        assert.deepEqual(
          idsOf(tree.entries),
          idsOf(known).filter((id) => !gone.includes(id)),
        )
        assert.equal(tree.depth(undefined), depths.get(one.id) + 1)
        assert.ok(tree.has(tree.head))
        forgotten++
        if (alone) questions++
      }
      for (const left of tree.entries) assert.equal(tree.depth(left), depths.get(left.id))
      const [first] = tree.path()
      assert.equal(tree.depth(tree.get(tree.head)), depths.get(first.id) + tree.path().length - 1)
    }
  }
  assert.ok(forgotten > 300 && questions > 100 && forgotten > questions, `${forgotten} answers, ${questions} questions`)
})

test('EntryTree.forget: the last answer → the tree is empty, and what comes next stands behind what was forgotten', () => {
  const tree = new EntryTree([entry('q', null), entry('a', 'q', 'assistant')], 'a')
  assert.deepEqual(tree.forget('a'), ['q', 'a'])
  assert.deepEqual([tree.size, tree.head, tree.depth(undefined)], [0, null, 2])
  tree.put(entry('next', null))
  assert.equal(tree.depth(tree.get('next')), 2)
  assert.deepEqual(tree.forget('a'), [])
})

test('EntryTree.load: entries of the store replace others, own ones stay, and all keep their depth', () => {
  const tree = new EntryTree(
    [entry('q1', null), entry('a1', 'q1', 'assistant'), entry('q2', 'a1'), entry('a2', 'q2', 'assistant')],
    'a2',
  )
  const own = { ...tree.get('a1'), at: 5 }
  tree.put(own)
  const fromStore = { ...tree.get('q1'), at: 7 }
  tree.load([fromStore, entry('a1', 'q1', 'assistant'), entry('b1', 'q1', 'assistant')], new Set(['a1', 'a2']))
  assert.deepEqual(idsOf(tree.entries), ['q1', 'a1', 'b1', 'a2'])
  assert.equal(tree.get('q1'), fromStore)
  assert.equal(tree.get('a1'), own)
  assert.deepEqual(
    [...tree.entries].map((one) => tree.depth(one)),
    [0, 1, 1, 3],
  )
  assert.deepEqual(idsOf(tree.path('a2')), ['a2'], 'its question was removed from the store')
  tree.load([fromStore], new Set())
  tree.load([entry('a2', 'q2', 'assistant')], new Set())
  assert.equal(tree.depth(tree.get('a2')), 0, 'one that comes back is new')
})

test('EntryTree: an unknown entry → no path, nothing deleted or forgotten', () => {
  const tree = new EntryTree([entry('q', null)], 'q')
  assert.deepEqual(tree.path('nobody'), [])
  assert.deepEqual(tree.delete('nobody'), [])
  assert.deepEqual(tree.forget('nobody'), [])
  assert.deepEqual(idsOf(tree.path()), ['q'])
})

test('EntryTree.siblings: an entry with the id "null" → its children are not beside the first questions', () => {
  const tree = new EntryTree([entry('null', null), entry('under', 'null')], 'under')
  assert.deepEqual(idsOf(tree.siblings()(tree.get('under'))), ['under'])
})
