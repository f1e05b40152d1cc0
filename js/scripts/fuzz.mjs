// npm run fuzz: builds the fuzz targets (clang), runs them two beside each other at the lowest priority, and tells a
// table.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { command, lower, root, say, Stop, which } from './run.mjs'
import { buildNative, installWherePossible, setup } from './setup.mjs'

const wires = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'gemini-interactions', 'ollama'].map(
  (wire) => `wire_${wire}`,
)
const libFuzzer = ['answer', 'protocol', 'declared', ...wires, 'state', 'verbs', 'drawn', 'documents', 'encoders']
const targets = [...libFuzzer, 'backends']
const lanes = 2
// bytes: there each is a verb or a delta, and costs as much as a document elsewhere
const longest = { ...Object.fromEntries(wires.map((wire) => [wire, 512])), verbs: 512, drawn: 512 }
const mostFaults = 5 // of one target: then it is left alone

const help = `npm run fuzz [-- minutes [target …]]

Builds the fuzz targets and runs them for so many minutes in all (10), ${lanes} beside each other. Ends with a table, and with 1
where one of them found a fault. What was found stays in build/fuzz/found/<target>/faults; inputs that reach something new are
kept beside it, so that the next run goes on from there. Installs clang and emscripten where it can; where clang has no libFuzzer, or
there is no emscripten for "backends", the targets that need them are skipped, and named.

  ${targets.join(' ')}

npm run fuzz -- 60               all of them, for an hour
npm run fuzz -- 5 state verbs    these two, for five minutes
build/fuzz/sluice_fuzz_state build/fuzz/found/state/faults/crash-…    plays one fault again
node tests/fuzz/backends.mjs 0 SEED                                   the same for "backends"`

await command(async () => {
  const words = process.argv.slice(2)
  if (words.some((word) => ['--help', '-h', 'help'].includes(word))) return console.log(help)
  const isNumber = (word) => /^\d*\.?\d+$/.test(word)
  const wrong = words.find((word) => !isNumber(word) && !targets.includes(word))
  if (wrong !== undefined) throw new Stop(`${wrong}: no such target; there are ${targets.join(', ')}`)
  const seconds = Number(words.find(isNumber) ?? 10) * 60
  const named = targets.filter((name) => words.includes(name) || words.every(isNumber))
  const left = await build(named)
  const wanted = named.filter((name) => !left.has(name))
  if (wanted.length === 0) throw new Stop(`nothing was run: ${[...left.values()].join('; ')}`)
  const rows = await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      const own = wanted.filter((_, i) => i % lanes === lane)
      const done = []
      for (const name of own)
        done.push(await (name === 'backends' ? besideEachOther : fuzz)(name, seconds / own.length))
      return done
    }),
  )
  for (const [name, why] of left) console.log(`\n${name}: skipped, ${why}`)
  console.log(table(rows.flat().sort((a, b) => wanted.indexOf(a.name) - wanted.indexOf(b.name))))
  if (rows.flat().some(({ faults }) => faults > 0)) process.exitCode = 1
})

/** Builds what these need. Those that cannot be built, and why. */
async function build(names) {
  const left = new Map()
  const some = names.filter((name) => libFuzzer.includes(name))
  const wasm = names.includes('backends')
  await installWherePossible({ fuzz: some.length > 0, wasm })
  if (!hasLibFuzzer())
    for (const name of some)
      left.set(name, 'the compiler clang++ is missing, or has no libFuzzer (Debian: clang, libclang-rt-dev)')
  else if (some.length > 0)
    await buildNative('fuzz', { tests: false, targets: some.map((name) => `sluice_fuzz_${name}`), low: true })
  if (wasm && !which('em++')) left.set('backends', 'WebAssembly needs emscripten, which is missing')
  else if (wasm) await setup({ wasm: true })
  return left
}

function hasLibFuzzer() {
  const empty = 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char *, unsigned long) { return 0; }'
  return spawnSync('clang++', ['-fsanitize=fuzzer', '-x', 'c++', '-', '-o', devNull], { input: empty }).status === 0
}

function table(rows) {
  const head = ['target', 'minutes', 'runs', 'runs/s', 'edges', 'new', 'inputs', 'faults']
  const lines = rows.map(({ name, seconds, runs, edges, before, inputs, faults }) =>
    [
      name,
      (seconds / 60).toFixed(1),
      runs,
      Math.round(runs / seconds),
      edges ?? '',
      edges === undefined ? '' : edges - before,
      inputs ?? '',
      faults,
    ].map(String),
  )
  const widths = head.map((title, i) => Math.max(title.length, ...lines.map((line) => line[i].length)))
  const line = (cells) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(' | ')} |`
  return [
    '',
    line(head),
    `|${widths.map((width, i) => (i === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`,
    ...lines.map(line),
  ].join('\n')
}

function folders(name) {
  const both = ['inputs', 'faults'].map((part) => join(root, 'build/fuzz/found', name, part))
  for (const folder of both) mkdirSync(folder, { recursive: true })
  return both
}

/** One target, until the time is over: a fault ends the process, not the time. */
async function fuzz(name, seconds) {
  const [inputs, faulty] = folders(name)
  const known = readdirSync(faulty).length
  const faults = () => readdirSync(faulty).length - known
  const row = { name, seconds, runs: 0, edges: 0, before: undefined, inputs: 0, faults: 0 }
  const end = performance.now() + seconds * 1000
  say(`${name} for ${(seconds / 60).toFixed(1)} min …`)
  for (let left = seconds; left >= 1 && row.faults < mostFaults; left = (end - performance.now()) / 1000) {
    const output = await play(name, Math.round(left), inputs, faulty)
    const numbers = (pattern) => [...output.matchAll(pattern)].map((match) => Number(match[1]))
    const edges = numbers(/ cov: (\d+)/g)
    row.runs += numbers(/^#(\d+)/gm).at(-1) ?? 0
    row.edges = Math.max(row.edges, ...edges)
    row.before ??= numbers(/INITED cov: (\d+)/g)[0] ?? 0
    const ended = output.includes('DONE')
    if (!ended && faults() === row.faults)
      throw new Stop(`${output.slice(-3000)}\n\nsluice_fuzz_${name} ended, and left no fault`)
    if (!ended) say(`${name} found a fault\n${output.split('\n').slice(-40).join('\n')}`)
    row.faults = faults()
    if (ended) break
  }
  row.inputs = readdirSync(inputs).length
  return row
}

/** What libFuzzer said. */
async function play(name, seconds, inputs, faulty) {
  const corpus = join(root, 'tests/fuzz/corpus')
  const seeds = name === 'protocol' ? readdirSync(corpus).map((grammar) => join(corpus, grammar)) : []
  // Without entropic: half of the time goes into its tables.
  const args = [
    `-max_total_time=${seconds}`,
    `-max_len=${longest[name] ?? 2048}`,
    '-timeout=20',
    '-report_slow_units=20',
    '-rss_limit_mb=2048',
    '-entropic=0',
    `-artifact_prefix=${faulty}/`,
    inputs,
    ...seeds.filter(existsSync),
  ]
  return (await end(join(root, `build/fuzz/sluice_fuzz_${name}`), args, { ASAN_OPTIONS: 'malloc_context_size=4' })).said
}

/** The addon and WebAssembly: a program of Node, whose inputs are numbers. */
async function besideEachOther(name, seconds) {
  const [, faulty] = folders(name)
  const row = { name, seconds, runs: 0, faults: 0 }
  const over = performance.now() + seconds * 1000
  say(`${name} for ${(seconds / 60).toFixed(1)} min …`)
  for (
    let seed = Math.floor(Date.now() / 1000), left = seconds;
    left >= 1 && row.faults < mostFaults;
    left = (over - performance.now()) / 1000
  ) {
    const { said, heard } = await end(process.execPath, [
      join(root, 'tests/fuzz/backends.mjs'),
      String(Math.round(left)),
      String(seed),
    ])
    if (heard !== '') return { ...row, runs: row.runs + JSON.parse(heard).turns }
    const at = Number(/^seed (\d+): /.exec(said)?.[1] ?? NaN)
    if (Number.isNaN(at)) throw new Stop(said)
    say(`${name} found a fault\n${said.split('\n').slice(-6).join('\n')}`)
    writeFileSync(join(faulty, `seed-${at}`), said)
    row.faults++
    row.runs += at - seed
    seed = at + 1
  }
  return row
}

/** What a program wrote into stderr and stdout. */
async function end(program, args, env = {}) {
  const child = spawn(program, args, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  lower(child)
  const texts = { said: '', heard: '' }
  child.stderr.setEncoding('utf8').on('data', (data) => (texts.said += data))
  child.stdout.setEncoding('utf8').on('data', (data) => (texts.heard += data))
  await new Promise((resolve) =>
    child.on('close', resolve).on('error', (error) => resolve((texts.said += error.message))),
  )
  return texts
}
