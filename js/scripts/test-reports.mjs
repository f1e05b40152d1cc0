// What the reports of test programs say: how many tests passed, which failed and why, and why others were skipped.
import { existsSync, readFileSync } from 'node:fs'

/** Of ctest, which wrote it to a file. */
export function countOfJUnit(file) {
  const report = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const out = { passed: 0, broken: [], skips: [] }
  for (const [, name, status, body] of report.matchAll(/<testcase name="([^"]*)"[^>]*status="(\w+)"[^>]*>(.*?)<\/testcase>/gs)) {
    if (status === 'run') out.passed++
    else if (body.includes('SKIP_REGULAR_EXPRESSION')) out.skips.push(unescaped(/SKIPPED: (.*)/.exec(body)?.[1] ?? 'the test does not say why'))
    else out.broken.push({ name: unescaped(name) }) // a program that was not built is "notrun" as well
  }
  return { ...out, failed: out.broken.length }
}

function unescaped(xml) {
  return xml.replace(/&(lt|gt|quot|apos|amp);/g, (_, name) => ({ lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' })[name])
}

/** Of Node's reporter `spec`: another reporter into a file loses its end where a run is told to exit. `files`: those with a test that failed. */
export function countOfNode(output) {
  const sum = (...names) => names.reduce((all, name) => all + Number(new RegExp(`^ℹ ${name} (\\d+)`, 'm').exec(output)?.[1] ?? 0), 0)
  const skips = [...output.matchAll(/^ *﹣ (.*?) \([\d.]+ms\) # (.*)$/gm)].map(([, name, why]) => (why === 'SKIP' ? `${name}: it does not say why` : why))
  const failing = [...output.split('✖ failing tests:')[1]?.matchAll(/^test at (.*):\d+:\d+\n✖ (.*) \([\d.]+ms\)\n(.*)$/gm) ?? []]
  // A file whose tests passed fails by what came behind them: the reporter says that elsewhere.
  const behind = [...output.matchAll(/^ℹ Error: (Test .* generated asynchronous activity after the test ended.*)$/gm)].map(([, why]) => why)
  const broken = failing.map(([, , name, why]) => ({ name, why: why.trim() === "'test failed'" && behind.length > 0 ? behind.shift() : why.trim() }))
  return { passed: sum('pass'), failed: sum('fail', 'cancelled', 'todo'), broken, skips, files: [...new Set(failing.map(([, file]) => file))] }
}

/** Of Python's `unittest`. */
export function countOfUnittest(output) {
  const ran = Number(/^Ran (\d+) tests? in/m.exec(output)?.[1] ?? 0)
  const broken = [...new Set([...output.matchAll(/^(?:FAIL|ERROR): (\w+ \([^)]*\))/gm)].map(([, name]) => name))] // once for all its subtests
  const skips = [...output.matchAll(/\.\.\. skipped (['"])(.*)\1$/gm)].map(([, , why]) => why)
  return { passed: Math.max(0, ran - broken.length - skips.length), failed: broken.length, broken: broken.map((name) => ({ name })), skips }
}
