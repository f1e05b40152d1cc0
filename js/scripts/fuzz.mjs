// node js/scripts/fuzz.mjs [minutes] [target …]: builds the fuzz targets (clang), runs each for so many minutes (1), one after
// the other, at the lowest priority, and tells a table. What one finds stays in build/fuzz/found/<target>.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { command, root, say, Stop } from './run.mjs'
import { buildNative } from './setup.mjs'

const targets = ['protocol', 'answer', 'wire', 'verbs', 'documents', 'state', 'encoders']

await command(async () => {
  const words = process.argv.slice(2)
  const minutes = Number(words.find((word) => /^[\d.]+$/.test(word)) ?? 1)
  const named = words.filter((word) => !/^[\d.]+$/.test(word))
  const wrong = named.find((name) => !targets.includes(name))
  if (wrong) throw new Stop(`${wrong}: no such target; there are ${targets.join(', ')}`)
  const wanted = named.length > 0 ? named : targets
  await buildNative('fuzz', { tests: false, targets: wanted.map((name) => `sluice_fuzz_${name}`), low: true })
  const rows = []
  for (const name of wanted) rows.push(await fuzz(name, minutes))
  console.log(`\n  ${'target'.padEnd(10)} executions  per second  edges  faults`)
  for (const { name, runs, rate, edges, faults } of rows)
    console.log(`  ${name.padEnd(10)} ${runs.padStart(10)}  ${rate.padStart(10)}  ${edges.padStart(5)}  ${String(faults).padStart(6)}`)
  if (rows.some(({ faults }) => faults > 0)) process.exitCode = 1
})

async function fuzz(name, minutes) {
  const folder = join(root, 'build/fuzz/found', name)
  const [inputs, crashes] = ['inputs', 'faults'].map((part) => join(folder, part))
  for (const dir of [inputs, crashes]) mkdirSync(dir, { recursive: true })
  const before = readdirSync(crashes).length
  const seeds = join(root, 'tests/fuzz/corpus')
  const dirs = [inputs, ...(name === 'protocol' ? readdirSync(seeds).map((grammar) => join(seeds, grammar)) : [])].filter((dir) => existsSync(dir))
  say(`${name} for ${minutes} min …`)
  const args = [`-max_total_time=${Math.round(minutes * 60)}`, '-max_len=2048', '-timeout=20', '-rss_limit_mb=2048', '-print_final_stats=1', '-verbosity=1', `-artifact_prefix=${crashes}/`, ...dirs]
  const child = spawn(join(root, `build/fuzz/sluice_fuzz_${name}`), args, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
  setPriority(child.pid, constants.priority.PRIORITY_LOW)
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (data) => (output = (output + data).slice(-200_000)))
  await new Promise((resolve) => child.on('close', resolve).on('error', resolve))
  const faults = readdirSync(crashes).length - before
  if (faults > 0) console.log(output.split('\n').slice(-60).join('\n'))
  const stat = (pattern) => [...output.matchAll(pattern)].at(-1)?.[1] ?? '?'
  return { name, faults, runs: stat(/number_of_executed_units: (\d+)/g), rate: stat(/average_exec_per_sec: +(\d+)/g), edges: stat(/cov: (\d+)/g) }
}
