// npm run bench:peers: Sluice beside the clients of others, on the same answers.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { command, quietly, root, Stop } from './run.mjs'
import { packagesAreStale, setup } from './setup.mjs'

const folder = 'tests/bench/peers'
const known = ['W1', 'W2', 'W3', 'W7a', 'hermes', 'qwen']

const help = `npm run bench:peers [-- rounds [workload …]]

Measures how much processor time Sluice, openai, ai, @ai-sdk-tool/parser, eventsource-parser and plain JavaScript need for the same
answers: by turns in one process, medians of so many rounds (9). What each of them read is checked. Ends with a table of multiples.
The packages of others are installed in ${folder}, and nowhere else (86 MB). Takes some three minutes.

  W1      2,000 deltas of text and a call
  W2      1 MB of arguments in small deltas
  W3      128 calls in one answer, the most that openai reads
  W7a     W1, in pieces of 16 KB
  hermes  calls written as text, as hermes does
  qwen    the same, as qwen3-coder does

npm run bench:peers -- 3 W1 W3    these two, quickly`

await command(async () => {
  const words = process.argv.slice(2)
  if (words.some((word) => ['--help', '-h', 'help'].includes(word))) return console.log(help)
  const isNumber = (word) => /^[1-9]\d*$/.test(word)
  const wrong = words.find((word) => !isNumber(word) && !known.includes(word))
  if (wrong !== undefined) throw new Stop(`${wrong}: no such workload; there are ${known.join(', ')}`)
  await setup()
  if (packagesAreStale(folder))
    await quietly('installing what is measured beside', 'npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'])
  const args = [join(folder, 'measure.mjs'), words.find(isNumber) ?? '9', ...words.filter((word) => !isNumber(word))]
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Stop(`measuring ended with ${status}`)
})
