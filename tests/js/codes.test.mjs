// The codes of the engine, of the types and of js/docs/codes.md are the same.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { languages } from '../../js/pages/tester/strings.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path) => readFileSync(join(root, path), 'utf8')
const sources = readdirSync(join(root, 'native/src'), { recursive: true })
  .filter((name) => /\.(?:cpp|h)$/.test(name))
  .map((name) => read(join('native/src', name)))
  .join('\n')

/** The members of a union in a TypeScript file, without those of other unions in it. */
function union(file, name) {
  const text = read(file).replace(/\/\*\*.*?\*\//gs, '')
  const [, body] = new RegExp(`export type ${name} =([^]*?)\\n(?:\\n|export|/)`).exec(`${text}\n\n`)
  return new Set([...body.matchAll(/'(\w+)'/g)].map(([, code]) => code))
}

/** The codes in the first column of a table under a heading of the page. */
function listed(heading) {
  const section = read('js/docs/codes.md')
    .split(/^## /m)
    .find((part) => part.startsWith(heading))
  return new Set([...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code))
}

const calls = union('js/src/engine/core/codes.ts', 'CallCode')
const diagnostics = union('js/src/engine/core/codes.ts', 'DiagnosticCode')
const errors = union('js/src/engine/core/codes.ts', 'ErrorEventCode')
const reasons = union('js/src/engine/core/codes.ts', 'CallReason')
const without = (set, other) => new Set([...set].filter((code) => !other.has(code)))

test('the page lists what the types name', () => {
  assert.deepEqual([...listed('Calls that cannot be read')].sort(), [...calls].sort())
  assert.deepEqual([...listed('Other diagnostics')].sort(), [...without(diagnostics, calls)].sort())
  assert.deepEqual([...listed('Errors of a turn')].sort(), [...errors].sort())
  assert.deepEqual([...listed('Reasons of cards')].sort(), [...without(reasons, calls)].sort())
  assert.deepEqual(
    [...listed('`SluiceError.code`')].sort(),
    [...union('js/src/engine/core/errors.ts', 'ErrorCode')].sort(),
  )
})

test('the types name every code that the engine writes', () => {
  const found = (pattern) => new Set([...sources.matchAll(pattern)].map(([, code]) => code))
  const told = found(/\b(?:on_|on_scan_)?diagnostic\("(\w+)"/g)
  assert.ok(told.size > 8)
  for (const code of told) assert.ok(diagnostics.has(code) || calls.has(code), `diagnostic ${code}`)
  const given = new Set([
    ...found(/\bspoil\(\*?card, "(\w+)"/g),
    ...found(/\breason = "(\w+)"/g),
    ...found(/\bsettle\(\*?card, Trigger::\w+, "(\w+)"/g),
  ])
  assert.ok(given.size > 10)
  for (const code of given) assert.ok(reasons.has(code) || calls.has(code), `reason ${code}`)
  const shown = new Set([
    ...found(/\berror\.code = (?:how == End::hook \? )?"(\w+)"/g),
    ...found(/sink\.on_error\(\{"(\w+)"/g),
    ...found(/answer_\.error = \{"(\w+)"/g),
  ])
  assert.ok(shown.size > 2)
  for (const code of shown) assert.ok(errors.has(code), `error ${code}`)
})

test('pages have words for what a person is shown, in both languages', () => {
  // What only a turn says that has a server, tools or rules; the tester parses.
  const ofTurns = new Set([
    'late_result',
    'unknown_rule',
    'unknown_toggle',
    'not_remembered',
    'fallback_to_text',
    'usage_refused',
    'schema_refused',
    'signature_dropped',
    'unsent_part',
    'no_callable_tool',
    'ipc_withdrawn',
    'tool_left_out',
    'schema_changed',
    'too_many_tools',
    'cache_refused',
    'context_edited',
    'reasoning_required',
    'reasoning_refused',
  ])
  for (const [language, { codes }] of Object.entries(languages)) {
    assert.deepEqual(
      [...calls, ...without(diagnostics, ofTurns)].filter((code) => !Object.hasOwn(codes, code)),
      [],
      language,
    )
  }
  const titles = [...read('js/src/view/ui/shared/ui-strings.ts').matchAll(/^ {2}errors: \{\n(.*?)^ {2}\},/gms)].map(
    ([, body]) => [...body.matchAll(/^ {4}(\w+):/gm)].map(([, code]) => code),
  )
  assert.equal(titles.length, 2)
  for (const named of titles)
    assert.deepEqual(
      [...errors].filter((code) => !named.includes(code)),
      [],
    )
})

test('every code of the types is written somewhere in the engine', () => {
  for (const code of [...calls, ...diagnostics, ...errors, ...reasons]) assert.ok(sources.includes(`"${code}"`), code)
})
