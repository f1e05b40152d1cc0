// What the reports of test programs say: how many tests passed, which failed and why, and why others were skipped.
import { existsSync, readFileSync } from 'node:fs'

/** So many characters of a reason, or of one line of it, are printed. */
const WHY = 300
/** So many lines of what differs are printed. */
const LINES = 6

/** Of ctest, which wrote it to a file. */
export function countOfJUnit(file) {
  const report = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const out = { passed: 0, broken: [], skips: [], held: [] }
  for (const [, name, status, body] of report.matchAll(
    /<testcase name="([^"]*)"[^>]*status="(\w+)"[^>]*>(.*?)<\/testcase>/gs,
  )) {
    if (status === 'run') out.held.push(unescaped(name))
    else if (body.includes('SKIP_REGULAR_EXPRESSION'))
      out.skips.push(unescaped(/SKIPPED: (.*)/.exec(body)?.[1] ?? 'the test does not say why'))
    // a program that was not built is "notrun" as well
    else out.broken.push({ name: unescaped(name), ...whyOfCatch(unescaped(body)) })
  }
  return { ...out, passed: out.held.length, failed: out.broken.length }
}

/** The first assertion that failed, as Catch2 prints it, with its place. */
function whyOfCatch(output) {
  const [, place, words] = /^(\S+:\d+): FAILED:\n(.*?)\n\n/ms.exec(output) ?? []
  return place === undefined
    ? {}
    : { why: `${place.split('/').at(-1)}: ${words.replace(/\s+/g, ' ').trim().slice(0, WHY)}` }
}

function unescaped(xml) {
  return xml.replace(
    /&(lt|gt|quot|apos|amp);/g,
    (_, name) => ({ lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' })[name],
  )
}

/**
 * Reads the output of Node's reporter `spec`; with --test-force-exit, reporters that write to a file lose their last
 * lines. Returns also `files`, those with a failed test, and `held`, the names of the tests that passed.
 */
export function countOfNode(output) {
  const sum = (...names) =>
    names.reduce((all, name) => all + Number(new RegExp(`^ℹ ${name} (\\d+)`, 'm').exec(output)?.[1] ?? 0), 0)
  const skips = [...output.matchAll(/^ *﹣ (.*?) \([\d.]+ms\) # (.*)$/gm)].map(([, name, why]) =>
    why === 'SKIP' ? `${name}: it does not say why` : why,
  )
  const held = [...output.matchAll(/^ *✔ (.*) \([\d.]+ms\)$/gm)].map(([, name]) => name)
  const failing = [
    ...(output
      .split('✖ failing tests:')[1]
      ?.matchAll(/^test at (.*):\d+:\d+\n✖ (.*) \([\d.]+ms\)\n(.*(?:\n +.*)*)/gm) ?? []),
  ]
  // A file whose tests passed fails by what came behind them: the reporter says that elsewhere.
  const behind = [
    ...output.matchAll(/^ℹ Error: (Test .* generated asynchronous activity after the test ended.*)$/gm),
  ].map(([, why]) => why)
  // of test-reporter.mjs
  const ends = new Map([...output.matchAll(/^ℹ (.*): (its process .*)$/gm)].map(([, file, end]) => [file, end]))
  const whyOf = (name, why) => (why === "'test failed'" ? (ends.get(name) ?? behind.shift() ?? why) : why)
  const broken = failing.map(([, file, name, why]) => ({ name, file, why: whyOf(name, reasonOf(why.split('\n'))) }))
  return {
    passed: sum('pass'),
    failed: sum('fail', 'cancelled', 'todo'),
    broken,
    skips,
    held,
    files: [...new Set(failing.map(([, file]) => file))],
  }
}

/**
 * The first line of an error. "Expected values to be strictly equal:" alone explains nothing: the lines that differ
 * follow it.
 */
function reasonOf(lines) {
  const [first, ...others] = lines.map((line) => line.trim())
  if (!first?.endsWith(':')) return first
  const end = others.findIndex((line) => /^at /.test(line))
  const differs = others
    .slice(0, end < 0 ? undefined : end)
    .filter((line) => (/^[+-] /.test(line) || line.includes(' !== ')) && line !== '+ actual - expected')
  return [first, ...differs.slice(0, LINES).map((line) => line.slice(0, WHY))].join('\n    ')
}

/**
 * What a second run of the failed files says of the first one, by the names of the tests. `broken`: those that failed
 * again, and those of which the second run says nothing. `unsteady`: those that passed. A file that failed outside of
 * its tests has its own name; it passed if nothing of it failed again.
 */
export function judged(first, second) {
  const key = ({ name, file }) => `${file}\n${name}`
  const again = new Set(second.broken.map(key))
  const passed = new Set(second.held)
  const isFile = ({ name, file }) =>
    file !== undefined && (name === file || name.endsWith(`/${file}`) || file.endsWith(`/${name}`))
  // Python does not name a fixture that succeeds: it did if a test passed, since only the tests of the fixture ran
  // again.
  const passes = (test) =>
    isFile(test) ? !second.files.includes(test.file) : isFixture(test) ? passed.size > 0 : passed.has(test.name)
  const unsteady = first.broken.filter((test) => !again.has(key(test)) && passes(test))
  const broken = first.broken.filter((test) => !unsteady.includes(test))
  const fresh = second.broken.filter((test) => !first.broken.some((other) => key(other) === key(test)))
  return { broken: [...broken, ...fresh], unsteady }
}

/**
 * Reads the output of Node's test runner while it comes. Calls `test` for each test that ended, and `failure` for each
 * that failed, with its reason and place.
 */
export class NodeOutput {
  static on = (on) => new NodeOutput(on)
  #rest = ''
  #failed
  /** How far the last test that failed was indented. */
  #depth = 0
  #over = false
  #on

  constructor(on) {
    this.#on = on
  }

  take(text) {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop()
    for (const line of lines) this.#line(line)
  }

  #line(line) {
    if (this.#over || line.startsWith('✖ failing tests:')) return void (this.#over = true)
    const [, indent, mark, name] = /^( *)([✔✖﹣]) (.*) \([\d.]+ms\)/.exec(line) ?? []
    if (mark !== undefined || line === '') this.#tellFailed()
    if (mark !== undefined) this.#on.test()
    if (mark === '✖') this.#failed = { name, lines: [], depth: indent.length }
    else if (mark === undefined && this.#failed && line.startsWith(' ')) this.#failed.lines.push(line.trim())
  }

  #tellFailed() {
    if (!this.#failed) return
    const { name, lines, depth } = this.#failed
    this.#failed = undefined
    const isParent = lines.length === 0 && this.#depth > depth // its subtest was reported, with the reason
    this.#depth = depth
    if (isParent) return
    const [place] = lines.flatMap((line) => /\(?(?:file:\/\/)?([^\s()]+\.test\.mjs:\d+)/.exec(line)?.[1] ?? [])
    this.#on.failure({ name, why: reasonOf(lines) ?? 'it does not say why', ...(place ? { place } : {}) })
  }
}

/** Set-up or clean-up in Python, which is reported like a test if it fails. */
const isFixture = ({ name }) => /^(?:setUp|tearDown)(?:Class|Module) \(/.test(name)

/** Of Python's `unittest`. */
export function countOfUnittest(output) {
  const ran = Number(/^Ran (\d+) tests? in/m.exec(output)?.[1] ?? 0)
  const whys = new Map() // once for all its subtests
  for (const [, name, report] of output.matchAll(
    /^(?:FAIL|ERROR): (\w+ \([^)]*\)).*\n([^]*?)(?=\n\n[=-]{5}|$(?![^]))/gm,
  )) {
    const said = report.trim().split('\n')
    const error = said.findLast((line) => /^[\w.]*(?:Error|Exception|Exit|Interrupt)\b/.test(line)) ?? said.at(-1)
    if (!whys.has(name)) whys.set(name, error.slice(0, WHY))
  }
  const broken = [...whys].map(([name, why]) => ({ name, why }))
  const skips = [...output.matchAll(/\.\.\. skipped (['"])(.*)\1$/gm)].map(([, , why]) => why)
  const held = [...output.matchAll(/^(\w+ \([^)]*\))(?:\n.*)? \.\.\. ok$/gm)].map(([, name]) => name)
  const tests = broken.filter((test) => !isFixture(test)).length
  return { passed: Math.max(0, ran - tests - skips.length), failed: broken.length, broken, skips, held }
}

/**
 * What `unittest -k` calls a test that a report names: `test_x (file.Class)`, or since Python 3.11 `test_x
 * (file.Class.test_x)`.
 */
export function unittestId(name) {
  const [, method, path] = /^(\w+) \((.*)\)$/.exec(name)
  return /^(?:setUp|tearDown)/.test(method) || path.endsWith(`.${method}`) ? path : `${path}.${method}`
}
