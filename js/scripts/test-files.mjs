// Which files belong to which suite of `npm test`, and which of them the words behind `npm test --` choose.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root, Stop } from './run.mjs'
import { filesWith, filter, mentions, patternOf, replaying, scriptPart } from './test-filter.mjs'

/** Tests of JavaScript that are about the engine: sanitizers look on, and they hold on WebAssembly too. */
export const ofEngine = [
  'scripts',
  'vectors',
  'addon',
  'approvals',
  'converters',
  'ends',
  'faults',
  'final',
  'hooks',
  'official-clients',
  'openai',
  'options',
  'own-loop',
  'retries',
  'rules',
  'run',
  'schemas',
  'secrets',
  'suspend',
  'taken-back',
  'tool-results',
  'wire-faults',
  'wires',
  'wires-foreign',
  'wires-history',
].map((name) => `tests/js/${name}.test.mjs`)

/** Tests of JavaScript that start `npx sluice` or an example many times: a suite of their own. */
const ofCommands = /^(?:cli.*|demo|examples|hiding-terminal|serve-upstreams|slash)\.test\.mjs$/

/** Tests in Chromium that run with other suites than `browser`. */
const elsewhere = {
  desktop: ['electron', 'pet', 'live2d', 'speech', 'electron-speed'],
  pages: [
    'chat-composer',
    'chat-conversations',
    'chat-thread',
    'chat-voice',
    'configuration',
    'keyboard',
    'recipes',
    'text',
    'text-waiting',
    'ui-dock',
    'ui-words',
    'ui-writing',
  ],
}
const isElsewhere = (file) => Object.values(elsewhere).flat().includes(basename(file, '.test.mjs'))

/** The flows of the demo, on the static page with the engine in it. */
const onSite = ['tests/pages/demo.test.mjs']

/** The files of the suites that Node's test runner runs. */
export const filesOf = {
  js: () => filesIn('tests/js').filter((file) => !ofCommands.test(basename(file))),
  browser: () => filesIn('tests/browser', ['ui-questions', 'ui']).filter((file) => !isElsewhere(file)),
  commands: () => filesIn('tests/js').filter((file) => ofCommands.test(basename(file))),
  desktop: () => fromBrowser(elsewhere.desktop),
  pages: () => [
    ...filesIn('tests/pages', ['hiding', 'questions', 'demo-page', 'demo']),
    ...fromBrowser(elsewhere.pages),
  ],
  pictures: () => filesIn('tests/pictures'),
  wasm: () => inOrder([...filesIn('tests/wasm'), ...ofEngine, ...onSite], ['demo', 'page', 'scripts', 'vectors']),
  soak: () => filesIn('tests/soak'),
  adapters: () => filesIn('tests/adapters', ['texts']),
  copilotkit: () => filesIn('tests/adapters/copilotkit'),
  durable: () => filesIn('tests/durable'),
  package: () => filesIn('tests/package', ['library', 'windows', 'build', 'linux']),
}

export function filesIn(dir, first = [], end = '.test.mjs') {
  return inOrder(
    readdirSync(join(root, dir))
      .filter((file) => file.endsWith(end))
      .map((file) => join(dir, file)),
    first,
  )
}

/** `first`: the files that take longest, so that none of them is left alone at the end. */
function inOrder(files, first) {
  // the others follow
  const place = (file) => (first.indexOf(basename(file, '.test.mjs')) + first.length + 1) % (first.length + 1)
  return files.sort((a, b) => place(a) - place(b))
}

function fromBrowser(names) {
  return names.map((name) => `tests/browser/${name}.test.mjs`)
}

/** The files of a suite that are to run. */
export function chosenOf(name) {
  if (filter.files) return filter.files[name] ?? []
  return filter.scripts !== undefined ? ['tests/js/scripts.test.mjs'] : filesOf[name]()
}

/**
 * Returns the suites in which the words choose something, and sets `filter`. Files first, then scripts, then names of
 * tests.
 */
export function choose(suites, words) {
  const withFiles = (some) => suites.filter((name) => filesOf[name] && filesWith(filesOf[name](), some).length > 0)
  const byFile = words.every((word) => withFiles([word]).length > 0) ? withFiles(words) : []
  const scripts = words.length === 1 ? scriptPart(words[0]) : undefined
  const replays = suites.filter((name) => replaying.includes(name))
  if (scripts !== undefined && replays.length > 0 && (byFile.length === 0 || /[#/]/.test(words[0]))) {
    filter.scripts = scripts
    return replays
  }
  if (byFile.length > 0) {
    filter.files = Object.fromEntries(byFile.map((name) => [name, filesWith(filesOf[name](), words)]))
    return byFile
  }
  return chooseByName(suites, words)
}

function chooseByName(suites, words) {
  const sources = {
    native: () => filesIn('tests/native', [], '_test.cpp'),
    python: () => filesIn('tests/python', [], '.py'),
    ...filesOf,
  }
  const searched = suites.filter((name) => name in sources)
  if (searched.length === 0)
    throw new Stop(`${words.join(' ')}: there are no files to choose from in ${suites.join(', ')}`)
  const naming = (file) => mentions(readFileSync(join(root, file), 'utf8'), words)
  const found = Object.fromEntries(searched.map((name) => [name, sources[name]().filter(naming)]))
  filter.names = patternOf(words)
  filter.files = Object.fromEntries(Object.entries(found).filter(([name]) => name in filesOf))
  return searched.filter((name) => found[name].length > 0)
}
