// Reads the shared scripts of tests/vectors: JSON files, and the cases of pages `texts.md`. tests/README.md describes
// both.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const vectors = fileURLToPath(new URL('../vectors', import.meta.url))

/** The engine documents that cases name. */
export const readEngines = () => JSON.parse(readFileSync(join(vectors, 'engines.json'), 'utf8'))

/**
 * Every shared script, or with `only` those whose path contains it; `mimo#cut` chooses one case. `name` is
 * `mimo/cut.json` or `mimo#cut`, `place` the file and the line that a failure prints.
 */
export function scriptFiles(only = process.env.SLUICE_SCRIPT ?? '') {
  const engines = readEngines()
  const folders = readdirSync(vectors, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const scripts = folders.flatMap(({ name: folder }) =>
    readdirSync(join(vectors, folder)).flatMap((file) => {
      const path = `${folder}/${file}`
      const read = () => readFileSync(join(vectors, path), 'utf8')
      if (file === 'texts.md')
        return scriptsOfPage(read(), path, engines).map((one) => ({ ...one, name: `${folder}#${one.title}`, path }))
      return file.endsWith('.json') ? [{ name: path, path, place: path, script: JSON.parse(read()) }] : []
    }),
  )
  const chosen = ({ name, path }) => (only.includes('#') ? name === only : path.includes(only) || name.includes(only))
  return scripts.filter(chosen).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The cases of a page as scripts: feed the text, finish, look at the events and at the message. */
export function scriptsOfPage(text, file, engines) {
  const { head, cases } = readPage(text, file)
  for (const [at, word] of ['engine: NAME', 'turn: {…}'].entries())
    if (head[at]?.number !== at + 1 || !head[at].text.startsWith(word.slice(0, word.indexOf(' ') + 1)))
      throw pageError(file, at + 1, `expected ${word}`)
  if (head.length > 2) throw pageError(file, head[2].number, 'expected a title')
  const shared = readRows(head, file, engines)
  return cases.map((one) => {
    const read = readRows(one.rows, file, engines)
    if (one.text === undefined) throw pageError(file, one.line, 'found no text')
    if (!read.events && read.blocks.length === 0) throw pageError(file, one.line, 'found no block and no event')
    const steps = [{ feed: one.text }, { finish: read.end ?? 'complete' }]
    if (read.events) steps.push({ expect: read.events, ...(read.among && { some: true }) })
    steps.push({ get: 'message', is: { blocks: read.blocks } })
    const { engine, turn } = { ...shared, ...read }
    return { title: one.title, place: `${file}:${one.line}`, script: { about: one.about, engine, turn, steps } }
  })
}

/** The head of a page, and its cases. `rows`: the lines of a case that are not its text. */
export function readPage(text, file) {
  const lines = text.split('\n').map((line, at) => ({ number: at + 1, text: line }))
  const head = []
  const cases = []
  for (let at = 0; at < lines.length; at++) {
    const { number, text: line } = lines[at]
    const last = cases.at(-1)
    if (line.startsWith('## ')) {
      const title = line.slice(3)
      const about = lines[++at]?.text ?? ''
      if (!/^[a-z0-9-]+$/.test(title)) throw pageError(file, number, 'expected a title of a to z, 0 to 9 and -')
      if (cases.some((one) => one.title === title)) throw pageError(file, number, `found the title ${title} twice`)
      if (!/^[A-Z0-9]/.test(about)) throw pageError(file, number + 1, 'expected a sentence about the case')
      cases.push({ title, about, line: number, text: undefined, rows: [] })
    } else if (last === undefined) {
      if (line !== '') head.push(lines[at])
    } else if (/^```+$/.test(line)) {
      const end = lines.findIndex((one) => one.number > number && one.text === line)
      if (end < 0) throw pageError(file, number, 'expected the end of the fence')
      const inside = lines.slice(at + 1, end).map((one) => one.text)
      last.text = (last.text ?? '') + inside.join('\n')
      at = end
    } else if (/^(json|repeat) /.test(line)) {
      const [, times = '1', quoted] = /^(?:json|repeat ([1-9][0-9]*)) (".*)$/.exec(line) ?? []
      const string = valueOf(quoted)
      if (typeof string !== 'string') throw pageError(file, number, 'expected json "…" or repeat N "…"')
      last.text = (last.text ?? '') + string.repeat(Number(times))
    } else if (line !== '') {
      last.rows.push(lines[at])
    }
  }
  return { head, cases }
}

/** What the lines of a case say beside its text. */
function readRows(rows, file, engines) {
  const out = { blocks: [] }
  let inEvents = false
  for (const { number, text } of rows) {
    const error = (why) => pageError(file, number, why)
    const once = (key, value) => {
      if (key in out) throw error(`found ${key} twice`)
      out[key] = value
    }
    const [, word, rest] = /^([^ ]*) ?(.*)$/s.exec(text)
    if (text.startsWith('  ')) {
      const event = valueOf(text.slice(2))
      if (!inEvents || !isObject(event)) throw error('expected an event, as a JSON object after "events"')
      out.events.push(event)
      continue
    }
    inEvents = word === 'events'
    if (word === 'engine:') {
      if (!Object.hasOwn(engines, rest)) throw error(`found no engine of the name ${rest}`)
      once('engine', engines[rest])
    } else if (word === 'turn:') {
      const turn = valueOf(rest)
      if (!isObject(turn) || 'wire' in turn) throw error('expected turn: {…} without a wire')
      once('turn', { wire: 'text', ...turn })
    } else if (word === 'end') {
      if (rest !== 'network' && rest !== 'aborted') throw error('expected end network or end aborted')
      once('end', rest)
    } else if (word === 'events') {
      if (rest !== '' && rest !== 'among others') throw error('expected events or events among others')
      once('events', [])
      out.among = rest !== ''
    } else {
      const block = blockOf(text, word, rest)
      if (!block) throw error(`found "${text}", expected a row`)
      out.blocks.push(block)
    }
  }
  return out
}

/** The pattern of a block; undefined if the row is not one. */
function blockOf(text, word, rest) {
  if (word === 'text' || word === 'reasoning' || word === 'fabricated') {
    const string = rest === '' ? undefined : valueOf(rest)
    if (rest !== '' && typeof string !== 'string') return undefined
    const block = { type: word === 'reasoning' ? 'reasoning' : 'text', ...(string !== undefined && { text: string }) }
    return word === 'reasoning' ? block : { ...block, fabricated: word === 'fabricated' ? true : { $absent: true } }
  }
  const [, name, more] = /^([^ ]+) (.+)$/s.exec(rest) ?? []
  if (word === 'call') {
    const given = more && valueOf(more)
    return isObject(given) ? { type: 'tool_use', status: 'pending', name, arguments: { $equals: given } } : undefined
  }
  if (word === 'invalid') {
    if (!/^[a-z_]+$/.test(more ?? '')) return undefined
    return { type: 'tool_use', status: 'invalid', name: name === '-' ? { $absent: true } : name, reason: more }
  }
  const block = text.startsWith('{') ? valueOf(text) : undefined
  return isObject(block) ? block : undefined
}

const pageError = (file, line, why) => new Error(`${file}:${line}: ${why}`)

/** The value of a JSON text; undefined if it is not JSON. */
function valueOf(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
