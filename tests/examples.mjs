// The examples of the README and of the pages in js/docs: every fenced block, with the words behind its language.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
export const pages = [
  'README.md',
  ...readdirSync(join(root, 'js/docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `js/docs/${name}`),
]

/** The pages of the bindings: `npm test -- languages` runs what they show. */
export const bindingPages = [
  'bindings/README.md',
  'tests/drivers/README.md',
  ...readdirSync(join(root, 'bindings'))
    .map((name) => `bindings/${name}/README.md`)
    .filter((page) => existsSync(join(root, page))),
]

/** `{ page, line, language, kind, code }` of every fenced block. */
export const examples = pages.flatMap((page) => {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^```(\w*)(?: (\w+))?\n([^]*?)^```$/gm)].map(({ index, 1: language, 2: kind, 3: code }) => ({
    page,
    line: text.slice(0, index).split('\n').length,
    language,
    kind,
    code,
  }))
})

/** Those of a kind, as `[name, code]`. */
export function examplesOf(language, kind) {
  return examples
    .filter((one) => one.language === language && one.kind === kind)
    .map(({ page, line, code }) => [`${page}, line ${line}`, code])
}

/** The files of the whole app that electron.md shows, as `[path, code]`. */
export function appFolder() {
  const shown = (language, kind) =>
    examples.find((one) => one.page.endsWith('/electron.md') && one.language === language && one.kind === kind).code
  return [
    ['package.json', shown('json', 'app')],
    ['main.mjs', shown('js', 'main')],
    ['page/index.html', shown('html', 'app')],
    ['page/page.js', shown('js', 'app')],
  ]
}
