// npm run lint: checks the format, lints, compiles the core's folders as packages do, and looks for blanks at line ends
// and for wrong subjects of commits.
// `npm run format` repairs what can be repaired.
import { exec, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { command, root, Stop, which } from './run.mjs'

const REPAIRS = process.argv.includes('--write')
/** The longest subject of a commit. */
const LONGEST = 72
/** The tree without a file: git knows its hash in every repository. */
const NO_FILES = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

const biome = join(root, 'node_modules/.bin/biome')
const run = (program, args) => spawnSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 1e9 })
const git = (...args) => run('git', args)
const isCheckout = git('rev-parse', '--git-dir').status === 0
/** Those that git knows, and new ones that it does not ignore. */
const sources = () =>
  git('ls-files', '--cached', '--others', '--exclude-standard', 'native', 'bindings', 'tests').stdout.split('\n')
const isC = (file) => /\.(h|hpp|c|cpp)$/.test(file) && !file.startsWith('tests/c/')

/** Each gives what is wrong, as text; empty: nothing is. Undefined: it could not be checked, `without` says why. */
const checks = {
  'TypeScript, JavaScript, JSON and CSS by Biome': () =>
    said(run(biome, ['check', '--error-on-warnings', '--max-diagnostics=50', ...(REPAIRS ? ['--write'] : [])])),
  'C++ by clang-format': () => {
    if (!isCheckout) return without('there is no git that lists the sources')
    const program = ['clang-format-14', 'clang-format'].find((name) =>
      / version 14\./.test(run(name, ['--version']).stdout),
    )
    if (!program)
      return without('clang-format 14 is missing; others format otherwise. Debian has it as clang-format-14')
    return said(run(program, [...(REPAIRS ? ['-i'] : ['--dry-run', '-Werror']), ...sources().filter(isC)]))
  },
  'names in C++ that clash where a folder is compiled as one file': async () => {
    if (process.platform === 'win32') return without('its compiler has no check of the syntax alone')
    if (!which('cmake')) return without('cmake is missing')
    const build = mkdtempSync(join(tmpdir(), 'sluice-batches-'))
    try {
      const wanted = ['-DSLUICE_BATCHES=ON', '-DSLUICE_ADDON=OFF', '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON']
      const configured = run('cmake', ['-S', root, '-B', build, ...wanted])
      if (configured.status !== 0) return said(configured)
      const batches = JSON.parse(readFileSync(join(build, 'compile_commands.json'), 'utf8')).filter(
        ({ output, file }) => (output ?? file).includes('Unity'),
      )
      if (batches.length === 0) return 'found no folder that is compiled as one file, expected the core\n'
      return (await inParallel(batches, syntaxOf)).join('')
    } finally {
      rmSync(build, { recursive: true, force: true })
    }
  },
  // Compared with nothing, so that all of the tree is new. Inputs of the fuzzer may end as they like.
  'blanks at line ends': () => {
    if (!isCheckout) return without('there is no git that lists the sources')
    return said(git('diff', '--check', NO_FILES, '--', '.', ':!tests/fuzz/corpus'))
  },
  'subjects of commits': () => {
    if (git('rev-parse', '--verify', 'origin/main').status !== 0)
      return without('there is no origin/main to compare with')
    const subjects = git('log', '--no-merges', '--format=%s', 'origin/main..HEAD').stdout.split('\n').filter(Boolean)
    if (subjects.length === 0) return without('every commit is on origin/main')
    return subjects
      .filter((subject) => subject.length > LONGEST || !/^[\w.,/ -]+: \S/.test(subject))
      .map((subject) => `found "${subject}", expected "area: imperative" of at most ${LONGEST} characters\n`)
      .join('')
  },
}

const said = ({ status, stdout, stderr, error }) =>
  status === 0 ? '' : (error?.message ?? `${stdout}${stderr}`) || `it ended with ${status}`

/** What a compiler says against a source of `compile_commands.json`; empty: nothing. Its command is one for a shell. */
function syntaxOf({ command, directory }) {
  return new Promise((resolve) => {
    const options = { cwd: directory, maxBuffer: 1e9 }
    exec(`${command} -fsyntax-only -w`, options, (error, _, stderr) => resolve(error ? stderr || error.message : ''))
  })
}

/** Runs `work` on all `items`, as many at a time as there are processors. */
async function inParallel(items, work) {
  const results = []
  const left = [...items.entries()]
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) results[next[0]] = await work(next[1])
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  return results
}

let skipped
function without(why) {
  skipped = why
  return undefined
}

await command(async () => {
  if (!existsSync(biome)) throw new Stop('missing: the packages of package-lock.json. Type: npm ci', 2)
  for (const [name, check] of Object.entries(checks)) {
    const wrong = await check()
    if (wrong === undefined) console.log(`– ${name}: skipped, ${skipped}`)
    else if (wrong === '') console.log(`✔ ${name}`)
    else {
      process.exitCode = 1
      console.log(`${wrong.trimEnd()}\n✖ ${name}`)
    }
  }
  if (process.exitCode === 1 && !REPAIRS) console.log('\n`npm run format` repairs what can be repaired')
})
