// Pages of scripts of one text (tests/vectors/*/texts.md) and of texts that are no calls: how they are written.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { readEngines, readPage, scriptFiles, scriptsOfPage, vectors } from './script-files.mjs'

const corpus = join(vectors, '../corpus/no_calls')
const scripts = readdirSync(vectors)
  .map((folder) => [`${folder}/texts.md`, join(vectors, folder, 'texts.md')])
  .filter(([, path]) => existsSync(path))
const texts = readdirSync(corpus).map((name) => [`no_calls/${name}`, join(corpus, name)])
const read = (pages) => pages.map(([file, path]) => [file, readFileSync(path, 'utf8')])

const longest = 400
const invisible = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u

/** Lines that an editor, a diff or a reader may spoil: each as `file:line: why`. */
function unreadable(file, page) {
  let fence = ''
  return page.split('\n').flatMap((line, at) => {
    if (/^```+$/.test(line) && (fence === '' || fence === line)) fence = fence === '' ? line : ''
    const why = [
      invisible.test(line.replaceAll(' ', '')) && 'found an invisible character, expected json "…" with its escape',
      line.endsWith(' ') && 'found a blank at the end of the line, expected json "…"',
      fence !== '' && line.length > longest && `found more than ${longest} characters, expected json "…"`,
    ]
    return why.filter(Boolean).map((one) => `${file}:${at + 1}: ${one}`)
  })
}

/** Cases that feed the same text to the same engine and turn. */
function equalCases(file, page, engines) {
  const seen = new Map()
  return scriptsOfPage(page, file, engines).flatMap(({ title, place, script: { engine, turn, steps } }) => {
    const key = JSON.stringify([engine, turn, steps[0], steps[1]])
    const first = seen.get(key)
    seen.set(key, first ?? title)
    return first === undefined ? [] : [`${place}: found the case ${first} again`]
  })
}

/** The engines that no page names. */
function unusedEngines(engines, pages) {
  const used = new Set(pages.flatMap(([, page]) => [...page.matchAll(/^engine: (.*)$/gm)].map(([, name]) => name)))
  return Object.keys(engines).filter((name) => !used.has(name))
}

const keysOf = (step) => Object.keys(step ?? {}).join()

/** Could a page hold this script? */
function couldBeCase({ about, engine = {}, turn, steps, ...more }) {
  const [feed, finish, ...rest] = steps
  const expected = rest[0]?.expect ? rest.shift() : undefined
  const blocks = rest[0]?.is?.blocks
  return (
    Object.keys(more).length === 0 &&
    typeof engine === 'object' &&
    turn?.wire === 'text' &&
    /^feed(,times)?$/.test(keysOf(feed)) &&
    keysOf(finish) === 'finish' &&
    ['complete', 'network', 'aborted'].includes(finish.finish) &&
    (expected === undefined || /^expect(,some)?$/.test(keysOf(expected))) &&
    (rest.length === 0 ||
      (rest.length === 1 && rest[0].get === 'message' && keysOf(rest[0].is) === 'blocks' && Array.isArray(blocks))) &&
    (expected !== undefined || blocks?.length > 0)
  )
}

test('a text in a fence can be seen whole, and no line has what cannot be seen', () => {
  for (const [file, page] of read([...scripts, ...texts])) assert.deepEqual(unreadable(file, page), [])
  const fence = (line) => `## a\nAbout.\n\`\`\`\n${line}\n\`\`\`\n`
  for (const line of ['a\tb', 'a\u200bb', 'a\u00a0b', 'a\r', 'a ', '\ufe0f', 'x'.repeat(401)])
    assert.match(unreadable('f', fence(line)).join('\n'), /^f:4: found .*, expected json/, JSON.stringify(line))
  assert.deepEqual(unreadable('f', fence('x'.repeat(400))), [])
  assert.deepEqual(unreadable('f', `json "${'x'.repeat(401)}"`), [])
})

test('no page has a case twice, and each engine is used', () => {
  const engines = readEngines()
  const pages = read(scripts)
  for (const [file, page] of pages) assert.deepEqual(equalCases(file, page, engines), [])
  assert.deepEqual(unusedEngines(engines, pages), [])
  const twice = 'engine: a\nturn: {}\n## one\nAbout.\njson "x"\ntext\n## two\nAbout.\n```\nx\n```\nreasoning'
  assert.deepEqual(equalCases('f', twice, { a: {} }), ['f:7: found the case one again'])
  assert.deepEqual(unusedEngines({ a: {}, b: {} }, [['f', twice]]), ['b'])
})

test('titles of texts that are no calls differ', () => {
  for (const [file, page] of read(texts)) assert.ok(readPage(page, file).cases.length > 5, file)
  assert.throws(() => readPage('## a\nAbout.\n## a\nAbout.', 'f'), /^Error: f:3: found the title a twice$/)
})

test('no JSON script is one that a page could hold', () => {
  const json = scriptFiles('').filter(({ name }) => name.endsWith('.json'))
  const could = json.filter(({ name, script }) => dirname(name) !== 'tester' && couldBeCase(script)) // a tester's copy
  assert.deepEqual(
    could.map(({ name }) => name),
    [],
  )
  const cases = scriptFiles('').filter(({ name }) => name.includes('#'))
  assert.ok(cases.length > 1000 && cases.every(({ script }) => couldBeCase(script)))
})
