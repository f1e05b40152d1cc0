// npm run documents: writes the table of js/docs/protocols.md that says which formats read calls in fences, from the
// tables of native/src/protocol.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'

export const protocolsPage = join(root, 'js/docs/protocols.md')

const source = (file) => readFileSync(join(root, 'native/src/protocol', file), 'utf8')

/** Every format, with the words of the fences that it reads by default; an empty list: `code` is `ignore`. */
export function fencesOfFormats() {
  const own = [...source('registry.cpp').matchAll(/^ {4}\{"(\w+)", \w+, \w+\},$/gm)].map(([, id]) => [id, []])
  const table = source('family/families.cpp')
  const families = table
    .split(/^ {4}(?=\{\.id = )/m)
    .slice(1)
    .map((entry) => {
      const words = /^ {5}\.fences = words<([^>]*)>/m.exec(entry)?.[1] ?? ''
      return [/^\{\.id = "([^"]+)"/.exec(entry)[1], [...words.matchAll(/"([^"]*)"/g)].map(([, word]) => word)]
    })
  const alike = [...table.matchAll(/\blike\("([^"]+)", "([^"]+)"/g)].map(([, other, id]) => [
    id,
    new Map(families).get(other),
  ])
  return new Map([...own, ...[...families, ...alike].sort(([a], [b]) => (a < b ? -1 : 1))])
}

/** The page with its table as the sources say now. */
export function withFences(text) {
  const rows = new Map()
  for (const [id, words] of fencesOfFormats()) {
    const key =
      words.length === 0
        ? '`ignore` | '
        : `\`whole\` | ${words.map((word) => (word === '' ? 'none' : `\`${word}\``)).join(', ')}`
    rows.set(key, [...(rows.get(key) ?? []), `\`${id}\``])
  }
  const lines = [...rows].sort(([a], [b]) => (a < b ? 1 : -1)).map(([key, ids]) => `| ${key} | ${ids.join(' ')} |`)
  return text.replace(
    /^\| `code` \| words \| formats \|\n\|---\|---\|---\|\n(?:\|.*\n)*/m,
    () => `| \`code\` | words | formats |\n|---|---|---|\n${lines.join('\n')}\n`,
  )
}
