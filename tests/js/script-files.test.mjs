// The reader of pages of scripts: every row and every error of tests/vectors/reader-cases.md.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readPage, scriptsOfPage, vectors } from './script-files.mjs'

const file = 'reader-cases.md'
const { cases } = readPage(readFileSync(join(vectors, file), 'utf8'), file)
const engines = { one: { tools: [] }, two: {} }

/** The rows that say what comes of a page. */
function rowsOf(page) {
  try {
    return scriptsOfPage(page, 'folder/texts.md', engines).map(({ script }) => ({ script }))
  } catch (error) {
    return [{ error: error.message }]
  }
}

for (const { title, line, text, rows } of cases)
  test(`pages of scripts: ${title} (${file}:${line})`, () => {
    const expected = rows.map((row) => {
      const [, word, rest] = /^(script|error) (.*)$/.exec(row.text)
      return { [word]: word === 'script' ? JSON.parse(rest) : rest }
    })
    assert.deepEqual(rowsOf(text), expected)
  })

test('there are cases of the reader', () => assert.ok(cases.length > 30))
