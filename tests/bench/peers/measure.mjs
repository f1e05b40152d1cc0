// Measures the readers beside each other: one after the other on the same workload, again and again, in processor time
// of this process. What each of them read is held against what the answer says before it counts. `npm run bench:peers`
// runs it. No collection is forced: it would drop what V8 knows of objects that are gone, and with it the compiled
// code.
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { readers } from './readers.mjs'
import { workloads } from './workloads.mjs'

/** Rounds until what is measured is compiled. */
const warm = ({ bytes }) => (bytes > 1 << 20 ? 3 : 25)
const started = performance.now()
const say = (text) => console.error(`[${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s] ${text}`)
const [rounds, ...names] = process.argv.slice(2)
const chosen = workloads.filter(({ name }) => names.length === 0 || names.includes(name))
const reads = ({ over }, { protocol }) => protocol === undefined || over === undefined || over.includes(protocol)

process.env.AI_SDK_LOG_WARNINGS = 'false'
globalThis.AI_SDK_LOG_WARNINGS = false

const medians = new Map() // workload → reader → milliseconds
for (const workload of chosen) {
  const lanes = readers
    .filter((reader) => reads(reader, workload))
    .map((reader) => ({ name: reader.name, read: reader.make(workload), times: [] }))
  say(`${workload.name}: ${workload.about}; ${workload.pieces.length} pieces, ${Math.round(workload.bytes / 1024)} KB`)
  for (let round = -warm(workload); round < Number(rounds); round++) {
    for (const { name, read, times } of lanes) {
      await setImmediate()
      const before = process.cpuUsage()
      const look = await read()
      const { user, system } = process.cpuUsage(before)
      check(`${name} reads ${workload.name}`, look(), workload)
      if (round >= 0) times.push((user + system) / 1000)
    }
    if (round >= -1) say(`${workload.name}: ${round < 0 ? 'warm' : `${round + 1} of ${rounds}`}`)
  }
  medians.set(workload, new Map(lanes.map(({ name, times }) => [name, median(times)])))
}
console.log(table())

function median(times) {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

/** Blanks beside a call that is written as text belong to nobody: some keep them, some do not. */
function check(what, { text, calls }, workload) {
  const plain = (value) => (workload.protocol === undefined ? value : value.replace(/\s+/g, ''))
  if (plain(text) !== plain(workload.text))
    throw new Error(`${what}: found ${text.length} characters of text, expected ${workload.text.length}, or other ones`)
  const wrong = workload.calls.findIndex((call, i) => !isDeepStrictEqual(calls[i], call))
  if (wrong >= 0 || calls.length !== workload.calls.length)
    throw new Error(
      `${what}: found ${calls.length} calls, expected ${workload.calls.length}; ${shortened(calls[wrong])}, expected ${shortened(workload.calls[wrong])}`,
    )
}

function shortened(call) {
  return (JSON.stringify(call) ?? 'none').slice(0, 200)
}

function table() {
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
  const versions = Object.entries(dependencies)
    .filter(([name]) => name !== 'zod')
    .map(([name, version]) => `${name} ${version}`)
  const time = (workload, name) => medians.get(workload).get(name)
  const row = (cells) => `| ${cells.join(' | ')} |`
  const multiple = (workload, name, of) =>
    time(workload, name) === undefined ? '' : `${(time(workload, name) / time(workload, of)).toFixed(1)}`
  const lines = readers.map(({ name, about }) =>
    row([
      about,
      ...chosen.map((workload) =>
        time(workload, name) === undefined
          ? ''
          : `${time(workload, name).toFixed(1)} ms, ${multiple(workload, name, 'Turn')}${['openai', 'ai'].includes(name) ? ` (${multiple(workload, name, 'run')})` : ''}`,
      ),
    ]),
  )
  return [
    '',
    row(['processor time, multiples of `Turn` (of `run()`)', ...chosen.map(({ name }) => name)]),
    row(['---', ...chosen.map(() => '---:')]),
    ...lines,
    '',
    ...chosen.map(({ name, about }) => `${name}: ${about}.`),
    '',
    `Medians of ${rounds} interleaved runs; ${cpus().length} × ${cpus()[0].model.trim()}, Node ${process.versions.node}, V8 ${process.versions.v8}.`,
    `${versions.join(', ')}.`,
  ].join('\n')
}
