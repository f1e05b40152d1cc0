// The words behind `npm test --` that name no suite: they choose scripts, files or tests.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root } from './run.mjs'

/**
 * What the words that name no suite choose: `files` of each suite, `scripts` (a part of their paths) or `names` (a
 * pattern).
 */
export const filter = {}
export const filters = () => Object.keys(filter).length > 0

/** The suites that replay scripts. */
export const replaying = ['native', 'js', 'python']

/** `mimo#cut` and `tests/vectors/mimo/cut.json` as [`mimo`, `cut`]. */
function placeOf(word) {
  const part = word
    .replace(/^tests\/vectors\//, '')
    .replace('#', '/')
    .replace(/\/$/, '')
  const [folder] = part.split('/')
  return [folder, part.slice(folder.length + 1).replace(/\.json$/, '')]
}

/**
 * The scripts of a folder of tests/vectors by their titles, as `mimo/cut.json` or `mimo#cut`; undefined if there is no
 * such folder.
 */
function scriptsOf(folder) {
  const path = join(root, 'tests/vectors', folder)
  const isName = /^\w[^/\\]*$/.test(folder)
  if (!isName || !existsSync(path) || !statSync(path).isDirectory()) return undefined
  const titlesOf = (file) =>
    [...readFileSync(join(path, file), 'utf8').matchAll(/^## ([a-z0-9-]+)$/gm)].map(([, title]) => title)
  return Object.fromEntries(
    readdirSync(path).flatMap((file) =>
      file === 'texts.md'
        ? [[file, `${folder}/${file}`], ...titlesOf(file).map((title) => [title, `${folder}#${title}`])]
        : [[basename(file, '.json'), `${folder}/${file}`]],
    ),
  )
}

/** All scripts of the folder that a word names, as `mimo#cut`; empty if there is no such folder. */
export function scriptsBeside(word) {
  const [folder] = placeOf(word)
  const titles = Object.keys(scriptsOf(folder) ?? {}).filter((title) => title !== 'texts.md')
  return titles.map((title) => `${folder}#${title}`)
}

/**
 * Turns a word (`mimo`, `mimo#cut`, `tests/vectors/mimo/cut.json`) into a part of the paths of shared scripts, or into
 * the name of a case; undefined if no script has it.
 */
export function scriptPart(word) {
  const [folder, rest] = placeOf(word)
  const scripts = scriptsOf(folder)
  return rest === '' ? scripts && `${folder}/` : scripts?.[rest]
}

/** Those files whose name has one of the words. */
export const filesWith = (files, words) =>
  files.filter((file) => words.some((word) => basename(file, '.test.mjs').includes(word)))

/** Does a source have one of the words? Names of tests in Python have `_` between theirs. */
export const mentions = (source, words) =>
  words.some((word) => source.includes(word) || source.includes(word.replaceAll(' ', '_')))

/** Test names with one of the words, as a regular expression of Node's test runner and of ctest. */
export const patternOf = (words) => words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')

/** The five names that are nearest to a word. */
export function nearest(word, names) {
  return [...new Set(names)]
    .map((name) => [distance(word, name), name])
    .sort(([a], [b]) => a - b)
    .slice(0, 5)
    .map(([, name]) => name)
}

/** How many letters must be put in, taken out or exchanged; a name that begins with the word is nearer. */
function distance(word, name) {
  let row = Array.from({ length: name.length + 1 }, (_, at) => at)
  for (let i = 1; i <= word.length; i++) {
    const next = [i]
    for (let j = 1; j <= name.length; j++)
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (word[i - 1] === name[j - 1] ? 0 : 1))
    row = next
  }
  return row[name.length] - (name.startsWith(word.slice(0, 3)) ? 2 : 0)
}
