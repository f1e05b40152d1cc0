// npm run bench -- text: how long each hostile text takes to be read, whole and as the most that is read at once;
// processor time, the least of five.
import { parseArgs } from 'node:util'
import { built } from '../js/dist.mjs'
import { fullest, hostile } from '../js/text/hostile.mjs'

const { Cutter } = await built('cut')
const { drawn } = await built('text-tree')

const { values } = parseArgs({ options: { all: { type: 'boolean' } } })
const words = {
  table: 'Table',
  task: 'Task',
  copyCsv: 'Copy as CSV',
  pictureFrom: (host) => `Picture from ${host}`,
  pictureInText: 'Picture',
}

function took(text, open) {
  const least = Math.min(
    ...Array.from({ length: 5 }, () => {
      const begun = process.cpuUsage()
      const { finished, tail } = new Cutter().read(text, open)
      for (const block of [...finished, ...tail]) drawn(block, words)
      return process.cpuUsage(begun).user / 1000
    }),
  )
  return { least, length: text.length }
}

const all = Object.entries(hostile)
  .flatMap(([what, text]) => [
    { what, how: 'whole', ...took(text, false) },
    { what, how: 'while it comes', ...took(text, true) },
    { what, how: 'the most at once', ...took(fullest(text), false) },
    { what, how: 'the most at once, while it comes', ...took(fullest(text), true) },
  ])
  .sort((a, b) => b.least - a.least)
for (const { what, how, least, length } of values.all ? all : all.slice(0, 12))
  console.log(`${least.toFixed(1).padStart(7)} ms  ${String(length).padStart(8)} characters  ${what}, ${how}`)
console.log(
  `${Object.keys(hostile).length} texts, ${all.filter(({ least }) => least > 50).length} readings of ${all.length} above 50 ms`,
)
