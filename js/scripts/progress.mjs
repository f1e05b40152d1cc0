// What a long command is at. On a terminal: one line that is redrawn. Elsewhere: a line when work begins, when it has
// passed another quarter of its steps, and when it ends. No line is printed twice.

const started = performance.now()
/** By name: how many steps are done, and of how many. */
const works = new Map()
const redraws = process.stdout.isTTY === true && process.env.TERM !== 'dumb'
/** Milliseconds between two drawings. */
const EVERY_MS = 100
/** Work that takes less than so many milliseconds ends without a word. */
const SHORT_MS = 10_000
let drawing

/** Prints a line with the time since the start: minutes and seconds. */
export function say(text) {
  const line = `${stamp()} ${text}`
  if (!redraws) return console.log(line)
  process.stdout.write(`\r\x1b[K${line}\n`)
  draw()
}

/**
 * Work begins. `total`: how many steps it has, where that is known. `quarters: false`: elsewhere than on a terminal,
 * only its begin and its end are printed.
 */
export function begin(name, { total, quarters = true } = {}) {
  works.set(name, { done: 0, total, quarters: quarters ? 0 : Infinity, since: performance.now() })
  if (redraws) drawSoon()
  else say(`${name} …`)
}

/** Work has come so far. */
export function reach(name, done, total = works.get(name)?.total) {
  const work = works.get(name)
  if (!work) return
  Object.assign(work, { done, total })
  if (redraws) return drawSoon()
  const quarters = total > 0 ? Math.min(3, Math.floor((4 * done) / total)) : 0
  if (quarters <= work.quarters) return
  work.quarters = quarters
  say(`${name}: ${quarters * 25} %`)
}

/** Work is over. `how`: what there is to say of it; without it, work that was short ends silently. */
export function end(name, how) {
  const work = works.get(name)
  works.delete(name)
  if (how !== undefined) say(`${name}: ${how}`)
  else if (work && !redraws && performance.now() - work.since > SHORT_MS) say(`${name}: done`)
  else if (redraws) drawSoon()
}

/** Takes the drawn line away: what follows is no progress. */
export function clear() {
  clearTimeout(drawing)
  drawing = undefined
  if (redraws) process.stdout.write('\r\x1b[K')
}

function drawSoon() {
  drawing ??= setTimeout(draw, EVERY_MS).unref()
}

function draw() {
  clearTimeout(drawing)
  drawing = undefined
  const text = [...works]
    .map(([name, { done, total }]) => (total > 0 ? `${name} ${done}/${total}` : done > 0 ? `${name} ${done}` : name))
    .join(' · ')
  process.stdout.write(
    `\r\x1b[K${text === '' ? '' : `${stamp()} ${text}`.slice(0, (process.stdout.columns ?? 80) - 1)}`,
  )
}

function stamp() {
  const seconds = Math.floor((performance.now() - started) / 1000)
  return `[${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}]`
}
